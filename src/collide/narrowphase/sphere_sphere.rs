//! Two spheres.

use super::direction::direction;
use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::math::Vec3;

/// One point on the line of centres; along z if the centres coincide.
pub(super) fn sphere_sphere(
    (p, radius_p): (&Vec3, f64),
    (q, radius_q): (&Vec3, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let (normal, distance) = direction(&(p - q)).unwrap_or((Vec3::z(), 0.0));
    let separation = distance - (radius_p + radius_q);
    manifold.offer(
        query,
        Point {
            feature: 0,
            position: q + normal * (radius_q + 0.5 * separation),
            normal,
            separation,
        },
    );
}
