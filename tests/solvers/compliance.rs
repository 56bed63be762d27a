//! Contacts that are springs, in every solver, law and plan that has them, and refused where there are none.

use crate::support::problems::{Recipe, generator, random_problem};
use drystone::problem::{Body, Contact, FrictionCone, FrictionLaw, Problem, Velocity};
use drystone::solver::cpu::{CpuSolver, Width};
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::reference::{LemkeSolver, judge};
use drystone::solver::substeps::{PositionPlan, SubstepPlan};
use drystone::solver::{Method, Options, Plan, Solution, Solver};
use rand::RngExt;

const GRAVITY: f64 = 9.81;

/// Contacts at random, a third of them rigid, the others of some times their own response.
fn compliant(recipe: &Recipe, seed: u64) -> Problem {
    let mut problem = random_problem(recipe, seed);
    let random = &mut generator(seed + 1000);
    let compliances = problem.contacts.iter().map(|_| {
        let size: f32 = random.random_range(-1.0..2.0);
        size.max(0.0)
    });
    problem.compliances = compliances.collect();
    problem
}

fn answer(solver: &mut dyn Solver, problem: &Problem, options: &Options) -> Solution {
    let mut solution = Solution::default();
    solver.solve(problem, options, &mut solution).unwrap();
    solution
}

/// The residual that a solver reports of few sweeps is that of the referee, whose law is Coulomb's.
fn residual_is_judged(solver: &mut dyn Solver, problem: &Problem, options: &Options) {
    let mut solution = Solution::default();
    let few = Options {
        iterations: 4,
        tolerance: 0.0,
        ..*options
    };
    let report = solver.solve(problem, &few, &mut solution).unwrap();
    let verdict = judge(problem, &solution.impulses, &[]).unwrap();
    let [own, judged] = [f64::from(report.residual_rms), verdict.residual_rms];
    assert!(judged > 1e-4, "{judged}");
    assert!(
        (own - judged).abs() <= 1e-3 * judged,
        "{:?}: {own} against {judged}",
        options.method
    );
}

