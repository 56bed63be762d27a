//! What one contact costs in one sweep: one contact after the other, and in lanes of every width, on
//! one thread and on all.
//!
//! All columns are measured in turns, and each figure is the least of its turns. `-- N` makes N
//! turns; `-- --test` makes one on piles that have hardly moved.

#[path = "support/mod.rs"]
mod support;

use drystone::internals::batches::Batches;
use drystone::internals::cpu::{Sweep, contact_sweep};
use drystone::problem::Problem;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::{CpuSolver, Width};
use drystone::solver::{Method, Options, Solution, Solver};
use std::path::Path;
use std::time::{Duration, Instant};
use support::{by_two_problems, is_trial, settled};

/// Sweeps of one measurement.
const SWEEPS: u32 = 50;

/// Turns unless told otherwise.
const TURNS: usize = 7;

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn main() {
    let turns = if is_trial() {
        1
    } else {
        let given = std::env::args().find_map(|argument| argument.parse().ok());
        given.unwrap_or(TURNS)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("ns a contact and sweep (the least of {turns} turns), {threads} threads at most");
    for (name, problem) in problems() {
        let points = problem.contacts.len();
        let batches = Batches::pack(&problem, Method::GaussSeidel.max_colors(), true);
        println!(
            "\n{name}: {points} contacts, {} colours, {} in the remainder",
            batches.contacts.colors.len(),
            batches.contacts.remainder.elements.len(),
        );
        let mut columns: Vec<(String, Box<dyn FnMut() -> Duration>)> = vec![(
            "scalar, 1 thread".to_owned(),
            Box::new(move || scalar(&batches)),
        )];
        for threads in [1, threads] {
            for width in Width::ALL.into_iter().filter(|width| width.is_available()) {
                columns.push((
                    format!("{}, {threads} threads", width.name()),
                    lanes(&problem, width, threads, Method::GaussSeidel),
                ));
            }
        }
        columns.push((
            "nesterov, 1 thread".to_owned(),
            lanes(&problem, Width::detect(), 1, Method::Nesterov),
        ));
        let mut least = vec![Duration::MAX; columns.len()];
        for _ in 0..turns {
            for (least, (_, measure)) in least.iter_mut().zip(&mut columns) {
                *least = measure().min(*least);
            }
        }
        for ((name, _), least) in columns.iter().zip(least) {
            println!(
                "{name:>24} {:8.2}",
                least.as_secs_f64() * 1e9 / points as f64
            );
        }
    }
}

/// The velocity problems of piles.
fn problems() -> Vec<(&'static str, Problem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/bench");
    let scene = |name: &str, replacements: &[[&str; 2]]| {
        let mut text = std::fs::read_to_string(folder.join(name)).expect("a scene file");
        for [from, to] in replacements {
            assert!(text.contains(from), "{name} has no {from}");
            text = text.replace(from, to);
        }
        let scene = Scene::parse(Path::new(name), &text, &Overrides::default());
        by_two_problems(scene.expect("a valid scene"))
    };
    let spheres = scene(
        "pile_spheres_16k.toml",
        &[
            ["count = 16000", "count = 4000"],
            ["28.80, 28.80", "18.00, 18.00"],
            ["14.400, -14.400", "9.000, -9.000"],
            ["14.400, 14.400", "9.000, 9.000"],
        ],
    );
    let boxes = scene("pile_boxes_1k.toml", &[]);
    [("4,000 spheres", spheres, 120), ("1,000 cubes", boxes, 150)]
        .into_iter()
        .map(|(name, scene, steps)| {
            let simulation = settled(scene, steps);
            (name, simulation.velocity_problem().clone())
        })
        .collect()
}

/// Time of a sweep over the blocks, one contact after the other.
fn scalar(batches: &Batches) -> Duration {
    let mut velocities = batches.velocities.clone();
    let mut impulses = batches.contacts.impulses.clone();
    let start = Instant::now();
    for _ in 0..SWEEPS {
        for color in 0..batches.contacts.colors.len() {
            contact_sweep(
                batches,
                color,
                Sweep::Update,
                &mut velocities,
                &mut impulses,
            );
        }
    }
    start.elapsed() / SWEEPS
}

/// Time of a sweep in lanes: the difference between two solves, packing taken out.
fn lanes(
    problem: &Problem,
    width: Width,
    threads: usize,
    method: Method,
) -> Box<dyn FnMut() -> Duration> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads");
    let problem = problem.clone();
    let mut solver = CpuSolver::with_width(width);
    let mut solution = Solution::default();
    Box::new(move || {
        let mut solve = |iterations| {
            let options = Options {
                method,
                iterations,
                ..Options::default()
            };
            let report = pool.install(|| solver.solve(&problem, &options, &mut solution));
            report.expect("a valid problem").solve_time
        };
        let short = solve(2);
        solve(2 + SWEEPS).saturating_sub(short) / SWEEPS
    })
}
