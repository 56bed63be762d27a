//! Places of elements: sums of what comes before them, and the counting sort that follows from such sums.

use super::{Chunked, SharedSlice, Slices, Team, grain, is_shared, threads, together};
use crate::constants::MAX_TEAM_DOMAINS;
use std::ops::Range;

/// Into how many parts so many elements are cut, one for each thread that is worth its while.
fn parts_of(count: usize, least: usize) -> usize {
    if is_shared(count, least) {
        let most = count / grain(least);
        threads().min(most).min(MAX_TEAM_DOMAINS)
    } else {
        1
    }
}

/// Calls `work` with ranges of indices, each index below `count` in one of them, and with the sum of the sizes of all indices before its
/// range, from which it returns the sum after it. Returns the sum of all.
///
/// `size` says the sum of the sizes of a range. It is not asked where one thread goes through all. `least` is how many indices are worth
/// waking a thread for.
pub(crate) fn with_sums(
    count: usize,
    least: usize,
    size: impl Fn(Range<usize>) -> usize + Sync,
    work: impl Fn(Range<usize>, usize) -> usize + Sync,
) -> usize {
    let parts = parts_of(count, least);
    if parts == 1 {
        return work(0..count, 0);
    }
    let range = |part: usize| count * part / parts..count * (part + 1) / parts;
    let mut sums = [0; MAX_TEAM_DOMAINS];
    let mut sum = 0;
    together(parts, |team| {
        let sizes = SharedSlice::new(&mut sums[..parts]);
        team.each(parts, 1, |_, some| {
            for part in some {
                // SAFETY: every part is handed out once.
                #[allow(unsafe_code, reason = "every part is handed out once")]
                unsafe {
                    sizes.write(part, size(range(part)));
                }
            }
        });
        for before in &mut sums[..parts] {
            sum += std::mem::replace(before, sum);
        }
        team.each(parts, 1, |_, some| {
            for part in some {
                work(range(part), sums[part]);
            }
        });
    });
    sum
}

/// A stable counting sort of indices by small keys, and the memory that it is made in.
///
/// Indices are cut into pieces that are counted by themselves, two of them side by side: a count that is of the same key as the one
/// before would wait for it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CountingSort {
    /// By piece and key: how many indices there are, then where the next of them goes.
    places: Vec<u32>,
    /// First place of each key, and one past the last.
    firsts: Vec<u32>,
}

impl CountingSort {
    /// Writes the indices below `count` to `order`: by their keys, which are below `keys`, and those of one key as they are. `least` is
    /// how many are worth waking a thread for.
    pub(crate) fn sort(
        &mut self,
        (count, least): (usize, usize),
        keys: usize,
        key: impl Fn(usize) -> usize + Sync,
        order: &mut Vec<u32>,
    ) {
        // Counts are to be fewer than indices, or else as few as can be.
        let most = count / (2 * keys.max(1));
        let pairs = parts_of(count, least).min(most).max(1);
        let pieces = if most == 0 { 1 } else { 2 * pairs };
        let end = |piece: usize| count * piece.min(pieces) / pieces;
        let range = |piece: usize| end(piece)..end(piece + 1);
        let both = |pair: usize| (range(2 * pair), range(2 * pair + 1));
        let Self { places, firsts } = self;
        places.clear();
        places.resize(pieces * keys, 0);
        order.resize(count, 0);
        together(pairs, |team| {
            for_pairs(team, places, keys, |pair, first, second| {
                side_by_side(
                    both(pair),
                    |index| first[key(index)] += 1,
                    |index| second[key(index)] += 1,
                );
            });
            find_places(places, keys, firsts);
            let order = SharedSlice::new(order);
            let put = |places: &mut [u32], index: usize| {
                let place = &mut places[key(index)];
                // SAFETY: every index has a place of its own.
                #[allow(unsafe_code, reason = "every index has a place of its own")]
                unsafe {
                    order.write(*place as usize, index as u32);
                }
                *place += 1;
            };
            for_pairs(team, places, keys, |pair, first, second| {
                side_by_side(
                    both(pair),
                    |index| put(first, index),
                    |index| put(second, index),
                );
            });
        });
    }

    /// Where the indices with some keys are, of the last sort.
    pub(crate) fn range(&self, keys: Range<usize>) -> Range<u32> {
        self.firsts[keys.start]..self.firsts[keys.end]
    }
}

