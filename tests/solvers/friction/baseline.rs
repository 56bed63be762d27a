//! The recorded problems, solved: the plain method does what it did elsewhere, and the accelerated
//! one does better.

use super::recorded;
use crate::support::recorded::{FrictionProblem, FrictionSolution};
use drystone::solver::nsgs::{Acceleration, LocalRule, NsgsOptions};

/// `merit_1` after 100, 1,000 and 10,000 sweeps as another program computed it: with one projection
/// onto the cone per visit, and with up to 50.
struct Baseline {
    name: &'static str,
    single: [f64; 3],
    local: [f64; 3],
}

const SWEEPS: [u32; 3] = [100, 1_000, 10_000];

const BASELINES: [Baseline; 7] = [
    Baseline {
        name: "FrictionContact3D_RR_1c",
        single: [2.3e-6, 5.8e-16, 5.8e-16],
        local: [5.8e-16; 3],
    },
    Baseline {
        name: "Rover1039",
        single: [2.2e-3, 1.9e-10, 1.5e-15],
        local: [2.2e-15; 3],
    },
    Baseline {
        name: "NESpheres_10_1",
        single: [1.1e-5, 2.2e-17, 2.2e-17],
        local: [2.2e-17; 3],
    },
    Baseline {
        name: "OneObject-i100000-499",
        single: [1.1e-3, 2.8e-5, 2.8e-13],
        local: [2.1e-4, 2.3e-7, 2.1e-16],
    },
    Baseline {
        name: "LMGC_100_PR_PerioBox-i00361-60-03000",
        single: [6.9e-4, 1.6e-7, 3.4e-17],
        local: [4.9e-4, 5.6e-10, 1.1e-12],
    },
    Baseline {
        name: "Box_Stacks-i0122-82-5",
        single: [3.2e-9, 1.6e-18, 1.6e-18],
        local: [1.5e-18; 3],
    },
    Baseline {
        name: "Capsules-i125-1213",
        single: [2.0e-5, 1.5e-6, 2.3e-12],
        local: [6.6e-6, 2.9e-6, 3.9e-17],
    },
];

/// What rounding impulses and velocities to f64 may make of `merit_1`.
fn round_off(problem: &FrictionProblem, solution: &FrictionSolution) -> f64 {
    let norm = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>().sqrt();
    let impulses = norm(&mut solution.impulses.iter().flatten().copied());
    let speeds = norm(&mut problem.q.iter().copied());
    4.0 * f64::EPSILON * (impulses + speeds) / (1.0 + speeds.sqrt())
}

fn solve(problem: &FrictionProblem, options: NsgsOptions) -> [(FrictionSolution, f64); 3] {
    SWEEPS.map(|iterations| {
        let solution = problem
            .solve(&NsgsOptions {
                iterations,
                ..options
            })
            .unwrap();
        let floor = round_off(problem, &solution);
        (solution, floor)
    })
}

/// `merit_1` (relative residual, sweeps) after each number of sweeps.
fn line(name: &str, kind: &str, solutions: &[(FrictionSolution, f64); 3]) -> String {
    let figures = solutions.each_ref().map(|(solution, _)| {
        let verdict = &solution.verdict;
        format!(
            " {:.2e} ({:.1e}, {})",
            verdict.merit_1, verdict.relative_residual, solution.iterations
        )
    });
    format!("{name:38} {kind:12}{}", figures.concat())
}

/// One projection per visit is the same method in any program: where it has not yet converged, the
/// figures agree but for their rounding.
#[test]
fn one_projection_per_visit_reproduces_the_baseline() {
    for baseline in &BASELINES {
        let Some(problem) = recorded(baseline.name) else {
            return;
        };
        let plain = NsgsOptions {
            local: LocalRule::Cone { iterations: 1 },
            acceleration: Acceleration::None,
            ..NsgsOptions::default()
        };
        let solutions = solve(&problem, plain);
        println!("{}", line(baseline.name, "1 projection", &solutions));
        for ((solution, floor), expected) in solutions.iter().zip(baseline.single) {
            let merit = solution.verdict.merit_1;
            let agrees = (merit / expected - 1.0).abs() < 0.05;
            assert!(
                agrees || merit <= *floor,
                "{}: {merit:e}, not {expected:e}; round-off {floor:e}",
                baseline.name
            );
        }
    }
}

#[test]
fn local_iterations_and_acceleration_are_better() {
    for baseline in &BASELINES {
        let Some(problem) = recorded(baseline.name) else {
            return;
        };
        let kinds = [
            (
                "50 cone",
                LocalRule::Cone { iterations: 50 },
                Acceleration::None,
            ),
            ("accelerated", LocalRule::default(), Acceleration::default()),
        ];
        for (kind, local, acceleration) in kinds {
            let options = NsgsOptions {
                local,
                acceleration,
                ..NsgsOptions::default()
            };
            let solutions = solve(&problem, options);
            println!("{}", line(baseline.name, kind, &solutions));
            for (k, (solution, floor)) in solutions.iter().enumerate() {
                let merit = solution.verdict.merit_1;
                // The figures of the baseline have two digits.
                let expected = if acceleration == Acceleration::None {
                    1.05 * baseline.local[k]
                } else {
                    baseline.local[k].min(baseline.single[k])
                };
                assert!(
                    merit <= expected.max(*floor),
                    "{} {kind} after {}: {merit:e}, expected {expected:e}, round-off {floor:e}",
                    baseline.name,
                    SWEEPS[k],
                );
            }
            let (last, _) = &solutions[2];
            assert!(last.verdict.relative_residual < 1e-13, "{kind} {last:?}");
        }
    }
}
