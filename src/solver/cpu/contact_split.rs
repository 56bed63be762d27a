//! Mass-split Jacobi over the remainder; twin of `shaders/contact_split.wgsl`.

use super::contact_block;
use super::sweep::Sweep;
use crate::math;
use crate::parallel::SharedSlice;
use crate::problem::batches::{Batches, BodyVelocity, NO_SLOT, change_by};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// What one contact or joint adds to the velocity of one body; 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct VelocityChange {
    /// Of the centre of mass `[m/s]`.
    pub linear: [f32; 3],
    /// Unused.
    pub padding: f32,
    /// Angular `[rad/s]`.
    pub angular: [f32; 3],
    /// Unused.
    pub padding_2: f32,
}

/// Updates every contact of the remainder against velocities that do not change meanwhile.
///
/// Each contact sees its own copies of its bodies, with the body's mass divided by the number of its
/// contacts in the remainder; its impulse is applied unscaled to the true bodies, because the
/// average over the copies of a body is the velocity of the true body. The changes go to `changes`,
/// one slot per contact and movable body, for `body_gather`.
pub fn contact_split(
    batches: &Batches,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &mut [[f32; 4]],
    changes: &mut [VelocityChange],
) {
    let changes = SharedSlice::new(changes);
    let impulses = SharedSlice::new(impulses);
    let all = 0..batches.contacts.remainder.elements.len();
    contact_split_part(batches, all, sweep, velocities, &impulses, &changes);
}

/// Updates some contacts of the remainder; other threads have others.
pub(super) fn contact_split_part(
    batches: &Batches,
    elements: Range<usize>,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &SharedSlice<'_, [f32; 4]>,
    changes: &SharedSlice<'_, VelocityChange>,
) {
    let remainder = &batches.contacts.remainder;
    let first = remainder.elements.start as usize;
    let blocks = first + elements.start..first + elements.end;
    // SAFETY: each contact is one thread's.
    #[allow(unsafe_code, reason = "threads have contacts of their own")]
    let impulses = unsafe { impulses.range(blocks.clone()) };
    let blocks = batches.contacts.blocks[blocks].iter();
    for ((block, slots), impulse) in blocks.zip(&remainder.slots[elements]).zip(impulses) {
        let (a, b) = (block.body_a as usize, block.body_b as usize);
        let (mut velocity_a, mut velocity_b) = (velocities[a], velocities[b]);
        let (inertia_a, inertia_b) = (&batches.inertias[a], &batches.inertias[b]);
        let (updated, total) = contact_block::step(
            sweep,
            block,
            &batches.friction,
            *impulse,
            (&mut velocity_a, inertia_a, slots.copies_a),
            (&mut velocity_b, inertia_b, slots.copies_b),
        );
        *impulse = updated;
        for (slot, body, arm, total) in [
            (slots.slot_a, a, block.arm_a, total),
            (slots.slot_b, b, block.arm_b, math::scale(total, -1.0)),
        ] {
            if slot == NO_SLOT {
                continue;
            }
            let (mass, inertia) = (velocities[body].inverse_mass, &batches.inertias[body]);
            let (linear, angular) =
                change_by(total, math::cross(arm, total), mass, &inertia.inverse);
            let change = VelocityChange {
                linear,
                angular,
                ..VelocityChange::default()
            };
            // SAFETY: every slot belongs to one contact and one of its bodies.
            #[allow(unsafe_code, reason = "slots are handed out once")]
            unsafe {
                changes.write(slot as usize, change);
            }
        }
    }
}
