//! Coherent sort and sweep (Baraff, section 7.2).
//!
//! Along each axis the beginnings and ends of all boxes are kept as a sorted list. The first search sorts one list and sweeps it:
//! at a beginning the intervals that are active overlap the one that begins. Later searches put the lists in order by insertion, which takes
//! as many exchanges as the order has changed; only where a beginning and an end change places can two boxes have come to overlap or
//! ceased to, and only such pairs are looked at again. n boxes with c exchanges cost O(n + c).

use super::entry::{Entry, ordered};

/// A beginning or an end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    at: f64,
    /// Place of the box among the entries, and 1 in the lowest bit for an end.
    name: u32,
}

impl End {
    /// True for an end, false for a beginning.
    #[must_use]
    pub fn is_end(self) -> bool {
        self.name & 1 == 1
    }

    /// The interval, as its place among those that the line was made of.
    #[must_use]
    pub fn entry(self) -> usize {
        (self.name >> 1) as usize
    }

    /// True if it comes after the other one; beginnings come first, so that intervals that touch overlap.
    fn comes_after(self, other: Self) -> bool {
        self.at > other.at || self.at == other.at && self.is_end() && !other.is_end()
    }
}

/// The ends of all intervals along one axis, in order.
#[derive(Debug, Default)]
pub struct Line {
    ends: Vec<End>,
}

impl Line {
    /// Sorts the beginnings and ends of intervals.
    pub fn reset(&mut self, intervals: impl ExactSizeIterator<Item = (f64, f64)>) {
        self.ends.clear();
        for (place, (begin, end)) in (0..).zip(intervals) {
            self.ends.push(End {
                at: begin,
                name: 2 * place,
            });
            self.ends.push(End {
                at: end,
                name: 2 * place + 1,
            });
        }
        self.ends
            .sort_by(|a, b| a.at.total_cmp(&b.at).then(a.is_end().cmp(&b.is_end())));
    }

    /// Visits each beginning and each end in order, with the intervals that are active there: those that the one that begins overlaps,
    /// or those among which is still the one that ends.
    pub fn sweep(&self, mut visit: impl FnMut(End, &[usize])) {
        let mut active: Vec<usize> = Vec::new();
        for end in &self.ends {
            visit(*end, &active);
            if end.is_end() {
                if let Some(at) = active.iter().position(|&entry| entry == end.entry()) {
                    active.swap_remove(at);
                }
            } else {
                active.push(end.entry());
            }
        }
    }

    /// Puts the ends of moved intervals in order, and visits those pairs of intervals of which a beginning and an end change places. Returns
    /// the number of exchanges.
    pub fn update(
        &mut self,
        interval: impl Fn(usize) -> (f64, f64),
        mut visit: impl FnMut(usize, usize),
    ) -> usize {
        for end in &mut self.ends {
            let (begin, last) = interval(end.entry());
            end.at = if end.is_end() { last } else { begin };
        }
        let mut exchanges = 0;
        for place in 1..self.ends.len() {
            let moved = self.ends[place];
            let mut hole = place;
            while hole > 0 && self.ends[hole - 1].comes_after(moved) {
                let passed = self.ends[hole - 1];
                if passed.is_end() != moved.is_end() {
                    visit(passed.entry(), moved.entry());
                }
                self.ends[hole] = passed;
                hole -= 1;
                exchanges += 1;
            }
            self.ends[hole] = moved;
        }
        exchanges
    }
}

/// The lists of all axes, and the table of boxes that overlap.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    lines: [Line; 3],
    /// Bodies of bounded size, by their places among the entries.
    bounded: Vec<u32>,
    /// Pairs of bodies that overlap and concern each other, sorted.
    table: Vec<[u32; 2]>,
    /// Pairs to look at again.
    changed: Vec<[u32; 2]>,
    /// Memory of the next table.
    next: Vec<[u32; 2]>,
    /// Groups and kinds of the bodies that the table was made for, shape `[bounded_count]`.
    traits: Vec<Entry>,
    /// Exchanges of the last search.
    exchanges: usize,
}

impl Sweep {
    /// Brings the table up to date with the entries.
    pub(super) fn find_pairs(&mut self, entries: &[Entry]) {
        let bounded = || entries.iter().filter(|entry| entry.is_bounded());
        let is_known = bounded().count() == self.bounded.len()
            && bounded()
                .zip(&self.bounded)
                .zip(&self.traits)
                .all(|((entry, body), before)| entry.body == *body && entry.is_alike(before));
        if is_known {
            self.update(entries);
        } else {
            self.bounded.clear();
            self.bounded.extend(bounded().map(|entry| entry.body));
            self.start(entries);
        }
        self.traits.clear();
        self.traits.extend(bounded());
    }

