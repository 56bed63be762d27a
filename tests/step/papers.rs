//! The papers' experiments, with their figures, on the CPU and by pivoting.

use crate::support::chains::{chain, precise};
use drystone::Error;
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::stabilize::{Baumgarte, Scheme};
use drystone::step::Simulation;
use drystone::world::joint::{Joint, JointKind, Path};
use drystone::world::{Body, MassProperties, Shape, World};

fn solvers() -> [(&'static str, Box<dyn Solver>); 2] {
    [
        ("cpu", Box::new(CpuSolver::new())),
        ("lemke", Box::new(LemkeSolver::new())),
    ]
}

fn kappa(kappa: f64) -> Scheme {
    Scheme::Baumgarte(Baumgarte::Velocity { kappa })
}

#[track_caller]
fn assert_near(what: &str, measured: f64, expected: f64, part: f64) {
    let off = (measured / expected - 1.0).abs();
    assert!(
        off <= part,
        "{what}: {measured:.4e} is {:.1} % off {expected:.4e}",
        100.0 * off
    );
}

/// Largest absolute component of a joint's error over 0.6 s of the chain of six rods `[mm]`: before
/// and after the position pass, if there is one.
fn chain_errors(gravity: f64, scheme: Scheme, solver: Box<dyn Solver>) -> [f64; 2] {
    let world = chain(6, gravity, JointKind::PlanarHinge);
    let mut simulation = Simulation::new(world, precise(1e-3, scheme), solver).unwrap();
    let mut largest = [0.0_f64; 2];
    for _ in 0..600 {
        simulation.step().unwrap();
        // The biases of the position problem are the errors that it found.
        let before = simulation.position_problem().joint_rows.iter();
        largest[0] = before.fold(largest[0], |most, row| most.max(f64::from(row.bias.abs())));
        let world = simulation.world();
        for joint in &world.joints {
            let a = &world.bodies[joint.body_a as usize];
            let at_a = a.pose.point(&joint.frame_a.position);
            let at_b = joint.body_b.map_or(joint.frame_b.position, |b| {
                world.bodies[b as usize].pose.point(&joint.frame_b.position)
            });
            largest[1] = largest[1].max((at_a - at_b).amax());
        }
    }
    largest.map(|error| 1e3 * error)
}

/// Cline and Pai 2003, figs 2–7; the values are those of an independent computation in two
/// dimensions and f64.
#[test]
fn chain_of_six_drifts_as_computed() {
    for (name, scheme, expected) in [
        ("none", Scheme::None, 2.73),
        ("Baumgarte 50", kappa(50.0), 0.832),
        ("Baumgarte 200", kappa(200.0), 0.303),
        ("Baumgarte 2000", kappa(2000.0), 0.0332),
        ("implicit", Scheme::Implicit, 0.0661),
        ("gamma 1", Scheme::Gamma { gamma: 1.0 }, 0.0661),
    ] {
        for (backend, solver) in solvers() {
            let [_, error] = chain_errors(9.81, scheme, solver);
            assert_near(&format!("{name}, {backend}"), error, expected, 0.03);
        }
    }
    for (backend, solver) in solvers() {
        let [before, after] = chain_errors(9.81, Scheme::Post, solver);
        assert_near(&format!("post before, {backend}"), before, 0.061, 0.03);
        assert!(after <= 3e-5, "post after, {backend}: {after:e} mm");
    }
}

/// The same with the gravity at which the paper's own figures come out.
#[test]
fn chain_of_six_in_strong_gravity_drifts_as_published() {
    for (name, scheme, expected) in [
        ("none", Scheme::None, 19.56),
        ("Baumgarte 50", kappa(50.0), 6.21),
        ("Baumgarte 200", kappa(200.0), 3.07),
        ("Baumgarte 2000", kappa(2000.0), 2.92),
    ] {
        for (backend, solver) in solvers() {
            let [_, error] = chain_errors(80.0, scheme, solver);
            assert_near(&format!("{name}, {backend}"), error, expected, 0.03);
        }
    }
    for (backend, solver) in solvers() {
        let [before, after] = chain_errors(80.0, Scheme::Post, solver);
        assert_near(&format!("post before, {backend}"), before, 1.14, 0.03);
        assert_near(&format!("post after, {backend}"), after, 6.8e-3, 0.03);
    }
}

#[test]
fn chain_of_six_blows_up_above_the_stable_kappa() {
    let world = chain(6, 9.81, JointKind::PlanarHinge);
    let settings = precise(1e-3, kappa(2100.0));
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    let blows_up = (0..600).any(|_| match simulation.step() {
        Ok(report) => report.joints.linear_max > 1e-3,
        Err(Error::NonFinite { .. }) => true,
        Err(other) => panic!("{other}"),
    });
    assert!(blows_up, "{:?}", simulation.joint_errors());
}

/// A body at rest, held to the world at its centre with an error of 1 mm; the errors of the steps
/// that follow over the first one.
fn decay(h: f64, scheme: Scheme, steps: u32) -> Vec<f64> {
    let mut world = World::new(Vec3::zeros());
    let pose = Pose::new(Vec3::new(1e-3, 0.0, 0.0), Quat::identity());
    let body = Body::dynamic_with_mass(Shape::Sphere { radius: 0.1 }, pose, 1.0).unwrap();
    world.add(body).unwrap();
    world
        .add_joint(Joint::new(JointKind::Ball, 0, None))
        .unwrap();
    let settings = precise(h, scheme);
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    (0..steps)
        .map(|_| {
            simulation.step().unwrap();
            simulation.world().bodies[0].pose.position.x / 1e-3
        })
        .collect()
}

#[test]
fn baumgarte_multiplies_the_error_by_one_minus_h_kappa() {
    let h = 0.01;
    for product in [0.5, 1.0, 1.9, 2.1] {
        let errors = decay(h, kappa(product / h), 20);
        let mut expected = 1.0;
        for error in errors {
            expected *= 1.0 - product;
            let scale = f64::max(1.0, f64::abs(expected));
            assert!(
                (error - expected).abs() < 1e-6 * scale,
                "h kappa {product}: {error} for {expected}"
            );
        }
    }
}

/// Stable if and only if `(beta h)^2 + 4 alpha h <= 4`.
#[test]
fn acceleration_form_has_its_limit_of_stability() {
    let h = 0.01;
    for (a, b, stable) in [
        (0.1, 1.85, true),
        (0.1, 1.95, false),
        (0.95, 0.1, true),
        (1.05, 0.1, false),
        (0.5, 1.0, true),
    ] {
        let scheme = Scheme::Baumgarte(Baumgarte::Acceleration {
            alpha: a / h,
            beta: b / h,
        });
        let errors = decay(h, scheme, 100);
        let late = errors[80..].iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        assert_eq!(late < 1.0, stable, "alpha h {a}, beta h {b}: {late:e}");
    }
}

/// A damped oscillator without overshoot exactly from the critical damping on, in steps so short that
/// the discrete one is the continuous one.
#[test]
fn oscillator_is_damped_as_its_ratio_says() {
    let (h, omega0) = (1e-4, 20.0);
    for zeta in [0.5, 1.0, 2.0] {
        let scheme = Scheme::Baumgarte(Baumgarte::oscillator(omega0, zeta));
        let errors = decay(h, scheme, 5000);
        let closed = |t: f64| {
            let w = omega0 * f64::abs(1.0 - zeta * zeta).sqrt();
            let decayed = (-zeta * omega0 * t).exp();
            if zeta < 1.0 {
                decayed * ((w * t).cos() + zeta * omega0 / w * (w * t).sin())
            } else if zeta > 1.0 {
                decayed * ((w * t).cosh() + zeta * omega0 / w * (w * t).sinh())
            } else {
                decayed * (1.0 + omega0 * t)
            }
        };
        for (step, error) in errors.iter().enumerate() {
            let expected = closed((step + 1) as f64 * h);
            assert!(
                (error - expected).abs() < 5e-3,
                "zeta {zeta}, step {step}: {error} for {expected}"
            );
        }
        let overshoots = errors.iter().any(|error| *error < -1e-3);
        assert_eq!(overshoots, zeta < 1.0, "zeta {zeta}");
    }
}

/// Three cylinders of 1 m, 1 kg and radius 0.05 m on ball joints, hanging from the origin; the top end
/// is to move on a circle of 0.5 m at 1 rad/s, and all move with it.
fn three_link_bar() -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let (mass, length, radius) = (1.0, 1.0, 0.05_f64);
    let across = mass * (3.0 * radius.powi(2) + length * length) / 12.0;
    let along = 0.5 * mass * radius.powi(2);
    let inertia = Mat3::from_diagonal(&Vec3::new(across, across, along));
    let path = Path::Circle {
        radius: Vec3::new(0.5, 0.0, 0.0),
        angular_velocity: Vec3::z(),
    };
    for link in 0..3_u32 {
        let top = Vec3::new(0.0, 0.0, -f64::from(link) * length);
        let center = top - Vec3::z() * (0.5 * length);
        let shape = Shape::Capsule {
            half_length: 0.5 * length,
            radius,
        };
        let mut body =
            Body::dynamic_with_mass(shape, Pose::new(center, Quat::identity()), mass).unwrap();
        body.mass = MassProperties::new(mass, inertia).unwrap();
        body.groups.collides_with = 0;
        let body = world
            .add(body.moving(path.velocity(0.0).0, Vec3::zeros()))
            .unwrap();
        let kind = match link {
            0 => JointKind::PrescribedVelocity { path: path.clone() },
            _ => JointKind::Ball,
        };
        let joint = Joint::at(kind, &world, body, body.checked_sub(1), top, Vec3::z());
        world.add_joint(joint.unwrap()).unwrap();
    }
    world
}

