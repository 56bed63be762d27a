//! What one pass over all contacts costs, and the memory bandwidth that this amounts to.

use super::pile::Frozen;
use super::results::SweepCost;
use super::{Bench, Plan};
use drystone::Result;
use drystone::internals::batches::{BodyInertia, BodyVelocity, ContactBlock};
use drystone::solver::{Method, Options, Solution, Solver};
use std::mem::size_of;

/// Passes of the two solves whose difference is taken.
const PASSES: [u32; 2] = [4, 24];

/// Memory that a pass has to move for a contact `[B]`: its block, its impulse there and back, and of two
/// bodies the velocity there and back and the inertia.
const BYTES_PER_CONTACT: usize = size_of::<ContactBlock>()
    + 2 * size_of::<[f32; 4]>()
    + 2 * (2 * size_of::<BodyVelocity>() + size_of::<BodyInertia>());

/// Every method on one problem.
pub(super) fn measure(bench: &mut Bench, pile: &Frozen, plan: &Plan) -> Result<Vec<SweepCost>> {
    let contacts = pile.problem.contacts.len();
    let mut solution = Solution::default();
    let mut costs = Vec::new();
    for method in Method::ALL {
        let mut colors = 0;
        let mut time = |iterations| {
            let options = Options {
                method,
                iterations,
                tolerance: 0.0,
                warm_start: false,
                ..Options::default()
            };
            plan.effort.median(|| {
                let report = bench.solver.solve(&pile.problem, &options, &mut solution)?;
                colors = report.colors;
                Ok(report.solve_time)
            })
        };
        let [few, many] = [time(PASSES[0])?, time(PASSES[1])?];
        let passes = f64::from(PASSES[1] - PASSES[0]);
        let seconds = many.saturating_sub(few).as_secs_f64() / passes;
        // Noise can make the longer solve of a tiny problem the faster one.
        let rate = if seconds > 0.0 {
            contacts as f64 / seconds
        } else {
            0.0
        };
        costs.push(SweepCost {
            problem: pile.name.clone(),
            backend: bench.name.clone(),
            method: method.name().to_owned(),
            bodies: pile.bodies,
            contacts,
            colors,
            sweep_us: 1e6 * seconds,
            contact_iterations_per_second: rate,
            gigabytes_per_second: 1e-9 * rate * BYTES_PER_CONTACT as f64,
            bytes_per_contact: BYTES_PER_CONTACT,
        });
    }
    Ok(costs)
}
