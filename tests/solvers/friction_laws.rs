//! Coulomb's law and the convex one: closed forms of one contact, the residual of the law chosen, the
//! referee's answer, and what either law refuses.

use crate::support::backends;
use crate::support::problems::{Recipe, random_problem};
use drystone::Error;
use drystone::problem::{Body, Contact, FrictionCone, FrictionLaw, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::{LocalRule, NsgsSolver};
use drystone::solver::{Method, Options, Report, Solution, Solver, Status};
use std::path::Path;

const MU: f32 = 0.5;

/// A body of 2 kg over fixed ground, touching it below its centre of mass, so that nothing turns it.
fn slider(velocity: [f32; 3], friction_law: FrictionLaw) -> Problem {
    Problem {
        bodies: vec![
            Body::immovable([0.0; 3], [0.0; 3]),
            Body::dynamic(0.5, [0.0; 6], velocity, [0.0; 3]),
        ],
        contacts: vec![Contact {
            body_a: 1,
            body_b: 0,
            arm_a: [0.0, 0.0, -1.0],
            arm_b: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            bias: 0.0,
            friction: MU,
            impulse: [0.0; 3],
        }],
        friction_law,
        ..Problem::default()
    }
}

/// Every solver, by name.
fn solvers() -> Vec<(String, Box<dyn Solver>, Method)> {
    let swept = backends::solvers().into_iter();
    let named = |backend: &str, method: Method| format!("{backend} {}", method.name());
    let mut all: Vec<(String, Box<dyn Solver>, Method)> = swept
        .map(|(backend, solver, method)| (named(backend, method), solver, method))
        .collect();
    all.push((
        "nsgs".into(),
        Box::new(NsgsSolver::new()),
        Method::GaussSeidel,
    ));
    all
}

fn solve(
    solver: &mut dyn Solver,
    problem: &Problem,
    method: Method,
    iterations: u32,
) -> (Solution, Report) {
    let options = Options {
        method,
        iterations,
        warm_start: false,
        ..Options::default()
    };
    let mut solution = Solution::default();
    let report = solver.solve(problem, &options, &mut solution).unwrap();
    (solution, report)
}

fn assert_near(name: &str, found: [f32; 3], expected: [f32; 3]) {
    for axis in 0..3 {
        let error = (found[axis] - expected[axis]).abs();
        assert!(error < 2e-6, "{name}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn a_sliding_contact_opens_by_the_convex_law_only() {
    // u_n = mu u_t: with v = (3, 0, -2), n - 2 = mu (3 - mu n) per mass.
    let n = (2.0 + 3.0 * MU) / (1.0 + MU * MU);
    let slip = 3.0 - MU * n;
    for (name, mut solver, method) in solvers() {
        let problem = slider([3.0, 0.0, -2.0], FrictionLaw::Convex);
        let (solution, report) = solve(&mut *solver, &problem, method, 60);
        assert_near(&name, solution.velocities[1].linear, [slip, 0.0, MU * slip]);
        assert!((solution.impulses[0][0] - 2.0 * n).abs() < 1e-5, "{name}");
        assert!(report.residual_max < 1e-6, "{name}: {report:?}");

        let problem = slider([3.0, 0.0, -2.0], FrictionLaw::Coulomb);
        let (solution, _) = solve(&mut *solver, &problem, method, 60);
        let expected = [3.0 - MU * 2.0, 0.0, 0.0];
        assert_near(&name, solution.velocities[1].linear, expected);
    }
}

#[test]
fn where_a_contact_sticks_or_leaves_the_laws_agree() {
    for law in FrictionLaw::ALL {
        for (name, mut solver, method) in solvers() {
            let name = format!("{name} {}", law.name());
            let stuck = slider([0.6, -0.7, -2.0], law);
            let (solution, report) = solve(&mut *solver, &stuck, method, 60);
            assert_near(&name, solution.velocities[1].linear, [0.0; 3]);
            assert!(report.residual_max < 1e-6, "{name}: {report:?}");

            // Faster apart than mu times the slip: outside of both laws' reach.
            let leaving = slider([1.0, 0.0, 2.0], law);
            let (solution, report) = solve(&mut *solver, &leaving, method, 60);
            assert_near(&name, solution.velocities[1].linear, [1.0, 0.0, 2.0]);
            assert_eq!(solution.impulses[0], [0.0; 3], "{name}");
            assert_eq!(report.residual_max, 0.0, "{name}");
        }
    }
}

/// Random bodies at random places, of which many slide.
fn crowd(friction_law: FrictionLaw, seed: u64) -> Problem {
    let recipe = Recipe {
        movable: 40,
        pairs: 70,
        points: 3,
        ..Recipe::default()
    };
    Problem {
        friction_law,
        ..random_problem(&recipe, seed)
    }
}

#[test]
fn every_method_finds_what_the_referee_finds_by_the_convex_law() {
    let problem = crowd(FrictionLaw::Convex, 11);
    let (expected, referee) = solve(
        &mut NsgsSolver::new(),
        &problem,
        Method::GaussSeidel,
        20_000,
    );
    assert_eq!(referee.status, Status::Converged, "{referee:?}");
    let mut by_other_rule = NsgsSolver::new();
    by_other_rule.local = LocalRule::Cone { iterations: 3 };
    let (other, _) = solve(&mut by_other_rule, &problem, Method::GaussSeidel, 20_000);
    let far = |a: &Solution, b: &Solution| {
        let pairs = a.velocities.iter().zip(&b.velocities);
        pairs
            .flat_map(|(a, b)| (0..3).map(move |k| (a.linear[k] - b.linear[k]).abs()))
            .fold(0.0_f32, f32::max)
    };
    assert!(far(&other, &expected) < 1e-5);
    for method in Method::ALL {
        let sweeps = if method == Method::Jacobi {
            20_000
        } else {
            3_000
        };
        let (solution, report) = solve(&mut CpuSolver::new(), &problem, method, sweeps);
        assert!(report.residual_rms < 2e-5, "{method:?}: {report:?}");
        let error = far(&solution, &expected);
        assert!(error < 2e-4, "{method:?}: {error}");
    }
    // It is another answer than Coulomb's.
    let coulomb = crowd(FrictionLaw::Coulomb, 11);
    let (otherwise, _) = solve(
        &mut NsgsSolver::new(),
        &coulomb,
        Method::GaussSeidel,
        20_000,
    );
    assert!(far(&otherwise, &expected) > 0.1);
}

#[test]
fn impulses_of_the_convex_law_lie_in_their_cones() {
    let problem = crowd(FrictionLaw::Convex, 5);
    for method in Method::ALL {
        for iterations in [1, 7] {
            let (solution, _) = solve(&mut CpuSolver::new(), &problem, method, iterations);
            for [n, t1, t2] in &solution.impulses {
                assert!(*n >= 0.0 && t1.hypot(*t2) <= 0.5 * n * (1.0 + 1e-5) + 1e-7);
            }
        }
    }
}

/// Velocity that gravity adds in a step `[m/s]`.
const GH: f32 = 9.81 / 60.0;

/// Cubes of 1 m and 1 kg on each other, falling for one step, the upper half pushed sideways.
fn tower(height: u32, friction_law: FrictionLaw) -> Problem {
    let mut bodies = vec![Body::immovable([0.0; 3], [0.0; 3])];
    let mut contacts = Vec::new();
    for level in 1..=height {
        let push = if 2 * level > height { 3.0 * GH } else { 0.0 };
        bodies.push(Body::dynamic(
            1.0,
            [6.0, 0.0, 0.0, 6.0, 0.0, 6.0],
            [push, 0.0, -GH],
            [0.0; 3],
        ));
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            contacts.push(Contact {
                body_a: level,
                body_b: level - 1,
                arm_a: [x, y, -0.5],
                arm_b: if level == 1 { [x, y, 0.0] } else { [x, y, 0.5] },
                normal: [0.0, 0.0, 1.0],
                bias: 0.0,
                friction: MU,
                impulse: [0.0; 3],
            });
        }
    }
    Problem {
        bodies,
        contacts,
        friction_law,
        ..Problem::default()
    }
}

#[test]
fn momentum_takes_a_third_of_the_passes_by_either_law() {
    for law in FrictionLaw::ALL {
        let problem = tower(16, law);
        let passes = |method: Method| {
            let options = Options {
                method,
                iterations: 20_000,
                tolerance: 1e-2 * GH,
                check_every: 1,
                warm_start: false,
                ..Options::default()
            };
            let mut solution = Solution::default();
            let report = CpuSolver::new()
                .solve(&problem, &options, &mut solution)
                .unwrap();
            assert_eq!(report.status, Status::Converged, "{method:?}: {report:?}");
            report.iterations
        };
        let plain = passes(Method::GaussSeidel);
        let nesterov = passes(Method::Nesterov);
        assert!(3 * nesterov <= plain, "{law:?}: {nesterov} of {plain}");
    }
}

#[test]
fn the_convex_law_refuses_a_pyramid() {
    let mut problem = slider([0.0; 3], FrictionLaw::Convex);
    problem.friction_cone = FrictionCone::Pyramid { directions: 4 };
    for (name, mut solver, method) in solvers() {
        let options = Options {
            method,
            ..Options::default()
        };
        let error = solver
            .solve(&problem, &options, &mut Solution::default())
            .unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{name}: {error}");
        assert!(error.to_string().contains("pyramid"), "{name}: {error}");
    }
}

#[test]
fn a_scene_names_its_law() {
    let scene = |lines: &str| {
        let text = format!(
            "name = \"s\"\n[simulation]\ndt = 0.01\nsteps = 1\n[solver]\n{lines}\n[[body]]\nname = \"a\"\n\
             shape = {{ type = \"sphere\", radius = 1.0 }}\ndensity = 1.0\n"
        );
        Scene::parse(Path::new("s.toml"), &text, &Overrides::default())
    };
    let law = |lines: &str| scene(lines).unwrap().settings.friction_law;
    assert_eq!(law(""), FrictionLaw::Coulomb);
    assert_eq!(law("friction_law = \"coulomb\""), FrictionLaw::Coulomb);
    assert_eq!(law("friction_law = \"convex\""), FrictionLaw::Convex);
    let error = scene("friction_law = \"convex\"\nfriction = { pyramid = 8 }").unwrap_err();
    assert!(error.to_string().contains("pyramid"), "{error}");
}
