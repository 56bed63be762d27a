//! Contacts, friction and joints of every kind at random.

use super::solve;
use crate::support::mechanisms::{Recipe, generator, kinetic_energy, random_mechanism};
use drystone::problem::Problem;
use drystone::solver::Status;
use drystone::solver::reference::{Fallback, LemkeReport, judge};
use rayon::prelude::*;

fn recipe(case: usize) -> Recipe {
    Recipe {
        movable: 1 + (case % 6) as u32,
        contacts: 1 + (case % 7) as u32,
        joints: (case % 5) as u32,
        directions: [4, 8][case / 2 % 2],
        friction: [0.5, 1.5, 5.0][case % 3],
        redundant: [0.0, 0.5][case / 4 % 2],
        ..Recipe::default()
    }
}

/// Energy without impulses, and with those of the reference.
fn energies(problem: &Problem, details: &LemkeReport) -> (f64, f64) {
    let nothing = vec![[0.0; 3]; problem.contacts.len()];
    let before = judge(problem, &nothing, &vec![0.0; problem.joint_rows.len()]).unwrap();
    (
        kinetic_energy(problem, &before.velocities),
        kinetic_energy(problem, &details.verdict.velocities),
    )
}

/// What is to be known of one case.
struct Ending {
    status: Status,
    details: LemkeReport,
    energies: (f64, f64),
}

fn endings(cases: usize, seed: u64, recipe: impl Fn(usize) -> Recipe + Sync) -> Vec<Ending> {
    (0..cases)
        .into_par_iter()
        .map(|case| {
            let mut random = generator(seed + case as u64);
            let problem = random_mechanism(&mut random, &recipe(case));
            let (report, solution, solver) = solve(&problem);
            let details = solver.report().clone();
            assert_eq!(solution.joint_impulses.len(), problem.joint_rows.len());
            assert_eq!(solution.changes.len(), problem.bodies.len());
            Ending {
                status: report.status,
                energies: energies(&problem, &details),
                details,
            }
        })
        .collect()
}

#[test]
fn a_thousand_mechanisms_are_solved_and_lose_energy() {
    let (mut worst, mut pivots, mut bounded) = (0.0_f64, 0, 0);
    for (case, ending) in endings(1000, 4_000, recipe).iter().enumerate() {
        let Ending {
            status,
            details,
            energies,
        } = ending;
        assert_eq!(*status, Status::Converged, "case {case}: {details:?}");
        assert_eq!(details.fallback, Fallback::None, "case {case}");
        assert!(details.mixed.max() <= 1e-9, "case {case}: {details:?}");
        assert!(details.verdict.residual_max <= 1e-9, "case {case}");
        let (before, after) = energies;
        assert!(*after <= before * (1.0 + 1e-9), "case {case}: {energies:?}");
        worst = worst.max(details.mixed.max());
        pivots = pivots.max(details.pivots);
        bounded += usize::from(details.equalities > 0 && details.rows > 12);
    }
    println!("largest mixed residual {worst:e}, most pivots {pivots}");
    assert!(bounded > 300, "{bounded}");
}

/// Motors that run and springs that are stretched bring energy, and change nothing else.
#[test]
fn driven_mechanisms_are_solved() {
    let driven = |case| Recipe {
        driven: true,
        ..recipe(case)
    };
    let mut counts = [0; 5];
    for (case, ending) in endings(300, 6_000, driven).iter().enumerate() {
        counts[ending.details.fallback as usize] += 1;
        check_honest(case, ending);
    }
    println!("solved, swept, softened, without push, unsolved: {counts:?}");
    assert!(counts[0] == 300, "{counts:?}");
}

#[test]
fn pushing_mechanisms_apart_is_solved_or_reported() {
    let pushed = |case| Recipe {
        push: 0.5,
        driven: true,
        ..recipe(case)
    };
    let mut counts = [0; 5];
    for (case, ending) in endings(400, 8_000, pushed).iter().enumerate() {
        counts[ending.details.fallback as usize] += 1;
        check_honest(case, ending);
    }
    println!("solved, swept, softened, without push, unsolved: {counts:?}");
    assert!(counts[0] >= 220 && counts[4] == 0, "{counts:?}");
}

/// The status says what the residual of the given problem says, in both directions.
fn check_honest(case: usize, ending: &Ending) {
    let Ending {
        status, details, ..
    } = ending;
    let residual = details.verdict.residual_max;
    let honest = match details.fallback {
        Fallback::None | Fallback::GaussSeidel => *status == Status::Converged && residual <= 2e-9,
        Fallback::Softened | Fallback::NonnegativeBias => {
            *status == Status::Stalled && residual > 1e-9
        }
        Fallback::Unsolved => {
            *status != Status::Converged
                && details.impulses.iter().all(|r| *r == [0.0; 3])
                && details.joint_impulses.iter().all(|r| *r == 0.0)
        }
    };
    assert!(honest, "case {case}: {status:?} {details:?}");
}
