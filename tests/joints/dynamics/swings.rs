//! Pendulums, tops, springs and chains.

use super::{G, ball, coordinate, rod, run, simulation, sliding_ball, world};
use crate::{error, rows};
use drystone::internals::math;
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::measure::joint_errors;
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::Scheme;
use drystone::step::Simulation;
use drystone::world::joint::{Joint, JointKind, Spring};
use drystone::world::{Body, MassProperties, Shape};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI, TAU};

/// Time between the first and the last rise through zero over the number of periods between them.
fn period(samples: &[(f64, f64)]) -> f64 {
    let rises: Vec<f64> = samples
        .windows(2)
        .filter(|pair| pair[0].1 < 0.0 && pair[1].1 >= 0.0)
        .map(|pair| {
            let [(t0, x0), (t1, x1)] = [pair[0], pair[1]];
            t0 - x0 * (t1 - t0) / (x1 - x0)
        })
        .collect();
    assert!(rises.len() > 2, "{} rises", rises.len());
    (rises[rises.len() - 1] - rises[0]) / (rises.len() - 1) as f64
}

/// A rod swinging about one of its ends, from an angle to the vertical at rest: times and angles of
/// its first swings, and the period of small ones.
fn pendulum(start: f64, h: f64) -> (Vec<(f64, f64)>, f64) {
    let mut world = world(G);
    let reach = 0.3;
    let mut rod = rod(Vec3::zeros());
    // Hanging down: the rod's x axis points along -z, turned by the start angle about y.
    let hanging = math::exp(&(Vec3::y() * (FRAC_PI_2 + start)));
    rod.pose = Pose::new(hanging * (Vec3::x() * reach), hanging);
    let inertia = rod.mass.inertia[(1, 1)] + rod.mass.mass * reach * reach;
    let small = TAU * (inertia / (rod.mass.mass * G * reach)).sqrt();
    world.add(rod).unwrap();
    let joint = Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), Vec3::y()).unwrap();
    world.add_joint(joint).unwrap();
    let mut samples = Vec::new();
    run(&mut simulation(world, h), 3.5 * small, |world| {
        // The angle counts from the start, and stays within half a turn.
        let angle = coordinate(world, 0).0 + start;
        samples.push((world.time, (angle + PI).rem_euclid(TAU) - PI));
    });
    (samples, small)
}

#[test]
fn pendulum_swings_with_its_period() {
    let (samples, expected) = pendulum(0.05, 2e-3);
    let measured = period(&samples);
    assert!(
        (measured / expected - 1.0).abs() < 1e-3,
        "{measured} s instead of {expected} s"
    );
}

