//! A joint row of f32 numbers, widened to f64.

use super::row::{Mass, Row, Twist};
use crate::problem::JointRow;

/// A joint row that impulses can change.
#[derive(Clone)]
pub(super) struct JointPoint {
    /// Its index in the problem.
    pub(super) index: usize,
    /// Its Jacobian.
    pub(super) row: Row,
    /// `[m/s]` or `[rad/s]`
    pub(super) bias: f64,
    /// `[1/kg]` or `[1/(kg m^2)]`
    pub(super) softness: f64,
    /// Bounds of the impulse `[N s]` or `[N m s]`; infinite where there is none.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// `m = 1 / (W_ii + softness)`, the step of the natural map `[kg]` or `[kg m^2]`.
    pub(super) mass: f64,
    /// What turns an impulse's error into a velocity, `1 / sqrt(m m_red)`: `[1/kg]` or
    /// `[1/(kg m)]`.
    residual_scale: f64,
}

impl JointPoint {
    /// Widens a row; `None` if no impulse of it moves anything.
    pub(super) fn new(index: usize, row: &JointRow, bodies: &[Mass]) -> Option<Self> {
        let jacobian = Row {
            bodies: [row.body_a as usize, row.body_b as usize],
            sides: row.jacobian(),
        };
        let softness = f64::from(row.softness);
        let mass = 1.0 / (jacobian.delassus(&jacobian, bodies) + softness);
        let [a, b] = jacobian.bodies.map(|body| bodies[body].inverse_mass);
        let reduced_mass = 1.0 / (a + b);
        if !(mass.is_finite() && reduced_mass.is_finite()) {
            return None;
        }
        Some(Self {
            index,
            row: jacobian,
            bias: f64::from(row.bias),
            softness,
            lower: if row.lower == -JointRow::UNBOUNDED {
                f64::NEG_INFINITY
            } else {
                f64::from(row.lower)
            },
            upper: if row.upper == JointRow::UNBOUNDED {
                f64::INFINITY
            } else {
                f64::from(row.upper)
            },
            mass,
            residual_scale: 1.0 / (mass * reduced_mass).sqrt(),
        })
    }

    /// True if the impulse has no bound.
    pub(super) fn is_equality(&self) -> bool {
        self.lower == f64::NEG_INFINITY && self.upper == f64::INFINITY
    }

    /// `u = J V + bias + softness r` `[m/s]` or `[rad/s]`.
    pub(super) fn velocity(&self, r: f64, velocities: &[Twist]) -> f64 {
        self.row.velocity(velocities) + self.bias + self.softness * r
    }

    /// How far the impulse is from where a step of the natural map takes it, `r - P(r - m u)`, `u`
    /// with bias and softness; in the impulse's unit.
    pub(super) fn off(&self, r: f64, u: f64) -> f64 {
        r - (r - self.mass * u).clamp(self.lower, self.upper)
    }

    /// The natural map in the unit of a velocity, `|r - P(r - m u)| / sqrt(m m_red)` `[m/s]`.
    pub(super) fn natural_map(&self, r: f64, u: f64) -> f64 {
        self.off(r, u).abs() * self.residual_scale
    }
}
