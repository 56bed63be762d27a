//! Sorting the pairs that the threads found.
//!
//! Pairs are dealt into buckets of neighbouring first bodies, one stretch of a bucket for each chunk
//! of the work, and each bucket is then sorted: linear in the number of pairs as long as buckets are
//! small, and the same for any number of threads.

use crate::parallel::{Chunked, SharedSlice, for_chunks, sort_by_key};

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
}

impl Order {
    /// Joins and sorts the pairs of `body_count` bodies, of which some may come twice.
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
            pairs.sort_unstable_by_key(key);
            return;
        }
        let bodies = BODIES.max(body_count.div_ceil(BUCKETS));
        let buckets = body_count.div_ceil(bodies);
        self.cursors.clear();
        self.cursors.resize(found.len() * buckets, 0);
        let count = (Chunked(SharedSlice::new(&mut self.cursors), buckets), found);
        for_chunks(count, 1, |_, (counts, found)| {
            for (counts, found) in counts.chunks_mut(buckets).zip(found) {
                for [a, _] in found {
                    counts[*a as usize / bodies] += 1;
                }
            }
        });

        // Buckets one after the other, and in each the chunks one after the other.
        let mut starts = vec![0; buckets + 1];
        let mut next = 0;
        for bucket in 0..buckets {
            for cursor in self.cursors[bucket..].iter_mut().step_by(buckets) {
                let count = *cursor;
                *cursor = next;
                next += count;
            }
            starts[bucket + 1] = next;
        }
        let dealt = SharedSlice::new(pairs);
        let deal = (Chunked(SharedSlice::new(&mut self.cursors), buckets), found);
        for_chunks(deal, 1, |_, (cursors, found)| {
            for (cursors, found) in cursors.chunks_mut(buckets).zip(found) {
                for &[a, b] in found {
                    let cursor = &mut cursors[a as usize / bodies];
                    // SAFETY: each chunk has a stretch of its own in each bucket, as long as it counted.
                    #[allow(unsafe_code, reason = "chunks' stretches are disjoint")]
                    unsafe {
                        dealt.write(*cursor, [a, b]);
                    }
                    *cursor += 1;
                }
            }
        });

        for_chunks(&starts[1..], 1, |first, ends| {
            for (at, &end) in ends.iter().enumerate() {
                let start = starts[first + at];
                // SAFETY: buckets are disjoint, and each comes once.
                #[allow(unsafe_code, reason = "buckets are disjoint")]
                let bucket = unsafe { dealt.range(start..end) };
                if bucket.len() <= LARGE {
                    bucket.sort_unstable_by_key(key);
                }
            }
        });
        for (&start, &end) in starts.iter().zip(&starts[1..]) {
            if end - start > LARGE {
                sort_by_key(&mut pairs[start..end], LARGE / 8, key);
            }
        }
    }
}

fn key(&[a, b]: &[u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}
