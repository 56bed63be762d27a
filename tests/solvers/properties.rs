//! One conformance suite over every solver of every backend: the properties that any answer must
//! have, and the closed forms of small problems.

use crate::support::backends::solvers;
use crate::support::problems::{Recipe, as_position_problem, random_problem};
use drystone::internals::math;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, Contact, FrictionCone, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver, Status};

fn solve(
    solver: &mut dyn Solver,
    problem: &Problem,
    method: Method,
    iterations: u32,
) -> (Solution, Report) {
    let mut solution = Solution::default();
    let options = Options {
        method,
        iterations,
        ..Options::default()
    };
    let report = solver.solve(problem, &options, &mut solution).unwrap();
    assert_eq!(solution.velocities.len(), problem.bodies.len());
    assert_eq!(solution.impulses.len(), problem.contacts.len());
    (solution, report)
}

/// Sum of linear momenta of the movable bodies, and of angular momenta about the origin were every
/// contact point shared; f64.
fn linear_momentum(problem: &Problem, velocity: impl Fn(usize) -> [f32; 3]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (index, body) in problem
        .bodies
        .iter()
        .enumerate()
        .filter(|(_, b)| b.is_movable())
    {
        for (total, v) in sum.iter_mut().zip(velocity(index)) {
            *total += f64::from(v) / f64::from(body.inverse_mass);
        }
    }
    sum
}

#[test]
fn impulses_lie_in_their_cones() {
    for (cone, directions) in [
        (FrictionCone::Disk, 0),
        (FrictionCone::Pyramid { directions: 4 }, 4),
        (FrictionCone::Pyramid { directions: 8 }, 8),
    ] {
        let recipe = Recipe {
            cone,
            hub_pairs: 100,
            friction: 0.7,
            ..Recipe::default()
        };
        let problem = random_problem(&recipe, 3);
        for (name, mut solver, method) in solvers() {
            let (solution, _) = solve(&mut *solver, &problem, method, 20);
            for (contact, &[n, t1, t2]) in problem.contacts.iter().zip(&solution.impulses) {
                assert!(n >= 0.0, "{name} {method:?}: {n}");
                let bound = contact.friction * n * (1.0 + 1e-5);
                let reach = match directions {
                    0 => t1.hypot(t2),
                    // Distance to the farthest edge line, over the apothem.
                    k => (0..k)
                        .map(|edge| {
                            let half = std::f32::consts::PI / k as f32;
                            let angle = half * (2 * edge + 1) as f32;
                            (t1 * angle.cos() + t2 * angle.sin()) / half.cos()
                        })
                        .fold(0.0, f32::max),
                };
                assert!(
                    reach <= bound + 1e-7,
                    "{name} {method:?}: {reach} > {bound}"
                );
            }
        }
    }
}

#[test]
fn momentum_is_conserved_without_immovable_bodies() {
    let recipe = Recipe {
        immovable: 0,
        hub_pairs: 150,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, 4);
    for contact in &mut problem.contacts {
        contact.impulse = [0.0; 3];
    }
    let before = linear_momentum(&problem, |body| problem.bodies[body].linear_velocity);
    for (name, mut solver, method) in solvers() {
        let (solution, _) = solve(&mut *solver, &problem, method, 30);
        let after = linear_momentum(&problem, |body| solution.velocities[body].linear);
        let exchanged: f64 = solution.impulses.iter().map(|r| f64::from(r[0])).sum();
        for axis in 0..3 {
            let error = (after[axis] - before[axis]).abs();
            assert!(
                error <= 1e-5 * exchanged,
                "{name} {method:?}: {error} of {exchanged}"
            );
        }
    }
}

