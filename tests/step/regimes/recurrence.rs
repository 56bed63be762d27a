//! Growth of small motions in the default step, on structures whose contacts all stay shut and stick.

use super::scenes;
use drystone::internals::constants::{PAIR_VISITS, SHARED_STIFFNESS};
use drystone::internals::math::{cross, tangents, widen};
use drystone::math::Vec3;
use drystone::problem::{Contact, Problem};
use drystone::solver::Plan;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use nalgebra::{DMatrix, RowDVector};

/// Doublings of a number of substeps, from one on.
const DOUBLINGS: i32 = 16;
/// Growth of what does not grow, with the rounding of its norm.
const NONE: f64 = 1.0005;

/// A row of the recurrence.
struct Row {
    jacobian: RowDVector<f64>,
    /// `M^-1 J^T`.
    response: RowDVector<f64>,
    is_normal: bool,
}

/// The rows of a contact, lengths over `size`.
fn rows_of(contact: &Contact, problem: &Problem, size: f64) -> [Row; 3] {
    let (first, second) = tangents(contact.normal);
    let unknowns = 6 * problem.bodies.len();
    [contact.normal, first, second].map(|direction| {
        let mut jacobian = RowDVector::zeros(unknowns);
        let mut response = RowDVector::zeros(unknowns);
        let sides = [
            (contact.body_a, contact.arm_a, 1.0),
            (contact.body_b, contact.arm_b, -1.0),
        ];
        for (index, arm, sign) in sides {
            let body = &problem.bodies[index as usize];
            if body.inverse_mass == 0.0 {
                continue;
            }
            let at = 6 * index as usize;
            let linear: Vec3 = sign * widen(direction);
            let angular: Vec3 = sign / size * widen(cross(arm, direction));
            let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(|x| size * size * f64::from(x));
            let turned = Vec3::new(
                xx * angular.x + xy * angular.y + xz * angular.z,
                xy * angular.x + yy * angular.y + yz * angular.z,
                xz * angular.x + yz * angular.y + zz * angular.z,
            );
            let moved = f64::from(body.inverse_mass) * linear;
            for axis in 0..3 {
                (jacobian[at + axis], response[at + axis]) = (linear[axis], moved[axis]);
                (jacobian[at + 3 + axis], response[at + 3 + axis]) = (angular[axis], turned[axis]);
            }
        }
        // In units of impulse in which the row's own response is 1.
        let own = jacobian.dot(&response).sqrt();
        Row {
            jacobian: jacobian / own,
            response: response / own,
            is_normal: direction == contact.normal,
        }
    })
}

/// Growth in a substep, the largest modulus of its eigenvalues: one sweep, which visits each pair of bodies so many times, over rows that correct the share `gamma`
/// of their gaps and give way by `softness`. Those of a pair share the stiffness of as many contacts as `shared`.
///
/// The state is the velocities, the displacements over the substep's length, and the impulses.
fn growth(
    problem: &Problem,
    (size, visits, shared): (f64, u32, f64),
    softness: f64,
    gamma: f64,
) -> f64 {
    let contacts = &problem.contacts;
    let rows: Vec<Row> = contacts
        .iter()
        .flat_map(|contact| rows_of(contact, problem, size))
        .collect();
    let pairs = contacts.chunk_by(|p, q| (p.body_a, p.body_b) == (q.body_a, q.body_b));
    let mut first = 0;
    let order = pairs.flat_map(|pair| {
        let rows = 3 * first..3 * (first + pair.len());
        first += pair.len();
        (0..visits).flat_map(move |visit| {
            let takes_all = visits == 1 || visit % 2 == 1;
            rows.clone().filter(move |row| takes_all || row % 3 == 0)
        })
    });
    let order: Vec<usize> = order.collect();
    let shares: Vec<f64> = contacts
        .chunk_by(|p, q| (p.body_a, p.body_b) == (q.body_a, q.body_b))
        .flat_map(|pair| vec![shared / shared.max(pair.len() as f64); pair.len()])
        .collect();
    let moving = 6 * problem.bodies.len();
    let states = 2 * moving + rows.len();
    let identity = DMatrix::identity(states, states);
    let mut velocities: DMatrix<f64> = identity.rows(0, moving).into_owned();
    let mut moved: DMatrix<f64> = identity.rows(moving, moving).into_owned();
    let mut impulses: DMatrix<f64> = identity.rows(2 * moving, rows.len()).into_owned();
    for (index, row) in rows.iter().enumerate() {
        let start = impulses.row(index).into_owned();
        velocities += row.response.transpose() * start;
    }
    for index in order {
        let row = &rows[index];
        let (eps, share) = if row.is_normal {
            (softness, gamma * shares[index / 3])
        } else {
            (0.0, 0.0)
        };
        let open = &row.jacobian * &velocities + share * (&row.jacobian * &moved);
        let change = (open + eps * impulses.row(index)) / -(1.0 + eps);
        velocities += row.response.transpose() * &change;
        let now = impulses.row(index) + change;
        impulses.set_row(index, &now);
    }
    moved += &velocities;
    let mut substep = DMatrix::zeros(states, states);
    substep.rows_mut(0, moving).copy_from(&velocities);
    substep.rows_mut(moving, moving).copy_from(&moved);
    substep
        .rows_mut(2 * moving, rows.len())
        .copy_from(&impulses);
    // The norm of a power: bounded ones, and what drifts at a steady speed, are 1 to 2e-4.
    for _ in 0..DOUBLINGS {
        substep = &substep * &substep;
    }
    substep.norm().powf(0.5_f64.powi(DOUBLINGS))
}

/// The regime of a name after so many steps.
fn after(name: &str, steps: u32) -> Simulation {
    let mut all = scenes::all(1.0).into_iter();
    let regime = all.find(|regime| regime.name == name).unwrap();
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(regime.world, Settings::default(), solver).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    simulation
}

/// Growth in a substep of the last step.
fn growth_of(simulation: &Simulation, visits: u32, shared: f32) -> f64 {
    let Some((Plan::Substeps(plan), _)) = simulation.velocity_plan() else {
        panic!("a step in substeps");
    };
    let gamma = f64::from(plan.gap_law.rate) * plan.substep_length();
    let softness = f64::from(plan.gap_law.softness);
    growth(
        simulation.velocity_problem(),
        (1.0, visits, f64::from(shared)),
        softness,
        gamma,
    )
}

#[test]
fn nothing_grows_in_what_stands() {
    for name in ["stack of 8", "2, top x 1000", "6, top x 100"] {
        let most = growth_of(&after(name, 10), PAIR_VISITS, SHARED_STIFFNESS);
        assert!(most < NONE, "{name}: {most}");
    }
}

#[test]
fn neither_in_a_loaded_table_whose_pairs_are_visited_again() {
    let simulation = after("table under ten times its weight", 10);
    let most = growth_of(&simulation, PAIR_VISITS, SHARED_STIFFNESS);
    assert!(most < NONE, "{most}");
    let once = growth_of(&simulation, 1, SHARED_STIFFNESS);
    assert!(once > 1.002, "{once}");
}

#[test]
fn neither_between_many_points_that_share_the_stiffness_of_four() {
    let simulation = after("6 tables on each other", 10);
    let most = growth_of(&simulation, PAIR_VISITS, SHARED_STIFFNESS);
    assert!(most < NONE, "{most}");
    let alone = growth_of(&simulation, PAIR_VISITS, f32::MAX);
    assert!(alone > 1.002 || alone.is_nan(), "{alone}");
}
