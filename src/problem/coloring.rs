//! Graph colouring of body pairs: which contacts, or joints, may be swept at the same time.
//!
//! Greedy colouring, after Fratarcangeli et al. 2016 (*Vivace*) in aim and after the constraint graph of
//! Box2D v3 in form: every movable body keeps a set of the colours that touch it, a pair takes the lowest
//! colour that neither of its bodies has. Immovable bodies are only read and never collide.
//!
//! Pairs take their colours in a scattered order. In the order of the problem, which mostly is that in which
//! a scene was built, every brick of a wall would be pushed from its left before its right in every
//! sweep, all by the same error: walls crept along, and stood in no less than twice the sweeps. What is
//! left over by few sweeps now points here and there, and adds up to nothing.
//!
//! A hub, a body in more pairs than there are colours to give, would open one colour, and so one
//! barrier, per pair. Hubs' pairs come last therefore and open none: they take the colours that the
//! others opened, and what finds none of these free goes to the remainder, which is solved by mass
//! splitting.

use super::{Body, Contact, JointRow};
use crate::constants::COLORING_ROUNDS;
use std::ops::Range;

/// Something that acts between two bodies.
pub trait BodyPair {
    /// Indices of body A and body B.
    fn body_pair(&self) -> [u32; 2];
}

impl BodyPair for Contact {
    fn body_pair(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }
}

impl BodyPair for JointRow {
    fn body_pair(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }
}

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
    let pairs: Vec<[u32; 2]> = items.iter().map(BodyPair::body_pair).collect();
    let mut coloring = Coloring::default();
    coloring.color(&movable, &pairs, max_colors);
    coloring.groups
}

/// A colouring, and the memory that it is made in.
#[derive(Debug, Clone, Default)]
pub(super) struct Coloring {
    /// The groups in the order of their members.
    pub(super) groups: Vec<Group>,
    /// Groups of each movable body; shape `[body_count]`.
    degrees: Vec<u32>,
    /// The set of colours at each movable body, one bit each; shape `[body_count]`.
    taken: Vec<u64>,
    /// The groups in the order in which they take colours.
    visits: Vec<u32>,
}

impl Coloring {
    /// Colours the runs of equal `pairs`; see [`color`].
    pub(super) fn color(&mut self, movable: &[bool], pairs: &[[u32; 2]], max_colors: usize) {
        self.find_runs(movable, pairs);
        self.scatter(pairs);
        self.taken.clear();
        self.taken.resize(movable.len(), 0);
        let degrees = &self.degrees;
        let has_hub =
            |[a, b]: [u32; 2]| degrees[a as usize].max(degrees[b as usize]) as usize > max_colors;
        let mut hubs = false;
        let mut opened = 0;
        let allowed = first_colors(max_colors);
        for &visit in &self.visits {
            let group = &mut self.groups[visit as usize];
            let pair = pairs[group.members.start as usize];
            if has_hub(pair) {
                hubs = true;
            } else if let Some(color) = take(&mut self.taken, movable, pair, allowed) {
                opened = opened.max(usize::from(color) + 1);
                group.color = Some(color);
            }
        }
        if !hubs {
            return;
        }
        // A hub among nothing else still gets one colour.
        let open = first_colors(opened.max(1).min(max_colors));
        for &visit in &self.visits {
            let group = &mut self.groups[visit as usize];
            let pair = pairs[group.members.start as usize];
            if has_hub(pair) {
                group.color = take(&mut self.taken, movable, pair, open);
            }
        }
    }

    /// Sorts the groups by their rounds.
    fn scatter(&mut self, pairs: &[[u32; 2]]) {
        let round = |group: &Group| round_of(pairs[group.members.start as usize]);
        let mut next = [0_u32; COLORING_ROUNDS + 1];
        for group in &self.groups {
            next[round(group) + 1] += 1;
        }
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        self.visits.clear();
        self.visits.resize(self.groups.len(), 0);
        for (index, group) in (0..).zip(&self.groups) {
            let place = &mut next[round(group)];
            self.visits[*place as usize] = index;
            *place += 1;
        }
    }

    /// Finds the runs of equal pairs, none coloured yet, and how many are at each movable body.
    fn find_runs(&mut self, movable: &[bool], pairs: &[[u32; 2]]) {
        self.groups.clear();
        self.degrees.clear();
        self.degrees.resize(movable.len(), 0);
        let mut start = 0;
        for run in pairs.chunk_by(|a, b| a == b) {
            let end = start + run.len() as u32;
            self.groups.push(Group {
                members: start..end,
                color: None,
            });
            start = end;
            for body in run[0] {
                self.degrees[body as usize] += u32::from(movable[body as usize]);
            }
        }
    }
}

/// In which round a pair takes its colour: any of them, as if by chance, and always the same.
#[inline]
fn round_of([a, b]: [u32; 2]) -> usize {
    // An odd number near 2^64 over the golden ratio: the upper bits of the product are of all bits of the
    // pair.
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (u64::BITS - COLORING_ROUNDS.ilog2())) as usize
}

/// Gives a pair the lowest of the `allowed` colours that neither of its bodies has, if there is one.
#[inline]
fn take(taken: &mut [u64], movable: &[bool], pair: [u32; 2], allowed: u64) -> Option<u8> {
    let [a, b] = pair.map(|body| body as usize);
    // Immovable bodies never take a colour.
    let free = allowed & !(taken[a] | taken[b]);
    if free == 0 {
        return None;
    }
    let color = free.trailing_zeros();
    taken[a] |= u64::from(movable[a]) << color;
    taken[b] |= u64::from(movable[b]) << color;
    Some(color as u8)
}

/// The set of the first `count` colours, one bit each.
fn first_colors(count: usize) -> u64 {
    match count {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    }
}
