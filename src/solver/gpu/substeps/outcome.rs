//! What a step in substeps has done, as it comes back from the device.

use crate::problem::JointRow;
use crate::problem::batches::Batches;
use crate::solver::Velocity;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{BodyState, ContactTotal, JointTotal};
use crate::solver::substeps::{Displacement, SubstepSolution};

/// What came back of a step.
pub(super) struct Outcome {
    pub(super) logs: Vec<Control>,
    pub(super) states: Vec<BodyState>,
    pub(super) contacts: Vec<ContactTotal>,
    pub(super) joints: Vec<JointTotal>,
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
        let impulses = batches.joints.impulses.iter_mut();
        for (impulse, total) in impulses.zip(&self.joints) {
            *impulse = total.kept;
        }
    }

    /// True if every number is finite, and no joint impulse at the bound of those without bounds.
    pub(super) fn is_finite(&self) -> bool {
        let states: &[f32] = bytemuck::cast_slice(&self.states);
        let contacts: &[f32] = bytemuck::cast_slice(&self.contacts);
        states.iter().chain(contacts).all(|x| x.is_finite())
            && self
                .joints
                .iter()
                .all(|joint| joint.kept.abs() < JointRow::UNBOUNDED)
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
        for impulses in [&mut self.joint_impulses, &mut self.total_joint_impulses] {
            impulses.clear();
            impulses.resize(outcome.joints.len(), 0.0);
        }
        for (&row, total) in batches.joints.source.iter().zip(&outcome.joints) {
            self.joint_impulses[row as usize] = total.kept;
            self.total_joint_impulses[row as usize] = total.total;
        }
    }
}
