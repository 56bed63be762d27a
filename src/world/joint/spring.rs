//! A spring and a damper on the free coordinate theta: `force = -k (theta - rest) - c J V`.
//!
//! It is a row with softness: the damper's force is that at the end of the step, the spring's that of an elongation between start and
//! end, the nearer to the start the softer it is for the step. So soft springs keep the energy of a swing, and no stiffness is too high for a step.

use super::coordinate::Coordinate;
use super::{Joint, Law, Row};

/// A spring and damper on the free coordinate, stable at any stiffness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// `[N/m]` or `[N m/rad]`, at least 0.
    pub stiffness: f64,
    /// `[N s/m]` or `[N m s/rad]`, at least 0; not both zero.
    pub damping: f64,
    /// Value at which it is at rest `[m]` or `[rad]`.
    pub rest: f64,
}

impl Joint {
    pub(super) fn spring_row(&self, coordinate: &Coordinate) -> Option<Row> {
        let spring = self.spring?;
        Some(coordinate.row(Law::Spring {
            error: self.value_between_limits(coordinate, spring.rest) - spring.rest,
            stiffness: spring.stiffness,
            damping: spring.damping,
            max_force: f64::INFINITY,
        }))
    }
}