fn largest_difference(a: &Solution, b: &Solution) -> f32 {
    let numbers = |solution: &Solution| {
        let changes = solution.changes.iter();
        let numbers = changes.flat_map(|change| change.linear.into_iter().chain(change.angular));
        numbers.collect::<Vec<f32>>()
    };
    let pairs = numbers(a).into_iter().zip(numbers(b));
    pairs.fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn all_methods_and_laws_find_the_referees_answer() {
    let pyramid = FrictionCone::Pyramid { directions: 8 };
    let (disk, frictionless) = (FrictionCone::Disk, 0.0);
    for (cone, law, friction) in [
        (disk, FrictionLaw::Coulomb, 0.3),
        (disk, FrictionLaw::Convex, 0.3),
        (pyramid, FrictionLaw::Coulomb, 0.3),
        (disk, FrictionLaw::Coulomb, frictionless),
    ] {
        // More pairs than there are colours, the rest of which are split: slow, with more rounding.
        for (softness, hub_pairs, bound) in [(0.0, 0, 5e-5), (0.3, 0, 5e-5), (0.3, 66, 5e-4)] {
            let recipe = Recipe {
                movable: 40,
                pairs: 60,
                points: 2,
                hub_pairs,
                cone,
                friction,
                ..Recipe::default()
            };
            let mut problem = compliant(&recipe, 7);
            problem.friction_law = law;
            problem.contact_softness = softness;
            if hub_pairs > 0 {
                // Rigid rows converge too slowly there.
                for (compliance, contact) in problem.compliances.iter_mut().zip(&problem.contacts) {
                    let [a, b] =
                        [contact.body_a, contact.body_b].map(|b| &problem.bodies[b as usize]);
                    *compliance = compliance.max(softness * contact.response(a, b) as f32);
                }
            }
            let cold = Options {
                warm_start: false,
                iterations: 4000,
                ..Options::default()
            };
            let expected = answer(&mut NsgsSolver::new(), &problem, &cold);
            let stiff = Problem {
                compliances: Vec::new(),
                ..problem.clone()
            };
            let other = answer(&mut NsgsSolver::new(), &stiff, &cold);
            assert!(largest_difference(&expected, &other) > 0.05);
            for method in Method::ALL {
                // Sweeps without an end add up their rounding.
                let options = Options {
                    method,
                    tolerance: 5e-6,
                    ..cold
                };
                let found = answer(&mut CpuSolver::new(), &problem, &options);
                let apart = largest_difference(&expected, &found);
                if law == FrictionLaw::Coulomb {
                    residual_is_judged(&mut CpuSolver::new(), &problem, &options);
                }
                let what = format!("{cone:?} {law:?} {friction} {softness} {method:?}");
                assert!(apart < bound, "{what}: {apart}");
            }
        }
    }
}

#[test]
fn pivoting_finds_the_same() {
    let recipe = Recipe {
        movable: 6,
        pairs: 8,
        points: 2,
        cone: FrictionCone::Pyramid { directions: 4 },
        friction: 0.3,
        ..Recipe::default()
    };
    let problem = compliant(&recipe, 3);
    let options = Options {
        iterations: 6000,
        ..Options::default()
    };
    let pivoted = answer(&mut LemkeSolver::new(), &problem, &options);
    let swept = answer(&mut CpuSolver::new(), &problem, &options);
    let apart = largest_difference(&pivoted, &swept);
    assert!(apart < 1e-4, "{apart}");
}

/// Widths of vectors, and what a compliance of zero does, which is nothing: the same bits.
#[test]
fn lanes_have_the_same_bits() {
    let recipe = Recipe::default();
    for law in FrictionLaw::ALL {
        let mut problem = compliant(&recipe, 11);
        problem.friction_law = law;
        problem
            .contacts
            .iter_mut()
            .step_by(5)
            .for_each(|contact| contact.friction = 0.0);
        let options = Options::default();
        let solve = |width: Width, problem: &Problem| {
            let mut solution = Solution::default();
            CpuSolver::with_width(width)
                .solve(problem, &options, &mut solution)
                .unwrap();
            solution
        };
        let expected = solve(Width::Portable, &problem);
        for width in Width::ALL {
            assert_eq!(solve(width, &problem), expected, "{width:?}");
        }
        problem.compliances.fill(0.0);
        let none = Problem {
            compliances: Vec::new(),
            ..problem.clone()
        };
        assert_eq!(
            solve(Width::Portable, &problem),
            solve(Width::Portable, &none)
        );
    }
}

/// A tower of equal balls on the ground, the contacts of which are springs.
struct Tower {
    mass: f64,
    compliance: f64,
    heights: Vec<f64>,
    speeds: Vec<f64>,
}

impl Tower {
    fn new(count: usize, mass: f64, compliance: f64) -> Self {
        Self {
            mass,
            compliance,
            heights: (0..count).map(|ball| 0.5 + ball as f64).collect(),
            speeds: vec![0.0; count],
        }
    }

    fn problem(&self, h: f64) -> Problem {
        let inverse = (1.0 / self.mass) as f32;
        let turn = inverse / 0.1;
        let ball = |&speed: &f64| {
            Body::dynamic(
                inverse,
                [turn, 0.0, 0.0, turn, 0.0, turn],
                [0.0, 0.0, speed as f32],
                [0.0; 3],
            )
        };
        let ground = Body::immovable([0.0; 3], [0.0; 3]);
        let count = self.heights.len();
        let mut increments = vec![Velocity::default(); count + 1];
        for increment in &mut increments[..count] {
            increment.linear[2] = -(GRAVITY * h) as f32;
        }
        let below = |ball: usize| {
            if ball == 0 {
                -0.5
            } else {
                self.heights[ball - 1]
            }
        };
        Problem {
            bodies: self.speeds.iter().map(ball).chain([ground]).collect(),
            contacts: (0..count)
                .map(|ball| {
                    let other = if ball == 0 { count } else { ball - 1 };
                    let arms = [[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]];
                    Contact::from_b_to_a([ball as u32, other as u32], arms, [0.0, 0.0, 1.0], 0.5)
                })
                .collect(),
            gaps: (0..count)
                .map(|ball| (self.heights[ball] - below(ball) - 1.0) as f32)
                .collect(),
            increments,
            compliances: vec![self.compliance as f32; count],
            ..Problem::default()
        }
    }

    /// Depth of each contact after a time.
    fn rest(mut self, solver: &mut dyn Solver, plan: &SubstepPlan, law: FrictionLaw) -> Vec<f64> {
        let h = f64::from(plan.time_step);
        let plan = Plan::from(*plan);
        let mut solution = Solution::default();
        let mut impulses = vec![[0.0; 3]; self.heights.len()];
        for _ in 0..(30.0 / h) as usize {
            let mut problem = self.problem(h);
            problem.friction_law = law;
            for (contact, impulse) in problem.contacts.iter_mut().zip(&impulses) {
                contact.impulse = *impulse;
            }
            solver.step(&problem, &plan, &mut solution).unwrap();
            impulses.clone_from(&solution.impulses);
            for ball in 0..self.heights.len() {
                let motion = plan.motion(h, &problem, &solution, ball).unwrap();
                self.heights[ball] += f64::from(motion.displacement.linear[2]);
                self.speeds[ball] += f64::from(motion.velocity.linear[2]) - self.speeds[ball];
            }
        }
        let gaps = self.problem(h).gaps;
        gaps.iter().map(|&gap| -f64::from(gap)).collect()
    }
}

/// The sag of a spring, m g c, whatever the mass, the step and its parts, the law and the backend.
#[test]
fn what_rests_sags_by_its_weight_times_the_compliance() {
    let law = FrictionLaw::Coulomb;
    let mut cpu = CpuSolver::new();
    for (mass, sag) in [(1.0, 0.02), (0.001, 0.005), (1e4, 0.05)] {
        let compliance = sag / (mass * GRAVITY);
        for (h, substeps) in [
            (1.0 / 60.0, 16),
            (1.0 / 60.0, 4),
            (1.0 / 30.0, 32),
            (1.0 / 240.0, 1),
        ] {
            let plan = SubstepPlan::recommended_in(substeps, h, 0.5, GRAVITY);
            let tower = Tower::new(3, mass, compliance);
            let depths = tower.rest(&mut cpu, &plan, law);
            for (carried, depth) in (1..=3).rev().zip(&depths) {
                let expected = sag * f64::from(carried);
                assert!(
                    (depth - expected).abs() < 0.01 * expected,
                    "{mass} kg, {substeps} parts of {h} s: {depths:?}, {expected}"
                );
            }
        }
    }
    // A rigid law of gaps that takes back what there is has springs too.
    let mut plan = SubstepPlan::recommended_in(4, 1.0 / 60.0, 0.5, GRAVITY);
    plan.gap_law.softness = 0.0;
    let other: [(&mut dyn Solver, FrictionLaw); 2] = [
        (&mut NsgsSolver::new(), law),
        (&mut cpu, FrictionLaw::Convex),
    ];
    for (solver, law) in other {
        let depths = Tower::new(1, 1.0, 0.02 / GRAVITY).rest(solver, &plan, law);
        assert!((depths[0] - 0.02).abs() < 2e-4, "{depths:?}");
    }
    // A compliance below what the plan gives way by changes little.
    let plan = SubstepPlan::recommended(1.0 / 60.0, 0.5, GRAVITY);
    let [hard, harder] =
        [1e-9, 0.0].map(|compliance| Tower::new(2, 1.0, compliance).rest(&mut cpu, &plan, law)[0]);
    assert!((hard - harder).abs() < 1e-6, "{hard} {harder}");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let h = 1.0 / 60.0;
    let plan = SubstepPlan::recommended(h, 0.5, GRAVITY);
    let refused = |plan: &SubstepPlan, compliances: Vec<f32>, said: &str| {
        let mut problem = Tower::new(2, 1.0, 1e-3).problem(h);
        problem.compliances = compliances;
        let mut solution = Solution::default();
        for plan in [Plan::from(*plan), Plan::Once(Options::default())] {
            let solved = CpuSolver::new().step(&problem, &plan, &mut solution);
            if said.contains("plan") && plan.substeps().is_none() {
                solved.unwrap();
                continue;
            }
            let error = solved.unwrap_err().to_string();
            assert!(error.contains(said), "{said}: {error}");
        }
    };
    refused(&plan, vec![1e-3], "compliances: 1 given; 2 expected");
    refused(
        &plan,
        vec![1e-3, -1.0],
        "compliance of contact 1: -1 is not",
    );
    refused(
        &plan,
        vec![f32::NAN, 1.0],
        "compliance of contact 0: NaN is not",
    );
    let mut without = plan;
    without.gap_law.rate = 0.0;
    refused(
        &without,
        vec![1e-3; 2],
        "the plan takes no penetration back",
    );
    let mut corrected = plan;
    corrected.position = Some(PositionPlan {
        options: Options::default(),
        max_correction: 0.01,
        max_turn: 0.1,
    });
    refused(&corrected, vec![1e-3; 2], "the plan's position problems");
}
