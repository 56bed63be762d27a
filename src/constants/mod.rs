//! Every constant of drystone that is a choice: its value, its unit and the reason for it.
//!
//! Kernels receive these by uniform or `override`; no other file repeats a value.

#[cfg(feature = "gpu")]
mod device;
mod geometry;
mod scene;
mod solver;
mod step;
mod threads;

#[cfg(feature = "gpu")]
pub(crate) use device::*;
pub use geometry::*;
pub use scene::*;
pub use solver::*;
pub use step::*;
pub use threads::*;
