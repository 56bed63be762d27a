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

use crate::constants::{TEAM_SPINS, TEAM_YIELDS};

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

/// Waits a moment for work that may not come for long: after a while asleep, so that nobody pays for a thread that has nothing to do.
pub(super) fn rest(waited: &mut u32) {
    match waited.checked_sub(TEAM_SPINS + TEAM_YIELDS) {
        Some(naps) => doze(naps),
        None if *waited < TEAM_SPINS => spin_loop(),
        None => yield_now(),
    }
    *waited = waited.saturating_add(1);
}

/// Sleeps, the longer the more often it has slept before.
fn doze(naps: u32) {
    #[cfg(not(any(loom, miri)))]
    std::thread::sleep(crate::constants::TEAM_NAP * (1 + naps / 16).min(20));
    #[cfg(any(loom, miri))]
    {
        let _ = naps;
        yield_now();
    }
}
