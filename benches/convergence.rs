//! Passes to a residual, of every method, on frozen velocity problems: a table in Markdown.
//!
//! Each problem is that of a scene's last step, solved from zero impulses. A figure is the first number
//! of passes after which the rms natural-map residual is at or below a fraction of `g h`; `best` is the
//! least residual seen. Counts do not depend on the machine.
//!
//! `cargo bench --bench convergence -- [PASSES] [NAME ...]` runs the problems whose names are given.

#[path = "support/mod.rs"]
mod support;

use drystone::constants::GRAVITY;
use drystone::problem::{Body, JointRow, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};
use drystone::step::Simulation;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// Most passes that a method is given.
const PASSES: u32 = 1_000;

/// Fractions of `g h` at which passes are counted.
const TARGETS: [f32; 3] = [1e-1, 1e-2, 1e-3];

/// A problem to solve, and the velocity that gravity adds in a step `[m/s]`.
struct Frozen {
    problem: Problem,
    gh: f32,
}

/// Where a problem comes from.
enum Source {
    /// A file below `scenes`, and the steps it makes.
    File(&'static str, u32),
    /// Cubes on the ground, and the steps they make.
    Cubes(Vec<[f64; 3]>, u32),
    /// A chain of rods of 1 kg, the last of them of this mass `[kg]`.
    Chain(u32, f32),
}

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let trial = support::is_trial();
    let passes = arguments
        .iter()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(if trial { 20 } else { PASSES });
    let names: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-') && argument.parse::<u32>().is_err())
        .collect();
    println!("| problem | contacts | joint rows | method | 1e-1 | 1e-2 | 1e-3 | best | time |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, source) in sources() {
        let wanted = names.is_empty() || names.iter().any(|wanted| *wanted == name);
        if !wanted || (trial && names.is_empty() && name != "mass_ratio_100") {
            continue;
        }
        let frozen = freeze(&source);
        for method in Method::ALL {
            println!("{}", row(name, &frozen, method, passes));
        }
    }
}

fn sources() -> Vec<(&'static str, Source)> {
    vec![
        (
            "mass_ratio_100",
            Source::File("basics/mass_ratio_100.toml", 3),
        ),
        ("column40", Source::File("basics/column40.toml", 3)),
        ("wall_210", Source::Cubes(wall(20), 3)),
        ("wall_820", Source::Cubes(wall(40), 3)),
        ("wall_5050", Source::Cubes(wall(100), 2)),
        ("pyramid_385", Source::Cubes(pyramid(10), 2)),
        ("pyramid_2870", Source::Cubes(pyramid(20), 2)),
        (
            "pile_boxes_1k",
            Source::File("bench/pile_boxes_1k.toml", 100),
        ),
        (
            "pile_spheres_1k",
            Source::File("bench/pile_spheres_1k.toml", 100),
        ),
        (
            "pile_spheres_16k",
            Source::File("bench/pile_spheres_16k.toml", 100),
        ),
        (
            "pile_spheres_16k_hub",
            Source::File("bench/pile_spheres_16k_hub.toml", 100),
        ),
        ("chain_50", Source::Chain(50, 1.0)),
        ("chain_20_heavy", Source::Chain(20, 100.0)),
    ]
}

/// A wall of one cube less in each row, with gaps of 1 cm beside each.
fn wall(base: usize) -> Vec<[f64; 3]> {
    let rows = (0..base).flat_map(|row| (0..base - row).map(move |i| (row as f64, i as f64)));
    rows.map(|(row, i)| [1.01 * (i + 0.5 * row), 0.0, 0.5 + row])
        .collect()
}

/// Square layers of one row less each, likewise.
fn pyramid(base: usize) -> Vec<[f64; 3]> {
    let mut places = Vec::new();
    for layer in 0..base {
        for i in 0..base - layer {
            for j in 0..base - layer {
                let [x, y] = [i, j].map(|k| 1.01 * (k as f64 + 0.5 * layer as f64));
                places.push([x, y, 0.5 + layer as f64]);
            }
        }
    }
    places
}

