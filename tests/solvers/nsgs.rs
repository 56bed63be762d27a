//! Block Gauss–Seidel in f64: against Lemke, in closed cases, with joints, and what is refused.

use crate::support::problems::{Recipe, random_problem};
use drystone::problem::{Body, Contact, FrictionCone, JointRow, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::{
    Acceleration, Impulses, LocalRule, NsgsOptions, NsgsOutcome, NsgsSolver, solve_from,
};
use drystone::solver::reference::{LemkeSolver, judge};
use drystone::solver::{Options, Solution, Solver, Status};
use drystone::step::Simulation;
use std::path::Path;

/// Gravity `[m/s^2]`.
const G: f32 = 9.81;

fn solve(problem: &Problem, options: &NsgsOptions) -> NsgsOutcome {
    solve_from(problem, &Impulses::zeros(problem), options).unwrap()
}

/// Largest difference of two sets of velocities `[m/s]`, `[rad/s]`.
fn velocity_difference(a: &NsgsOutcome, b: &NsgsOutcome) -> f64 {
    a.velocities
        .iter()
        .zip(&b.velocities)
        .map(|(a, b)| (a.0 - b.0).amax().max((a.1 - b.1).amax()))
        .fold(0.0, f64::max)
}

fn small(seed: u64) -> Problem {
    let recipe = Recipe {
        movable: 3,
        immovable: 1,
        pairs: 3,
        points: 2,
        cone: [4, 8].map(|directions| FrictionCone::Pyramid { directions })[(seed % 2) as usize],
        friction: [0.2, 0.5, 0.8][(seed % 3) as usize],
        ..Recipe::default()
    };
    random_problem(&recipe, seed)
}

#[test]
fn it_finds_the_velocities_that_pivoting_finds() {
    let (mut worst, mut others) = (0.0_f64, 0);
    for seed in 0..200 {
        let problem = small(seed);
        let found = solve(&problem, &NsgsOptions::default());
        let mut lemke = LemkeSolver::new();
        lemke
            .solve(&problem, &Options::default(), &mut Solution::default())
            .unwrap();
        assert!(
            found.residual_max < 1e-11,
            "seed {seed}: {:?} after {}, {:e}",
            found.status,
            found.iterations,
            found.residual_max
        );
        let pivoted = &lemke.report().verdict;
        assert!(pivoted.residual_max < 1e-9);
        let difference = found
            .velocities
            .iter()
            .zip(&pivoted.velocities)
            .map(|(a, b)| (a.0 - b.0).amax().max((a.1 - b.1).amax()))
            .fold(0.0, f64::max);
        if difference < 1e-8 {
            worst = worst.max(difference);
            continue;
        }
        // Another solution of the same problem: a start at Lemke's stays there.
        others += 1;
        let start = Impulses {
            contacts: lemke.report().impulses.clone(),
            joint_rows: Vec::new(),
        };
        let stayed = solve_from(&problem, &start, &NsgsOptions::default()).unwrap();
        assert!(
            stayed
                .velocities
                .iter()
                .zip(&pivoted.velocities)
                .all(|(a, b)| (a.0 - b.0).amax() < 1e-8),
            "seed {seed}"
        );
    }
    println!("largest difference {worst:e}, {others} with several solutions");
    assert!(others <= 4, "{others}");
}

/// A box pushed along `angle` on the ground, with contacts at its four lower corners.
fn pushed_box(cone: FrictionCone, angle: f32) -> Problem {
    let friction = 0.5;
    let (sin, cos) = angle.sin_cos();
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    Problem {
        bodies: vec![
            Body::immovable([0.0; 3], [0.0; 3]),
            Body::dynamic(
                1.0,
                [6.0, 0.0, 0.0, 6.0, 0.0, 6.0],
                [0.3 * cos, 0.3 * sin, -G * 0.01],
                [0.0; 3],
            ),
        ],
        contacts: corners
            .into_iter()
            .map(|[x, y]| Contact {
                body_a: 1,
                body_b: 0,
                // The friction acts at the height of the centre, so that it does not tip the box.
                arm_a: [x, y, 0.0],
                arm_b: [x, y, 0.0],
                normal: [0.0, 0.0, 1.0],
                bias: 0.0,
                friction,
                impulse: [0.0; 3],
            })
            .collect(),
        friction_cone: cone,
        ..Problem::default()
    }
}

#[test]
fn a_sliding_box_meets_the_friction_of_its_cone() {
    let pyramid = |directions| FrictionCone::Pyramid { directions };
    for (cone, degrees, expected) in [
        (pyramid(4), 45.0_f32, 0.5_f64.sqrt()),
        (pyramid(8), 22.5, (std::f64::consts::PI / 8.0).cos()),
        (FrictionCone::Disk, 22.5, 1.0),
        (FrictionCone::Disk, 45.0, 1.0),
    ] {
        let problem = pushed_box(cone, degrees.to_radians());
        let outcome = solve(&problem, &NsgsOptions::default());
        let mut sum = [0.0; 3];
        for impulse in &outcome.impulses.contacts {
            for (sum, x) in sum.iter_mut().zip(impulse) {
                *sum += x;
            }
        }
        let ratio = sum[1].hypot(sum[2]) / (0.5 * sum[0]);
        println!("{cone:?} at {degrees}: {ratio}");
        assert!((ratio - expected).abs() < 1e-4, "{cone:?}: {ratio}");
        assert!((sum[0] - f64::from(G * 0.01)).abs() < 1e-9);
    }
}

/// The rows of a ball joint between body 1 and the immovable body 0, `arm` from the first's centre.
fn ball_joint(arm: [f32; 3]) -> Vec<JointRow> {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .into_iter()
        .map(|linear: [f32; 3]| JointRow {
            body_a: 1,
            body_b: 0,
            linear,
            angular_a: drystone::internals::math::cross(arm, linear),
            angular_b: [0.0; 3],
            bias: 0.0,
            softness: 0.0,
            lower: -JointRow::UNBOUNDED,
            upper: JointRow::UNBOUNDED,
            impulse: 0.0,
        })
        .collect()
}

/// A rod held horizontally at one end and let go: the pivot carries a quarter of its weight.
#[test]
fn a_pendulum_let_go_hangs_a_quarter_of_its_weight_on_the_pivot() {
    let h = 0.01_f32;
    let (mass, half) = (2.0_f32, 0.5_f32);
    let inverse = 3.0 / (mass * half * half);
    let problem = Problem {
        bodies: vec![
            Body::immovable([0.0; 3], [0.0; 3]),
            Body::dynamic(
                1.0 / mass,
                [1e3, 0.0, 0.0, inverse, 0.0, inverse],
                [0.0, 0.0, -G * h],
                [0.0; 3],
            ),
        ],
        joint_rows: ball_joint([-half, 0.0, 0.0]),
        ..Problem::default()
    };
    let outcome = solve(&problem, &NsgsOptions::default());
    assert_eq!(outcome.status, Status::Converged);
    // One group, solved exactly: one sweep.
    assert!(outcome.iterations <= 8, "{}", outcome.iterations);
    let weight = f64::from(mass * G * h);
    let [x, y, z] = outcome.impulses.joint_rows[..] else {
        panic!("three rows");
    };
    assert!(x.abs() < 1e-12 && y.abs() < 1e-12);
    assert!((z - 0.25 * weight).abs() < 1e-7 * weight, "{z} {weight}");
    // The free end starts with 3/2 g.
    let (linear, angular) = outcome.velocities[1];
    let tip = linear.z - f64::from(half) * angular.y;
    assert!((tip + 1.5 * f64::from(G * h)).abs() < 1e-7, "{tip}");

    // The same joint twice is no more than once.
    let mut twice = problem.clone();
    twice.joint_rows.extend(ball_joint([-half, 0.0, 0.0]));
    let again = solve(&twice, &NsgsOptions::default());
    assert_eq!(again.status, Status::Converged);
    assert!(velocity_difference(&outcome, &again) < 1e-12);
}

/// A chain of rods that hangs from the ground, every link turned and moving, the last one heavy.
fn chain(links: u32, heavy: f32) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    for link in 1..=links {
        let mass = if link == links { heavy } else { 1.0 };
        let speed = (link as f32).sin();
        problem.bodies.push(Body::dynamic(
            1.0 / mass,
            [12.0 / mass, 0.0, 0.0, 12.0 / mass, 0.0, 40.0 / mass],
            [0.1 * speed, -0.05, -G * 0.01],
            [0.2, speed, -0.1],
        ));
        for mut row in ball_joint([0.05, -0.02, 0.5]) {
            row.body_a = link;
            row.body_b = link - 1;
            if link > 1 {
                let arm = [-0.05, 0.02, -0.5];
                row.angular_b = drystone::internals::math::cross(row.linear, arm);
            }
            problem.joint_rows.push(row);
        }
    }
    problem
}

