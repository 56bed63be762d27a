//! Sorting the pairs that the threads found.
//!
//! Pairs are dealt into buckets of neighbouring first bodies, one stretch of a bucket for each chunk
//! of the work, and each bucket is then sorted: linear in the number of pairs as long as buckets are
//! small, and the same for any number of threads.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Least number of first bodies that share a bucket.
const BODIES: usize = 512;

/// Most buckets: each chunk counts its pairs in every one of them.
const BUCKETS: usize = 2048;

/// Up to so many pairs are sorted as they are.
const FEW: usize = 1 << 14;

/// Above this size a bucket is sorted by several threads.
const LARGE: usize = 1 << 16;

/// Memory of the sort, kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Where each chunk's next pair of each bucket goes, shape `[chunk, bucket]`.
    cursors: Vec<usize>,
    /// Pairs by bucket, the first body in the upper half. Atomic only because the chunks' stretches
    /// lie between each other; no place is written twice.
    dealt: Vec<AtomicU64>,
}

impl Order {
    /// Joins and sorts the pairs of `body_count` bodies; no pair comes twice.
    pub(super) fn sort(
        &mut self,
        body_count: usize,
        found: &[Vec<[u32; 2]>],
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let total = found.iter().map(Vec::len).sum();
        pairs.clear();
        pairs.resize(total, [0; 2]);
        if total <= FEW {
            let mut rest = pairs.as_mut_slice();
            for found in found {
                let (place, others) = rest.split_at_mut(found.len());
                place.copy_from_slice(found);
                rest = others;
            }
            pairs.sort_unstable_by_key(|&[a, b]| u64::from(a) << 32 | u64::from(b));
            return;
        }
        let bodies = BODIES.max(body_count.div_ceil(BUCKETS));
        let buckets = body_count.div_ceil(bodies);
        self.cursors.clear();
        self.cursors.resize(found.len() * buckets, 0);
        self.cursors
            .par_chunks_mut(buckets)
            .zip(found)
            .for_each(|(counts, found)| {
                for [a, _] in found {
                    counts[*a as usize / bodies] += 1;
                }
            });

        // Buckets one after the other, and in each the chunks one after the other.
        let mut ends = Vec::with_capacity(buckets);
        let mut next = 0;
        for bucket in 0..buckets {
            for cursor in self.cursors[bucket..].iter_mut().step_by(buckets) {
                let count = *cursor;
                *cursor = next;
                next += count;
            }
            ends.push(next);
        }
        self.dealt.resize_with(total, AtomicU64::default);
        let dealt = &self.dealt;
        self.cursors
            .par_chunks_mut(buckets)
            .zip(found)
            .for_each(|(cursors, found)| {
                for [a, b] in found {
                    let cursor = &mut cursors[*a as usize / bodies];
                    dealt[*cursor].store(u64::from(*a) << 32 | u64::from(*b), Relaxed);
                    *cursor += 1;
                }
            });

        let (mut from, mut rest) = (0, pairs.as_mut_slice());
        let mut slices = Vec::with_capacity(buckets);
        for to in ends {
            let (bucket, others) = rest.split_at_mut(to - from);
            slices.push((from, bucket));
            (from, rest) = (to, others);
        }
        slices
            .into_par_iter()
            .for_each_init(Vec::new, |keys: &mut Vec<u64>, (from, bucket)| {
                keys.clear();
                let dealt = &dealt[from..from + bucket.len()];
                keys.extend(dealt.iter().map(|pair| pair.load(Relaxed)));
                if keys.len() > LARGE {
                    keys.par_sort_unstable();
                } else {
                    keys.sort_unstable();
                }
                for (pair, key) in bucket.iter_mut().zip(keys) {
                    *pair = [(*key >> 32) as u32, *key as u32];
                }
            });
    }
}
