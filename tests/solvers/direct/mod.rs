//! The direct start: against dense solutions, and where it has to be careful.

mod cases;
mod hubs;
mod sweeps;

use crate::support::backends;
use crate::support::joints::{angular_row, ball, linear_row};
use crate::support::linkages::{FALL, LINK, add_ragdoll, chain, link, shaken};
use crate::support::problems::{Recipe, generator, random_problem};
use drystone::internals::batches::Batches;
use drystone::internals::constants::MAX_COLORS;
use drystone::internals::direct;
use drystone::internals::direct::DirectStart;
use drystone::internals::math;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, Contact, JointRow, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver, Status};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;

/// A problem as dense matrices: `M^-1` and `V`, and a Jacobian with a row for each joint row.
struct Dense {
    inverse_mass: DMatrix<f64>,
    velocity: DVector<f64>,
    jacobian: DMatrix<f64>,
}

impl Dense {
    fn new(problem: &Problem) -> Self {
        let size = 6 * problem.bodies.len();
        let mut inverse_mass = DMatrix::zeros(size, size);
        let mut velocity = DVector::zeros(size);
        for (index, body) in problem.bodies.iter().enumerate() {
            let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
            let inverse = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            for axis in 0..3 {
                let at = 6 * index + axis;
                inverse_mass[(at, at)] = f64::from(body.inverse_mass);
                velocity[at] = f64::from(body.linear_velocity[axis]);
                velocity[at + 3] = f64::from(body.angular_velocity[axis]);
                for other in 0..3 {
                    inverse_mass[(at + 3, 6 * index + 3 + other)] = inverse[(axis, other)];
                }
            }
        }
        let mut jacobian = DMatrix::zeros(problem.joint_rows.len(), size);
        for (index, row) in problem.joint_rows.iter().enumerate() {
            let (a, b) = (6 * row.body_a as usize, 6 * row.body_b as usize);
            for axis in 0..3 {
                jacobian[(index, a + axis)] += f64::from(row.linear[axis]);
                jacobian[(index, a + 3 + axis)] += f64::from(row.angular_a[axis]);
                jacobian[(index, b + axis)] -= f64::from(row.linear[axis]);
                jacobian[(index, b + 3 + axis)] += f64::from(row.angular_b[axis]);
            }
        }
        Self {
            inverse_mass,
            velocity,
            jacobian,
        }
    }

    /// Adds the impulses of the contacts.
    fn push(&mut self, problem: &Problem) {
        for contact in &problem.contacts {
            let (t1, t2) = math::tangents(contact.normal);
            let directions = [contact.normal, t1, t2].map(math::widen);
            let total: Vec3 = directions
                .iter()
                .zip(contact.impulse)
                .map(|(d, r)| d * f64::from(r))
                .sum();
            let mut impulse = DVector::zeros(self.velocity.len());
            for (body, arm, sign) in [
                (contact.body_a, contact.arm_a, 1.0),
                (contact.body_b, contact.arm_b, -1.0),
            ] {
                let at = 6 * body as usize;
                let moment = math::widen(arm).cross(&total) * sign;
                for axis in 0..3 {
                    impulse[at + axis] += sign * total[axis];
                    impulse[at + 3 + axis] += moment[axis];
                }
            }
            self.velocity += &self.inverse_mass * impulse;
        }
    }
}

/// Rows without bounds between bodies that move.
fn equalities(problem: &Problem) -> Vec<usize> {
    let movable = |body: u32| problem.bodies[body as usize].is_movable();
    (0..problem.joint_rows.len())
        .filter(|&index| {
            let row = &problem.joint_rows[index];
            row.is_equality() && (movable(row.body_a) || movable(row.body_b))
        })
        .collect()
}

