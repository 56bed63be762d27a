//! Problems of a run's steps as files.

use drystone::Result;
use drystone::output::RunFolder;
use drystone::problem_file::{BodyProblem, Origin};
use drystone::step::Simulation;
use std::path::{Path, PathBuf};

/// Writes the problem of the last step, with its answer if that was found; nothing if the step had no problem.
///
/// # Errors
/// Report of writing the file.
pub(super) fn write(
    folder: &RunFolder,
    scene: &str,
    step: u64,
    simulation: &Simulation,
    solved: bool,
) -> Result<Option<PathBuf>> {
    let Some((plan, time_step)) = simulation.velocity_plan() else {
        return Ok(None);
    };
    let problem = BodyProblem {
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
    };
    let name = format!("problem_{step}.json");
    folder.write(&name, problem.to_json()?.as_bytes()).map(Some)
}

/// The command that solves it again.
pub(super) fn note(path: &Path, simulation: &Simulation) -> String {
    let adapter = simulation
        .adapter()
        .map_or_else(String::new, |name| format!(" --adapter \"{name}\""));
    format!(
        "the problem is in {file}; again: drystone solve {file} --backend {}{adapter}\n",
        simulation.backend(),
        file = path.display(),
    )
}
