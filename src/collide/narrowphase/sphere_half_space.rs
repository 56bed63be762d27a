//! A sphere and a half-space.

use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::math::Vec3;

/// One point: the sphere's lowest. `normal` is the boundary's, in world axes.
pub(super) fn sphere_half_space(
    (p, radius): (&Vec3, f64),
    (q, normal, offset): (&Vec3, Vec3, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let separation = (p - q).dot(&normal) - offset - radius;
    manifold.offer(
        query,
        Point {
            feature: 0,
            position: p - normal * (radius + 0.5 * separation),
            normal,
            separation,
        },
    );
}