/// What the direct start is to find: impulses of the rows without bounds, the others and the contacts
/// being as they are; the least, in a sense, where they are not unique.
fn dense_solution(problem: &Problem) -> DVector<f64> {
    let mut dense = Dense::new(problem);
    let chosen = equalities(problem);
    let jacobian = dense.jacobian.select_rows(&chosen);
    let before = std::mem::replace(&mut dense.velocity, DVector::zeros(jacobian.ncols()));
    dense.push(problem);
    for (index, row) in problem.joint_rows.iter().enumerate() {
        if !chosen.contains(&index) {
            let impulse = row.impulse.clamp(row.lower, row.upper);
            let change = dense.jacobian.row(index).transpose() * f64::from(impulse);
            dense.velocity += &dense.inverse_mass * change;
        }
    }
    let mut matrix = &jacobian * &dense.inverse_mass * jacobian.transpose();
    let mut right = -(&jacobian * &dense.velocity);
    let free_velocities = &jacobian * before;
    for (at, &index) in chosen.iter().enumerate() {
        let row = &problem.joint_rows[index];
        matrix[(at, at)] += f64::from(row.softness);
        // Packing leaves f32 of it.
        right[at] -= f64::from((free_velocities[at] + f64::from(row.bias)) as f32);
    }
    let scale = matrix.diagonal().map(|x| 1.0 / x.sqrt());
    let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| {
        scale[i] * matrix[(i, j)] * scale[j]
    });
    let least = scaled.svd(true, true);
    let solution = least.solve(&right.component_mul(&scale), 1e-10).unwrap();
    solution.component_mul(&scale)
}

/// The batches after a direct start, and the impulses of the rows without bounds.
fn started(problem: &Problem) -> (Batches, DirectStart, DVector<f64>) {
    problem.validate().unwrap();
    let mut batches = Batches::pack(problem, MAX_COLORS, true);
    let start = direct::start(&mut batches, 0.0);
    let mut impulses = vec![0.0; problem.joint_rows.len()];
    for (&row, &impulse) in batches.joints.source.iter().zip(&batches.joints.impulses) {
        impulses[row as usize] = f64::from(impulse);
    }
    let chosen: Vec<f64> = equalities(problem)
        .into_iter()
        .map(|index| impulses[index])
        .collect();
    (batches, start, DVector::from_vec(chosen))
}

/// Largest `|J V + bias + softness r|` of the rows without bounds, with the velocities of the batches.
fn largest_velocity(batches: &Batches) -> f64 {
    let mut largest = 0.0_f64;
    for (block, &impulse) in batches.joints.blocks.iter().zip(&batches.joints.impulses) {
        if block.upper < JointRow::UNBOUNDED || block.lower > -JointRow::UNBOUNDED {
            continue;
        }
        let [a, b] = [block.body_a, block.body_b].map(|body| &batches.velocities[body as usize]);
        let u = f64::from(block.free_velocity)
            + math::widen(block.linear).dot(&(math::widen(a.linear) - math::widen(b.linear)))
            + math::widen(block.angular_a).dot(&math::widen(a.angular))
            + math::widen(block.angular_b).dot(&math::widen(b.angular))
            + f64::from(block.softness) * f64::from(impulse);
        largest = largest.max(u.abs());
    }
    largest
}

/// A joint of a random kind, with warm-start impulses: ball, hinge, weld, or spring with a limit.
fn random_joint(random: &mut rand_pcg::Pcg64, a: u32, b: u32) -> Vec<JointRow> {
    let mut arm = || std::array::from_fn(|_| random.random_range(-0.5..0.5_f32));
    let (arm_a, arm_b) = (arm(), arm());
    let mut rows = ball(a, b, arm_a, arm_b).to_vec();
    let axes = [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, -0.8, 0.6]];
    match random.random_range(0..4) {
        0 => {}
        1 => rows.extend(axes[..2].iter().map(|&axis| angular_row(a, b, axis))),
        2 => rows.extend(axes.map(|axis| angular_row(b, a, axis))),
        _ => {
            rows.truncate(2);
            rows[0].softness = random.random_range(0.0..1.0);
            rows[1].lower = 0.0;
        }
    }
    for row in &mut rows {
        row.bias = random.random_range(-0.3..0.3);
        row.impulse = random.random_range(-0.05..0.05);
    }
    rows
}

/// Bodies in a random tree with `loops` more joints than that; the last bodies are immovable.
fn random_mechanism(bodies: u32, loops: u32, seed: u64) -> Problem {
    let recipe = Recipe {
        movable: bodies,
        immovable: 3,
        pairs: bodies,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, seed);
    let random = &mut generator(seed + 1000);
    for body in 1..bodies {
        let parent = random.random_range(0..body);
        problem
            .joint_rows
            .extend(random_joint(random, body, parent));
    }
    for _ in 0..loops {
        let (a, b) = (
            random.random_range(0..bodies),
            random.random_range(0..bodies + 3),
        );
        if a != b {
            problem.joint_rows.extend(random_joint(random, a, b));
        }
    }
    problem
}

