//! Joint rows through every solver of every backend: closed forms, and what any answer must have.

use crate::support::backends::solvers;
use crate::support::joints::{add_random_joints, angular_row, ball, linear_row};
use crate::support::problems::{Recipe, random_problem};
use drystone::internals::constants::MAX_COLORS;
use drystone::internals::math;
use drystone::internals::math::V3;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, JointRow, Problem};
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
        // The sweeps are under test.
        direct_joints: false,
        ..Options::default()
    };
    let plan = options.into();
    let report = solver.attempt(problem, &plan, &mut solution).unwrap();
    let report = report.velocity;
    assert_eq!(solution.velocities.len(), problem.bodies.len());
    assert_eq!(solution.impulses.len(), problem.contacts.len());
    assert_eq!(solution.joint_impulses.len(), problem.joint_rows.len());
    (solution, report)
}

/// Two bodies of different mass and inertia that move apart and turn.
fn two_bodies() -> Problem {
    Problem {
        bodies: vec![
            Body::dynamic(
                0.5,
                [2.0, 0.1, -0.2, 3.0, 0.3, 1.5],
                [1.0, -0.5, 0.25],
                [0.5, 2.0, -1.0],
            ),
            Body::dynamic(
                2.0,
                [5.0, -0.4, 0.2, 7.0, 0.5, 6.0],
                [-1.5, 0.75, 2.0],
                [-3.0, 1.0, 0.5],
            ),
        ],
        ..Problem::default()
    }
}

fn point_velocity(solution: &Solution, body: usize, arm: V3) -> Vec3 {
    let velocity = solution.velocities[body];
    math::widen(velocity.linear) + math::widen(velocity.angular).cross(&math::widen(arm))
}

/// `V0 + M^-1 J^T r` of contacts and joint rows in f64, as linear and angular velocity of each body.
fn velocities_of_impulses(problem: &Problem, solution: &Solution) -> Vec<[Vec3; 2]> {
    let mut velocities: Vec<[Vec3; 2]> = problem
        .bodies
        .iter()
        .map(|b| {
            [
                math::widen(b.linear_velocity),
                math::widen(b.angular_velocity),
            ]
        })
        .collect();
    let mut push = |body: u32, impulse: Vec3, moment: Vec3| {
        let b = &problem.bodies[body as usize];
        let [xx, xy, xz, yy, yz, zz] = b.inverse_inertia.map(f64::from);
        let inverse = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let velocity = &mut velocities[body as usize];
        velocity[0] += impulse * f64::from(b.inverse_mass);
        velocity[1] += inverse * moment;
    };
    for (contact, impulse) in problem.contacts.iter().zip(&solution.impulses) {
        let (t1, t2) = math::tangents(contact.normal);
        let total = math::widen(contact.normal) * f64::from(impulse[0])
            + math::widen(t1) * f64::from(impulse[1])
            + math::widen(t2) * f64::from(impulse[2]);
        push(
            contact.body_a,
            total,
            math::widen(contact.arm_a).cross(&total),
        );
        push(
            contact.body_b,
            -total,
            -math::widen(contact.arm_b).cross(&total),
        );
    }
    for (row, &impulse) in problem.joint_rows.iter().zip(&solution.joint_impulses) {
        let r = f64::from(impulse);
        let linear = math::widen(row.linear) * r;
        push(row.body_a, linear, math::widen(row.angular_a) * r);
        push(row.body_b, -linear, math::widen(row.angular_b) * r);
    }
    velocities
}

