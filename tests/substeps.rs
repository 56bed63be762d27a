//! A step in substeps means what it says: repeated small solves on the geometry of its start.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use approx::assert_relative_eq;
use drystone::math::Vec3;
use drystone::problem::{Body, Contact, FrictionCone, JointRow, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::solver::substeps::{
    GapLaw, PositionPlan, RowLaw, SubstepPlan, SubstepProblem, SubstepSolution,
};
use drystone::solver::{Options, Solution, Solver, Velocity};
use drystone::stabilize::{Baumgarte, Scheme};
use drystone::step::Simulation;
use std::path::Path;

const H: f32 = 1.0 / 60.0;
const G: f32 = 9.81;

/// A heavy cube on a light one, hitting the ground aslant, and the upper one held back by a rod.
fn two_cubes() -> SubstepProblem {
    let cube = |inverse_mass: f32, linear: [f32; 3]| {
        let i = 6.0 * inverse_mass;
        Body::dynamic(
            inverse_mass,
            [i, 0.0, 0.0, i, 0.0, i],
            linear,
            [0.0, 0.3, 0.0],
        )
    };
    let mut problem = SubstepProblem {
        problem: Problem {
            bodies: vec![
                Body::immovable([0.0; 3], [0.0; 3]),
                cube(1.0, [0.4, 0.0, -1.0]),
                cube(0.2, [0.1, 0.2, -1.0]),
            ],
            friction_cone: FrictionCone::Pyramid { directions: 8 },
            ..Problem::default()
        },
        increments: vec![Velocity::default(); 3],
        ..SubstepProblem::default()
    };
    for upper in [1_usize, 2] {
        problem.increments[upper].linear = [0.0, 0.0, -G * H];
        for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
            problem.problem.contacts.push(Contact {
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
    problem.problem.joint_rows.push(JointRow {
        body_a: 2,
        body_b: 0,
        linear: [1.0, 0.0, 0.0],
        angular_a: [0.0, 0.5, 0.0],
        angular_b: [0.0; 3],
        bias: 0.0,
        softness: 0.0,
        lower: -JointRow::UNBOUNDED,
        upper: JointRow::UNBOUNDED,
        impulse: 0.0,
    });
    problem.row_laws.push(RowLaw {
        error: 1e-3,
        rate: 0.0,
        memory: 0.0,
        offset: 0.0,
        change: 0.02,
        rounding: 0.0,
        max_correction: 0.01,
        is_gap: 0,
    });
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
    for contact in &mut problem.problem.contacts {
        contact.friction = 0.0;
    }
    for substeps in [1, 3, 8] {
        let plan = plan(substeps, converged());
        let mut swept = SubstepSolution::default();
        let mut pivoted = SubstepSolution::default();
        let report = CpuSolver::new()
            .solve_substeps(&problem, &plan, &mut swept)
            .unwrap();
        assert_eq!(report.velocity.iterations, 4000 * substeps);
        assert!(report.worst_residual_max < 1e-5, "{report:?}");
        LemkeSolver::new()
            .solve_substeps(&problem, &plan, &mut pivoted)
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
fn ball(gap: f32, speed: f32, restitution: f32) -> SubstepProblem {
    SubstepProblem {
        problem: Problem {
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
            ..Problem::default()
        },
        increments: vec![
            Velocity {
                linear: [0.0, 0.0, -0.2],
                angular: [0.0; 3],
            },
            Velocity::default(),
        ],
        gaps: vec![gap],
        restitutions: vec![restitution],
        ..SubstepProblem::default()
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
        velocity: converged(),
        position: None,
    };
    let mut solution = SubstepSolution::default();
    let mut step = |problem: &SubstepProblem, plan: &SubstepPlan| {
        CpuSolver::new()
            .solve_substeps(problem, plan, &mut solution)
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

    // The same with e = 0.5: before the second substep it falls at 1.1, and rises at 0.55 after it.
    let bounced = step(&ball(0.06, -1.0, 0.5), &plan);
    near(bounced.changes[0].linear[2], 1.2 + 0.55);

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
fn two_substeps_equal_two_solves() {
    // The cubes, without a position pass: the second substep's problem written from the first one's answer.
    let problem = SubstepProblem {
        row_laws: vec![RowLaw {
            change: 0.0,
            rate: 30.0,
            ..two_cubes().row_laws[0]
        }],
        ..two_cubes()
    };
    let options = Options {
        iterations: 3,
        ..Options::default()
    };
    let plan = SubstepPlan {
        position: None,
        ..plan(2, options)
    };
    let mut solution = SubstepSolution::default();
    let mut solver = CpuSolver::new();
    solver
        .solve_substeps(&problem, &plan, &mut solution)
        .unwrap();

    let h_s = f64::from(H) / 2.0;
    let mut bodies = problem.problem.bodies.clone();
    let mut moved = vec![[0.0_f64; 6]; 3];
    let mut by_hand = Solution::default();
    let mut impulses = vec![[0.0; 3]; problem.gaps.len()];
    let mut row_impulse = 0.0;
    for _ in 0..2 {
        let mut solve = problem.problem.clone();
        for (body, increment) in bodies.iter_mut().zip(&problem.increments) {
            for i in 0..3 {
                body.linear_velocity[i] += 0.5 * increment.linear[i];
            }
        }
        solve.bodies.clone_from(&bodies);
        let point = |body: u32, arm: [f32; 3]| {
            let m = &moved[body as usize];
            let (linear, angular) = (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]));
            linear + angular.cross(&drystone::math::widen(arm))
        };
        for (index, contact) in solve.contacts.iter_mut().enumerate() {
            let apart = point(contact.body_a, contact.arm_a) - point(contact.body_b, contact.arm_b);
            let gap = f64::from(problem.gaps[index]) + apart.z;
            contact.bias = plan.gap_law.bias(gap, 0.0, h_s) as f32;
            contact.impulse = impulses[index];
        }
        let rod = &mut solve.joint_rows[0];
        let error = 1e-3 + moved[2][0] + 0.5 * moved[2][4];
        (rod.bias, rod.impulse) = ((30.0 * error) as f32, row_impulse);
        solver.solve(&solve, &options, &mut by_hand).unwrap();
        impulses.clone_from(&by_hand.impulses);
        row_impulse = by_hand.joint_impulses[0];
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
        let before = &problem.problem.bodies[body];
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

fn parse(text: &str) -> Scene {
    Scene::parse(Path::new("test.toml"), text, &Overrides::default()).unwrap()
}

fn simulation(mut scene: Scene, change: impl FnOnce(&mut Scene)) -> Simulation {
    change(&mut scene);
    Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap()
}

fn load(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.toml"));
    Scene::load(&path, &Overrides::default()).unwrap()
}

const TUMBLING: &str = r#"
name = "tumbling"
[simulation]
dt = 0.01
steps = 40
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[fill]]
region = { type = "box", min = [-0.4, -0.4, 0.01], max = [0.4, 0.4, 1.0] }
arrangement = "jittered"
spacing = 0.2
jitter = 0.01
count = 30
density = 1000.0
random_orientation = true
shapes = [{ shape = { type = "box", half_extents = [0.06, 0.05, 0.04] } }]
"#;

#[test]
fn one_substep_without_positions_is_an_ordinary_step() {
    for scheme in [
        Scheme::None,
        Scheme::Implicit,
        Scheme::Gamma { gamma: 0.3 },
        Scheme::Baumgarte(Baumgarte::Velocity { kappa: 20.0 }),
        Scheme::Baumgarte(Baumgarte::oscillator(40.0, 1.0)),
    ] {
        let make = |substeps| {
            simulation(parse(TUMBLING), |scene| {
                scene.settings.substeps = substeps;
                scene.settings.slop = Some(0.0);
                scene.settings.stabilization.contacts = scheme;
                scene.settings.stabilization.joints = scheme;
                scene.settings.solver.iterations = 400;
            })
        };
        let (mut whole, mut divided) = (make(0), make(1));
        let mut contacts = 0;
        for _ in 0..15 {
            contacts = contacts.max(whole.step().unwrap().contacts);
            let report = divided.step().unwrap();
            assert!(report.position.is_none());
            for (a, b) in whole.world().bodies.iter().zip(&divided.world().bodies) {
                let off = (a.linear_velocity - b.linear_velocity).norm();
                assert!(off < 2e-4, "{scheme:?}: {off}");
            }
        }
        assert!(contacts > 5, "{contacts} contacts");
    }
}

#[test]
fn free_flight_is_exact() {
    let text = r#"
name = "flight"
[simulation]
dt = 0.1
steps = 30
substeps = 4
[[body]]
name = "brick"
shape = { type = "box", half_extents = [0.3, 0.2, 0.1] }
position = [1000000.0, 0, 0]
density = 1000
linear_velocity = [30, 0, 20]
angular_velocity = [0.01, 3.0, 0.0]
"#;
    let scene = parse(text);
    let mut divided = simulation(scene.clone(), |_| {});
    let mut whole = simulation(scene, |scene| scene.settings.substeps = 0);
    for _ in 0..30 {
        divided.step().unwrap();
        whole.step().unwrap();
    }
    let (t, h_s, g) = (3.0, 0.025, 9.81);
    let brick = &divided.world().bodies[0];
    assert_relative_eq!(brick.pose.position.x, 1e6 + 30.0 * t, max_relative = 1e-15);
    let z = 20.0 * t - 0.5 * g * t * (t + h_s);
    assert!((brick.pose.position.z - z).abs() < 1e-12);
    assert!((brick.linear_velocity.z - (20.0 - g * t)).abs() < 1e-12);
    // Nothing turns it but itself: the same spin and the same orientation.
    let other = &whole.world().bodies[0];
    assert!((brick.angular_velocity - other.angular_velocity).norm() < 1e-12);
    assert!(brick.pose.orientation.angle_to(&other.pose.orientation) < 1e-7);
}

#[test]
fn a_ball_bounces_once_a_landing() {
    let text = r#"
name = "bounce"
[simulation]
dt = 0.004
duration = 3.0
substeps = 4
[materials.default]
friction = 0.0
restitution = 0.7
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 1.1]
density = 1000
"#;
    let mut run = simulation(parse(text), |_| {});
    let (mut peaks, mut highest, mut falling) = (Vec::new(), 0.0_f64, true);
    for _ in 0..750 {
        run.step().unwrap();
        let ball = &run.world().bodies[1];
        let rises = ball.linear_velocity.z > 0.0;
        if rises && falling {
            highest = 0.0;
        } else if !rises && !falling {
            peaks.push(highest);
        }
        highest = highest.max(ball.pose.position.z - 0.1);
        falling = !rises;
    }
    assert!(peaks.len() >= 3, "{peaks:?}");
    for (n, peak) in peaks.iter().take(3).enumerate() {
        let expected = 0.7_f64.powi(2 * (n as i32 + 1));
        assert_relative_eq!(*peak, expected, max_relative = 0.01);
    }
}

#[test]
fn a_stack_of_thirty_stands() {
    let scene = load("basics/stack30");
    let (steps, gh) = (scene.steps, 9.81 * scene.settings.time_step);
    let mut run = simulation(scene, |scene| assert_eq!(scene.settings.substeps, 4));
    let start: Vec<Vec3> = positions(&run);
    let (mut worst, mut drift) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        worst = worst.max(run.step().unwrap().penetration.max);
        for (now, before) in positions(&run).iter().zip(&start) {
            drift = drift.max((now.x - before.x).hypot(now.y - before.y));
        }
    }
    assert!(worst <= 2e-3, "penetration {worst} m");
    assert!(drift <= 5e-3, "drift {drift} m");
    let bodies = &run.world().bodies;
    let squares: f64 = bodies
        .iter()
        .map(|b| b.linear_velocity.norm_squared())
        .sum();
    let speed = (squares / bodies.len() as f64).sqrt();
    assert!(speed < 0.2 * gh, "still moves at {speed} m/s");
}

fn positions(run: &Simulation) -> Vec<Vec3> {
    run.world().bodies.iter().map(|b| b.pose.position).collect()
}

#[test]
fn energy_does_not_grow_at_rest() {
    let mut run = simulation(parse(TUMBLING), |scene| {
        scene.settings.substeps = 4;
        scene.settings.solver.iterations = 4;
        scene.settings.stabilization.post.solver.iterations = 1;
    });
    let mut last = 0.0;
    for step in 0..400 {
        let report = run.step().unwrap();
        let energy = report.energy.kinetic + report.energy.potential;
        if step == 200 {
            last = energy;
        }
        // Correcting penetrations may lift bodies by the slop, and no more.
        if step > 200 {
            assert!(
                energy < last * (1.0 + 1e-3),
                "step {step}: {last} to {energy}"
            );
            last = last.min(energy);
        }
    }
    assert!(run.penetration().mean < 1e-3 * 0.1);
}

#[test]
fn threads_do_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut run = simulation(load("bench/pile_spheres_1k"), |scene| {
                scene.settings.substeps = 3;
                scene.settings.solver.iterations = 2;
                scene.settings.stabilization.post.solver.iterations = 1;
            });
            for _ in 0..45 {
                run.step().unwrap();
            }
            assert!(run.contacts().len() > 500, "{}", run.contacts().len());
            positions(&run)
        })
    };
    assert_eq!(run(1), run(4));
}

/// A bar on a hinge at the origin, and what is asked of it.
fn bar(joint: &str, more: &str) -> String {
    format!(
        r#"
name = "bar"
[simulation]
dt = 0.01
steps = 50
[solver]
iterations = 400
[[body]]
name = "bar"
shape = {{ type = "box", half_extents = [0.5, 0.05, 0.05] }}
position = [0.5, 0, 0]
mass = 2.0
{more}
[[joint]]
a = "bar"
{joint}
"#
    )
}

#[test]
fn joints_do_what_they_do_in_smaller_steps() {
    let hinge = "type = \"hinge\"\nanchor = [0, 0, 0]\naxis = [0, 1, 0]\n";
    let cases = [
        ("swing", bar(hinge, "")),
        (
            "motor",
            bar(
                &format!(
                    "{hinge}motor = {{ type = \"velocity\", target = 2.0, max_force = 30.0 }}"
                ),
                "",
            ),
        ),
        (
            "weak motor",
            bar(
                &format!(
                    "{hinge}motor = {{ type = \"velocity\", target = -9.0, max_force = 4.0 }}"
                ),
                "",
            ),
        ),
        (
            "spring",
            bar(
                &format!("{hinge}spring = {{ stiffness = 60.0, damping = 2.0 }}"),
                "",
            ),
        ),
        ("limits", bar(&format!("{hinge}limits = [-0.4, 0.4]"), "")),
    ];
    for (name, text) in &cases {
        for scheme in [
            Scheme::Post,
            Scheme::Implicit,
            Scheme::Gamma { gamma: 0.5 },
            Scheme::Baumgarte(Baumgarte::Velocity { kappa: 30.0 }),
            Scheme::Baumgarte(Baumgarte::oscillator(30.0, 1.0)),
        ] {
            let make = |substeps: u32, time_step: f64| {
                simulation(parse(text), |scene| {
                    scene.settings.substeps = substeps;
                    scene.settings.time_step = time_step;
                    scene.settings.stabilization.joints = scheme;
                })
            };
            let (mut whole, mut divided, mut small) =
                (make(0, 0.01), make(4, 0.01), make(0, 0.0025));
            let mut error = 0.0_f64;
            for _ in 0..50 {
                whole.step().unwrap();
                error = error.max(divided.step().unwrap().joints.linear_max);
                for _ in 0..4 {
                    small.step().unwrap();
                }
            }
            let apart = |a: &Simulation| (positions(a)[0] - positions(&small)[0]).norm();
            let (off, off_whole) = (apart(&divided), apart(&whole));
            assert!(
                off < 2.0 * off_whole + 1e-3,
                "{name}, {scheme:?}: {off} of {off_whole}"
            );
            assert!(error < 3e-3, "{name}, {scheme:?}: error {error}");
        }
    }
}

#[test]
fn joints_break_by_the_load_of_the_whole_step() {
    let text = |most: f64| {
        bar(
            &format!("type = \"fixed\"\nanchor = [0.5, 0, 0]\nbreaking_force = {most}"),
            "",
        )
    };
    // The weight is 19.62 N, whatever the number of substeps.
    for substeps in [0, 1, 5] {
        for (most, breaks) in [(19.0, true), (20.5, false)] {
            let mut run = simulation(parse(&text(most)), |scene| {
                scene.settings.substeps = substeps;
            });
            let broke: usize = (0..20).map(|_| run.step().unwrap().broken_joints).sum();
            assert_eq!(broke > 0, breaks, "{substeps} substeps, {most} N");
        }
    }
}

#[test]
fn a_prescribed_velocity_is_followed() {
    let run = |substeps: u32| {
        let mut run = simulation(load("papers/three_link_bar"), |scene| {
            scene.settings.substeps = substeps;
        });
        let (mut error, mut velocity) = (0.0_f64, 0.0_f64);
        for _ in 0..200 {
            let joints = run.step().unwrap().joints;
            error = error.max(joints.linear_max);
            velocity = velocity.max(joints.velocity_max);
        }
        (error, velocity)
    };
    let (whole, divided) = (run(0), run(4));
    assert!(divided.0 < 0.5 * whole.0, "{divided:?} {whole:?}");
    assert!(divided.1 < 1.05 * whole.1, "{divided:?} {whole:?}");
}

#[test]
fn bad_plans_and_problems_are_refused() {
    let solve = |problem: &SubstepProblem, plan: &SubstepPlan| {
        CpuSolver::new().solve_substeps(problem, plan, &mut SubstepSolution::default())
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
