//! The GPU backend: shaders, layouts, each kernel against its CPU twin, whole solves, limits, and
//! what happens when the device fails.
//!
//! The adapter is the one whose name contains `DRYSTONE_ADAPTER`; if that is unset, the first
//! hardware adapter, or else Mesa's llvmpipe. A machine without any fails these tests: a backend
//! that is not run is not tested.

#![cfg(feature = "gpu")]

mod clusters;
mod crowd;
mod device;
mod limits;
mod pipelines;
mod portability;
mod shaders;
mod solves;
mod stopping;
mod substeps;
#[path = "../support/mod.rs"]
mod support;
mod traffic;
mod twins;
