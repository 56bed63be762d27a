//! Vectors, rotations and boxes in f64.

pub(crate) mod rotation;
pub(crate) mod single;

pub use single::tangents;

pub(crate) use rotation::{Rotations, exp, log_near};
pub(crate) use single::{
    Number, V3, add, cross, dot, narrow, scale, sub, symmetric_mul, widen, widen_symmetric,
};

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// A point or direction in world or body axes, f64.
pub type Vec3 = Vector3<f64>;
/// A 3 x 3 matrix, f64.
pub type Mat3 = Matrix3<f64>;
/// A rotation from body to world axes.
pub type Quat = UnitQuaternion<f64>;

/// Length of a vector in a plane: no shape is so large that its square overflows.
#[inline]
pub(crate) fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// Where a frame is: `world = position + orientation * local`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Origin of the frame `[m]`.
    pub position: Vec3,
    /// Rotation from the frame's axes to the world's.
    pub orientation: Quat,
}

impl Pose {
    /// A pose from its parts.
    #[must_use]
    pub fn new(position: Vec3, orientation: Quat) -> Self {
        Self {
            position,
            orientation,
        }
    }

    /// The world frame itself.
    #[must_use]
    pub fn identity() -> Self {
        Self::new(Vec3::zeros(), Quat::identity())
    }

    /// A local point in the outer frame.
    #[must_use]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.orientation * local
    }

    /// A local direction in the outer frame.
    #[must_use]
    pub fn direction(&self, local: &Vec3) -> Vec3 {
        self.orientation * local
    }

    /// A point of the outer frame in local coordinates.
    #[must_use]
    pub fn inverse_point(&self, world: &Vec3) -> Vec3 {
        self.orientation.inverse() * (world - self.position)
    }

    /// A direction of the outer frame in local coordinates.
    #[must_use]
    pub fn inverse_direction(&self, world: &Vec3) -> Vec3 {
        self.orientation.inverse() * world
    }

    /// The pose of `inner`, given in this frame, in the outer frame.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self::new(
            self.point(&inner.position),
            self.orientation * inner.orientation,
        )
    }
}

/// An axis-aligned box in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// Least corner `[m]`.
    pub min: Vec3,
    /// Greatest corner `[m]`.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing; the neutral element of [`Aabb::merged`].
    #[must_use]
    pub fn empty() -> Self {
        Self {
            min: Vec3::repeat(f64::INFINITY),
            max: Vec3::repeat(f64::NEG_INFINITY),
        }
    }

    /// The least box that holds some points.
    pub(crate) fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::empty(), |all, at| Self {
            min: all.min.inf(&at),
            max: all.max.sup(&at),
        })
    }

    /// The box that holds all space.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            min: Vec3::repeat(f64::NEG_INFINITY),
            max: Vec3::repeat(f64::INFINITY),
        }
    }

    /// True if the boxes share a point; touching counts.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// True if some points are all beyond one side.
    #[inline(always)]
    pub(crate) fn is_beside(&self, points: &[Vec3; 3]) -> bool {
        let [a, b, c] = points;
        (0..3).any(|axis| {
            let (min, max) = (self.min[axis], self.max[axis]);
            a[axis] < min && b[axis] < min && c[axis] < min
                || a[axis] > max && b[axis] > max && c[axis] > max
        })
    }

    /// The box grown by `margin` `[m]` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min.add_scalar(-margin),
            max: self.max.add_scalar(margin),
        }
    }

    /// The least box that holds both.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// True if every side is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min
            .iter()
            .chain(self.max.iter())
            .all(|x| x.is_finite())
    }
}
