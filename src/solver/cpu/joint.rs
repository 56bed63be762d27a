//! The arithmetic of a joint row, in every lane; in lanes of one number the twin of `shaders/shared/joint.wgsl`,
//! operation by operation.

use super::contact::Bodies;
use crate::problem::batches::{JointBlock, Motion};
use crate::simd::{Simd, Vector, vector};
use bytemuck::Zeroable;

/// One joint row a lane; fields as those of [`JointBlock`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Zeroable)]
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
    pub(super) fn of(block: &JointBlock) -> Self {
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
    pub(super) fn projected(&self, mass: S, impulse: S, a: Motion<S>, b: Motion<S>) -> S {
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
