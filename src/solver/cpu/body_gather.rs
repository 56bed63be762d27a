//! Adds up what the contacts or joints of a remainder did to each body; twin of `shaders/body_gather.wgsl` and
//! `shaders/hub_gather.wgsl`.

use super::sweep::VelocityChange;
use crate::constants::WORKGROUP_SIZE;
use crate::math;
use crate::parallel::SharedSlice;
use crate::problem::batches::{BodyVelocity, Remainder, SplitBody};
use crate::solver::residual::by_halving_strides;

/// Adds the changes of every body with few slots, in the order of its slots.
pub fn body_gather(
    remainder: &Remainder,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
) {
    let velocities = SharedSlice::new(velocities);
    body_gather_part(&remainder.bodies, changes, &velocities);
}

/// Adds the changes of every hub, in the order in which a workgroup does: invocation `i` takes the
/// slots `i, i + 64, ...`, then halving strides.
pub fn hub_gather(
    remainder: &Remainder,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
) {
    let velocities = SharedSlice::new(velocities);
    hub_gather_part(&remainder.hubs, changes, &velocities);
}

/// Adds the changes of some bodies with few slots; other threads have other bodies.
pub(super) fn body_gather_part(
    bodies: &[SplitBody],
    changes: &[VelocityChange],
    velocities: &SharedSlice<'_, BodyVelocity>,
) {
    gather(bodies, changes, velocities, sum_in_order);
}

/// Adds the changes of some hubs; other threads have other hubs.
pub(super) fn hub_gather_part(
    hubs: &[SplitBody],
    changes: &[VelocityChange],
    velocities: &SharedSlice<'_, BodyVelocity>,
) {
    gather(hubs, changes, velocities, sum_by_lanes);
}

fn gather(
    bodies: &[SplitBody],
    changes: &[VelocityChange],
    velocities: &SharedSlice<'_, BodyVelocity>,
    sum: impl Fn(&[VelocityChange]) -> VelocityChange,
) {
    for body in bodies {
        let first = body.first_slot as usize;
        let change = sum(&changes[first..first + body.slot_count as usize]);
        // SAFETY: every body is in the list once.
        #[allow(unsafe_code, reason = "bodies are listed once")]
        unsafe {
            let mut velocity = velocities.read(body.body as usize);
            velocity.linear = math::add(velocity.linear, change.linear);
            velocity.angular = math::add(velocity.angular, change.angular);
            velocities.write(body.body as usize, velocity);
        }
    }
}

fn plus(a: VelocityChange, b: &VelocityChange) -> VelocityChange {
    VelocityChange {
        linear: math::add(a.linear, b.linear),
        angular: math::add(a.angular, b.angular),
        ..a
    }
}

pub(super) fn sum_in_order(changes: &[VelocityChange]) -> VelocityChange {
    changes.iter().fold(VelocityChange::default(), plus)
}

pub(super) fn sum_by_lanes(changes: &[VelocityChange]) -> VelocityChange {
    let mut lanes = [VelocityChange::default(); WORKGROUP_SIZE as usize];
    for (index, change) in changes.iter().enumerate() {
        let lane = &mut lanes[index % WORKGROUP_SIZE as usize];
        *lane = plus(*lane, change);
    }
    by_halving_strides(lanes, |a, b| plus(a, &b))
}
