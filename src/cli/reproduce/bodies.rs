//! Bodies and solids of which several experiments are made.

use drystone::Result;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{Body, Polyhedron, Shape};

/// The half-space below `z = 0`.
pub(crate) fn ground() -> Body {
    let shape = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    Body::fixed(shape, Pose::identity())
}

/// A box whose centre is at a height `[m]`.
pub(crate) fn cuboid(half_extents: Vec3, height: f64, mass: f64) -> Result<Body> {
    let pose = Pose::new(Vec3::z() * height, Quat::identity());
    Body::dynamic_with_mass(Shape::Box { half_extents }, pose, mass)
}

/// Corners of a box about its centre: x changes first, z last.
pub(crate) fn corners(half_extents: &Vec3) -> [Vec3; 8] {
    let sign = |k: usize, axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
    std::array::from_fn(|k| Vec3::from_fn(|axis, _| sign(k, axis) * half_extents[axis]))
}

/// A box as a polyhedron.
pub(crate) fn solid_box(half_extents: &Vec3) -> Result<Polyhedron> {
    Polyhedron::hull(&corners(half_extents))
}
