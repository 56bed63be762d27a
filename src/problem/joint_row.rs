//! One row of a joint as a solver sees it.

use super::body::validate_pair;
use crate::math::{self, Vec3};
use bytemuck::{Pod, Zeroable};

/// One scalar constraint between two bodies, in 64 bytes: a joint is a run of them.
///
/// The row of the Jacobian is `[linear, angular_a]` on body A and `[-linear, angular_b]` on body B.
/// With `u = J V + bias + softness * impulse`, the impulse `r` in `lower <= r <= upper` satisfies
///
/// ```text
/// u = 0 where lower < r < upper,   u >= 0 where r = lower,   u <= 0 where r = upper.
/// ```
///
/// Bounds of plus and minus [`JointRow::UNBOUNDED`] make an equality, `0` and `UNBOUNDED` a limit,
/// two finite bounds a motor.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct JointRow {
    /// Index of body A in [`Problem::bodies`](super::Problem::bodies).
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// Linear part on A, and with the opposite sign on B: a unit vector, or zero for a row that only
    /// turns.
    pub linear: [f32; 3],
    /// Angular part on A, in world axes `[m]`; without unit for a row that only turns.
    pub angular_a: [f32; 3],
    /// Angular part on B, likewise.
    pub angular_b: [f32; 3],
    /// Added to the relative velocity: `[m/s]`, or `[rad/s]` for a row that only turns; in the
    /// position pass `[m]` or `[rad]`.
    pub bias: f32,
    /// Velocity that a unit impulse leaves, at least 0: the constraint force mixing of a spring
    /// `[1/kg]`, or `[1/(kg m^2)]`.
    pub softness: f32,
    /// Least impulse `[N s]`, or `[N m s]`.
    pub lower: f32,
    /// Largest impulse, likewise.
    pub upper: f32,
    /// Warm-start impulse, likewise.
    pub impulse: f32,
}

impl JointRow {
    /// The bound of an impulse that has none: the largest finite number.
    pub const UNBOUNDED: f32 = f32::MAX;

    /// True if the impulse has no bound on either side.
    #[must_use]
    pub fn is_equality(&self) -> bool {
        self.lower == -Self::UNBOUNDED && self.upper == Self::UNBOUNDED
    }

    /// Linear and angular part on A and on B.
    pub(crate) fn jacobian(&self) -> [(Vec3, Vec3); 2] {
        let linear = math::widen(self.linear);
        [
            (linear, math::widen(self.angular_a)),
            (-linear, math::widen(self.angular_b)),
        ]
    }

    /// True for a row that only turns its bodies.
    #[must_use]
    pub fn is_angular(&self) -> bool {
        self.linear == [0.0; 3]
    }

    pub(super) fn validate(&self, body_count: usize) -> Result<(), String> {
        validate_pair([self.body_a, self.body_b], body_count)?;
        let numbers = self
            .linear
            .iter()
            .chain(&self.angular_a)
            .chain(&self.angular_b)
            .chain([&self.bias, &self.softness, &self.impulse])
            .chain([&self.lower, &self.upper]);
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return Err("every number must be finite".into());
        }
        if self.softness < 0.0 {
            return Err(format!("a softness of {} is negative", self.softness));
        }
        if self.lower > self.upper {
            return Err(format!(
                "the least impulse {} exceeds the largest, {}",
                self.lower, self.upper
            ));
        }
        Ok(())
    }
}
