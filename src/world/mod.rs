//! Bodies, their shapes, masses, materials and prescribed motions, joints and loads: f64, in world axes
//! and SI units.

mod body;
mod construct;
mod facing;
mod flaw;
mod frustum;
#[cfg(feature = "hull")]
mod hull;
pub mod joint;
mod load;
mod mass;
mod material;
mod mesh;
mod motion;
mod polyhedron;
mod shape;
mod tree;
mod validate;

pub use body::{Body, BodyKind, CollisionGroups};
#[cfg(feature = "scene")]
pub(crate) use flaw::Flaw;
pub(crate) use frustum::{Frustum, NearestOn};
pub use joint::Joint;
pub use load::Load;
pub use mass::MassProperties;
pub(crate) use mass::NearlySymmetricTop;
pub use material::{Material, MaterialPair};
pub use mesh::TriangleMesh;
pub(crate) use mesh::{Feature, SideKind};
pub use motion::{Keyframe, Motion};
pub(crate) use polyhedron::Solid;
pub use polyhedron::{Edge, Face, Polyhedron};
pub use shape::{CompoundPart, Shape};

use crate::constants::BODIES_PER_THREAD;
use crate::math::Vec3;
use crate::parallel;

/// Everything that moves or is touched, and the gravity that acts on it.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Acceleration of gravity `[m/s^2]`.
    pub gravity: Vec3,
    /// Bodies, shape `[body_count]`; their order is their identity.
    pub bodies: Vec<Body>,
    /// Joints, shape `[joint_count]`; their order is their identity.
    pub joints: Vec<Joint>,
    /// Forces beside gravity.
    pub loads: Vec<Load>,
    /// Materials; bodies refer to them by index.
    pub materials: Vec<Material>,
    /// Simulated time `[s]`.
    pub time: f64,
}

impl World {
    /// Bounding radius of the smallest dynamic body `[m]`; 1 if there is none.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        let of = |_, bodies: &[Body]| {
            let radii = bodies.iter().map(Body::moving_radius);
            radii.fold(f64::INFINITY, f64::min)
        };
        let bodies = &self.bodies[..];
        let smallest = parallel::fold(bodies, BODIES_PER_THREAD, f64::INFINITY, of, f64::min);
        if smallest.is_finite() { smallest } else { 1.0 }
    }
}
