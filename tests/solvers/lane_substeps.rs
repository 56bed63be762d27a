//! Steps in substeps on lanes that are filled once a step, against one LCP after the other.

use crate::support::problems::{Recipe, generator, random_problem};
use drystone::problem::{AsProblem, FrictionCone, Problem};
use drystone::solver::cpu::{CpuSolver, Width};
use drystone::solver::reference::in_substeps;
use drystone::solver::substeps::{GapLaw, PositionPlan, SubstepPlan, SubstepReport};
use drystone::solver::{Method, Options, Solution, Solver, Status, Velocity};
use rand::RngExt;

/// Largest difference, over the largest number of the array. Rounding is amplified by the sweeps:
/// contacts at random are worse conditioned than those of piles.
const BOUND: f32 = 1e-4;

const STEP: f32 = 1.0 / 60.0;
const SOFTNESS: f32 = 0.05;

fn problem(recipe: &Recipe, restitution: bool, seed: u64) -> Problem {
    let problem = Problem {
        contact_softness: SOFTNESS,
        ..random_problem(recipe, seed)
    };
    let random = &mut generator(seed + 100);
    let mut small = |size: f32| random.random_range(-size..size);
    let increments = problem.bodies.iter().map(|body| Velocity {
        linear: [small(0.01), small(0.01), small(0.01) - 9.81 * STEP],
        angular: match body.is_movable() {
            true => [small(0.1), small(0.1), small(0.1)],
            false => [0.0; 3],
        },
    });
    Problem {
        increments: increments.collect(),
        gaps: problem.contacts.iter().map(|_| small(2e-3)).collect(),
        restitutions: match restitution {
            true => problem
                .contacts
                .iter()
                .map(|_| small(0.5).max(0.0))
                .collect(),
            false => Vec::new(),
        },
        loads: problem
            .contacts
            .iter()
            .map(|_| small(1.0).max(0.0))
            .collect(),
        sizes: problem
            .contacts
            .iter()
            .map(|_| small(1.0).max(0.0).mul_add(9.0, 1.0))
            .collect(),
        ..problem
    }
}

/// Memory makes the law of gaps jump where a gap shuts, and a substep shuts gaps to rounding: there only
/// the first substep can be compared.
fn plan(method: Method, substeps: u32, warm_start: bool) -> SubstepPlan {
    let options = Options {
        method,
        iterations: 6,
        warm_start,
        ..Options::default()
    };
    SubstepPlan {
        substeps,
        time_step: STEP,
        gap_law: GapLaw {
            rate: 3.0,
            memory: if substeps == 1 { 0.1 } else { 0.0 },
            max_push: 1e-3,
            softness: SOFTNESS,
            held: 1e-3,
            held_load: 5e-3,
            load_time: 0.0,
            slop: 1e-5,
            spared: 2e-4,
            touching: 1e-4,
        },
        restitution_threshold: 0.1,
        calm_change: 0.0,
        velocity: options,
        position: Some(PositionPlan {
            options,
            max_correction: 1e-3,
            max_turn: 0.02,
        }),
    }
}

/// Largest difference of two arrays, over the largest number in them.
fn difference(a: impl Iterator<Item = f32>, b: impl Iterator<Item = f32>) -> f32 {
    let (mut largest, mut apart) = (f32::MIN_POSITIVE, 0.0_f32);
    for (a, b) in a.zip(b) {
        largest = largest.max(a.abs()).max(b.abs());
        apart = apart.max((a - b).abs());
    }
    apart / largest
}

fn compare(
    (a, report_a): (&Solution, &SubstepReport),
    (b, report_b): (&Solution, &SubstepReport),
) -> f32 {
    assert_eq!(a.changes.len(), b.changes.len());
    assert_eq!(a.impulses.len(), b.impulses.len());
    assert_eq!(a.total_impulses.len(), b.total_impulses.len());
    assert_eq!(report_a.velocity.status, report_b.velocity.status);
    assert_eq!(report_a.velocity.iterations, report_b.velocity.iterations);
    let residuals = |report: &SubstepReport| {
        let position = report.position.unwrap_or_default();
        // Without a tolerance the worst of all substeps is nobody's to know.
        [report.velocity.residual_rms, position.residual_rms]
    };
    for (a, b) in residuals(report_a).into_iter().zip(residuals(report_b)) {
        assert!((a - b).abs() <= 1e-3 * a + 1e-7, "residual {a} against {b}");
    }
    let changes = |s: &Solution| {
        let all = s.changes.clone();
        all.into_iter()
            .flat_map(|v| v.linear.into_iter().chain(v.angular))
    };
    let moved = |s: &Solution| {
        let all = s.displacements.clone();
        all.into_iter()
            .flat_map(|v| v.linear.into_iter().chain(v.angular))
    };
    let last = |s: &Solution| s.impulses.clone().into_iter().flatten();
    let totals = |s: &Solution| s.total_impulses.clone().into_iter().flatten();
    [
        difference(changes(a), changes(b)),
        difference(moved(a), moved(b)),
        difference(last(a), last(b)),
        difference(totals(a), totals(b)),
    ]
    .into_iter()
    .fold(0.0, f32::max)
}

