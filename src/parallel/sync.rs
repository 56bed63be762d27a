//! Atomics and pauses: of the standard library, or of loom, which tries all orders in which they may be
//! heard.

#[cfg(loom)]
pub(super) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64},
    thread::yield_now,
};
pub(super) use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
#[cfg(not(loom))]
pub(super) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64},
    thread::yield_now,
};

use crate::constants::TEAM_SPINS;

/// A value in cache lines of its own: processors fetch them in pairs.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Line<T>(pub(super) T);

/// Waits a moment; after a while by letting other threads of the machine go first.
pub(super) fn pause(waited: &mut u32) {
    if *waited < TEAM_SPINS {
        *waited += 1;
        spin_loop();
    } else {
        yield_now();
    }
}
