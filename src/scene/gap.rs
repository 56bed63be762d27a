//! Signed distances between shapes, for placing bodies beside each other.

use crate::collide::narrowphase::{
    Cuboid, distance_from_solid, separation_of_round, separation_of_solids,
};
use crate::math::{Pose, Vec3};
use crate::world::{Frustum, Shape};

/// Signed gap of two shapes `[m]`: positive if they are apart, and never more than their distance;
/// negative if they overlap.
pub(super) fn gap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    match (a, b) {
        (Shape::Compound { parts }, _) => parts
            .iter()
            .map(|part| gap(&part.shape, &pose_a.compose(&part.pose), b, pose_b))
            .fold(f64::INFINITY, f64::min),
        (_, Shape::Compound { .. }) => gap(b, pose_b, a, pose_a),
        (Shape::HalfSpace { normal, offset }, _) => {
            let normal = pose_a.direction(normal);
            let plane = normal.dot(&pose_a.position) + offset;
            -support(b, pose_b, &-normal) - plane
        }
        (_, Shape::HalfSpace { .. }) => gap(b, pose_b, a, pose_a),
        // Of bodies that are no spheres, a lower bound.
        (Shape::Mesh(_), _) => distance(&pose_b.position, a, pose_a) - b.bounding_radius(),
        (_, Shape::Mesh(_)) => gap(b, pose_b, a, pose_a),
        (Shape::Sphere { radius }, _) => distance(&pose_a.position, b, pose_b) - radius,
        (_, Shape::Sphere { radius }) => distance(&pose_b.position, a, pose_a) - radius,
        (Shape::Cylinder { .. } | Shape::Cone { .. }, _)
        | (_, Shape::Cylinder { .. } | Shape::Cone { .. }) => {
            separation_of_round((a, pose_a), (b, pose_b)).unwrap_or(f64::INFINITY)
        }
        (
            Shape::Capsule {
                half_length,
                radius,
            },
            _,
        ) => {
            let axis = pose_a.direction(&Vec3::z()) * *half_length;
            along_segment(&(pose_a.position - axis), &(pose_a.position + axis), |x| {
                distance(x, b, pose_b)
            }) - radius
        }
        (_, Shape::Capsule { .. }) => gap(b, pose_b, a, pose_a),
        (Shape::Polyhedron(solid), Shape::Box { half_extents }) => separation_of_solids(
            (solid.solid(), pose_a),
            (Cuboid::new(half_extents).solid(), pose_b),
        ),
        (Shape::Box { .. }, Shape::Polyhedron(_)) => gap(b, pose_b, a, pose_a),
        (Shape::Polyhedron(one), Shape::Polyhedron(other)) => {
            separation_of_solids((one.solid(), pose_a), (other.solid(), pose_b))
        }
        (
            Shape::Box { half_extents: one },
            Shape::Box {
                half_extents: other,
            },
        ) => separation_of_solids(
            (Cuboid::new(one).solid(), pose_a),
            (Cuboid::new(other).solid(), pose_b),
        ),
    }
}

/// Greatest `direction . x` over a shape; infinite for a half-space.
fn support(shape: &Shape, pose: &Pose, direction: &Vec3) -> f64 {
    let center = direction.dot(&pose.position);
    let local = pose.inverse_direction(direction);
    match shape {
        Shape::Sphere { radius } => center + radius,
        Shape::Box { half_extents } => center + half_extents.dot(&local.abs()),
        Shape::Capsule {
            half_length,
            radius,
        } => center + half_length * local.z.abs() + radius,
        Shape::Cylinder {
            half_length,
            radius,
        } => center + local.dot(&Frustum::cylinder(*half_length, *radius).farthest(&local)),
        Shape::Cone { height, radius } => {
            center + local.dot(&Frustum::cone(*height, *radius).farthest(&local))
        }
        Shape::Polyhedron(solid) => center - solid.solid().lowest(&-local),
        Shape::Mesh(mesh) => {
            let along = mesh.vertices().iter().map(|vertex| local.dot(vertex));
            center + along.fold(f64::NEG_INFINITY, f64::max)
        }
        Shape::HalfSpace { .. } => f64::INFINITY,
        Shape::Compound { parts } => parts
            .iter()
            .map(|part| support(&part.shape, &pose.compose(&part.pose), direction))
            .fold(f64::NEG_INFINITY, f64::max),
    }
}

/// Signed distance of a point from the surface of a shape; of a compound, a lower bound inside.
fn distance(point: &Vec3, shape: &Shape, pose: &Pose) -> f64 {
    let local = pose.inverse_point(point);
    match shape {
        Shape::Sphere { radius } => local.norm() - radius,
        Shape::Box { half_extents } => {
            let beyond = local.abs() - half_extents;
            beyond.sup(&Vec3::zeros()).norm() + beyond.max().min(0.0)
        }
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let foot = local.z.clamp(-half_length, *half_length);
            (local - Vec3::new(0.0, 0.0, foot)).norm() - radius
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            Frustum::cylinder(*half_length, *radius)
                .nearest(&local)
                .distance
        }
        Shape::Cone { height, radius } => Frustum::cone(*height, *radius).nearest(&local).distance,
        Shape::Polyhedron(solid) => distance_from_solid(&local, &solid.solid()),
        Shape::Mesh(mesh) => mesh.signed_distance(&local),
        Shape::HalfSpace { normal, offset } => normal.dot(&local) - offset,
        Shape::Compound { parts } => parts
            .iter()
            .map(|part| distance(&local, &part.shape, &part.pose))
            .fold(f64::INFINITY, f64::min),
    }
}

/// Least value of a convex function on a segment, by golden sections.
fn along_segment(from: &Vec3, to: &Vec3, f: impl Fn(&Vec3) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    // 0.618^70 is below the rounding of a position.
    const SECTIONS: usize = 70;
    let at = |t: f64| f(&from.lerp(to, t));
    let (mut low, mut high) = (0.0, 1.0);
    let (mut left, mut right) = (1.0 - GOLDEN, GOLDEN);
    let (mut f_left, mut f_right) = (at(left), at(right));
    for _ in 0..SECTIONS {
        if f_left < f_right {
            (high, right, f_right) = (right, left, f_left);
            left = high - GOLDEN * (high - low);
            f_left = at(left);
        } else {
            (low, left, f_left) = (left, right, f_right);
            right = low + GOLDEN * (high - low);
            f_right = at(right);
        }
    }
    f_left.min(f_right).min(at(0.0)).min(at(1.0))
}
