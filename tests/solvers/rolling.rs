//! Friction against rolling and spinning, by every solver that takes rows.

use crate::support::backends;
use drystone::problem::{AsProblem, Body, Contact, Problem, RollingFriction, Velocity};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::substeps::SubstepPlan;
use drystone::solver::{Options, Plan, Solution, Solver};

const H: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;
const RADIUS: f32 = 0.5;
/// Of rolling and of spinning friction `[m]`.
const LENGTHS: [f32; 2] = [0.02, 0.05];

/// A ball of 1 kg on a plane.
fn ball(velocity: [f32; 3], spin: [f32; 3]) -> Problem {
    let inverse = 1.0 / (0.4 * RADIUS * RADIUS);
    let tensor = [inverse, 0.0, 0.0, inverse, 0.0, inverse];
    let arms = [[0.0, 0.0, -RADIUS], [0.0; 3]];
    let mut contact = Contact::from_b_to_a([0, 1], arms, [0.0, 0.0, 1.0], 0.8);
    contact.impulse[0] = GRAVITY * H;
    Problem {
        bodies: vec![
            Body::dynamic(1.0, tensor, velocity, spin),
            Body::immovable([0.0; 3], [0.0; 3]),
        ],
        contacts: vec![contact],
        ..Problem::default()
    }
}

/// Its velocity after so many steps on a plane of so many radians.
fn after(solver: &mut dyn Solver, mut problem: Problem, angle: f32, steps: u32) -> Velocity {
    let options = Options {
        iterations: 100,
        ..Options::default()
    };
    let (mut rolling, mut solution) = (RollingFriction::default(), Solution::default());
    for _ in 0..steps {
        let ball = &mut problem.bodies[0];
        ball.linear_velocity[0] += H * GRAVITY * angle.sin();
        ball.linear_velocity[2] -= H * GRAVITY * angle.cos();
        let held = problem.as_problem();
        let held = rolling.hold(&held, &LENGTHS[..1], &LENGTHS[1..]).unwrap();
        solver.solve(&held, &options, &mut solution).unwrap();
        assert_eq!(solution.joint_impulses.len(), 3);
        solution.keep_joint_rows(0);
        assert!(solution.joint_impulses.is_empty());
        let ball = &mut problem.bodies[0];
        ball.linear_velocity = solution.velocities[0].linear;
        ball.angular_velocity = solution.velocities[0].angular;
        problem.contacts[0].impulse = solution.impulses[0];
    }
    solution.velocities[0]
}

fn all() -> Vec<(String, Box<dyn Solver>)> {
    let swept = backends::solvers().into_iter();
    let mut all: Vec<_> = swept
        .map(|(name, solver, method)| (format!("{name} {}", method.name()), solver))
        .collect();
    all.push(("nsgs".into(), Box::new(NsgsSolver::new())));
    all
}

#[test]
fn a_ball_comes_to_rest_as_its_lengths_say() {
    let mut stood = 0;
    for (name, mut solver) in all() {
        let rolls = ball([2.0, 0.0, 0.0], [0.0, 2.0 / RADIUS, 0.0]);
        let rolling = after(solver.as_mut(), rolls.clone(), 0.0, 20).linear[0];
        let expected = 2.0 - 20.0 * H * 5.0 / 7.0 * LENGTHS[0] * GRAVITY / RADIUS;
        assert!(
            (rolling - expected).abs() < 2e-3,
            "{name}: {rolling} {expected}"
        );
        // It stands after 7.2 s, and does not roll back.
        if name == "cpu pgs" {
            let stands = after(solver.as_mut(), rolls, 0.0, 450);
            assert!(stands.linear[0].abs() < 1e-3, "{name}: {stands:?}");
            stood += 1;
        }
        let spins = ball([0.0; 3], [0.0, 0.0, 10.0]);
        let spinning = after(solver.as_mut(), spins, 0.0, 20).angular[2];
        let expected = 10.0 - 20.0 * H * LENGTHS[1] * GRAVITY / (0.4 * RADIUS * RADIUS);
        assert!(
            (spinning - expected).abs() < 1e-2,
            "{name}: {spinning} {expected}"
        );
    }
    assert_eq!(stood, 1);
}

#[test]
fn a_ball_is_held_on_inclines_up_to_the_length_over_its_radius() {
    for (name, mut solver) in all() {
        for angle in [0.03_f32, 0.06] {
            let at_rest = ball([0.0; 3], [0.0; 3]);
            let speed = after(solver.as_mut(), at_rest, angle, 40).linear[0];
            let pull = angle.sin() - LENGTHS[0] / RADIUS * angle.cos();
            let expected = 40.0 * H * 5.0 / 7.0 * GRAVITY * pull.max(0.0);
            assert!(
                (speed - expected).abs() < 3e-3,
                "{name} {angle}: {speed} {expected}"
            );
        }
    }
}

#[test]
fn lengths_without_meaning_and_substeps_are_refused() {
    let mut rolling = RollingFriction::default();
    let problem = ball([0.0; 3], [0.0; 3]);
    let problem = problem.as_problem();
    assert!(
        rolling
            .hold(&problem, &[], &[])
            .unwrap()
            .joint_rows
            .is_empty()
    );
    for (wrong, named) in [
        ([f32::NAN], "rolling friction of contact 0"),
        ([-1.0], "rolling friction of contact 0"),
    ] {
        let why = rolling.hold(&problem, &wrong, &[]).unwrap_err();
        assert!(why.to_string().contains(named), "{why}");
    }
    let why = rolling.hold(&problem, &[], &[0.1; 2]).unwrap_err();
    assert!(why.to_string().contains("spinning"), "{why}");
    let held = rolling.hold(&problem, &LENGTHS[..1], &[]).unwrap();
    assert_eq!(held.joint_rows.len(), 2);
    let plan = Plan::from(SubstepPlan::recommended(H.into(), 0.5, GRAVITY.into()));
    let mut solution = Solution::default();
    let why = CpuSolver::new().step(&held, &plan, &mut solution);
    assert!(why.unwrap_err().to_string().contains("joint rows"));
}