/// Largest error of the ball joints `[m]` and of the prescribed velocity `[m/s]`.
fn bar_errors(h: f64, seconds: f64, scheme: Scheme, solver: Box<dyn Solver>) -> [f64; 2] {
    let mut simulation = Simulation::new(three_link_bar(), precise(h, scheme), solver).unwrap();
    let mut largest = [0.0_f64; 2];
    for _ in 0..(seconds / h).round() as u32 {
        let joints = simulation.step().unwrap().joints;
        largest[0] = largest[0].max(joints.linear_max);
        largest[1] = largest[1].max(joints.velocity_max);
    }
    largest
}

/// Hong et al. 2006, figs 1–2; the values are those of an independent computation.
#[test]
fn three_link_bar_keeps_its_constraints() {
    let baumgarte = |h: f64| {
        Scheme::Baumgarte(Baumgarte::Acceleration {
            alpha: 0.5 / h,
            beta: 1.0 / h,
        })
    };
    for (name, scheme, expected) in [
        ("implicit", Scheme::Implicit, [4.82e-6, 9.00e-6]),
        ("Baumgarte", baumgarte(0.01), [4.83e-6, 2.54e-5]),
    ] {
        for (backend, solver) in solvers() {
            let measured = bar_errors(0.01, 50.0, scheme, solver);
            for (what, measured, expected) in [
                ("holonomic", measured[0], expected[0]),
                ("non-holonomic", measured[1], expected[1]),
            ] {
                let what = format!("{name}, {what}, {backend}");
                assert_near(&what, measured, expected, 0.1);
            }
        }
    }
}

#[test]
fn three_link_bar_errs_to_second_order() {
    let errors = |h: f64| bar_errors(h, 5.0, Scheme::Implicit, Box::new(CpuSolver::new()));
    let (coarse, fine) = (errors(0.01), errors(0.001));
    for (what, coarse, fine) in [
        ("holonomic", coarse[0], fine[0]),
        ("non-holonomic", coarse[1], fine[1]),
    ] {
        let order = (coarse / fine).log10();
        assert!((order - 2.0).abs() < 0.1, "{what}: order {order}");
    }
}
