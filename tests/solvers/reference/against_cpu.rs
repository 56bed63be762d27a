//! The CPU backend's sweeps, held against the reference.

use super::random_problems::random_problem;
use super::{G, contact, flatten, largest, pyramid, random_vector, solve};
use crate::support::mechanisms::{Recipe, random_mechanism};
use drystone::internals::math::{dot, scale};
use drystone::problem::{Body, FrictionCone, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::judge;
use drystone::solver::{Options, Solution, Solver, Status};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Balls of different sizes leaning on each other and on the ground, after one step of gravity.
fn heap(random: &mut Pcg64, balls: usize, friction: f32, h: f32) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        contacts: Vec::new(),
        friction_cone: pyramid(if random.random::<bool>() { 4 } else { 8 }),
        ..Problem::default()
    };
    for index in 1..=balls as u32 {
        let radius = random.random_range(0.05_f32..0.1);
        let mass = 1000.0 * 4.19 * radius.powi(3);
        let inverse_inertia = 2.5 / (mass * radius * radius);
        let mut linear = random_vector(random, 0.5 * h * G);
        linear[2] -= h * G;
        problem.bodies.push(Body::dynamic(
            1.0 / mass,
            [
                inverse_inertia,
                0.0,
                0.0,
                inverse_inertia,
                0.0,
                inverse_inertia,
            ],
            linear,
            random_vector(random, h * G / radius),
        ));
        let mut rest_on = |below: u32, below_radius: f32, random: &mut Pcg64| {
            let lean = random_vector(random, 0.8);
            let normal = [lean[0], lean[1], 1.0];
            let normal = scale(normal, 1.0 / dot(normal, normal).sqrt());
            problem.contacts.push(contact(
                index,
                below,
                scale(normal, -radius),
                scale(normal, below_radius),
                normal,
                friction * random.random_range(0.5..1.0),
            ));
        };
        rest_on(0, 0.0, random);
        if index > 1 {
            let below = random.random_range(1..index);
            rest_on(below, 0.07, random);
        }
    }
    problem
}

/// Largest difference of the velocities, over the largest speed, after CPU sweeps to `tolerance`.
fn compare_with_cpu(problem: &Problem, tolerance: f32) -> f32 {
    let options = Options {
        iterations: 5_000,
        tolerance,
        warm_start: false,
        ..Options::default()
    };
    let mut swept = Solution::default();
    let report = CpuSolver::new()
        .solve(problem, &options, &mut swept)
        .unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let (report, pivoted, _) = solve(problem);
    assert_eq!(report.status, Status::Converged);
    let verdict = judge(problem, &swept.impulses, &[]).unwrap();
    assert!(
        verdict.residual_rms < 2.0 * f64::from(tolerance),
        "the f64 residual is {:e}",
        verdict.residual_rms
    );
    let (swept, pivoted) = (flatten(&swept), flatten(&pivoted));
    let difference = largest(swept.iter().zip(&pivoted).map(|(a, b)| a - b));
    difference / largest(pivoted).max(f32::MIN_POSITIVE)
}

#[test]
fn cpu_sweeps_reach_the_pivoted_velocities() {
    let h = 1.0 / 120.0;
    let mut random = Pcg64::seed_from_u64(23);
    let mut worst = 0.0_f32;
    for case in 0..60 {
        // With much more friction some heaps have several solutions.
        let friction = [0.0, 0.2, 0.4][case % 3];
        let problem = heap(&mut random, 1 + case % 6, friction, h);
        let difference = compare_with_cpu(&problem, 2e-6 * G * h);
        assert!(difference < 1e-4, "case {case}: {difference:e}");
        worst = worst.max(difference);
    }
    println!("largest relative difference {worst:e}");
}

#[test]
fn cpu_sweeps_reach_the_pivoted_displacements() {
    let mut random = Pcg64::seed_from_u64(24);
    let mut worst = 0.0_f32;
    for case in 0..40 {
        let mut problem = heap(&mut random, 1 + case % 6, 0.0, 0.01);
        problem.friction_cone = FrictionCone::Disk;
        for body in &mut problem.bodies {
            body.linear_velocity = [0.0; 3];
            body.angular_velocity = [0.0; 3];
        }
        for contact in &mut problem.contacts {
            contact.bias = random.random_range(-1e-3..2e-4);
        }
        let difference = compare_with_cpu(&problem, 1e-9);
        assert!(difference < 1e-4, "case {case}: {difference:e}");
        worst = worst.max(difference);
    }
    println!("largest relative difference {worst:e}");
}

/// Whichever solution the reference found, sweeps that start there stay.
#[test]
fn a_pivoted_solution_is_a_fixed_point_of_cpu_sweeps() {
    let mut random = Pcg64::seed_from_u64(26);
    for case in 0..60 {
        let friction = [0.4, 0.8, 1.6][case % 3];
        let mut problem = heap(&mut random, 1 + case % 8, friction, 0.01);
        let (report, pivoted, _) = solve(&problem);
        assert_eq!(report.status, Status::Converged);
        for (contact, impulse) in problem.contacts.iter_mut().zip(&pivoted.impulses) {
            contact.impulse = *impulse;
        }
        let options = Options {
            iterations: 20,
            ..Options::default()
        };
        let mut swept = Solution::default();
        let report = CpuSolver::new()
            .solve(&problem, &options, &mut swept)
            .unwrap();
        assert!(report.residual_max < 1e-6, "case {case}: {report:?}");
        let (swept, pivoted) = (flatten(&swept), flatten(&pivoted));
        let difference = largest(swept.iter().zip(&pivoted).map(|(a, b)| a - b));
        assert!(difference < 2e-5 * largest(pivoted), "case {case}");
    }
}

/// The f64 natural map of the referee and the f32 one of the CPU backend are one definition.
#[test]
fn the_natural_map_is_that_of_the_cpu_backend() {
    let mut random = Pcg64::seed_from_u64(25);
    for case in 0..40 {
        let mut problem = random_problem(&mut random, 2 + case % 4, 3 + case % 5, 1.0);
        if case % 4 == 3 {
            let recipe = Recipe {
                driven: true,
                ..Recipe::default()
            };
            problem = random_mechanism(&mut random, &recipe);
        }
        if case % 2 == 0 {
            problem.friction_cone = FrictionCone::Disk;
        }
        let options = Options {
            iterations: 2,
            ..Options::default()
        };
        let mut solution = Solution::default();
        let report = CpuSolver::new()
            .solve(&problem, &options, &mut solution)
            .unwrap();
        let verdict = judge(&problem, &solution.impulses, &solution.joint_impulses).unwrap();
        for (wide, narrow) in [
            (verdict.residual_rms, report.residual_rms),
            (verdict.residual_max, report.residual_max),
        ] {
            let difference = (wide - f64::from(narrow)).abs();
            assert!(difference < 1e-5, "case {case}: {wide} {narrow}");
        }
        for (wide, narrow) in verdict.velocities.iter().zip(&solution.velocities) {
            let narrow = drystone::internals::math::widen(narrow.linear);
            assert!((wide.0 - narrow).amax() < 1e-5, "case {case}");
        }
    }
}
