//! A mesh and a body that touches it.
//!
//! A body touches a triangle along its normal wherever it is above or below it, and nearest there. Past a side of the triangle
//! it touches the edge only where that is a ridge or a rim, in the directions between the normals on either side, and a
//! corner only in the directions that lie between those of all its edges: everywhere else it is nearer to the triangle
//! beyond, which has a point of its own. So a surface without ridges is touched along its normals only, however it is cut
//! into triangles, and nothing bumps into an inner edge.

mod capsule;
mod nearest;
mod sphere;

pub(in crate::collide) use self::nearest::{Near, Neighbour};
use super::convex::Facets;
use super::gathered::{Gathered, OF_BALL, OF_BODY};
use super::manifold::Manifold;
use super::placed::{Part, Placed};
use super::polyhedron::{Cuboid, solid_mesh};
use super::query::Query;
use crate::math::Vec3;
use crate::world::Shape;
pub(in crate::collide) use sphere::contacts_of_sphere_and_mesh;

/// Visits the manifolds of two shapes of which one is a mesh, one for each direction in which they touch. Returns what they are
/// apart by at least if there are none `[m]`.
pub(super) fn touch_mesh(
    p: &Placed<'_>,
    q: &Placed<'_>,
    query: &Query,
    mut visit: impl FnMut(&Manifold),
) -> f64 {
    let Shape::Mesh(mesh) = q.shape else {
        // Neither of two meshes can move.
        return match p.shape {
            Shape::Mesh(_) => touch_mesh(q, p, &query.swapped(), visit),
            _ => f64::INFINITY,
        };
    };
    let rotation = q.rotation();
    let mesh = (&q.position, &rotation, &**mesh);
    if let Shape::Sphere { radius } = p.shape {
        let mut gathered = Gathered::<OF_BALL>::new();
        let center = rotation.tr_mul(&(p.position - q.position));
        let ball = (&center, *radius, radius + query.reach);
        sphere::sphere_mesh(ball, mesh, Near::All, query, &mut gathered);
        if gathered.is_empty() {
            return mesh.2.distance(&center, 4.0 * ball.2) - radius;
        }
        gathered.visit_groups(query, &mut visit);
        return f64::NEG_INFINITY;
    }
    let mut gathered = Gathered::<OF_BODY>::new();
    let apart = match p.part() {
        Some(Part::Capsule(p, length, radius)) => {
            let p = (&p.position, &p.axis(), length, radius);
            capsule::capsule_mesh(p, mesh, query, &mut gathered)
        }
        Some(Part::Box(p, half)) => {
            let cuboid = Cuboid::new(half);
            let p = (&p.position, &p.rotation(), cuboid.solid());
            solid_mesh(p, None, mesh, query, &mut gathered)
        }
        Some(Part::Polyhedron(p, solid)) => {
            let p = (&p.position, &p.rotation(), solid);
            solid_mesh(p, None, mesh, query, &mut gathered)
        }
        Some(Part::Round(p, frustum)) => {
            let (facets, axes) = (Facets::new(&frustum), p.rotation());
            let turn = |normal: &Vec3| Facets::turned(&axes, &-normal);
            let p = (&p.position, &axes, facets.solid());
            solid_mesh(p, Some(&turn), mesh, query, &mut gathered)
        }
        _ => f64::INFINITY,
    };
    gathered.visit_groups(query, &mut visit);
    apart
}
