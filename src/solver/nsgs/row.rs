//! A row of the Jacobian between two bodies, f64.

use crate::math::{self, Mat3, Vec3};
use crate::problem::Body;

/// Linear and angular part of a velocity, or of a row.
pub(super) type Twist = [f64; 6];

/// Mass of a body `[1/kg]`, `[1/(kg m^2)]` and its velocity before the solve.
#[derive(Debug, Clone)]
pub(super) struct Mass {
    pub(super) inverse_mass: f64,
    inverse_inertia: Mat3,
    pub(super) velocity: Twist,
}

impl Mass {
    pub(super) fn new(body: &Body) -> Self {
        let [v, w] = [body.linear_velocity, body.angular_velocity].map(|v| v.map(f64::from));
        Self {
            inverse_mass: f64::from(body.inverse_mass),
            inverse_inertia: math::widen_symmetric(&body.inverse_inertia),
            velocity: [v[0], v[1], v[2], w[0], w[1], w[2]],
        }
    }

    /// `M^-1` times a row.
    fn response(&self, jacobian: &Twist) -> Twist {
        let [x, y, z, a, b, c] = *jacobian;
        let angular = self.inverse_inertia * Vec3::new(a, b, c);
        let m = self.inverse_mass;
        [m * x, m * y, m * z, angular.x, angular.y, angular.z]
    }
}

/// One row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) bodies: [usize; 2],
    /// `J`, a side each.
    jacobian: [Twist; 2],
    /// `M^-1 J^T`, likewise.
    response: [Twist; 2],
    /// `J V + bias` with the velocities before the solve `[m/s]`.
    pub(super) free: f64,
}

impl Row {
    pub(super) fn new(
        bodies: [usize; 2],
        jacobian: [(Vec3, Vec3); 2],
        bias: f64,
        masses: &[Mass],
    ) -> Self {
        let jacobian = jacobian.map(|(l, a)| [l.x, l.y, l.z, a.x, a.y, a.z]);
        let response = [0, 1].map(|side| masses[bodies[side]].response(&jacobian[side]));
        let free = (0..2)
            .map(|side| product(&jacobian[side], &masses[bodies[side]].velocity))
            .sum::<f64>()
            + bias;
        Self {
            bodies,
            jacobian,
            response,
            free,
        }
    }

    /// `J dV + J V + bias` `[m/s]`, `dV` being what the impulses have added.
    #[inline]
    pub(super) fn velocity(&self, changes: &[Twist]) -> f64 {
        let [a, b] = self.bodies;
        self.free
            + product(&self.jacobian[0], &changes[a])
            + product(&self.jacobian[1], &changes[b])
    }

    /// Adds the effect of an impulse `[N s]`.
    #[inline]
    pub(super) fn apply(&self, impulse: f64, changes: &mut [Twist]) {
        for (&body, response) in self.bodies.iter().zip(&self.response) {
            for (change, response) in changes[body].iter_mut().zip(response) {
                *change += impulse * response;
            }
        }
    }

    /// `J M^-1 J_other^T` `[1/kg]`.
    pub(super) fn delassus(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (side, body) in self.bodies.iter().enumerate() {
            for (other_side, other_body) in other.bodies.iter().enumerate() {
                if body == other_body {
                    sum += product(&self.jacobian[side], &other.response[other_side]);
                }
            }
        }
        sum
    }
}

#[inline]
fn product(a: &Twist, b: &Twist) -> f64 {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}
