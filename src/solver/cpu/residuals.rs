//! Natural-map residuals: twins of `shaders/block_residual.wgsl`, and a look at all among the threads of a team.

use super::block::Block;
use super::{CpuSolver, SUMS_PER_THREAD, WORKGROUP, remainder_contacts};
use crate::parallel::{self, Team};
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock, JointBlock};
use crate::solver::residual::{self, Partial, reduce_workgroup};

/// One partial sum per workgroup's worth of contacts, in the order of the blocks.
pub fn contact_residual(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[[f32; 4]],
    partials: &mut Vec<Partial>,
) {
    partials_of::<ContactBlock>(batches, velocities, impulses, partials);
}

/// The same of joint rows.
pub fn joint_residual(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[f32],
    partials: &mut Vec<Partial>,
) {
    partials_of::<JointBlock>(batches, velocities, impulses, partials);
}

fn partials_of<B: Block>(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[B::Impulse],
    partials: &mut Vec<Partial>,
) {
    let workgroups = impulses.len().div_ceil(WORKGROUP);
    parallel::fill(partials, workgroups, SUMS_PER_THREAD, |workgroup| {
        let first = workgroup * WORKGROUP;
        let blocks = first..impulses.len().min(first + WORKGROUP);
        let mut residuals = [0.0; WORKGROUP];
        for (residual, index) in residuals.iter_mut().zip(blocks.clone()) {
            *residual = B::residual(batches, index, velocities, impulses[index]);
        }
        reduce_workgroup(&residuals[..blocks.len()])
    });
}

impl CpuSolver {
    /// Root mean square and largest of all residuals, `[m/s]`, or `[m]` in a position LCP.
    pub(super) fn residual(&mut self, batches: &Batches, team: &Team) -> (f32, f32) {
        let count = batches.contacts.blocks.len();
        self.residuals.resize(count, 0.0);
        let (velocities, impulses) = (self.velocities.bodies(), &batches.contacts.impulses);
        for index in remainder_contacts(batches) {
            self.residuals[index] =
                ContactBlock::residual(batches, index, velocities, impulses[index]);
        }
        self.lanes.residuals(
            &batches.friction,
            &self.velocities,
            &mut self.residuals,
            team,
        );
        let residuals = &self.residuals;
        parallel::fill(
            &mut self.contact_partials,
            count.div_ceil(WORKGROUP),
            SUMS_PER_THREAD,
            |workgroup| {
                let first = workgroup * WORKGROUP;
                reduce_workgroup(&residuals[first..count.min(first + WORKGROUP)])
            },
        );
        joint_residual(
            batches,
            self.velocities.bodies(),
            &batches.joints.impulses,
            &mut self.joint_partials,
        );
        residual::finish(
            [&self.contact_partials, &self.joint_partials],
            batches.block_count(),
        )
    }
}
