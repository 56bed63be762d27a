//! Joints with answers in closed form.

use super::{G, contact, flatten, largest, solve};
use crate::support::mechanisms::{ball, hinge, turning};
use drystone::Error;
use drystone::internals::constants::REFERENCE_MAX_EQUALITIES;
use drystone::internals::math::{V3, scale};
use drystone::problem::{Body, JointRow, Problem};
use drystone::solver::reference::{Fallback, LemkeSolver, judge};
use drystone::solver::{Options, Solution, Solver, Status};

const GROUND: Body = Body {
    linear_velocity: [0.0; 3],
    inverse_mass: 0.0,
    angular_velocity: [0.0; 3],
    padding: 0.0,
    inverse_inertia: [0.0; 6],
    padding_2: [0.0; 2],
};

/// A body of equal moments of inertia.
fn ball_body(mass: f32, inertia: f32, linear: V3, angular: V3) -> Body {
    let inverse = 1.0 / inertia;
    Body::dynamic(
        1.0 / mass,
        [inverse, 0.0, 0.0, inverse, 0.0, inverse],
        linear,
        angular,
    )
}

fn close(found: f32, expected: f32, relative: f32) {
    assert!(
        (found - expected).abs() <= relative * expected.abs().max(1e-6),
        "{found} {expected}"
    );
}

/// A bob on an arm of length d, at angle theta from the vertical, after one step of gravity: along
/// the arm the pivot carries `m g h cos`, across it `g h sin / (1/m + d^2/I)`.
#[test]
fn a_pendulum_hangs_on_its_joint() {
    let (h, mass, inertia, d) = (0.01, 2.0, 0.1, 0.5);
    for degrees in [0.0_f32, 30.0, 90.0, 150.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let to_pivot = [-d * sin, 0.0, d * cos];
        let problem = Problem {
            bodies: vec![
                GROUND,
                ball_body(mass, inertia, [0.0, 0.0, -G * h], [0.0; 3]),
            ],
            joint_rows: ball([1, 0], to_pivot, [0.0; 3]),
            ..Problem::default()
        };
        let (report, solution, solver) = solve(&problem);
        assert_eq!(report.status, Status::Converged);
        let [x, y, z] = [0, 1, 2].map(|i: usize| solution.joint_impulses[i]);
        let along = -x * sin + z * cos;
        let across = x * cos + z * sin;
        let expected = (
            mass * G * h * cos,
            G * h * sin / (1.0 / mass + d * d / inertia),
        );
        assert!((along - expected.0).abs() < 1e-6, "{along} {expected:?}");
        assert!((across - expected.1).abs() < 1e-6, "{across} {expected:?}");
        assert!(y.abs() < 1e-7);
        assert!(solver.report().verdict.joints.max < 1e-12);
        let change = &solution.changes[1];
        close(change.linear[2], z / mass, 1e-6);
        assert_eq!(solution.changes[0].linear, [0.0; 3]);
    }
}

#[test]
fn a_hanging_chain_carries_what_is_below() {
    let (h, mass, half) = (0.01, 0.7, 0.05);
    let link = ball_body(mass, 0.002, [0.0, 0.0, -G * h], [0.0; 3]);
    for links in [5_u32, 40] {
        let mut problem = Problem {
            bodies: vec![GROUND],
            ..Problem::default()
        };
        problem.bodies.resize(1 + links as usize, link);
        for index in 1..=links {
            let below = if index == 1 { 0.0 } else { -half };
            let rows = ball([index, index - 1], [0.0, 0.0, half], [0.0, 0.0, below]);
            problem.joint_rows.extend(rows);
        }
        let (report, solution, _) = solve(&problem);
        assert_eq!(report.status, Status::Converged);
        for (index, rows) in solution.joint_impulses.chunks(3).enumerate() {
            close(rows[2], (links as f32 - index as f32) * mass * G * h, 2e-6);
            assert!(rows[0].abs() < 1e-7 && rows[1].abs() < 1e-7);
        }
        assert!(largest(flatten(&solution)) < 1e-7);
    }
}

