//! A sphere and a capsule.

use super::direction::{direction, perpendicular};
use super::manifold::{Manifold, Point};
use super::query::Query;
use super::segment::closest_to_point;
use crate::math::Vec3;

/// One point, toward the closest point of the segment; across the axis if the centre is on it.
pub(super) fn sphere_capsule(
    (p, radius_p): (&Vec3, f64),
    (q, axis, half_length, radius_q): (&Vec3, &Vec3, f64, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let half = axis * half_length;
    // The difference is taken first: q may be exactly zero, p - q exactly representable.
    let relative = p - q;
    let nearest = half * closest_to_point(&Vec3::zeros(), &half, &relative);
    let (normal, distance) =
        direction(&(relative - nearest)).unwrap_or_else(|| (perpendicular(axis), 0.0));
    let separation = distance - (radius_p + radius_q);
    manifold.set_apart(separation);
    manifold.offer(
        query,
        Point {
            feature: 0,
            position: q + nearest + normal * (radius_q + 0.5 * separation),
            normal,
            separation,
        },
    );
}
