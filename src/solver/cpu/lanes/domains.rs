//! Which thread sweeps which pairs.
//!
//! Velocities that one core has written cost another a trip between their caches. So bodies are cut into
//! as many domains as there are threads, and a thread sweeps the pairs of its domain in every colour.
//! Within a colour the order of pairs changes nothing: results are the same for any cut.
//!
//! A body that pairs of two domains touch is an interface body, and pairs that touch one come first in
//! their domain and colour. When those of one colour are done, other domains may begin theirs of the next, while
//! the pairs of the interior are still being swept.

use crate::constants::{
    MAX_TEAM_DOMAINS, MIN_LANE_GROUPS_PER_THREAD, PACKED_CONTACTS_PER_THREAD, PAIR_WORK,
    POINTS_SORTED_BY,
};
use crate::parallel;
use crate::problem::ProblemRef;
use crate::problem::batches::{Batches, Packed};
use std::ops::Range;

/// Bodies in domains, and the groups of a problem (all contacts of one pair) in the order in which they
/// go into lanes.
#[derive(Debug, Clone, Default)]
pub(super) struct Domains {
    /// Number of the colouring for whose pairs bodies are cut, and into how many domains; see
    /// [`Packed::coloring`].
    cut_for: (u64, usize),
    /// First body of each domain, and one past the last.
    cuts: Vec<u32>,
    /// Domain of each body.
    owners: Vec<u8>,
    /// Bodies of each group, an immovable one replaced by the other.
    pairs: Vec<[u32; 2]>,
    /// By body, a bit for each domain that has it or a pair with it.
    touched: Vec<u64>,
    /// By domain, a bit for each other domain with which it shares a body.
    pub(super) neighbours: Vec<u64>,
    /// Groups by domain, then colour, then number of points, most first, then interface and interior.
    pub(super) groups: Vec<u32>,
    /// Where they are: of each domain, of each colour.
    pub(super) shares: Vec<Range<u32>>,
    /// By what groups are sorted, and how many there are of each.
    keys: Vec<u32>,
    counts: Vec<u32>,
    weights: Vec<u32>,
}

/// Kinds of pairs in a domain and colour: by number of points, and by interface or interior.
const KINDS: usize = 2 * (POINTS_SORTED_BY + 1);

impl Domains {
    /// Number of domains.
    pub(super) fn count(&self) -> usize {
        self.neighbours.len()
    }

    /// Bodies of a domain.
    pub(super) fn bodies(&self, domain: usize) -> Range<usize> {
        self.cuts[domain] as usize..self.cuts[domain + 1] as usize
    }

    /// Cuts the bodies for so many threads, and sorts the coloured groups. The cut is kept where only the
    /// numbers of points are others than last time: they change little.
    pub(super) fn sort(&mut self, problem: &ProblemRef<'_>, batches: &Batches, threads: usize) {
        let contacts = &batches.contacts;
        let colors = contacts.colors.len();
        let groups = contacts.colors.last().map_or(0, |color| color.end as usize);
        let starts = &contacts.group_starts;
        let points = |group: usize| starts[group + 1] - starts[group];
        let worthwhile = groups / (super::LANES * MIN_LANE_GROUPS_PER_THREAD * colors.max(1));
        let count = threads.min(worthwhile).clamp(1, MAX_TEAM_DOMAINS);

        if contacts.coloring == 0 || self.cut_for != (contacts.coloring, count) {
            self.find_pairs(problem, batches, groups, count);
            self.cut(count, batches.velocities.len(), points);
            self.touch(count);
            self.cut_for = (contacts.coloring, count);
        }

        self.find_keys(contacts, count);
        self.sort_by_keys(count * colors, &contacts.colors);
    }

    /// Finds what groups are sorted by: domain, colour, points, and interface or interior.
    fn find_keys<Block, Impulse>(&mut self, contacts: &Packed<Block, Impulse>, count: usize) {
        let colors = contacts.colors.len();
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        for (color, range) in contacts.colors.iter().enumerate() {
            let starts = &contacts.group_starts[range.start as usize..=range.end as usize];
            let points = starts.windows(2).map(|blocks| blocks[1] - blocks[0]);
            let kinds = points
                .map(|points| 2 * (POINTS_SORTED_BY as u32 - points.min(POINTS_SORTED_BY as u32)));
            if count == 1 {
                let first = (color * KINDS) as u32;
                keys.extend(kinds.map(|kind| first + kind + 1));
                continue;
            }
            keys.extend((range.start as usize..).zip(kinds).map(|(group, kind)| {
                let [a, b] = self.pairs[group].map(|body| self.touched[body as usize]);
                let interior = u32::from((a | b).is_power_of_two());
                let share = self.owner(group) * colors + color;
                (share * KINDS) as u32 + kind + interior
            }));
        }
        self.keys = keys;
    }

