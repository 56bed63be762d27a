//! What solves move between host and device, by the counts that the code keeps itself.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use crate::crowd::Crowd;
use crate::support::adapter;
use crate::support::joints::add_random_joints;
use drystone::error::Error;
use drystone::problem::Problem;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::gpu::{GpuSolver, Traffic};
use drystone::solver::{Method, Options, Solution, Solver};

/// Without hubs, as most piles are; `hubs` of them if wanted.
fn crowd(hubs: u32) -> Problem {
    Crowd {
        bodies: 1_200,
        hubs,
        pairs: 1_500,
        ..Crowd::default()
    }
    .problem()
}

fn solve(solver: &mut GpuSolver, problem: &Problem, options: &Options) -> (Solution, Traffic) {
    let mut solution = Solution::default();
    solver.solve(problem, options, &mut solution).unwrap();
    (solution, *solver.traffic())
}

/// The same contacts a step later: every number of geometry and velocity has changed a little, and the
/// impulses are those that were found.
fn next_step(problem: &mut Problem, found: &Solution) {
    for (contact, &impulse) in problem.contacts.iter_mut().zip(&found.impulses) {
        contact.impulse = impulse;
        contact.arm_a = contact.arm_a.map(|x| x + 1e-4);
        contact.arm_b = contact.arm_b.map(|x| x - 1e-4);
        contact.normal = contact.normal.map(|x| x * (1.0 + f32::EPSILON));
        contact.bias += 1e-4;
    }
    for (row, &impulse) in problem.joint_rows.iter_mut().zip(&found.joint_impulses) {
        row.impulse = impulse;
        row.bias += 1e-4;
    }
}

/// Solves on a solver that has solved before, and compares with fresh ones on both backends.
fn same_as_fresh(gpu: &mut GpuSolver, problem: &Problem, options: &Options) -> (Solution, Traffic) {
    let (solution, traffic) = solve(gpu, problem, options);
    let (fresh, _) = solve(&mut adapter::solver(), problem, options);
    assert!(solution == fresh);
    let summary = gpu.adapter_summary();
    if summary.name.contains("llvmpipe") && summary.backend == "vulkan" {
        let mut on_cpu = Solution::default();
        CpuSolver::new()
            .solve(problem, options, &mut on_cpu)
            .unwrap();
        assert!(solution == on_cpu);
    }
    (solution, traffic)
}

#[test]
fn a_steady_solve_uploads_what_changes_and_nothing_else() {
    let mut gpu = adapter::solver();
    let mut problem = crowd(0);
    let options = Options::default();
    let (mut found, first) = same_as_fresh(&mut gpu, &problem, &options);
    for _ in 0..3 {
        next_step(&mut problem, &found);
        let (solution, traffic) = same_as_fresh(&mut gpu, &problem, &options);
        found = solution;
        let contacts = problem.contacts.len() as u64;
        assert_eq!(traffic.contacts, contacts);
        // Normal, both arms and the free velocity; not the bodies, friction, masses or impulses.
        assert_eq!(traffic.up.contacts, 48 * contacts);
        // Masses and inertias have not changed, and velocities at the start come from the impulses.
        assert_eq!(traffic.up.bodies, 0);
        // The control and momentum records.
        assert!(traffic.up.rest <= 64, "{traffic:?}");
        assert_eq!(traffic.back.contacts, 16 * contacts);
        assert_eq!(traffic.back.bodies, 32 * problem.bodies.len() as u64);
        assert_eq!((traffic.submits, traffic.waits, traffic.holds), (1, 1, 0));
        assert!(traffic.up.total() < first.up.total() / 2);
    }
    // The same problem once more, but for the impulses, is on the device already.
    for (contact, &impulse) in problem.contacts.iter_mut().zip(&found.impulses) {
        contact.impulse = impulse;
    }
    let (_, traffic) = same_as_fresh(&mut gpu, &problem, &options);
    assert_eq!(traffic.up.contacts + traffic.up.bodies, 0);
}