#[test]
fn a_ball_joint_holds_its_anchors_together_and_keeps_momentum() {
    let (arm_a, arm_b) = ([0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]);
    let mut problem = two_bodies();
    problem.joint_rows = ball(0, 1, arm_a, arm_b).to_vec();
    let momentum = |velocity: &dyn Fn(usize) -> V3| {
        let [a, b] = [0, 1]
            .map(|body| math::widen(velocity(body)) / f64::from(problem.bodies[body].inverse_mass));
        a + b
    };
    let before = momentum(&|body| problem.bodies[body].linear_velocity);
    for (name, mut solver, method) in solvers() {
        let (solution, report) = solve(&mut *solver, &problem, method, 200);
        let gap = point_velocity(&solution, 0, arm_a) - point_velocity(&solution, 1, arm_b);
        assert!(gap.norm() < 1e-5, "{name} {method:?}: {gap}");
        let after = momentum(&|body| solution.velocities[body].linear);
        assert!((after - before).norm() < 1e-5, "{name} {method:?}: {after}");
        assert!(report.residual_max < 1e-5, "{name} {method:?}: {report:?}");
    }
}

#[test]
fn a_limit_pushes_and_never_pulls() {
    // The centres separate or approach at 1 m/s along x.
    for (approach, expected) in [(-1.0_f32, 1.0 / 2.5), (1.0, 0.0)] {
        let mut problem = two_bodies();
        problem.bodies[0].linear_velocity = [approach, 0.0, 0.0];
        problem.bodies[1].linear_velocity = [0.0; 3];
        problem.joint_rows = vec![JointRow {
            lower: 0.0,
            ..linear_row(0, 1, [1.0, 0.0, 0.0], [0.0; 3], [0.0; 3])
        }];
        for (name, mut solver, method) in solvers() {
            let (solution, report) = solve(&mut *solver, &problem, method, 20);
            let r = solution.joint_impulses[0];
            assert!((r - expected).abs() < 1e-6, "{name} {method:?}: {r}");
            assert!(report.residual_max < 1e-6, "{name} {method:?}: {report:?}");
        }
    }
}

#[test]
fn a_motor_gives_no_more_than_its_bound() {
    let axis = [0.0, 0.0, 1.0];
    for (bound, saturated) in [(0.01, true), (100.0, false)] {
        let mut problem = two_bodies();
        problem.joint_rows = vec![JointRow {
            bias: -4.0,
            lower: -bound,
            upper: bound,
            ..angular_row(0, 1, axis)
        }];
        for (name, mut solver, method) in solvers() {
            let (solution, report) = solve(&mut *solver, &problem, method, 50);
            let [a, b] = [0, 1].map(|body| solution.velocities[body].angular[2]);
            if saturated {
                assert_eq!(solution.joint_impulses[0], bound, "{name} {method:?}");
                assert!(a - b < 3.9, "{name} {method:?}: {a} {b}");
            } else {
                assert!((a - b - 4.0).abs() < 1e-5, "{name} {method:?}: {a} {b}");
            }
            assert!(report.residual_max < 1e-5, "{name} {method:?}: {report:?}");
        }
    }
}

#[test]
fn a_soft_row_is_an_implicit_spring() {
    let (arm_a, arm_b) = ([0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]);
    let mut problem = two_bodies();
    let row = JointRow {
        bias: 0.75,
        softness: 1.5,
        ..linear_row(0, 1, [0.6, 0.0, 0.8], arm_a, arm_b)
    };
    problem.joint_rows = vec![row];
    // r = -(J V + b) / (W + s).
    let part = |body: usize, sign: f64, angular: V3| {
        let b = &problem.bodies[body];
        let [xx, xy, xz, yy, yz, zz] = b.inverse_inertia.map(f64::from);
        let inverse = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let (linear, angular) = (math::widen(row.linear), math::widen(angular));
        let velocity = sign * linear.dot(&math::widen(b.linear_velocity))
            + angular.dot(&math::widen(b.angular_velocity));
        let delassus =
            f64::from(b.inverse_mass) * linear.norm_squared() + angular.dot(&(inverse * angular));
        (velocity, delassus)
    };
    let (a, b) = (part(0, 1.0, row.angular_a), part(1, -1.0, row.angular_b));
    let expected = -(a.0 + b.0 + 0.75) / (a.1 + b.1 + 1.5);
    for (name, mut solver, method) in solvers() {
        let (solution, report) = solve(&mut *solver, &problem, method, 5);
        let r = f64::from(solution.joint_impulses[0]);
        assert!(
            (r - expected).abs() < 1e-6 * expected.abs(),
            "{name} {method:?}: {r} {expected}"
        );
        assert!(report.residual_max < 1e-6, "{name} {method:?}: {report:?}");
    }
}

