//! Natural-map residual of every contact; twin of `shaders/contact_residual.wgsl`.

use super::contact_block;
use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::solver::residual::{Partial, reduce_workgroup};
use std::ops::Range;

const SIZE: usize = WORKGROUP_SIZE as usize;

/// One partial sum per workgroup's worth of contacts, in the order of the blocks.
pub fn contact_residual(
    batches: &Batches,
    velocities: &[BodyVelocity],
    impulses: &[[f32; 4]],
    partials: &mut Vec<Partial>,
) {
    let mut residuals = vec![0.0; impulses.len()];
    contact_residual_part(
        batches,
        0..impulses.len(),
        velocities,
        impulses,
        &mut residuals,
    );
    partials.clear();
    partials.extend(residuals.chunks(SIZE).map(reduce_workgroup));
}

/// The residuals of some contacts `[m/s]`, shape `[contacts.len()]`.
pub(super) fn contact_residual_part(
    batches: &Batches,
    contacts: Range<usize>,
    velocities: &[BodyVelocity],
    impulses: &[[f32; 4]],
    residuals: &mut [f32],
) {
    let side = |body: u32| (&velocities[body as usize], &batches.inertias[body as usize]);
    for (contact, residual) in contacts.zip(residuals) {
        let block = &batches.contacts.blocks[contact];
        *residual = contact_block::residual(
            block,
            &batches.friction,
            impulses[contact],
            side(block.body_a),
            side(block.body_b),
        );
    }
}
