//! A capsule and a half-space.

use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::math::Vec3;

/// One point below each end of the segment.
pub(super) fn capsule_half_space(
    (p, half, radius): (&Vec3, &Vec3, f64),
    (q, normal, offset): (&Vec3, Vec3, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    for (feature, end) in [(0, -1.0), (1, 1.0)] {
        let center = p + half * end;
        let separation = (center - q).dot(&normal) - offset - radius;
        manifold.offer(
            query,
            Point {
                feature,
                position: center - normal * (radius + 0.5 * separation),
                normal,
                separation,
            },
        );
    }
}
