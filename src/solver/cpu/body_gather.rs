//! Adds up what the contacts or joints of a remainder did to each body; twin of `shaders/body_gather.wgsl` and
//! `shaders/hub_gather.wgsl`.

use super::sweep::VelocityChange;
use crate::constants::MIN_BLOCKS_PER_THREAD;
use crate::math;
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::batches::{BodyVelocity, Remainder, SplitBody};
use crate::solver::sums::{self, Term};

/// Adds the changes of every body with few slots, in the order of its slots.
pub fn body_gather(
    remainder: &Remainder,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
) {
    let least = 8 * MIN_BLOCKS_PER_THREAD;
    gather(&remainder.bodies, least, changes, velocities, sum_in_order);
}

/// Adds the changes of every hub, in the order in which a workgroup does: invocation `i` takes the
/// slots `i, i + 64, ...`, then halving strides.
pub fn hub_gather(
    remainder: &Remainder,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
) {
    gather(&remainder.hubs, 8, changes, velocities, sum_by_lanes);
}

/// Adds the changes of some bodies, of which `least` are worth waking a thread for.
fn gather(
    bodies: &[SplitBody],
    least: usize,
    changes: &[VelocityChange],
    velocities: &mut [BodyVelocity],
    sum: impl Fn(&[VelocityChange]) -> VelocityChange + Sync,
) {
    let velocities = SharedSlice::new(velocities);
    for_chunks(bodies, least, |_, bodies| {
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
    });
}

impl Term for VelocityChange {
    fn plus(self, other: Self) -> Self {
        Self {
            linear: math::add(self.linear, other.linear),
            angular: math::add(self.angular, other.angular),
            ..self
        }
    }
}

pub(super) fn sum_in_order(changes: &[VelocityChange]) -> VelocityChange {
    let changes = changes.iter().copied();
    changes.fold(VelocityChange::default(), Term::plus)
}

pub(super) fn sum_by_lanes(changes: &[VelocityChange]) -> VelocityChange {
    sums::of_lists([changes.iter().copied()])
}
