//! The direct start of joints, with new memory and, packing included, with what it keeps; beside
//! packing and one sweep: a hanging chain of 1,000 links, and 200 ragdolls of 11 bodies.
//!
//! The lines before each mechanism say what 30 iterations reach with it and without it: the residual,
//! and how far the velocities are from exact ones.

#[path = "../tests/support/joints.rs"]
mod joints;
#[path = "../tests/support/linkages.rs"]
mod linkages;

use criterion::{BatchSize, Criterion};
use drystone::internals::batches::Batches;
use drystone::internals::cpu::{Sweep, joint_sweep};
use drystone::internals::direct;
use drystone::internals::direct::Mechanisms;
use drystone::problem::Problem;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver};
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for (name, problem) in [
        ("chain_1000", linkages::chain(1_000, [0.0, 0.0, -1.0])),
        ("ragdolls_200", ragdolls(200)),
    ] {
        report(name, &problem);
        let colors = Method::GaussSeidel.max_colors();
        let batches = Batches::pack(&problem, colors, true);
        let mut group = criterion.benchmark_group(format!("joints/{name}"));
        group.bench_function("pack", |b| b.iter(|| Batches::pack(&problem, colors, true)));
        group.bench_function("direct_start", |b| {
            b.iter_batched_ref(
                || batches.clone(),
                |batches| direct::start(batches, 0.0),
                BatchSize::LargeInput,
            );
        });
        let mut mechanisms = Mechanisms::default();
        let mut kept = batches.clone();
        group.bench_function("direct_start_kept", |b| {
            b.iter(|| {
                kept.repack(&problem, colors, true);
                mechanisms.start(&mut kept, 0.0)
            });
        });
        let mut velocities = batches.velocities.clone();
        let mut impulses = batches.joints.impulses.clone();
        group.bench_function("sweep", |b| {
            b.iter(|| {
                for color in 0..batches.joints.colors.len() {
                    joint_sweep(
                        &batches,
                        color,
                        Sweep::Update,
                        &mut velocities,
                        &mut impulses,
                    );
                }
            });
        });
        group.finish();
    }
    criterion.final_summary();
}

/// Ragdolls that spin and fall.
fn ragdolls(count: usize) -> Problem {
    let mut problem = Problem::default();
    (0..count).for_each(|_| linkages::add_ragdoll(&mut problem));
    for (index, body) in problem.bodies.iter_mut().enumerate() {
        let turn = (index % 17) as f32 - 8.0;
        body.angular_velocity = [0.1 * turn, 0.5, -0.05 * turn];
    }
    problem
}

fn solve(problem: &Problem, iterations: u32, direct_joints: bool) -> (Solution, Report) {
    let options = Options {
        iterations,
        direct_joints,
        ..Options::default()
    };
    let mut solution = Solution::default();
    let report = CpuSolver::new()
        .solve(problem, &options, &mut solution)
        .expect("a problem with a meaning");
    (solution, report)
}

#[allow(clippy::print_stderr, reason = "a bench speaks to its reader")]
fn report(name: &str, problem: &Problem) {
    let (exact, _) = solve(problem, 1, true);
    for iterations in [30, 1_000] {
        for direct_joints in [true, false] {
            let (solution, report) = solve(problem, iterations, direct_joints);
            let off = solution
                .velocities
                .iter()
                .zip(&exact.velocities)
                .flat_map(|(v, w)| [0, 1, 2].map(|axis| (v.linear[axis] - w.linear[axis]).abs()))
                .fold(0.0, f32::max);
            eprintln!(
                "{name}, {iterations} iterations, direct start {direct_joints}: residual rms {:.1e} m/s, \
                 max {:.1e} m/s, velocities off by {off:.1e} m/s",
                report.residual_rms, report.residual_max
            );
        }
    }
}
