//! A box and a half-space.

use super::manifold::{Manifold, Point, Points};
use super::query::Query;
use crate::constants::SPANNING_POINTS;
use crate::math::{Mat3, Vec3};

/// The vertices near the half-space; if they are too many, those of the face turned toward it,
/// which hold the deepest one.
pub(super) fn box_half_space(
    (p, rotation, half_extents): (&Vec3, &Mat3, &Vec3),
    (q, normal, offset): (&Vec3, Vec3, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let height = (p - q).dot(&normal) - offset;
    let down = rotation.tr_mul(&normal);
    if height - down.abs().dot(half_extents) > query.reach {
        return;
    }
    let mut near: Points<8> = Points::new();
    for vertex in 0..8 {
        let local = corner(vertex, half_extents);
        let separation = height + down.dot(&local);
        near.offer(
            query,
            Point {
                feature: vertex,
                position: p + rotation * local - normal * (0.5 * separation),
                normal,
                separation,
            },
        );
    }
    let facing = down.abs().imax();
    let all = near.as_slice().len() <= SPANNING_POINTS;
    for point in near.as_slice() {
        let on_face = (point.feature >> facing & 1 == 0) == (down[facing] >= 0.0);
        if all || on_face {
            manifold.push(*point);
        }
    }
}

/// Vertex 0 to 7 of a box: bit `k` is set where coordinate `k` is positive.
pub(super) fn corner(vertex: u32, half_extents: &Vec3) -> Vec3 {
    Vec3::from_fn(|axis, _| {
        if vertex >> axis & 1 == 0 {
            -half_extents[axis]
        } else {
            half_extents[axis]
        }
    })
}