/// A wheel that a motor turns about z: it reaches the speed if it can, and else does what it can.
#[test]
fn a_motor_saturates() {
    let inertia = 0.5;
    let motor = |bias: f32, most: f32, spin: f32| {
        let axis = [0.0, 0.0, 1.0];
        let mut joint_rows = hinge([1, 0], [0.0; 3], [0.0; 3], axis);
        joint_rows.push(JointRow {
            bias,
            lower: -most,
            upper: most,
            ..turning([1, 0], axis)
        });
        let problem = Problem {
            bodies: vec![GROUND, ball_body(1.0, inertia, [0.0; 3], [0.0, 0.0, spin])],
            joint_rows,
            ..Problem::default()
        };
        let (report, solution, solver) = solve(&problem);
        assert_eq!(report.status, Status::Converged, "{:?}", solver.report());
        (
            solution.velocities[1].angular[2],
            solution.joint_impulses[5],
        )
    };
    for (most, spin, speed, impulse) in [
        (10.0, 0.0, 3.0, 1.5),
        (1e9, 0.0, 3.0, 1.5),
        (1.0, 0.0, 2.0, 1.0),
        (1.0, 7.0, 5.0, -1.0),
        (0.0, 7.0, 7.0, 0.0),
    ] {
        let (found, by) = motor(-3.0, most, spin);
        close(found, speed, 1e-6);
        close(by, impulse, 1e-6);
    }
}

#[test]
fn bounds_on_either_side_hold() {
    let row = turning([1, 0], [0.0, 0.0, 1.0]);
    let lower = |bias| JointRow {
        bias,
        lower: 0.0,
        ..row
    };
    let upper = |bias| JointRow {
        bias,
        upper: 0.0,
        ..row
    };
    let fixed = JointRow {
        lower: -0.3,
        upper: -0.3,
        ..row
    };
    let soft = JointRow {
        bias: 1.0,
        softness: 2.0,
        ..row
    };
    // Inertia 0.5: a unit impulse changes the spin by 2.
    for (row, spin, expected) in [
        (lower(0.0), -1.0, 0.0),
        (lower(0.0), 1.0, 1.0),
        (lower(0.5), -1.0, -0.5),
        (lower(-0.5), -1.0, 0.5),
        (upper(0.0), 1.0, 0.0),
        (upper(0.0), -1.0, -1.0),
        (upper(-0.5), 1.0, 0.5),
        (fixed, 1.0, 0.4),
        // w + 1 + 2 r = 0 and w = 3 + 2 r: r = -1.
        (soft, 3.0, 1.0),
        // Bounds without meaning and without width far away.
        (
            JointRow {
                lower: 0.0,
                upper: 1e30,
                ..row
            },
            -1.0,
            0.0,
        ),
        (
            JointRow {
                lower: 0.25,
                upper: 1e30,
                ..row
            },
            0.0,
            0.5,
        ),
    ] {
        let problem = Problem {
            bodies: vec![GROUND, ball_body(1.0, 0.5, [0.0; 3], [0.0, 0.0, spin])],
            joint_rows: vec![row],
            ..Problem::default()
        };
        let (report, solution, solver) = solve(&problem);
        assert_eq!(report.status, Status::Converged, "{row:?}");
        assert!(report.residual_max < 1e-12, "{:?}", solver.report());
        close(solution.velocities[1].angular[2], expected, 1e-6);
    }
}

/// The residual of a joint row is a velocity: `|u|` of a row through both centres, whatever the
/// masses, and `|u|` times a radius of gyration of a row that turns.
#[test]
fn a_joint_s_residual_is_a_velocity() {
    for mass in [0.01, 1.0, 100.0] {
        let inertia = 0.04 * mass;
        let spin = [0.0, 0.0, 2.0];
        let mut problem = Problem {
            bodies: vec![GROUND, ball_body(mass, inertia, [0.3, 0.0, 0.0], spin)],
            joint_rows: vec![ball([1, 0], [0.0; 3], [0.0; 3])[0]],
            ..Problem::default()
        };
        let verdict = judge(&problem, &[], &[0.0]).unwrap();
        assert!((verdict.residual_max - 0.3).abs() < 1e-6);
        problem.joint_rows = vec![turning([1, 0], [0.0, 0.0, 1.0])];
        let verdict = judge(&problem, &[], &[0.0]).unwrap();
        assert!((verdict.residual_max - 0.2 * 2.0).abs() < 1e-6);
        assert_eq!(verdict.residual_max, verdict.joints.max);
        assert_eq!(verdict.contacts.max, 0.0);
    }
    let none = Problem {
        bodies: vec![GROUND, GROUND],
        joint_rows: ball([1, 0], [0.0; 3], [0.0; 3]),
        ..Problem::default()
    };
    assert_eq!(judge(&none, &[], &[1.0; 3]).unwrap().residual_max, 0.0);
    assert!(judge(&none, &[], &[]).is_err());
    let (report, solution, _) = solve(&none);
    assert_eq!(report.status, Status::Converged);
    assert_eq!(solution.joint_impulses, [0.0; 3]);
}

