//! Runs of consecutive items between the same two bodies: all contacts of a pair, all rows of a joint.

use super::{Contact, JointRow};
use crate::constants::SORTED_PAIRS_PER_THREAD;
use crate::parallel::{SharedSlice, with_sums};

/// Something that acts between two bodies.
pub trait BodyPair: Sync {
    /// True if pairs take colours in a scattered order; else in the order that they come in, by which chains
    /// need two colours.
    const IS_SCATTERED: bool;

    /// Indices of body A and body B.
    fn body_pair(&self) -> [u32; 2];
}

impl BodyPair for Contact {
    const IS_SCATTERED: bool = true;

    fn body_pair(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }
}

impl BodyPair for JointRow {
    const IS_SCATTERED: bool = false;

    fn body_pair(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }
}

/// Two bodies in one word, body A in the lower half, as it is the first in memory.
pub(super) type PairKey = u64;

#[inline(always)]
fn key_of([a, b]: [u32; 2]) -> PairKey {
    u64::from(b) << 32 | u64::from(a)
}

/// Body A and body B.
#[inline(always)]
pub(super) fn bodies_of(pair: PairKey) -> [u32; 2] {
    [pair as u32, (pair >> 32) as u32]
}

/// Length of the run that an item is in: those before and after it between the same two bodies.
pub(crate) fn run_length<T>(items: &[T], at: usize, pair: impl Fn(&T) -> [u32; 2]) -> usize {
    let own = pair(&items[at]);
    let before = items[..at]
        .iter()
        .rev()
        .take_while(|item| pair(item) == own);
    let after = items[at..].iter().take_while(|item| pair(item) == own);
    before.count() + after.count()
}

/// The runs of consecutive items between the same two bodies.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    count: usize,
    /// With room for a run of each item, as is `pairs`; the first is 0.
    starts: Vec<u32>,
    pairs: Vec<PairKey>,
}

impl Runs {
    /// First item of each run, and one past the last item.
    pub(super) fn starts(&self) -> &[u32] {
        self.starts.get(..=self.count).unwrap_or(&[0])
    }

    /// The two bodies of each run.
    pub(super) fn pairs(&self) -> &[PairKey] {
        &self.pairs[..self.count]
    }

    /// Finds those of `items`.
    pub(super) fn find<T: BodyPair>(&mut self, items: &[T]) {
        if self.pairs.len() < items.len() {
            self.pairs.resize(items.len(), 0);
            self.starts.resize(items.len() + 1, 0);
        }
        let key = |index: usize| key_of(items[index].body_pair());
        let is_first = |index: usize| index == 0 || key(index) != key(index - 1);
        let (starts, pairs) = (
            SharedSlice::new(&mut self.starts),
            SharedSlice::new(&mut self.pairs),
        );
        self.count = with_sums(
            items.len(),
            SORTED_PAIRS_PER_THREAD,
            |range| range.filter(|&index| is_first(index)).count(),
            |range, runs| {
                // A run is found where it begins, to its end.
                let whole = |at: usize| (at..items.len()).find(|&at| is_first(at));
                let first = whole(range.start).unwrap_or(items.len());
                let end = whole(range.end).unwrap_or(items.len());
                let (mut next, mut last) = (runs, None);
                // Every item writes its run, whose end changes with it: a jump for each, which nobody could foresee, would
                // take longer.
                for (index, item) in (first..).zip(items.get(first..end).unwrap_or_default()) {
                    let pair = key_of(item.body_pair());
                    next += usize::from(Some(pair) != last);
                    last = Some(pair);
                    // SAFETY: runs are numbered from the first to the last, and each begins in one range.
                    #[allow(unsafe_code, reason = "each run begins in one range")]
                    unsafe {
                        pairs.write(next - 1, pair);
                        starts.write(next, index as u32 + 1);
                    }
                }
                next
            },
        );
    }
}
