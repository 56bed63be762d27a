//! A contact as a block.

use super::{BodyInertia, BodyVelocity};
use crate::math::{self, V3};
use crate::simd::vector::in_world;
use bytemuck::{Pod, Zeroable};

/// One contact as the kernels read it; 80 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ContactBlock {
    /// Unit normal from B to A.
    pub normal: [f32; 3],
    /// Effective mass of the normal row, `1 / W_nn`, of the split bodies in the remainder `[kg]`.
    pub normal_mass: f32,
    /// Contact point minus A's centre of mass `[m]`.
    pub arm_a: [f32; 3],
    /// One over the largest eigenvalue of the tangential 2 x 2 block, likewise `[kg]`.
    pub tangent_mass: f32,
    /// Contact point minus B's centre of mass `[m]`.
    pub arm_b: [f32; 3],
    /// Coefficient of friction.
    pub friction: f32,
    /// Velocity of A's point relative to B's without any impulse, plus the bias along the normal
    /// `[m/s]`.
    pub free_velocity: [f32; 3],
    /// Step of the natural map, `3 / tr W` of the true bodies `[kg]`; see
    /// [`solver`](crate::solver#the-residual).
    pub residual_mass: f32,
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// What a unit normal impulse adds to the tangential velocities, `W_n1` and `W_n2`, likewise `[1/kg]`.
    pub coupling: [f32; 2],
}

impl ContactBlock {
    /// Adds what an impulse does to the velocities of the two bodies.
    pub(super) fn apply(
        &self,
        [n, t1, t2, _]: [f32; 4],
        velocities: &mut [BodyVelocity],
        inertias: &[BodyInertia],
    ) {
        // No impulse is to leave even the sign of a zero as it is.
        if [n, t1, t2] == [0.0; 3] {
            return;
        }
        let total = in_world(self.normal, [n, t1, t2]);
        for (body, arm, impulse) in [
            (self.body_a as usize, self.arm_a, total),
            (self.body_b as usize, self.arm_b, math::scale(total, -1.0)),
        ] {
            velocities[body].push(&inertias[body], impulse, math::cross(arm, impulse));
        }
    }
}

/// Velocity of A's point relative to B's before the solve, plus the bias along the normal `[m/s]`; a
/// side is the linear and angular velocity of its body, and the arm.
///
/// In f64: the difference of two fast bodies' velocities keeps the digits that a contact needs.
#[inline(always)]
pub(super) fn free_velocity_of(normal: V3, bias: f32, a: (V3, V3, V3), b: (V3, V3, V3)) -> V3 {
    let [x, y, z] = normal.map(f64::from);
    // A normal is a unit vector up to rounding; along it the bias is to appear exactly.
    let scale = f64::from(bias) / (x * x + y * y + z * z);
    velocity_between(normal, scale, a, b)
}

/// The same without a bias.
#[inline(always)]
pub(super) fn unbiased_velocity_of(normal: V3, a: (V3, V3, V3), b: (V3, V3, V3)) -> V3 {
    velocity_between(normal, 0.0, a, b)
}

#[inline(always)]
fn velocity_between(normal: V3, scale: f64, a: (V3, V3, V3), b: (V3, V3, V3)) -> V3 {
    let point_velocity = |(linear, angular, arm): (V3, V3, V3)| {
        let (v, w, r) = (
            linear.map(f64::from),
            angular.map(f64::from),
            arm.map(f64::from),
        );
        [
            v[0] + (w[1] * r[2] - w[2] * r[1]),
            v[1] + (w[2] * r[0] - w[0] * r[2]),
            v[2] + (w[0] * r[1] - w[1] * r[0]),
        ]
    };
    let [x, y, z] = normal.map(f64::from);
    let (a, b) = (point_velocity(a), point_velocity(b));
    [
        (a[0] - b[0] + x * scale) as f32,
        (a[1] - b[1] + y * scale) as f32,
        (a[2] - b[2] + z * scale) as f32,
    ]
}
