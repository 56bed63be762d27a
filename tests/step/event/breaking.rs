//! Joints that break in the event stepper.

use super::{G, cuboid, ground, world};
use drystone::event::{EventOptions, EventSettings, EventStepper};
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::reference::LemkeSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Load, Shape, World};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Time in which a pendulum of length `length` swings from rest at an angle to a smaller one: an elliptic integral, by Simpson's rule.
fn swing(length: f64, from: f64, to: f64) -> f64 {
    let k = (0.5 * from).sin();
    let begin = ((0.5 * to).sin() / k).asin();
    let count = 2_000;
    let step = (FRAC_PI_2 - begin) / f64::from(count);
    let sum: f64 = (0..=count)
        .map(|index| {
            let sine = k * (begin + step * f64::from(index)).sin();
            let weight = match index {
                0 => 1.0,
                _ if index == count => 1.0,
                _ if index % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight / (1.0 - sine * sine).sqrt()
        })
        .sum();
    (length / G).sqrt() * sum * step / 3.0
}

/// A ball of 2 kg on a rod without mass, to be let go from an angle: its tension is `m g (3 cos - 2 cos0)`.
fn pendulum(length: f64, from: f64, bears: f64) -> World {
    let mut world = world(0.0, 0.0);
    let at = Vec3::new(from.sin(), 0.0, -from.cos()) * length;
    let shape = Shape::Sphere { radius: 0.1 };
    let pose = Pose::new(at, Quat::identity());
    let ball = world
        .add(Body::dynamic_with_mass(shape, pose, 2.0).unwrap())
        .unwrap();
    let joint =
        Joint::new(JointKind::Distance { length }, ball, None).breaking_at(bears, f64::INFINITY);
    world.add_joint(joint).unwrap();
    world
}

#[test]
fn a_pendulum_breaks_where_its_tension_is_too_much_and_flies_on() {
    for (length, from, share) in [(1.0, FRAC_PI_2, 2.0), (1.0, 2.0, 3.5), (0.4, 1.2, 1.7)] {
        let cosine = (share + 2.0 * f64::cos(from)) / 3.0;
        let mut world = pendulum(length, from, share * 2.0 * G);
        let h = 0.005;
        let settings = EventSettings::for_world(&world, h);
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let mut breaks = Vec::new();
        while world.time < 1.2 - 1e-9 {
            breaks.extend(stepper.step(&mut world, h).unwrap().breaks);
        }
        let angle = cosine.acos();
        let expected = swing(length, from, angle);
        assert_eq!(breaks.len(), 1, "{from}: {breaks:?}");
        assert!(
            (breaks[0] - expected).abs() < 1e-6,
            "{from}: {breaks:?} {expected}"
        );
        assert!(world.joints[0].broken);
        // It swings towards -x.
        let speed = (2.0 * G * length * (cosine - from.cos())).sqrt();
        let start = Vec3::new(angle.sin(), 0.0, -cosine) * length;
        let velocity = Vec3::new(-cosine, 0.0, -angle.sin()) * speed;
        let t = world.time - expected;
        let there = start + velocity * t - Vec3::z() * (0.5 * G * t * t);
        let off = (world.bodies[0].pose.position - there).norm();
        assert!(off < 5e-6, "{from}: {off}");
    }
    // At the bottom it is 3 m g.
    let mut world = pendulum(1.0, FRAC_PI_2, 3.0 * 2.0 * G * (1.0 + 1e-4));
    let settings = EventSettings::for_world(&world, 0.005);
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    for _ in 0..400 {
        assert!(stepper.step(&mut world, 0.005).unwrap().breaks.is_empty());
    }
}

/// A chain of two balls: the upper rod carries both, the lower one only one of them.
#[test]
fn a_chain_breaks_at_its_weakest_rod_when_a_pull_has_grown() {
    for (bears, broken, share) in [
        ([60.0, 100.0], 0, 60.0 - 2.0 * G),
        ([60.0, 35.0], 1, 35.0 - G),
    ] {
        let mut world = world(0.0, 0.0);
        for k in 0..2 {
            let pose = Pose::new(Vec3::z() * -(f64::from(k) + 1.0), Quat::identity());
            let shape = Shape::Sphere { radius: 0.1 };
            world
                .add(Body::dynamic_with_mass(shape, pose, 1.0).unwrap())
                .unwrap();
        }
        for (k, bears) in (0..2).zip(bears) {
            let above = if k == 0 { None } else { Some(0) };
            let joint = Joint::new(JointKind::Distance { length: 1.0 }, k, above);
            world
                .add_joint(joint.breaking_at(bears, f64::INFINITY))
                .unwrap();
        }
        let (most, frequency) = (60.0, 0.25);
        world.loads.push(Load {
            body: 1,
            point: Vec3::zeros(),
            force: Vec3::z() * -most,
            torque: Vec3::zeros(),
            from: 0.1,
            until: f64::INFINITY,
            frequency,
        });
        let settings = EventSettings::for_world(&world, 0.01);
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let mut breaks = Vec::new();
        for _ in 0..80 {
            breaks.extend(stepper.step(&mut world, 0.01).unwrap().breaks);
        }
        let expected = 0.1 + (share / most).asin() / (TAU * frequency);
        assert_eq!(breaks.len(), 1, "{breaks:?}");
        assert!((breaks[0] - expected).abs() < 1e-8, "{breaks:?} {expected}");
        assert_eq!(
            [0, 1].map(|k| world.joints[k].broken),
            [broken == 0, broken == 1]
        );
    }
}

#[test]
fn a_beam_breaks_off_at_once_where_its_torque_is_too_much() {
    // 1 m out of a wall, 3 kg: 1.5 m kg g.
    for (share, breaks) in [(0.999, 1), (1.001, 0)] {
        let mut world = world(0.0, 0.0);
        let beam = world
            .add(cuboid([0.5, 0.05, 0.05], [0.5, 0.0, 0.0], 3.0))
            .unwrap();
        let joint = Joint::at(
            JointKind::Fixed,
            &world,
            beam,
            None,
            Vec3::zeros(),
            Vec3::x(),
        )
        .unwrap();
        world
            .add_joint(joint.breaking_at(f64::INFINITY, share * 1.5 * G))
            .unwrap();
        let settings = EventSettings::for_world(&world, 0.01);
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let report = stepper.step(&mut world, 0.01).unwrap();
        assert_eq!(report.breaks, vec![0.0; breaks]);
        let fall = world.bodies[0].linear_velocity.z;
        let expected = if breaks == 1 { -0.01 * G } else { 0.0 };
        assert!((fall - expected).abs() < 1e-9, "{fall}");
    }
}

/// A collision has no force: its impulse counts as its mean over the step, as in a step of fixed length.
#[test]
fn a_blow_breaks_a_joint_by_its_mean_over_the_step() {
    let h = 0.01;
    // A ball of 1 kg at 2 m/s and e = 0 stops at a block that a joint holds.
    for (share, breaks) in [(0.99, 1), (1.01, 0)] {
        let mut world = world(0.0, 0.0);
        world.gravity = Vec3::zeros();
        let block = world.add(cuboid([0.1; 3], [0.0; 3], 1.0)).unwrap();
        let shape = Shape::Sphere { radius: 0.1 };
        let pose = Pose::new(Vec3::new(-0.3, 0.0, 0.0), Quat::identity());
        let ball = Body::dynamic_with_mass(shape, pose, 1.0).unwrap();
        world
            .add(ball.moving(Vec3::x() * 2.0, Vec3::zeros()))
            .unwrap();
        let joint = Joint::new(JointKind::Ball, block, None);
        world
            .add_joint(joint.breaking_at(share * 2.0 / h, f64::INFINITY))
            .unwrap();
        let settings = EventSettings::for_world(&world, h);
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let mut times = Vec::new();
        for _ in 0..10 {
            times.extend(stepper.step(&mut world, h).unwrap().breaks);
        }
        assert_eq!(times.len(), breaks, "{times:?}");
        assert!(times.iter().all(|at| (at - 0.05).abs() < 1e-6), "{times:?}");
    }
}

/// Bodies that a joint kept from touching touch once it is broken.
#[test]
fn what_a_joint_held_apart_collides_once_it_is_broken() {
    let mut world = world(0.5, 0.0);
    world.add(ground()).unwrap();
    world.add(cuboid([0.2; 3], [0.0, 0.0, 0.2], 1.0)).unwrap();
    let upper = world.add(cuboid([0.2; 3], [0.0, 0.0, 0.7], 1.0)).unwrap();
    let joint = Joint::at(
        JointKind::Fixed,
        &world,
        upper,
        Some(1),
        Vec3::z() * 0.45,
        Vec3::z(),
    );
    // Above the weight of the upper block, and below it with a push.
    world
        .add_joint(joint.unwrap().breaking_at(15.0, f64::INFINITY))
        .unwrap();
    world.loads.push(Load {
        body: upper,
        point: Vec3::zeros(),
        force: Vec3::z() * -10.0,
        torque: Vec3::zeros(),
        from: 0.105,
        until: f64::INFINITY,
        frequency: 0.0,
    });
    let settings = EventSettings::for_world(&world, 0.01);
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    let mut breaks = Vec::new();
    for _ in 0..60 {
        breaks.extend(stepper.step(&mut world, 0.01).unwrap().breaks);
    }
    assert_eq!(breaks.len(), 1);
    assert!((breaks[0] - 0.105).abs() < 1e-12, "{breaks:?}");
    let height = world.bodies[upper as usize].pose.position.z;
    assert!((height - 0.6).abs() < 1e-6, "{height}");
}

#[test]
fn a_simulation_counts_what_broke_and_goes_on_from_a_state_after_it() {
    let made = || {
        let world = pendulum(1.0, FRAC_PI_2, 2.0 * 2.0 * G);
        let settings = Settings {
            time_step: 0.01,
            event: Some(EventOptions::default()),
            ..Settings::default()
        };
        Simulation::new(world, settings, Box::new(LemkeSolver::new())).unwrap()
    };
    let mut run = made();
    let broke: usize = (0..60).map(|_| run.step().unwrap().broken_joints).sum();
    assert_eq!(broke, 1);
    let saved = run.save().unwrap();
    let mut other = made();
    other.restore(&saved).unwrap();
    for _ in 0..20 {
        run.step().unwrap();
        other.step().unwrap();
    }
    assert_eq!(run.world(), other.world());
}