/// Calls `work` with the number of each pair of pieces, and with what is counted of the two; a piece by itself has none beside it.
fn for_pairs(
    team: &Team,
    counts: &mut [u32],
    keys: usize,
    work: impl Fn(usize, &mut [u32], &mut [u32]) + Sync,
) {
    let counts = Chunked(SharedSlice::new(counts), 2 * keys.max(1));
    team.each(counts.length(), 1, |_, some| {
        for pair in some {
            // SAFETY: every pair is handed out once.
            #[allow(unsafe_code, reason = "every pair is handed out once")]
            let (first, second) = unsafe { counts.part(pair..pair + 1) }.split_at_mut(keys);
            work(pair, first, second);
        }
    });
}

/// From how many there are of each key in each piece to where the first of them goes.
fn find_places(places: &mut [u32], keys: usize, firsts: &mut Vec<u32>) {
    firsts.clear();
    firsts.resize(keys + 1, 0);
    let next = &mut firsts[1..];
    for counts in places.chunks(keys.max(1)) {
        for (sum, count) in next.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let mut sum = 0;
    for next in next.iter_mut() {
        sum += std::mem::replace(next, sum);
    }
    for counts in places.chunks_mut(keys.max(1)) {
        for (next, count) in next.iter_mut().zip(counts) {
            *next += std::mem::replace(count, *next);
        }
    }
    // The next place of a key is now the first of the key after it.
}

/// Does something with each index of two ranges of about the same length, of both in turn.
#[inline(always)]
fn side_by_side(
    (first, second): (Range<usize>, Range<usize>),
    mut of_first: impl FnMut(usize),
    mut of_second: impl FnMut(usize),
) {
    let both = first.len().min(second.len());
    for (a, b) in first.clone().zip(second.clone()) {
        of_first(a);
        of_second(b);
    }
    first.skip(both).for_each(of_first);
    second.skip(both).for_each(of_second);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn pool() -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.unwrap_or_else(|why| panic!("{why}"))
    }

    /// Index and sum before it, for sizes of 0 to 4.
    #[test]
    fn sums_of_all_indices_before_whoever_shares() {
        let size = |index: usize| index * 7 % 5;
        for count in [0, 1, 2, 5, 100, 1001] {
            let find = || {
                let mut found = vec![usize::MAX; count];
                let places = SharedSlice::new(&mut found);
                let all = with_sums(
                    count,
                    4,
                    |range| range.map(size).sum(),
                    |range, mut sum| {
                        for index in range {
                            // SAFETY: ranges do not overlap.
                            #[allow(unsafe_code, reason = "ranges do not overlap")]
                            unsafe {
                                places.write(index, sum);
                            }
                            sum += size(index);
                        }
                        sum
                    },
                );
                (all, found)
            };
            let sum_below = |end: usize| (0..end).map(size).sum::<usize>();
            let (sum, before) = (sum_below(count), (0..count).map(sum_below));
            let before: Vec<usize> = before.collect();
            assert_eq!(find(), (sum, before.clone()));
            assert_eq!(pool().install(find), (sum, before.clone()));
            assert_eq!(pool().install(|| together(3, |_| find())), (sum, before));
        }
    }

    #[test]
    fn sorts_by_counts_as_a_stable_sort_does_whoever_shares() {
        let mut sort = CountingSort::default();
        for (count, keys) in [
            (0, 0),
            (0, 3),
            (1, 1),
            (5, 3),
            (100, 1),
            (1001, 7),
            (20, 300),
        ] {
            let key = |index: usize| index * index % 31 % keys;
            let mut expected: Vec<u32> = (0..count as u32).collect();
            expected.sort_by_key(|&index| key(index as usize));
            let mut check = || {
                let mut order = vec![7; 3];
                sort.sort((count, 4), keys, key, &mut order);
                assert_eq!(order, expected);
                for one in 0..keys {
                    let range = sort.range(one..one + 1);
                    let of_key = &order[range.start as usize..range.end as usize];
                    assert!(of_key.iter().all(|&index| key(index as usize) == one));
                }
                assert_eq!(sort.range(0..keys), 0..count as u32);
            };
            check();
            pool().install(&mut check);
            pool().install(|| together(3, |_| check()));
        }
    }
}