    /// The pairs that overlap, sorted.
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.table
    }

    /// Places that were exchanged in the last search, all axes together.
    pub(super) fn exchanges(&self) -> usize {
        self.exchanges
    }

    fn start(&mut self, entries: &[Entry]) {
        let of = |axis: usize| {
            let bounded = self.bounded.iter();
            bounded.map(move |&body| {
                let aabb = &entries[body as usize].aabb;
                (aabb.min[axis], aabb.max[axis])
            })
        };
        for (axis, line) in self.lines.iter_mut().enumerate() {
            line.reset(of(axis));
        }
        // The axis along which the boxes lie widest apart has the fewest active at a time.
        let spread = |axis: usize| {
            let (least, most) = of(axis).fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(least, most), (begin, end)| (least.min(begin), most.max(end)),
            );
            most - least
        };
        let widest = (1..3).fold(0, |best, axis| {
            if spread(axis) > spread(best) {
                axis
            } else {
                best
            }
        });
        self.table.clear();
        let (bounded, table) = (&self.bounded, &mut self.table);
        self.lines[widest].sweep(|end, active| {
            if end.is_end() {
                return;
            }
            let entry = &entries[bounded[end.entry()] as usize];
            for &other in active {
                entry.pair_with(&entries[bounded[other] as usize], table);
            }
        });
        self.table.sort_unstable();
        self.exchanges = 0;
    }

    fn update(&mut self, entries: &[Entry]) {
        self.changed.clear();
        self.exchanges = 0;
        let (bounded, changed) = (&self.bounded, &mut self.changed);
        for (axis, line) in self.lines.iter_mut().enumerate() {
            let interval = |place: usize| {
                let aabb = &entries[bounded[place] as usize].aabb;
                (aabb.min[axis], aabb.max[axis])
            };
            self.exchanges += line.update(interval, |a, b| {
                changed.push(ordered(bounded[a], bounded[b]));
            });
        }
        if self.changed.is_empty() {
            return;
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        self.next.clear();
        let mut table = self.table.iter().peekable();
        for pair in &self.changed {
            while let Some(before) = table.next_if(|before| *before < pair) {
                self.next.push(*before);
            }
            table.next_if_eq(&pair);
            let [a, b] = pair.map(|body| &entries[body as usize]);
            a.pair_with(b, &mut self.next);
        }
        self.next.extend(table);
        std::mem::swap(&mut self.table, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of figure 18: its intervals are numbered from 1.
    const FIGURE_18: [(char, usize); 12] = [
        ('b', 3),
        ('b', 6),
        ('b', 1),
        ('e', 6),
        ('e', 1),
        ('b', 5),
        ('b', 2),
        ('e', 3),
        ('b', 4),
        ('e', 5),
        ('e', 2),
        ('e', 4),
    ];

    fn intervals(order: &[(char, usize)]) -> Vec<(f64, f64)> {
        let place = |kind: char, number: usize| {
            let at = order.iter().position(|&end| end == (kind, number));
            at.map_or(f64::NAN, |at| at as f64)
        };
        (1..=6).map(|n| (place('b', n), place('e', n))).collect()
    }

    #[test]
    fn the_active_lists_are_those_of_figure_18() {
        let mut line = Line::default();
        line.reset(intervals(&FIGURE_18).into_iter());
        let (mut at_b1, mut at_e3) = (Vec::new(), Vec::new());
        let mut pairs = Vec::new();
        line.sweep(|end, active| {
            let mut active: Vec<usize> = active.iter().map(|other| other + 1).collect();
            active.sort_unstable();
            match (end.is_end(), end.entry() + 1) {
                (true, 3) => at_e3 = active,
                (true, _) => {}
                (false, interval) => {
                    let pair = |&other: &usize| ordered(other as u32, interval as u32);
                    pairs.extend(active.iter().map(pair));
                    if interval == 1 {
                        at_b1 = active;
                    }
                }
            }
        });
        assert_eq!(at_b1, [3, 6]);
        assert_eq!(at_e3, [2, 3, 5]);
        for pair in [
            [2, 3],
            [3, 5],
            [2, 5],
            [4, 5],
            [2, 4],
            [1, 3],
            [1, 6],
            [3, 6],
        ] {
            assert!(pairs.contains(&pair), "{pair:?}");
        }
        assert_eq!(pairs.len(), 8);
    }

    #[test]
    fn one_exchange_makes_figure_19_of_figure_18() {
        let mut moved = FIGURE_18;
        moved.swap(8, 9);
        let (before, after) = (intervals(&FIGURE_18), intervals(&moved));
        let mut line = Line::default();
        line.reset(before.into_iter());
        let mut changed = Vec::new();
        let exchanges = line.update(
            |place| after[place],
            |a, b| changed.push(ordered(a as u32 + 1, b as u32 + 1)),
        );
        assert_eq!(exchanges, 1);
        assert_eq!(changed, [[4, 5]]);
    }
}
