//! From a problem to lanes and back.

use super::filling::{FillGroups, Filling, Given};
use super::{Lanes, NO_PLACE};
use crate::constants::MIN_LANE_GROUPS_PER_THREAD;
use crate::parallel::{SharedSlice, Team};
use crate::problem::ProblemRef;
use crate::problem::batches::Batches;
use crate::simd::{LANES, Row};
use crate::solver::cpu::block::{Sweep, Visit, visits};
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
        self.lay_out(given.problem, batches, team.threads());
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
