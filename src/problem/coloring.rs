//! Graph colouring of body pairs: which contacts, or joints, may be swept at the same time.
//!
//! Greedy colouring, after Fratarcangeli et al. 2016 (*Vivace*) in aim and after the constraint graph of
//! Box2D v3 in form: every movable body keeps a set of the colours that touch it, a pair takes the lowest
//! colour that neither of its bodies has. Immovable bodies are only read and never collide.
//!
//! Pairs of contacts take their colours in a scattered order. In the order of the problem, which mostly is that
//! in which a scene was built, every brick of a wall would be pushed from its left before its right in every
//! sweep, all by the same error: walls would creep along, and need twice the sweeps to stand. What few sweeps
//! leave over now points here and there, and adds up to little.
//!
//! A hub, a body in more pairs than there are colours to give, would open one colour, and so one
//! barrier, per pair. Hubs' pairs come last therefore and open none: they take the colours that the
//! others opened, and what finds none of these free goes to the remainder, which is solved by mass
//! splitting.

pub use super::runs::BodyPair;

use super::Body;
use super::runs::{PairKey, Runs, bodies_of};
use crate::constants::{COLORING_ROUNDS, MAX_COLORING_COLORS, SORTED_PAIRS_PER_THREAD};
use crate::parallel::CountingSort;
use std::ops::Range;

/// A run of consecutive contacts, or joint rows, between the same two bodies, and its colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Range of the group in the problem's contacts or joint rows.
    pub members: Range<u32>,
    /// Colour, or `None` in the remainder.
    pub color: Option<u8>,
}

/// Colours the runs of `items` between equal pairs with at most `max_colors` (at most 64) colours.
///
/// The result depends on the items and their order, and on nothing else. With `max_colors` 0
/// everything is in the remainder, which makes a sweep a Jacobi iteration.
#[must_use]
pub fn color<T: BodyPair>(bodies: &[Body], items: &[T], max_colors: usize) -> Vec<Group> {
    let movable: Vec<bool> = bodies.iter().map(Body::is_movable).collect();
    let (mut runs, mut coloring) = (Runs::default(), Coloring::default());
    runs.find(items);
    coloring.color(&movable, runs.pairs(), max_colors, T::IS_SCATTERED);
    runs.starts()
        .windows(2)
        .zip(coloring.colors)
        .map(|(members, color)| Group {
            members: members[0]..members[1],
            color: (color != NO_COLOR).then_some(color),
        })
        .collect()
}

/// Colour of what is in the remainder.
pub(super) const NO_COLOR: u8 = MAX_COLORING_COLORS as u8;

/// A colouring, and the memory that it is made in.
#[derive(Debug, Clone, Default)]
pub(super) struct Coloring {
    /// Colour of each group, or [`NO_COLOR`].
    pub(super) colors: Vec<u8>,
    /// Colours that some group has.
    pub(super) color_count: usize,
    /// Groups of each body; shape `[body_count]`.
    degrees: Vec<u32>,
    /// The set of colours at each movable body, one bit each; shape `[body_count]`.
    taken: Vec<u64>,
    /// The groups in the order in which they take colours.
    visits: Vec<u32>,
    rounds: CountingSort,
}

