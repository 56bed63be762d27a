//! Mass-split Jacobi over the joints of the remainder; twin of `shaders/joint_split.wgsl`.

use super::contact_split::VelocityChange;
use super::joint;
use super::sweep::Sweep;
use crate::math;
use crate::parallel::SharedSlice;
use crate::problem::batches::{Batches, BodyVelocity, NO_SLOT, change_by};
use std::ops::Range;

/// Updates every joint of the remainder against velocities that do not change meanwhile.
///
/// Each joint, with all its rows, sees its own copies of its bodies, with the body's mass divided by
/// the number of its joints in the remainder. The rows are swept one after the other on these copies; the sum
/// of their impulses is applied unscaled to the true bodies, as that of a contact is (see
/// `contact_split`). The changes go to `changes`, one slot per joint and
/// movable body, for `body_gather`.
pub fn joint_split(
    batches: &Batches,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &mut [f32],
    changes: &mut [VelocityChange],
) {
    let changes = SharedSlice::new(changes);
    let impulses = SharedSlice::new(impulses);
    let all = 0..batches.joints.remainder.elements.len();
    joint_split_part(batches, all, sweep, velocities, &impulses, &changes);
}

/// Updates some joints of the remainder; other threads have others.
pub(super) fn joint_split_part(
    batches: &Batches,
    elements: Range<usize>,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &SharedSlice<'_, f32>,
    changes: &SharedSlice<'_, VelocityChange>,
) {
    let joints = &batches.joints;
    for element in elements {
        let group = joints.remainder.elements.start as usize + element;
        let slots = &joints.remainder.slots[element];
        let first = joints.group_starts[group] as usize;
        let end = joints.group_starts[group + 1] as usize;
        let block = &joints.blocks[first];
        let (a, b) = (block.body_a as usize, block.body_b as usize);
        let (mut velocity_a, mut velocity_b) = (velocities[a], velocities[b]);
        let (inertia_a, inertia_b) = (&batches.inertias[a], &batches.inertias[b]);
        let mut total = [0.0; 3];
        let mut moment_a = [0.0; 3];
        let mut moment_b = [0.0; 3];
        for index in first..end {
            let block = &joints.blocks[index];
            // SAFETY: each row is in one group.
            #[allow(unsafe_code, reason = "groups are disjoint")]
            let impulse = unsafe { impulses.read(index) };
            let (updated, change) = joint::step(
                sweep,
                block,
                impulse,
                (&mut velocity_a, inertia_a, slots.copies_a),
                (&mut velocity_b, inertia_b, slots.copies_b),
            );
            // SAFETY: as above.
            #[allow(unsafe_code, reason = "groups are disjoint")]
            unsafe {
                impulses.write(index, updated);
            }
            total = math::add(total, math::scale(block.linear, change));
            moment_a = math::add(moment_a, math::scale(block.angular_a, change));
            moment_b = math::add(moment_b, math::scale(block.angular_b, change));
        }
        for (slot, body, total, moment) in [
            (slots.slot_a, a, total, moment_a),
            (slots.slot_b, b, math::scale(total, -1.0), moment_b),
        ] {
            if slot == NO_SLOT {
                continue;
            }
            let (mass, inertia) = (velocities[body].inverse_mass, &batches.inertias[body]);
            let (linear, angular) = change_by(total, moment, mass, &inertia.inverse);
            let change = VelocityChange {
                linear,
                angular,
                ..VelocityChange::default()
            };
            // SAFETY: every slot belongs to one joint and one of its bodies.
            #[allow(unsafe_code, reason = "slots are handed out once")]
            unsafe {
                changes.write(slot as usize, change);
            }
        }
    }
}
