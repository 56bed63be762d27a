//! Problems of bodies, contacts and joint rows.

use super::report::{Recorded, Report, Residual};
use super::{median, refuse};
use crate::args::{BackendName, SolveArgs};
use crate::backend;
use crate::failure::Failure;
use drystone::problem::{AsProblem, FrictionCone, MovingSurfaces, Problem, ProblemRef};
use drystone::problem_file::{BodyProblem, solution_to_json};
use drystone::solver::reference::{in_substeps_watched, judge};
use drystone::solver::substeps::SubstepReport;
use drystone::solver::{Method, Options, Plan, Solution, Solver};
use drystone::{Error, Result};
use std::time::Instant;

/// Solves, and judges the answer.
pub(super) fn solve(args: &SolveArgs, mut file: BodyProblem) -> Result<Report, Failure> {
    refuse(
        "--plain",
        args.plain,
        "it says nothing about a problem of bodies; leave it out",
    )?;
    change(args, &mut file);
    let choice =
        backend::choose(args.backend, args.adapter.as_deref()).map_err(Failure::while_preparing)?;
    let mut solver = choice.solver;
    let BodyProblem { problem, plan, .. } = &file;
    let mut surfaces = MovingSurfaces::default();
    let carried = surfaces
        .carry(&problem.as_problem(), &file.surface_velocities)
        .map_err(Failure::Input)?;
    let mut solution = Solution::default();
    let mut report = SubstepReport::default();
    let mut times = Vec::new();
    for _ in 0..args.repeat {
        let start = Instant::now();
        report = solver
            .step(&carried, plan, &mut solution)
            .map_err(while_solving)?;
        times.push(start.elapsed());
    }
    let judged = residuals(&mut *solver, &carried, plan, &solution).map_err(Failure::Run)?;
    solution.keep_bodies(problem.bodies.len());
    let velocity = plan.velocity();
    Ok(Report {
        file: args.file.display().to_string(),
        title: file.title.clone(),
        size: vec![
            ("bodies", problem.bodies.len()),
            ("contacts", problem.contacts.len()),
            ("joint_rows", problem.joint_rows.len()),
        ],
        task: task(&file),
        method: method(args.backend, solver.sweeps_by(velocity.method)),
        backend: solver.backend().to_owned(),
        adapter: solver.adapter(),
        status: report.velocity.status.name(),
        iterations: report.velocity.iterations,
        time: median(times),
        repeats: args.repeat,
        residual: judged.last,
        worst_residual: judged.worst,
        position_residual: judged.position,
        recorded: file
            .solution
            .as_ref()
            .map(|recorded| compare(recorded, &solution)),
        answer: solution_to_json(&solution).map_err(Failure::Run)?,
    })
}

/// Makes the changes of the command line.
fn change(args: &SolveArgs, file: &mut BodyProblem) {
    let options = match &mut file.plan {
        Plan::Once(options) => options,
        Plan::Substeps(plan) => &mut plan.velocity,
    };
    *options = Options {
        method: args.solver.unwrap_or(options.method),
        iterations: args.iterations.unwrap_or(options.iterations),
        tolerance: args
            .tolerance
            .map_or(options.tolerance, |tolerance| tolerance as f32),
        ..*options
    };
    if args.cold {
        for contact in &mut file.problem.contacts {
            contact.impulse = [0.0; 3];
        }
        for row in &mut file.problem.joint_rows {
            row.impulse = 0.0;
        }
    }
    if let Some(directions) = args.friction_directions {
        file.problem.friction_cone = FrictionCone::Pyramid { directions };
    }
}

/// Meaning of an error of a sound problem: it does not suit the backend, or the solve failed.
fn while_solving(error: Error) -> Failure {
    match error {
        Error::Invalid { .. } => Failure::Input(error),
        other => Failure::Run(other),
    }
}

/// The problem in words.
fn task(file: &BodyProblem) -> String {
    let length = file
        .time_step
        .map_or_else(String::new, |h| format!(", of {h} s"));
    match &file.plan {
        Plan::Once(options) => {
            format!("one problem{length}, {} iterations", options.iterations)
        }
        Plan::Substeps(plan) => format!(
            "a step of {} s in {} substeps of {} iterations",
            plan.time_step, plan.substeps, plan.velocity.iterations
        ),
    }
}

fn method(backend: BackendName, method: Method) -> String {
    match backend {
        BackendName::Lemke => "Lemke's pivoting".to_owned(),
        BackendName::Nsgs => "accelerated block Gauss-Seidel".to_owned(),
        BackendName::Auto | BackendName::Cpu | BackendName::Gpu => method.name().to_owned(),
    }
}

/// Residuals by the referee.
struct Judged {
    last: Residual,
    worst: Option<Residual>,
    position: Option<Residual>,
}

/// Residuals of an answer. Those of substeps are of the same problems handed to the same backend one by one, whose impulses
/// are the referee's to judge: a step in substeps keeps the last ones only.
fn residuals(
    solver: &mut dyn Solver,
    problem: &ProblemRef<'_>,
    plan: &Plan,
    solution: &Solution,
) -> Result<Judged> {
    let Plan::Substeps(plan) = plan else {
        let verdict = judge(problem, &solution.impulses, &solution.joint_impulses)?;
        return Ok(Judged {
            last: residual(&[verdict.residual_rms, verdict.residual_max], "m/s"),
            worst: None,
            position: None,
        });
    };
    let mut residuals = Vec::new();
    let mut watch = |problem: &Problem, solution: &Solution| {
        let verdict = judge(problem, &solution.impulses, &solution.joint_impulses)?;
        residuals.push([verdict.residual_rms, verdict.residual_max]);
        Ok(())
    };
    let mut last = Solution::default();
    in_substeps_watched(solver, problem, plan, &mut last, &mut watch)?;
    // Where there are position problems, they alternate with velocity problems.
    let period = 1 + usize::from(plan.position.is_some());
    let velocities: Vec<_> = residuals.iter().step_by(period).collect();
    let worst = velocities
        .iter()
        .copied()
        .max_by(|a, b| a[0].total_cmp(&b[0]));
    let none = [f64::NAN; 2];
    Ok(Judged {
        last: residual(velocities.last().copied().unwrap_or(&none), "m/s"),
        worst: worst.map(|worst| residual(worst, "m/s")),
        position: plan
            .position
            .and_then(|_| residuals.last())
            .map(|last| residual(last, "m")),
    })
}

fn residual(&[rms, max]: &[f64; 2], unit: &'static str) -> Residual {
    Residual { rms, max, unit }
}

/// Difference of impulses from those in the file.
fn compare(recorded: &Solution, found: &Solution) -> Recorded {
    let all = |solution: &Solution| -> Vec<f32> {
        let contacts = [&solution.impulses, &solution.total_impulses];
        let contacts = contacts.into_iter().flat_map(|list| list.as_flattened());
        contacts.chain(&solution.joint_impulses).copied().collect()
    };
    let (recorded, found) = (all(recorded), all(found));
    let pairs = || recorded.iter().zip(&found);
    let largest = |of: &mut dyn Iterator<Item = f64>| of.fold(0.0, f64::max);
    Recorded {
        same_bits: recorded.len() == found.len()
            && pairs().all(|(a, b)| a.to_bits() == b.to_bits()),
        largest_difference: largest(
            &mut pairs().map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()),
        ),
        largest_impulse: largest(&mut recorded.iter().map(|r| f64::from(r.abs()))),
    }
}
