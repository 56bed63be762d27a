//! A sphere and a mesh.

use super::nearest::visit_touches;
use crate::collide::narrowphase::gathered::{Gathered, OF_BALL, StandingMesh, name};
use crate::collide::narrowphase::manifold::Point;
use crate::collide::narrowphase::query::Query;
use crate::math::Vec3;

/// Gathers a point wherever the surface is nearest to the sphere's centre among its surroundings. Returns what they are apart
/// by at least if there is none `[m]`.
pub(super) fn sphere_mesh(
    (p, radius): (&Vec3, f64),
    (q, rotation, mesh): StandingMesh<'_>,
    query: &Query,
    gathered: &mut Gathered<OF_BALL>,
) -> f64 {
    let center = rotation.tr_mul(&(p - q));
    let range = radius + query.reach;
    visit_touches(mesh, &center, radius, range, |found| {
        let separation = found.distance - radius;
        let point = Point {
            feature: name(0, [mesh.patch(found.triangle), 0]),
            position: q + rotation * (found.on + found.normal * (0.5 * separation)),
            normal: rotation * found.normal,
            separation,
        };
        gathered.add(query, point, found.triangle, 1e-6 * radius);
    });
    if gathered.is_empty() {
        return mesh.distance(&center, 4.0 * range) - radius;
    }
    f64::NEG_INFINITY
}
