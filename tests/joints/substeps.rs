//! Joints in substeps: levers turn with the bodies, nothing that swings or spins gains or loses energy by it, and
//! what the step does not resolve stays bounded.

use crate::support::chains::{chain, precise};
use drystone::internals::constants::JOINT_SOFTNESS;
use drystone::internals::math;
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::measure::{Energy, energy, joint_errors, momentum};
use drystone::problem::JointRow;
use drystone::scene::{Overrides, Scene};
use drystone::solver::Plan;
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind, Motor, Path};
use drystone::world::{Body, MassProperties, Shape, World};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

const SOFT: Scheme = Scheme::Soft {
    softness: JOINT_SOFTNESS,
};

fn settings(time_step: f64, substeps: u32, joints: Scheme) -> Settings {
    let mut settings = Settings {
        time_step,
        substeps: Some(substeps),
        stabilization: Stabilization {
            contacts: Scheme::Soft { softness: 0.1 },
            joints,
            ..Stabilization::default()
        },
        ..Settings::default()
    };
    settings.solver.iterations = 1;
    settings
}

fn simulation(world: World, settings: Settings) -> Simulation {
    Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap()
}

fn total(energy: &Energy) -> f64 {
    energy.kinetic + energy.potential
}

fn sphere(at: Vec3, mass: f64) -> Body {
    let pose = Pose::new(at, Quat::identity());
    Body::dynamic_with_mass(Shape::Sphere { radius: 0.1 }, pose, mass).unwrap()
}

/// To the last bit: a substep is a step of its own, but for the clock.
#[test]
fn a_step_in_substeps_is_as_many_steps() {
    for joints in [Scheme::Post, Scheme::Implicit, SOFT] {
        let world = chain(4, 9.81, JointKind::Hinge);
        let set = |time_step, substeps| Settings {
            substeps: Some(substeps),
            ..precise(time_step, joints)
        };
        let mut divided = simulation(world.clone(), set(0.02, 4));
        let mut whole = simulation(world, set(0.02 / 4.0, 0));
        for _ in 0..20 {
            let report = divided.step().unwrap();
            let small: u32 = (0..4)
                .map(|_| whole.step().unwrap().velocity.iterations)
                .sum();
            assert_eq!(report.velocity.iterations, small);
            for (a, b) in divided.world().bodies.iter().zip(&whole.world().bodies) {
                assert_eq!(a.pose, b.pose, "{joints:?}");
            }
        }
        assert!((divided.world().time - 0.4).abs() < 1e-15);
        assert_eq!(
            divided.velocity_problem().joint_rows.len(),
            divided.joint_impulses().len()
        );
    }
}

/// Two spheres that a joint holds 1 m apart, spinning about their centre of mass at 5 rad/s.
#[test]
fn a_free_dumbbell_keeps_its_angular_momentum() {
    for (rate, heavy, most) in [(60.0, 1.0, 0.01), (60.0, 1e4, 0.01), (30.0, 1.0, 0.02)] {
        for substeps in [0, 1, 8, 16] {
            let mut world = World::new(Vec3::zeros());
            let center = heavy / (1.0 + heavy);
            let spin = Vec3::z() * 5.0;
            for (x, mass) in [(-center, 1.0), (1.0 - center, heavy)] {
                let at = Vec3::x() * x;
                world
                    .add(sphere(at, mass).moving(spin.cross(&at), spin))
                    .unwrap();
            }
            let joint = Joint::at(
                JointKind::Fixed,
                &world,
                0,
                Some(1),
                Vec3::zeros(),
                Vec3::z(),
            );
            world.add_joint(joint.unwrap()).unwrap();
            let before = (momentum(&world).angular.norm(), energy(&world).kinetic);
            let mut run = simulation(world, settings(1.0 / rate, substeps, SOFT));
            for _ in 0..(2.0 * rate) as u32 {
                let kinetic = run.step().unwrap().energy.kinetic;
                assert!(
                    kinetic < before.1 * (1.0 + 1e-6),
                    "{kinetic} of {}",
                    before.1
                );
            }
            let kept = momentum(run.world()).angular.norm() / before.0;
            assert!(
                (kept - 1.0).abs() < most,
                "1/{rate} s, {substeps} substeps, 1 : {heavy}: {kept}"
            );
        }
    }
}