#[test]
fn velocities_are_those_of_the_impulses() {
    // V = V0 + M^-1 J^T r, recomputed in f64: nothing is lost between impulses and velocities.
    let recipe = Recipe {
        hub_pairs: 150,
        ..Recipe::default()
    };
    let problem = random_problem(&recipe, 5);
    for (name, mut solver, method) in solvers() {
        let (solution, _) = solve(&mut *solver, &problem, method, 30);
        let mut expected: Vec<[Vec3; 2]> = problem
            .bodies
            .iter()
            .map(|b| {
                [
                    math::widen(b.linear_velocity),
                    math::widen(b.angular_velocity),
                ]
            })
            .collect();
        for (contact, impulse) in problem.contacts.iter().zip(&solution.impulses) {
            let (t1, t2) = math::tangents(contact.normal);
            let total = math::widen(contact.normal) * f64::from(impulse[0])
                + math::widen(t1) * f64::from(impulse[1])
                + math::widen(t2) * f64::from(impulse[2]);
            for (body, arm, total) in [
                (contact.body_a as usize, contact.arm_a, total),
                (contact.body_b as usize, contact.arm_b, -total),
            ] {
                let b = &problem.bodies[body];
                let [xx, xy, xz, yy, yz, zz] = b.inverse_inertia.map(f64::from);
                let inverse = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                expected[body][0] += total * f64::from(b.inverse_mass);
                expected[body][1] += inverse * math::widen(arm).cross(&total);
            }
        }
        let scale = expected.iter().map(|[v, _]| v.norm()).fold(1.0, f64::max);
        for (body, velocity) in solution.velocities.iter().enumerate() {
            let error = (math::widen(velocity.linear) - expected[body][0]).norm()
                + (math::widen(velocity.angular) - expected[body][1]).norm();
            assert!(
                error <= 2e-4 * scale,
                "{name} {method:?}: body {body} off by {error}"
            );
        }
    }
}

#[test]
fn residual_falls_to_the_floor_of_f32() {
    // Few contacts per body: a problem with a well-conditioned solution.
    let recipe = Recipe {
        movable: 60,
        pairs: 60,
        points: 1,
        ..Recipe::default()
    };
    for seed in 0..2 {
        let velocity = random_problem(&recipe, seed);
        for problem in [as_position_problem(&velocity), velocity] {
            for (name, mut solver, method) in solvers() {
                let (_, report) = solve(&mut *solver, &problem, method, 1_000);
                let scale = problem
                    .contacts
                    .iter()
                    .fold(1e-3_f32, |s, c| s.max(c.bias.abs()));
                assert!(
                    report.residual_max <= 2e-4 * scale.max(0.02),
                    "{name} {method:?} seed {seed}: {report:?}"
                );
            }
        }
    }
}

/// A unit cube of 1 kg at rest on the ground, `v` its velocity with gravity's share already in it.
fn cube_on_ground(v: [f32; 3], friction: f32) -> Problem {
    let contacts = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5_f32]]
        .map(|[x, y]| Contact {
            body_a: 0,
            body_b: 1,
            arm_a: [x, y, -0.5],
            arm_b: [x, y, 0.0],
            normal: [0.0, 0.0, 1.0],
            bias: 0.0,
            friction,
            impulse: [0.0; 3],
        })
        .to_vec();
    Problem {
        bodies: vec![
            Body::dynamic(1.0, [6.0, 0.0, 0.0, 6.0, 0.0, 6.0], v, [0.0; 3]),
            Body::immovable([0.0; 3], [0.0; 3]),
        ],
        contacts,
        friction_cone: FrictionCone::Disk,
        ..Problem::default()
    }
}

#[test]
fn a_cube_at_rest_is_carried() {
    let gh = 9.81 / 60.0;
    let problem = cube_on_ground([0.0, 0.0, -gh], 0.5);
    for (name, mut solver, method) in solvers() {
        let (solution, report) = solve(&mut *solver, &problem, method, 200);
        let carried: f32 = solution.impulses.iter().map(|r| r[0]).sum();
        assert!(
            (carried - gh).abs() < 1e-4 * gh,
            "{name} {method:?}: {carried}"
        );
        assert!(
            report.residual_max < 1e-4 * gh,
            "{name} {method:?}: {report:?}"
        );
    }
}

