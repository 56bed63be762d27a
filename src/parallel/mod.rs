//! Loops that are shared among threads where that pays, and run as they stand where it does not: on
//! one thread, or over few elements.
//!
//! Who shares a loop depends on where it is. Within a step of a small world, or a solve, it is a team, whose
//! threads are there already and wait for nothing but work: microseconds of it are worth sharing. Elsewhere it is the
//! thread pool of rayon, which has to wake its threads.
//!
//! Results are the same either way, and no loop allocates but for the elements that it makes.

mod crew;
mod relay;
mod shared_slice;
mod slices;
mod team;

pub(crate) use crew::{Crew, is_together};
pub(crate) use relay::{Course, Half};
pub(crate) use shared_slice::SharedSlice;
#[cfg(feature = "gpu")]
pub(crate) use slices::Slices;
pub(crate) use slices::{Chunked, for_chunks};
pub(crate) use team::{Stage, Team};

use std::sync::atomic::{AtomicUsize, Ordering};

/// True if `count` elements are worth handing to the threads of a pool where a thread should get `least` of
/// them at least. Threads of a team are not to be had for that.
#[must_use]
pub fn is_shared(count: usize, least: usize) -> bool {
    count >= 2 * least && rayon::current_num_threads() > 1 && !crew::is_together()
}

/// Replaces what is in `to` by `make` of every index below `count`.
pub fn fill<T: Send + Sync>(
    to: &mut Vec<T>,
    count: usize,
    least: usize,
    make: impl Fn(usize) -> T + Sync,
) {
    to.clear();
    to.reserve(count);
    let places = &mut to.spare_capacity_mut()[..count];
    let made = AtomicUsize::new(0);
    for_chunks(SharedSlice::new(places), least, |start, places| {
        for (at, place) in places.iter_mut().enumerate() {
            place.write(make(start + at));
        }
        made.fetch_add(places.len(), Ordering::Relaxed);
    });
    // A thread of a team that panics in `make` leaves elements unmade, and the panic comes up only later.
    if made.into_inner() == count {
        // SAFETY: there is room for so many elements, and each of them has been written.
        #[allow(unsafe_code, reason = "elements are made by several threads")]
        unsafe {
            to.set_len(count);
        }
    }
}

/// Calls `change` with every element and its index.
pub fn for_each<T: Send + Sync>(
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
