//! The scenes of `scenes/joints` do what their comments say, on the CPU.

use approx::assert_relative_eq;
use drystone::math::Vec3;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Simulation, StepReport};
use drystone::world::Body;
use std::f64::consts::TAU;
use std::path::Path;

const G: f64 = 9.81;

/// A scene about to start, and its number of steps.
fn scene(name: &str) -> (Simulation, u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes/joints")
        .join(format!("{name}.toml"));
    let scene = Scene::load(&path, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let solver = Box::new(CpuSolver::new());
    let simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    (simulation, scene.steps)
}

/// Runs a scene to its end, looking at it after every step.
fn run(name: &str, mut look: impl FnMut(&Simulation, &StepReport)) {
    let (mut simulation, steps) = scene(name);
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        look(&simulation, &report);
    }
}

fn body<'s>(simulation: &'s Simulation, name: &str) -> &'s Body {
    let mut bodies = simulation.world().bodies.iter();
    bodies
        .find(|body| body.name.as_deref() == Some(name))
        .unwrap()
}

fn position(simulation: &Simulation, name: &str) -> Vec3 {
    body(simulation, name).pose.position
}

#[test]
fn a_motor_moves_the_piston_of_a_slider_crank() {
    let (r, l): (f64, f64) = (0.1, 0.3);
    let mut reach = (f64::INFINITY, 0.0_f64);
    run("motor", |simulation, report| {
        let crank = position(simulation, "crank");
        let phi = crank.z.atan2(crank.x);
        let piston = position(simulation, "piston");
        let expected = r * phi.cos() + (l * l - (r * phi.sin()).powi(2)).sqrt();
        assert!((piston.x - expected).abs() < 1e-6, "{} s", report.time);
        assert!(piston.yz().norm() < 1e-6);
        reach = (reach.0.min(piston.x), reach.1.max(piston.x));
        if report.time > 0.01 {
            let spin = body(simulation, "crank").angular_velocity.norm();
            assert_relative_eq!(spin, TAU, max_relative = 1e-3);
        }
    });
    assert_relative_eq!(reach.0, 0.2, epsilon = 1e-5);
    assert_relative_eq!(reach.1, 0.4, epsilon = 1e-5);
}

#[test]
fn a_universal_joint_turns_its_shaft_unevenly() {
    let beta = 30_f64.to_radians();
    let (mut phi, mut turned) = (0.0, 0.0);
    run("cardan", |simulation, report| {
        let [driving, driven] =
            ["driving", "driven"].map(|name| body(simulation, name).angular_velocity.norm());
        let h = simulation.settings().time_step;
        // The speeds are those at the end of the step, the ratio that of its beginning.
        let ratio = beta.cos() / (1.0 - (beta.sin() * f64::cos(phi)).powi(2));
        if report.time > 0.05 {
            assert_relative_eq!(driven / driving, ratio, max_relative = 0.01);
        }
        phi += driving * h;
        turned += driven * h;
    });
    assert_relative_eq!(turned, phi, epsilon = 0.01 * TAU);
}

#[test]
fn springs_swing_and_settle() {
    let (k, sag): (f64, f64) = (100.0, G / 100.0);
    let (mut lowest, mut late) = ([1.0_f64; 2], 1.0_f64);
    let mut crossings = Vec::new();
    let mut before = 0.0;
    run("spring_mass", |simulation, report| {
        let [rail, free, damped] =
            ["undamped", "hanging", "damped"].map(|name| position(simulation, name));
        assert!(
            (rail.z - free.z).abs() < 1e-5,
            "rail and free spring differ"
        );
        let height = rail.z - (1.0 - sag);
        if before > 0.0 && height <= 0.0 {
            crossings.push(report.time);
        }
        before = height;
        lowest = [lowest[0].min(rail.z), lowest[1].min(damped.z)];
        if report.time > 4.3 {
            late = late.min(rail.z);
        }
        if report.time > 4.9 {
            assert_relative_eq!(damped.z, 1.0 - sag, epsilon = 1e-4);
        }
    });
    let period = (crossings[7] - crossings[0]) / 7.0;
    assert_relative_eq!(period, TAU / k.sqrt(), max_relative = 0.002);
    assert_relative_eq!(lowest[0], 1.0 - 2.0 * sag, epsilon = 0.02 * sag);
    assert_relative_eq!(late, 1.0 - 2.0 * sag, epsilon = 0.02 * sag);
    assert!(lowest[1] > 1.0 - 1.001 * sag, "critical damping overshot");
}

