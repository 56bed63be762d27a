//! Gauss–Seidel over the joints of one colour; twin of `shaders/joint_sweep.wgsl`.

use super::joint;
use super::sweep::Sweep;
use crate::parallel::SharedSlice;
use crate::problem::batches::{Batches, BodyVelocity};

/// Sweeps all groups of a colour, the rows of a group one after the other.
///
/// [`CpuSolver`](super::CpuSolver) does the same, with the same result, to sixteen groups at once.
pub fn joint_sweep(
    batches: &Batches,
    color: usize,
    sweep: Sweep,
    velocities: &mut [BodyVelocity],
    impulses: &mut [f32],
) {
    let groups = batches.joints.colors[color].clone();
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
    impulses: &SharedSlice<'_, f32>,
) {
    let joints = &batches.joints;
    let first = joints.group_starts[group] as usize;
    let end = joints.group_starts[group + 1] as usize;
    let block = &joints.blocks[first];
    let (a, b) = (block.body_a as usize, block.body_b as usize);
    let (inertia_a, inertia_b) = (&batches.inertias[a], &batches.inertias[b]);
    // SAFETY: no other group of this colour has a movable body in common with this one, immovable
    // bodies are never written, and each row is in one group.
    #[allow(unsafe_code, reason = "the colouring makes groups disjoint")]
    unsafe {
        let mut velocity_a = velocities.read(a);
        let mut velocity_b = velocities.read(b);
        for index in first..end {
            let (impulse, _) = joint::step(
                sweep,
                &joints.blocks[index],
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
