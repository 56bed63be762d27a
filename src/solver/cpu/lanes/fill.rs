//! From a problem to lanes and back.

use super::filling::{FillGroups, Filling};
use super::{IndexRow, LANES, LaneGroup, Lanes, NO_PLACE, Pairs, Points, Row};
use crate::constants::MIN_LANE_GROUPS_PER_THREAD;
use crate::problem::Problem;
use crate::problem::batches::Batches;
use crate::solver::cpu::shared_slice::SharedSlice;
use crate::solver::cpu::team::Team;
use crate::solver::substeps::SubstepProblem;
use bytemuck::Zeroable;
use std::ops::Range;

/// Groups in the order in which they go into lanes.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorted {
    /// Groups of a colour, those with most points first.
    groups: Vec<u32>,
    /// Number of groups by number of points; then where the next of them goes.
    counts: Vec<u32>,
    /// Number of the order that is laid out; see [`Packed::order`](crate::problem::batches::Packed::order).
    order: u64,
}

/// What lanes are filled with.
#[derive(Debug, Clone, Copy)]
pub(in crate::solver::cpu) struct Given<'a> {
    pub(in crate::solver::cpu) problem: &'a Problem,
    /// Start from the contacts' impulses.
    pub(in crate::solver::cpu) warm_start: bool,
    /// The step in substeps that `problem` belongs to. Biases then mean nothing, and are left out.
    pub(in crate::solver::cpu) substeps: Option<&'a SubstepProblem>,
}

impl Sorted {
    /// A stable counting sort of the groups of a colour.
    fn sort(&mut self, starts: &[u32], groups: Range<u32>) {
        let points = |group: u32| {
            let group = group as usize;
            (starts[group + 1] - starts[group]) as usize
        };
        self.counts.clear();
        for group in groups.clone() {
            let points = points(group);
            if points >= self.counts.len() {
                self.counts.resize(points + 1, 0);
            }
            self.counts[points] += 1;
        }
        let mut next = 0;
        for count in self.counts.iter_mut().rev() {
            let first = next;
            next += *count;
            *count = first;
        }
        self.groups.clear();
        self.groups.resize(groups.len(), 0);
        for group in groups {
            let place = &mut self.counts[points(group)];
            self.groups[*place as usize] = group;
            *place += 1;
        }
    }
}

impl Lanes {
    /// Takes over the coloured contacts of a problem in the order of its batches, their impulses
    /// included. Nothing is allocated once the memory has grown to the size of the problems.
    pub(in crate::solver::cpu) fn fill(
        &mut self,
        given: &Given<'_>,
        batches: &Batches,
        team: &Team,
    ) {
        self.lay_out(batches);
        if given.substeps.is_some() {
            self.steps.begin(self.points.len());
        }
        let (count, width) = (self.groups.len(), self.width);
        let filling = Filling {
            given: *given,
            is_convex: batches.friction.is_convex(),
            sources: &self.sources,
            zero: given.problem.bodies.len() as u32,
            groups: SharedSlice::new(&mut self.groups),
            pairs: SharedSlice::new(&mut self.pairs),
            points: SharedSlice::new(&mut self.points),
            impulses: SharedSlice::new(&mut self.impulses),
            residual_masses: SharedSlice::new(&mut self.residual_masses),
            cone_steps: SharedSlice::new(&mut self.cone_steps),
            frozen: SharedSlice::new(&mut self.steps.frozen),
        };
        team.each(count, MIN_LANE_GROUPS_PER_THREAD, |_, groups| {
            let kernel = FillGroups {
                filling: &filling,
                groups,
            };
            // SAFETY: the team hands every lane group, with its points, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                width.run(kernel);
            }
        });
    }

    /// Which contact goes to which lane; as in the last problem where its order was the same.
    fn lay_out(&mut self, batches: &Batches) {
        let contacts = &batches.contacts;
        let starts = &contacts.group_starts;
        if self.sorted.order == contacts.order {
            return;
        }
        self.sorted.order = contacts.order;
        self.groups.clear();
        self.places.clear();
        self.colors.clear();
        let mut sorted = std::mem::take(&mut self.sorted);
        for color in &contacts.colors {
            let first_group = self.groups.len() as u32;
            sorted.sort(starts, color.clone());
            for lanes in sorted.groups.chunks(LANES) {
                let longest = lanes[0] as usize;
                let first = self.places.len();
                let count = (starts[longest + 1] - starts[longest]) as usize;
                self.places
                    .resize(first + count, IndexRow([NO_PLACE; LANES]));
                for (lane, &group) in lanes.iter().enumerate() {
                    let blocks = starts[group as usize]..starts[group as usize + 1];
                    for (places, block) in self.places[first..].iter_mut().zip(blocks) {
                        places.0[lane] = block;
                    }
                }
                self.groups.push(LaneGroup {
                    first: first as u32,
                    end: (first + count) as u32,
                    friction: false,
                    mixed: false,
                });
            }
            self.colors.push(first_group..self.groups.len() as u32);
        }
        self.sorted = sorted;
        self.sources.clear();
        self.sources.extend(self.places.iter().map(|places| {
            IndexRow(places.0.map(|place| match place {
                NO_PLACE => NO_PLACE,
                place => contacts.source[place as usize],
            }))
        }));
        let points = self.places.len();
        self.pairs.resize(self.groups.len(), Pairs::zeroed());
        self.points.resize(points, Points::zeroed());
        self.impulses.resize(points, [Row::zeroed(); 3]);
        self.residual_masses.resize(points, Row::zeroed());
        self.cone_steps.resize(points, Row::zeroed());
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
                for (lane, &source) in self.sources[point].0.iter().enumerate() {
                    if source == NO_PLACE {
                        continue;
                    }
                    for (from, to) in from.iter().zip(&to) {
                        let [n, t1, t2] = &from[point];
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
