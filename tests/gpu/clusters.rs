//! Solves by clusters: the GPU against the CPU, in every bit where the adapter does not contract.

use crate::crowd::Crowd;
use crate::support::adapter;
use crate::support::joints::{add_random_joints, ball};
use drystone::error::Error;
use drystone::internals::clusters::Clusters;
use drystone::internals::constants::CLUSTER_COPIES;
use drystone::problem::{Body, FrictionCone, FrictionLaw, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver};

fn solve(solver: &mut impl Solver, problem: &Problem, options: &Options) -> (Report, Solution) {
    let mut solution = Solution::default();
    let report = solver
        .solve(problem, options, &mut solution)
        .expect("a solve");
    (report, solution)
}

fn options(iterations: u32) -> Options {
    Options {
        method: Method::Cluster,
        iterations,
        // The sweeps are under test.
        direct_joints: false,
        ..Options::default()
    }
}

/// Contacts with friction, hubs, and joints; more bodies than one cluster holds.
fn large(friction_cone: FrictionCone, seed: u64) -> Problem {
    let mut problem = Crowd {
        seed,
        bodies: 1500,
        hubs: 4,
        hub_contacts: 900,
        pairs: 3000,
        friction_cone,
        ..Crowd::default()
    }
    .problem();
    add_random_joints(&mut problem, 0, 20, 0, seed);
    add_random_joints(&mut problem, 9, 500, 300, seed + 1);
    problem
}

/// The same, in one cluster.
fn small(friction_cone: FrictionCone) -> Problem {
    let mut problem = Crowd {
        seed: 3,
        bodies: 150,
        hubs: 2,
        hub_contacts: 100,
        pairs: 300,
        friction_cone,
        ..Crowd::default()
    }
    .problem();
    add_random_joints(&mut problem, 5, 80, 60, 4);
    problem
}

/// The same by the convex law of friction.
fn convex(mut problem: Problem) -> Problem {
    problem.friction_law = FrictionLaw::Convex;
    problem
}

fn problems() -> Vec<Problem> {
    let polygon = FrictionCone::Pyramid { directions: 8 };
    vec![
        small(FrictionCone::Disk),
        small(polygon),
        large(FrictionCone::Disk, 1),
        large(polygon, 2),
        convex(small(FrictionCone::Disk)),
        convex(large(FrictionCone::Disk, 3)),
    ]
}

/// Largest difference of a velocity component over the largest component.
fn velocity_difference(a: &Solution, b: &Solution) -> f32 {
    let numbers = |s: &Solution| -> Vec<f32> {
        let velocities = s.velocities.iter();
        velocities
            .flat_map(|v| v.linear.into_iter().chain(v.angular))
            .collect()
    };
    let (a, b) = (numbers(a), numbers(b));
    let largest = |x: f32, y: f32| x.max(y.abs());
    let scale = b.iter().copied().fold(0.0, largest);
    let differences = a.iter().zip(&b).map(|(x, y)| x - y);
    differences.fold(0.0, largest) / scale
}

/// Compares bits on llvmpipe, and numbers elsewhere.
fn assert_twins(gpu: &mut impl Solver, exact: bool, problem: &Problem, options: &Options) {
    let (gpu_report, gpu_solution) = solve(gpu, problem, options);
    let (cpu_report, cpu_solution) = solve(&mut CpuSolver::new(), problem, options);
    assert_eq!(
        (gpu_report.status, gpu_report.iterations),
        (cpu_report.status, cpu_report.iterations)
    );
    assert_eq!(gpu_report.colors, cpu_report.colors);
    // One cluster may take several dispatches, so that the loops of each stay short.
    assert!(gpu_report.barriers >= cpu_report.barriers);
    if exact {
        assert!(gpu_solution == cpu_solution, "other bits");
        assert_eq!(gpu_report.residual_rms, cpu_report.residual_rms);
        assert_eq!(gpu_report.residual_max, cpu_report.residual_max);
    } else {
        let difference = velocity_difference(&gpu_solution, &cpu_solution);
        // Hundreds of passes with friction make more of a rounding, on any device: what they make of the given numbers' last bits.
        let nudged = |seed| {
            solve(
                &mut CpuSolver::new(),
                &adapter::nudged(problem, seed),
                options,
            )
            .1
        };
        let of_roundings = (0..3).map(|seed| velocity_difference(&nudged(seed), &cpu_solution));
        let bound = of_roundings.fold(1e-4, |most: f32, off| most.max(4.0 * off));
        assert!(difference <= bound, "{difference:e} > {bound:e}");
    }
}

