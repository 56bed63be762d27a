//! drystone behind a C ABI: `include/drystone.h` is made of this.
//!
//! Rules of the border, for every function:
//!
//! * It returns a `ds_status`; [`ds_message`] says more about the last one of this thread that was not `DS_OK`.
//! * A panic ends at the border, as `DS_PANIC`; the solver then starts with empty memory.
//! * Handles are looked up, never followed: what is no handle, or no longer, is `DS_HANDLE`. One that is in use by
//!   another thread is `DS_BUSY`.
//! * Structures begin with their size, which is compared: a caller that was built with another header gets `DS_INVALID`.
//! * Pointers must be to as many elements as their counts say, which nobody can check here. That they are null or not aligned is found.
//! * Nothing is kept of the caller's memory.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "comments go into the header as they are, units in brackets too"
)]

mod body;
mod delassus;
mod fault;
mod handle;
mod memory;
mod plan;
mod problem;
mod solver;
mod threads;
mod warm_start;

pub use body::{ds_body_from_local, ds_tangents, ds_tangents_of};
pub use delassus::*;
pub use fault::{ds_message, ds_status};
pub use plan::*;
pub use problem::*;
pub use solver::*;
pub use warm_start::*;

/// Version of this interface; it changes where a program that was built with another header would go wrong.
pub const DS_ABI_VERSION: u32 = 1;

/// The version of the library that is linked; compare it with `DS_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn ds_abi_version() -> u32 {
    DS_ABI_VERSION
}
