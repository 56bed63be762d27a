//! The order of the blocks: colour after colour, the remainder last; and how it is kept from packing
//! to packing.

use super::{Packed, Remainder};
use crate::constants::{KEPT_ORDERS, MAX_COLORING_COLORS};
use crate::problem::coloring::{BodyPair, Coloring, NO_COLOR};
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
    /// False if some pair is not of two bodies that exist.
    is_sound: bool,
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

/// Items of a group that are written at once: most manifolds have no more points.
const SOME_ITEMS: usize = 4;

/// Memory of orders in the making.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// Groups, colour after colour.
    groups: Vec<u32>,
    /// Bodies of each element.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Slots of each body.
    pub(super) counts: Vec<u32>,
    /// Next slot of each body.
    pub(super) next: Vec<u32>,
}

impl Orders {
    /// Puts `items` in order in `packed`: as one of the last times, if their pairs, the movable bodies
    /// and the number of colours are the same, or anew. False if some item is not between two bodies that
    /// exist.
    pub(super) fn arrange<T: BodyPair, Block, Impulse>(
        &mut self,
        packed: &mut Packed<Block, Impulse>,
        items: &[T],
        movable: &[bool],
        max_colors: usize,
        element: Element,
    ) -> bool {
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
            kept.movable.clear();
            kept.movable.extend_from_slice(movable);
            kept.max_colors = max_colors;
            kept.take_pairs(items);
            self.coloring
                .color(movable, &kept.pairs, max_colors, T::IS_SCATTERED);
            let coloring = &self.coloring;
            kept.order
                .remake(coloring, &kept.pairs, movable, element, &mut self.scratch);
        }
        self.kept.first_mut().is_some_and(|kept| {
            kept.order.exchange(packed);
            packed.order = kept.number;
            kept.is_sound
        })
    }
}

impl KeptOrder {
    /// Takes the pairs of items, and finds out if each is of two bodies that exist. If some do not, there is
    /// nothing to be put in order.
    fn take_pairs<T: BodyPair>(&mut self, items: &[T]) {
        let (mut same, mut largest) = (false, 0);
        self.pairs.clear();
        self.pairs.extend(items.iter().map(|item| {
            let [a, b] = item.body_pair();
            same |= a == b;
            largest = a.max(b).max(largest);
            [a, b]
        }));
        let is_missing = !items.is_empty() && largest as usize >= self.movable.len();
        self.is_sound = !(same || is_missing);
        if is_missing {
            self.pairs.clear();
            // Fits nothing.
            self.max_colors = usize::MAX;
        }
    }

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
        coloring: &Coloring,
        pairs: &[[u32; 2]],
        movable: &[bool],
        element: Element,
        scratch: &mut Scratch,
    ) {
        let Coloring {
            starts,
            colors,
            color_count,
            ..
        } = coloring;
        let group_count = colors.len();
        // One more for the remainder.
        let mut next = [0_u32; MAX_COLORING_COLORS + 1];
        for &color in colors {
            next[usize::from(color)] += 1;
        }
        let mut first = 0;
        for next in &mut next {
            let count = *next;
            *next = first;
            first += count;
        }
        self.colors.clear();
        self.colors
            .extend((0..*color_count).map(|color| next[color]..next[color + 1]));
        let colored_groups = next[usize::from(NO_COLOR)];
        scratch.groups.resize(group_count, 0);
        for (group, &color) in colors.iter().enumerate() {
            let place = &mut next[usize::from(color)];
            scratch.groups[*place as usize] = group as u32;
            *place += 1;
        }
        // Room to write some items at once, without a jump that depends on how many a group has.
        self.source.resize(pairs.len() + SOME_ITEMS, 0);
        self.group_starts.resize(group_count + 1, 0);
        let mut end = 0;
        for (place, &group) in self.group_starts.iter_mut().zip(&scratch.groups) {
            let (first, last) = (starts[group as usize], starts[group as usize + 1]);
            *place = end as u32;
            let source = &mut self.source[end..];
            for (at, source) in source[..SOME_ITEMS].iter_mut().enumerate() {
                *source = first + at as u32;
            }
            let count = (last - first) as usize;
            if count > SOME_ITEMS {
                for (item, source) in (first..last).zip(source) {
                    *source = item;
                }
            }
            end += count;
        }
        self.source.truncate(pairs.len());
        self.group_starts[group_count] = pairs.len() as u32;
        let colored = self.group_starts[colored_groups as usize];

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
                let starts = &self.group_starts[colored_groups as usize..group_count];
                scratch
                    .pairs
                    .extend(starts.iter().map(|&block| pair_at(block)));
                colored_groups
            }
        };
        self.remainder.split(movable, first, scratch);
    }
}
