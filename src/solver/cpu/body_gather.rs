//! Adds up what the contacts or joints of a remainder did to each body; twin of `shaders/body_gather.wgsl` and
//! `shaders/hub_gather.wgsl`.

use super::contact_split::VelocityChange;
use super::shared_slice::SharedSlice;
use crate::constants::{MIN_BLOCKS_PER_THREAD, WORKGROUP_SIZE};
use crate::math;
use crate::problem::batches::{BodyVelocity, Remainder, SplitBody};
use rayon::prelude::*;

/// Adds the changes of every body with few slots, in the order of its slots.
pub fn body_gather(
    remainder: &Remainder,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
) {
    gather(&remainder.bodies, changes, velocities, sum_in_order);
}

/// Adds the changes of every hub, in the order in which a workgroup does: invocation `i` takes the
/// slots `i, i + 64, ...`, then halving strides.
pub fn hub_gather(
    remainder: &Remainder,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
) {
    gather(&remainder.hubs, changes, velocities, sum_by_lanes);
}

fn gather(
    bodies: &[SplitBody],
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
    sum: impl Fn(&[VelocityChange]) -> VelocityChange + Sync,
) {
    let velocities = SharedSlice::new(velocities);
    bodies
        .par_iter()
        .with_min_len(MIN_BLOCKS_PER_THREAD)
        .for_each(|body| {
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
        });
}

fn plus(a: VelocityChange, b: &VelocityChange) -> VelocityChange {
    VelocityChange {
        linear: math::add(a.linear, b.linear),
        angular: math::add(a.angular, b.angular),
        ..a
    }
}

fn sum_in_order(changes: &[VelocityChange]) -> VelocityChange {
    changes.iter().fold(VelocityChange::default(), plus)
}

fn sum_by_lanes(changes: &[VelocityChange]) -> VelocityChange {
    let mut lanes = [VelocityChange::default(); WORKGROUP_SIZE as usize];
    for (index, change) in changes.iter().enumerate() {
        let lane = &mut lanes[index % WORKGROUP_SIZE as usize];
        *lane = plus(*lane, change);
    }
    let mut stride = lanes.len() / 2;
    while stride > 0 {
        for lane in 0..stride {
            lanes[lane] = plus(lanes[lane], &lanes[lane + stride]);
        }
        stride /= 2;
    }
    lanes[0]
}
