//! The same velocity problems on each backend, with each method: 50 iterations from zero impulses, packing and
//! transfers included. A table in Markdown.
//!
//! CPU and GPU take turns, and each time is the least of several. Residuals stand beside the times, because a
//! fast wrong answer is worth nothing.
//!
//! The GPU is the adapter whose name contains `DRYSTONE_ADAPTER`, or else the first hardware adapter.
//! `cargo bench --bench backends -- [NAME ...]` runs the scenes whose names contain one of those given.

#[path = "support/mod.rs"]
mod support;

use drystone::internals::constants::GRAVITY;
use drystone::problem::Problem;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver};
use std::time::{Duration, Instant};
use support::{Pile, is_trial};

const ITERATIONS: u32 = 50;
/// Turns that each backend gets.
const TURNS: usize = 7;
/// Scenes of `scenes/bench`, and the steps until they have landed.
const SCENES: [(&str, u32); 4] = [
    ("pile_boxes_1k", 150),
    ("pile_spheres_1k", 120),
    ("pile_spheres_16k", 120),
    ("pile_spheres_16k_hub", 120),
];

/// The fastest of several solves.
struct Best {
    time: Duration,
    report: Report,
}

fn main() {
    let mut solvers: Vec<(String, Box<dyn Solver>)> =
        vec![("cpu".to_owned(), Box::new(CpuSolver::new()))];
    solvers.extend(gpu());
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    for (name, _) in &solvers {
        say(&format!("- {name}"));
    }
    say(
        "\n| problem | contacts | method | backend | ms | M contact-it./s | residual/(g h) | cpu/this |",
    );
    say("|---|---|---|---|---|---|---|---|");
    for (scene, steps) in SCENES {
        let wanted = names.is_empty() || names.iter().any(|part| scene.contains(part.as_str()));
        if !wanted || (is_trial() && names.is_empty() && scene != "pile_spheres_1k") {
            continue;
        }
        let pile = Pile::settle(scene, steps);
        let gh = (GRAVITY * pile.settings.time_step) as f32;
        for method in Method::ALL {
            let bests = take_turns(&mut solvers, &pile.problem, method);
            let cpu = bests[0].time.as_secs_f64();
            for ((name, _), best) in solvers.iter().zip(&bests) {
                let seconds = best.time.as_secs_f64();
                let contacts = pile.contact_count();
                let work = (contacts * u64::from(ITERATIONS)) as f64;
                say(&format!(
                    "| {scene} | {contacts} | {} | {} | {:.3} | {:.1} | {:.1e} | {:.2} |",
                    method.name(),
                    name.split(':').next().unwrap_or(name),
                    1e3 * seconds,
                    1e-6 * work / seconds,
                    best.report.residual_rms / gh,
                    cpu / seconds,
                ));
            }
        }
    }
}

/// One method on one problem, on every backend.
fn take_turns(
    solvers: &mut [(String, Box<dyn Solver>)],
    problem: &Problem,
    method: Method,
) -> Vec<Best> {
    let options = Options {
        method,
        iterations: ITERATIONS,
        tolerance: 0.0,
        warm_start: false,
        ..Options::default()
    };
    let mut solution = Solution::default();
    let mut bests: Vec<Best> = Vec::new();
    // The first turn makes buffers grow, and counts only in a trial.
    for turn in 0..if is_trial() { 1 } else { TURNS + 1 } {
        for (place, (_, solver)) in solvers.iter_mut().enumerate() {
            let start = Instant::now();
            let report = solver
                .solve(problem, &options, &mut solution)
                .expect("a problem that was solved before");
            let time = start.elapsed();
            match bests.get_mut(place) {
                None => bests.push(Best { time, report }),
                Some(best) if turn == 1 || time < best.time => *best = Best { time, report },
                Some(_) => {}
            }
        }
    }
    bests
}

/// The GPU solver under its adapter's name, or none.
#[cfg(feature = "gpu")]
fn gpu() -> Option<(String, Box<dyn Solver>)> {
    use drystone::solver::gpu::{AdapterChoice, GpuSolver};
    let choice = match std::env::var("DRYSTONE_ADAPTER") {
        Ok(name) => AdapterChoice::named(name),
        Err(_) => AdapterChoice::default(),
    };
    match GpuSolver::new(&choice) {
        Ok(solver) => {
            let name = format!("gpu: {}", solver.adapter_summary());
            Some((name, Box::new(solver)))
        }
        Err(why) => {
            say(&format!("GPU left out: {why}\n"));
            None
        }
    }
}

/// Nothing, where the library has no GPU backend.
#[cfg(not(feature = "gpu"))]
fn gpu() -> Option<(String, Box<dyn Solver>)> {
    say("GPU left out: this build has no GPU backend\n");
    None
}

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn say(what: &str) {
    println!("{what}");
}
