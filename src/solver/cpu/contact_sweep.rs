//! Gauss–Seidel over one colour; twin of `shaders/contact_sweep.wgsl`.

use super::contact_block;
use super::sweep::Sweep;
use crate::parallel::SharedSlice;
use crate::problem::batches::{Batches, BodyVelocity};

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
    let groups = batches.contacts.colors[color].clone();
    let velocities = SharedSlice::new(velocities);
    let impulses = SharedSlice::new(impulses);
    for group in groups {
        sweep_group(batches, group as usize, sweep, &velocities, &impulses);
    }
}

fn sweep_group(
    batches: &Batches,
    group: usize,
    sweep: Sweep,
    velocities: &SharedSlice<'_, BodyVelocity>,
    impulses: &SharedSlice<'_, [f32; 4]>,
) {
    let contacts = &batches.contacts;
    let first = contacts.group_starts[group] as usize;
    let end = contacts.group_starts[group + 1] as usize;
    let block = &contacts.blocks[first];
    let (a, b) = (block.body_a as usize, block.body_b as usize);
    let (inertia_a, inertia_b) = (&batches.inertias[a], &batches.inertias[b]);
    // SAFETY: no other group of this colour has a movable body in common with this one, immovable
    // bodies are never written, and each block is in one group.
    #[allow(unsafe_code, reason = "the colouring makes groups disjoint")]
    unsafe {
        let mut velocity_a = velocities.read(a);
        let mut velocity_b = velocities.read(b);
        for index in first..end {
            let (impulse, _) = contact_block::step(
                sweep,
                &contacts.blocks[index],
                &batches.friction,
                impulses.read(index),
                (&mut velocity_a, inertia_a, 1.0),
                (&mut velocity_b, inertia_b, 1.0),
            );
            impulses.write(index, impulse);
        }
        if velocity_a.inverse_mass > 0.0 {
            velocities.write(a, velocity_a);
        }
        if velocity_b.inverse_mass > 0.0 {
            velocities.write(b, velocity_b);
        }
    }
}
