//! Stopping on a tolerance: the device decides, and decides as the CPU does.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use crate::crowd::Crowd;
use crate::support::adapter;
use crate::support::joints::add_random_joints;
use drystone::problem::Problem;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::gpu::{GpuSolver, Traffic};
use drystone::solver::{Method, Options, Report, Solution, Solver, Status};

fn solve(solver: &mut impl Solver, problem: &Problem, options: &Options) -> (Report, Solution) {
    let mut solution = Solution::default();
    let plan = (*options).into();
    let report = solver.attempt(problem, &plan, &mut solution).unwrap();
    (report.velocity, solution)
}

/// Hubs of contacts, and hubs of joints if wanted.
fn crowd(joints: bool) -> Problem {
    let mut problem = Crowd::default().problem();
    if joints {
        add_random_joints(&mut problem, 0, 10, 0, 1);
        add_random_joints(&mut problem, 5, 200, 120, 2);
    }
    problem
}

/// Residual that the sweeps leave after each of some numbers of iterations on the CPU.
fn residuals(problem: &Problem, options: &Options, iterations: &[u32]) -> Vec<f32> {
    iterations
        .iter()
        .map(|&iterations| {
            // Never reached, so that there is a look before joints have the last word.
            let options = Options {
                iterations,
                tolerance: 1e-30,
                check_every: iterations,
                ..*options
            };
            let mut solver = CpuSolver::new();
            solve(&mut solver, problem, &options);
            solver.looks()[0].residual_rms
        })
        .collect()
}

/// Compares reports and solutions in every bit; on hardware, which may contract, only that both stop
/// within a look of each other.
fn same(gpu: &mut GpuSolver, problem: &Problem, options: &Options) -> (Report, Traffic) {
    let (report, solution) = solve(gpu, problem, options);
    let (expected, expected_solution) = solve(&mut CpuSolver::new(), problem, options);
    let summary = gpu.adapter_summary();
    if summary.name.contains("llvmpipe") && summary.backend == "vulkan" {
        assert_eq!(report.status, expected.status);
        assert_eq!(report.iterations, expected.iterations);
        assert_eq!(
            report.residual_rms.to_bits(),
            expected.residual_rms.to_bits()
        );
        assert_eq!(
            report.residual_max.to_bits(),
            expected.residual_max.to_bits()
        );
        assert!(
            solution == expected_solution,
            "{}: other bits",
            options.method.name()
        );
    } else {
        // Clusters are looked at after even passes.
        let look = options.check_every.next_multiple_of(2);
        assert!(report.iterations.abs_diff(expected.iterations) <= look);
    }
    (report, *gpu.traffic())
}

#[test]
fn a_solve_stops_at_the_look_at_which_the_cpu_stops() {
    let mut gpu = adapter::solver();
    for joints in [false, true] {
        let problem = crowd(joints);
        for method in Method::ALL {
            let options = Options {
                method,
                iterations: 50,
                check_every: 7,
                ..Options::default()
            };
            let mut stops = Vec::new();
            for tolerance in residuals(&problem, &options, &[1, 14, 33]) {
                let options = Options {
                    tolerance,
                    ..options
                };
                let (report, traffic) = same(&mut gpu, &problem, &options);
                stops.push(report.iterations);
                if method == Method::Cluster {
                    // The host looks itself: one submission and one wait a look, one more to fetch.
                    assert!(traffic.submits <= report.iterations.div_ceil(6) + 1);
                    assert_eq!((traffic.waits, traffic.holds), (traffic.submits, 0));
                } else {
                    assert_eq!((traffic.submits, traffic.waits, traffic.holds), (1, 1, 0));
                }
            }
            stops.dedup();
            assert!(
                stops.len() > 1,
                "{} always stops at {stops:?}",
                method.name()
            );
            // Never reached: the last look is not at a multiple.
            let options = Options {
                tolerance: 1e-30,
                ..options
            };
            let (report, _) = same(&mut gpu, &problem, &options);
            assert_eq!(report.iterations, 50);
            assert_eq!(report.status, Status::MaxIterations);
        }
    }
}

#[test]
fn a_solve_with_a_far_limit_leaves_the_rest_unsubmitted() {
    let mut gpu = adapter::solver();
    let problem = crowd(false);
    let options = Options {
        iterations: 100_000,
        check_every: 5,
        ..Options::default()
    };
    let tolerance = residuals(&problem, &options, &[10])[0];
    let options = Options {
        tolerance,
        ..options
    };
    let (report, traffic) = same(&mut gpu, &problem, &options);
    assert_eq!(report.status, Status::Converged);
    // Two submissions may be queued behind the one that was seen to stop, and the results follow.
    assert!(traffic.submits <= 5, "{traffic:?}");
    assert!(traffic.spared_submits > 100, "{traffic:?}");
    assert_eq!(traffic.waits, 1);
}

#[test]
fn a_long_solve_does_not_depend_on_how_it_is_submitted() {
    let mut gpu = adapter::solver();
    let problem = crowd(false);
    let options = Options {
        iterations: 700,
        ..Options::default()
    };
    let (report, traffic) = same(&mut gpu, &problem, &options);
    assert_eq!(report.iterations, 700);
    assert!(traffic.submits > 1, "{traffic:?}");
    assert_eq!(traffic.waits, 1, "{traffic:?}");
}

#[test]
fn overflow_stops_a_solve_at_the_first_look() {
    let mut problem = crowd(false);
    problem.bodies[20].linear_velocity = [3e38; 3];
    problem.bodies[21].linear_velocity = [-3e38; 3];
    for contact in &mut problem.contacts {
        contact.arm_a = contact.arm_a.map(|x| 1e10 * x);
    }
    let options = Options {
        iterations: 40,
        tolerance: 1e-3,
        check_every: 4,
        ..Options::default()
    };
    let (gpu, _) = solve(&mut adapter::solver(), &problem, &options);
    let (cpu, _) = solve(&mut CpuSolver::new(), &problem, &options);
    for report in [gpu, cpu] {
        assert_eq!(report.status, Status::NonFinite);
        assert_eq!(report.iterations, 4);
        assert!(report.residual_rms.is_nan() && report.residual_max.is_nan());
    }
}
