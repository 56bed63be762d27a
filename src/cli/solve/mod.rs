//! `drystone solve`.

mod bodies;
mod contacts;
mod report;

use crate::args::{BackendName, SolveArgs};
use crate::console;
use crate::failure::Failure;
use crate::files;
use crate::plan::{self, GivenSweeps};
use drystone::Error;
use drystone::problem_file::ProblemFile;
use std::time::Duration;

/// Solves a problem from a file, on threads of its own.
pub(crate) fn solve(args: SolveArgs) -> Result<(), Failure> {
    let given = GivenSweeps {
        solver: args.solver.is_some(),
        iterations: args.iterations.is_some(),
        tolerance: args.tolerance.is_some(),
    };
    given.refuse_what_a_reference_has_not(args.backend)?;
    let file = ProblemFile::load(&args.file).map_err(Failure::Input)?;
    let out = args.out.as_deref();
    out.map_or(Ok(()), files::check).map_err(Failure::Run)?;
    plan::thread_pool(args.threads)?.install(|| {
        let report = match file {
            ProblemFile::Bodies(problem) => bodies::solve(&args, *problem)?,
            ProblemFile::Contacts(problem) => contacts::solve(&args, &problem)?,
        };
        if let Some(path) = &args.out {
            files::save(path, report.with_answer()?.as_bytes())?;
        }
        let text = if args.json {
            report.json()?
        } else {
            report.table()
        };
        Ok(console::out(&text)?)
    })
}

/// Refuses a flag that says nothing about this kind of problem.
fn refuse(flag: &str, is_given: bool, why: &str) -> Result<(), Failure> {
    if is_given {
        Err(Failure::Input(Error::invalid(flag, why)))
    } else {
        Ok(())
    }
}

/// The middle one of some times, of which there is at least one.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Name of a backend on the command line.
fn is_nsgs(backend: BackendName) -> bool {
    matches!(backend, BackendName::Auto | BackendName::Nsgs)
}