#[test]
fn native_steps_agree_with_one_solve_after_the_other() {
    let recipes = [
        Recipe {
            points: 1,
            ..Recipe::default()
        },
        Recipe {
            hub_pairs: 60,
            cone: FrictionCone::Pyramid { directions: 6 },
            ..Recipe::default()
        },
    ];
    for (seed, recipe) in recipes.iter().enumerate() {
        for method in Method::ALL {
            // Where a body's mass is split its contacts have a response that only the packed problem knows.
            let is_split = recipe.hub_pairs > 0 || method.max_colors() == 0;
            let softness = if is_split { 0.0 } else { SOFTNESS };
            // So has a bounce, which is none if the last impulse took back as much.
            for (restitution, warm_start) in [(false, true), (true, true), (true, false)] {
                if is_split && restitution && warm_start {
                    continue;
                }
                let mut problem = problem(recipe, restitution, seed as u64);
                problem.contact_softness = softness;
                for substeps in [1, 3] {
                    let mut plan = plan(method, substeps, warm_start);
                    plan.gap_law.softness = softness;
                    let mut solver = CpuSolver::new();
                    let mut wanted = Solution::default();
                    let mut found = Solution::default();
                    let reference = in_substeps(&mut solver, &problem, &plan, &mut wanted).unwrap();
                    let report = solver.step(&problem, &plan.into(), &mut found).unwrap();
                    assert_eq!(report.velocity.status, Status::MaxIterations);
                    let apart = compare((&wanted, &reference), (&found, &report));
                    println!("{method:?} {restitution} {warm_start} {substeps}: {apart}");
                    assert!(
                        apart <= BOUND,
                        "{method:?}, restitution {restitution}, warm {warm_start}, {substeps} \
                         substeps: {apart}"
                    );
                    assert!(wanted.displacements.iter().any(|d| d.linear != [0.0; 3]));
                }
            }
        }
    }
}

#[test]
fn widths_threads_and_old_memory_change_no_bit() {
    let recipe = Recipe {
        movable: 400,
        pairs: 1_500,
        ..Recipe::default()
    };
    let problem_1 = problem(&recipe, true, 3);
    let problem_2 = problem(&Recipe::default(), false, 4);
    let plan = plan(Method::GaussSeidel, 2, true);
    let solve = |solver: &mut CpuSolver| {
        let mut solution = Solution::default();
        solver
            .step(&problem_1, &plan.into(), &mut solution)
            .unwrap();
        (
            solution.changes,
            solution.displacements,
            solution.impulses,
            solution.total_impulses,
        )
    };
    let wanted = solve(&mut CpuSolver::with_width(Width::Portable));
    for width in Width::ALL {
        let mut solver = CpuSolver::with_width(width);
        let mut other = Solution::default();
        solver.step(&problem_2, &plan.into(), &mut other).unwrap();
        assert!(solve(&mut solver) == wanted, "{width:?} differs");
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let found = pool.install(|| solve(&mut CpuSolver::new()));
        assert!(found == wanted, "{threads} threads differ");
    }
}

#[test]
fn a_calm_change_is_a_number() {
    for calm_change in [-1.0, f32::NAN, f32::INFINITY] {
        let plan = SubstepPlan {
            calm_change,
            ..plan(Method::GaussSeidel, 2, true)
        };
        let problem = Problem {
            calm_change,
            ..problem(&Recipe::default(), false, 4)
        };
        assert!(plan.validate().is_err());
        assert!(problem.as_problem().validate().is_err());
    }
}
