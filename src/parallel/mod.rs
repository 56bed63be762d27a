//! Loops that are shared among threads where that pays, and run as they stand where it does not: on
//! one thread, or over few elements. Results are the same either way.
//!
//! There is one way to share: a team of threads of the current rayon pool (`team.rs`), which wait at a gate for jobs
//! (`gate.rs`, with the protocol). A job is a loop, whose chunks they claim, or a pipeline of domains (`pipeline.rs`). A step
//! or a solve calls its team once, and microseconds of work are worth sharing within it; a large loop outside of one calls a
//! team for itself, some 10 us. [`on_this_thread`] has none called. A panic of any thread in a loop comes out of that loop, and the team goes on as if nothing had
//! happened.
//!
//! `tests/threads/run.sh` tries the protocol with loom in all orders, and this module's tests with Miri.

mod gate;
mod pipeline;
mod shared_slice;
mod slices;
mod sort;
mod sync;
mod team;

pub(crate) use pipeline::{Region, Stages};
pub(crate) use shared_slice::SharedSlice;
#[cfg(feature = "gpu")]
pub(crate) use slices::Slices;
pub(crate) use slices::{Chunked, for_chunks};
pub(crate) use sort::sort_by_key;
pub use team::on_this_thread;
pub(crate) use team::{Team, is_together, threads, together};

use crate::constants::WAKING_PER_TEAM_GRAIN;

/// True if `count` elements are worth sharing. `least` is how many are worth waking a thread for, some 20 us of work;
/// within a team fewer are.
#[must_use]
pub(crate) fn is_shared(count: usize, least: usize) -> bool {
    count >= 2 * grain(least) && threads() > 1
}

/// Least number of elements that are worth a thread's while here.
fn grain(least: usize) -> usize {
    if is_together() {
        (least / WAKING_PER_TEAM_GRAIN).max(1)
    } else {
        least.max(1)
    }
}

/// Replaces what is in `to` by `make` of every index below `count`.
pub(crate) fn fill<T: Send + Sync>(
    to: &mut Vec<T>,
    count: usize,
    least: usize,
    make: impl Fn(usize) -> T + Sync,
) {
    to.clear();
    to.reserve(count);
    let places = &mut to.spare_capacity_mut()[..count];
    for_chunks(SharedSlice::new(places), least, |start, places| {
        for (at, place) in places.iter_mut().enumerate() {
            place.write(make(start + at));
        }
    });
    // SAFETY: there is room for so many elements, and each has been written: a panic would not come here.
    #[allow(unsafe_code, reason = "elements are made by several threads")]
    unsafe {
        to.set_len(count);
    }
}

/// Calls `change` with every element and its index.
pub(crate) fn for_each<T: Send + Sync>(
    elements: &mut [T],
    least: usize,
    change: impl Fn(usize, &mut T) + Sync,
) {
    for_chunks(SharedSlice::new(elements), least, |start, elements| {
        for (at, element) in elements.iter_mut().enumerate() {
            change(start + at, element);
        }
    });
}
