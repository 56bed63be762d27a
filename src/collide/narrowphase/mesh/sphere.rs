//! A sphere and a mesh.

use super::nearest::{Near, visit_touches};
use crate::collide::ContactPoint;
use crate::collide::narrowphase::gathered::{Gathered, OF_BALL, On, StandingMesh, name};
use crate::collide::narrowphase::manifold::Point;
use crate::collide::narrowphase::mover::{Kind, Mover};
use crate::collide::narrowphase::query::Query;
use crate::collide::narrowphase::{append_contacts, sort_by_feature};
use crate::math::{Mat3, Vec3};
use crate::world::TriangleMesh;

/// Centre in the axes of a mesh, radius, and distance from the centre up to which the surface matters `[m]`.
pub(in crate::collide) type Ball<'a> = (&'a Vec3, f64, f64);

/// Appends the contacts of two bodies, a sphere and a mesh, in order of their features.
pub(in crate::collide) fn contacts_of_sphere_and_mesh(
    (pair, movers): ([u32; 2], [&Mover; 2]),
    ball: Ball<'_>,
    (rotation, mesh, near): (&Mat3, &TriangleMesh, Near<'_>),
    query: &Query,
    found: &mut Vec<ContactPoint>,
) {
    let first = found.len();
    let (query, place) = if movers[0].kind == Kind::Mesh {
        (&query.swapped(), Vec3::zeros())
    } else {
        (query, query.offset)
    };
    let mut gathered = Gathered::<OF_BALL>::new();
    sphere_mesh(ball, (&place, rotation, mesh), near, query, &mut gathered);
    gathered.visit_groups(query, |manifold| {
        append_contacts((pair, movers), 0, manifold, found);
    });
    sort_by_feature(&mut found[first..]);
}

/// Gathers a point wherever the surface is nearest to the sphere's centre among its surroundings.
pub(super) fn sphere_mesh(
    (center, radius, range): Ball<'_>,
    (q, rotation, mesh): StandingMesh<'_>,
    near: Near<'_>,
    query: &Query,
    gathered: &mut Gathered<OF_BALL>,
) {
    visit_touches((mesh, near), center, radius, range, |found| {
        let separation = found.distance - radius;
        let point = Point {
            feature: name(0, [mesh.patch(found.triangle), 0]),
            position: q + rotation * (found.on + found.normal * (0.5 * separation)),
            normal: rotation * found.normal,
            separation,
        };
        gathered.add(query, point, On::Face(found.triangle), 1e-6 * radius);
    });
}