    /// A stable counting sort by key of the groups in so many shares.
    ///
    /// Most groups of a colour have the same key, and each count would wait for the one before it: those of the
    /// first colours, and of the others, are gone through side by side. They have no key in common.
    fn sort_by_keys(&mut self, shares: usize, colors: &[Range<u32>]) {
        let Self {
            keys,
            counts,
            groups,
            ..
        } = self;
        let half = keys.len() / 2;
        let nearest = |color: &&Range<u32>| half.abs_diff(color.end as usize);
        let middle = colors.iter().min_by_key(nearest);
        let middle = middle.map_or(0, |color| color.end as usize);

        counts.clear();
        counts.resize(shares * KINDS + 1, 0);
        each_of_two(keys, middle, |_, key| counts[key as usize + 1] += 1);
        let mut sum = 0;
        for count in &mut *counts {
            sum += *count;
            *count = sum;
        }
        let firsts = (0..shares).map(|share| share * KINDS);
        self.shares.clear();
        self.shares
            .extend(firsts.map(|first| counts[first]..counts[first + KINDS]));
        groups.resize(keys.len(), 0);
        each_of_two(keys, middle, |group, key| {
            let place = &mut counts[key as usize];
            groups[*place as usize] = group as u32;
            *place += 1;
        });
    }

    /// True if a group has a body that other domains touch.
    pub(super) fn is_at_interface(&self, group: u32) -> bool {
        self.keys[group as usize] & 1 == 0
    }

    /// Domain of a group: that of its body with the lower index, so that only bodies on one side of a cut
    /// are at the interface.
    fn owner(&self, group: usize) -> usize {
        let [a, b] = self.pairs[group];
        usize::from(self.owners[a.min(b) as usize])
    }

    fn find_pairs(
        &mut self,
        problem: &ProblemRef<'_>,
        batches: &Batches,
        groups: usize,
        count: usize,
    ) {
        self.pairs.clear();
        if count == 1 {
            // Nobody asks.
            return;
        }
        let contacts = &batches.contacts;
        let is_movable = |body: u32| batches.velocities[body as usize].inverse_mass > 0.0;
        parallel::fill(
            &mut self.pairs,
            groups,
            PACKED_CONTACTS_PER_THREAD,
            |group| {
                let block = contacts.group_starts[group] as usize;
                let contact = &problem.contacts[contacts.source[block] as usize];
                match [contact.body_a, contact.body_b] {
                    [a, b] if !is_movable(b) => [a, a],
                    [a, b] if !is_movable(a) => [b, b],
                    pair => pair,
                }
            },
        );
    }

    /// Cuts the bodies, in the order of their indices, so that all domains have about the same work.
    fn cut(&mut self, count: usize, bodies: usize, points: impl Fn(usize) -> u32) {
        if count == 1 {
            self.cuts.clear();
            self.cuts.extend([0, bodies as u32]);
            return;
        }
        self.weights.clear();
        self.weights.resize(bodies, 0);
        for (group, [a, b]) in self.pairs.iter().enumerate() {
            self.weights[*a.min(b) as usize] += points(group) + PAIR_WORK;
        }
        let all: u64 = self.weights.iter().map(|&weight| u64::from(weight)).sum();
        self.cuts.clear();
        self.cuts.push(0);
        self.owners.clear();
        let mut sum = 0;
        for (body, &weight) in self.weights.iter().enumerate() {
            let domain = self.cuts.len();
            if domain < count && sum * count as u64 >= all * domain as u64 && all > 0 {
                self.cuts.push(body as u32);
            }
            self.owners.push((self.cuts.len() - 1) as u8);
            sum += u64::from(weight);
        }
        self.cuts.resize(count + 1, bodies as u32);
    }

    /// Finds the domains that touch each body, and the neighbours of each domain.
    fn touch(&mut self, count: usize) {
        self.neighbours.clear();
        self.neighbours.resize(count, 0);
        if count == 1 {
            return;
        }
        self.touched.clear();
        self.touched
            .extend(self.owners.iter().map(|&owner| 1_u64 << owner));
        for group in 0..self.pairs.len() {
            let owner = self.owner(group);
            for body in self.pairs[group] {
                self.touched[body as usize] |= 1 << owner;
            }
        }
        for &touched in &self.touched {
            if touched.is_power_of_two() {
                continue;
            }
            for (domain, neighbours) in self.neighbours.iter_mut().enumerate() {
                if touched >> domain & 1 == 1 {
                    *neighbours |= touched & !(1 << domain);
                }
            }
        }
    }
}

/// Looks at each key with its index: at the first `middle`, and at the others, side by side.
#[inline(always)]
fn each_of_two(keys: &[u32], middle: usize, mut look: impl FnMut(usize, u32)) {
    let (first, second) = keys.split_at(middle);
    for (at, (&a, &b)) in first.iter().zip(second).enumerate() {
        look(at, a);
        look(middle + at, b);
    }
    let both = first.len().min(second.len());
    for (at, &key) in first.iter().enumerate().skip(both) {
        look(at, key);
    }
    for (at, &key) in second.iter().enumerate().skip(both) {
        look(middle + at, key);
    }
}
