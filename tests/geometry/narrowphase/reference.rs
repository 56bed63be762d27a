//! The signed separation of two shapes, computed without the library under test.
//!
//! A shape is a core (point, segment or box) and a radius. Disjoint cores are `parry`'s business.
//! Overlapping ones are pushed apart along the best of all normals that the difference of two
//! polytopes can have: the faces' and the products of edges, from the vertices themselves.

use drystone::math::{Pose, Vec3};
use drystone::world::Shape;
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Cuboid, Segment, Shape as ParryShape};

fn vector(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(pose: &Pose) -> ParryPose {
    let q = &pose.orientation.coords;
    ParryPose::from_parts(
        vector(&pose.position),
        Rotation::from_xyzw(q.x, q.y, q.z, q.w),
    )
}

fn core(shape: &Shape) -> (Box<dyn ParryShape>, f64) {
    match shape {
        Shape::Sphere { radius } => (Box::new(Ball::new(0.0)), *radius),
        Shape::Box { half_extents } => (Box::new(Cuboid::new(vector(half_extents))), 0.0),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let end = Vector::new(0.0, 0.0, *half_length);
            (Box::new(Segment::new(-end, end)), *radius)
        }
        _ => unreachable!("only bounded convex shapes have a core"),
    }
}

fn vertices(shape: &Shape, pose: &Pose) -> Vec<Vec3> {
    let local: Vec<Vec3> = match shape {
        Shape::Sphere { .. } => vec![Vec3::zeros()],
        Shape::Capsule { half_length, .. } => {
            vec![
                Vec3::new(0.0, 0.0, -half_length),
                Vec3::new(0.0, 0.0, *half_length),
            ]
        }
        Shape::Box { half_extents: h } => (0..8)
            .map(|i| {
                let side = |bit: i32| if i & bit == 0 { -1.0 } else { 1.0 };
                Vec3::new(side(1) * h.x, side(2) * h.y, side(4) * h.z)
            })
            .collect(),
        _ => unreachable!("only bounded convex shapes have vertices"),
    };
    local.iter().map(|v| pose.point(v)).collect()
}

/// Directions of edges and normals of faces.
fn edges_and_faces(shape: &Shape, pose: &Pose) -> (Vec<Vec3>, Vec<Vec3>) {
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| pose.direction(&axis));
    match shape {
        Shape::Box { .. } => (axes.to_vec(), axes.to_vec()),
        Shape::Capsule { .. } => (vec![axes[2]], Vec::new()),
        _ => (Vec::new(), Vec::new()),
    }
}

/// Largest separation of two cores along any candidate normal.
pub(crate) fn largest_axis_separation(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> f64 {
    let (vertices_a, vertices_b) = (vertices(a.0, a.1), vertices(b.0, b.1));
    let (edges_a, mut axes) = edges_and_faces(a.0, a.1);
    let (edges_b, faces_b) = edges_and_faces(b.0, b.1);
    axes.extend(faces_b);
    for edge_a in &edges_a {
        for edge_b in &edges_b {
            let cross = edge_a.cross(edge_b);
            if cross.norm() > 1e-7 {
                axes.push(cross.normalize());
            }
        }
    }
    let mut best = f64::NEG_INFINITY;
    for axis in axes {
        for axis in [axis, -axis] {
            let min_a = vertices_a
                .iter()
                .map(|v| axis.dot(v))
                .fold(f64::INFINITY, f64::min);
            let max_b = vertices_b
                .iter()
                .map(|v| axis.dot(v))
                .fold(f64::NEG_INFINITY, f64::max);
            best = best.max(min_a - max_b);
        }
    }
    best
}

/// Signed gap between two shapes, of which the second may be a half-space.
pub(crate) fn separation(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> f64 {
    if let Shape::HalfSpace { normal, offset } = b.0 {
        let normal = b.1.direction(normal);
        let radius = core(a.0).1;
        return vertices(a.0, a.1)
            .iter()
            .map(|v| normal.dot(&(v - b.1.position)) - offset - radius)
            .fold(f64::INFINITY, f64::min);
    }
    let ((core_a, radius_a), (core_b, radius_b)) = (core(a.0), core(b.0));
    let apart = query::distance(&pose(a.1), &*core_a, &pose(b.1), &*core_b)
        .expect("parry knows these shapes");
    let apart = apart.distance;
    let cores = if apart > 1e-9 {
        apart
    } else {
        // Cores without volume cannot overlap.
        largest_axis_separation(a, b).min(0.0)
    };
    cores - radius_a - radius_b
}

/// Distance of a point outside a shape from it; zero inside.
pub(crate) fn distance_to_point(shape: &Shape, at: &Pose, point: &Vec3) -> f64 {
    let local = at.inverse_point(point);
    match shape {
        Shape::HalfSpace { normal, offset } => (normal.dot(&local) - offset).max(0.0),
        _ => {
            let (core, radius) = core(shape);
            let apart = core.distance_to_local_point(vector(&local), true);
            (apart - radius).max(0.0)
        }
    }
}
