//! The Lemke reference on contacts and joints: random ones, closed cases, limits, and the CPU backend
//! held against it.

mod against_cpu;
mod closed_cases;
mod joint_cases;
mod random_mechanisms;
mod random_problems;
mod relaxed;

use drystone::internals::math::V3;
use drystone::problem::{Contact, FrictionCone, Problem};
use drystone::solver::reference::LemkeSolver;
use drystone::solver::{Options, Report, Solution, Solver};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Gravity `[m/s^2]`.
const G: f32 = 9.81;

fn pyramid(directions: u32) -> FrictionCone {
    FrictionCone::Pyramid { directions }
}

fn contact(body_a: u32, body_b: u32, arm_a: V3, arm_b: V3, normal: V3, friction: f32) -> Contact {
    Contact {
        body_a,
        body_b,
        arm_a,
        arm_b,
        normal,
        bias: 0.0,
        friction,
        impulse: [0.0; 3],
    }
}

fn solve(problem: &Problem) -> (Report, Solution, LemkeSolver) {
    let mut solver = LemkeSolver::new();
    let mut solution = Solution::default();
    let report = solver
        .solve(problem, &Options::default(), &mut solution)
        .unwrap();
    (report, solution, solver)
}

/// Velocities of bodies 1, 2, ... if body 0 is the ground, for comparisons.
fn flatten(solution: &Solution) -> Vec<f32> {
    solution
        .velocities
        .iter()
        .flat_map(|v| v.linear.into_iter().chain(v.angular))
        .collect()
}

fn largest(values: impl IntoIterator<Item = f32>) -> f32 {
    values.into_iter().fold(0.0, |max, x| max.max(x.abs()))
}

fn random_vector(random: &mut Pcg64, size: f32) -> V3 {
    std::array::from_fn(|_| random.random_range(-size..size))
}
