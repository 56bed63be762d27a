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
mod sums;
mod sync;
mod team;

pub(crate) use pipeline::{Region, Stages};
pub(crate) use shared_slice::SharedSlice;
pub(crate) use slices::{Chunked, Slices, for_chunks};
pub(crate) use sort::sort_by_key;
pub(crate) use sums::{CountingSort, with_sums};
pub use team::on_this_thread;
pub(crate) use team::{Team, is_together, threads, together};

use crate::constants::WAKING_PER_TEAM_GRAIN;
use std::sync::{Mutex, PoisonError};

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

/// What `join` makes of `start` and of `each` of some slices' parts, of which it gets the index of the first element, too. Threads join what they have
/// found in no order: the result must not depend on it, as largest and smallest numbers do not.
pub(crate) fn fold<S: Slices, A: Copy + Send>(
    slices: S,
    least: usize,
    start: A,
    each: impl Fn(usize, S::Part) -> A + Sync,
    join: impl Fn(A, A) -> A + Sync,
) -> A {
    let joined = Mutex::new(start);
    for_chunks(slices, least, |first, part| {
        let found = each(first, part);
        // A panic of another thread comes out of the loop in any case.
        let mut joined = joined.lock().unwrap_or_else(PoisonError::into_inner);
        *joined = join(*joined, found);
    });
    joined.into_inner().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// All elements are folded once, and written on the way, whoever shares.
    #[test]
    fn folds_all_elements_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.expect("threads");
        for count in [0_usize, 1, 5, 100] {
            let fold_all = || {
                let mut written = vec![0; count];
                let sum_and_first = |first: usize, part: &mut [usize]| {
                    for (at, number) in part.iter_mut().enumerate() {
                        *number += first + at;
                    }
                    [part.iter().sum(), first]
                };
                let join = |p: [usize; 2], q: [usize; 2]| [p[0] + q[0], p[1].max(q[1])];
                let [sum, last] = fold(
                    SharedSlice::new(&mut written),
                    1,
                    [0; 2],
                    sum_and_first,
                    join,
                );
                assert!(written.into_iter().eq(0..count));
                assert_eq!(sum, count * count.saturating_sub(1) / 2);
                last
            };
            assert_eq!(on_this_thread(fold_all), 0, "one thread has one part");
            let last = pool.install(|| together(3, |_| fold_all()));
            assert_eq!(last > 0, count >= 2, "several have several");
        }
    }
}