#[test]
fn friction_slows_a_sliding_cube_by_mu_times_its_weight() {
    let gh = 9.81 / 60.0;
    let problem = cube_on_ground([2.0, 0.0, -gh], 0.3);
    for (name, mut solver, method) in solvers() {
        let (solution, _) = solve(&mut *solver, &problem, method, 400);
        let [x, y, _] = solution.velocities[0].linear;
        assert!(
            (x - (2.0 - 0.3 * gh)).abs() < 1e-4,
            "{name} {method:?}: {x}"
        );
        assert!(y.abs() < 1e-4, "{name} {method:?}: {y}");
    }
}

#[test]
fn a_velocity_common_to_all_bodies_changes_no_bit_of_the_impulses() {
    let recipe = Recipe {
        hub_pairs: 100,
        ..Recipe::default()
    };
    let mut slow = random_problem(&recipe, 6);
    for body in &mut slow.bodies {
        // So few digits that adding the common velocity rounds none away.
        body.linear_velocity = body.linear_velocity.map(|x| (x * 256.0).round() / 256.0);
    }
    let mut fast = slow.clone();
    let common = [4096.0, -1024.0, 2048.0];
    for body in &mut fast.bodies {
        body.linear_velocity = math::add(body.linear_velocity, common);
    }
    for (name, mut solver, method) in solvers() {
        let (at_rest, _) = solve(&mut *solver, &slow, method, 30);
        let (moving, _) = solve(&mut *solver, &fast, method, 30);
        assert_eq!(at_rest.impulses, moving.impulses, "{name} {method:?}");
        assert_eq!(at_rest.changes, moving.changes, "{name} {method:?}");
        for (body, velocity) in moving.velocities.iter().enumerate() {
            let free = fast.bodies[body].linear_velocity;
            let sum = math::add(free, moving.changes[body].linear);
            assert_eq!(velocity.linear, sum, "{name} {method:?}: body {body}");
        }
    }
}

#[test]
fn tolerance_stops_early_and_says_so() {
    let problem = cube_on_ground([0.0, 0.0, -0.16], 0.5);
    for (name, mut solver, method) in solvers() {
        let options = Options {
            method,
            iterations: 500,
            tolerance: 1e-4,
            check_every: 5,
            warm_start: false,
            ..Options::default()
        };
        let mut solution = Solution::default();
        let report = solver.solve(&problem, &options, &mut solution).unwrap();
        assert_eq!(report.status, Status::Converged, "{name} {method:?}");
        assert!(report.iterations < 500 && report.iterations.is_multiple_of(5));
        assert!(report.residual_rms <= 1e-4);
    }
}

#[test]
fn warm_start_continues_where_the_last_solve_ended() {
    let problem = cube_on_ground([0.0, 0.0, -0.16], 0.5);
    for (name, mut solver, method) in solvers() {
        let (solution, first) = solve(&mut *solver, &problem, method, 40);
        let mut warm = problem.clone();
        for (contact, impulse) in warm.contacts.iter_mut().zip(&solution.impulses) {
            contact.impulse = *impulse;
        }
        let (_, second) = solve(&mut *solver, &warm, method, 1);
        assert!(
            second.residual_rms <= 1.01 * first.residual_rms + 1e-7,
            "{name} {method:?}"
        );
    }
}

#[test]
fn problems_without_contacts_or_bodies_are_solved() {
    for (name, mut solver, method) in solvers() {
        let (solution, report) = solve(&mut *solver, &Problem::default(), method, 3);
        assert!(solution.velocities.is_empty(), "{name}");
        assert_eq!(report.residual_max, 0.0);
        let alone = Problem {
            bodies: vec![Body::dynamic(
                1.0,
                [1.0; 6],
                [1.0, 2.0, 3.0],
                [4.0, 5.0, 6.0],
            )],
            ..Problem::default()
        };
        let (solution, _) = solve(&mut *solver, &alone, method, 3);
        assert_eq!(solution.velocities[0].linear, [1.0, 2.0, 3.0]);
        assert_eq!(solution.velocities[0].angular, [4.0, 5.0, 6.0]);
    }
}