impl Coloring {
    /// Colours groups between `pairs`; see [`color`].
    pub(super) fn color(
        &mut self,
        movable: &[bool],
        pairs: &[PairKey],
        max_colors: usize,
        is_scattered: bool,
    ) {
        self.visits.clear();
        if is_scattered {
            self.rounds.sort(
                (pairs.len(), SORTED_PAIRS_PER_THREAD),
                COLORING_ROUNDS,
                |group| round_of(pairs[group]),
                &mut self.visits,
            );
        } else {
            self.visits.extend(0..pairs.len() as u32);
        }
        self.colors.clear();
        self.colors.resize(pairs.len(), NO_COLOR);
        let allowed = first_colors(max_colors);
        let all = self.give(pairs, movable, allowed, |_| true);
        self.color_count = count_of(all);
        if all >> NO_COLOR == 0 {
            // A hub would have been left without some colour.
            return;
        }
        self.count_degrees(pairs);
        let degrees = std::mem::take(&mut self.degrees);
        let is_hub =
            |body: u32| movable[body as usize] && degrees[body as usize] as usize > max_colors;
        let has_hub = |[a, b]: [u32; 2]| is_hub(a) || is_hub(b);
        if pairs.iter().any(|&pair| has_hub(bodies_of(pair))) {
            self.colors.fill(NO_COLOR);
            let others = self.give(pairs, movable, allowed, |pair| !has_hub(pair));
            // A hub among nothing else still gets one colour.
            let open = first_colors(count_of(others).max(1).min(max_colors));
            let hubs = self.give_more(pairs, movable, open, has_hub);
            self.color_count = count_of(others | hubs);
        }
        self.degrees = degrees;
    }

    /// Gives some groups their colours, nobody having any yet. Returns the set of all that were given,
    /// [`NO_COLOR`] included.
    fn give(
        &mut self,
        pairs: &[PairKey],
        movable: &[bool],
        allowed: u64,
        is_among: impl Fn([u32; 2]) -> bool,
    ) -> u128 {
        self.taken.clear();
        self.taken.resize(movable.len(), 0);
        self.give_more(pairs, movable, allowed, is_among)
    }

    /// Gives some groups their colours, beside those of others.
    fn give_more(
        &mut self,
        pairs: &[PairKey],
        movable: &[bool],
        allowed: u64,
        is_among: impl Fn([u32; 2]) -> bool,
    ) -> u128 {
        let (mut given, mut has_none) = (0_u64, false);
        for &visit in &self.visits {
            let pair = bodies_of(pairs[visit as usize]);
            if is_among(pair) {
                let lowest = take(&mut self.taken, movable, pair, allowed);
                given |= lowest;
                has_none |= lowest == 0;
                // One past the last bit if there is none.
                self.colors[visit as usize] = lowest.trailing_zeros() as u8;
            }
        }
        u128::from(given) | u128::from(has_none) << NO_COLOR
    }

    /// Counts the groups of each body.
    fn count_degrees(&mut self, pairs: &[PairKey]) {
        self.degrees.clear();
        self.degrees.resize(self.taken.len(), 0);
        for body in pairs.iter().flat_map(|&pair| bodies_of(pair)) {
            self.degrees[body as usize] += 1;
        }
    }
}

/// In which round a pair takes its colour: any of them, as if by chance, and always the same.
#[inline]
fn round_of(pair: PairKey) -> usize {
    // An odd number near 2^64 over the golden ratio: the upper bits of the product are of all bits of the
    // pair.
    let mixed = pair.rotate_left(32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (u64::BITS - COLORING_ROUNDS.ilog2())) as usize
}

/// Gives a pair the lowest of the `allowed` colours that neither of its bodies has; nothing if there is
/// none.
#[inline(always)]
fn take(taken: &mut [u64], movable: &[bool], pair: [u32; 2], allowed: u64) -> u64 {
    let [a, b] = pair.map(|body| body as usize);
    let free = allowed & !(taken[a] | taken[b]);
    let lowest = free & free.wrapping_neg();
    // Immovable bodies never take a colour.
    taken[a] |= lowest & u64::from(movable[a]).wrapping_neg();
    taken[b] |= lowest & u64::from(movable[b]).wrapping_neg();
    lowest
}

/// Number of colours up to the highest of a set, in which [`NO_COLOR`] does not count.
fn count_of(colors: u128) -> usize {
    let colors = colors as u64;
    (u64::BITS - colors.leading_zeros()) as usize
}

/// The set of the first `count` colours, one bit each.
fn first_colors(count: usize) -> u64 {
    match count {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    }
}
