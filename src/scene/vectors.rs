//! Vectors, matrices and poses of scene files as those of the world.

use super::schema;
use crate::math::{Aabb, Mat3, Pose, Quat, Vec3};
use nalgebra::{Quaternion, Unit};

pub(super) fn vector(given: &schema::Vector) -> Vec3 {
    Vec3::from(*given)
}

/// Inertia as a matrix.
pub(super) fn matrix(given: &schema::Inertia) -> Mat3 {
    match given {
        schema::Inertia::Moments(moments) => Mat3::from_diagonal(&vector(moments)),
        schema::Inertia::Matrix(rows) => Mat3::from_fn(|row, column| rows[row][column]),
    }
}

pub(super) fn pose(position: &schema::Vector, rotation: &schema::Rotation) -> Pose {
    let orientation = match rotation {
        schema::Rotation::Quaternion([w, x, y, z]) => {
            Quat::from_quaternion(Quaternion::new(*w, *x, *y, *z))
        }
        schema::Rotation::AxisAngle(turn) => Quat::from_axis_angle(
            &Unit::new_normalize(vector(&turn.axis)),
            turn.degrees.to_radians(),
        ),
    };
    Pose::new(vector(position), orientation)
}

/// The box between two corners.
pub(super) fn bounds(min: &schema::Vector, max: &schema::Vector) -> Aabb {
    Aabb {
        min: vector(min),
        max: vector(max),
    }
}
