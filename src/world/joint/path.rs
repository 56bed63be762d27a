//! Curves whose velocity a joint can prescribe.

use crate::math::{self, Vec3};
use std::f64::consts::TAU;

/// A curve in time; only its velocity is used.
#[derive(Debug, Clone, PartialEq)]
pub enum Path {
    /// Uniform motion on a circle.
    Circle {
        /// From the centre to the point at time 0 `[m]`.
        radius: Vec3,
        /// In world axes, perpendicular to `radius` `[rad/s]`.
        angular_velocity: Vec3,
    },
    /// Constant velocity `[m/s]`.
    Line {
        /// `[m/s]`.
        velocity: Vec3,
    },
    /// `amplitude sin(2 pi frequency t + phase)`.
    Sinusoidal {
        /// `[m]`.
        amplitude: Vec3,
        /// `[Hz]`.
        frequency: f64,
        /// `[rad]`.
        phase: f64,
    },
}

impl Path {
    /// Velocity `[m/s]` and acceleration `[m/s^2]` at a time `[s]`, in world axes.
    #[must_use]
    pub fn velocity(&self, time: f64) -> (Vec3, Vec3) {
        match self {
            Self::Circle {
                radius,
                angular_velocity,
            } => {
                let velocity =
                    angular_velocity.cross(&(math::exp(&(angular_velocity * time)) * radius));
                (velocity, angular_velocity.cross(&velocity))
            }
            Self::Line { velocity } => (*velocity, Vec3::zeros()),
            Self::Sinusoidal {
                amplitude,
                frequency,
                phase,
            } => {
                let rate = TAU * frequency;
                let angle = rate * time + phase;
                (
                    amplitude * (rate * angle.cos()),
                    amplitude * (-rate * rate * angle.sin()),
                )
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let (vectors, scalars) = match self {
            Self::Circle {
                radius,
                angular_velocity,
            } => ([radius, angular_velocity], [0.0; 2]),
            Self::Line { velocity } => ([velocity; 2], [0.0; 2]),
            Self::Sinusoidal {
                amplitude,
                frequency,
                phase,
            } => ([amplitude; 2], [*frequency, *phase]),
        };
        let mut numbers = vectors.iter().flat_map(|v| v.iter()).chain(&scalars);
        if numbers.all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err("a number of its path is not finite".into())
        }
    }
}