/// Impulses that hold every joint and change momenta by what they are, both found here anew.
#[test]
fn a_chain_holds_together_and_keeps_its_momentum() {
    for (links, heavy) in [(6, 1.0), (20, 1.0), (6, 100.0)] {
        let problem = chain(links, heavy);
        let outcome = solve(&problem, &NsgsOptions::default());
        println!(
            "{links} links, last one {heavy}: {} sweeps, residual {:e}",
            outcome.iterations, outcome.residual_max
        );
        assert!(outcome.residual_max < 1e-12, "{:e}", outcome.residual_max);
        let wide = drystone::internals::math::widen;
        for row in &problem.joint_rows {
            let [a, b] = [row.body_a, row.body_b].map(|body| outcome.velocities[body as usize]);
            let error = wide(row.linear).dot(&(a.0 - b.0))
                + wide(row.angular_a).dot(&a.1)
                + wide(row.angular_b).dot(&b.1);
            assert!(error.abs() < 1e-12, "{error:e}");
        }
        for (index, body) in problem.bodies.iter().enumerate().skip(1) {
            let mut momentum = nalgebra::Vector3::zeros();
            for (row, r) in problem.joint_rows.iter().zip(&outcome.impulses.joint_rows) {
                if row.body_a as usize == index {
                    momentum += *r * wide(row.linear);
                }
                if row.body_b as usize == index {
                    momentum -= *r * wide(row.linear);
                }
            }
            let change = momentum * f64::from(body.inverse_mass);
            assert!((change - outcome.changes[index].0).norm() < 1e-12);
        }
    }
}

