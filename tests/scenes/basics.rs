//! The basic scenes hold their closed forms, on the CPU and on the GPU, with both methods where the
//! scene is small enough for Jacobi.

use crate::support::backends::backends;
use approx::assert_relative_eq;
use drystone::scene::{Overrides, Scene};
use drystone::solver::Method;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Simulation, StepReport};
use drystone::world::Body;
use std::path::Path;

const G: f64 = 9.81;

/// A scene about to start on every backend, with every method.
fn every_way(scene: &str, methods: &[Method]) -> Vec<(String, Simulation, u64)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes")
        .join(scene);
    let mut all = Vec::new();
    for &method in methods {
        for (name, solver) in backends() {
            let overrides = Overrides {
                method: Some(method),
                ..Overrides::default()
            };
            let scene = Scene::load(&path, &overrides).unwrap();
            let simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
            all.push((format!("{name} {}", method.name()), simulation, scene.steps));
        }
    }
    all
}

const BOTH: [Method; 2] = [Method::GaussSeidel, Method::Jacobi];
const ACCELERATED_TOO: [Method; 3] = [Method::GaussSeidel, Method::Jacobi, Method::Nesterov];

fn run(simulation: &mut Simulation, steps: u64) -> StepReport {
    let mut last = None;
    for _ in 0..steps {
        last = Some(simulation.step().unwrap());
    }
    last.unwrap()
}

fn body<'a>(simulation: &'a Simulation, name: &str) -> &'a Body {
    let mut bodies = simulation.world().bodies.iter();
    bodies
        .find(|body| body.name.as_deref() == Some(name))
        .unwrap()
}

#[test]
fn incline_sticks_and_slides() {
    for (way, mut simulation, steps) in every_way("basics/incline.toml", &ACCELERATED_TOO) {
        // A GPU of software takes 50 ms a step for 100 sweeps in each of its substeps.
        let steps = if way.starts_with("cpu") {
            steps
        } else {
            steps / 20
        };
        let starts = ["sticking", "sliding"].map(|name| body(&simulation, name).pose.position);
        let report = run(&mut simulation, steps);
        let [sticking, sliding] = ["sticking", "sliding"].map(|name| body(&simulation, name));
        let crept = (sticking.pose.position - starts[0]).norm();
        assert!(crept < 1e-5, "{way}: crept {crept} m");
        let angle = 28_f64.to_radians();
        let acceleration = G * (angle.sin() - 0.5 * angle.cos());
        let speed = sliding.linear_velocity.norm();
        assert_relative_eq!(speed, acceleration * report.time, max_relative = 0.01);
        let way_down = (sliding.pose.position - starts[1]).norm();
        let expected = 0.5 * acceleration * report.time.powi(2);
        assert_relative_eq!(way_down, expected, max_relative = 0.01);
    }
}

#[test]
fn spheres_roll_and_slip_down_an_incline() {
    let angle = 20_f64.to_radians();
    for (way, mut simulation, steps) in every_way("basics/roll.toml", &BOTH) {
        let time = run(&mut simulation, steps).time;
        let [rolling, slipping] = ["rolling", "slipping"].map(|name| body(&simulation, name));
        let speed = |body: &Body| body.linear_velocity.norm();
        assert_relative_eq!(
            speed(rolling),
            5.0 / 7.0 * G * angle.sin() * time,
            max_relative = 0.01
        );
        assert_relative_eq!(
            speed(slipping),
            G * (angle.sin() - 0.05 * angle.cos()) * time,
            max_relative = 0.01
        );
        let drystone::world::Shape::Sphere { radius } = slipping.shape else {
            panic!("{way}: not a sphere");
        };
        let spin = 2.5 * 0.05 * G * angle.cos() / radius * time;
        assert_relative_eq!(slipping.angular_velocity.norm(), spin, max_relative = 0.01);
        let rolls = rolling.angular_velocity.norm() * radius;
        assert_relative_eq!(rolls, speed(rolling), max_relative = 0.01);
    }
}

#[test]
fn sliding_sphere_ends_rolling() {
    let (v0, mu) = (2.0, 0.2);
    for (way, mut simulation, steps) in every_way("basics/slip_to_roll.toml", &BOTH) {
        let mut rolls_since = None;
        for _ in 0..steps {
            let time = simulation.step().unwrap().time;
            let ball = body(&simulation, "ball");
            let slip = ball.linear_velocity.norm()
                - ball.angular_velocity.norm() * ball.shape.bounding_radius();
            if rolls_since.is_none() && slip.abs() < 1e-3 * v0 {
                rolls_since = Some(time);
            }
        }
        let expected = 2.0 * v0 / (7.0 * mu * G);
        let since = rolls_since.unwrap_or_else(|| panic!("{way}: never rolls"));
        assert_relative_eq!(since, expected, max_relative = 0.02);
        let speed = body(&simulation, "ball").linear_velocity.norm();
        assert_relative_eq!(speed, 5.0 / 7.0 * v0, max_relative = 0.02);
    }
}

