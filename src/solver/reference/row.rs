//! One row of the Jacobian between two bodies, f64.

use crate::math::{Mat3, Vec3};

/// Mass and velocity of a body.
#[derive(Clone)]
pub(super) struct Mass {
    /// `[1/kg]`
    pub(super) inverse_mass: f64,
    /// `[1/(kg m^2)]`
    pub(super) inverse_inertia: Mat3,
    /// `[m/s]`
    pub(super) linear: Vec3,
    /// `[rad/s]`
    pub(super) angular: Vec3,
}

/// Linear and angular velocity of a body, or a change of both `[m/s]`, `[rad/s]`.
pub(super) type Twist = (Vec3, Vec3);

/// A row of the Jacobian.
#[derive(Clone)]
pub(super) struct Row {
    /// Bodies A and B.
    pub(super) bodies: [usize; 2],
    /// Linear and angular part on A and on B, each with its sign.
    pub(super) sides: [(Vec3, Vec3); 2],
}

impl Row {
    /// `J V` `[m/s]` or `[rad/s]`.
    pub(super) fn velocity(&self, velocities: &[Twist]) -> f64 {
        self.sides
            .iter()
            .zip(self.bodies)
            .map(|((linear, angular), body)| {
                linear.dot(&velocities[body].0) + angular.dot(&velocities[body].1)
            })
            .sum()
    }

    /// `sum |J_i V_i|`, the terms of [`Row::velocity`] without their signs.
    pub(super) fn terms(&self, velocities: &[Twist]) -> f64 {
        self.sides
            .iter()
            .zip(self.bodies)
            .map(|((linear, angular), body)| {
                linear.abs().dot(&velocities[body].0.abs())
                    + angular.abs().dot(&velocities[body].1.abs())
            })
            .sum()
    }

    /// Velocity along this row that a unit impulse of `other` causes, `J M^-1 J_other^T` `[1/kg]`.
    pub(super) fn delassus(&self, other: &Self, bodies: &[Mass]) -> f64 {
        let mut sum = 0.0;
        for (&body, (linear, angular)) in self.bodies.iter().zip(&self.sides) {
            for (&other_body, (with, about)) in other.bodies.iter().zip(&other.sides) {
                if body == other_body {
                    let mass = &bodies[body];
                    sum += mass.inverse_mass * linear.dot(with)
                        + (mass.inverse_inertia * angular).dot(about);
                }
            }
        }
        sum
    }

    /// Adds `M^-1 J^T r` to the velocities.
    pub(super) fn apply(&self, impulse: f64, bodies: &[Mass], velocities: &mut [Twist]) {
        for (&body, (linear, angular)) in self.bodies.iter().zip(&self.sides) {
            let mass = &bodies[body];
            velocities[body].0 += impulse * mass.inverse_mass * linear;
            velocities[body].1 += impulse * (mass.inverse_inertia * angular);
        }
    }
}
