//! Problems small enough to be followed by hand, by pivoting, or solve after solve.

use drystone::math::Vec3;
use drystone::problem::{Body, Contact, FrictionCone, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::solver::substeps::{Carried, GapLaw, PositionPlan, SubstepPlan};
use drystone::solver::{Options, Solution, Solver, Velocity};

const H: f32 = 1.0 / 60.0;
const G: f32 = 9.81;

/// A heavy cube on a light one, hitting the ground aslant.
fn two_cubes() -> Problem {
    let cube = |inverse_mass: f32, linear: [f32; 3]| {
        let i = 6.0 * inverse_mass;
        Body::dynamic(
            inverse_mass,
            [i, 0.0, 0.0, i, 0.0, i],
            linear,
            [0.0, 0.3, 0.0],
        )
    };
    let mut problem = Problem {
        bodies: vec![
            Body::immovable([0.0; 3], [0.0; 3]),
            cube(1.0, [0.4, 0.0, -1.0]),
            cube(0.2, [0.1, 0.2, -1.0]),
        ],
        friction_cone: FrictionCone::Pyramid { directions: 8 },
        increments: vec![Velocity::default(); 3],
        ..Problem::default()
    };
    for upper in [1_usize, 2] {
        problem.increments[upper].linear = [0.0, 0.0, -G * H];
        for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
            problem.contacts.push(Contact {
                body_a: upper as u32,
                body_b: upper as u32 - 1,
                arm_a: [x, y, -0.5],
                arm_b: if upper == 1 { [0.0; 3] } else { [x, y, 0.5] },
                normal: [0.0, 0.0, 1.0],
                bias: 0.0,
                friction: 0.3,
                impulse: [0.0; 3],
            });
            let opened = 1e-3 * f32::from(upper as u8) * x;
            problem.gaps.push(0.002 - 0.006 * y - opened);
        }
    }
    problem
}

fn plan(substeps: u32, options: Options) -> SubstepPlan {
    SubstepPlan {
        substeps,
        time_step: H,
        gap_law: GapLaw {
            rate: 20.0,
            slop: 1e-5,
            spared: 1e-3,
            ..GapLaw::default()
        },
        restitution_threshold: 0.0,
        calm_change: 0.0,
        velocity: options,
        position: Some(PositionPlan {
            options,
            max_correction: 1e-3,
            max_turn: 0.1,
        }),
    }
}

fn converged() -> Options {
    Options {
        iterations: 4000,
        ..Options::default()
    }
}

#[test]
fn sweeps_and_pivots_take_the_same_step() {
    // Without friction the velocities are unique.
    let mut problem = two_cubes();
    for contact in &mut problem.contacts {
        contact.friction = 0.0;
    }
    for substeps in [1, 3, 8] {
        let plan = plan(substeps, converged());
        let mut swept = Solution::default();
        let mut pivoted = Solution::default();
        let report = CpuSolver::new()
            .step(&problem, &plan.into(), &mut swept)
            .unwrap();
        assert_eq!(report.velocity.iterations, 4000 * substeps);
        assert!(report.worst_residual_max < 1e-5, "{report:?}");
        LemkeSolver::new()
            .step(&problem, &plan.into(), &mut pivoted)
            .unwrap();
        for body in [1, 2] {
            let (a, b) = (swept.changes[body], pivoted.changes[body]);
            let (c, d) = (swept.displacements[body], pivoted.displacements[body]);
            for i in 0..3 {
                assert!((a.linear[i] - b.linear[i]).abs() < 2e-5, "{a:?} {b:?}");
                assert!((a.angular[i] - b.angular[i]).abs() < 5e-5, "{a:?} {b:?}");
                assert!((c.linear[i] - d.linear[i]).abs() < 1e-6, "{c:?} {d:?}");
                assert!((c.angular[i] - d.angular[i]).abs() < 1e-6, "{c:?} {d:?}");
            }
        }
    }
}

/// A ball above the ground, in numbers that can be followed by hand.
fn ball(gap: f32, speed: f32, restitution: f32) -> Problem {
    Problem {
        bodies: vec![
            Body::dynamic(
                0.5,
                [2.0, 0.0, 0.0, 2.0, 0.0, 2.0],
                [0.0, 0.0, speed],
                [0.0; 3],
            ),
            Body::immovable([0.0; 3], [0.0; 3]),
        ],
        contacts: vec![Contact {
            body_a: 0,
            body_b: 1,
            arm_a: [0.0, 0.0, -0.5],
            arm_b: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            bias: 0.0,
            friction: 0.0,
            impulse: [0.0; 3],
        }],
        increments: vec![
            Velocity {
                linear: [0.0, 0.0, -0.2],
                angular: [0.0; 3],
            },
            Velocity::default(),
        ],
        gaps: vec![gap],
        restitutions: vec![restitution],
        ..Problem::default()
    }
}

