//! Joints and loads in the step: who touches whom, what breaks, and what a push does.

use crate::support::chains::{LINK, chain, precise};
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::Scheme;
use drystone::step::Simulation;
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Load, Shape, World};

fn simulation(world: World) -> Simulation {
    Simulation::new(
        world,
        precise(1e-3, Scheme::Post),
        Box::new(CpuSolver::new()),
    )
    .unwrap()
}

/// Overlapping spheres without gravity, joined where they are.
#[test]
fn joined_bodies_touch_only_if_they_may() {
    for collide in [false, true] {
        let mut world = World::new(Vec3::zeros());
        for x in [0.0, 0.15] {
            let pose = Pose::new(Vec3::new(x, 0.0, 0.0), Quat::identity());
            let sphere = Shape::Sphere { radius: 0.1 };
            world
                .add(Body::dynamic_with_mass(sphere, pose, 1.0).unwrap())
                .unwrap();
        }
        let anchor = Vec3::new(0.075, 0.0, 0.0);
        let joint = Joint::at(JointKind::Ball, &world, 1, Some(0), anchor, Vec3::z()).unwrap();
        world.add_joint(Joint { collide, ..joint }).unwrap();
        assert_eq!(simulation(world).contacts().len(), usize::from(collide));
    }
}

/// The joint to the world of a hanging chain of three rods carries 0.3 kg; the second one 0.2 kg.
#[test]
fn the_joint_that_carries_too_much_breaks() {
    for (strength, broken) in [(2.0, 1), (4.0, 0)] {
        let mut world = chain(3, 9.81, JointKind::Hinge);
        world.gravity = Vec3::new(9.81, 0.0, 0.0);
        let top = world.joints.len() - 1;
        world.joints[top] = world.joints[top]
            .clone()
            .breaking_at(strength, f64::INFINITY);
        let mut simulation = simulation(world);
        let first = simulation.step().unwrap();
        assert_eq!(first.broken_joints, broken, "{strength} N");
        for _ in 0..99 {
            simulation.step().unwrap();
        }
        let joints = simulation.joint_errors();
        assert_eq!(joints.broken, broken, "{strength} N");
        assert!(joints.linear_max < 1e-9, "{joints:?}");
        let fallen = simulation.world().bodies[0].pose.position.x - 0.5 * LINK;
        let expected = if broken > 0 { 0.5 * 9.81 * 0.01 } else { 0.0 };
        assert!((fallen - expected).abs() < 2e-3, "{strength} N: {fallen}");
    }
}

/// A push off the centre for 0.2505 s, which ends within a step.
#[test]
fn a_load_gives_its_impulse() {
    let mut world = World::new(Vec3::zeros());
    let sphere = Shape::Sphere { radius: 0.1 };
    world
        .add(Body::dynamic_with_mass(sphere, Pose::identity(), 2.0).unwrap())
        .unwrap();
    world.loads.push(Load {
        body: 0,
        point: Vec3::zeros(),
        force: Vec3::new(3.0, 0.0, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.01),
        from: 0.1,
        until: 0.3505,
        frequency: 0.0,
    });
    let mut simulation = simulation(world);
    for _ in 0..500 {
        simulation.step().unwrap();
    }
    let body = &simulation.world().bodies[0];
    let inertia = 0.4 * 2.0 * 0.01;
    assert!((body.linear_velocity.x - 3.0 * 0.2505 / 2.0).abs() < 1e-9);
    assert!((body.angular_velocity.z - 0.01 * 0.2505 / inertia).abs() < 1e-9);
}
