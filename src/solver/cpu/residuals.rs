//! Natural-map residuals: twins of `shaders/block_residual.wgsl`, and a look at all among the threads of a team.

use super::block::Block;
use super::parts::{SIZE, fill_parts};
use super::{CpuSolver, remainder_contacts};
use crate::parallel::Team;
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
    let workgroups = 0..impulses.len().div_ceil(SIZE);
    partials.clear();
    partials.extend(workgroups.map(|at| partial_of::<B>(batches, at, velocities, impulses)));
}

/// The partial sum of one workgroup.
fn partial_of<B: Block>(
    batches: &Batches,
    workgroup: usize,
    velocities: &[BodyVelocity],
    impulses: &[B::Impulse],
) -> Partial {
    let first = workgroup * SIZE;
    let blocks = first..impulses.len().min(first + SIZE);
    let mut residuals = [0.0; SIZE];
    for (residual, index) in residuals.iter_mut().zip(blocks.clone()) {
        *residual = B::residual(batches, index, velocities, impulses[index]);
    }
    reduce_workgroup(&residuals[..blocks.len()])
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
        self.contact_partials
            .resize(count.div_ceil(SIZE), Partial::default());
        let residuals = &self.residuals;
        fill_parts(team, &mut self.contact_partials, |first, partials| {
            for (residuals, partial) in residuals[first * SIZE..].chunks(SIZE).zip(partials) {
                *partial = reduce_workgroup(residuals);
            }
        });
        self.joint_partials.resize(
            batches.joints.blocks.len().div_ceil(SIZE),
            Partial::default(),
        );
        let velocities = self.velocities.bodies();
        let impulses = &batches.joints.impulses;
        fill_parts(team, &mut self.joint_partials, |first, partials| {
            for (workgroup, partial) in (first..).zip(partials) {
                *partial = partial_of::<JointBlock>(batches, workgroup, velocities, impulses);
            }
        });
        residual::finish(
            [&self.contact_partials, &self.joint_partials],
            batches.block_count(),
        )
    }
}
