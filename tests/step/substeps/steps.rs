//! Steps of scenes: flight, landing, rest, stacks.

use super::{load, parse, positions, simulation};
use approx::assert_relative_eq;
use drystone::math::Vec3;
use drystone::stabilize::{Baumgarte, Scheme};
use drystone::step::Settings;

const TUMBLING: &str = r#"
name = "tumbling"
[simulation]
dt = 0.01
steps = 40
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[fill]]
region = { type = "box", min = [-0.4, -0.4, 0.01], max = [0.4, 0.4, 1.0] }
arrangement = "jittered"
spacing = 0.2
jitter = 0.01
count = 30
density = 1000.0
random_orientation = true
shapes = [{ shape = { type = "box", half_extents = [0.06, 0.05, 0.04] } }]
"#;

#[test]
fn one_substep_without_positions_is_an_ordinary_step() {
    for scheme in [
        Scheme::None,
        Scheme::Implicit,
        Scheme::Gamma { gamma: 0.3 },
        Scheme::Baumgarte(Baumgarte::Velocity { kappa: 20.0 }),
        Scheme::Baumgarte(Baumgarte::oscillator(40.0, 1.0)),
    ] {
        let make = |substeps| {
            simulation(parse(TUMBLING), |scene| {
                scene.settings.substeps = substeps;
                scene.settings.slop = Some(0.0);
                scene.settings.stabilization.contacts = scheme;
                scene.settings.stabilization.joints = scheme;
                scene.settings.solver.iterations = 400;
            })
        };
        let (mut whole, mut divided) = (make(Some(0)), make(Some(1)));
        let mut contacts = 0;
        for _ in 0..15 {
            contacts = contacts.max(whole.step().unwrap().contacts);
            let report = divided.step().unwrap();
            assert!(report.position.is_none());
            for (a, b) in whole.world().bodies.iter().zip(&divided.world().bodies) {
                let off = (a.linear_velocity - b.linear_velocity).norm();
                assert!(off < 2e-4, "{scheme:?}: {off}");
            }
        }
        assert!(contacts > 5, "{contacts} contacts");
    }
}

#[test]
fn free_flight_is_exact() {
    let text = r#"
name = "flight"
[simulation]
dt = 0.1
steps = 30
substeps = 4
[[body]]
name = "brick"
shape = { type = "box", half_extents = [0.3, 0.2, 0.1] }
position = [1000000.0, 0, 0]
density = 1000
linear_velocity = [30, 0, 20]
angular_velocity = [0.01, 3.0, 0.0]
"#;
    let scene = parse(text);
    let mut divided = simulation(scene.clone(), |_| {});
    let mut whole = simulation(scene, |scene| scene.settings.substeps = Some(0));
    for _ in 0..30 {
        divided.step().unwrap();
        whole.step().unwrap();
    }
    let (t, h_s, g) = (3.0, 0.025, 9.81);
    let brick = &divided.world().bodies[0];
    assert_relative_eq!(brick.pose.position.x, 1e6 + 30.0 * t, max_relative = 1e-15);
    let z = 20.0 * t - 0.5 * g * t * (t + h_s);
    assert!((brick.pose.position.z - z).abs() < 1e-12);
    assert!((brick.linear_velocity.z - (20.0 - g * t)).abs() < 1e-12);
    // Nothing turns it but itself: the same spin and the same orientation.
    let other = &whole.world().bodies[0];
    assert!((brick.angular_velocity - other.angular_velocity).norm() < 1e-12);
    assert!(brick.pose.orientation.angle_to(&other.pose.orientation) < 1e-7);
}

#[test]
fn a_ball_bounces_once_a_landing() {
    let text = r#"
name = "bounce"
[simulation]
dt = 0.004
duration = 3.0
substeps = 4
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
    let mut run = simulation(parse(text), |_| {});
    let (mut peaks, mut highest, mut falling) = (Vec::new(), 0.0_f64, true);
    for _ in 0..750 {
        run.step().unwrap();
        let ball = &run.world().bodies[1];
        let rises = ball.linear_velocity.z > 0.0;
        if rises && falling {
            highest = 0.0;
        } else if !rises && !falling {
            peaks.push(highest);
        }
        highest = highest.max(ball.pose.position.z - 0.1);
        falling = !rises;
    }
    assert!(peaks.len() >= 3, "{peaks:?}");
    for (n, peak) in peaks.iter().take(3).enumerate() {
        let expected = 0.7_f64.powi(2 * (n as i32 + 1));
        assert_relative_eq!(*peak, expected, max_relative = 0.01);
    }
}

#[test]
fn a_stack_of_thirty_stands() {
    let scene = load("basics/stack30");
    let (steps, gh) = (scene.steps, 9.81 * scene.settings.time_step);
    let mut run = simulation(scene, |scene| assert_eq!(scene.settings.substeps, None));
    let start: Vec<Vec3> = positions(&run);
    let (mut worst, mut drift) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        worst = worst.max(run.step().unwrap().penetration.max);
        for (now, before) in positions(&run).iter().zip(&start) {
            drift = drift.max((now.x - before.x).hypot(now.y - before.y));
        }
    }
    assert!(worst <= 2e-3, "penetration {worst} m");
    assert!(drift <= 5e-3, "drift {drift} m");
    let bodies = &run.world().bodies;
    let squares: f64 = bodies
        .iter()
        .map(|b| b.linear_velocity.norm_squared())
        .sum();
    let speed = (squares / bodies.len() as f64).sqrt();
    assert!(speed < 0.2 * gh, "still moves at {speed} m/s");
}

#[test]
fn energy_does_not_grow_at_rest() {
    let mut run = simulation(parse(TUMBLING), |scene| {
        scene.settings.substeps = Some(4);
        scene.settings.solver.iterations = 4;
        scene.settings.stabilization.post.solver.iterations = 1;
    });
    let mut last = 0.0;
    for step in 0..400 {
        let report = run.step().unwrap();
        let energy = report.energy.kinetic + report.energy.potential;
        if step == 200 {
            last = energy;
        }
        // Correcting penetrations may lift bodies by the slop, and no more.
        if step > 200 {
            assert!(
                energy < last * (1.0 + 1e-3),
                "step {step}: {last} to {energy}"
            );
            last = last.min(energy);
        }
    }
    assert!(run.penetration().mean < 1e-3 * 0.1);
}

#[test]
fn threads_do_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut run = simulation(load("bench/pile_spheres_1k"), |scene| {
                scene.settings = Settings {
                    time_step: scene.settings.time_step,
                    substeps: Some(3),
                    ..Settings::post_stabilized()
                };
                scene.settings.solver.iterations = 2;
                scene.settings.stabilization.post.solver.iterations = 1;
            });
            for _ in 0..45 {
                run.step().unwrap();
            }
            assert!(run.contacts().len() > 500, "{}", run.contacts().len());
            positions(&run)
        })
    };
    assert_eq!(run(1), run(4));
}
