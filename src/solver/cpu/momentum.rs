//! Repeating a part of the last change; twins of `shaders/block_momentum.wgsl` and
//! `shaders/body_momentum.wgsl`.

use super::sweep::VelocityChange;
use crate::math::{self, V3};
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::batches::BodyVelocity;
use crate::solver::momentum::{ContactMemory, Impulse, JointMemory, Memory, extrapolate};

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

/// Least number of impulses or bodies to wake a thread for: each takes a few nanoseconds.
const PER_THREAD: usize = 8192;

/// Momentum of every contact.
pub fn contact_momentum(factor: f32, impulses: &mut [[f32; 4]], memory: &mut [ContactMemory]) {
    momentum_of(factor, impulses, memory);
}

/// The same of every joint row.
pub fn joint_momentum(factor: f32, impulses: &mut [f32], memory: &mut [JointMemory]) {
    momentum_of(factor, impulses, memory);
}

fn momentum_of<I: Impulse + Send + Sync>(
    factor: f32,
    impulses: &mut [I],
    memory: &mut [Memory<I>],
) {
    for_pairs(impulses, memory, |impulse, memory| {
        extrapolate(impulse, memory, factor);
    });
}

fn for_pairs<T: Send + Sync, U: Send + Sync>(
    first: &mut [T],
    second: &mut [U],
    change: impl Fn(&mut T, &mut U) + Sync,
) {
    let slices = (SharedSlice::new(first), SharedSlice::new(second));
    for_chunks(slices, PER_THREAD, |_, (first, second)| {
        for (first, second) in first.iter_mut().zip(second) {
            change(first, second);
        }
    });
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
    for_pairs(velocities, memory, |velocity, memory| {
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
            return;
        }
        memory.linear = linear;
        memory.angular = angular;
        velocity.linear = repeat(linear, change.linear);
        velocity.angular = repeat(angular, change.angular);
    });
}
