//! What drives the free coordinate, with a force that is limited.
//!
//! A velocity motor asks for `J V = target` and exerts at most its largest force; a position motor is a
//! spring and a damper towards its target, limited likewise.

use super::coordinate::Coordinate;
use super::{Joint, Law, Row};

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
}
