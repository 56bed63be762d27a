//! Natural-map residual of every joint row; twin of `shaders/joint_residual.wgsl`.

use super::joint;
use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::solver::residual::{Partial, reduce_workgroup};

const SIZE: usize = WORKGROUP_SIZE as usize;

/// One partial sum per workgroup's worth of rows, in the order of the blocks.
pub fn joint_residual(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[f32],
    partials: &mut Vec<Partial>,
) {
    let workgroups = batches.joints.blocks.len().div_ceil(SIZE);
    partials.clear();
    partials.resize(workgroups, Partial::default());
    joint_residual_part(batches, 0, velocities, impulses, partials);
}

/// The partial sums from the workgroup `first` on.
pub(super) fn joint_residual_part(
    batches: &Batches,
    first: usize,
    velocities: &[BodyVelocity],
    impulses: &[f32],
    partials: &mut [Partial],
) {
    let joints = &batches.joints;
    for (workgroup, partial) in (first..).zip(partials) {
        let rows = workgroup * SIZE..joints.blocks.len().min((workgroup + 1) * SIZE);
        let mut residuals = [0.0; SIZE];
        for (residual, row) in residuals.iter_mut().zip(rows.clone()) {
            let block = &joints.blocks[row];
            *residual = joint::residual(
                block,
                &batches.joint_scales[row],
                impulses[row],
                &velocities[block.body_a as usize],
                &velocities[block.body_b as usize],
            );
        }
        *partial = reduce_workgroup(&residuals[..rows.len()]);
    }
}
