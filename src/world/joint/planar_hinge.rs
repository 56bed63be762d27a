//! Planar hinge: the anchors coincide in the plane of B's x and y axes.
//!
//! A hinge for bodies that move in that plane only; nothing keeps them in it. With `e = p_a - p_b`,
//! `z = z_b`, X the axis of the world least along z, `u = X - z (z . X)`, `t_1 = u / |u|` and
//! `t_2 = z x t_1`:
//!
//! ```text
//! g_i = t_i . e
//! J_i = [t_i, r_a x t_i] on A, [-t_i, -(r_b x t_i) + c_i - z (z . c_i) + k t_1 (z . c_i)] on B
//! c_i = t_i x e,   k = (z . X) / |u|
//! ```
//!
//! The tangents depend on z alone: they stay where they are while the bodies turn in the plane, as
//! the world's axes do for a ball joint. The terms in c_i are their motion when B tilts: as `t_i' =
//! W x t_i` with `W = w - z (z . w) + k z (t_1 . w)`. The drift is the second derivative of g_i in free
//! flight.
//!
//! Free to tilt, A slides down along a tilted z, and its weight tilts B further: a chain buckles out
//! of its plane within half a second of a rounding error. A z along one of the world's axes, but for
//! rounding, is therefore taken to be that axis, fixed in the world; then no number off the plane
//! ever differs from zero. For other planes a hinge does the same and keeps the bodies in them.

use super::placed::Placed;
use super::taylor::{Taylor, TaylorVec3};
use super::{Law, Row};
use crate::constants::UPRIGHT_PLANE;
use crate::math::Vec3;

pub(super) const ROWS: usize = 2;

pub(super) fn rows(at: &Placed, rows: &mut Vec<Row>) {
    let tilting = at.b.z();
    let upright = nearest_axis(&tilting.value);
    let z = upright.map_or(tilting, TaylorVec3::constant);
    let mut across = Vec3::zeros();
    across[z.value.iamin()] = 1.0;
    let fixed = TaylorVec3::constant(across);
    let along = z.dot(&fixed);
    let outward = fixed - z * along;
    let length = outward.norm();
    let first = outward * (Taylor::constant(1.0) / length);
    let second = z.cross(&first);

    let offset = at.offset();
    let slope = along.value / length.value;
    for tangent in [first, second] {
        let error = tangent.dot(&offset);
        let law = Law::Equality { error: error.value };
        let mut row = Row::along(at, &tangent.value, error.second, law);
        if upright.is_none() {
            let turned = tangent.value.cross(&offset.value);
            let normal = z.value.dot(&turned);
            row.angular_b += turned - z.value * normal + first.value * (slope * normal);
        }
        rows.push(row);
    }
}

/// The axis of the world that a direction is, but for rounding.
fn nearest_axis(direction: &Vec3) -> Option<Vec3> {
    let axis = direction.iamax();
    let mut nearest = Vec3::zeros();
    nearest[axis] = direction[axis].signum();
    ((direction - nearest).norm() < UPRIGHT_PLANE).then_some(nearest)
}