/// Normal impulse of the contacts under the lowest cube `[N s]`.
fn bottom_impulse(simulation: &Simulation, impulses: &[[f32; 3]]) -> f64 {
    let problem = simulation.velocity_problem();
    let fixed = |body: u32| !problem.bodies[body as usize].is_movable();
    problem
        .contacts
        .iter()
        .zip(impulses)
        .filter(|(contact, _)| fixed(contact.body_a) || fixed(contact.body_b))
        .map(|(_, impulse)| f64::from(impulse[0]))
        .sum()
}

#[test]
fn column_of_forty_stands_and_presses_with_its_weight() {
    for (way, mut simulation, steps) in every_way("basics/column40.toml", &[Method::Nesterov]) {
        // All 30 s on the CPU; on a software GPU, where a dispatch costs as much as on the host, less.
        let steps = if way.starts_with("cpu") { steps } else { 40 };
        let mut sums = Vec::new();
        for step in 0..steps {
            simulation.step().unwrap();
            if step >= 30 {
                sums.push(bottom_impulse(&simulation, simulation.impulses()));
            }
        }
        let expected = 40.0 * 1000.0 * G * simulation.settings().time_step;
        let mean = sums.iter().sum::<f64>() / sums.len() as f64;
        assert_relative_eq!(mean, expected, max_relative = 0.01);
        let top = body(&simulation, "top").pose.position;
        assert!((top.z - 39.5).abs() < 0.01, "{way}: top at {top}");
        assert!(top.x.hypot(top.y) < 0.2, "{way}: top at {top}");
    }
}

#[test]
fn mass_ratio_of_100_stands() {
    for (way, mut simulation, steps) in every_way("basics/mass_ratio_100.toml", &[Method::Nesterov])
    {
        // All 5 s on the CPU; on a software GPU the first third of a second.
        let steps = if way.starts_with("cpu") { steps } else { 20 };
        let report = run(&mut simulation, steps);
        let top = body(&simulation, "top").pose.position;
        assert!((top.z - 5.5).abs() < 0.01, "{way}: top at {top}");
        assert!(
            report.penetration.max < 6e-3,
            "{way}: {:?}",
            report.penetration
        );
    }
}

#[test]
fn bouncing_ball_loses_its_share_of_height() {
    let text = r#"
name = "bounce"
[simulation]
dt = 0.001
duration = 3.0
[materials.default]
friction = 0.0
restitution = 0.7
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 1.1]
density = 1000
"#;
    for (way, solver) in backends() {
        let scene = Scene::parse(Path::new("bounce.toml"), text, &Overrides::default()).unwrap();
        let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
        let mut peaks = Vec::new();
        let mut speed_before = 0.0;
        for _ in 0..scene.steps {
            simulation.step().unwrap();
            let ball = body(&simulation, "ball");
            if speed_before > 0.0 && ball.linear_velocity.z <= 0.0 {
                peaks.push(ball.pose.position.z - 0.1);
            }
            speed_before = ball.linear_velocity.z;
        }
        assert!(peaks.len() >= 3, "{way}: {peaks:?}");
        for (n, peak) in peaks.iter().take(3).enumerate() {
            let expected = 0.7_f64.powi(2 * (n as i32 + 1));
            assert_relative_eq!(*peak, expected, max_relative = 0.01);
        }
    }
}

#[test]
fn free_spin_keeps_angular_momentum_and_energy() {
    let text = r#"
name = "free_spin"
[simulation]
dt = 0.002
duration = 20.0
gravity = [0, 0, 0]
[[body]]
name = "brick"
shape = { type = "box", half_extents = [0.3, 0.2, 0.1] }
density = 1000
angular_velocity = [0.01, 5.0, 0.0]
"#;
    let scene = Scene::parse(Path::new("spin.toml"), text, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    let momentum = |simulation: &Simulation| {
        let brick = body(simulation, "brick");
        brick.world_inertia() * brick.angular_velocity
    };
    let before = momentum(&simulation);
    let energy = drystone::measure::energy(simulation.world()).kinetic;
    let mut flipped = false;
    let mut most = 0.0_f64;
    for _ in 0..scene.steps {
        let report = simulation.step().unwrap();
        most = most.max(report.energy.kinetic);
        let brick = body(&simulation, "brick");
        flipped |= brick.pose.inverse_direction(&brick.angular_velocity).y < -4.0;
    }
    let drift = (momentum(&simulation) - before).norm() / before.norm();
    assert!(drift < 1e-9, "angular momentum drifts by {drift}");
    assert!(
        most < energy * (1.0 + 1e-3),
        "energy grows from {energy} to {most}"
    );
    assert!(
        flipped,
        "the middle axis is unstable: the brick has to flip"
    );
}
