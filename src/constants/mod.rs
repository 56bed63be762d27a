//! Every constant of drystone that is a choice: its value, its unit and the reason for it.
//!
//! Kernels receive these by uniform or `override`; no other file repeats a value.

#[cfg(feature = "gpu")]
mod device;
mod geometry;
#[cfg(feature = "scene")]
mod scene;
mod solver;
mod step;
mod threads;
mod world;

#[cfg(feature = "gpu")]
pub(crate) use device::*;
pub use geometry::*;
#[cfg(feature = "scene")]
pub use scene::*;
pub use solver::*;
pub use step::*;
pub use threads::*;
pub use world::*;