#[test]
fn two_substeps_by_hand() {
    // h = 0.1 in two substeps of 0.05; the ball of 2 kg is 0.06 above the ground and falls at 1 m/s.
    let plan = SubstepPlan {
        substeps: 2,
        time_step: 0.1,
        gap_law: GapLaw::default(),
        restitution_threshold: 0.0,
        calm_change: 0.0,
        velocity: converged(),
        position: None,
    };
    let mut solution = Solution::default();
    let mut step = |problem: &Problem, plan: &SubstepPlan| {
        CpuSolver::new()
            .step(problem, &(*plan).into(), &mut solution)
            .unwrap();
        solution.clone()
    };
    let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} is not {b}");

    // First: -1.1 for 0.05 is 0.055, and the gap 0.005. Second: -1.2 may not be more than 0.005 / 0.05.
    let landed = step(&ball(0.06, -1.0, 0.0), &plan);
    near(landed.changes[0].linear[2], 1.1);
    near(landed.displacements[0].linear[2], 0.05 * 1.1);
    near(landed.impulses[0][0], 2.0 * 1.1);
    near(landed.total_impulses[0][0], 2.0 * 1.1);

    // The same with e = 0.5: before the second substep it falls at 1.1, and half a substep later at 1.15. From the
    // gap of 0.005 to the ground it gains 2 a 0.005 = 0.02 m^2/s^2, and loses as much on the way back.
    let bounced = step(&ball(0.06, -1.0, 0.5), &plan);
    let up = (0.25 * (1.15_f32 * 1.15 + 0.02) - 0.02).sqrt() - 0.05;
    near(bounced.changes[0].linear[2], 1.2 + up);

    // At rest it stays: each substep carries its half of the weight.
    let resting = step(&ball(0.0, 0.0, 0.5), &plan);
    near(resting.changes[0].linear[2], 0.2);
    near(resting.impulses[0][0], 2.0 * 0.1);
    near(resting.total_impulses[0][0], 2.0 * 0.2);
    near(resting.displacements[0].linear[2], 0.05 * 0.1 + 0.05 * 0.2);

    // 0.03 deep: 0.01 a substep is corrected, and beyond 0.012 a share of 0.25 is pushed apart.
    let deep = SubstepPlan {
        gap_law: GapLaw {
            rate: 0.25 / 0.05,
            slop: 0.002,
            spared: 0.01,
            ..GapLaw::default()
        },
        position: Some(PositionPlan {
            options: converged(),
            max_correction: 0.01,
            max_turn: 0.1,
        }),
        ..plan
    };
    let pushed = step(&ball(-0.03, 0.0, 0.0), &deep);
    // First: push 5 * 0.018 = 0.09, gap -0.0255, corrected to -0.0155. Second: 5 * 0.0035 = 0.0175, less
    // than the speed that it has, which gravity's half reduces by 0.1 to -0.01: so 0.0175.
    near(pushed.changes[0].linear[2], 0.2 + 0.0175);
    let gap: f32 = -0.03 + 0.05 * 0.09 + 0.01 + 0.05 * 0.0175;
    let moved = 0.05 * (0.19 + 0.2175) + 0.01 + (-0.002 - gap).min(0.01);
    near(pushed.displacements[0].linear[2], moved);
}

#[test]
fn a_soft_contact_holds_its_load_and_little_of_an_impact() {
    // A tenth of the impulse is lost in a sweep.
    let law = GapLaw {
        rate: 1.0,
        softness: 0.1,
        max_push: 0.002,
        held: 0.01,
        held_load: 0.35,
        ..GapLaw::default()
    };
    let bias =
        |gap: f64, impulse: f64, load: f64| law.bias(gap, 0.0, &Carried { impulse, load }, 0.05);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-7, "{a} {b}");
    // A spring as far as that asks for no more than recovery and what is lost of the impulse.
    near(bias(-0.001, 0.0, 0.0), -0.001);
    near(bias(-0.5, 0.0, 0.0), -0.002);
    near(bias(-0.5, 0.05, 0.0), -0.002 - 0.1 * 0.05);
    // Little of an impact is held, and a load up to a bound.
    near(bias(-0.5, 3.0, 0.0), -0.002 - 0.01);
    near(bias(-0.5, 3.0, 3.0), -0.002 - 0.1 * 3.0);
    near(bias(-0.5, 3.0, 0.7), -0.002 - 0.1 * 0.7);
    near(bias(-0.5, 9.0, 9.0), -0.002 - 0.35);
    // What has gone is not held.
    near(bias(-0.5, 0.0, 3.0), -0.002);
}

