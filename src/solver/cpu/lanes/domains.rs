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
    MAX_TEAM_DOMAINS, MIN_LANE_GROUPS_PER_THREAD, PACKED_BODIES_PER_THREAD,
    PACKED_CONTACTS_PER_THREAD, PAIR_WORK, PAIRS_PER_CUT, POINTS_SORTED_BY,
    SORTED_PAIRS_PER_THREAD,
};
use crate::parallel::{self, CountingSort, SharedSlice, for_chunks};
use crate::problem::ProblemRef;
use crate::problem::batches::{Batches, Packed};
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Bodies in domains, and the groups of a problem (all contacts of one pair) in the order in which they
/// go into lanes.
#[derive(Debug, Default)]
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
    touched: Vec<AtomicU64>,
    /// By domain, a bit for each other domain with which it shares a body.
    pub(super) neighbours: Vec<u64>,
    /// Groups by domain, then colour, then number of points, most first, then interface and interior.
    pub(super) groups: Vec<u32>,
    /// Where they are: of each domain, of each colour.
    pub(super) shares: Vec<Range<u32>>,
    /// By what groups are sorted.
    keys: Vec<u32>,
    by_key: CountingSort,
    /// Work of some pairs, by their lower bodies.
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
        self.sort_by_keys(count * colors);
    }

    /// Finds what groups are sorted by: domain, colour, points, and interface or interior.
    fn find_keys<Block, Impulse>(&mut self, contacts: &Packed<Block, Impulse>, count: usize) {
        let (ranges, starts) = (&contacts.colors[..], &contacts.group_starts[..]);
        let groups = ranges.last().map_or(0, |color| color.end as usize);
        let mut keys = std::mem::take(&mut self.keys);
        keys.resize(groups, 0);
        let slices = SharedSlice::new(&mut keys);
        for_chunks(slices, SORTED_PAIRS_PER_THREAD, |first, keys| {
            let end = first + keys.len();
            for (color, range) in ranges.iter().enumerate() {
                let groups = first.max(range.start as usize)..end.min(range.end as usize);
                for group in groups {
                    let points = (starts[group + 1] - starts[group]).min(POINTS_SORTED_BY as u32);
                    let kind = 2 * (POINTS_SORTED_BY as u32 - points);
                    let (share, interior) = if count == 1 {
                        (color, true)
                    } else {
                        let of_body = |body: u32| self.touched[body as usize].load(Relaxed);
                        let [a, b] = self.pairs[group].map(of_body);
                        let share = self.owner(self.pairs[group]) * ranges.len() + color;
                        (share, (a | b).is_power_of_two())
                    };
                    keys[group - first] = (share * KINDS) as u32 + kind + u32::from(interior);
                }
            }
        });
        self.keys = keys;
    }

    /// Sorts the groups of so many shares by key.
    fn sort_by_keys(&mut self, shares: usize) {
        let Self {
            keys,
            by_key,
            groups,
            ..
        } = self;
        let count = (keys.len(), SORTED_PAIRS_PER_THREAD);
        by_key.sort(count, shares * KINDS, |group| keys[group] as usize, groups);
        let firsts = (0..shares).map(|share| share * KINDS);
        self.shares.clear();
        self.shares
            .extend(firsts.map(|first| by_key.range(first..first + KINDS)));
    }

    /// True if a group has a body that other domains touch.
    pub(super) fn is_at_interface(&self, group: u32) -> bool {
        self.keys[group as usize] & 1 == 0
    }

    /// Domain of a group: that of its body with the lower index, so that only bodies on one side of a cut
    /// are at the interface.
    fn owner(&self, [a, b]: [u32; 2]) -> usize {
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

    /// Cuts the bodies, in the order of their indices, so that all domains have about the same work, by some of the pairs.
    fn cut(&mut self, count: usize, bodies: usize, points: impl Fn(usize) -> u32) {
        self.cuts.clear();
        self.cuts.push(0);
        self.weights.clear();
        self.weights.resize(bodies, 0);
        let pairs = &self.pairs;
        let stride = (pairs.len() / (count * PAIRS_PER_CUT)).max(1);
        for (group, [a, b]) in pairs.iter().enumerate().step_by(stride) {
            self.weights[*a.min(b) as usize] += points(group) + PAIR_WORK;
        }
        let all: u64 = self.weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut sum = 0;
        for (body, &weight) in (0..).zip(&self.weights) {
            let domains = self.cuts.len();
            if domains < count && sum * count as u64 >= all * domains as u64 && all > 0 {
                self.cuts.push(body);
            }
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
        self.owners.clear();
        for domain in 0..count {
            self.owners.resize(self.bodies(domain).end, domain as u8);
        }
        let (owners, bodies) = (&self.owners, self.owners.len());
        let own = |body: usize| AtomicU64::new(1 << owners[body]);
        parallel::fill(&mut self.touched, bodies, PACKED_BODIES_PER_THREAD, own);
        let pairs = self.pairs.as_slice();
        for_chunks(pairs, SORTED_PAIRS_PER_THREAD, |_, pairs| {
            for &[a, b] in pairs {
                let owner = self.owner([a, b]);
                let other = a.max(b) as usize;
                if usize::from(self.owners[other]) != owner {
                    self.touched[other].fetch_or(1 << owner, Relaxed);
                }
            }
        });
        let neighbours = parallel::fold(
            self.touched.as_slice(),
            PACKED_BODIES_PER_THREAD,
            [0; MAX_TEAM_DOMAINS],
            |_, touched| {
                let mut neighbours = [0; MAX_TEAM_DOMAINS];
                for touched in touched {
                    let touched = touched.load(Relaxed);
                    if touched.is_power_of_two() {
                        continue;
                    }
                    let mut left = touched;
                    while left != 0 {
                        let domain = left.trailing_zeros();
                        neighbours[domain as usize] |= touched & !(1 << domain);
                        left &= left - 1;
                    }
                }
                neighbours
            },
            |mut p, q| {
                p.iter_mut().zip(q).for_each(|(p, q)| *p |= q);
                p
            },
        );
        self.neighbours.copy_from_slice(&neighbours[..count]);
    }
}
