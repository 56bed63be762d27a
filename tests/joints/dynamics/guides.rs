//! Where joints lead their bodies, and what they leave alone.

use super::{G, ball, coordinate, rod, run, simulation, world};
use crate::{generator, kinds, path, vector};
use drystone::internals::math;
use drystone::math::{Pose, Vec3};
use drystone::measure::{self, joint_errors};
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::Scheme;
use drystone::step::Simulation;
use drystone::world::joint::{Joint, JointKind, Motor};
use drystone::world::{Body, Shape, World};
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// On an inclined axis a body gains `g cos` along it, and neither leaves it nor turns.
#[test]
fn a_slider_slides_along_its_axis_only() {
    let mut world = world(G);
    world.add(rod(Vec3::new(0.2, 0.1, 0.0))).unwrap();
    world.bodies[0].angular_velocity = Vec3::new(0.0, 2.0, 1.0);
    let axis = Vec3::new(1.0, 0.0, 1.0) / SQRT_2;
    let slider = Joint::at(JointKind::Slider, &world, 0, None, Vec3::zeros(), axis).unwrap();
    world.add_joint(slider).unwrap();
    let start = world.bodies[0].pose;
    run(&mut simulation(world, 0.01), 1.0, |world| {
        let body = &world.bodies[0];
        let moved = body.pose.position - start.position;
        let along = moved.dot(&axis);
        assert!((moved - axis * along).norm() < 1e-6);
        assert!(body.pose.orientation.angle_to(&start.orientation) < 1e-6);
        let expected = -G / SQRT_2 * world.time;
        assert!((body.linear_velocity.dot(&axis) - expected).abs() < 1e-4);
    });
}

/// Two shafts at an angle b, the first driven: `w2 / w1 = cos b / (1 - sin^2 b sin^2 angle)`, the
/// angle of the first counted from where its pin lies across both shafts.
#[test]
fn a_universal_joint_transmits_rotation() {
    let bend: f64 = 0.5;
    let mut world = world(0.0);
    let second = math::exp(&(Vec3::x() * bend)) * Vec3::z();
    world.add(ball(-Vec3::z() * 0.3)).unwrap();
    world.add(ball(second * 0.3)).unwrap();
    let speed = 2.0;
    let drive = Motor::Velocity {
        target: speed,
        max_force: 1e3,
    };
    let hinge = |world: &World, body, axis: Vec3| {
        let at = world.bodies[body as usize].pose.position;
        Joint::at(JointKind::Hinge, world, body, None, at, axis).unwrap()
    };
    let driven = hinge(&world, 0, Vec3::z()).with_motor(drive);
    world.add_joint(driven).unwrap();
    let driving = hinge(&world, 1, second);
    world.add_joint(driving).unwrap();
    let mut cross =
        Joint::at_frame(JointKind::Universal, &world, 0, Some(1), &Pose::identity()).unwrap();
    cross.frame_b.orientation = math::exp(&(Vec3::x() * bend));
    world.add_joint(cross).unwrap();
    world.bodies[0].angular_velocity = Vec3::z() * speed;
    world.bodies[1].angular_velocity = second * (speed * bend.cos());

    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    let h = 2e-3;
    run(&mut simulation(world, h), PI, |world| {
        // Velocities belong to the middle of the step.
        let angle = coordinate(world, 0).0 - 0.5 * h * speed;
        let expected = bend.cos() / (1.0 - (bend.sin() * angle.sin()).powi(2));
        let ratio = coordinate(world, 1).1 / coordinate(world, 0).1;
        assert!(
            (ratio / expected - 1.0).abs() < 2e-3,
            "{ratio} instead of {expected} at {angle}"
        );
        least = least.min(ratio);
        most = most.max(ratio);
    });
    assert!(least < 0.89 && most > 1.13, "{least} to {most}");
}

/// A stone on a rope falls freely until the rope is taut, and never beyond.
#[test]
fn a_rope_goes_slack() {
    let mut world = world(G);
    world.add(ball(Vec3::new(0.0, 0.0, -0.6))).unwrap();
    let start = Vec3::new(0.5, 0.0, 2.0);
    world.bodies[0].linear_velocity = start;
    let rope = Joint::between(
        JointKind::Distance { length: 1.0 },
        0,
        Pose::identity(),
        None,
        Pose::identity(),
    );
    world.add_joint(rope.with_limits(0.0, 1.0)).unwrap();
    let h = 0.005;
    let mut simulation = simulation(world, h);
    let mut taut = false;
    run(&mut simulation, 3.0, |world| {
        let t = world.time;
        // The step's own parabola.
        let free = Vec3::new(0.0, 0.0, -0.6) + start * t - Vec3::z() * (0.5 * G * t * (t + h));
        let distance = coordinate(world, 0).0;
        taut |= free.norm() > 1.0;
        if !taut {
            assert!((world.bodies[0].pose.position - free).norm() < 1e-9);
        }
        assert!(distance < 1.0 + 1e-5, "{distance} at {t}");
    });
    assert!(taut);
}