fn solver() -> (impl Solver, bool) {
    let gpu = adapter::solver();
    let summary = gpu.adapter_summary().clone();
    let exact = summary.name.contains("llvmpipe") && summary.backend == "vulkan";
    (gpu, exact)
}

#[test]
fn contacts_friction_joints_and_hubs_have_the_same_bits() {
    let (mut gpu, exact) = solver();
    for problem in problems() {
        // One pass, a sweep and a pass, and enough for momentum and for rebuilt velocities.
        for iterations in [1, 3, 50] {
            assert_twins(&mut gpu, exact, &problem, &options(iterations));
        }
    }
}

#[test]
fn soft_pairs_have_the_same_bits_and_are_left_where_they_are_calm() {
    let (mut gpu, exact) = solver();
    let mut problem = large(FrictionCone::Disk, 2);
    problem.contact_softness = 0.1;
    let [all_visits, some] = [0.0, 0.01].map(|calm_change| {
        problem.calm_change = calm_change;
        assert_twins(&mut gpu, exact, &problem, &options(20));
        solve(&mut CpuSolver::new(), &problem, &options(20)).1
    });
    assert_ne!(all_visits, some);
}

#[test]
fn a_cold_start_and_a_tolerance_have_the_same_bits() {
    let (mut gpu, exact) = solver();
    for problem in [small(FrictionCone::Disk), large(FrictionCone::Disk, 5)] {
        let (cold, _) = solve(&mut CpuSolver::new(), &problem, &options(40));
        let options = Options {
            iterations: 200,
            tolerance: cold.residual_rms,
            check_every: 7,
            warm_start: false,
            ..options(200)
        };
        assert_twins(&mut gpu, exact, &problem, &options);
    }
}

#[test]
fn one_cluster_is_one_dispatch() {
    let (mut gpu, _) = solver();
    let problem = small(FrictionCone::Disk);
    assert_eq!(Clusters::cut(&problem).list.len(), 1);
    let (report, _) = solve(&mut gpu, &problem, &options(60));
    assert_eq!(report.barriers, 1);
    let (report, _) = solve(&mut gpu, &large(FrictionCone::Disk, 1), &options(60));
    // Thirty sweeps, and three times velocities are rebuilt.
    assert_eq!(report.barriers, 2 * 33);
}

#[test]
fn many_passes_over_one_cluster_have_the_same_bits() {
    let (mut gpu, exact) = solver();
    for cone in [FrictionCone::Disk, FrictionCone::Pyramid { directions: 16 }] {
        assert_twins(&mut gpu, exact, &small(cone), &options(700));
    }
}

/// Rods of 1 kg hung one on the other.
fn chain(links: u32) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    for link in 1..=links {
        problem.bodies.push(Body::dynamic(
            1.0,
            [3000.0, 0.0, 0.0, 300.0, 0.0, 300.0],
            [0.0, 0.0, -0.1635],
            [0.0, 0.01 * (link % 7) as f32, 0.0],
        ));
        let hook = if link == 1 { 0.0 } else { 0.1 };
        problem
            .joint_rows
            .extend(ball(link, link - 1, [-0.1, 0.0, 0.0], [hook, 0.0, 0.0]));
    }
    problem
}

#[test]
fn chains_have_the_same_bits() {
    let (mut gpu, exact) = solver();
    for links in [20, CLUSTER_COPIES, CLUSTER_COPIES + 1, 3000] {
        assert_twins(&mut gpu, exact, &chain(links), &options(36));
    }
}

#[test]
fn what_exceeds_a_binding_or_a_dispatch_is_split() {
    let problem = large(FrictionCone::Disk, 6);
    let (_, whole) = solve(&mut adapter::solver(), &problem, &options(20));
    let mut split = adapter::limited(|limits| {
        limits.max_storage_buffer_binding_size = 512 << 10;
        limits.max_compute_workgroups_per_dimension = 3;
        limits.min_storage_buffer_offset_alignment = 256;
        limits.min_uniform_buffer_offset_alignment = 256;
    });
    assert!(80 * problem.contacts.len() > 512 << 10);
    let (_, split) = solve(&mut split, &problem, &options(20));
    assert!(whole == split, "other bits");
}

#[test]
fn a_cluster_that_exceeds_a_binding_is_refused() {
    let mut solver = adapter::limited(|limits| {
        limits.max_storage_buffer_binding_size = 16 << 10;
    });
    let outcome = solver.solve(
        &small(FrictionCone::Disk),
        &options(4),
        &mut Solution::default(),
    );
    match outcome {
        Err(Error::Capacity {
            what,
            needed,
            available,
        }) if needed > available => assert!(what.contains("one cluster"), "{what}"),
        other => panic!("{other:?} where a capacity error was expected"),
    }
}
