//! What drives the free coordinate, with a force that is limited.
//!
//! A velocity motor asks for `J V = target` and exerts at most its largest force; a position motor is a
//! spring and a damper towards its target, limited likewise; one that is stiff for a substep may exceed its largest force in the substep
//! in which it first needs more, as in an impact.

use super::coordinate::Coordinate;
use super::{Joint, JointKind, Law, Row};
use crate::world::Body;

/// What drives the free coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motor {
    /// Towards a velocity.
    Velocity {
        /// `[m/s]` or `[rad/s]`.
        target: f64,
        /// `[N]` or `[N m]`, positive.
        max_force: f64,
    },
    /// Towards a value, as a spring and damper of limited strength.
    Position {
        /// `[m]` or `[rad]`.
        target: f64,
        /// `[N/m]` or `[N m/rad]`, positive.
        stiffness: f64,
        /// `[N s/m]` or `[N m s/rad]`, at least 0.
        damping: f64,
        /// `[N]` or `[N m]`, positive; may be infinity.
        max_force: f64,
    },
}

impl Joint {
    pub(super) fn motor_row(&self, coordinate: &Coordinate) -> Option<Row> {
        let law = match self.motor? {
            Motor::Velocity { target, max_force } => Law::Motor {
                velocity: target,
                max_force,
            },
            Motor::Position {
                target,
                stiffness,
                damping,
                max_force,
            } => Law::Spring {
                error: self.value_between_limits(coordinate, target) - target,
                stiffness,
                damping,
                max_force,
            },
        };
        Some(coordinate.row(law))
    }

    /// Largest force `[N]` of the motor and the spring as the bodies are, or torque `[N m]`, and whether it is one.
    pub(crate) fn drive(&self, bodies: &[Body]) -> (f64, bool) {
        if self.broken || (self.motor.is_none() && self.spring.is_none()) {
            return (0.0, false);
        }
        let Some(coordinate) = self.coordinate(bodies) else {
            return (0.0, false);
        };
        let spring = |stiffness: f64, rest: f64| {
            stiffness * (self.value_between_limits(&coordinate, rest) - rest).abs()
        };
        let of_motor = match self.motor {
            None => 0.0,
            Some(Motor::Velocity { max_force, .. }) => max_force,
            Some(Motor::Position {
                target,
                stiffness,
                max_force,
                ..
            }) => spring(stiffness, target).min(max_force),
        };
        let of_spring = self.spring.map_or(0.0, |of| spring(of.stiffness, of.rest));
        let is_torque = match self.kind {
            JointKind::Ball | JointKind::Hinge | JointKind::PlanarHinge => true,
            JointKind::Slider
            | JointKind::Distance { .. }
            | JointKind::Universal
            | JointKind::Fixed
            | JointKind::PrescribedVelocity { .. } => false,
        };
        (of_motor + of_spring, is_torque)
    }
}
