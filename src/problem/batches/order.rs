//! The order of the blocks: colour after colour, the remainder last; and how it is kept from packing
//! to packing.

use super::remainder::Scratch;
use super::{Packed, Remainder};
use crate::constants::{KEPT_ORDERS, MAX_COLORING_COLORS, SORTED_PAIRS_PER_THREAD};
use crate::parallel::{self, CountingSort, SharedSlice, with_sums};
use crate::problem::coloring::{BodyPair, Coloring};
use crate::problem::runs::{PairKey, Runs, bodies_of};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many orders and colourings were made so far, by anybody: what numbers them.
static ORDERS_MADE: AtomicU64 = AtomicU64::new(0);

/// A number that no other order or colouring has.
fn new_number() -> u64 {
    ORDERS_MADE.fetch_add(1, Ordering::Relaxed) + 1
}

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

/// Groups, colour after colour, and what they were coloured for. How many members each has does not matter.
#[derive(Debug, Clone, Default)]
struct ColoredGroups {
    /// Number of the colouring; see [`Packed::coloring`].
    number: u64,
    /// The two bodies of each group, in the order of the items.
    pairs: Vec<PairKey>,
    /// Which bodies are movable.
    movable: Vec<bool>,
    max_colors: usize,
    /// False if some pair is not of two bodies that exist.
    is_sound: bool,
    /// Groups by colour, the remainder's last.
    groups: Vec<u32>,
    /// Where those of each colour are.
    colors: Vec<Range<u32>>,
}

/// An order, and what it was made for.
#[derive(Debug, Clone, Default)]
struct KeptOrder {
    /// Number of the order; see [`Packed::order`].
    number: u64,
    colored: ColoredGroups,
    /// First item of each group, and one past the last.
    starts: Vec<u32>,
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
    runs: Runs,
    coloring: Coloring,
    by_color: CountingSort,
    scratch: Scratch,
}

/// Items of a group that are written at once: most manifolds have no more points.
const SOME_ITEMS: usize = 4;

impl Orders {
    /// Puts `items` in order in `packed`: as one of the last times, if their pairs, the movable bodies
    /// and the number of colours are the same, or anew; with the colours of one of the last times if only
    /// the numbers of items between pairs are others. False if some item is not between two bodies that
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
        self.runs.find(items);
        let runs = &self.runs;
        let has_colors = |kept: &KeptOrder| kept.colored.fits(runs.pairs(), movable, max_colors);
        let fits = |kept: &KeptOrder| kept.starts == runs.starts() && has_colors(kept);
        if let Some(at) = self.kept.iter().position(fits) {
            self.kept[..=at].rotate_right(1);
        } else {
            let colored = self.kept.iter().position(has_colors);
            if self.kept.len() < KEPT_ORDERS {
                self.kept.push(KeptOrder::default());
            }
            // The one that was used least recently makes room, and is its own example if it has the colours.
            let oldest = self.kept.len() - 1;
            self.kept.rotate_right(1);
            if let [kept, others @ ..] = &mut self.kept[..] {
                match colored {
                    Some(at) if at == oldest => {}
                    Some(at) => kept.colored.copy(&others[at].colored),
                    None => kept.colored.remake(
                        runs.pairs(),
                        movable,
                        (max_colors, T::IS_SCATTERED),
                        (&mut self.coloring, &mut self.by_color),
                    ),
                }
                kept.number = new_number();
                kept.starts.clear();
                if kept.colored.is_there() {
                    kept.starts.extend_from_slice(runs.starts());
                } else {
                    kept.starts.push(0);
                }
                kept.order
                    .remake(&kept.colored, &kept.starts, element, &mut self.scratch);
            }
        }
        self.kept.first_mut().is_some_and(|kept| {
            kept.order.exchange(packed);
            packed.order = kept.number;
            packed.coloring = kept.colored.number;
            kept.colored.is_sound
        })
    }
}

impl ColoredGroups {
    fn fits(&self, pairs: &[PairKey], movable: &[bool], max_colors: usize) -> bool {
        self.max_colors == max_colors && self.pairs == pairs && self.movable == movable
    }

    /// Takes over others, into the memory that is there.
    fn copy(&mut self, other: &Self) {
        self.number = other.number;
        self.pairs.clone_from(&other.pairs);
        self.movable.clone_from(&other.movable);
        self.max_colors = other.max_colors;
        self.is_sound = other.is_sound;
        self.groups.clone_from(&other.groups);
        self.colors.clone_from(&other.colors);
    }

    /// True if all bodies of the pairs exist; else there are no groups.
    fn is_there(&self) -> bool {
        self.max_colors != usize::MAX
    }