fn solve(
    solver: &mut dyn Solver,
    problem: &Problem,
    method: Method,
    iterations: u32,
    direct_joints: bool,
) -> (Solution, Report) {
    let mut solution = Solution::default();
    let options = Options {
        method,
        iterations,
        direct_joints,
        ..Options::default()
    };
    let report = solver.solve(problem, &options, &mut solution).unwrap();
    (solution, report)
}

/// The two plain methods on every backend.
fn solvers() -> Vec<(&'static str, Box<dyn Solver>, Method)> {
    backends::solvers_of(&[Method::GaussSeidel, Method::Jacobi])
}

#[test]
fn trees_agree_with_dense_solutions() {
    for seed in 0..20 {
        let problem = random_mechanism(30, 0, seed);
        let expected = dense_solution(&problem);
        let (batches, start, impulses) = started(&problem);
        assert_eq!(start.rows as usize, expected.len());
        assert_eq!(start.redundant_rows, 0, "seed {seed}");
        let off = (&impulses - &expected).amax() / expected.amax();
        assert!(off < 1e-6, "seed {seed}: {off:e}");
        let left = largest_velocity(&batches);
        assert!(left < 5e-6, "seed {seed}: {left:e}");
    }
}

/// Largest change of a velocity by the start.
fn largest_change(batches: &Batches) -> f64 {
    let parts = batches
        .velocities
        .iter()
        .flat_map(|v| [v.linear, v.angular]);
    parts
        .flatten()
        .fold(0.0, |max, x| f64::from(x.abs()).max(max))
}

#[test]
fn loops_agree_with_dense_solutions() {
    let mut compared = 0;
    for seed in 0..20 {
        let problem = random_mechanism(40, 3, seed);
        let expected = dense_solution(&problem);
        let (batches, start, impulses) = started(&problem);
        assert_eq!(start.rows as usize, expected.len());
        // Two joints between one pair may contradict each other: see the tests of that.
        if start.redundant_rows > 0 {
            continue;
        }
        let off = (&impulses - &expected).amax() / expected.amax();
        assert!(off < 1e-6, "seed {seed}: {off:e}");
        let left = largest_velocity(&batches) / largest_change(&batches);
        assert!(left < 1e-6, "seed {seed}: {left:e}");
        compared += 1;
    }
    assert!(compared > 15, "{compared} compared");
}

/// A problem whose joints move with the bodies' own velocities: no bias, so nothing contradicts.
fn consistent(mut problem: Problem) -> Problem {
    for row in &mut problem.joint_rows {
        row.bias = 0.0;
    }
    problem
}

/// Four hinges along y in a square of four bodies, of which the last is immovable.
fn four_bar() -> Problem {
    let inverse_inertia = [12.0, 0.0, 0.0, 12.0, 0.0, 12.0];
    let mut bodies = vec![Body::dynamic(1.0, inverse_inertia, [0.0, 0.0, -FALL], [0.0; 3]); 3];
    bodies.push(Body::immovable([0.0; 3], [0.0; 3]));
    bodies[1].angular_velocity = [0.3, 1.0, -0.5];
    let corners = [
        [0.5, 0.0, 0.5],
        [0.5, 0.0, -0.5],
        [-0.5, 0.0, -0.5],
        [-0.5, 0.0, 0.5],
    ];
    let mut joint_rows = Vec::new();
    for (a, corner) in corners.into_iter().enumerate() {
        let b = (a + 1) % 4;
        let to = [corner[2], 0.0, -corner[0]];
        joint_rows.extend(ball(a as u32, b as u32, corner, to));
        let axes = [[0.6, 0.0, 0.8], [-0.8, 0.0, 0.6]];
        joint_rows.extend(axes.map(|axis| angular_row(a as u32, b as u32, axis)));
    }
    Problem {
        bodies,
        joint_rows,
        ..Problem::default()
    }
}

