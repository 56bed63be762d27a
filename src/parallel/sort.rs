//! Sorting a slice by several threads.

use super::{Chunked, SharedSlice, for_chunks, grain, is_shared, threads, together};

/// Sorts by a key that no two elements share, so that there is one order whatever the number of threads. `least`
/// is how many elements are worth waking a thread for.
///
/// Halves are told apart, then the halves of these, until there is a part for each thread to sort.
pub(crate) fn sort_by_key<T: Send + Sync, K: Ord>(
    elements: &mut [T],
    least: usize,
    key: impl Fn(&T) -> K + Sync,
) {
    let threads = if is_shared(elements.len(), least) {
        threads()
    } else {
        1
    };
    let most = elements.len() / grain(least);
    let levels = threads.next_power_of_two().min(most.max(1)).ilog2();
    together(threads, |_| {
        let smallest = elements.len().div_ceil(1 << levels).max(1);
        for level in (0..=levels).rev() {
            let size = smallest << level;
            let slices = Chunked(SharedSlice::new(elements), size);
            for_chunks(slices, 1, |_, elements| {
                for part in elements.chunks_mut(size) {
                    if level == 0 {
                        part.sort_unstable_by_key(&key);
                    } else if size / 2 < part.len() {
                        part.select_nth_unstable_by_key(size / 2, &key);
                    }
                }
            });
        }
    });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sorts_any_number_of_elements_whoever_shares() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.expect("threads");
        // Miri has patience for the first of these only.
        let counts = [5, 8, 0, 1, 2, 3, 4, 7, 100, 1001];
        for count in counts.into_iter().take(if cfg!(miri) { 2 } else { 10 }) {
            // A permutation, as 7919 is a prime that divides none of these.
            let mixed = || {
                (0..count)
                    .map(|at| at * 7919 % count)
                    .collect::<Vec<usize>>()
            };
            for least in [0, 1, 3, 1000] {
                let mut elements = mixed();
                pool.install(|| sort_by_key(&mut elements, least, |&element| element));
                assert!(elements.into_iter().eq(0..count));
                let mut elements = mixed();
                pool.install(|| {
                    together(3, |_| {
                        sort_by_key(&mut elements, least, |&element| count - element);
                    });
                });
                assert!(elements.into_iter().eq((0..count).rev()));
            }
        }
    }
}