/// Two hinges on one oblique axis: their ten rows agree only to the rounding of f32. They must turn
/// as one hinge does.
#[test]
fn joints_that_agree_to_rounding_are_redundant() {
    let axis = scale([1.0, 2.0, 3.0], 1.0 / 14.0_f32.sqrt());
    let bodies = vec![
        GROUND,
        ball_body(2.0, 0.3, [1.0, -0.4, 0.2], [3.0, -1.0, 2.0]),
        ball_body(1.0, 0.1, [0.2, 0.7, -0.5], [-1.0, 4.0, 2.5]),
    ];
    let at = |t: f32| scale(axis, t);
    let arm_b = |t: f32| drystone::internals::math::add([0.31, -0.17, 0.23], at(t));
    let mut problem = Problem {
        bodies,
        joint_rows: hinge([1, 2], at(0.3), arm_b(0.3), axis),
        ..Problem::default()
    };
    let (_, single, _) = solve(&problem);
    problem
        .joint_rows
        .extend(hinge([1, 2], at(-0.77), arm_b(-0.77), axis));
    let (report, double, solver) = solve(&problem);
    assert_eq!(report.status, Status::Converged, "{:?}", solver.report());
    assert_eq!(solver.report().fallback, Fallback::None);
    let off = solver.report().contradiction;
    println!("the rows contradict each other by {off:e}");
    assert!(off > 1e-12 && off < 1e-6, "{off:e}");
    for (a, b) in flatten(&single).iter().zip(flatten(&double)) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}

/// One point cannot be in two places: softened, and said so.
#[test]
fn contradictory_joints_are_softened_and_reported() {
    let mut problem = Problem {
        bodies: vec![GROUND, ball_body(1.0, 0.1, [0.0; 3], [0.0; 3])],
        joint_rows: ball([1, 0], [0.0; 3], [0.0; 3]),
        ..Problem::default()
    };
    problem.joint_rows.extend(ball([1, 0], [0.0; 3], [0.0; 3]));
    problem.joint_rows[2].bias = -0.01;
    problem.joint_rows[5].bias = 0.03;
    let (report, solution, solver) = solve(&problem);
    assert_eq!(report.status, Status::Stalled);
    assert_eq!(solver.report().fallback, Fallback::Softened);
    // Halfway between the two.
    close(solution.velocities[1].linear[2], -0.01, 1e-4);
    assert!((report.residual_max - 0.02).abs() < 1e-5);
}

/// A box that is 10 mm higher than its gap, in the position pass: floor and ceiling share what is
/// left, 5.000 mm each.
#[test]
fn a_box_too_high_for_its_gap_shares_the_overlap() {
    let mut problem = Problem {
        bodies: vec![GROUND, ball_body(3.0, 0.2, [0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    for (up, overlap) in [(1.0, -10e-3), (-1.0, 0.0)] {
        for (x, y) in [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)] {
            let corner = [x, y, -0.5 * up];
            let mut touch = contact(1, 0, corner, corner, [0.0, 0.0, up], 0.0);
            touch.bias = overlap;
            problem.contacts.push(touch);
        }
    }
    let (report, solution, solver) = solve(&problem);
    assert_eq!(report.status, Status::Stalled);
    assert_eq!(solver.report().fallback, Fallback::Softened);
    let moved = solution.velocities[1];
    assert!((moved.linear[2] - 5e-3).abs() < 5e-7, "{moved:?}");
    assert!(largest(moved.angular) < 1e-9);
    assert!((report.residual_max - 5e-3).abs() < 1e-6, "{report:?}");
}

#[test]
fn too_many_equalities_are_refused() {
    let link = ball_body(1.0, 1.0, [0.0; 3], [0.0; 3]);
    let links = REFERENCE_MAX_EQUALITIES as u32 / 3 + 1;
    let mut problem = Problem {
        bodies: vec![GROUND],
        ..Problem::default()
    };
    problem.bodies.resize(1 + links as usize, link);
    for index in 1..=links {
        let rows = ball([index, index - 1], [0.0, 0.0, 0.1], [0.0, 0.0, -0.1]);
        problem.joint_rows.extend(rows);
    }
    let refused = LemkeSolver::new().solve(&problem, &Options::default(), &mut Solution::default());
    match &refused {
        Err(Error::Capacity {
            needed, available, ..
        }) => {
            assert_eq!(*needed, u64::from(3 * links));
            assert_eq!(*available, REFERENCE_MAX_EQUALITIES as u64);
        }
        other => panic!("{other:?}"),
    }
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("--backend cpu"), "{message}");
}
