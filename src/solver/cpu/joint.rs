//! The arithmetic of a joint row, in every lane; in lanes of one number the twin of `shaders/shared/joint.wgsl`,
//! operation by operation.

use super::contact::Bodies;
use super::contact_block::dead_band;
use super::sweep::Sweep;
use crate::math;
use crate::problem::batches::{BodyInertia, BodyVelocity, JointBlock, JointScale, Motion};
use crate::simd::{Simd, Vector, vector};

/// One joint row a lane; fields as those of [`JointBlock`].
#[derive(Clone, Copy)]
pub(super) struct JointRow<S> {
    pub(super) linear: Vector<S>,
    pub(super) free_velocity: S,
    pub(super) angular_a: Vector<S>,
    pub(super) softness: S,
    pub(super) angular_b: Vector<S>,
    pub(super) mass: S,
    pub(super) lower: S,
    pub(super) upper: S,
}

impl JointRow<f32> {
    fn of(block: &JointBlock) -> Self {
        Self {
            linear: block.linear,
            free_velocity: block.free_velocity,
            angular_a: block.angular_a,
            softness: block.softness,
            angular_b: block.angular_b,
            mass: block.mass,
            lower: block.lower,
            upper: block.upper,
        }
    }
}

impl<S: Simd> JointRow<S> {
    /// `J V + bias`; `a` and `b` are what the impulses added to the bodies' velocities.
    #[inline(always)]
    fn relative_velocity(&self, a: Motion<S>, b: Motion<S>) -> S {
        let linear = vector::dot(self.linear, vector::sub(a.0, b.0));
        let angular_a = vector::dot(self.angular_a, a.1);
        let angular_b = vector::dot(self.angular_b, b.1);
        self.free_velocity + ((linear + angular_a) + angular_b)
    }

    /// The impulse within its bounds that a step of `mass` against the velocity `u = J V + bias + softness r` leads to.
    #[inline(always)]
    fn projected(&self, mass: S, impulse: S, a: Motion<S>, b: Motion<S>) -> S {
        let u = self.relative_velocity(a, b) + self.softness * impulse;
        let least = (impulse - mass * u).max(self.lower);
        S::select(least.lt(self.upper), least, self.upper)
    }

    /// One projected Gauss–Seidel update: `r <- clamp(r - u / (W_ii + softness), lower, upper)`.
    ///
    /// A change within `dead_band` of the impulse is left undone.
    #[inline(always)]
    pub(super) fn update(&self, impulse: S, a: Motion<S>, b: Motion<S>, dead_band: f32) -> S {
        let updated = self.projected(self.mass, impulse, a, b);
        let still = (updated - impulse)
            .abs()
            .le(S::splat(dead_band) * impulse.abs());
        S::select(still, impulse, updated)
    }

    /// Adds an impulse of the row to whole bodies.
    #[inline(always)]
    pub(super) fn apply(&self, change: S, a: &mut Bodies<S>, b: &mut Bodies<S>) {
        let push = vector::scale(self.linear, change);
        a.push(push, vector::scale(self.angular_a, change));
        let push = vector::scale(push, S::splat(-1.0));
        b.push(push, vector::scale(self.angular_b, change));
    }
}

fn motion(velocity: &BodyVelocity) -> Motion<f32> {
    (velocity.linear, velocity.angular)
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
        Sweep::Update => {
            let dead_band = dead_band(copies_a, copies_b);
            let (a, b) = (motion(velocity_a), motion(velocity_b));
            let updated = JointRow::of(block).update(impulse, a, b, dead_band);
            (updated, updated - impulse)
        }
    };
    for ((velocity, inertia, copies), linear, angular) in [
        ((velocity_a, inertia_a, copies_a), change, block.angular_a),
        ((velocity_b, inertia_b, copies_b), -change, block.angular_b),
    ] {
        let push = math::scale(block.linear, linear);
        velocity.push_copy((inertia, copies), push, math::scale(angular, change));
    }
    (updated, change)
}

/// Natural-map residual of a row `[m/s]`; see [`solver`](crate::solver#the-residual).
#[inline(always)]
pub(super) fn residual(
    block: &JointBlock,
    scale: &JointScale,
    impulse: f32,
    a: &BodyVelocity,
    b: &BodyVelocity,
) -> f32 {
    let projected = JointRow::of(block).projected(scale.mass, impulse, motion(a), motion(b));
    (impulse - projected).abs() * scale.per_impulse
}
