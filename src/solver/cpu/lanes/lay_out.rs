//! Which contact goes to which lane.

use super::domains::Domains;
use super::{DomainRanges, LaneGroup, Lanes, NO_PLACE, Pairs, Points, Share, Turns};
use crate::constants::SORTED_PAIRS_PER_THREAD;
use crate::parallel::{self, SharedSlice};
use crate::problem::ProblemRef;
use crate::problem::batches::Batches;
use crate::simd::{IndexRow, LANES, Row};
use bytemuck::Zeroable;

/// Lane groups of a domain and colour, and their points.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    groups: u32,
    points: u32,
}

impl Extent {
    fn plus(self, other: Self) -> Self {
        Self {
            groups: self.groups + other.groups,
            points: self.points + other.points,
        }
    }
}

impl Lanes {
    /// Which contact goes to which lane; as in the last problem where its order was the same.
    pub(super) fn lay_out(&mut self, problem: &ProblemRef<'_>, batches: &Batches, threads: usize) {
        let contacts = &batches.contacts;
        let laid_out_for = (contacts.order, threads);
        if self.laid_out_for == laid_out_for {
            return;
        }
        self.laid_out_for = laid_out_for;
        let domains = &mut self.domains;
        domains.sort(problem, batches, threads);
        let laid = Laid {
            domains,
            starts: &contacts.group_starts,
            source: &contacts.source,
        };
        let count = laid.domains.shares.len();
        let pairs = laid.domains.groups.len();
        let least = SORTED_PAIRS_PER_THREAD * count / pairs.max(1);
        parallel::fill(&mut self.extents, count, least, |share| laid.extent(share));
        let mut sum = Extent::default();
        for extent in &mut self.extents {
            sum = sum.plus(std::mem::replace(extent, sum));
        }
        let (groups, points) = (sum.groups as usize, sum.points as usize);
        let no_places = IndexRow([NO_PLACE; LANES]);
        self.groups.resize(groups, LaneGroup::default());
        self.places.resize(points, no_places);
        self.sources.resize(points, no_places);
        let to = Places {
            groups: SharedSlice::new(&mut self.groups),
            places: SharedSlice::new(&mut self.places),
            sources: SharedSlice::new(&mut self.sources),
        };
        let firsts = &self.extents;
        parallel::fill(&mut self.shares, count, least, |share| {
            laid.place(share, firsts[share], &to)
        });
        self.colors = contacts.colors.len();
        self.ranges.clear();
        for domain in 0..self.domains.count() {
            let groups = self.domain_groups(domain);
            self.ranges.push(DomainRanges {
                points: self.points_of(groups.clone()),
                groups,
                bodies: self.domains.bodies(domain),
            });
        }
        self.pairs.resize(groups, Pairs::zeroed());
        self.points.resize(points, Points::zeroed());
        self.turns.resize(points, [Turns::zeroed(); 2]);
        self.impulses.resize(points, [Row::zeroed(); 3]);
        self.residual_masses.resize(points, Row::zeroed());
        self.cone_steps.resize(points, Row::zeroed());
    }
}

/// Pairs of bodies in their order, to be laid into lanes.
struct Laid<'a> {
    domains: &'a Domains,
    /// First block of each pair, and one past the last.
    starts: &'a [u32],
    /// The problem's index of each block.
    source: &'a [u32],
}

/// Memory of what goes where.
struct Places<'a> {
    groups: SharedSlice<'a, LaneGroup>,
    places: SharedSlice<'a, IndexRow>,
    sources: SharedSlice<'a, IndexRow>,
}

impl Laid<'_> {
    /// Contacts of a pair.
    fn count(&self, pair: u32) -> u32 {
        self.starts[pair as usize + 1] - self.starts[pair as usize]
    }

    /// Pairs side by side, of a domain and colour. A sweep visits those of several points again, and those of one are
    /// not to be among them.
    fn lane_groups(&self, share: usize) -> impl Iterator<Item = &[u32]> {
        let share = &self.domains.shares[share];
        let pairs = &self.domains.groups[share.start as usize..share.end as usize];
        let alike = |p: &u32, q: &u32| (self.count(*p) == 1) == (self.count(*q) == 1);
        let alike = pairs.chunk_by(alike);
        alike.flat_map(|pairs| pairs.chunks(LANES))
    }

    fn points(&self, lanes: &[u32]) -> u32 {
        let counts = lanes.iter().map(|&pair| self.count(pair));
        counts.fold(0, u32::max)
    }

    fn extent(&self, share: usize) -> Extent {
        let groups = self.lane_groups(share).map(|lanes| Extent {
            groups: 1,
            points: self.points(lanes),
        });
        groups.fold(Extent::default(), Extent::plus)
    }

    /// Lays the pairs of a domain and colour into lanes from `first` on, those at the interface first.
    fn place(&self, share: usize, first: Extent, to: &Places<'_>) -> Share {
        let domains = self.domains;
        let is_at_interface = |lanes: &&[u32]| {
            domains.count() > 1 && lanes.iter().any(|&pair| domains.is_at_interface(pair))
        };
        let mut next = first;
        let mut put = |lanes: &[u32]| {
            next = self.place_group(lanes, next, to);
            next.groups
        };
        let at_interface = self.lane_groups(share).filter(is_at_interface);
        let interior = at_interface.map(&mut put).last().unwrap_or(first.groups);
        let others = self
            .lane_groups(share)
            .filter(|lanes| !is_at_interface(lanes));
        let end = others.map(&mut put).last().unwrap_or(interior);
        Share {
            first: first.groups,
            interior,
            end,
        }
    }

    /// Lays a lane group; says where the next one begins.
    fn place_group(&self, lanes: &[u32], first: Extent, to: &Places<'_>) -> Extent {
        let (mut places, mut sources) = ([0; LANES], [0; LANES]);
        let mut counts = [0; LANES];
        for (lane, &pair) in lanes.iter().enumerate() {
            let place = self.starts[pair as usize];
            places[lane] = place;
            // The contacts of a pair follow each other in the problem, too.
            sources[lane] = self.source[place as usize];
            counts[lane] = self.count(pair);
        }
        let points = counts.iter().fold(0, |most, &count| count.max(most));
        let end = first.plus(Extent { groups: 1, points });
        let group = LaneGroup {
            first: first.points,
            end: end.points,
            friction: false,
            mixed: false,
        };
        // SAFETY: every lane group is laid once, and has places of its own.
        #[allow(unsafe_code, reason = "every lane group has places of its own")]
        unsafe {
            to.groups.write(first.groups as usize, group);
            for (number, point) in (0..).zip(first.points as usize..end.points as usize) {
                to.places.write(point, row_of(places, counts, number));
                to.sources.write(point, row_of(sources, counts, number));
            }
        }
        end
    }
}

/// Indices of one point of groups that have so many from `firsts` on.
#[inline(always)]
fn row_of(firsts: [u32; LANES], counts: [u32; LANES], point: u32) -> IndexRow {
    let mut row = IndexRow([NO_PLACE; LANES]);
    for (index, (first, count)) in row.0.iter_mut().zip(firsts.iter().zip(counts)) {
        *index = if point < count {
            first + point
        } else {
            NO_PLACE
        };
    }
    row
}
