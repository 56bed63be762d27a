//! How long each method takes from zero impulses to a residual.

use super::pile::Frozen;
use super::results::TimeToResidual;
use super::{Bench, Plan};
use drystone::Result;
use drystone::solver::{Method, Options, Solution, Solver, Status};
use std::time::Instant;

/// Root mean square residual to reach, over `g h`.
const TARGET: f32 = 1e-2;
/// Passes between two looks at the residual.
const CHECK_EVERY: u32 = 8;

/// Every method on one problem.
pub(super) fn measure(
    bench: &mut Bench,
    pile: &Frozen,
    plan: &Plan,
) -> Result<Vec<TimeToResidual>> {
    let mut solution = Solution::default();
    let mut found = Vec::new();
    for method in Method::ALL {
        let options = Options {
            method,
            iterations: plan.passes,
            tolerance: TARGET * pile.gh,
            check_every: CHECK_EVERY,
            warm_start: false,
            ..Options::default()
        };
        let start = Instant::now();
        let report = bench.solver.solve(&pile.problem, &options, &mut solution)?;
        found.push(TimeToResidual {
            problem: pile.name.clone(),
            backend: bench.name.clone(),
            method: method.name().to_owned(),
            contacts: pile.problem.contacts.len(),
            target_over_gh: TARGET,
            reached: report.status == Status::Converged,
            passes: report.iterations,
            residual_over_gh: report.residual_rms / pile.gh,
            solve_ms: 1e3 * start.elapsed().as_secs_f64(),
        });
    }
    Ok(found)
}
