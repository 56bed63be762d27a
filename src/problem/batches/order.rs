//! The order of the blocks: colour after colour, the remainder last; and how it is kept from packing
//! to packing.

use super::{Packed, Remainder};
use crate::constants::{KEPT_ORDERS, MAX_COLORING_COLORS};
use crate::problem::coloring::{BodyPair, Coloring, Group};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many orders were made so far, by anybody: what numbers them.
static ORDERS_MADE: AtomicU64 = AtomicU64::new(0);

/// What is one copy of its bodies in the remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// A block by itself.
    Block,
    /// All blocks of a group.
    Group,
}

/// Where contacts or joint rows go; the parts are those of [`Packed`].
#[derive(Debug, Clone, Default)]
struct Order {
    source: Vec<u32>,
    group_starts: Vec<u32>,
    colors: Vec<Range<u32>>,
    remainder: Remainder,
}

/// An order, and what it was made for.
#[derive(Debug, Clone, Default)]
struct KeptOrder {
    /// Number of the order; see [`Packed::order`].
    number: u64,
    /// The two bodies of each contact or joint row.
    pairs: Vec<[u32; 2]>,
    /// Which bodies are movable.
    movable: Vec<bool>,
    max_colors: usize,
    order: Order,
}

/// The last orders of contacts or of joint rows, and the memory that they are made in.
///
/// A step solves for velocities and for positions in turn, each with contacts of its own: more than
/// one order is kept, so that either finds its last one.
#[derive(Debug, Clone, Default)]
pub(super) struct Orders {
    /// The most recently used first; the parts of that one are in the [`Packed`].
    kept: Vec<KeptOrder>,
    coloring: Coloring,
    scratch: Scratch,
}

/// Memory of the remainder.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// Bodies of each element.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Slots of each body.
    pub(super) counts: Vec<u32>,
    /// Next slot of each body.
    pub(super) next: Vec<u32>,
}

impl Orders {
    /// Puts `items` in order in `packed`: as one of the last times, if their pairs, the movable bodies
    /// and the number of colours are the same, or anew.
    pub(super) fn arrange<T: BodyPair, Block, Impulse>(
        &mut self,
        packed: &mut Packed<Block, Impulse>,
        items: &[T],
        movable: &[bool],
        max_colors: usize,
        element: Element,
    ) {
        if let Some(last) = self.kept.first_mut() {
            last.order.exchange(packed);
        }
        let fitting = self
            .kept
            .iter()
            .position(|kept| kept.fits(items, movable, max_colors));
        if let Some(at) = fitting {
            self.kept[..=at].rotate_right(1);
        } else {
            if self.kept.len() < KEPT_ORDERS {
                self.kept.push(KeptOrder::default());
            }
            self.kept.rotate_right(1);
            let kept = &mut self.kept[0];
            kept.number = ORDERS_MADE.fetch_add(1, Ordering::Relaxed) + 1;
            kept.pairs.clear();
            kept.pairs.extend(items.iter().map(BodyPair::body_pair));
            kept.movable.clear();
            kept.movable.extend_from_slice(movable);
            kept.max_colors = max_colors;
            self.coloring.color(movable, &kept.pairs, max_colors);
            let groups = &self.coloring.groups;
            kept.order
                .remake(groups, &kept.pairs, movable, element, &mut self.scratch);
        }
        if let Some(kept) = self.kept.first_mut() {
            kept.order.exchange(packed);
            packed.order = kept.number;
        }
    }
}

impl KeptOrder {
    fn fits<T: BodyPair>(&self, items: &[T], movable: &[bool], max_colors: usize) -> bool {
        self.max_colors == max_colors
            && self.pairs.len() == items.len()
            && self.movable == movable
            && self.has_pairs_of(items)
    }

    /// Compared some at a time: without a way out after each pair, and with one for lists that differ
    /// from early on.
    fn has_pairs_of<T: BodyPair>(&self, items: &[T]) -> bool {
        const SOME: usize = 64;
        self.pairs
            .chunks(SOME)
            .zip(items.chunks(SOME))
            .all(|(pairs, items)| {
                let mut differ = 0;
                for (&[a, b], item) in pairs.iter().zip(items) {
                    let [c, d] = item.body_pair();
                    differ |= (a ^ c) | (b ^ d);
                }
                differ == 0
            })
    }
}

impl Order {
    /// Exchanges the parts with those of `packed`.
    fn exchange<Block, Impulse>(&mut self, packed: &mut Packed<Block, Impulse>) {
        std::mem::swap(&mut self.source, &mut packed.source);
        std::mem::swap(&mut self.group_starts, &mut packed.group_starts);
        std::mem::swap(&mut self.colors, &mut packed.colors);
        std::mem::swap(&mut self.remainder, &mut packed.remainder);
    }

    /// A stable counting sort by colour of the groups of items between `pairs`.
    fn remake(
        &mut self,
        groups: &[Group],
        pairs: &[[u32; 2]],
        movable: &[bool],
        element: Element,
        scratch: &mut Scratch,
    ) {
        let color_count = groups
            .iter()
            .map(|group| group.color.map_or(0, |color| usize::from(color) + 1))
            .max()
            .unwrap_or(0);
        let bucket = |group: &Group| group.color.map_or(color_count, usize::from);
        // One more for the remainder, and one for the end.
        let mut next_group = [0_u32; MAX_COLORING_COLORS + 2];
        let mut next_item = [0_u32; MAX_COLORING_COLORS + 2];
        for group in groups {
            next_group[bucket(group) + 1] += 1;
            next_item[bucket(group) + 1] += group.members.len() as u32;
        }
        for at in 1..next_group.len() {
            next_group[at] += next_group[at - 1];
            next_item[at] += next_item[at - 1];
        }
        self.colors.clear();
        self.colors
            .extend((0..color_count).map(|color| next_group[color]..next_group[color + 1]));
        let (colored_groups, colored) = (next_group[color_count], next_item[color_count]);
        self.source.resize(pairs.len(), 0);
        self.group_starts.resize(groups.len() + 1, 0);
        self.group_starts[groups.len()] = pairs.len() as u32;
        for group in groups {
            let at = bucket(group);
            let (place, first) = (&mut next_group[at], &mut next_item[at]);
            self.group_starts[*place as usize] = *first;
            *place += 1;
            for item in group.members.clone() {
                self.source[*first as usize] = item;
                *first += 1;
            }
        }

        let pair_at = |block: u32| pairs[self.source[block as usize] as usize];
        scratch.pairs.clear();
        let first = match element {
            Element::Block => {
                let split = colored..pairs.len() as u32;
                scratch.pairs.extend(split.map(pair_at));
                self.group_starts.truncate(colored_groups as usize + 1);
                colored
            }
            Element::Group => {
                let starts = &self.group_starts[colored_groups as usize..groups.len()];
                scratch
                    .pairs
                    .extend(starts.iter().map(|&block| pair_at(block)));
                colored_groups
            }
        };
        self.remainder.split(movable, first, scratch);
    }
}
