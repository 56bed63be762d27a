//! Natural-map residual of every contact; twin of `shaders/contact_residual.wgsl`.

use super::contact;
use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::solver::residual::{Partial, reduce_workgroup};
use rayon::prelude::*;

/// One partial sum per workgroup's worth of contacts, in the order of the blocks.
pub fn contact_residual(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[[f32; 4]],
    partials: &mut Vec<Partial>,
) {
    batches
        .contacts
        .blocks
        .par_chunks(WORKGROUP_SIZE as usize)
        .zip(impulses.par_chunks(WORKGROUP_SIZE as usize))
        .with_min_len(16)
        .map(|(blocks, impulses)| {
            let mut residuals = [0.0; WORKGROUP_SIZE as usize];
            for ((residual, block), impulse) in residuals.iter_mut().zip(blocks).zip(impulses) {
                *residual = contact::residual(
                    block,
                    &batches.friction,
                    *impulse,
                    &velocities[block.body_a as usize],
                    &velocities[block.body_b as usize],
                );
            }
            reduce_workgroup(&residuals[..blocks.len()])
        })
        .collect_into_vec(partials);
}
