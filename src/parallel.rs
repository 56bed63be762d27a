//! Loops that are shared among threads where that pays, and run as they stand where it does not: on
//! one thread, or over few elements.
//!
//! Results are the same either way, and no loop allocates but for the elements that it makes.

use rayon::prelude::*;

/// True if `count` elements are worth sharing where a thread should get `least` of them at least.
#[must_use]
pub fn is_shared(count: usize, least: usize) -> bool {
    count >= 2 * least && rayon::current_num_threads() > 1
}

/// Replaces what is in `to` by `make` of every index below `count`.
pub fn fill<T: Send>(
    to: &mut Vec<T>,
    count: usize,
    least: usize,
    make: impl Fn(usize) -> T + Sync + Send,
) {
    if is_shared(count, least) {
        (0..count)
            .into_par_iter()
            .with_min_len(least)
            .map(make)
            .collect_into_vec(to);
    } else {
        to.clear();
        to.extend((0..count).map(make));
    }
}

/// Calls `change` with every element and its index.
pub fn for_each<T: Send>(
    elements: &mut [T],
    least: usize,
    change: impl Fn(usize, &mut T) + Sync + Send,
) {
    if is_shared(elements.len(), least) {
        elements
            .par_iter_mut()
            .with_min_len(least)
            .enumerate()
            .for_each(|(index, element)| change(index, element));
    } else {
        for (index, element) in elements.iter_mut().enumerate() {
            change(index, element);
        }
    }
}
