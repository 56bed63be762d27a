//! From a problem to lanes and back.

use super::filling::{FillGroups, Filling, Given};
use super::{DomainRanges, LaneGroup, Lanes, NO_PLACE, Pairs, Points, Share, Turns};
use crate::constants::MIN_LANE_GROUPS_PER_THREAD;
use crate::parallel::{SharedSlice, Team};
use crate::problem::ProblemRef;
use crate::problem::batches::{Batches, Packed};
use crate::simd::{IndexRow, LANES, Row};
use crate::solver::cpu::block::{Sweep, Visit, visits};
use bytemuck::Zeroable;
use std::sync::atomic::AtomicBool;

impl Lanes {
    /// Takes over the coloured contacts of a problem in the order of its batches, their impulses
    /// included. Nothing is allocated once the memory has grown to the size of the problems. True if surely
    /// nothing is wrong with the numbers of these contacts.
    pub(in crate::solver::cpu) fn fill(
        &mut self,
        given: &Given<'_>,
        batches: &Batches,
        team: &Team,
    ) -> bool {
        self.lay_out(given.problem, batches, team);
        let is_doubtful = AtomicBool::new(false);
        if given.in_substeps {
            self.steps.begin(self.points.len());
        }
        let of_several = visits(Sweep::Update, &batches.friction, 2);
        let visits_normals = of_several.contains(&Visit::Normals);
        let (width, domains) = (self.width, &self.ranges);
        let filling = Filling {
            given: *given,
            cone: &batches.friction,
            sources: &self.sources,
            zero: given.problem.bodies.len() as u32,
            groups: SharedSlice::new(&mut self.groups),
            pairs: SharedSlice::new(&mut self.pairs),
            points: SharedSlice::new(&mut self.points),
            turns: visits_normals.then(|| SharedSlice::new(&mut self.turns)),
            impulses: SharedSlice::new(&mut self.impulses),
            residual_masses: SharedSlice::new(&mut self.residual_masses),
            cone_steps: SharedSlice::new(&mut self.cone_steps),
            frozen: SharedSlice::new(&mut self.steps.frozen),
            is_doubtful: &is_doubtful,
        };
        team.in_domains(domains.len(), |_, domain| {
            let kernel = FillGroups {
                filling: &filling,
                groups: domains[domain].groups.clone(),
            };
            // SAFETY: the team hands every lane group, with its points, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                width.compiled()(kernel);
            }
        });
        self.fill_softness(given.problem, batches);
        !is_doubtful.into_inner()
    }

    fn fill_softness(&mut self, problem: &ProblemRef<'_>, batches: &Batches) {
        self.softness.clear();
        if !problem.has_own_softness() {
            return;
        }
        let softness = batches.friction.softness;
        let impulses = &batches.contacts.impulses;
        let of = |&place: &u32| {
            impulses
                .get(place as usize)
                .map_or(0.0, |r| softness + r[3])
        };
        let rows = self.places.iter();
        self.softness.extend(rows.map(|places| {
            let mut row = Row([0.0; LANES]);
            for (softness, place) in row.0.iter_mut().zip(&places.0) {
                *softness = of(place);
            }
            row
        }));
    }

    /// Which contact goes to which lane; as in the last problem where its order was the same.
    fn lay_out(&mut self, problem: &ProblemRef<'_>, batches: &Batches, team: &Team) {
        let contacts = &batches.contacts;
        let laid_out_for = (contacts.order, team.threads());
        if self.laid_out_for == laid_out_for {
            return;
        }
        self.laid_out_for = laid_out_for;
        self.groups.clear();
        self.places.clear();
        self.sources.clear();
        self.shares.clear();
        let mut domains = std::mem::take(&mut self.domains);
        domains.sort(problem, batches, team.threads());
        // A sweep visits those of several points again, and those of one are not to be among them.
        let starts = &contacts.group_starts;
        let is_single = |&pair: &u32| starts[pair as usize + 1] - starts[pair as usize] == 1;
        for share in &domains.shares {
            let pairs = &domains.groups[share.start as usize..share.end as usize];
            let at_interface = |lanes: &&[u32]| {
                domains.count() > 1 && lanes.iter().any(|&pair| domains.is_at_interface(pair))
            };
            let alike = || pairs.chunk_by(|p, q| is_single(p) == is_single(q));
            let lane_groups = || alike().flat_map(|pairs| pairs.chunks(LANES));
            let first = self.groups.len() as u32;
            for lanes in lane_groups().filter(at_interface) {
                self.place(lanes, contacts);
            }
            let interior = self.groups.len() as u32;
            for lanes in lane_groups().filter(|lanes| !at_interface(lanes)) {
                self.place(lanes, contacts);
            }
            self.shares.push(Share {
                first,
                interior,
                end: self.groups.len() as u32,
            });
        }
        self.colors = contacts.colors.len();
        self.ranges.clear();
        for domain in 0..domains.count() {
            let groups = self.domain_groups(domain);
            self.ranges.push(DomainRanges {
                points: self.points_of(groups.clone()),
                groups,
                bodies: domains.bodies(domain),
            });
        }
        self.domains = domains;
        let points = self.places.len();
        self.pairs.resize(self.groups.len(), Pairs::zeroed());
        self.points.resize(points, Points::zeroed());
        self.turns.resize(points, [Turns::zeroed(); 2]);
        self.impulses.resize(points, [Row::zeroed(); 3]);
        self.residual_masses.resize(points, Row::zeroed());
        self.cone_steps.resize(points, Row::zeroed());
    }

    /// Appends a lane group of some pairs.
    fn place<Block, Impulse>(&mut self, lanes: &[u32], contacts: &Packed<Block, Impulse>) {
        let (starts, source) = (&contacts.group_starts, &contacts.source);
        let (mut places, mut sources) = ([0; LANES], [0; LANES]);
        let mut counts = [0; LANES];
        for (lane, &group) in lanes.iter().enumerate() {
            let (place, end) = (starts[group as usize], starts[group as usize + 1]);
            places[lane] = place;
            // The contacts of a group follow each other in the problem, too.
            sources[lane] = source[place as usize];
            counts[lane] = end - place;
        }
        let count = counts.iter().fold(0, |most, &count| count.max(most));
        let rows =
            |firsts: [u32; LANES]| (0..count).map(move |point| row_of(firsts, counts, point));
        let first = self.places.len() as u32;
        self.places.extend(rows(places));
        self.sources.extend(rows(sources));
        self.groups.push(LaneGroup {
            first,
            end: first + count,
            friction: false,
            mixed: false,
        });
    }

    /// Gives the impulses of the coloured contacts to the problem's contacts.
    pub(in crate::solver::cpu) fn store_impulses(&self, impulses: &mut [[f32; 3]], team: &Team) {
        self.store([&self.impulses], [impulses], team);
    }

    /// Gives arrays of numbers of points to their contacts.
    pub(super) fn store<const N: usize>(
        &self,
        from: [&[[Row; 3]]; N],
        to: [&mut [[f32; 3]]; N],
        team: &Team,
    ) {
        let to = to.map(SharedSlice::new);
        let count = self.sources.len();
        team.each(count, MIN_LANE_GROUPS_PER_THREAD, |_, points| {
            for point in points {
                let from = from.map(|from| &from[point]);
                for (lane, &source) in self.sources[point].0.iter().enumerate() {
                    if source == NO_PLACE {
                        continue;
                    }
                    for ([n, t1, t2], to) in from.iter().zip(&to) {
                        let numbers = [n.0[lane], t1.0[lane], t2.0[lane]];
                        // SAFETY: every contact is in one lane.
                        #[allow(unsafe_code, reason = "each contact is in one lane")]
                        unsafe {
                            to.write(source as usize, numbers);
                        }
                    }
                }
            }
        });
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
