//! Sums over blocks, one a workgroup's worth of them: natural-map residuals, and how impulses went on in the last sweep; twins of
//! `shaders/block_residual.wgsl` and `shaders/block_progress.wgsl`.

use super::block::Block;
use super::{CpuSolver, SUMS_PER_THREAD, WORKGROUP, remainder_contacts};
use crate::parallel::{self, Team};
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock, JointBlock};
use crate::solver::momentum::{ContactMemory, JointMemory, Memory, Progress};
use crate::solver::residual::{self, Partial};
use crate::solver::sums::{self, Term};

/// Residuals of contacts, in the order of the blocks.
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
    by_workgroups(partials, impulses.len(), |index| {
        Partial::of(B::residual(batches, index, velocities, impulses[index]))
    });
}

/// Progress of contacts, in the order of the blocks.
pub fn contact_progress(
    batches: &Batches,
    impulses: &[[f32; 4]],
    memory: &[ContactMemory],
    sums: &mut Vec<Progress>,
) {
    progress_of::<ContactBlock>(batches, impulses, memory, sums);
}

/// The same of joint rows.
pub fn joint_progress(
    batches: &Batches,
    impulses: &[f32],
    memory: &[JointMemory],
    sums: &mut Vec<Progress>,
) {
    progress_of::<JointBlock>(batches, impulses, memory, sums);
}

fn progress_of<B: Block>(
    batches: &Batches,
    impulses: &[B::Impulse],
    memory: &[Memory<B::Impulse>],
    sums: &mut Vec<Progress>,
) {
    let blocks = &B::packed(batches).blocks;
    by_workgroups(sums, impulses.len(), |index| {
        blocks[index].progress(&memory[index], impulses[index])
    });
}

/// The sum of each workgroup's worth of `count` terms.
pub(super) fn by_workgroups<T: Term + Send + Sync>(
    sums: &mut Vec<T>,
    count: usize,
    term: impl Fn(usize) -> T + Sync,
) {
    let workgroups = count.div_ceil(WORKGROUP);
    parallel::fill(sums, workgroups, SUMS_PER_THREAD, |workgroup| {
        let first = workgroup * WORKGROUP;
        sums::of_workgroup((first..count.min(first + WORKGROUP)).map(&term))
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
        by_workgroups(&mut self.contact_partials, count, |index| {
            Partial::of(residuals[index])
        });
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
