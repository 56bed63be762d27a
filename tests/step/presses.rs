//! What presses harder than weights do, pressed by loads, motors, or bodies of many times the mass: what is pressed is not pressed in.

use crate::support::rings;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use std::fmt::Write as _;
use std::path::Path;

const G: f64 = 9.81;

/// Cubes on the ground, of a side `[m]`, of these masses over that of water.
fn cubes(side: f64, masses: &[f64], h: f64) -> String {
    let mut text = format!(
        "name = \"press\"\n[simulation]\ndt = {h:?}\nsteps = 1\n[materials.default]\nfriction = 0.5\n\
         [[body]]\nkind = \"fixed\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1] }}\n"
    );
    for (at, mass) in masses.iter().enumerate() {
        let (half, height) = (0.5 * side, (at as f64 + 0.5) * side);
        let mass = 1000.0 * side.powi(3) * mass;
        writeln!(
            text,
            "[[body]]\nname = \"cube{at}\"\nshape = {{ type = \"box\", half_extents = [{half:?}, {half:?}, {half:?}] }}\n\
             position = [0, 0, {height:?}]\nmass = {mass:?}"
        )
        .unwrap();
    }
    text
}

/// Weight of a cube `[N]`.
fn weight(side: f64) -> f64 {
    1000.0 * side.powi(3) * G
}

/// Runs a scene for so long `[s]`; returns how far the lowest cubes, of so many, are below where they were, over the side.
fn sink(text: &str, side: f64, cubes: usize, time: f64) -> Vec<f64> {
    let scene = Scene::parse(Path::new("press.toml"), text, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    let steps = (time / scene.settings.time_step).ceil() as usize;
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let bodies = &simulation.world().bodies[1..=cubes];
    let height = |at: usize| (at as f64 + 0.5) * side;
    let sunk = bodies.iter().enumerate();
    sunk.map(|(at, body)| (height(at) - body.pose.position.z) / side)
        .collect()
}

#[test]
fn a_load_of_many_weights_is_carried() {
    for side in [0.05, 1.0] {
        for h in [1.0 / 60.0, 1.0 / 240.0] {
            for weights in [100.0, 1_000.0, 10_000.0] {
                let force = -weights * weight(side);
                let load =
                    format!("[[load]]\nbody = \"cube0\"\nforce = [0, 0, {force:?}]\nfrom = 0.1\n");
                let sunk = sink(&(cubes(side, &[1.0], h) + &load), side, 1, 1.0);
                let about = format!("{weights} weights on {side} m, {h} s: {sunk:?}");
                assert!(sunk[0] > 0.0 && sunk[0] < 0.0125, "{about}");
            }
        }
    }
}

#[test]
fn a_ram_stops_at_what_it_presses() {
    for side in [0.05, 1.0] {
        for h in [1.0 / 60.0, 1.0 / 240.0] {
            for weights in [100.0, 1_000.0] {
                let force = weights * weight(side);
                let ram = format!(
                    "[[joint]]\nname = \"ram\"\ntype = \"slider\"\na = \"cube1\"\nanchor = [0, 0, {:?}]\naxis = [0, 0, 1]\n\
                     motor = {{ type = \"velocity\", target = {:?}, max_force = {force:?} }}\n",
                    1.5 * side,
                    -0.2 * (G * side).sqrt(),
                );
                let sunk = sink(&(cubes(side, &[1.0, 1.0], h) + &ram), side, 2, 1.5);
                let about = format!("{weights} weights on {side} m, {h} s: {sunk:?}");
                assert!(sunk[0] > 0.0 && sunk[0] < 0.0125, "{about}");
                assert!(sunk[1] > sunk[0] && sunk[1] < 0.025, "{about}");
            }
        }
    }
}

#[test]
fn a_cube_carries_ten_thousand_times_its_mass() {
    for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
        let sunk = sink(&cubes(0.05, &[1.0, 1e4], h), 0.05, 2, 1.0);
        assert!(sunk.iter().all(|sunk| *sunk < 0.003), "{h}: {sunk:?}");
    }
}

