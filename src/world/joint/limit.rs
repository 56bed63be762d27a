//! Bounds of the free coordinate.
//!
//! With the coordinate theta and its Jacobian J:
//!
//! ```text
//! lower:  gap = theta - lower,  Jacobian  J
//! upper:  gap = upper - theta,  Jacobian -J
//! ```
//!
//! so that impulses of either are at least 0 and open the gap. Equal bounds are an equality, and an
//! infinite bound has no row.

use super::coordinate::Coordinate;
use super::{Joint, JointKind, Law, Row};

/// Bounds of the free coordinate `[m]` or `[rad]`.
///
/// An angle of a hinge is seen within half a turn of their middle; bounded on one side only, within
/// half a turn of that bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Least value; may be minus infinity.
    pub lower: f64,
    /// Largest value; may be infinity.
    pub upper: f64,
}

impl Limits {
    /// The value whose representative of an angle counts: the middle, or the only finite bound.
    fn middle(&self) -> Option<f64> {
        match (self.lower.is_finite(), self.upper.is_finite()) {
            (true, true) => Some(0.5 * (self.lower + self.upper)),
            (true, false) => Some(self.lower),
            (false, true) => Some(self.upper),
            (false, false) => None,
        }
    }
}

/// The bounds that can ever be met.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bounds {
    Equal(f64),
    Apart {
        lower: Option<f64>,
        upper: Option<f64>,
    },
}

impl Joint {
    /// An angle between axes and a distance are never negative: a lower bound of theirs at or below
    /// zero asks for nothing, and the angle of a ball joint has only an upper bound.
    fn bounds(&self) -> Option<Bounds> {
        let limits = self.limits?;
        let lower = match self.kind {
            JointKind::Ball => f64::NEG_INFINITY,
            JointKind::Distance { .. } if limits.lower <= 0.0 => f64::NEG_INFINITY,
            _ => limits.lower,
        };
        if lower == limits.upper {
            return Some(Bounds::Equal(lower));
        }
        let finite = |bound: f64| bound.is_finite().then_some(bound);
        Some(Bounds::Apart {
            lower: finite(lower),
            upper: finite(limits.upper),
        })
    }

    pub(super) fn limit_row_count(&self) -> usize {
        match self.bounds() {
            None => 0,
            Some(Bounds::Equal(_)) => 1,
            Some(Bounds::Apart { lower, upper }) => {
                usize::from(lower.is_some()) + usize::from(upper.is_some())
            }
        }
    }

    pub(super) fn limit_rows(&self, coordinate: &Coordinate, rows: &mut Vec<Row>) {
        let value = self.value_between_limits(coordinate, coordinate.value);
        match self.bounds() {
            None => {}
            Some(Bounds::Equal(at)) => {
                rows.push(coordinate.row(Law::Equality { error: value - at }));
            }
            Some(Bounds::Apart { lower, upper }) => {
                if let Some(lower) = lower {
                    let gap = value - lower;
                    rows.push(coordinate.row(Law::Limit { gap }));
                }
                if let Some(upper) = upper {
                    let gap = upper - value;
                    rows.push(coordinate.reversed_row(Law::Limit { gap }));
                }
            }
        }
    }

    /// The coordinate's value to compare with `other`. Limits decide which representative of an angle
    /// that is, so that a motor or a spring does not pull through them; without limits it is the
    /// nearest to `other`.
    pub(super) fn value_between_limits(&self, coordinate: &Coordinate, other: f64) -> f64 {
        let middle = self.limits.as_ref().and_then(Limits::middle);
        coordinate.value_near(middle.unwrap_or(other))
    }
}
