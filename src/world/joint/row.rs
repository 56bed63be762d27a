//! What a joint asks of its bodies, one scalar at a time.

use crate::math::Vec3;
use crate::world::Body;

/// What a row asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// `error = 0`.
    Equality {
        /// `[m]` or `[rad]`.
        error: f64,
    },
    /// `gap >= 0`.
    Limit {
        /// `[m]` or `[rad]`.
        gap: f64,
    },
    /// `J V = velocity`, as far as the force allows.
    Motor {
        /// `[m/s]` or `[rad/s]`.
        velocity: f64,
        /// `[N]` or `[N m]`.
        max_force: f64,
    },
    /// A force `-stiffness error - damping J V`, as far as it is allowed.
    Spring {
        /// `[m]` or `[rad]`.
        error: f64,
        /// `[N/m]` or `[N m/rad]`.
        stiffness: f64,
        /// `[N s/m]` or `[N m s/rad]`.
        damping: f64,
        /// `[N]` or `[N m]`; may be infinity.
        max_force: f64,
    },
    /// `J V = velocity`, a non-holonomic equality.
    Velocity {
        /// Now `[m/s]`.
        now: f64,
        /// Its time derivative now `[m/s^2]`.
        derivative: f64,
        /// At the end of the step `[m/s]`.
        next: f64,
    },
}

/// One row of a joint where the bodies are now, f64; see
/// [`problem::JointRow`](crate::problem::JointRow) for the Jacobian's signs.
///
/// The derivative of the law's error or gap is `J V`, and its second derivative in free flight, where
/// V does not change, is the drift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// On A, and with the opposite sign on B.
    pub linear: Vec3,
    /// On A.
    pub angular_a: Vec3,
    /// On B.
    pub angular_b: Vec3,
    /// `(dJ/dt) V`, the part of the second derivative that no acceleration causes `[m/s^2]` or
    /// `[rad/s^2]`.
    pub drift: f64,
    /// What it asks for.
    pub law: Law,
}

impl Row {
    /// True for a row that only turns its bodies.
    #[must_use]
    pub fn is_angular(&self) -> bool {
        self.linear == Vec3::zeros()
    }

    /// `J V` with the bodies' velocities `[m/s]` or `[rad/s]`; without B it is the world's.
    #[must_use]
    pub fn velocity(&self, a: &Body, b: Option<&Body>) -> f64 {
        let twist = |body: &Body| (body.linear_velocity, body.angular_velocity);
        self.relative_velocity(twist(a), b.map_or((Vec3::zeros(), Vec3::zeros()), twist))
    }

    /// `J V` for velocities `(linear, angular)` of A and B `[m/s]` or `[rad/s]`.
    #[must_use]
    pub fn relative_velocity(&self, a: (Vec3, Vec3), b: (Vec3, Vec3)) -> f64 {
        self.linear.dot(&(a.0 - b.0)) + self.angular_a.dot(&a.1) + self.angular_b.dot(&b.1)
    }
}