#[test]
fn a_gripper_holds_without_gravity() {
    let side = 0.05;
    let mut text = String::from(
        "name = \"grip\"\n[simulation]\ndt = 0.016666666666666666\nsteps = 1\ngravity = [0, 0, 0]\n\
         [[body]]\nname = \"cube\"\nshape = { type = \"box\", half_extents = [0.025, 0.025, 0.025] }\nmass = 0.125\n",
    );
    for (name, way) in [("left", 1.0), ("right", -1.0)] {
        let (x, target) = (-1.2 * side * way, 0.1 * way);
        let force = 1000.0 * weight(side);
        writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nshape = {{ type = \"box\", half_extents = [0.025, 0.05, 0.05] }}\nposition = [{x:?}, 0, 0]\n\
             mass = 0.5\n[[joint]]\ntype = \"slider\"\na = \"{name}\"\nanchor = [{x:?}, 0, 0]\naxis = [1, 0, 0]\n\
             motor = {{ type = \"velocity\", target = {target:?}, max_force = {force:?} }}"
        )
        .unwrap();
    }
    let scene = Scene::parse(Path::new("grip.toml"), &text, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    for step in 1..=180 {
        simulation.step().unwrap();
        let [cube, left, right] = [0, 1, 2].map(|at| simulation.world().bodies[at].pose.position.x);
        let wide = (right - left - side) / side;
        assert!(wide > 0.7, "step {step}: {wide}");
        assert!(cube.abs() < 0.2 * side, "step {step}: {cube}");
    }
}

/// A row of cubes before a block that moves as prescribed carries the friction of all of them, and is neither pressed together nor aside.
#[test]
fn a_row_that_is_pushed_stays_a_row() {
    let (side, h, count) = (0.05, 1.0 / 30.0, 20);
    let speed = 0.5 * (G * side).sqrt();
    let motions = [
        format!("{{ type = \"constant\", linear = [{speed}, 0, 0] }}"),
        format!(
            "{{ type = \"keyframed\", keyframes = [{{ time = 0, position = [0, 0, 0] }}, {{ time = 10, position = [{}, 0, 0] }}] }}",
            10.0 * speed
        ),
    ];
    for motion in motions {
        let mut text = cubes(side, &[], h);
        writeln!(
            text,
            "[[body]]\nkind = \"kinematic\"\nshape = {{ type = \"box\", half_extents = [0.025, 0.05, 0.025] }}\n\
             position = [-0.06, 0, 0.0275]\nmotion = {motion}"
        )
        .unwrap();
        for at in 0..count {
            let x = f64::from(at) * side;
            writeln!(
                text,
                "[[body]]\nshape = {{ type = \"box\", half_extents = [0.025, 0.025, 0.025] }}\nposition = [{x}, 0, 0.025]\nmass = 0.125"
            )
            .unwrap();
        }
        let scene = Scene::parse(Path::new("row.toml"), &text, &Overrides::default()).unwrap();
        let mut simulation =
            Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
        let steps = (10.0 * (side / G).sqrt() / h).ceil() as usize;
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            let deepest = report.penetration.max / side;
            assert!(deepest < 0.1, "step {}, {motion}: {deepest}", report.step);
        }
        let row = &simulation.world().bodies[2..];
        for pair in row.windows(2) {
            let between = (pair[1].pose.position - pair[0].pose.position) / side;
            assert!((between.x - 1.0).abs() < 0.03, "{motion}: {between}");
            assert!(between.y.abs() < 0.05, "{motion}: {between}");
        }
        let last = row[row.len() - 1].linear_velocity.x / speed;
        assert!(last > 0.5 && last < 1.5, "{motion}: {last}");
    }
}

/// The weight that swings at the end of a chain hangs on contacts that are no support of it where the rings lean.
#[test]
fn rings_hold_what_swings_on_them() {
    let text = rings::chain_of_rings(30.0, 1.0 / 120.0);
    let scene = Scene::parse(Path::new("rings.toml"), &text, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..80 {
        simulation.step().unwrap();
    }
    for pair in simulation.world().bodies.windows(2) {
        let far = (pair[1].pose.position - pair[0].pose.position).norm() / rings::APART;
        assert!(far < 1.015, "{far}");
    }
}

/// A cube between two walls that are too near carries the more the stiffer its springs are.
#[test]
fn what_is_jammed_asks_for_no_more_and_more_substeps() {
    let side = 0.05;
    let mut text = cubes(side, &[1.0], 1.0 / 60.0);
    for sign in [-1.0, 1.0] {
        let place = sign * (1.5 - 0.02) * side;
        writeln!(
            text,
            "[[body]]\nkind = \"fixed\"\nshape = {{ type = \"box\", half_extents = [{side:?}, {side:?}, {side:?}] }}\n\
             position = [{place:?}, 0, {side:?}]"
        )
        .unwrap();
    }
    let scene = Scene::parse(Path::new("jam.toml"), &text, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    let mut substeps = 0;
    for _ in 0..300 {
        substeps = simulation.step().unwrap().substeps;
    }
    assert!(substeps <= 24, "{substeps} substeps");
}
