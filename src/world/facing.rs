//! Directions in which triangles can be touched.
//!
//! The nearest place to a point, among its surroundings on a surface, is seen from there along a normal of the surface. Where all normals at a triangle, those
//! of the triangles that share a corner with it, are within some angle below 90 degrees of an axis, the surface is a graph over a plane, no steeper than
//! that angle, and so are all lines and planes that bound it locally: a point of the triangle can be nearest in directions only that are within the same
//! angle of the axis, to either side. Whole parts of a mesh are out of question by this, although they are near (Johnson and Cohen 2001, *Spatialized
//! normal cone hierarchies*).

use crate::constants::{FACING_ROUNDING, FACING_STEEPEST};
use crate::math::Vec3;

/// A cone to both sides of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Facing {
    axis: [f32; 3],
    /// Sine of the angle between the axis and the cone; more than 1 for all directions.
    sine: f32,
}

impl Facing {
    /// All directions.
    pub(crate) const ANY: Self = Self {
        axis: [0.0, 0.0, 1.0],
        sine: 2.0,
    };

    /// A cone about an axis, a vector of any length, that holds some others, given by their distances from the axis.
    fn about(axis: &Vec3, angle_from: impl FnOnce(&Vec3) -> f64) -> Self {
        let length = axis.norm();
        if length <= FACING_ROUNDING {
            return Self::ANY;
        }
        let axis = axis / length;
        let angle = angle_from(&axis) + FACING_ROUNDING;
        if angle > FACING_STEEPEST {
            return Self::ANY;
        }
        Self {
            axis: [axis.x as f32, axis.y as f32, axis.z as f32],
            sine: (angle.sin() + FACING_ROUNDING) as f32,
        }
    }

    /// The cone around some unit vectors.
    pub(super) fn around(normals: impl Iterator<Item = Vec3> + Clone) -> Self {
        Self::about(&normals.clone().sum(), |axis| {
            normals.fold(0.0, |most, normal| most.max(angle(axis, &normal)))
        })
    }

    /// A cone around two.
    pub(crate) fn merged(&self, other: &Self) -> Self {
        let both = [self, other];
        if both.iter().any(|cone| cone.is_any()) {
            return Self::ANY;
        }
        let [one, two] = both.map(Self::axis);
        Self::about(&(one + two), |axis| {
            both.iter().fold(0.0, |most, cone| {
                most.max(angle(axis, &cone.axis()) + f64::from(cone.sine).asin())
            })
        })
    }

    /// True for all directions: its axis then says nothing.
    #[inline(always)]
    pub(crate) fn is_any(&self) -> bool {
        self.sine > 1.0
    }

    fn axis(&self) -> Vec3 {
        Vec3::from(self.axis.map(f64::from))
    }

    /// A vector less its part along the axis.
    #[inline(always)]
    pub(crate) fn beside(&self, vector: &Vec3) -> Vec3 {
        let axis = self.axis();
        vector - axis * axis.dot(vector)
    }

    /// How far beside the axis a point can be, at most, from what it is nearest to within `range` `[m]`.
    #[inline(always)]
    pub(crate) fn width(&self, range: f64) -> f64 {
        f64::from(self.sine) * range
    }

    /// The same beside a direction within the cone.
    #[inline(always)]
    pub(crate) fn width_from_within(&self, range: f64) -> f64 {
        (2.0 * self.width(range)).min(range)
    }

    /// How far unit vectors within the cone reach along each axis of the mesh, at most.
    #[inline(always)]
    pub(crate) fn extents(&self) -> Vec3 {
        let sine = self.width(1.0);
        self.axis().map(|x| (x.abs() + sine).min(1.0))
    }

    /// True if something can be touched in a direction, of any length, or the opposite one.
    #[inline(always)]
    pub(crate) fn holds(&self, direction: &Vec3) -> bool {
        let width = self.width(1.0);
        self.axis().cross(direction).norm_squared() <= width * width * direction.norm_squared()
    }
}

/// The angle between two vectors, precise for small ones.
fn angle(a: &Vec3, b: &Vec3) -> f64 {
    a.cross(b).norm().atan2(a.dot(b))
}