/// `T = T0 / agm(1, cos(start / 2))`, a quarter of which is the time to the first fall through the
/// vertical: later swings are smaller, because every step loses what of the velocity is not along
/// the new direction, a fraction of `(h w)^2` of its square.
#[test]
fn a_wide_pendulum_swings_slower() {
    let start: f64 = 1.8;
    let (mut a, mut b) = (1.0, (0.5 * start).cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let (samples, small) = pendulum(start, 5e-4);
    let expected = small / a;
    assert!(expected > 1.2 * small);
    let below = samples.iter().position(|(_, angle)| *angle < 0.0).unwrap();
    let [(t0, x0), (t1, x1)] = [samples[below - 1], samples[below]];
    let measured = 4.0 * (t0 - x0 * (t1 - t0) / (x1 - x0));
    assert!(
        (measured / expected - 1.0).abs() < 5e-3,
        "{measured} s instead of {expected} s"
    );
}

/// Steady precession: `I1 cos(tilt) W^2 - I3 w3 W + m g l = 0`, I1 about the tip.
#[test]
fn a_heavy_top_precesses() {
    let (l, i1, i3, tilt, spin) = (0.1, 0.02, 0.004, FRAC_PI_6, 200.0);
    let momentum: f64 = i3 * spin;
    let root = (momentum.powi(2) - 4.0 * i1 * tilt.cos() * G * l).sqrt();
    let expected = (momentum - root) / (2.0 * i1 * tilt.cos());
    assert!((expected - 1.260658).abs() < 1e-6);

    let axes = math::exp(&(Vec3::y() * tilt));
    let axis = axes * Vec3::z();
    let mut top = ball(axis * l);
    let about_center = i1 - l * l;
    let moments = Vec3::new(about_center, about_center, i3);
    top.mass = MassProperties {
        mass: 1.0,
        inverse_mass: 1.0,
        inertia: Mat3::from_diagonal(&moments),
        inverse_inertia: Mat3::from_diagonal(&moments.map(|m| 1.0 / m)),
    };
    top.pose.orientation = axes;
    top.angular_velocity = axis * (spin - expected * tilt.cos()) + Vec3::z() * expected;
    top.linear_velocity = top.angular_velocity.cross(&(axis * l));
    let mut world = world(G);
    world.add(top).unwrap();
    let tip = Joint::at(JointKind::Ball, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
    world.add_joint(tip).unwrap();

    let mut simulation = simulation(world, 2e-4);
    let mut last = 0.0;
    let mut turned = 0.0;
    run(&mut simulation, 1.0, |world| {
        let axis = world.bodies[0].pose.orientation * Vec3::z();
        let angle = axis.y.atan2(axis.x);
        turned += (angle - last + PI).rem_euclid(TAU) - PI;
        last = angle;
        let now = axis.z.acos();
        assert!((now - tilt).abs() < 0.02, "tilt {now}");
    });
    assert!(
        (turned / expected - 1.0).abs() < 0.02,
        "{turned} rad/s instead of {expected}"
    );
    assert!(joint_errors(simulation.world()).linear_max < 1e-6);
}

/// `x'' + 2 zeta w x' + w^2 x = 0`.
#[test]
fn a_spring_swings_with_its_frequency_and_damping() {
    let (w, zeta, h): (f64, f64, f64) = (10.0, 0.1, 1e-3);
    let mut world = sliding_ball(0.0, |slider| {
        slider.with_spring(Spring {
            stiffness: w * w,
            damping: 2.0 * zeta * w,
            rest: 0.0,
        })
    });
    let displaced = 0.2;
    world.bodies[0].pose.position.z = displaced;
    let damped = w * (1.0 - zeta * zeta).sqrt();
    let mut samples = Vec::new();
    let mut simulation = simulation(world, h);
    run(&mut simulation, 3.0, |world| {
        let x = coordinate(world, 0).0;
        samples.push((world.time, x));
        let t = world.time;
        let phase = (damped * t).cos() + zeta * w / damped * (damped * t).sin();
        let exact = displaced * (-zeta * w * t).exp() * phase;
        // To first order in h w.
        let near = 0.5 * h * w * displaced;
        assert!((x - exact).abs() < near, "{x} instead of {exact} at {t}");
    });
    let measured = period(&samples);
    assert!(
        (measured / (TAU / damped) - 1.0).abs() < 0.005,
        "{measured}"
    );
}

/// Without a damper a swing loses no more than `pi (h w)^3` of its amplitude; a spring that is too stiff for the step comes to rest.
#[test]
fn a_spring_keeps_its_swing() {
    for (w, h) in [(10.0_f64, 1e-3_f64), (10.0, 0.01), (1.0, 0.05), (1e4, 0.01)] {
        let kept = (-20.0 * PI * (h * w).powi(3)).exp();
        let mut world = sliding_ball(0.0, |slider| {
            slider.with_spring(Spring {
                stiffness: w * w,
                damping: 0.0,
                rest: 0.0,
            })
        });
        world.bodies[0].pose.position.z = 0.2;
        let mut simulation = simulation(world, h);
        let swings = 20.0 * TAU / w;
        let (mut time, mut farthest) = (0.0, 0.0_f64);
        run(&mut simulation, swings.max(100.0 * h), |world| {
            time = world.time;
            let x = coordinate(world, 0).0.abs();
            assert!(x < 0.2 * (1.0 + h * w), "{x} m at {time} s");
            if time > 0.9 * swings.max(100.0 * h) {
                farthest = farthest.max(x);
            }
        });
        assert!(
            farthest >= 0.995 * 0.2 * kept,
            "{farthest} m, {w} rad/s, {h} s"
        );
        assert!(kept > 0.0 || farthest < 1e-3, "{farthest} m");
    }
}

/// Two balls on a spring swing against each other with the reduced mass, and stay where they are
/// together.
#[test]
fn a_spring_swings_two_bodies() {
    let mut world = world(0.0);
    for (x, mass) in [(0.0, 1.0), (1.2, 3.0)] {
        let frame = Pose::new(Vec3::x() * x, Quat::identity());
        let shape = Shape::Sphere { radius: 0.1 };
        world
            .add(Body::dynamic_with_mass(shape, frame, mass).unwrap())
            .unwrap();
    }
    let spring = Spring {
        stiffness: 75.0,
        damping: 0.0,
        rest: 1.0,
    };
    let joint = Joint::new(JointKind::Distance { length: 1.0 }, 0, Some(1)).with_spring(spring);
    world.add_joint(joint).unwrap();
    let mut samples = Vec::new();
    run(&mut simulation(world, 1e-3), 2.5, |world| {
        samples.push((world.time, coordinate(world, 0).0 - 1.0));
        let center = (world.bodies[0].pose.position + world.bodies[1].pose.position * 3.0) / 4.0;
        assert!((center - Vec3::x() * 0.9).norm() < 1e-6);
    });
    // 75 N/m on 3/4 kg: 10 rad/s.
    assert!((period(&samples) / (TAU / 10.0) - 1.0).abs() < 1e-3);
}

/// Six slender rods, horizontal and at rest, their first end held: the chain of Cline and Pai 2003
/// without stabilization, in a vertical plane. Returns the largest component of a joint's error.
fn chain_error(kind: &JointKind) -> f64 {
    let mut world = world(G);
    let (mass, length) = (0.1, 0.1);
    let across = mass * length * length / 12.0;
    for link in 0..6_u32 {
        let end = f64::from(link) * length;
        let mut rod = ball(Vec3::x() * (end + 0.5 * length));
        let inertia = Mat3::from_diagonal(&Vec3::new(0.04 * across, across, across));
        rod.mass = MassProperties::new(mass, inertia).unwrap();
        rod.groups.collides_with = 0;
        let body = world.add(rod).unwrap();
        let (before, anchor) = (body.checked_sub(1), Vec3::x() * end);
        let joint = Joint::at(kind.clone(), &world, body, before, anchor, Vec3::y());
        world.add_joint(joint.unwrap()).unwrap();
    }
    let mut settings = *simulation(world.clone(), 1e-3).settings();
    settings.solver.iterations = 2000;
    settings.stabilization.joints = Scheme::None;
    settings.stabilization.contacts = Scheme::None;
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(world, settings, solver).unwrap();
    let mut largest = 0.0_f64;
    run(&mut simulation, 0.6, |world| {
        for body in &world.bodies {
            assert!(body.pose.position.y.abs() < 1e-9);
        }
        for joint in &world.joints {
            for row in rows(joint, &world.bodies) {
                if !row.is_angular() {
                    largest = largest.max(error(&row).unwrap().abs());
                }
            }
        }
    });
    largest
}

/// Planar hinges and hinges are the same in a plane, and planar hinges stay in it.
#[test]
fn chains_drift_alike_in_a_plane() {
    let planar = chain_error(&JointKind::PlanarHinge);
    assert!((planar / 2.73e-3 - 1.0).abs() < 0.03, "{planar} m");
    let hinged = chain_error(&JointKind::Hinge);
    assert!((hinged / planar - 1.0).abs() < 1e-3, "{hinged} m");
}