    /// Colours groups between `pairs`, and sorts them by colour. If the bodies of some do not exist, there is
    /// nothing to be coloured.
    fn remake(
        &mut self,
        pairs: &[PairKey],
        movable: &[bool],
        (max_colors, is_scattered): (usize, bool),
        (coloring, by_color): (&mut Coloring, &mut CountingSort),
    ) {
        let look = |_, pairs: &[PairKey]| {
            let (mut same, mut largest) = (false, 0);
            for &pair in pairs {
                let [a, b] = bodies_of(pair);
                same |= a == b;
                largest = a.max(b).max(largest);
            }
            (same, largest)
        };
        let (same, largest) =
            parallel::fold(pairs, SORTED_PAIRS_PER_THREAD, (false, 0), look, |p, q| {
                (p.0 | q.0, p.1.max(q.1))
            });
        let is_missing = !pairs.is_empty() && largest as usize >= movable.len();
        self.is_sound = !(same || is_missing);
        self.movable.clear();
        self.movable.extend_from_slice(movable);
        self.pairs.clear();
        if is_missing {
            // Fits nothing.
            self.max_colors = usize::MAX;
        } else {
            self.max_colors = max_colors;
            self.pairs.extend_from_slice(pairs);
        }
        self.number = new_number();
        coloring.color(movable, &self.pairs, max_colors, is_scattered);
        self.sort(coloring, by_color);
    }

    /// Sorts the groups by colour.
    fn sort(&mut self, coloring: &Coloring, by_color: &mut CountingSort) {
        let colors = &coloring.colors;
        by_color.sort(
            (colors.len(), SORTED_PAIRS_PER_THREAD),
            // One more for the remainder.
            MAX_COLORING_COLORS + 1,
            |group| usize::from(colors[group]),
            &mut self.groups,
        );
        self.colors.clear();
        self.colors
            .extend((0..coloring.color_count).map(|color| by_color.range(color..color + 1)));
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

    /// Puts the items of groups, which begin at `starts`, in the order of the groups.
    fn remake(
        &mut self,
        colored: &ColoredGroups,
        starts: &[u32],
        element: Element,
        scratch: &mut Scratch,
    ) {
        let ColoredGroups {
            pairs,
            movable,
            groups,
            colors,
            ..
        } = colored;
        self.colors.clone_from(colors);
        let colored_groups = colors.last().map_or(0, |color| color.end as usize);
        let items = starts.last().map_or(0, |&end| end as usize);
        self.source.resize(items, 0);
        self.group_starts.resize(groups.len() + 1, 0);
        let source = SharedSlice::new(&mut self.source);
        let places = SharedSlice::new(&mut self.group_starts);
        let count_of = |group: u32| (starts[group as usize + 1] - starts[group as usize]) as usize;
        with_sums(
            groups.len(),
            SORTED_PAIRS_PER_THREAD,
            |range| groups[range].iter().map(|&group| count_of(group)).sum(),
            |range, mut end| {
                for at in range.clone() {
                    let (first, count) = (starts[groups[at] as usize], count_of(groups[at]));
                    // Some are written at once, without a jump that depends on how many a group has, if so many are to come in
                    // this range: of each group one at least.
                    let some = if at + SOME_ITEMS <= range.end {
                        SOME_ITEMS
                    } else {
                        count
                    };
                    // SAFETY: ranges of groups have no item in common.
                    #[allow(unsafe_code, reason = "ranges of groups have no item in common")]
                    let put = |items: Range<usize>| unsafe {
                        let places = source.range(end + items.start..end + items.end);
                        for (item, place) in (first + items.start as u32..).zip(places) {
                            *place = item;
                        }
                    };
                    put(0..some);
                    if count > some {
                        put(some..count);
                    }
                    // SAFETY: ranges of groups do not overlap.
                    #[allow(unsafe_code, reason = "ranges of groups do not overlap")]
                    unsafe {
                        places.write(at, end as u32);
                    }
                    end += count;
                }
                end
            },
        );
        self.group_starts[groups.len()] = items as u32;

        scratch.pairs.clear();
        let split = groups[colored_groups..]
            .iter()
            .map(|&group| (group as usize, bodies_of(pairs[group as usize])));
        let first = match element {
            Element::Block => {
                scratch.pairs.extend(split.flat_map(|(group, pair)| {
                    let count = starts[group + 1] - starts[group];
                    std::iter::repeat_n(pair, count as usize)
                }));
                self.group_starts.truncate(colored_groups + 1);
                self.group_starts[colored_groups]
            }
            Element::Group => {
                scratch.pairs.extend(split.map(|(_, pair)| pair));
                colored_groups as u32
            }
        };
        self.remainder.split(movable, first, scratch);
    }
}
