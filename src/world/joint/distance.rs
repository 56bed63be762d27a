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

use super::coordinate;
use super::placed::Placed;
use super::{Law, Row};

pub(super) const ROWS: usize = 1;

pub(super) fn rows(at: &Placed, length: f64, rows: &mut Vec<Row>) {
    let distance = coordinate::distance(at, length);
    let error = distance.value - length;
    rows.push(distance.row(Law::Equality { error }));
}