#[test]
fn a_cold_start_uploads_no_velocities_even_with_hubs() {
    let mut gpu = adapter::solver();
    let problem = crowd(3);
    let options = Options {
        warm_start: false,
        ..Options::default()
    };
    same_as_fresh(&mut gpu, &problem, &options);
    let (_, traffic) = same_as_fresh(&mut gpu, &problem, &options);
    assert_eq!(traffic.up.bodies, 0);
    // All impulses have to go back to nothing.
    assert_eq!(traffic.up.contacts, 16 * traffic.contacts);
}

#[test]
fn hubs_and_joints_solved_at_once_have_their_start_from_the_host() {
    let mut jointed = crowd(0);
    add_random_joints(&mut jointed, 5, 200, 0, 2);
    for problem in [crowd(3), jointed] {
        let mut gpu = adapter::solver();
        let mut problem = problem;
        let (found, _) = same_as_fresh(&mut gpu, &problem, &Options::default());
        next_step(&mut problem, &found);
        let (_, traffic) = same_as_fresh(&mut gpu, &problem, &Options::default());
        let bodies = problem.bodies.len() as u64;
        assert!(traffic.up.bodies > 16 * bodies, "{traffic:?}");
        assert!(traffic.up.bodies <= 32 * bodies, "{traffic:?}");
        assert_eq!(traffic.waits, 1);
    }
}

#[test]
fn joints_without_hubs_start_on_the_device() {
    let mut problem = crowd(0);
    add_random_joints(&mut problem, 5, 200, 0, 2);
    let options = Options {
        direct_joints: false,
        ..Options::default()
    };
    for method in Method::ALL {
        let options = Options { method, ..options };
        let mut gpu = adapter::solver();
        let mut problem = problem.clone();
        let (found, _) = same_as_fresh(&mut gpu, &problem, &options);
        next_step(&mut problem, &found);
        let (_, traffic) = same_as_fresh(&mut gpu, &problem, &options);
        if method.max_colors() > 0 {
            assert_eq!(traffic.up.bodies, 0, "{}", method.name());
        }
    }
}

#[test]
fn another_order_of_contacts_is_noticed() {
    let mut gpu = adapter::solver();
    let mut problem = crowd(2);
    let options = Options::default();
    let (found, _) = same_as_fresh(&mut gpu, &problem, &options);
    next_step(&mut problem, &found);
    problem.contacts.reverse();
    same_as_fresh(&mut gpu, &problem, &options);
    problem.contacts.truncate(1_000);
    problem.bodies[40].inverse_mass *= 0.5;
    same_as_fresh(&mut gpu, &problem, &options);
    // A host that changes an impulse is believed.
    problem.contacts[7].impulse = [1.0, 0.0, 0.0];
    same_as_fresh(&mut gpu, &problem, &options);
}

#[test]
fn a_solve_that_fails_leaves_nothing_believed() {
    let mut gpu = adapter::solver();
    let problem = crowd(0);
    let options = Options::default();
    let (_, traffic) = solve(&mut gpu, &problem, &options);
    let needed = traffic.held.total();
    gpu.set_memory_budget(needed / 2);
    let error = gpu
        .solve(&problem, &options, &mut Solution::default())
        .unwrap_err();
    assert!(matches!(error, Error::Capacity { .. }), "{error}");
    gpu.set_memory_budget(u64::MAX);
    same_as_fresh(&mut gpu, &problem, &options);
}

#[test]
fn large_results_come_in_several_transfers() {
    // 128 MiB of velocities, as much as a binding holds, and impulses: three transfers, two of them with
    // the solve.
    let mut problem = crowd(0);
    let body = problem.bodies[10];
    problem.bodies.resize(1 << 22, body);
    let mut gpu = adapter::solver();
    let options = Options {
        iterations: 2,
        ..Options::default()
    };
    let (large, traffic) = solve(&mut gpu, &problem, &options);
    assert!(traffic.back.total() > 128 << 20);
    assert_eq!((traffic.submits, traffic.waits), (2, 2));
    problem.bodies.truncate(1_300);
    let (small, _) = solve(&mut adapter::solver(), &problem, &options);
    assert_eq!(large.impulses, small.impulses);
    assert_eq!(large.velocities[..1_300], small.velocities[..]);
}
