//! What a step in substeps has done, as it comes back from the device.

use super::start::options_of;
use crate::constants::TAKEN_BODIES_PER_THREAD;
use crate::error::Result;
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::batches::Batches;
use crate::solver::gpu::buffers::{Buffers, ContactImpulses};
use crate::solver::gpu::readback::Wanted;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{BodyState, PassKind};
use crate::solver::substeps::{SubstepPlan, SubstepReport};
use crate::solver::{Displacement, Report, Solution, Status, Velocity};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How a step ended: what comes back beside its solution.
pub(super) struct Outcome {
    logs: Vec<Control>,
    /// True if every number is finite.
    is_finite: bool,
}

impl Buffers {
    /// Has `read` bring back what a step has done, into `solution` and to what is known of the device.
    pub(super) fn bring(
        &mut self,
        batches: &Batches,
        lcp_count: usize,
        solution: &mut Solution,
        read: impl FnOnce(&mut [Wanted<'_>]) -> Result<()>,
    ) -> Result<Outcome> {
        let Solution {
            changes,
            displacements,
            impulses,
            total_impulses,
            velocities,
            joint_impulses,
        } = solution;
        velocities.clear();
        joint_impulses.clear();
        let (bodies, contacts) = (batches.velocities.len(), batches.contacts.source.len());
        changes.resize(bodies, Velocity::default());
        displacements.resize(bodies, Displacement::default());
        impulses.resize(contacts, [0.0; 3]);
        total_impulses.resize(contacts, [0.0; 3]);
        // After a step velocities are nothing but the bodies' states.
        self.velocities.learn(&batches.velocities);
        let is_finite = AtomicBool::new(true);
        let check = |numbers: &[f32]| {
            // Without a way out at the first that is not, so that a compiler can look at several at once.
            if numbers.iter().fold(false, |some, x| some | !x.is_finite()) {
                is_finite.store(false, Ordering::Relaxed);
            }
        };
        let take_contacts = |first: usize, found: &[ContactImpulses]| {
            let end = first + found.len();
            let slices = (
                found,
                SharedSlice::new(&mut impulses[first..end]),
                SharedSlice::new(&mut total_impulses[first..end]),
            );
            for_chunks(
                slices,
                TAKEN_BODIES_PER_THREAD,
                |_, (found, impulses, total_impulses)| {
                    check(bytemuck::cast_slice(found));
                    for ((&[kept, sum], impulse), total) in
                        found.iter().zip(impulses).zip(total_impulses)
                    {
                        *impulse = kept;
                        *total = sum;
                    }
                },
            );
        };
        let take_bodies = |first: usize, states: &[BodyState]| {
            let end = first + states.len();
            let slices = (
                states,
                SharedSlice::new(&mut changes[first..end]),
                SharedSlice::new(&mut displacements[first..end]),
            );
            for_chunks(
                slices,
                TAKEN_BODIES_PER_THREAD,
                |_, (states, changes, displacements)| {
                    check(bytemuck::cast_slice(states));
                    for ((state, change), moved) in states.iter().zip(changes).zip(displacements) {
                        *change = Velocity {
                            linear: state.gained_linear,
                            angular: state.gained_angular,
                        };
                        *moved = Displacement {
                            linear: state.moved_linear,
                            angular: state.moved_angular,
                        };
                    }
                },
            );
        };
        let mut logs = vec![Control::default(); lcp_count];
        read(&mut [
            Wanted::each(&self.results, contacts, take_contacts),
            Wanted::each(&self.body_states, bodies, take_bodies),
            Wanted::copy(&self.logs, &mut logs),
        ])?;
        Ok(Outcome {
            logs,
            is_finite: is_finite.into_inner(),
        })
    }
}

impl Outcome {
    /// What is to be said of the step: of the times the first LCP has it all.
    pub(super) fn report(
        &self,
        step: &SubstepPlan,
        batches: &Batches,
        pack_time: Duration,
        solve_time: Duration,
    ) -> SubstepReport {
        let mut report = SubstepReport::default();
        for (number, (lcp, log)) in step.lcps().iter().zip(&self.logs).enumerate() {
            let Some(kind) = lcp.next else {
                continue;
            };
            let mut solved = Report::of(batches, Duration::ZERO);
            let options = options_of(step, kind);
            log.report(&mut solved, options);
            solved.barriers = options.method.barriers(batches, solved.iterations);
            if number == 0 {
                (solved.pack_time, solved.solve_time) = (pack_time, solve_time);
            }
            match kind {
                PassKind::Velocity => report.add_velocity(&solved),
                PassKind::Position => report.add_position(&solved),
            }
            if report.velocity.status == Status::NonFinite {
                return report;
            }
        }
        if !self.is_finite {
            report.velocity.status = Status::NonFinite;
        }
        report
    }
}
