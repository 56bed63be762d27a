//! The arithmetic of one joint row; twin of `shaders/shared/joint.wgsl`, operation by operation.

use super::contact_block::dead_band;
use super::sweep::Sweep;
use crate::math::{self, V3};
use crate::problem::batches::{BodyInertia, BodyVelocity, JointBlock, JointScale};

/// `J V + bias`; `a` and `b` are what the impulses added to the bodies' velocities.
#[inline(always)]
fn relative_velocity(block: &JointBlock, a: &BodyVelocity, b: &BodyVelocity) -> f32 {
    let linear = math::dot(block.linear, math::sub(a.linear, b.linear));
    let angular_a = math::dot(block.angular_a, a.angular);
    let angular_b = math::dot(block.angular_b, b.angular);
    block.free_velocity + ((linear + angular_a) + angular_b)
}

/// The impulse that a step of `mass` against the velocity `u = J V + bias + softness r` leads to,
/// before its bounds.
#[inline(always)]
fn trial(block: &JointBlock, mass: f32, impulse: f32, a: &BodyVelocity, b: &BodyVelocity) -> f32 {
    let u = relative_velocity(block, a, b) + block.softness * impulse;
    impulse - mass * u
}

/// The nearest impulse within the bounds.
#[inline(always)]
fn bounded(block: &JointBlock, impulse: f32) -> f32 {
    impulse.max(block.lower).min(block.upper)
}

/// Adds an impulse and a moment to a body of which there are `copies`, each with `1/copies` of its
/// mass.
#[inline(always)]
fn apply(velocity: &mut BodyVelocity, inertia: &BodyInertia, impulse: V3, moment: V3, copies: f32) {
    let angular = math::symmetric_mul(&inertia.inverse, moment);
    velocity.linear = math::add(
        velocity.linear,
        math::scale(impulse, velocity.inverse_mass * copies),
    );
    velocity.angular = math::add(velocity.angular, math::scale(angular, copies));
}

/// One projected Gauss–Seidel update of a row: `r <- clamp(r - u / (W_ii + softness), lower, upper)`.
///
/// A change within `dead_band` of the impulse is left undone. Returns the new impulse and its change.
#[inline(always)]
fn update(
    block: &JointBlock,
    impulse: f32,
    a: &BodyVelocity,
    b: &BodyVelocity,
    dead_band: f32,
) -> (f32, f32) {
    let mut updated = bounded(block, trial(block, block.mass, impulse, a, b));
    if (updated - impulse).abs() <= dead_band * impulse.abs() {
        updated = impulse;
    }
    (updated, updated - impulse)
}

/// What a pass does to a row: an update, or where velocities are rebuilt the whole of its impulse as
/// a change. Returns the new impulse and its change; `a` and `b` are the velocities after it.
#[inline(always)]
pub(super) fn step(
    sweep: Sweep,
    block: &JointBlock,
    impulse: f32,
    a: (&mut BodyVelocity, &BodyInertia, f32),
    b: (&mut BodyVelocity, &BodyInertia, f32),
) -> (f32, f32) {
    let (velocity_a, inertia_a, copies_a) = a;
    let (velocity_b, inertia_b, copies_b) = b;
    let (updated, change) = match sweep {
        Sweep::Rebuild => (impulse, impulse),
        Sweep::Forward | Sweep::Reverse => {
            let dead_band = dead_band(copies_a, copies_b);
            update(block, impulse, velocity_a, velocity_b, dead_band)
        }
    };
    apply(
        velocity_a,
        inertia_a,
        math::scale(block.linear, change),
        math::scale(block.angular_a, change),
        copies_a,
    );
    apply(
        velocity_b,
        inertia_b,
        math::scale(block.linear, -change),
        math::scale(block.angular_b, change),
        copies_b,
    );
    (updated, change)
}

/// Natural-map residual of a row `[m/s]`; see [`residual`](crate::solver::residual).
#[inline(always)]
pub(super) fn residual(
    block: &JointBlock,
    scale: &JointScale,
    impulse: f32,
    a: &BodyVelocity,
    b: &BodyVelocity,
) -> f32 {
    let projected = bounded(block, trial(block, scale.mass, impulse, a, b));
    (impulse - projected).abs() * scale.per_impulse
}
