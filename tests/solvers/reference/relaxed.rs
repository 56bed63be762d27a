//! The relaxed quadratic program, and the fixed point that is Coulomb's law again.

use super::random_problems::random_problem;
use super::{pyramid, solve};
use drystone::problem::Problem;
use drystone::solver::reference::RelaxedSolver;
use drystone::solver::{Options, Solution, Solver, Status};
use rand::SeedableRng;
use rand_pcg::Pcg64;

fn problems(friction: f32) -> impl Iterator<Item = Problem> {
    let mut random = Pcg64::seed_from_u64(77);
    (0..40).map(move |_| {
        let mut problem = random_problem(&mut random, 4, 6, friction);
        problem.friction_cone = pyramid(4);
        problem
    })
}

#[test]
fn the_relaxed_program_opens_sliding_contacts_by_their_friction() {
    let mut sliding = 0;
    for (case, problem) in problems(0.8).enumerate() {
        let mut solver = RelaxedSolver::once();
        let mut solution = Solution::default();
        let report = solver
            .solve(&problem, &Options::default(), &mut solution)
            .unwrap();
        assert_eq!(report.status, Status::Converged, "{case}");
        let found = solver.report();
        let velocities = &found.verdict.velocities;
        for (index, contact) in problem.contacts.iter().enumerate() {
            let [impulse, ..] = found.impulses[index];
            let slip = found.slips[index];
            if impulse < 1e-6 || slip < 1e-6 {
                continue;
            }
            sliding += 1;
            let along = |body: u32, arm: [f32; 3]| {
                let (linear, angular) = &velocities[body as usize];
                let arm = nalgebra::Vector3::from(arm.map(f64::from));
                let normal = nalgebra::Vector3::from(contact.normal.map(f64::from));
                normal.dot(&(linear + angular.cross(&arm)))
            };
            let opens = along(contact.body_a, contact.arm_a) - along(contact.body_b, contact.arm_b)
                + f64::from(contact.bias);
            let expected = f64::from(contact.friction) * slip;
            assert!(
                (opens - expected).abs() < 1e-6,
                "{case}: {opens} {expected}"
            );
        }
    }
    assert!(sliding > 20, "{sliding}");
}

#[test]
fn its_fixed_point_solves_the_problem_itself() {
    for (case, problem) in problems(0.2).enumerate() {
        let mut solver = RelaxedSolver::to_fixed_point(500);
        let options = Options {
            tolerance: 1e-12,
            ..Options::default()
        };
        let mut solution = Solution::default();
        let report = solver.solve(&problem, &options, &mut solution).unwrap();
        assert_eq!(report.status, Status::Converged, "{case}");
        let verdict = &solver.report().verdict;
        assert!(verdict.residual_max < 1e-9, "{case}: {verdict:?}");
        // Few programs are not enough, and say so.
        if solver.report().changes.len() > 3 {
            let mut hasty = RelaxedSolver::to_fixed_point(2);
            let report = hasty.solve(&problem, &options, &mut solution).unwrap();
            assert_eq!(report.status, Status::MaxIterations, "{case}");
        }
        let (_, _, lemke) = solve(&problem);
        assert!(lemke.report().verdict.residual_max < 1e-9, "{case}");
    }
}
