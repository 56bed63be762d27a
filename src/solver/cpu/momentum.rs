//! Repeating a part of the last change; twins of `shaders/block_momentum.wgsl` and
//! `shaders/body_momentum.wgsl`.

use super::sweep::VelocityChange;
use crate::math::{self, V3};
use crate::problem::batches::BodyVelocity;
use crate::solver::momentum::{ContactMemory, JointMemory};

/// Which part of [`body_momentum`] to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyMomentum {
    /// The whole of it.
    Whole,
    /// Before velocities are rebuilt from impulses: keeps their last change, and sets them to zero.
    BeforeRebuild,
    /// After that: adds the change that was kept.
    AfterRebuild,
}

/// `r + b (r - r_previous)` for every contact.
pub fn contact_momentum(factor: f32, impulses: &mut [[f32; 4]], memory: &mut [ContactMemory]) {
    for (impulse, memory) in impulses.iter_mut().zip(memory) {
        let now = *impulse;
        for axis in 0..4 {
            impulse[axis] = now[axis] + factor * (now[axis] - memory.previous[axis]);
        }
        *memory = ContactMemory {
            previous: now,
            start: *impulse,
        };
    }
}

/// The same for every joint row.
pub fn joint_momentum(factor: f32, impulses: &mut [f32], memory: &mut [JointMemory]) {
    for (impulse, memory) in impulses.iter_mut().zip(memory) {
        let now = *impulse;
        *impulse = now + factor * (now - memory.previous);
        *memory = JointMemory {
            previous: now,
            start: *impulse,
        };
    }
}

/// The same for every body's velocity; `memory` is the velocity after the sweep before the last, and
/// while velocities are rebuilt their last change.
pub fn body_momentum(
    part: BodyMomentum,
    factor: f32,
    velocities: &mut [BodyVelocity],
    memory: &mut [VelocityChange],
) {
    let repeat = |now: V3, change: V3| math::add(now, math::scale(change, factor));
    for (velocity, memory) in velocities.iter_mut().zip(memory) {
        let (linear, angular) = (velocity.linear, velocity.angular);
        let change = match part {
            BodyMomentum::AfterRebuild => *memory,
            _ => VelocityChange {
                linear: math::sub(linear, memory.linear),
                angular: math::sub(angular, memory.angular),
                ..VelocityChange::default()
            },
        };
        if part == BodyMomentum::BeforeRebuild {
            *memory = change;
            velocity.linear = [0.0; 3];
            velocity.angular = [0.0; 3];
            continue;
        }
        memory.linear = linear;
        memory.angular = angular;
        velocity.linear = repeat(linear, change.linear);
        velocity.angular = repeat(angular, change.angular);
    }
}
