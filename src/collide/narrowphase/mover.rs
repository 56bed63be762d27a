//! What every pair needs of a body, side by side in memory.

use crate::math::Vec3;
use crate::world::{Body, Shape};

/// Place, velocity and size of a body. Pairs come in no order that memory likes, and a whole
/// [`Body`] is many cache lines long.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Mover {
    pub(super) position: Vec3,
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
    /// Infinite for an unbounded shape.
    pub(super) bounding_radius: f64,
    pub(super) is_sphere: bool,
}

impl Mover {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            position: body.pose.position,
            velocity: body.linear_velocity,
            spin: body.angular_velocity,
            bounding_radius: body.shape.bounding_radius(),
            is_sphere: matches!(body.shape, Shape::Sphere { .. }),
        }
    }
}