/// Cubes of 1 m and 1 t on the ground.
fn cubes(places: &[[f64; 3]]) -> Scene {
    let mut text = String::from(
        r#"name = "cubes"
[simulation]
dt = 0.016666666666666666
steps = 1
[materials.default]
friction = 0.5
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
"#,
    );
    for (index, place) in places.iter().enumerate() {
        let _ = writeln!(
            text,
            r#"[[body]]
name = "cube{index}"
shape = {{ type = "box", half_extents = [0.5, 0.5, 0.5] }}
position = {place:?}
density = 1000.0"#
        );
    }
    Scene::parse(Path::new("cubes.toml"), &text, &Overrides::default()).expect("a valid scene")
}

fn freeze(source: &Source) -> Frozen {
    match source {
        Source::File(file, steps) => {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("scenes")
                .join(file);
            let scene = Scene::load(&path, &Overrides::default());
            after(scene.expect("a scene of this repository"), *steps)
        }
        Source::Cubes(places, steps) => after(cubes(places), *steps),
        Source::Chain(links, last) => chain(*links, *last),
    }
}

/// The velocity problem of a scene's last step; steps are solved with 200 iterations at most.
fn after(mut scene: Scene, steps: u32) -> Frozen {
    let solver = &mut scene.settings.solver;
    solver.iterations = solver.iterations.min(200);
    let gh = (GRAVITY * scene.settings.time_step) as f32;
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).expect("valid");
    for _ in 0..steps {
        simulation.step().expect("a step of a valid scene");
    }
    Frozen {
        problem: simulation.velocity_problem().clone(),
        gh,
    }
}

/// Rods of 0.2 m along x, joined by balls and hung at one end.
fn chain(links: u32, last: f32) -> Frozen {
    let gh = (GRAVITY / 60.0) as f32;
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    for link in 1..=links {
        let mass = if link == links { last } else { 1.0 };
        let inverse = 12.0 / (0.04 * mass);
        problem.bodies.push(Body::dynamic(
            1.0 / mass,
            [10.0 * inverse, 0.0, 0.0, inverse, 0.0, inverse],
            [0.0, 0.0, -gh],
            [0.0; 3],
        ));
        let arm_b = if link == 1 { 0.0 } else { 0.1 };
        // The arms lie along x: (arm, 0, 0) x axis.
        let moment = |arm: f32, axis: usize| match axis {
            1 => [0.0, 0.0, arm],
            2 => [0.0, -arm, 0.0],
            _ => [0.0; 3],
        };
        problem.joint_rows.extend((0..3).map(|axis| {
            let mut linear = [0.0; 3];
            linear[axis] = 1.0;
            JointRow {
                body_a: link,
                body_b: link - 1,
                linear,
                angular_a: moment(-0.1, axis),
                angular_b: moment(arm_b, axis).map(|x| -x),
                bias: 0.0,
                softness: 0.0,
                lower: -JointRow::UNBOUNDED,
                upper: JointRow::UNBOUNDED,
                impulse: 0.0,
            }
        }));
    }
    Frozen { problem, gh }
}

/// Solves with more and more passes, as one solve would with a look at the residual after each two, and
/// reports when it got where.
fn row(name: &str, frozen: &Frozen, method: Method, passes: u32) -> String {
    let mut reached: [Option<u32>; TARGETS.len()] = [None; TARGETS.len()];
    let mut solver = CpuSolver::new();
    let mut solution = Solution::default();
    let mut solve = |tolerance: f32| {
        let options = Options {
            method,
            iterations: passes,
            tolerance,
            check_every: 2,
            warm_start: false,
            ..Options::default()
        };
        solver
            .solve(&frozen.problem, &options, &mut solution)
            .expect("a valid problem")
    };
    let mut best = f32::INFINITY;
    for (place, target) in reached.iter_mut().zip(TARGETS) {
        let report = solve(target * frozen.gh);
        best = best.min(report.residual_rms);
        if report.residual_rms > target * frozen.gh {
            break;
        }
        *place = Some(report.iterations);
    }
    let start = Instant::now();
    best = best.min(solve(0.0).residual_rms);
    let time = start.elapsed();
    let shown = reached.map(|count| count.map_or_else(|| "-".to_owned(), |n| n.to_string()));
    format!(
        "| {name} | {} | {} | {} | {} | {:.0e} | {:.0?} |",
        frozen.problem.contacts.len(),
        frozen.problem.joint_rows.len(),
        method.name(),
        shown.join(" | "),
        best / frozen.gh,
        time,
    )
}
