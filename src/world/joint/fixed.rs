//! Fixed joint: the anchors coincide, and all axes do.
//!
//! After the three rows of the ball joint come three of the rotation. With the unit quaternion
//! `q = (w, v)`, `w >= 0`, that takes B's axes to A's, in B's axes, `W = w_a - w_b` likewise, and R_b
//! from B's axes to the world's:
//!
//! ```text
//! g = 4 v / (1 + w),   g' = G W,   G = 2 (w 1 - [v]x) / (1 + w) + 2 v v^T / (1 + w)^2
//! J_i = R_b (row i of G) on A, the opposite on B
//! ```
//!
//! g is the stereographic projection of the quaternion (four times the modified Rodrigues
//! parameters), of length `4 tan(angle / 4)`. It is conformal: the rows stay perpendicular and of equal
//! length up to half a turn and beyond, where twice the quaternion's vector part would lose a
//! direction. The drift is the second derivative of g in free flight.

use super::placed::Placed;
use super::taylor::Taylor;
use super::{Law, Row, ball};
use crate::math::Mat3;

pub(super) const ROWS: usize = ball::ROWS + ROTATION_ROWS;
pub(super) const ROTATION_ROWS: usize = 3;

pub(super) fn rows(at: &Placed, rows: &mut Vec<Row>) {
    ball::rows(at, rows);
    rotation_rows(at, rows);
}

/// The rows that keep A from turning against B.
pub(super) fn rotation_rows(at: &Placed, rows: &mut Vec<Row>) {
    let turn = at.turn();
    let (w, v) = (turn.scalar.value, turn.vector.value);
    let denominator = Taylor::constant(1.0) + turn.scalar;
    let jacobian = (Mat3::identity() * w - v.cross_matrix()) * (2.0 / denominator.value)
        + v * v.transpose() * (2.0 / (denominator.value * denominator.value));
    for axis in 0..ROTATION_ROWS {
        let error = Taylor::constant(4.0) * turn.vector.component(axis) / denominator;
        let about = at.b.axes * jacobian.row(axis).transpose();
        let law = Law::Equality { error: error.value };
        rows.push(Row::about(&about, error.second, law));
    }
}

/// Angle of the rotation `[rad]` from the length of the three errors.
pub(super) fn angle(length: f64) -> f64 {
    4.0 * (0.25 * length).atan()
}
