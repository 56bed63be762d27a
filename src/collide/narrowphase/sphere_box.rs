//! A sphere and a box.

use super::direction::{direction, sign};
use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::math::{Mat3, Vec3};

/// One point, toward the closest point of the box; through the nearest face if the centre is inside.
pub(super) fn sphere_box(
    (p, radius): (&Vec3, f64),
    (q, rotation, half_extents): (&Vec3, &Mat3, &Vec3),
    query: &Query,
    manifold: &mut Manifold,
) {
    let center = rotation.tr_mul(&(p - q));
    let (surface, normal, distance) = closest_on_box(&center, half_extents);
    let separation = distance - radius;
    manifold.set_apart(separation);
    manifold.offer(
        query,
        Point {
            feature: 0,
            position: q + rotation * (surface + normal * (0.5 * separation)),
            normal: rotation * normal,
            separation,
        },
    );
}

/// The point of the surface of a box that is closest to a point, the outward direction there, and
/// the signed distance, all in the box's axes. The first axis wins where faces are equally near.
pub(in crate::collide) fn closest_on_box(point: &Vec3, half_extents: &Vec3) -> (Vec3, Vec3, f64) {
    let clamped = point.sup(&-half_extents).inf(half_extents);
    if let Some((normal, distance)) = direction(&(point - clamped)) {
        return (clamped, normal, distance);
    }
    let mut face = 0;
    for axis in 1..3 {
        if half_extents[axis] - point[axis].abs() < half_extents[face] - point[face].abs() {
            face = axis;
        }
    }
    let side = sign(point[face]);
    let mut surface = *point;
    surface[face] = side * half_extents[face];
    let mut normal = Vec3::zeros();
    normal[face] = side;
    (surface, normal, point[face].abs() - half_extents[face])
}
