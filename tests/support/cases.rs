//! How many random cases a test tries.

/// So many cases, or `DRYSTONE_CASES` times as many: a plain run is short, and by hand there may be more.
pub(crate) fn cases(usual: usize) -> usize {
    let factor = std::env::var("DRYSTONE_CASES").map_or(1, |factor| factor.parse().unwrap());
    factor * usual
}
