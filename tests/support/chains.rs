//! Chains of rods, and settings that leave the error to the step alone.

use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::problem::FrictionCone;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::Settings;
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, MassProperties, Shape, World};

/// Length of a link `[m]`.
pub const LINK: f64 = 0.1;

/// A world of slender rods of 0.1 m and 0.1 kg, joined about z, the first one to the world at the
/// origin; horizontal along x and at rest, gravity along -y. They touch nothing.
///
/// Nothing keeps the bodies of a planar hinge in the plane, and a chain under load leaves it as a
/// strut buckles: a deviation of 1e-17 grows to a link's length in 0.6 s. With z for the axis every
/// number off the plane is exactly zero and remains so.
pub fn chain(links: u32, gravity: f64, kind: JointKind) -> World {
    let mut world = free_chain(links, kind.clone());
    world.gravity = Vec3::new(0.0, -gravity, 0.0);
    let joint = Joint::at(kind, &world, 0, None, Vec3::zeros(), Vec3::z());
    world.add_joint(joint.unwrap()).unwrap();
    world
}

/// The same without gravity and without the joint to the world.
pub fn free_chain(links: u32, kind: JointKind) -> World {
    let mut world = World::new(Vec3::zeros());
    let mass = 0.1;
    let across = mass * LINK * LINK / 12.0;
    let inertia = Mat3::from_diagonal(&Vec3::new(0.04 * across, across, across));
    for link in 0..links {
        let start = f64::from(link) * LINK;
        let shape = Shape::Box {
            half_extents: Vec3::new(0.5 * LINK, 0.1 * LINK, 0.1 * LINK),
        };
        let pose = Pose::new(Vec3::new(start + 0.5 * LINK, 0.0, 0.0), Quat::identity());
        let mut body = Body::dynamic_with_mass(shape, pose, mass).unwrap();
        body.mass = MassProperties::new(mass, inertia).unwrap();
        body.groups.collides_with = 0;
        let body = world.add(body).unwrap();
        if let Some(before) = body.checked_sub(1) {
            let anchor = Vec3::new(start, 0.0, 0.0);
            let joint = Joint::at(kind.clone(), &world, body, Some(before), anchor, Vec3::z());
            world.add_joint(joint.unwrap()).unwrap();
        }
    }
    world
}

/// One scheme for contacts and joints, and sweeps until round-off.
pub fn precise(h: f64, scheme: Scheme) -> Settings {
    let mut settings = Settings {
        time_step: h,
        stabilization: Stabilization::both(scheme),
        friction_cone: FrictionCone::Pyramid { directions: 4 },
        ..Settings::post_stabilized()
    };
    settings.solver.iterations = 2000;
    settings.solver.tolerance = 1e-9;
    settings.stabilization.post.solver.iterations = 2000;
    settings.stabilization.post.solver.tolerance = 1e-13;
    settings
}