#[test]
fn two_substeps_equal_two_solves() {
    // The cubes, without a position pass: the second substep's problem written from the first one's answer.
    let problem = two_cubes();
    let options = Options {
        iterations: 3,
        ..Options::default()
    };
    let plan = SubstepPlan {
        position: None,
        ..plan(2, options)
    };
    let mut solution = Solution::default();
    let mut solver = CpuSolver::new();
    solver.step(&problem, &plan.into(), &mut solution).unwrap();

    let h_s = f64::from(H) / 2.0;
    let mut bodies = problem.bodies.clone();
    let mut moved = vec![[0.0_f64; 6]; 3];
    let mut by_hand = Solution::default();
    let mut impulses = vec![[0.0; 3]; problem.gaps.len()];
    for _ in 0..2 {
        let mut solve = problem.clone();
        for (body, increment) in bodies.iter_mut().zip(&problem.increments) {
            for i in 0..3 {
                body.linear_velocity[i] += 0.5 * increment.linear[i];
            }
        }
        solve.bodies.clone_from(&bodies);
        let point = |body: u32, arm: [f32; 3]| {
            let m = &moved[body as usize];
            let (linear, angular) = (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]));
            linear + angular.cross(&drystone::internals::math::widen(arm))
        };
        for (index, contact) in solve.contacts.iter_mut().enumerate() {
            let apart = point(contact.body_a, contact.arm_a) - point(contact.body_b, contact.arm_b);
            let gap = f64::from(problem.gaps[index]) + apart.z;
            contact.bias = plan.gap_law.bias(gap, 0.0, &Carried::default(), h_s) as f32;
            contact.impulse = impulses[index];
        }
        solver.solve(&solve, &options, &mut by_hand).unwrap();
        impulses.clone_from(&by_hand.impulses);
        for ((body, velocity), moved) in bodies.iter_mut().zip(&by_hand.velocities).zip(&mut moved)
        {
            (body.linear_velocity, body.angular_velocity) = (velocity.linear, velocity.angular);
            for i in 0..3 {
                moved[i] += h_s * f64::from(velocity.linear[i]);
                moved[3 + i] += h_s * f64::from(velocity.angular[i]);
            }
        }
    }
    for (body, change) in solution.changes.iter().enumerate() {
        let before = &problem.bodies[body];
        for i in 0..3 {
            let force = problem.increments[body].linear[i];
            let after = before.linear_velocity[i] + force + change.linear[i];
            assert!((after - bodies[body].linear_velocity[i]).abs() < 2e-6);
            let after = before.angular_velocity[i] + change.angular[i];
            assert!((after - bodies[body].angular_velocity[i]).abs() < 2e-6);
        }
    }
    for (a, b) in solution.impulses.iter().zip(&impulses) {
        for i in 0..3 {
            assert!((a[i] - b[i]).abs() < 1e-5, "{a:?} {b:?}");
        }
    }
}

#[test]
fn bad_plans_and_problems_are_refused() {
    let solve = |problem: &Problem, plan: &SubstepPlan| {
        CpuSolver::new().step(problem, &(*plan).into(), &mut Solution::default())
    };
    let good = plan(2, Options::default());
    assert!(solve(&two_cubes(), &good).is_ok());
    let bad = SubstepPlan {
        substeps: 0,
        ..good
    };
    assert!(solve(&two_cubes(), &bad).is_err());
    let bad = SubstepPlan {
        time_step: f32::NAN,
        ..good
    };
    assert!(solve(&two_cubes(), &bad).is_err());
    let bad = SubstepPlan {
        gap_law: GapLaw {
            slop: -1.0,
            ..good.gap_law
        },
        ..good
    };
    assert!(solve(&two_cubes(), &bad).is_err());
    let mut problem = two_cubes();
    problem.gaps.pop();
    let message = solve(&problem, &good).unwrap_err().to_string();
    assert!(message.contains("gaps"), "{message}");
    let mut problem = two_cubes();
    problem.gaps[0] = f32::INFINITY;
    assert!(solve(&problem, &good).is_err());
}
