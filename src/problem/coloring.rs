//! Graph colouring of body pairs: which contacts, or joints, may be swept at the same time.
//!
//! Greedy colouring in the order of the contacts or rows, after Fratarcangeli et al. 2016 (*Vivace*) in aim
//! and after the constraint graph of Box2D v3 in form: every movable body keeps a set of the colours
//! that touch it, a pair takes the lowest colour that neither of its bodies has. Immovable bodies are
//! only read and never collide.
//!
//! A hub, a body in more pairs than there are colours to give, would open one colour, and so one
//! barrier, per pair. Hubs' pairs come last therefore and open none: they take the colours that the
//! others opened, and what finds none of these free goes to the remainder, which is solved by mass
//! splitting.

use super::{Body, Contact, JointRow};
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
/// The result depends on the order of the items and on nothing else. With `max_colors` 0
/// everything is in the remainder, which makes a sweep a Jacobi iteration.
#[must_use]
pub fn color<T: BodyPair>(bodies: &[Body], items: &[T], max_colors: usize) -> Vec<Group> {
    let mut groups = runs_of_pairs(items);
    let pair = |group: &Group| {
        items[group.members.start as usize]
            .body_pair()
            .map(|body| body as usize)
    };
    let mut degrees = vec![0_usize; bodies.len()];
    for body in groups.iter().flat_map(pair) {
        degrees[body] += usize::from(bodies[body].is_movable());
    }
    let has_hub = |group: &Group| pair(group).iter().any(|&body| degrees[body] > max_colors);

    let mut taken = vec![0_u64; bodies.len()];
    let mut take = |group: &mut Group, allowed: u64| {
        let [a, b] = pair(group);
        let used = [a, b]
            .into_iter()
            .filter(|&body| bodies[body].is_movable())
            .fold(0, |used, body| used | taken[body]);
        let free = allowed & !used;
        group.color = (free != 0).then(|| free.trailing_zeros() as u8);
        if let Some(color) = group.color {
            taken[a] |= 1 << color;
            taken[b] |= 1 << color;
        }
        group.color
    };
    let mut opened = 0;
    for group in groups.iter_mut().filter(|group| !has_hub(group)) {
        let color = take(group, first_colors(max_colors));
        opened = opened.max(color.map_or(0, |color| usize::from(color) + 1));
    }
    // A hub among nothing else still gets one colour.
    let open = opened.max(1).min(max_colors);
    for group in groups.iter_mut().filter(|group| has_hub(group)) {
        take(group, first_colors(open));
    }
    groups
}

/// Runs of consecutive items between the same two bodies, none coloured yet.
fn runs_of_pairs<T: BodyPair>(items: &[T]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(items.len());
    let mut last_pair = None;
    for (index, item) in items.iter().enumerate() {
        let index = index as u32;
        let pair = Some(item.body_pair());
        match groups.last_mut() {
            Some(group) if pair == last_pair => group.members.end = index + 1,
            _ => groups.push(Group {
                members: index..index + 1,
                color: None,
            }),
        }
        last_pair = pair;
    }
    groups
}

/// The set of the first `count` colours, one bit each.
fn first_colors(count: usize) -> u64 {
    match count {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    }
}