/// A chain of `links` rods of 1 kg and 0.2 m along x, hung at one end.
fn chain(links: u32) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    let gh = 9.81 / 60.0;
    for link in 1..=links {
        let inverse = 1.0 / (0.04 / 12.0);
        problem.bodies.push(Body::dynamic(
            1.0,
            [10.0 * inverse, 0.0, 0.0, inverse, 0.0, inverse],
            [0.0, 0.0, -gh],
            [0.0; 3],
        ));
        let arm_b = if link == 1 { [0.0; 3] } else { [0.1, 0.0, 0.0] };
        problem
            .joint_rows
            .extend(ball(link, link - 1, [-0.1, 0.0, 0.0], arm_b));
    }
    problem
}

#[test]
fn a_chain_falls_as_one() {
    let problem = chain(20);
    for (name, mut solver, method) in solvers() {
        let (_, first) = solve(&mut *solver, &problem, method, 1);
        let (solution, last) = solve(&mut *solver, &problem, method, 5_000);
        // The hook carries, and the others hang on one another.
        let gap = point_velocity(&solution, 1, [-0.1, 0.0, 0.0]).norm();
        assert!(gap < 1e-4, "{name} {method:?}: {gap}");
        assert!(
            last.residual_rms < 1e-3 * first.residual_rms,
            "{name} {method:?}: {last:?}"
        );
        assert_eq!(last.remainder_contacts, 0);
        let expected = if method.max_colors() > 0 || method == Method::Cluster {
            (2, 0)
        } else {
            (0, 60)
        };
        assert_eq!((last.colors, last.remainder_joint_rows), expected);
    }
}

/// A heavy body in the middle of 80 light ones, each on an arm.
fn hub() -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::dynamic(
            0.02,
            [0.05, 0.0, 0.0, 0.05, 0.0, 0.05],
            [0.0; 3],
            [0.0, 0.0, 1.0],
        )],
        ..Problem::default()
    };
    for spoke in 0..80_u32 {
        let angle = std::f32::consts::TAU * spoke as f32 / 80.0;
        let arm = [angle.cos(), angle.sin(), 0.1 * (spoke % 3) as f32];
        problem.bodies.push(Body::dynamic(
            1.0,
            [10.0, 0.0, 0.0, 10.0, 0.0, 10.0],
            math::scale(arm, 0.2 * (spoke % 5) as f32),
            [0.0; 3],
        ));
        problem
            .joint_rows
            .extend(ball(spoke + 1, 0, math::scale(arm, -0.3), arm));
    }
    problem
}

#[test]
fn a_hub_of_eighty_joints_is_split_and_solved() {
    let problem = hub();
    let before: Vec3 = problem
        .bodies
        .iter()
        .map(|b| math::widen(b.linear_velocity) / f64::from(b.inverse_mass))
        .sum();
    for (name, mut solver, method) in solvers() {
        let (solution, report) = solve(&mut *solver, &problem, method, 300);
        if method == Method::Cluster {
            // The hub has copies in place of a remainder.
            assert_eq!(report.remainder_joint_rows, 0);
        } else {
            // One joint can have the only colour that its body opens.
            assert!(report.remainder_joint_rows >= 3 * 79 - 36, "{report:?}");
        }
        assert!(report.colors as usize <= MAX_COLORS);
        assert!(report.residual_max < 1e-4, "{name} {method:?}: {report:?}");
        let after: Vec3 = solution
            .velocities
            .iter()
            .zip(&problem.bodies)
            .map(|(v, b)| math::widen(v.linear) / f64::from(b.inverse_mass))
            .sum();
        assert!((after - before).norm() < 1e-3, "{name} {method:?}: {after}");
    }
}

