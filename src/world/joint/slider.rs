//! Slider: A moves along B's z axis and does not turn.
//!
//! Two rows keep A's anchor on the axis, three keep A from turning (see the fixed joint). With
//! `e = p_a - p_b` and B's axes `d = x_b, y_b`:
//!
//! ```text
//! g = d . e
//! J = [d, r_a x d] on A, [-d, -((r_b + e) x d)] on B
//! ```
//!
//! The directions turn with B, whence `d' . e = w_b . (d x e)`: both arms end at A's anchor. Impulses
//! on the two bodies therefore have one line of action, and angular momentum is conserved exactly.
//! The drift is the second derivative of g in free flight.

use super::placed::Placed;
use super::taylor::TaylorVec3;
use super::{Law, Row, fixed};

pub(super) const ROWS: usize = 2 + fixed::ROTATION_ROWS;

pub(super) fn rows(at: &Placed, rows: &mut Vec<Row>) {
    for axis in [at.b.x(), at.b.y()] {
        let error = at.offset().dot(&axis).value;
        rows.push(row(at, &axis, Law::Equality { error }));
    }
    fixed::rotation_rows(at, rows);
}

/// The row of A's displacement along an axis of B.
fn row(at: &Placed, axis: &TaylorVec3, law: Law) -> Row {
    Row {
        linear: axis.value,
        angular_a: at.a.arm.cross(&axis.value),
        angular_b: -at.arm_b_to_a().cross(&axis.value),
        drift: at.offset().dot(axis).second,
        law,
    }
}
