//! Repeating a part of the last change, or of the direction of conjugate gradients; twins of
//! `shaders/contact_momentum.wgsl`, `shaders/joint_momentum.wgsl` and `shaders/body_momentum.wgsl`, and of
//! those of the same names with `conjugate` for `momentum`.

use super::contact_split::VelocityChange;
use crate::math::{self, V3};
use crate::problem::batches::BodyVelocity;
use crate::solver::momentum::{ContactMemory, JointMemory};

/// Which part of [`body_momentum`] or [`body_conjugate`] to do.
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

/// Direction and next start of one number: `p <- g + b p` with `g` the last step, and `r + b p` with the
/// direction before; with a factor below 0, no direction and `r`.
#[inline(always)]
fn conjugate(factor: f32, now: f32, step: f32, direction: f32) -> (f32, f32) {
    if factor < 0.0 {
        return (0.0, now);
    }
    let repeated = factor * direction;
    (step + repeated, now + repeated)
}

/// The same for three numbers; changes the direction and returns the start.
#[inline(always)]
fn conjugate_vector(factor: f32, now: V3, step: V3, direction: &mut V3) -> V3 {
    std::array::from_fn(|axis| {
        let (next, start) = conjugate(factor, now[axis], step[axis], direction[axis]);
        direction[axis] = next;
        start
    })
}

/// `r + b p` for every contact, and the next direction.
pub fn contact_conjugate(factor: f32, impulses: &mut [[f32; 4]], memory: &mut [ContactMemory]) {
    for (impulse, memory) in impulses.iter_mut().zip(memory) {
        let ContactMemory { previous, start } = memory;
        for ((now, direction), start) in impulse.iter_mut().zip(previous).zip(start) {
            (*direction, *now) = conjugate(factor, *now, *now - *start, *direction);
            *start = *now;
        }
    }
}

/// The same for every joint row.
pub fn joint_conjugate(factor: f32, impulses: &mut [f32], memory: &mut [JointMemory]) {
    for (impulse, memory) in impulses.iter_mut().zip(memory) {
        let now = *impulse;
        (memory.previous, *impulse) = conjugate(factor, now, now - memory.start, memory.previous);
        memory.start = *impulse;
    }
}

/// The same for every body's velocity; the first half of `memory` has the directions, the second the
/// velocities at the last start, and while velocities are rebuilt their last step.
pub fn body_conjugate(
    part: BodyMomentum,
    factor: f32,
    velocities: &mut [BodyVelocity],
    memory: &mut [VelocityChange],
) {
    let (directions, starts) = memory.split_at_mut(velocities.len());
    body_conjugate_part(part, factor, velocities, directions, starts);
}

/// The same for some of the bodies.
pub(super) fn body_conjugate_part(
    part: BodyMomentum,
    factor: f32,
    velocities: &mut [BodyVelocity],
    directions: &mut [VelocityChange],
    starts: &mut [VelocityChange],
) {
    let bodies = velocities.iter_mut().zip(directions).zip(starts);
    for ((velocity, direction), start) in bodies {
        let (linear, angular) = (velocity.linear, velocity.angular);
        let step = match part {
            BodyMomentum::AfterRebuild => *start,
            _ => VelocityChange {
                linear: math::sub(linear, start.linear),
                angular: math::sub(angular, start.angular),
                ..VelocityChange::default()
            },
        };
        if part == BodyMomentum::BeforeRebuild {
            *start = step;
            velocity.linear = [0.0; 3];
            velocity.angular = [0.0; 3];
            continue;
        }
        velocity.linear = conjugate_vector(factor, linear, step.linear, &mut direction.linear);
        velocity.angular = conjugate_vector(factor, angular, step.angular, &mut direction.angular);
        start.linear = velocity.linear;
        start.angular = velocity.angular;
    }
}
