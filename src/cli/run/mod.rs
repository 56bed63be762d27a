//! `drystone run`.

mod dump;
mod report;
mod runaway;
mod signals;
mod stepping;
mod texts;

use crate::args::RunArgs;
use crate::backend;
use crate::check;
use crate::console;
use crate::failure::Failure;
use crate::plan::{self, RunPlan};
use crate::progress::Progress;
use drystone::Error;
use drystone::output::{RunDescription, RunFolder, Summary, metrics_units};
use drystone::scene::Verdict;
use drystone::step::Simulation;
pub(crate) use signals::Signal;
use std::time::Instant;
use stepping::Stepping;

/// Runs a scene on threads of its own.
pub(crate) fn run(args: RunArgs) -> Result<(), Failure> {
    let plan = RunPlan::new(args)?;
    plan::thread_pool(plan.threads)?.install(|| carry_out(plan))
}

/// Everything that can be wrong with the input is found before the run folder is made.
fn carry_out(mut plan: RunPlan) -> Result<(), Failure> {
    let start = Instant::now();
    let choice =
        backend::choose(plan.backend, plan.adapter.as_deref()).map_err(Failure::while_preparing)?;
    let resolved = plan.scene.resolved_toml();
    let world = plan::take_world(&mut plan.scene);
    let mut simulation = Simulation::new(world, plan.scene.settings, choice.solver)
        .map_err(Failure::while_preparing)?;
    let scene = &plan.scene;
    if plan.check && scene.expectations.is_empty() {
        return Err(Failure::Input(Error::invalid(
            "--check",
            "the scene expects nothing; add an [[expect]]",
        )));
    }
    let mut summary = Summary::new(RunDescription {
        scene: scene.name.clone(),
        backend: simulation.backend().to_owned(),
        adapter: simulation.adapter(),
        settings: scene.settings,
        seed: scene.seed,
        threads: rayon::current_num_threads(),
        steps_planned: scene.steps,
        bodies: simulation.world().bodies.len(),
        joints: simulation.world().joints.len(),
    });
    summary.metrics_units = metrics_units(&scene.probes).into_iter().collect();
    let folder =
        RunFolder::create(plan.out.as_deref(), &scene.name).map_err(Failure::while_preparing)?;
    if !plan.quiet {
        console::err(&texts::opening(&plan, &summary, choice.note.as_deref()));
        if let Some(overlaps) = check::overlaps(&simulation.penetration()) {
            console::err(&format!(
                "warning: bodies overlap at the start: {overlaps}\n"
            ));
        }
    }

    let progress = Progress::new(scene.steps, plan.quiet);
    let ended = folder
        .write("scene.toml", resolved.as_bytes())
        .and_then(|_| Stepping::new(&plan, &folder, &mut simulation, &mut summary, &progress))
        .and_then(Stepping::run);
    progress.finish();
    match &ended {
        Ok(Some(signal)) => summary.interrupt(signal.name(), start.elapsed()),
        ended => summary.finish(ended.as_ref().err(), start.elapsed()),
    }
    let written = summary.write(&folder);
    let reported = match (&ended, &written) {
        (Ok(None), Ok(_)) => report::write(&plan, &folder, &simulation, &summary, &resolved),
        // A folder that cannot take the rest is not asked to take more, and who interrupts does not wait for a picture.
        _ => Ok(None),
    };
    let shown = if plan.quiet {
        Ok(())
    } else {
        if let Some(warning) = texts::warning(&summary) {
            console::err(&warning);
        }
        if let Ok(Some(note)) = &reported {
            console::err(&format!("{note}\n"));
        }
        console::out(&texts::closing(&folder, &summary))
    };
    // The run's own error matters more than that of the summary, and that more than the table's.
    let ended = ended.map_err(Failure::Run)?;
    written.map_err(Failure::Run)?;
    reported.map_err(Failure::Run)?;
    shown?;
    if let Some(signal) = ended {
        return Err(Failure::Interrupted(signal));
    }
    let held = |finding: &drystone::scene::Finding| finding.verdict == Verdict::Held;
    if plan.check && !summary.expectations.iter().all(held) {
        return Err(Failure::Verdict);
    }
    Ok(())
}