/// Anchor of a rod led around a circle for half a turn: how far it comes off the path, and how far
/// its velocity is from the path's at the end.
fn led_around(h: f64) -> (f64, f64) {
    let mut world = world(G);
    world.add(rod(Vec3::x() * 0.3)).unwrap();
    let kind = JointKind::PrescribedVelocity { path: path() };
    let led = Joint::at(kind, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
    world.add_joint(led).unwrap();
    let mut simulation = simulation(world, h);
    let mut farthest = 0.0_f64;
    run(&mut simulation, FRAC_PI_2, |world| {
        let anchor = world.bodies[0]
            .pose
            .point(&world.joints[0].frame_a.position);
        let angle = 2.0 * world.time;
        let on_circle = Vec3::new(0.5 * (angle.cos() - 1.0), 0.5 * angle.sin(), 0.0);
        farthest = farthest.max((anchor - on_circle).norm());
    });
    (farthest, joint_errors(simulation.world()).velocity_max)
}

/// The constraint holds with the rows at the start of the step, whence errors of first order: of the
/// path, which nothing corrects, and of the velocity with the rows at the step's end.
#[test]
fn a_prescribed_velocity_leads_its_anchor() {
    let coarse = led_around(1e-3);
    let fine = led_around(5e-4);
    assert!(coarse.0 < 0.01 && coarse.1 < 0.05, "{coarse:?}");
    for ratio in [coarse.0 / fine.0, coarse.1 / fine.1] {
        assert!((ratio - 2.0).abs() < 0.2, "{coarse:?}, {fine:?}");
    }
}

#[test]
fn joined_bodies_touch_only_if_the_joint_says_so() {
    for collide in [false, true] {
        let mut world = world(0.0);
        world.add(ball(Vec3::zeros())).unwrap();
        world.add(ball(Vec3::x() * 0.15)).unwrap();
        let mut joint = Joint::new(JointKind::Distance { length: 0.15 }, 0, Some(1));
        joint.collide = collide;
        world.add_joint(joint).unwrap();
        let simulation = simulation(world, 0.01);
        assert_eq!(simulation.contacts().len(), usize::from(collide));
    }
}

/// Four rods joined by three kinds of joints and thrown: nothing outside acts on them.
#[test]
fn internal_joints_conserve_momentum_and_never_add_energy() {
    let mut world = world(0.0);
    let mut random = generator(4);
    for link in 0..4 {
        let mut rod = rod(Vec3::x() * (0.6 * f64::from(link)));
        rod.linear_velocity = vector(&mut random);
        rod.angular_velocity = vector(&mut random) * 3.0;
        world.add(rod).unwrap();
    }
    for (link, kind) in [JointKind::Ball, JointKind::Hinge, JointKind::Universal]
        .into_iter()
        .enumerate()
    {
        let anchor = Vec3::x() * (0.6 * link as f64 + 0.3);
        let b = link as u32;
        let joint = Joint::at(kind, &world, b + 1, Some(b), anchor, Vec3::y()).unwrap();
        world.add_joint(joint).unwrap();
    }
    let momenta = |world: &World| {
        let mut sum = (Vec3::zeros(), Vec3::zeros());
        for body in &world.bodies {
            let linear = body.linear_velocity * body.mass.mass;
            sum.0 += linear;
            sum.1 +=
                body.pose.position.cross(&linear) + body.world_inertia() * body.angular_velocity;
        }
        sum
    };
    let start = momenta(&world);
    for (scheme, most_angular) in [
        (Scheme::Implicit, 1e-6),
        // Moves bodies and not their velocities: an angular momentum of first order in h.
        (Scheme::Post, 1e-3),
    ] {
        let mut settings = *simulation(world.clone(), 1e-3).settings();
        settings.stabilization.joints = scheme;
        let solver = Box::new(CpuSolver::new());
        let mut simulation = Simulation::new(world.clone(), settings, solver).unwrap();
        let mut energy = measure::energy(&world).kinetic;
        for _ in 0..1000 {
            let report = simulation.step().unwrap();
            assert!(report.energy.kinetic < energy * (1.0 + 1e-7));
            energy = report.energy.kinetic;
        }
        let end = momenta(simulation.world());
        let (linear, angular) = ((end.0 - start.0).norm(), (end.1 - start.1).norm());
        assert!(linear < 1e-6 * start.0.norm(), "{scheme:?}: {linear}");
        assert!(
            angular < most_angular * start.1.norm(),
            "{scheme:?}: {angular}"
        );
        assert!(joint_errors(simulation.world()).linear_max < 1e-6);
    }
}

/// Put together wrongly, by a metre and by up to 2.5 rad, joints find their way by position passes,
/// without a velocity.
#[test]
fn joints_assemble_from_far() {
    for kind in kinds() {
        if matches!(kind, JointKind::PrescribedVelocity { .. }) {
            continue;
        }
        let mut random = generator(17);
        let mut world = world(0.0);
        for _ in 0..2 {
            let turn = vector(&mut random).normalize() * 1.25;
            let frame = Pose::new(vector(&mut random), math::exp(&turn));
            let shape = Shape::Box {
                half_extents: Vec3::new(0.3, 0.2, 0.25),
            };
            world
                .add(Body::dynamic_with_mass(shape, frame, 1.0).unwrap())
                .unwrap();
        }
        world
            .add_joint(Joint::new(kind.clone(), 0, Some(1)))
            .unwrap();
        let mut simulation = simulation(world, 0.01);
        let before = joint_errors(simulation.world());
        assert!(before.linear_max > 0.1);
        run(&mut simulation, 3.0, |_| {});
        let after = joint_errors(simulation.world());
        assert!(
            after.linear_max < 1e-6 && after.angular_max < 1e-6,
            "{}: {before:?} to {after:?}",
            kind.name()
        );
        for body in &simulation.world().bodies {
            assert!(body.linear_velocity.norm() < 1e-6 && body.angular_velocity.norm() < 1e-6);
        }
    }
}
