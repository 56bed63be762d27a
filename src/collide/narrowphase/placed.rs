//! A shape where it stands.

use crate::math::{Mat3, Quat, Vec3};
use crate::world::{Frustum, Shape, Solid};

/// A shape at its place relative to body A's centre of mass, in world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) shape: &'a Shape,
    pub(super) position: Vec3,
    pub(super) orientation: Quat,
}

/// A placed shape by its sort, with its sizes. What follows from its rotation is left to those who need it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// Centre, radius.
    Sphere((&'a Vec3, f64)),
    /// Half of each side.
    Box(&'a Placed<'a>, &'a Vec3),
    /// Half the length of its segment, radius.
    Capsule(&'a Placed<'a>, f64, f64),
    /// A cylinder or a cone.
    Round(&'a Placed<'a>, Frustum),
    Polyhedron(&'a Placed<'a>, Solid<'a>),
    /// Normal in its own axes, offset.
    HalfSpace(&'a Placed<'a>, &'a Vec3, f64),
}

impl<'a> Placed<'a> {
    /// `None` of compounds and meshes.
    pub(super) fn part(&'a self) -> Option<Part<'a>> {
        Some(match self.shape {
            Shape::Sphere { radius } => Part::Sphere((&self.position, *radius)),
            Shape::Box { half_extents } => Part::Box(self, half_extents),
            Shape::Capsule {
                half_length,
                radius,
            } => Part::Capsule(self, *half_length, *radius),
            Shape::Polyhedron(solid) => Part::Polyhedron(self, solid.solid()),
            Shape::HalfSpace { normal, offset } => Part::HalfSpace(self, normal, *offset),
            round => Part::Round(self, round.frustum()?),
        })
    }
}

impl Placed<'_> {
    /// Matrix from the shape's axes to the world's; its columns are the shape's axes.
    pub(super) fn rotation(&self) -> Mat3 {
        self.orientation.to_rotation_matrix().into_inner()
    }

    /// A capsule's axis in world axes.
    pub(super) fn axis(&self) -> Vec3 {
        self.orientation * Vec3::z()
    }

    /// A half-space's place, normal in world axes, and offset.
    pub(super) fn plane(&self, normal: &Vec3, offset: f64) -> (&Vec3, Vec3, f64) {
        (&self.position, self.orientation * normal, offset)
    }
}
