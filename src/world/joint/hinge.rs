//! Hinge: the anchors coincide, and so do the z axes.
//!
//! After the three rows of the ball joint come two of the axes. With B's axes `x_i = x_b, y_b`:
//!
//! ```text
//! g_i = 2 n_i / (1 + c),   n_i = z_a . x_i,   c = z_a . z_b
//! J_i = (2 (z_a x x_i) - g_i (z_a x z_b)) / (1 + c) on A, the opposite on B
//! ```
//!
//! The two numbers are the stereographic projection of z_a seen from B, of length `2 tan(angle / 2)`.
//! It is conformal: the two rows stay perpendicular and of equal length at every error, where the
//! plain products n_i lose a direction at a right angle and vanish again when the axes are opposed.
//! The drift is the second derivative of g_i in free flight.

use super::placed::Placed;
use super::taylor::Taylor;
use super::{Law, Row, ball};
use crate::constants::LOST_DIRECTION;

pub(super) const ROWS: usize = ball::ROWS + 2;

pub(super) fn rows(at: &Placed, rows: &mut Vec<Row>) {
    ball::rows(at, rows);
    let z_a = at.a.z();
    let z_b = at.b.z();
    let cosine = z_a.dot(&z_b);
    // The projection's pole: axes exactly opposed balance on their heads.
    let denominator = if 1.0 + cosine.value > LOST_DIRECTION {
        Taylor::constant(1.0) + cosine
    } else {
        Taylor::constant(LOST_DIRECTION)
    };
    for axis in [at.b.x(), at.b.y()] {
        let error = Taylor::constant(2.0) * z_a.dot(&axis) / denominator;
        let turn = (2.0 * z_a.value.cross(&axis.value) - error.value * z_a.value.cross(&z_b.value))
            / denominator.value;
        let law = Law::Equality { error: error.value };
        rows.push(Row::about(&turn, error.second, law));
    }
}

/// Angle between the axes `[rad]` from the length of the two errors.
pub(super) fn angle(length: f64) -> f64 {
    2.0 * (0.5 * length).atan()
}