#[test]
fn bad_problems_are_refused_by_name() {
    let good = cube_on_ground([0.0; 3], 0.5);
    let refused = |change: &dyn Fn(&mut Problem), part: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        for (name, mut solver, method) in solvers() {
            let options = Options {
                method,
                ..Options::default()
            };
            let error = solver
                .solve(&bad, &options, &mut Solution::default())
                .unwrap_err();
            assert!(error.to_string().contains(part), "{name}: {error}");
        }
    };
    refused(&|p| p.contacts[2].body_b = 7, "contact 2");
    refused(&|p| p.contacts[1].body_b = 0, "contact 1");
    refused(&|p| p.contacts[3].normal = [0.0, 0.0, 2.0], "contact 3");
    refused(&|p| p.contacts[0].bias = f32::NAN, "contact 0");
    refused(&|p| p.contacts[0].friction = -0.1, "contact 0");
    refused(
        &|p| p.bodies[0].linear_velocity[1] = f32::INFINITY,
        "body 0",
    );
    refused(&|p| p.bodies[0].inverse_mass = -1.0, "body 0");
    refused(
        &|p| p.friction_cone = FrictionCone::Pyramid { directions: 5 },
        "directions",
    );
}

#[test]
fn warm_start_of_a_frictionless_contact_takes_its_normal_part_only() {
    let mut problem = cube_on_ground([0.0, 0.0, -0.16], 0.0);
    for contact in &mut problem.contacts {
        contact.impulse = [0.04, 0.3, -0.2];
    }
    for (name, mut solver, method) in solvers() {
        let (solution, _) = solve(&mut *solver, &problem, method, 50);
        let [x, y, z] = solution.velocities[0].linear;
        assert!(x == 0.0 && y == 0.0, "{name} {method:?}: slid at {x} {y}");
        assert!(z.abs() < 1e-5, "{name} {method:?}: {z}");
    }
}

/// A tower of unit cubes of 1 kg at rest under gravity, each a little off the one below.
fn tower(height: u32) -> Problem {
    let gh = 9.81 / 60.0;
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        friction_cone: FrictionCone::Disk,
        ..Problem::default()
    };
    for body in 1..=height {
        let velocity = [0.0, 0.0, -gh];
        let cube = Body::dynamic(1.0, [6.0, 0.0, 0.0, 6.0, 0.0, 6.0], velocity, [0.0; 3]);
        problem.bodies.push(cube);
        let off = if body % 2 == 0 { 0.05 } else { -0.05 };
        for [x, y] in [[0.4, 0.5], [0.4, -0.5], [-0.4, 0.5], [-0.4, -0.5_f32]] {
            problem.contacts.push(Contact {
                body_a: body,
                body_b: body - 1,
                arm_a: [x - off, y, -0.5],
                arm_b: [x + off, y, 0.5],
                normal: [0.0, 0.0, 1.0],
                bias: 0.0,
                friction: 0.5,
                impulse: [0.0; 3],
            });
        }
    }
    problem
}

#[test]
fn momentum_saves_two_passes_in_three() {
    let problem = tower(24);
    let gh = 9.81 / 60.0;
    let passes = |method: Method| {
        let options = Options {
            method,
            iterations: 20_000,
            tolerance: 1e-2 * gh,
            check_every: 2,
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
    let (plain, accelerated) = (passes(Method::GaussSeidel), passes(Method::Nesterov));
    assert!(3 * accelerated <= plain, "{accelerated} of {plain}");
}
