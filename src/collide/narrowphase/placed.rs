//! A shape where it stands.

use crate::math::{Mat3, Quat, Vec3};
use crate::world::Shape;

/// A shape at its place relative to body A's centre of mass, in world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) shape: &'a Shape,
    pub(super) position: Vec3,
    pub(super) orientation: Quat,
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
}
