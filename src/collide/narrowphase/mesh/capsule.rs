//! A capsule and a mesh.

use super::nearest::{Near, Touch, visit_touches};
use crate::collide::narrowphase::direction::direction;
use crate::collide::narrowphase::gathered::{Gathered, OF_BODY, On, StandingMesh, name};
use crate::collide::narrowphase::manifold::Point;
use crate::collide::narrowphase::query::Query;
use crate::collide::narrowphase::segment::closest_of_segments;
use crate::constants::MESH_DIRECTION;
use crate::math::{Aabb, Vec3};
use crate::world::{SideKind, TriangleMesh};

/// Gathers points at both ends, as those of spheres, and where the axis between them passes ridges and rims. Returns what the
/// two are apart by at least if there is none `[m]`.
pub(super) fn capsule_mesh(
    (p, axis, half_length, radius): (&Vec3, &Vec3, f64, f64),
    (q, rotation, mesh): StandingMesh<'_>,
    query: &Query,
    gathered: &mut Gathered<OF_BODY>,
) -> f64 {
    let center = rotation.tr_mul(&(p - q));
    let half = rotation.tr_mul(axis) * half_length;
    let range = radius + query.reach;
    let near = Aabb {
        min: (center - half.abs()).add_scalar(-range),
        max: (center + half.abs()).add_scalar(range),
    };
    let ends = [center - half, center + half];
    let mut add = |found: Touch, which: u32, of: u32| {
        let separation = found.distance - radius;
        let point = Point {
            feature: name(which, [of, 0]),
            position: q + rotation * (found.on + found.normal * (0.5 * separation)),
            normal: rotation * found.normal,
            separation,
        };
        gathered.add(query, point, On::Face(found.triangle), 1e-6 * radius);
    };
    for (which, end) in (1..).zip(&ends) {
        visit_touches((mesh, Near::All), end, radius, range, |found| {
            add(found, which, mesh.patch(found.triangle));
        });
    }
    mesh.visit_near(&near, |triangle| {
        for side in 0..3 {
            if let Some(found) = across(mesh, (triangle, side), (&center, &half), radius) {
                add(found, 3, 3 * triangle + side as u32);
            }
        }
    });
    if gathered.is_empty() {
        let farthest = half_length + radius;
        return mesh.distance(&center, 4.0 * (range + half_length)) - farthest;
    }
    f64::NEG_INFINITY
}

/// Where the axis passes a ridge or a rim, between its ends; a ridge is that of the first of its two triangles.
fn across(
    mesh: &TriangleMesh,
    (triangle, side): (u32, usize),
    (center, half): (&Vec3, &Vec3),
    radius: f64,
) -> Option<Touch> {
    let about = mesh.sides(triangle)[side];
    let is_ridge = about.kind == SideKind::Ridge && triangle < about.beyond;
    if !(is_ridge || about.kind == SideKind::Rim) {
        return None;
    }
    let corners = mesh.corners(triangle);
    let (from, to) = (corners[side], corners[(side + 1) % 3]);
    let (middle, along) = ((from + to) * 0.5, (to - from) * 0.5);
    let (s, t) = closest_of_segments(center, half, &middle, &along);
    if s.abs() >= 1.0 {
        // The ends are looked at by themselves.
        return None;
    }
    let on = middle + along * t;
    let apart = center + half * s - on;
    let [one, other] = [triangle, about.beyond].map(|at| mesh.normals()[at as usize]);
    let between = (one + other).normalize();
    let found = direction(&apart);
    if is_ridge && t.abs() < 1.0 && one.dot(&apart) < 0.0 && other.dot(&apart) < 0.0 {
        // The axis has gone through the ridge.
        let depth = apart.norm();
        return (depth <= radius).then_some(Touch {
            triangle,
            on,
            normal: between,
            distance: -depth,
        });
    }
    let misses = |way: &Vec3| apart.dot(way) > MESH_DIRECTION * (apart.norm() * way.norm());
    let beside = if t.abs() >= 1.0 {
        let corner = if t > 0.0 { (side + 1) % 3 } else { side };
        let vertex = mesh.triangles()[triangle as usize][corner];
        mesh.edges_at(vertex).any(|way| misses(&way))
    } else {
        misses(&mesh.inward(triangle, side))
            || mesh
                .inward_beyond(triangle, side)
                .is_some_and(|way| misses(&way))
    };
    if beside {
        return None;
    }
    let (normal, distance) = found.unwrap_or((between, 0.0));
    Some(Touch {
        triangle,
        on,
        normal,
        distance,
    })
}
