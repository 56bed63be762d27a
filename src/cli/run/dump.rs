//! Problems of a run's steps as files.

use crate::args::DumpName;
use crate::console;
use drystone::Result;
use drystone::output::RunFolder;
use drystone::problem_file::{BodyProblem, FclibForm, Origin};
use drystone::step::Simulation;
use std::path::{Path, PathBuf};

/// The problem of the last step, with its answer if that was found; nothing if the step had no problem.
pub(super) fn problem(
    scene: &str,
    step: u64,
    simulation: &Simulation,
    solved: bool,
) -> Option<BodyProblem> {
    let (plan, time_step) = simulation.velocity_plan()?;
    Some(BodyProblem {
        title: format!("step {step} of {scene}"),
        origin: Some(Origin {
            scene: scene.to_owned(),
            step,
            time: simulation.world().time,
            backend: simulation.backend().to_owned(),
            adapter: simulation.adapter(),
        }),
        time_step: Some(time_step),
        problem: simulation.velocity_problem().clone(),
        surface_velocities: Vec::new(),
        plan,
        solution: solved.then(|| simulation.solution().clone()),
    })
}

/// Writes the problem of a step. One that has no form in the format is written as JSON, and the reason is printed.
///
/// # Errors
/// Report of writing the file.
pub(super) fn write(
    folder: &RunFolder,
    problem: &BodyProblem,
    step: u64,
    format: DumpName,
) -> Result<PathBuf> {
    let form = match format {
        DumpName::Json => None,
        DumpName::Fclib => Some(FclibForm::Local),
        DumpName::FclibGlobal => Some(FclibForm::Global),
    };
    match form.map(|form| problem.to_fclib(form)) {
        None => {}
        Some(Ok(bytes)) => return folder.write(&format!("problem_{step}.hdf5"), &bytes),
        Some(Err(why)) => console::err(&format!(
            "warning: the problem of step {step} has no form in FCLib, and is written as JSON: {why}\n"
        )),
    }
    let name = format!("problem_{step}.json");
    folder.write(&name, problem.to_json()?.as_bytes())
}

/// The command that solves it again.
pub(super) fn note(path: &Path, simulation: &Simulation) -> String {
    let file = path.display();
    let again = format!("the problem is in {file}; again: drystone solve {file}");
    if path.extension().is_some_and(|name| name == "hdf5") {
        return again + "\n";
    }
    let adapter = simulation
        .adapter()
        .map_or_else(String::new, |name| format!(" --adapter \"{name}\""));
    format!("{again} --backend {}{adapter}\n", simulation.backend())
}
