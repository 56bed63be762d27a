//! Slices of the same length, cut into the same chunks.

use super::{SharedSlice, grain, is_shared, threads, together};
use std::ops::Range;

/// Slices that are cut together: shared ones (`&[T]`), ones to be written ([`SharedSlice`]), and tuples of them.
pub(crate) trait Slices: Sync {
    /// A part of each.
    type Part;

    /// Length of the shortest.
    fn length(&self) -> usize;

    /// The parts of a range.
    ///
    /// # Safety
    /// No two ranges that are in use at the same time overlap.
    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn part(&self, range: Range<usize>) -> Self::Part;
}

impl<'a, T: Sync> Slices for &'a [T] {
    type Part = &'a [T];

    fn length(&self) -> usize {
        self.len()
    }

    #[allow(unsafe_code, reason = "as the trait has it")]
    unsafe fn part(&self, range: Range<usize>) -> &'a [T] {
        &self[range]
    }
}

impl<'a, T: Send + Sync> Slices for SharedSlice<'a, T> {
    type Part = &'a mut [T];

    fn length(&self) -> usize {
        self.len()
    }

    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { self.range(range) }
    }
}

macro_rules! tuple {
    ($($name:ident $field:tt),*) => {
        impl<$($name: Slices),*> Slices for ($($name,)*) {
            type Part = ($($name::Part,)*);

            fn length(&self) -> usize {
                usize::MAX$(.min(self.$field.length()))*
            }

            #[allow(unsafe_code, reason = "the caller's promise")]
            unsafe fn part(&self, range: Range<usize>) -> Self::Part {
                // SAFETY: the caller's promise.
                unsafe { ($(self.$field.part(range.clone()),)*) }
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);

/// Slices of which each `size` elements, the last ones perhaps fewer, count as one.
pub(crate) struct Chunked<S>(pub(crate) S, pub(crate) usize);

impl<S: Slices> Slices for Chunked<S> {
    type Part = S::Part;

    fn length(&self) -> usize {
        self.0.length().div_ceil(self.1)
    }

    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn part(&self, range: Range<usize>) -> S::Part {
        let Self(slices, size) = self;
        let end = slices.length().min(range.end * size);
        // SAFETY: ranges of chunks that do not overlap have no elements in common.
        unsafe { slices.part(range.start * size..end) }
    }
}

/// Calls `work` with parts of some slices, as far as the shortest reaches, and the index of the first element
/// of each part: all elements come once. `least` is how many are worth waking a thread for, some 20 us of
/// work; a team shares a smaller number of them too. Results must not depend on where slices are cut.
pub(crate) fn for_chunks<S: Slices>(slices: S, least: usize, work: impl Fn(usize, S::Part) + Sync) {
    let length = slices.length();
    let part = |range: Range<usize>| {
        let start = range.start;
        // SAFETY: the ranges below do not overlap, and each comes once.
        #[allow(unsafe_code, reason = "every element is handed out once")]
        let part = unsafe { slices.part(range) };
        work(start, part);
    };
    let grain = grain(least);
    let threads = if is_shared(length, least) {
        threads()
    } else {
        1
    };
    together(threads, |team| {
        team.each(length, grain, |_, range| part(range));
    });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::thread;
    use std::time::Duration;

    const ROUNDS: usize = if cfg!(miri) { 2 } else { 100 };

    fn squares(count: usize, chunk: usize) -> Vec<usize> {
        let from: Vec<usize> = (0..count).collect();
        let mut to = vec![0; count];
        let slices = (from.as_slice(), SharedSlice::new(&mut to));
        for_chunks(slices, chunk, |start, (from, to)| {
            for (at, (from, to)) in from.iter().zip(to).enumerate() {
                assert_eq!(*from, start + at);
                *to += from * from;
            }
        });
        to
    }

    #[test]
    fn every_element_once_whoever_shares() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap_or_else(|why| panic!("{why}"));
        for (count, chunk) in [(0, 4), (0, 0), (5, 0), (1, 4), (4, 4), (1000, 7)] {
            let expected: Vec<usize> = (0..count).map(|index| index * index).collect();
            assert_eq!(squares(count, chunk), expected);
            assert_eq!(pool.install(|| squares(count, chunk)), expected);
            for _ in 0..ROUNDS {
                let in_team = pool.install(|| together(3, |_| squares(count, chunk)));
                assert_eq!(in_team, expected);
            }
        }
    }

    /// Threads that have fallen asleep come back.
    #[test]
    fn loops_after_a_long_wait_are_shared() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap_or_else(|why| panic!("{why}"));
        let found = Mutex::new(HashSet::new());
        pool.install(|| {
            together(3, |_| {
                thread::sleep(Duration::from_millis(20));
                for_chunks([0; 60].as_slice(), 1, |_, some: &[u8]| {
                    thread::sleep(Duration::from_millis(some.len() as u64));
                    let mut found = found.lock().expect("no panic");
                    found.insert(thread::current().id());
                });
            });
        });
        assert!(found.into_inner().expect("no panic").len() > 1);
    }

    /// Loops within the work of a team, and leftovers that go to the pool, come to their end.
    #[test]
    fn loops_within_loops_end() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap_or_else(|why| panic!("{why}"));
        for _ in 0..ROUNDS {
            let sum = || {
                together(3, |_| {
                    let mut sums = vec![0; 64];
                    for_chunks(SharedSlice::new(&mut sums), 1, |start, sums| {
                        sums[0] = squares(start, 4).iter().sum();
                    });
                    let pooled: usize = (0..64_usize).into_par_iter().map(|x| x % 2).sum();
                    sums.iter().sum::<usize>() + pooled
                })
            };
            let alone = sum();
            assert_eq!(pool.install(|| rayon::join(sum, sum)), (alone, alone));
        }
    }
}