/// The top of `tests/joints/dynamics`, in steps five times as long.
#[test]
fn a_heavy_top_stays_at_its_angle() {
    let (l, i1, i3, tilt, spin) = (0.1, 0.02, 0.004, FRAC_PI_6, 200.0);
    let precession = 1.260_658;
    let axes = math::exp(&(Vec3::y() * tilt));
    let axis = axes * Vec3::z();
    for substeps in [0, 2] {
        let mut top = sphere(axis * l, 1.0);
        let about_center = i1 - l * l;
        let inertia = Mat3::from_diagonal(&Vec3::new(about_center, about_center, i3));
        top.mass = MassProperties::new(1.0, inertia).unwrap();
        top.pose.orientation = axes;
        top.angular_velocity = axis * (spin - precession * tilt.cos()) + Vec3::z() * precession;
        top.linear_velocity = top.angular_velocity.cross(&(axis * l));
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        world.add(top).unwrap();
        let tip = Joint::at(JointKind::Ball, &world, 0, None, Vec3::zeros(), Vec3::z());
        world.add_joint(tip.unwrap()).unwrap();
        let mut run = simulation(world, settings(1e-3, substeps, SOFT));
        for _ in 0..5000 {
            run.step().unwrap();
            let now = (run.world().bodies[0].pose.orientation * Vec3::z())
                .z
                .acos();
            assert!(
                (now - tilt).to_degrees().abs() < 0.5,
                "{substeps} substeps: {} degrees",
                now.to_degrees()
            );
        }
    }
}

/// A rod of 1 m on a hinge, let go at 1 rad, 10 s.
#[test]
fn a_pendulum_keeps_its_swing() {
    for substeps in [0, 1, 2, 8, 16] {
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        let shape = Shape::Box {
            half_extents: Vec3::new(0.5, 0.05, 0.05),
        };
        let hanging = math::exp(&(Vec3::y() * (FRAC_PI_2 + 1.0)));
        let pose = Pose::new(hanging * (Vec3::x() * 0.5), hanging);
        world
            .add(Body::dynamic_with_mass(shape, pose, 1.0).unwrap())
            .unwrap();
        let joint = Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), Vec3::y());
        world.add_joint(joint.unwrap()).unwrap();
        let mut run = simulation(world, settings(1.0 / 60.0, substeps, SOFT));
        let mut swing = 0.0_f64;
        for step in 0..600 {
            run.step().unwrap();
            let at = run.world().bodies[0].pose.position;
            if step > 490 {
                swing = swing.max(at.x.atan2(-at.z).abs());
            }
        }
        assert!((swing - 1.0).abs() < 0.05, "{substeps} substeps: {swing}");
    }
}

/// Links that swing at right angles to a taut chain do so faster than these steps resolve.
#[test]
fn a_taut_chain_stays_whole_in_long_steps() {
    for (rate, substeps) in [(30.0, 0), (60.0, 0), (60.0, 2), (60.0, 8)] {
        let mut world = chain(200, 9.81, JointKind::Ball);
        world.gravity = Vec3::new(9.81, 0.0, -1.0);
        let start = energy(&world);
        let mut run = simulation(world, settings(1.0 / rate, substeps, SOFT));
        let (mut kinetic, mut most) = (0.0_f64, f64::NEG_INFINITY);
        for _ in 0..(2.0 * rate) as u32 {
            let energy = run.step().unwrap().energy;
            kinetic = kinetic.max(energy.kinetic);
            most = most.max(total(&energy));
        }
        assert!(
            most - total(&start) < 0.01 * kinetic,
            "1/{rate} s, {substeps} substeps: {} of {kinetic} J",
            most - total(&start)
        );
        let error = joint_errors(run.world()).linear_max;
        assert!(error < 0.01, "1/{rate} s, {substeps} substeps: {error} m");
    }
}

#[test]
fn a_rope_bridge_gains_no_energy() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/joints/rope_bridge.toml");
    for (rate, substeps) in [
        (30.0, 0),
        (30.0, 8),
        (60.0, 0),
        (60.0, 2),
        (60.0, 8),
        (240.0, 2),
    ] {
        let overrides = Overrides {
            time_step: Some(1.0 / rate),
            ..Overrides::default()
        };
        let mut scene = Scene::load(&path, &overrides).unwrap();
        scene.settings.substeps = Some(substeps);
        scene.settings.stabilization.contacts = Scheme::Soft { softness: 0.1 };
        scene.settings.stabilization.joints = SOFT;
        let start = total(&energy(&scene.world));
        let mut run = simulation(scene.world, scene.settings);
        for _ in 0..(2.0 * rate) as u32 {
            let report = run.step().unwrap();
            let gain = total(&report.energy) - start;
            assert!(gain < 0.0, "1/{rate} s, {substeps} substeps: {gain} J");
            assert!(report.joints.linear_max < 5e-3, "{:?}", report.joints);
        }
    }
}

