//! What a step in substeps has done, as it comes back from the device.

use super::start::options_of;
use crate::problem::batches::Batches;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{BodyState, ContactTotal, Sort};
use crate::solver::substeps::{Displacement, SubstepPlan, SubstepReport, SubstepSolution};
use crate::solver::{Report, Status, Velocity};
use std::time::Duration;

/// What came back of a step.
pub(super) struct Outcome {
    pub(super) logs: Vec<Control>,
    pub(super) states: Vec<BodyState>,
    pub(super) contacts: Vec<ContactTotal>,
}

impl Outcome {
    /// Puts what lies on the device after the step into the batches.
    pub(super) fn leave(&self, batches: &mut Batches) {
        for velocity in &mut batches.velocities {
            velocity.linear = [0.0; 3];
            velocity.angular = [0.0; 3];
        }
        let impulses = batches.contacts.impulses.iter_mut();
        for (impulse, total) in impulses.zip(&self.contacts) {
            *impulse = total.kept;
        }
    }

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
            let Some(sort) = lcp.next else {
                continue;
            };
            let mut solved = Report::of(batches, Duration::ZERO);
            let options = options_of(step, sort);
            log.report(&mut solved, options);
            solved.barriers = options.method.barriers(batches, solved.iterations);
            if number == 0 {
                (solved.pack_time, solved.solve_time) = (pack_time, solve_time);
            }
            match sort {
                Sort::Velocity => report.add_velocity(&solved),
                Sort::Position => report.add_position(&solved),
            }
            if report.velocity.status == Status::NonFinite {
                return report;
            }
        }
        if !self.is_finite() {
            report.velocity.status = Status::NonFinite;
        }
        report
    }

    /// True if every number is finite.
    fn is_finite(&self) -> bool {
        let states: &[f32] = bytemuck::cast_slice(&self.states);
        let contacts: &[f32] = bytemuck::cast_slice(&self.contacts);
        states.iter().chain(contacts).all(|x| x.is_finite())
    }
}

impl SubstepSolution {
    /// Takes what came back, impulses in the problem's order.
    pub(super) fn take_from(&mut self, outcome: &Outcome, batches: &Batches) {
        self.changes.clear();
        self.changes
            .extend(outcome.states.iter().map(|state| Velocity {
                linear: state.gained_linear,
                angular: state.gained_angular,
            }));
        self.displacements.clear();
        let moved = outcome.states.iter().map(|state| Displacement {
            linear: state.moved_linear,
            angular: state.moved_angular,
        });
        self.displacements.extend(moved);
        let contacts = outcome.contacts.len();
        for impulses in [&mut self.impulses, &mut self.total_impulses] {
            impulses.clear();
            impulses.resize(contacts, [0.0; 3]);
        }
        for (&contact, total) in batches.contacts.source.iter().zip(&outcome.contacts) {
            let three = |[n, t1, t2, _]: [f32; 4]| [n, t1, t2];
            self.impulses[contact as usize] = three(total.kept);
            self.total_impulses[contact as usize] = three(total.total);
        }
    }
}
