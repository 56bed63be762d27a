//! One velocity problem on each backend, with each method: 50 iterations from zero impulses, packing
//! and transfers included.
//!
//! The GPU is the adapter whose name contains `DRYSTONE_ADAPTER`, or else the first hardware adapter.

#[path = "support/mod.rs"]
mod support;

use criterion::{BenchmarkId, Criterion, Throughput};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};
use std::time::Duration;
use support::Pile;

const ITERATIONS: u32 = 50;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let mut solvers: Vec<(String, Box<dyn Solver>)> =
        vec![("cpu".to_owned(), Box::new(CpuSolver::new()))];
    solvers.extend(gpu());
    for (scene, steps) in [
        ("pile_boxes_1k", 150),
        ("pile_spheres_1k", 120),
        ("pile_spheres_16k", 120),
    ] {
        let pile = Pile::settle(scene, steps);
        let mut group = criterion.benchmark_group(format!("backends/{}", pile.name));
        group.throughput(Throughput::Elements(
            pile.contact_count() * u64::from(ITERATIONS),
        ));
        for (name, solver) in &mut solvers {
            for method in Method::ALL {
                let options = Options {
                    method,
                    iterations: ITERATIONS,
                    tolerance: 0.0,
                    warm_start: false,
                    ..Options::default()
                };
                let mut solution = Solution::default();
                group.bench_function(BenchmarkId::new(method.name(), &*name), |b| {
                    b.iter(|| {
                        solver
                            .solve(&pile.problem, &options, &mut solution)
                            .expect("a problem that was solved before")
                    });
                });
            }
        }
        group.finish();
    }
    criterion.final_summary();
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
            leave_out(&why.to_string());
            None
        }
    }
}

/// Nothing, where the library has no GPU backend.
#[cfg(not(feature = "gpu"))]
fn gpu() -> Option<(String, Box<dyn Solver>)> {
    leave_out("this build has no GPU backend");
    None
}

#[allow(clippy::print_stderr, reason = "a bench speaks to its reader")]
fn leave_out(why: &str) {
    eprintln!("GPU left out: {why}");
}