/// Swept one by one, motors that are stiff for a substep saw the inertia of their own two bodies alone: with three times that stiffness the motion of
/// three boxes on two grew a million times.
#[test]
fn stiff_motors_on_a_chain_gain_no_energy() {
    let (h, d): (f64, f64) = (1.0 / 60.0, 0.1);
    for count in [3, 5] {
        for stiffness in [0.1, 1.0, 3.0, 10.0, 100.0] {
            for most in [1.0, 1e9] {
                let mut world = World::new(Vec3::zeros());
                for k in 0..count {
                    let half_extents = Vec3::new(0.4, 0.2, 0.2) * d;
                    let pose = Pose::new(Vec3::x() * (f64::from(k) * d), Quat::identity());
                    let mut body =
                        Body::dynamic(Shape::Box { half_extents }, pose, 1000.0).unwrap();
                    body.linear_velocity.y = if k % 2 == 0 { 0.01 } else { -0.01 };
                    body.groups.collides_with = 0;
                    world.add(body).unwrap();
                }
                // Of one body by itself, in the shortest substeps that there are by default.
                let inertia = world.bodies[0].mass.inertia[(2, 2)];
                let per_substep = inertia * (12.0 / h).powi(2);
                for b in 1..count as u32 {
                    let anchor = Vec3::x() * ((f64::from(b) - 0.5) * d);
                    let hinge =
                        Joint::at(JointKind::Hinge, &world, b, Some(b - 1), anchor, Vec3::z());
                    let motor = Motor::Position {
                        target: 0.0,
                        stiffness: stiffness * per_substep,
                        damping: 0.0,
                        max_force: most * inertia * (0.01 / d) * (12.0 / h),
                    };
                    world.add_joint(hinge.unwrap().with_motor(motor)).unwrap();
                }
                let start = energy(&world).kinetic;
                let settings = Settings {
                    time_step: h,
                    ..Settings::default()
                };
                let mut run = simulation(world, settings);
                for _ in 0..120 {
                    let part = run.step().unwrap().energy.kinetic / start;
                    assert!(
                        part < 1.0,
                        "{count} bodies, stiffness {stiffness}, at most {most}: {part} of the energy"
                    );
                }
            }
        }
    }
}

/// A joint that is made with its anchors 2 m apart.
#[test]
fn anchors_apart_are_pulled_together_at_a_bounded_speed() {
    for substeps in [0, 1, 8] {
        let mut world = World::new(Vec3::zeros());
        for x in [0.0, 2.0] {
            world.add(sphere(Vec3::x() * x, 1.0)).unwrap();
        }
        world
            .add_joint(Joint::new(JointKind::Ball, 0, Some(1)))
            .unwrap();
        let mut run = simulation(world, settings(1.0 / 60.0, substeps, SOFT));
        for _ in 0..600 {
            run.step().unwrap();
            let [a, b] = [0, 1].map(|body| run.world().bodies[body].linear_velocity);
            // Three radii a second.
            assert!((a - b).norm() < 0.301, "{substeps} substeps: {a} {b}");
        }
        assert!(joint_errors(run.world()).linear_max < 1e-4);
    }
}

/// Hong et al. 2006, eqs 32 and 34: what the velocity lacked once is made up for.
#[test]
fn the_integral_of_a_prescribed_velocity_is_kept() {
    let h = 0.01;
    for (beta, expected) in [(1.0 / h, 0.0), (0.0, -h)] {
        for substeps in [0, 1] {
            let mut world = World::new(Vec3::zeros());
            world.add(sphere(Vec3::zeros(), 1.0)).unwrap();
            let path = Path::Line {
                velocity: Vec3::x(),
            };
            let joint = Joint::new(JointKind::PrescribedVelocity { path }, 0, None);
            world.add_joint(joint).unwrap();
            let scheme = Scheme::Baumgarte(Baumgarte::Acceleration {
                alpha: 0.5 / h,
                beta,
            });
            let mut run = simulation(world, settings(h, substeps, scheme));
            // At rest at the start, which is an error of 1 m/s.
            let mut integral = -h;
            for _ in 0..10 {
                run.step().unwrap();
                integral += h * (run.world().bodies[0].linear_velocity.x - 1.0);
            }
            assert!(
                (integral - expected).abs() < 1e-6,
                "beta {beta}, {substeps} substeps: {integral}"
            );
        }
    }
}

/// Their rows would stay where the step found them.
#[test]
fn substep_problems_with_joint_rows_are_refused() {
    let mut world = World::new(Vec3::zeros());
    world.add(sphere(Vec3::zeros(), 1.0)).unwrap();
    let mut run = simulation(world, settings(0.01, 2, SOFT));
    run.step().unwrap();
    let mut given = run.velocity_problem().clone();
    let Some((Plan::Substeps(plan), _)) = run.velocity_plan() else {
        panic!("the step was not divided");
    };
    plan.validate_problem(&given).unwrap();
    given.bodies.push(given.bodies[0]);
    given.increments.push(given.increments[0]);
    given.joint_rows.push(JointRow {
        body_a: 0,
        body_b: 1,
        linear: [1.0, 0.0, 0.0],
        angular_a: [0.0; 3],
        angular_b: [0.0; 3],
        bias: 0.0,
        softness: 0.0,
        lower: -JointRow::UNBOUNDED,
        upper: JointRow::UNBOUNDED,
        impulse: 0.0,
    });
    given.validate().unwrap();
    let refusal = plan.validate_problem(&given).unwrap_err().to_string();
    assert!(refusal.contains("joint"), "{refusal}");
}
