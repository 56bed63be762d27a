//! Passes over the blocks of the batches, one after the other: twins of `shaders/block_sweep.wgsl` and
//! `shaders/block_split.wgsl`.

use super::block::{Block, Push, Sweep, Visit};
use crate::constants::FIRST_VISITS;
use crate::math;
use crate::parallel::SharedSlice;
use crate::problem::batches::{
    Batches, BodyVelocity, ContactBlock, JointBlock, NO_SLOT, change_by,
};
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

/// Sweeps all groups of a colour, the contacts of a group one after the other.
///
/// [`CpuSolver`](super::CpuSolver) does the same, with the same result, to sixteen groups at once.
pub fn contact_sweep(
    batches: &Batches,
    color: usize,
    sweep: Sweep,
    velocities: &mut [BodyVelocity],
    impulses: &mut [[f32; 4]],
) {
    sweep_color::<ContactBlock>(batches, color, sweep, velocities, impulses);
}

/// The same with joints and their rows.
pub fn joint_sweep(
    batches: &Batches,
    color: usize,
    sweep: Sweep,
    velocities: &mut [BodyVelocity],
    impulses: &mut [f32],
) {
    sweep_color::<JointBlock>(batches, color, sweep, velocities, impulses);
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
    split_all::<ContactBlock>(batches, sweep, velocities, impulses, changes);
}

/// The same with joints: all rows of one are swept one after the other on the same copies.
pub fn joint_split(
    batches: &Batches,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &mut [f32],
    changes: &mut [VelocityChange],
) {
    split_all::<JointBlock>(batches, sweep, velocities, impulses, changes);
}

fn sweep_color<B: Block>(
    batches: &Batches,
    color: usize,
    sweep: Sweep,
    velocities: &mut [BodyVelocity],
    impulses: &mut [B::Impulse],
) {
    let packed = B::packed(batches);
    let impulses = SharedSlice::new(impulses);
    for group in packed.colors[color].clone() {
        let rows = packed.blocks_of(&(group..group + 1));
        let rows = rows.start as usize..rows.end as usize;
        let [a, b] = packed.blocks[rows.start].bodies().map(|body| body as usize);
        let mut bodies = [velocities[a], velocities[b]];
        // SAFETY: nobody else has impulses.
        #[allow(unsafe_code, reason = "there is one thread")]
        unsafe {
            visit_pair::<B>(batches, sweep, rows, &impulses, &mut bodies, [1.0; 2]);
        }
        for (body, velocity) in [a, b].into_iter().zip(bodies) {
            if velocity.inverse_mass > 0.0 {
                velocities[body] = velocity;
            }
        }
    }
}

fn split_all<B: Block>(
    batches: &Batches,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &mut [B::Impulse],
    changes: &mut [VelocityChange],
) {
    let changes = SharedSlice::new(changes);
    let impulses = SharedSlice::new(impulses);
    let all = 0..B::packed(batches).remainder.elements.len();
    split_part::<B>(batches, all, sweep, velocities, &impulses, &changes);
}

/// Visits the blocks that link two bodies, of which there may be copies, unless the first visits hardly change them.
///
/// # Safety
/// As of [`step_through`].
#[inline(always)]
#[allow(unsafe_code, reason = "the caller's promise")]
pub(super) unsafe fn visit_pair<B: Block>(
    batches: &Batches,
    sweep: Sweep,
    blocks: impl ExactSizeIterator<Item = usize> + Clone,
    impulses: &SharedSlice<'_, B::Impulse>,
    velocities: &mut [BodyVelocity; 2],
    copies: [f32; 2],
) {
    let before = *velocities;
    let visits = B::visits(batches, sweep, blocks.len());
    for (number, &visit) in visits.iter().enumerate() {
        if number == FIRST_VISITS as usize
            && B::is_calm(batches, blocks.clone(), &before, velocities)
        {
            break;
        }
        let blocks = blocks.clone();
        // SAFETY: the caller's promise.
        unsafe { step_through::<B>(batches, blocks, visit, impulses, velocities, copies) };
    }
}

/// Steps through blocks that link the same two bodies, of which there may be copies; returns the sums of what A and B
/// were pushed with.
///
/// # Safety
/// Nobody else has the impulses of these blocks.
#[inline(always)]
#[allow(unsafe_code, reason = "the caller's promise")]
pub(super) unsafe fn step_through<B: Block>(
    batches: &Batches,
    blocks: impl Iterator<Item = usize>,
    visit: Visit,
    impulses: &SharedSlice<'_, B::Impulse>,
    velocities: &mut [BodyVelocity; 2],
    copies: [f32; 2],
) -> [Push; 2] {
    let mut sums = [Push::default(); 2];
    let all = &B::packed(batches).blocks;
    for index in blocks {
        let block = &all[index];
        let [inertia_a, inertia_b] = block.bodies().map(|body| &batches.inertias[body as usize]);
        let [a, b] = &*velocities;
        let bodies = [(a, inertia_a, copies[0]), (b, inertia_b, copies[1])];
        // SAFETY: the caller's promise.
        let step = unsafe { block.step(visit, &batches.friction, impulses.read(index), bodies) };
        // SAFETY: likewise.
        unsafe { impulses.write(index, step.impulse) };
        for (side, (impulse, moment)) in step.pushes.into_iter().enumerate() {
            velocities[side].add(step.changes[side]);
            sums[side].0 = math::add(sums[side].0, impulse);
            sums[side].1 = math::add(sums[side].1, moment);
        }
    }
    sums
}

/// Updates some elements of the remainder; other threads have others.
pub(super) fn split_part<B: Block>(
    batches: &Batches,
    elements: Range<usize>,
    sweep: Sweep,
    velocities: &[BodyVelocity],
    impulses: &SharedSlice<'_, B::Impulse>,
    changes: &SharedSlice<'_, VelocityChange>,
) {
    let packed = B::packed(batches);
    for element in elements {
        let slots = &packed.remainder.slots[element];
        let blocks = B::of_element(packed, packed.remainder.elements.start + element as u32);
        let [a, b] = packed.blocks[blocks.start]
            .bodies()
            .map(|body| body as usize);
        let mut bodies = [velocities[a], velocities[b]];
        let copies = [slots.copies_a, slots.copies_b];
        // All blocks of an element are one joint's, or it is a contact.
        let visit = B::visits(batches, sweep, 1)[0];
        // SAFETY: each element, with its blocks, is one thread's.
        #[allow(unsafe_code, reason = "threads have elements of their own")]
        let sums =
            unsafe { step_through::<B>(batches, blocks, visit, impulses, &mut bodies, copies) };
        let [of_a, of_b] = sums;
        for (slot, body, (impulse, moment)) in [(slots.slot_a, a, of_a), (slots.slot_b, b, of_b)] {
            if slot == NO_SLOT {
                continue;
            }
            let (mass, inertia) = (velocities[body].inverse_mass, &batches.inertias[body]);
            let (linear, angular) = change_by(impulse, moment, mass, &inertia.inverse);
            let change = VelocityChange {
                linear,
                angular,
                ..VelocityChange::default()
            };
            // SAFETY: every slot belongs to one element and one of its bodies.
            #[allow(unsafe_code, reason = "slots are handed out once")]
            unsafe {
                changes.write(slot as usize, change);
            }
        }
    }
}
