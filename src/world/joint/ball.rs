//! Ball joint: the anchors coincide.
//!
//! With the anchors p_a, p_b, the arms r from the centres of mass to them, and the world's axes d:
//!
//! ```text
//! g = d . (p_a - p_b)
//! J = [d, r_a x d] on A, [-d, -(r_b x d)] on B
//! drift = d . (w_a x (w_a x r_a) - w_b x (w_b x r_b))
//! ```
//!
//! This is Hong et al. 2006, section 3, for spherical joints: their `Phi_r`, `Phi_pi` and the last
//! two terms of eq. 13.
//!
//! Each arm goes to its own anchor and the directions stay in the world, so that `J V` is the
//! derivative of g however far the anchors are apart. The price is an angular momentum that changes by
//! `g x impulse`: nothing where the joint holds. Arms to one common point would conserve it, but then
//! `J V = 0` would carry an error around with the bodies instead of leaving it where it is.

use super::placed::Placed;
use super::{Law, Row};
use crate::math::Vec3;

pub(super) const ROWS: usize = 3;

pub(super) fn rows(at: &Placed, rows: &mut Vec<Row>) {
    let offset = at.offset();
    for (axis, direction) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
        let error = offset.value[axis];
        rows.push(Row::along(
            at,
            direction,
            offset.second[axis],
            Law::Equality { error },
        ));
    }
}
