//! Universal joint: the anchors coincide, and A's x axis stays perpendicular to B's y axis.
//!
//! A may swing about both axes of the cross, but not twist. After the three rows of the ball joint
//! comes one of the angle that the axes lack to a right one:
//!
//! ```text
//! g = asin(x_a . y_b)
//! J = (x_a x y_b) / |x_a x y_b| on A, the opposite on B
//! ```
//!
//! The row keeps unit length at every error; x_a . y_b alone would have none left at a right angle.
//! Where the axes coincide, any perpendicular direction leads back. The drift is the second
//! derivative of g in free flight.

use super::placed::Placed;
use super::{Law, Row, ball};
use crate::constants::LOST_DIRECTION;

pub(super) const ROWS: usize = ball::ROWS + 1;

pub(super) fn rows(at: &Placed, rows: &mut Vec<Row>) {
    ball::rows(at, rows);
    let (x_a, y_b) = (at.a.x(), at.b.y());
    let normal = x_a.cross(&y_b);
    let sine = x_a.dot(&y_b);
    if normal.value.norm() < LOST_DIRECTION {
        let error = sine.value.signum() * std::f64::consts::FRAC_PI_2;
        rows.push(Row::about(&at.b.z().value, 0.0, Law::Equality { error }));
        return;
    }
    let cosine = normal.norm();
    let error = sine.atan2(cosine);
    let law = Law::Equality { error: error.value };
    let about = normal.value / cosine.value;
    rows.push(Row::about(&about, error.second, law));
}
