//! Natural-map residual of every joint row; twin of `shaders/joint_residual.wgsl`.

use super::joint;
use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::solver::residual::{Partial, reduce_workgroup};
use rayon::prelude::*;

/// One partial sum per workgroup's worth of rows, in the order of the blocks.
pub fn joint_residual(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[f32],
    partials: &mut Vec<Partial>,
) {
    let size = WORKGROUP_SIZE as usize;
    batches
        .joints
        .blocks
        .par_chunks(size)
        .zip(batches.joint_scales.par_chunks(size))
        .zip(impulses.par_chunks(size))
        .with_min_len(16)
        .map(|((blocks, scales), impulses)| {
            let mut residuals = [0.0; WORKGROUP_SIZE as usize];
            let rows = blocks.iter().zip(scales).zip(impulses);
            for (residual, ((block, scale), impulse)) in residuals.iter_mut().zip(rows) {
                *residual = joint::residual(
                    block,
                    scale,
                    *impulse,
                    &velocities[block.body_a as usize],
                    &velocities[block.body_b as usize],
                );
            }
            reduce_workgroup(&residuals[..blocks.len()])
        })
        .collect_into_vec(partials);
}