/// A straight chain whose last link is held, too.
fn taut_chain(links: u32) -> Problem {
    let mut problem = chain(links, [1.0, 0.0, 0.0]);
    problem.joint_rows.extend(ball(
        links - 1,
        links,
        [0.5 * LINK, 0.0, 0.0],
        [LINK * links as f32, 0.0, 0.0],
    ));
    problem
}

/// Every joint twice: once as it is, and once from the other side.
fn doubled(mut problem: Problem) -> Problem {
    let again: Vec<JointRow> = problem
        .joint_rows
        .iter()
        .map(|row| JointRow {
            body_a: row.body_b,
            body_b: row.body_a,
            linear: row.linear.map(|x| -x),
            angular_a: row.angular_b,
            angular_b: row.angular_a,
            ..*row
        })
        .collect();
    problem.joint_rows.extend(again);
    problem
}

#[test]
fn redundant_rows_are_found_and_do_no_harm() {
    let cases = [
        (
            "doubled tree",
            doubled(consistent(random_mechanism(20, 0, 3))),
        ),
        (
            "doubled loops",
            doubled(consistent(random_mechanism(20, 4, 4))),
        ),
        ("four-bar", four_bar()),
        ("doubled four-bar", doubled(four_bar())),
        ("taut chain", taut_chain(40)),
    ];
    for (name, problem) in cases {
        let dense = Dense::new(&problem);
        let chosen = equalities(&problem);
        let jacobian = dense.jacobian.select_rows(&chosen);
        let soft = |&row: &usize| problem.joint_rows[row].softness > 0.0;
        let expected = dense_solution(&problem);
        let (batches, start, impulses) = started(&problem);
        assert_eq!(start.rows as usize, chosen.len(), "{name}");
        assert!(start.redundant_rows > 0, "{name}: {start:?}");
        if !chosen.iter().any(soft) {
            let mut matrix = &jacobian * &dense.inverse_mass * jacobian.transpose();
            let scale = matrix.diagonal().map(|x| 1.0 / x.sqrt());
            for (at, entry) in matrix.iter_mut().enumerate() {
                *entry *= scale[at % chosen.len()] * scale[at / chosen.len()];
            }
            let rank = matrix.svd(false, false).rank(1e-9);
            assert_eq!(start.redundant_rows as usize, chosen.len() - rank, "{name}");
        }
        // Impulses are not unique, but what they do is.
        let effect = &dense.inverse_mass * jacobian.transpose() * (&impulses - &expected);
        let most = (&dense.inverse_mass * jacobian.transpose() * &expected).amax();
        assert!(
            effect.amax() < 2e-6 * most,
            "{name}: {:e} of {most:e}",
            effect.amax()
        );
        let left = largest_velocity(&batches) / largest_change(&batches);
        assert!(left < 2e-6, "{name}: {left:e}");
        assert!(
            impulses.amax() < 1e2 * expected.amax(),
            "{name}: {:e}",
            impulses.amax()
        );
    }
}

#[test]
fn contradictory_joints_stay_bounded_and_the_first_hold() {
    let mut problem = chain(3, [0.0, 0.0, -1.0]);
    for (bias, count) in [(1.0, 3), (-1.0, 6)] {
        let mut again = ball(1, 2, [0.0, 0.0, -0.5 * LINK], [0.0, 0.0, 0.5 * LINK]);
        for row in &mut again {
            row.bias = bias;
        }
        problem.joint_rows.extend(again);
        let (batches, start, impulses) = started(&problem);
        assert_eq!((start.rows, start.redundant_rows), (9 + count, count));
        assert!(impulses.amax() < 10.0, "{impulses}");
        let exact = started(&chain(3, [0.0, 0.0, -1.0])).2;
        // The pair (1, 2) has its first joint from the chain.
        assert!((impulses.rows(0, 9) - exact).amax() < 1e-6);
        assert!((largest_velocity(&batches) - 1.0).abs() < 1e-5);
        for (name, mut solver, method) in solvers() {
            let (_, report) = solve(&mut *solver, &problem, method, 1, true);
            assert_eq!(report.status, Status::MaxIterations, "{name}");
            assert!(report.residual_max < 5.0, "{name}: {report:?}");
        }
    }
}
