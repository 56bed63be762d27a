//! Bodies as they are integrated: positions, rotations and momenta, and their derivatives.

use super::rows::Twist;
use crate::math::Vec3;
use crate::world::Body;
use nalgebra::{Quaternion, UnitQuaternion};

/// Derivatives of a body's state.
#[derive(Clone, Copy)]
pub(super) struct Rate {
    position: Vec3,
    rotation: Quaternion<f64>,
    wrench: Twist,
}

/// A body's state as it is integrated.
#[derive(Clone, Copy)]
pub(super) struct State {
    position: Vec3,
    rotation: Quaternion<f64>,
    /// Momentum `[kg m/s]` and angular momentum about the centre of mass `[kg m^2/s]`.
    momenta: Twist,
}

impl State {
    pub(super) fn of(body: &Body) -> Self {
        Self {
            position: body.pose.position,
            rotation: *body.pose.orientation.quaternion(),
            momenta: (
                body.linear_velocity * body.mass.mass,
                body.world_inertia() * body.angular_velocity,
            ),
        }
    }

    pub(super) fn moved(&self, rate: &Rate, dt: f64) -> Self {
        Self {
            position: self.position + rate.position * dt,
            rotation: self.rotation + rate.rotation * dt,
            momenta: (
                self.momenta.0 + rate.wrench.0 * dt,
                self.momenta.1 + rate.wrench.1 * dt,
            ),
        }
    }

    pub(super) fn put_into(&self, body: &mut Body) {
        body.pose.position = self.position;
        body.pose.orientation = UnitQuaternion::new_normalize(self.rotation);
        body.linear_velocity = self.momenta.0 * body.mass.inverse_mass;
        body.angular_velocity = body.world_inverse_inertia() * self.momenta.1;
    }

    pub(super) fn rate(&self, body: &Body, wrench: Twist) -> Rate {
        Rate {
            position: body.linear_velocity,
            rotation: Quaternion::from_imag(body.angular_velocity) * self.rotation * 0.5,
            wrench,
        }
    }
}

impl Rate {
    pub(super) fn scaled(&self, by: f64) -> Self {
        Self {
            position: self.position * by,
            rotation: self.rotation * by,
            wrench: (self.wrench.0 * by, self.wrench.1 * by),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            position: self.position + other.position,
            rotation: self.rotation + other.rotation,
            wrench: (
                self.wrench.0 + other.wrench.0,
                self.wrench.1 + other.wrench.1,
            ),
        }
    }
}
