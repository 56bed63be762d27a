//! Recorded problems as rigid bodies, and the f32 backends held against the recorded numbers.

use super::recorded;
use crate::support::problems::{Recipe, generator, random_problem};
use crate::support::recorded::{FrictionProblem, GlobalForm, RigidForm, SparseMatrix};
use drystone::internals::math;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::{NsgsOptions, NsgsSolver};
use drystone::solver::{Method, Options, Solution, Solver};
use nalgebra::{DMatrix, DVector, Rotation3};
use rand::RngExt;

/// The inverse inertia of a body.
fn inverse_inertia(body: &Body) -> Mat3 {
    let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// A problem in global form, with tangents turned or mirrored at random, and the angular velocity of
/// every other body counted in axes of its own. Movable bodies come first.
fn record(problem: &Problem, seed: u64) -> FrictionProblem {
    let random = &mut generator(seed);
    let movable = problem.bodies.iter().filter(|b| b.is_movable()).count();
    let axes: Vec<Mat3> = (0..movable)
        .map(|body| {
            let turn = Vec3::from_fn(|_, _| random.random_range(-3.0..3.0));
            if body % 2 == 0 {
                Mat3::identity()
            } else {
                Rotation3::new(turn).into_inner()
            }
        })
        .collect();
    let n = 6 * movable;
    let mut mass = DMatrix::zeros(n, n);
    let mut velocity = DVector::zeros(n);
    for (k, (body, axes)) in problem.bodies.iter().zip(&axes).enumerate() {
        let inertia = inverse_inertia(body).try_inverse().unwrap();
        for d in 0..3 {
            mass[(6 * k + d, 6 * k + d)] = 1.0 / f64::from(body.inverse_mass);
        }
        let inertia = axes.transpose() * inertia * axes;
        mass.view_mut((6 * k + 3, 6 * k + 3), (3, 3))
            .copy_from(&(0.5 * (inertia + inertia.transpose())));
        let angular = axes.transpose() * math::widen(body.angular_velocity);
        velocity
            .fixed_rows_mut::<3>(6 * k)
            .copy_from(&math::widen(body.linear_velocity));
        velocity.fixed_rows_mut::<3>(6 * k + 3).copy_from(&angular);
    }
    let rows = 3 * problem.contacts.len();
    let mut directions = DMatrix::zeros(n, rows);
    let mut offset = vec![0.0; rows];
    for (index, contact) in problem.contacts.iter().enumerate() {
        let normal = math::widen(contact.normal).normalize();
        let first = normal.cross(&Vec3::new(0.3, -0.8, 0.52)).normalize();
        let (sin, cos) = random.random_range(0.0..std::f64::consts::TAU).sin_cos();
        let mirror = if random.random::<bool>() { 1.0 } else { -1.0 };
        let tangent_1 = cos * first + sin * normal.cross(&first);
        let tangent_2 = mirror * normal.cross(&tangent_1);
        offset[3 * index] = f64::from(contact.bias);
        for (d, direction) in [normal, tangent_1, tangent_2].into_iter().enumerate() {
            for (body, arm, sign) in [
                (contact.body_a as usize, contact.arm_a, 1.0),
                (contact.body_b as usize, contact.arm_b, -1.0),
            ] {
                let arm = math::widen(arm);
                let Some(axes) = axes.get(body) else {
                    let body = &problem.bodies[body];
                    let point = math::widen(body.linear_velocity)
                        + math::widen(body.angular_velocity).cross(&arm);
                    offset[3 * index + d] += sign * direction.dot(&point);
                    continue;
                };
                let angular = axes.transpose() * arm.cross(&direction);
                let mut column = directions.column_mut(3 * index + d);
                let mut linear = column.fixed_rows_mut::<3>(6 * body);
                linear += sign * direction;
                let mut about = column.fixed_rows_mut::<3>(6 * body + 3);
                about += sign * angular;
            }
        }
    }
    let global = GlobalForm {
        force: (&mass * velocity).iter().copied().collect(),
        mass: SparseMatrix::from_dense(&mass),
        directions: SparseMatrix::from_dense(&directions),
        offset,
    };
    let friction = problem.contacts.iter().map(|c| f64::from(c.friction));
    FrictionProblem::global("recorded", global, friction.collect()).unwrap()
}

#[test]
fn rigid_bodies_are_recognized_in_any_axes() {
    for seed in 0..12 {
        let recipe = Recipe {
            movable: 8,
            immovable: 2,
            pairs: 10,
            points: 3,
            ..Recipe::default()
        };
        let problem = random_problem(&recipe, seed);
        let recorded = record(&problem, seed);
        let form = RigidForm::new(&recorded).unwrap();
        assert!(form.delassus_error < 1e-6, "{:e}", form.delassus_error);
        assert!(form.q_error < 1e-6, "{:e}", form.q_error);
        // Its solution solves the recorded problem, up to the rounding of its numbers to f32.
        let mut solution = Solution::default();
        let options = Options {
            iterations: 10_000,
            warm_start: false,
            ..Options::default()
        };
        NsgsSolver::new()
            .solve(&form.problem, &options, &mut solution)
            .unwrap();
        let verdict = recorded
            .judge(&form.recorded_impulses(&solution.impulses))
            .unwrap();
        assert!(verdict.relative_residual < 3e-6, "seed {seed}: {verdict:?}");
    }
}

/// What is done to `M`, `H` and `w`.
type Change = dyn Fn(&mut DMatrix<f64>, &mut DMatrix<f64>, &mut Vec<f64>);

#[test]
fn what_is_no_rigid_body_is_refused_with_the_reason() {
    let recipe = Recipe {
        movable: 3,
        immovable: 1,
        pairs: 3,
        points: 2,
        ..Recipe::default()
    };
    let whole = record(&random_problem(&recipe, 3), 3);
    let refused = |change: &Change| {
        let mut global = whole.global.clone().unwrap();
        let (mut mass, mut directions) = (global.mass.to_dense(), global.directions.to_dense());
        change(&mut mass, &mut directions, &mut global.offset);
        global.mass = SparseMatrix::from_dense(&mass);
        global.directions = SparseMatrix::from_dense(&directions);
        let changed = FrictionProblem::global("changed", global, whole.friction.clone()).unwrap();
        RigidForm::new(&changed).unwrap_err().to_string()
    };
    let coupled = refused(&|mass, _, _| {
        mass[(2, 7)] = 0.01;
        mass[(7, 2)] = 0.01;
    });
    assert!(coupled.contains("not of one body"), "{coupled}");
    let uneven = refused(&|mass, _, _| mass[(1, 1)] *= 1.1);
    assert!(uneven.contains("not that of a mass"), "{uneven}");
    let bent = refused(&|_, directions, _| {
        directions.column_mut(1).iter_mut().for_each(|x| *x *= 1.1);
    });
    assert!(bent.contains("no orthonormal frame"), "{bent}");
    let twisted = refused(&|_, directions, _| {
        let column = directions.column(0).iamax() / 6;
        directions[(6 * column + 3, 0)] += 0.3;
        directions[(6 * column + 4, 1)] += 0.2;
        directions[(6 * column + 5, 2)] -= 0.4;
    });
    assert!(twisted.contains("no common levers"), "{twisted}");
    let spread = refused(&|_, directions, _| {
        for body in 0..3 {
            directions[(6 * body, 0)] += 1.0;
        }
    });
    assert!(spread.contains("touches 3 bodies"), "{spread}");
    let mut local = whole.clone();
    local.global = None;
    let local = RigidForm::new(&local).unwrap_err().to_string();
    assert!(local.contains("which bodies there are"), "{local}");
}

/// `R_vel / max|q|` that an f32 backend has to reach, judged in f64 in the recorded numbers.
const SINGLE_PRECISION: f64 = 3e-6;

/// Solves the recorded problem on a backend; returns the relative residual after each number of
/// sweeps.
fn in_single_precision(recorded: &FrictionProblem, solver: &mut dyn Solver) -> Vec<f64> {
    let form = RigidForm::new(recorded).unwrap();
    [100, 1_000, 10_000]
        .into_iter()
        .map(|iterations| {
            let options = Options {
                method: Method::GaussSeidel,
                iterations,
                warm_start: false,
                ..Options::default()
            };
            let mut solution = Solution::default();
            solver
                .solve(&form.problem, &options, &mut solution)
                .unwrap();
            let impulses = form.recorded_impulses(&solution.impulses);
            recorded.judge(&impulses).unwrap().relative_residual
        })
        .collect()
}

#[test]
fn box_stacks_are_solved_in_single_precision() {
    let Some(recorded) = recorded("Box_Stacks-i0122-82-5") else {
        return;
    };
    let form = RigidForm::new(&recorded).unwrap();
    println!(
        "W off by {:e}, q by {:e}",
        form.delassus_error, form.q_error
    );
    let found = in_single_precision(&recorded, &mut CpuSolver::new());
    println!("cpu: {found:?}");
    assert!(found[2] <= SINGLE_PRECISION);
    #[cfg(feature = "gpu")]
    {
        let found = in_single_precision(&recorded, &mut crate::support::adapter::solver());
        println!("gpu: {found:?}");
        assert!(found[2] <= SINGLE_PRECISION);
    }
}

/// Where f64 gets to round-off, f32 gets to its own, and stays there however many sweeps follow.
#[test]
fn random_crowds_are_solved_in_single_precision() {
    for seed in 0..8 {
        let recipe = Recipe {
            movable: 20,
            immovable: 1,
            pairs: 24,
            points: 2,
            ..Recipe::default()
        };
        let recorded = record(&random_problem(&recipe, seed), seed);
        let reference = recorded.solve(&NsgsOptions::default()).unwrap();
        let reached = reference.verdict.relative_residual;
        assert!(reached < 1e-14, "seed {seed}: {reached:e}");
        let found = in_single_precision(&recorded, &mut CpuSolver::new());
        println!("seed {seed}: {found:?}");
        assert!(found[2] <= SINGLE_PRECISION, "seed {seed}: {found:?}");
    }
}

/// Two elastic blocks, whose nodes a contact touches five at a time.
#[test]
fn a_deformable_problem_is_no_set_of_rigid_bodies() {
    let Some(recorded) = recorded("LMGC_GlobalFrictionContactProblem00046") else {
        return;
    };
    let sizes: Vec<usize> = recorded
        .global
        .as_ref()
        .unwrap()
        .coupled_unknowns()
        .iter()
        .map(Vec::len)
        .collect();
    assert_eq!(sizes, [81, 81]);
    let refused = RigidForm::new(&recorded).unwrap_err().to_string();
    assert!(refused.contains("not of one body"), "{refused}");
    let solution = recorded.solve(&NsgsOptions::default()).unwrap();
    println!("{:?} after {}", solution.verdict, solution.iterations);
    assert!(solution.verdict.relative_residual < 1e-14);
}