/// A motor of bounded strength, a limit and a spring, each alone on one axis.
#[test]
fn bounded_and_soft_rows_obey_their_laws() {
    let row = |bias: f32, softness: f32, lower: f32, upper: f32| JointRow {
        body_a: 1,
        body_b: 0,
        linear: [1.0, 0.0, 0.0],
        angular_a: [0.0; 3],
        angular_b: [0.0; 3],
        bias,
        softness,
        lower,
        upper,
        impulse: 0.0,
    };
    let solve_row = |row: JointRow| {
        let problem = Problem {
            bodies: vec![
                Body::immovable([0.0; 3], [0.0; 3]),
                Body::dynamic(
                    0.5,
                    [1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
                    [-1.0, 0.0, 0.0],
                    [0.0; 3],
                ),
            ],
            joint_rows: vec![row],
            ..Problem::default()
        };
        let outcome = solve(&problem, &NsgsOptions::default());
        assert!(outcome.residual_max < 1e-15, "{outcome:?}");
        outcome.impulses.joint_rows[0]
    };
    let unbounded = JointRow::UNBOUNDED;
    // A stop: brings 2 kg at 1 m/s to rest, and never pulls.
    assert!((solve_row(row(0.0, 0.0, 0.0, unbounded)) - 2.0).abs() < 1e-14);
    assert_eq!(solve_row(row(3.0, 0.0, 0.0, unbounded)), 0.0);
    // A motor that is too weak gives all it has.
    assert!((solve_row(row(0.0, 0.0, -0.75, 0.75)) - 0.75).abs() < 1e-14);
    assert!((solve_row(row(0.9375, 0.0, -0.75, 0.75)) - 0.125).abs() < 1e-14);
    // A spring: u = 0.5 r - 1 + 1.5 r = 0.
    assert!((solve_row(row(0.0, 1.5, -unbounded, unbounded)) - 0.5).abs() < 1e-14);
}

#[test]
fn every_rule_and_acceleration_finds_the_same_velocities() {
    let recipe = Recipe {
        movable: 12,
        immovable: 2,
        pairs: 16,
        points: 2,
        ..Recipe::default()
    };
    for seed in 0..8 {
        let problem = random_problem(&recipe, seed);
        let expected = solve(&problem, &NsgsOptions::default());
        assert!(expected.residual_max < 1e-12, "{:e}", expected.residual_max);
        for local in [
            LocalRule::Product { iterations: 1 },
            LocalRule::Product { iterations: 50 },
            LocalRule::Cone { iterations: 1 },
            LocalRule::Cone { iterations: 50 },
        ] {
            for acceleration in [Acceleration::None, Acceleration::Anderson { depth: 4 }] {
                let options = NsgsOptions {
                    local,
                    acceleration,
                    ..NsgsOptions::default()
                };
                let found = solve(&problem, &options);
                let difference = velocity_difference(&found, &expected);
                assert!(
                    difference < 1e-9,
                    "seed {seed} {options:?}: {difference:e}, residual {:e}",
                    found.residual_max
                );
            }
        }
    }
}

#[test]
fn a_solver_fills_what_solvers_fill() {
    let recipe = Recipe {
        immovable: 0,
        pairs: 150,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, 5);
    let mut solver = NsgsSolver::new();
    let mut solution = Solution::default();
    let options = Options {
        iterations: 2_000,
        tolerance: 1e-6,
        warm_start: false,
        ..Options::default()
    };
    let cold = solver.solve(&problem, &options, &mut solution).unwrap();
    assert_eq!(solver.backend(), "nsgs");
    assert_eq!(cold.status, Status::Converged, "{cold:?}");
    assert_eq!(solution.impulses.len(), problem.contacts.len());
    assert_eq!(solution.changes.len(), problem.bodies.len());
    for ((body, velocity), change) in problem
        .bodies
        .iter()
        .zip(&solution.velocities)
        .zip(&solution.changes)
    {
        for d in 0..3 {
            let sum = body.linear_velocity[d] + change.linear[d];
            assert!((sum - velocity.linear[d]).abs() < 1e-5);
        }
        assert!(body.is_movable() || change.linear == [0.0; 3]);
    }
    // The judge of the other backends agrees, up to the rounding of the impulses to f32.
    let verdict = judge(&problem, &solution.impulses, &solution.joint_impulses).unwrap();
    assert!((verdict.residual_rms - f64::from(cold.residual_rms)).abs() < 2e-7);
    // Its own answer is where it stops at once.
    for (contact, impulse) in problem.contacts.iter_mut().zip(&solution.impulses) {
        contact.impulse = *impulse;
    }
    let options = Options {
        warm_start: true,
        tolerance: 2e-6,
        ..options
    };
    let warm = solver.solve(&problem, &options, &mut solution).unwrap();
    assert_eq!((warm.status, warm.iterations), (Status::Converged, 0));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let problem = small(1);
    let zeros = Impulses::zeros(&problem);
    let refused = |options: NsgsOptions| solve_from(&problem, &zeros, &options).is_err();
    let options = NsgsOptions::default();
    assert!(refused(NsgsOptions {
        iterations: 0,
        ..options
    }));
    assert!(refused(NsgsOptions {
        tolerance: f64::NAN,
        ..options
    }));
    assert!(refused(NsgsOptions {
        local: LocalRule::Cone { iterations: 5 },
        ..options
    }));
    assert!(refused(NsgsOptions {
        acceleration: Acceleration::Anderson { depth: 0 },
        ..options
    }));
    assert!(solve_from(&problem, &Impulses::default(), &options).is_err());
    let mut wild = zeros.clone();
    wild.contacts[0][1] = f64::INFINITY;
    assert!(solve_from(&problem, &wild, &options).is_err());
}

/// Sweeps to round-off, plain and accelerated.
#[test]
fn acceleration_saves_sweeps() {
    let mut total = [0, 0];
    for (seed, pairs) in [(5, 60), (6, 60), (5, 100), (6, 100), (6, 150)] {
        let recipe = Recipe {
            immovable: 0,
            pairs,
            ..Recipe::default()
        };
        let problem = random_problem(&recipe, seed);
        let sweeps = [Acceleration::None, Acceleration::default()].map(|acceleration| {
            let options = NsgsOptions {
                acceleration,
                ..NsgsOptions::default()
            };
            let outcome = solve(&problem, &options);
            assert!(outcome.residual_rms < 1e-14, "{:e}", outcome.residual_rms);
            outcome.iterations
        });
        println!("{pairs} pairs, seed {seed}: {sweeps:?} sweeps");
        total = [total[0] + sweeps[0], total[1] + sweeps[1]];
    }
    assert!(3 * total[1] < total[0], "{total:?}");
}

/// Rocks with mu = 1, dropped into a narrow box: with many steps in every visit some such piles stay at a
/// residual of 4e-4 g h.
#[test]
fn rocks_do_not_stall() {
    for seed in [3, 4] {
        let text = format!(
            r#"name = "rocks"
[simulation]
dt = 0.016666666666666666
steps = 1
seed = {seed}
[solver]
method = "pgs"
iterations = 40
[stabilization]
method = "post"
iterations = 15
[materials.default]
friction = 1.0
[[container]]
name = "box"
inner = [4.9, 4.9, 11.6]
thickness = 1.0
[[fill]]
name = "pile"
region = {{ type = "box", min = [-2.45, -2.45, 0.05], max = [2.45, 2.45, 9.6] }}
arrangement = "jittered"
spacing = 1.6
jitter = 0.02
count = 40
shapes = [
    {{ shape = {{ type = "box", half_extents = [0.5, 0.35, 0.25] }} }},
    {{ shape = {{ type = "box", half_extents = [0.4, 0.35, 0.3] }} }},
    {{ shape = {{ type = "compound", parts = [
        {{ shape = {{ type = "box", half_extents = [0.45, 0.3, 0.2] }} }},
        {{ shape = {{ type = "box", half_extents = [0.25, 0.3, 0.3] }}, position = [0.15, 0.0, 0.2] }},
    ] }} }},
]
scale = {{ type = "uniform", min = 0.6, max = 1.0 }}
random_orientation = true
density = 2500.0
"#
        );
        let scene = Scene::parse(Path::new("rocks.toml"), &text, &Overrides::default()).unwrap();
        let solver = Box::new(CpuSolver::new());
        let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
        for _ in 0..120 {
            simulation.step().unwrap();
        }
        let problem = simulation.velocity_problem();
        let gh = f64::from(G) / 60.0;
        let residual = |local| {
            let options = NsgsOptions {
                local,
                ..NsgsOptions::default()
            };
            solve(problem, &options).residual_rms / gh
        };
        let found = residual(LocalRule::default());
        let many = residual(LocalRule::Product { iterations: 50 });
        println!("seed {seed}: {found:e} g h; 50 steps throughout: {many:e}");
        assert!(found < 2e-4, "seed {seed}: {found:e}");
    }
}
