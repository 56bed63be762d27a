//! Runs of consecutive items between the same two bodies: all contacts of a pair, all rows of a joint.

use super::{Contact, JointRow};

/// Something that acts between two bodies.
pub trait BodyPair {
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
        self.count = 0;
        let Some((first, rest)) = items.split_first() else {
            return;
        };
        if self.pairs.len() < items.len() {
            self.pairs.resize(items.len(), 0);
            self.starts.resize(items.len() + 1, 0);
        }
        let (starts, pairs) = (&mut self.starts[..], &mut self.pairs[..]);
        let (mut run, mut last) = (0, key_of(first.body_pair()));
        starts[0] = 0;
        // Every item writes its run, whose place changes with the last one of it: a jump for each, which
        // nobody could foresee, would take longer.
        for (index, item) in (1..).zip(rest) {
            let pair = key_of(item.body_pair());
            pairs[run] = last;
            starts[run + 1] = index;
            run += usize::from(pair != last);
            last = pair;
        }
        pairs[run] = last;
        self.count = run + 1;
        starts[self.count] = items.len() as u32;
    }
}
