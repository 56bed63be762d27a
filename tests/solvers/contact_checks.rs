//! Errors in contacts, which the CPU solver finds while it packs them: those that validation finds, and a
//! solver that had one goes on as if it had not.

use crate::support::problems::{Recipe, random_problem};
use drystone::problem::{Contact, Problem};
use drystone::solver::cpu::{CpuSolver, Width};
use drystone::solver::substeps::{GapLaw, SubstepPlan};
use drystone::solver::{Method, Options, Plan, Solution, Solver, Velocity};

/// Makes something wrong with a contact.
type Spoil = Box<dyn Fn(&mut Contact)>;

/// Everything that can be wrong with a contact between bodies of which there are `count`.
fn errors(count: u32) -> Vec<Spoil> {
    let mut errors: Vec<Spoil> = Vec::new();
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for number in 2..16 {
            errors.push(Box::new(move |contact| {
                let numbers: &mut [f32; 16] = bytemuck::cast_mut(contact);
                numbers[number] = wrong;
            }));
        }
    }
    errors.push(Box::new(|contact| contact.friction = -0.1));
    errors.push(Box::new(|contact| contact.body_a = contact.body_b));
    errors.push(Box::new(move |contact| contact.body_a = count));
    errors.push(Box::new(|contact| contact.body_b = u32::MAX));
    for factor in [0.0, 0.99, 1.01, -1.01] {
        errors.push(Box::new(move |contact| {
            contact.normal = contact.normal.map(|x| factor * x);
        }));
    }
    errors
}

/// With a hub, some of whose contacts are in the remainder.
fn problem() -> Problem {
    let recipe = Recipe {
        hub_pairs: 40,
        ..Recipe::default()
    };
    random_problem(&recipe, 5)
}

fn options(method: Method) -> Options {
    Options {
        method,
        iterations: 2,
        ..Options::default()
    }
}

#[test]
fn every_error_is_what_validation_says() {
    let good = problem();
    let errors = errors(good.bodies.len() as u32);
    let last = good.contacts.len() - 1;
    for method in [Method::GaussSeidel, Method::Jacobi] {
        for width in Width::ALL {
            let options = options(method);
            let mut solver = CpuSolver::with_width(width);
            let mut expected = Solution::default();
            CpuSolver::new()
                .solve(&good, &options, &mut expected)
                .unwrap();
            // The last contact is the hub's, and in the remainder.
            for at in [0, last / 3, last] {
                for (index, error) in errors.iter().enumerate() {
                    let mut bad = good.clone();
                    error(&mut bad.contacts[at]);
                    let mut solution = Solution::default();
                    let said = bad.validate().unwrap_err().to_string();
                    let found = solver.solve(&bad, &options, &mut solution);
                    assert_eq!(
                        found.unwrap_err().to_string(),
                        said,
                        "error {index} at {at}"
                    );
                    assert_eq!(solution, Solution::default());
                    solver.solve(&good, &options, &mut solution).unwrap();
                    assert_eq!(solution, expected, "after error {index} at {at}");
                }
            }
        }
    }
}

#[test]
fn the_same_in_substeps() {
    let problem = problem();
    let count = problem.bodies.len();
    let good = Problem {
        increments: vec![Velocity::default(); count],
        gaps: vec![0.0; problem.contacts.len()],
        ..problem
    };
    let plan = Plan::from(SubstepPlan {
        substeps: 2,
        time_step: 0.01,
        gap_law: GapLaw::default(),
        restitution_threshold: 0.1,
        calm_change: 0.0,
        velocity: options(Method::GaussSeidel),
        position: None,
    });
    let mut solver = CpuSolver::new();
    let mut expected = Solution::default();
    CpuSolver::new().step(&good, &plan, &mut expected).unwrap();
    let last = good.contacts.len() - 1;
    for at in [0, last / 2, last] {
        for (index, error) in errors(count as u32).iter().enumerate() {
            let mut bad = good.clone();
            error(&mut bad.contacts[at]);
            let mut solution = Solution::default();
            let said = plan.validate_problem(&bad).unwrap_err().to_string();
            let found = solver.step(&bad, &plan, &mut solution);
            assert_eq!(
                found.unwrap_err().to_string(),
                said,
                "error {index} at {at}"
            );
            solver.step(&good, &plan, &mut solution).unwrap();
            assert_eq!(solution.changes, expected.changes);
            assert_eq!(solution.impulses, expected.impulses);
        }
    }
    // A contact's error is named before one beside the problem.
    let mut bad = good.clone();
    bad.gaps[3] = f32::NAN;
    bad.contacts[last].friction = -1.0;
    let said = plan.validate_problem(&bad).unwrap_err().to_string();
    let found = solver.step(&bad, &plan, &mut Solution::default());
    assert_eq!(found.unwrap_err().to_string(), said);
}

/// Large numbers, whose sum is none, and lengths at the edge of what passes.
#[test]
fn what_is_odd_but_valid_is_solved() {
    let mut odd = problem();
    odd.contacts[7].bias = f32::MAX;
    odd.contacts[7].arm_a = [f32::MAX, 0.0, 0.0];
    let normal = &mut odd.contacts[9].normal;
    *normal = normal.map(|x| 1.0009 * x);
    odd.validate().unwrap();
    let mut solution = Solution::default();
    // Its numbers overflow, which is no matter of the checks.
    let plan = Plan::from(options(Method::GaussSeidel));
    CpuSolver::new()
        .attempt(&odd, &plan, &mut solution)
        .unwrap();
}
