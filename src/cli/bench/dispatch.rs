//! What a dispatch costs: solves of a single contact, whose work is nothing.
//!
//! Gauss–Seidel on one contact has one colour, so each iteration is one dispatch.

use super::results::DispatchCost;
use super::{Bench, Plan};
use crate::failure::Failure;
use drystone::problem::{Body, Contact, Problem};
use drystone::solver::{Method, Options, Solution, Solver};
use std::time::Instant;

/// Iterations of the longer solve.
const DISPATCHES: u32 = 1_001;

pub(super) fn measure(bench: &mut Bench, plan: &Plan) -> Result<DispatchCost, Failure> {
    let problem = one_contact();
    let mut solution = Solution::default();
    let mut time = |iterations| {
        let options = Options {
            method: Method::GaussSeidel,
            iterations,
            tolerance: 0.0,
            warm_start: false,
            ..Options::default()
        };
        plan.effort.median(|| {
            let start = Instant::now();
            bench.solver.solve(&problem, &options, &mut solution)?;
            Ok(start.elapsed())
        })
    };
    let few = time(1).map_err(Failure::Run)?;
    let many = time(DISPATCHES).map_err(Failure::Run)?;
    let more = many.saturating_sub(few).as_secs_f64();
    Ok(DispatchCost {
        backend: bench.name.clone(),
        round_trip_us: 1e6 * few.as_secs_f64(),
        per_dispatch_us: 1e6 * more / f64::from(DISPATCHES - 1),
    })
}

/// A ball that meets the ground.
fn one_contact() -> Problem {
    let ball = Body::dynamic(
        1.0,
        [2.5, 0.0, 0.0, 2.5, 0.0, 2.5],
        [1.0, 0.0, -1.0],
        [0.0; 3],
    );
    let ground = Body::immovable([0.0; 3], [0.0; 3]);
    let touch = Contact {
        body_a: 0,
        body_b: 1,
        arm_a: [0.0, 0.0, -1.0],
        arm_b: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
        bias: 0.0,
        friction: 0.5,
        impulse: [0.0; 3],
    };
    Problem {
        bodies: vec![ball, ground],
        contacts: vec![touch],
        ..Problem::default()
    }
}
