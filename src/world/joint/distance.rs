//! Distance joint: the anchors keep their distance.
//!
//! With `e = p_a - p_b`, `l = |e|` and `d = e / l`:
//!
//! ```text
//! g = l - length
//! J = [d, r_a x d] on A, [-d, -(r_b x d)] on B
//! drift = d . e'' + (|e'|^2 - (d . e')^2) / l
//! ```
//!
//! The impulses have one line of action, and angular momentum is conserved exactly. With limits the
//! joint is a rope or a strut: its distance may vary between them. A spring or a motor likewise takes
//! the place of the equality.
//!
//! Anchors that coincide have no direction between them. B's z axis then serves, without drift: the
//! bodies are pushed apart some way, and not by an infinite force.

use super::coordinate::Coordinate;
use super::placed::Placed;
use super::{Law, Row};
use crate::constants::LOST_DIRECTION;

pub(super) const ROWS: usize = 1;

pub(super) fn rows(at: &Placed, length: f64, rows: &mut Vec<Row>) {
    let distance = coordinate(at, length);
    let error = distance.value - length;
    rows.push(distance.row(Law::Equality { error }));
}

/// The distance of the anchors; `length` is that of the joint, for scale.
pub(super) fn coordinate(at: &Placed, length: f64) -> Coordinate {
    let offset = at.offset();
    let apart = offset.value.norm();
    if apart <= LOST_DIRECTION * length {
        let direction = at.b.z().value;
        let row = Row::along(at, &direction, 0.0, Law::Equality { error: 0.0 });
        return Coordinate::new(apart, direction.dot(&offset.rate), &row);
    }
    let distance = offset.norm();
    let direction = offset.value / apart;
    let law = Law::Equality { error: 0.0 };
    let row = Row::along(at, &direction, distance.second, law);
    Coordinate::new(distance.value, distance.rate, &row)
}
