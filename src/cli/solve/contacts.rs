//! Contacts by their operator.

use super::report::{Report, Residual};
use super::{is_nsgs, median, refuse};
use crate::args::SolveArgs;
use crate::failure::Failure;
use drystone::Error;
use drystone::problem_file::ContactProblem;
use drystone::solver::nsgs::{Acceleration, NsgsOptions};
use std::time::Instant;

/// Solves, and judges the answer.
pub(super) fn solve(args: &SolveArgs, problem: &ContactProblem) -> Result<Report, Failure> {
    if !is_nsgs(args.backend) {
        return Err(Failure::Input(Error::invalid(
            "--backend",
            "the file has an operator and no bodies, which nsgs alone solves; leave it out",
        )));
    }
    for (flag, given) in [
        ("--solver", args.solver.is_some()),
        ("--adapter", args.adapter.is_some()),
        ("--cold", args.cold),
        ("--friction-directions", args.friction_directions.is_some()),
    ] {
        refuse(
            flag,
            given,
            "it says nothing about contacts by their operator; leave it out",
        )?;
    }
    let defaults = NsgsOptions::default();
    let options = NsgsOptions {
        iterations: args.iterations.unwrap_or(defaults.iterations),
        tolerance: args.tolerance.unwrap_or(defaults.tolerance),
        acceleration: if args.plain {
            Acceleration::None
        } else {
            defaults.acceleration
        },
        ..defaults
    };
    let given = problem.as_delassus();
    let mut impulses = Vec::new();
    let mut solved = Default::default();
    let mut times = Vec::new();
    for _ in 0..args.repeat {
        impulses = vec![[0.0; 3]; problem.friction.len()];
        let start = Instant::now();
        solved = given.solve(&mut impulses, &options).map_err(Failure::Run)?;
        times.push(start.elapsed());
    }
    let judged = given.judge(&impulses).map_err(Failure::Run)?;
    let method = if args.plain {
        "plain block Gauss-Seidel"
    } else {
        "accelerated block Gauss-Seidel"
    };
    Ok(Report {
        file: args.file.display().to_string(),
        title: problem.title.clone(),
        size: vec![
            ("contacts", problem.friction.len()),
            ("blocks_of_W", problem.blocks.len()),
        ],
        task: format!("u = W r + q in {} dimensions", problem.dimension),
        backend: "nsgs".to_owned(),
        adapter: None,
        method: method.to_owned(),
        status: solved.status.name(),
        iterations: solved.iterations,
        time: median(times),
        repeats: args.repeat,
        residual: Residual {
            rms: judged.residual.rms,
            max: judged.residual.max,
            unit: "m/s",
        },
        worst_residual: None,
        position_residual: None,
        recorded: None,
        answer: serde_json::json!({
            "impulses": impulses,
            "velocities": judged.velocities,
        })
        .to_string(),
    })
}