/// Contacts, joints of all kinds, hubs of both, and immovable bodies.
fn mixed(seed: u64) -> Problem {
    // So many bodies that the joints do not contradict each other.
    let recipe = Recipe {
        movable: 400,
        hub_pairs: 60,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, seed);
    add_random_joints(&mut problem, 0, 150, 90, seed + 1);
    problem
}

#[test]
fn velocities_are_those_of_contact_and_joint_impulses() {
    for (name, mut solver, method) in solvers() {
        let problem = mixed(11);
        let (solution, report) = solve(&mut *solver, &problem, method, 30);
        assert!(report.status == Status::MaxIterations, "{report:?}");
        let expected = velocities_of_impulses(&problem, &solution);
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
fn impulses_keep_their_bounds_and_the_residual_falls() {
    let problem = mixed(12);
    for (name, mut solver, method) in solvers() {
        let (_, first) = solve(&mut *solver, &problem, method, 1);
        let (solution, last) = solve(&mut *solver, &problem, method, 300);
        for (row, &r) in problem.joint_rows.iter().zip(&solution.joint_impulses) {
            assert!(row.lower <= r && r <= row.upper, "{name} {method:?}: {r}");
        }
        assert!(
            last.residual_rms < 0.2 * first.residual_rms,
            "{name} {method:?}: {first:?} {last:?}"
        );
    }
}

#[test]
fn a_tree_of_joints_is_solved_to_the_floor_of_f32() {
    let recipe = Recipe {
        movable: 200,
        pairs: 0,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, 14);
    add_random_joints(&mut problem, 0, 150, 0, 15);
    for (name, mut solver, method) in solvers() {
        let (_, report) = solve(&mut *solver, &problem, method, 1_500);
        assert!(report.residual_max < 5e-6, "{name} {method:?}: {report:?}");
    }
}

#[test]
fn the_residual_is_the_formula_in_f64() {
    let problem = mixed(13);
    for (name, mut solver, method) in solvers() {
        let mut joints_only = problem.clone();
        joints_only.contacts.clear();
        let (solution, report) = solve(&mut *solver, &joints_only, method, 3);
        let velocities = velocities_of_impulses(&joints_only, &solution);
        let mut sum = 0.0;
        let mut max = 0.0_f64;
        for (row, &r) in joints_only.joint_rows.iter().zip(&solution.joint_impulses) {
            let r = f64::from(r);
            let sides = [
                (row.body_a as usize, 1.0, row.angular_a),
                (row.body_b as usize, -1.0, row.angular_b),
            ];
            let (mut u, mut w, mut inverse_mass) = (f64::from(row.bias), 0.0, 0.0);
            for (body, sign, angular) in sides {
                let b = &joints_only.bodies[body];
                let [xx, xy, xz, yy, yz, zz] = b.inverse_inertia.map(f64::from);
                let inverse = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                let (linear, angular) = (math::widen(row.linear), math::widen(angular));
                u += sign * linear.dot(&velocities[body][0]) + angular.dot(&velocities[body][1]);
                w += f64::from(b.inverse_mass) * linear.norm_squared()
                    + angular.dot(&(inverse * angular));
                inverse_mass += f64::from(b.inverse_mass);
            }
            let softness = f64::from(row.softness);
            u += softness * r;
            let mass = 1.0 / (w + softness);
            let projected = (r - mass * u).clamp(f64::from(row.lower), f64::from(row.upper));
            let residual = (r - projected).abs() * (inverse_mass / mass).sqrt();
            sum += residual * residual;
            max = max.max(residual);
        }
        let rms = (sum / joints_only.joint_rows.len() as f64).sqrt();
        let close = |x: f32, y: f64| (f64::from(x) - y).abs() < 1e-4 * y;
        assert!(rms > 1e-3, "nothing left to measure");
        assert!(
            close(report.residual_rms, rms) && close(report.residual_max, max),
            "{name} {method:?}: {report:?} against {rms} {max}"
        );
    }
}

#[test]
fn warm_start_goes_on_from_the_last_solve() {
    let problem = hub();
    for (name, mut solver, method) in solvers() {
        let (solution, first) = solve(&mut *solver, &problem, method, 40);
        let mut warm = problem.clone();
        for (row, &impulse) in warm.joint_rows.iter_mut().zip(&solution.joint_impulses) {
            row.impulse = impulse;
        }
        let (_, second) = solve(&mut *solver, &warm, method, 1);
        assert!(
            second.residual_rms <= 1.01 * first.residual_rms + 1e-6,
            "{name} {method:?}: {first:?} {second:?}"
        );
    }
}

#[test]
fn warm_start_outside_the_bounds_is_brought_back() {
    let mut problem = two_bodies();
    problem.bodies[0].linear_velocity = [1.0, 0.0, 0.0];
    problem.bodies[1].linear_velocity = [0.0; 3];
    problem.joint_rows = vec![JointRow {
        lower: 0.0,
        upper: 0.25,
        impulse: 1e30,
        ..linear_row(0, 1, [1.0, 0.0, 0.0], [0.0; 3], [0.0; 3])
    }];
    for (name, mut solver, method) in solvers() {
        let (solution, _) = solve(&mut *solver, &problem, method, 10);
        assert!(solution.joint_impulses[0].abs() < 1e-6, "{name} {method:?}");
        assert!((solution.velocities[0].linear[0] - 1.0).abs() < 1e-6);
    }
}

#[test]
fn rows_that_move_nothing_are_left_alone() {
    let mut problem = two_bodies();
    problem.bodies.extend([
        Body::immovable([1.0, 0.0, 0.0], [0.0; 3]),
        Body::immovable([0.0; 3], [0.0; 3]),
    ]);
    problem.joint_rows = ball(2, 3, [0.1; 3], [0.2; 3]).to_vec();
    problem.joint_rows[1].softness = 0.5;
    problem.joint_rows[2].lower = 0.5;
    problem.joint_rows.push(JointRow {
        angular_a: [0.0; 3],
        angular_b: [0.0; 3],
        bias: 1.0,
        impulse: 3.0,
        ..angular_row(0, 1, [1.0, 0.0, 0.0])
    });
    for (name, mut solver, method) in solvers() {
        let (solution, report) = solve(&mut *solver, &problem, method, 5);
        assert_eq!(report.residual_max, 0.0, "{name} {method:?}");
        assert_eq!(solution.joint_impulses, [0.0; 4], "{name} {method:?}");
        for (velocity, body) in solution.velocities.iter().zip(&problem.bodies) {
            assert_eq!(velocity.linear, body.linear_velocity);
        }
    }
}

#[test]
fn overflow_is_reported_as_not_finite() {
    let mut problem = two_bodies();
    problem.bodies[0].linear_velocity = [3e38; 3];
    problem.bodies[1].linear_velocity = [-3e38; 3];
    problem.joint_rows = ball(0, 1, [1.0; 3], [1.0; 3]).to_vec();
    for (name, mut solver, method) in solvers() {
        let (_, report) = solve(&mut *solver, &problem, method, 2);
        assert_eq!(report.status, Status::NonFinite, "{name} {method:?}");
    }
}

#[test]
fn bad_rows_are_refused_by_name() {
    let good = chain(3);
    let refused = |change: &dyn Fn(&mut JointRow), part: &str| {
        let mut bad = good.clone();
        change(&mut bad.joint_rows[4]);
        for (name, mut solver, _) in solvers() {
            let error = solver
                .solve(&bad, &Options::default(), &mut Solution::default())
                .unwrap_err()
                .to_string();
            assert!(error.contains("joint row 4"), "{name}: {error}");
            assert!(error.contains(part), "{name}: {error}");
        }
    };
    refused(&|row| row.body_b = 9, "body 9");
    refused(&|row| row.softness = -1.0, "softness");
    refused(&|row| row.lower = f32::INFINITY, "finite");
    refused(
        &|row| (row.lower, row.upper) = (1.0, 0.0),
        "exceeds the largest",
    );
}