#[test]
fn a_ball_joint_holds_a_conical_pendulum_and_limits_another() {
    let height = 30_f64.to_radians().cos();
    let rate = (G / height).sqrt();
    let (mut turned, mut last) = (0.0, 0.0);
    let mut farthest = 0.0_f64;
    run("conical_pendulum", |simulation, report| {
        let cone = position(simulation, "cone");
        assert_relative_eq!(cone.z, -height, max_relative = 0.01);
        let angle = cone.y.atan2(cone.x);
        turned += (angle - last).rem_euclid(TAU);
        last = angle;
        assert_relative_eq!(turned, rate * report.time, epsilon = 0.01 * TAU);
        farthest = farthest.min(position(simulation, "stopped").y);
    });
    assert_relative_eq!(farthest, -20_f64.to_radians().sin(), epsilon = 1e-3);
}

#[test]
fn distance_joints_hold_and_ropes_become_taut() {
    let post = Vec3::new(0.0, -5.0, 0.0);
    run("tether", |simulation, report| {
        let [left, right, tied] = ["left", "right", "tied"].map(|name| position(simulation, name));
        assert_relative_eq!((left - right).norm(), 1.0, epsilon = 1e-9);
        assert_relative_eq!((left + right).y, 2.0 * report.time, epsilon = 1e-4);
        let velocity = body(simulation, "tied").linear_velocity;
        if report.time < 0.745 {
            assert_eq!(velocity, Vec3::new(2.0, 0.0, 0.0));
        }
        assert!((tied - post).norm() < 2.0 + 1e-9, "{} s", report.time);
        if report.time > 0.76 {
            // What is left is the part across the rope, 2 m/s times the sine of its angle to x.
            assert_relative_eq!(
                velocity.norm(),
                2.0 * 1.75_f64.sqrt() / 2.0,
                max_relative = 0.01
            );
        }
    });
}

#[test]
fn a_door_opens_to_its_limit_and_falls_shut() {
    let (mut widest, mut angle) = (0.0_f64, 0.0);
    run("door", |simulation, report| {
        let at = position(simulation, "door");
        angle = at.y.atan2(at.x);
        widest = widest.max(angle);
        assert!(angle > -1e-6, "{angle} at {} s", report.time);
    });
    assert_relative_eq!(widest, TAU / 4.0, epsilon = 1e-6);
    assert!(angle.abs() < 1e-6);
}

#[test]
fn a_beam_holds_its_own_weight_and_breaks_under_a_block() {
    let mut broken_at = None;
    run("breaking_beam", |simulation, report| {
        if report.joints.broken > 0 && broken_at.is_none() {
            broken_at = Some(report.time);
            let joint = simulation.world().joints.iter().position(|j| j.broken);
            assert!(joint.unwrap() < 4, "it broke at joint {joint:?}");
        }
    });
    // The block falls for sqrt(2 * 1 m / g) before it hits.
    let fall = (2.0 / G).sqrt();
    assert!(
        broken_at.is_some_and(|at| (fall - 0.02..fall + 0.1).contains(&at)),
        "{broken_at:?}"
    );
}

#[test]
fn a_bridge_carries_what_is_dropped_on_it() {
    let mut worst = 0.0_f64;
    let mut height = 0.0;
    run("rope_bridge", |simulation, report| {
        worst = worst.max(report.joints.linear_max);
        height = position(simulation, "crate").z - position(simulation, "plank.15").z;
    });
    assert!(worst < 5e-3, "{worst} m");
    // Half the crate and half the plank.
    assert_relative_eq!(height, 0.275, epsilon = 0.03);
}

#[test]
fn crowds_of_joints_begin_well() {
    for name in ["chain_1000", "ragdoll_pile"] {
        let (mut simulation, _) = scene(name);
        for _ in 0..5 {
            let report = simulation.step().unwrap();
            assert!(
                report.joints.linear_max < 1e-4,
                "{name}: {:?}",
                report.joints
            );
        }
    }
}
