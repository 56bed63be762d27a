//! drystone computes how large crowds of rigid bodies touch.

pub mod constants;
pub mod error;
pub mod math;

pub mod lcp;
pub mod problem;
pub mod solver;

pub mod world;

pub mod collide;
pub mod measure;

pub mod stabilize;
pub mod step;

pub mod scene;

pub mod output;

pub use error::{Error, Result};
