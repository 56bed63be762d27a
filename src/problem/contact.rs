//! A contact point as a solver sees it.

use super::Body;
use super::body::validate_pair;
use crate::math::{self, V3, Vec3};
use crate::simd::vector;
use bytemuck::{Pod, Zeroable};

/// One contact point between two bodies: three rows of the Jacobian, in 64 bytes, a cache
/// line.
///
/// The row of a direction `d` is `[d, arm_a x d]` on body A and `-[d, arm_b x d]` on body B, so that
/// `J V` is the velocity of A's point relative to B's along `d`.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Contact {
    /// Index of body A in [`Problem::bodies`](super::Problem::bodies).
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// Contact point minus A's centre of mass, in world axes `[m]`.
    pub arm_a: [f32; 3],
    /// Contact point minus B's centre of mass, in world axes `[m]`.
    pub arm_b: [f32; 3],
    /// Unit vector from B to A: the separation grows when A moves along it.
    pub normal: [f32; 3],
    /// Added to the relative normal velocity; see [`bias`](super::bias) `[m/s]`, in the position
    /// pass `[m]`.
    pub bias: f32,
    /// Coulomb coefficient of friction, at least 0.
    pub friction: f32,
    /// Warm-start impulse along `(normal, tangent 1, tangent 2)` `[N s]`, with the tangents of
    /// [`tangents`](crate::math::tangents).
    pub impulse: [f32; 3],
}

impl Contact {
    /// A contact of two bodies whose normal points from B to A, without bias and start impulse.
    ///
    /// `bodies` are the indices of A and B, `arms` the contact point minus their centres of mass, in world axes `[m]`,
    /// `normal` is a unit vector.
    #[must_use]
    pub fn from_b_to_a(bodies: [u32; 2], arms: [V3; 2], normal: V3, friction: f32) -> Self {
        Self {
            body_a: bodies[0],
            body_b: bodies[1],
            arm_a: arms[0],
            arm_b: arms[1],
            normal,
            bias: 0.0,
            friction,
            impulse: [0.0; 3],
        }
    }

    /// The same of a normal that points from the first body to the second: they change sides, and the normal stays.
    #[must_use]
    pub fn from_a_to_b(bodies: [u32; 2], arms: [V3; 2], normal: V3, friction: f32) -> Self {
        let ([a, b], [arm_a, arm_b]) = (bodies, arms);
        Self::from_b_to_a([b, a], [arm_b, arm_a], normal, friction)
    }

    /// An impulse on A, given by its components along normal and tangents, in world axes `[N s]`.
    #[must_use]
    pub fn impulse_in_world(&self, impulse: V3) -> V3 {
        vector::in_world(self.normal, impulse)
    }

    /// The components along `(normal, tangent 1, tangent 2)` of an impulse on A in world axes `[N s]`, the normal one at
    /// least 0.
    #[must_use]
    pub fn impulse_of(&self, impulse: V3) -> V3 {
        let (tangent_1, tangent_2) = math::tangents(self.normal);
        [
            math::dot(self.normal, impulse).max(0.0),
            math::dot(tangent_1, impulse),
            math::dot(tangent_2, impulse),
        ]
    }

    /// Rows along normal, tangent 1 and tangent 2, each of a linear and an angular part on A and on B.
    pub(crate) fn jacobian(&self) -> [[(Vec3, Vec3); 2]; 3] {
        let (tangent_1, tangent_2) = math::tangents(self.normal);
        let (arm_a, arm_b) = (math::widen(self.arm_a), math::widen(self.arm_b));
        [self.normal, tangent_1, tangent_2].map(|direction| {
            let d = math::widen(direction);
            [(d, arm_a.cross(&d)), (-d, -arm_b.cross(&d))]
        })
    }

    /// `W_nn` `[1/kg]`: the normal velocity that a unit of normal impulse makes between its two bodies.
    #[must_use]
    pub fn response(&self, a: &Body, b: &Body) -> f64 {
        let side = |body: &Body, arm: V3| {
            let lever = math::cross(arm, self.normal);
            let spin = math::symmetric_mul(&body.inverse_inertia, lever);
            f64::from(body.inverse_mass + math::dot(lever, spin))
        };
        side(a, self.arm_a) + side(b, self.arm_b)
    }

    /// The impulse `(normal, tangent 1, tangent 2, 0)` that a solve starts from `[N s]`: none without a warm
    /// start, and none along the tangents without friction.
    #[must_use]
    #[inline(always)]
    pub fn start_impulse(&self, warm_start: bool) -> [f32; 4] {
        let [n, t1, t2] = self.impulse;
        match (warm_start, self.friction > 0.0) {
            (true, true) => [n, t1, t2, 0.0],
            (true, false) => [n, 0.0, 0.0, 0.0],
            (false, _) => [0.0; 4],
        }
    }

    pub(super) fn validate(&self, body_count: usize) -> Result<(), String> {
        validate_pair([self.body_a, self.body_b], body_count)?;
        let numbers = self
            .arm_a
            .iter()
            .chain(&self.arm_b)
            .chain(&self.normal)
            .chain(&self.impulse)
            .chain([&self.bias, &self.friction]);
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return Err("every number must be finite".into());
        }
        let length = crate::math::dot(self.normal, self.normal).sqrt();
        if (length - 1.0).abs() > 1e-3 {
            return Err(format!("the normal has length {length}, not 1"));
        }
        if self.friction < 0.0 {
            return Err(format!("friction {} is negative", self.friction));
        }
        Ok(())
    }
}
