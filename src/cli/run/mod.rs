//! `drystone run` and `drystone resume`.

mod checkpoints;
mod dump;
mod report;
mod runaway;
mod stepping;
mod texts;

use crate::args::{ResumeArgs, RunArgs};
use crate::check;
use crate::console;
use crate::failure::Failure;
use crate::plan::{self, RunPlan};
use crate::progress::Progress;
use crate::trial;
use drystone::Error;
use drystone::output::{CheckpointFolder, RunDescription, RunFolder, Summary, metrics_units};
use drystone::scene::Verdict;
use drystone::step::{Forces, Simulation};
use std::time::{Duration, Instant};
use stepping::{Growing, Started, Stepping};

/// Runs a scene on threads of its own.
pub(crate) fn run(args: RunArgs) -> Result<(), Failure> {
    let plan = RunPlan::new(args)?;
    plan::thread_pool(plan.threads)?.install(|| begin(plan))
}

/// Goes on with a run.
pub(crate) fn resume(args: ResumeArgs) -> Result<(), Failure> {
    plan::thread_pool(args.threads)?.install(|| go_on(&args))
}

/// Everything that can be wrong with the input is found before the run folder is made.
fn begin(mut plan: RunPlan) -> Result<(), Failure> {
    let started = Started {
        at: Instant::now(),
        before: Duration::ZERO,
    };
    let resolved = plan.scene.resolved_toml();
    let world = plan::take_world(&mut plan.scene);
    let (backend, adapter) = (plan.choices.backend, plan.choices.adapter.as_deref());
    let choice = trial::choose_for(&world, &plan.scene.settings, backend, adapter)
        .map_err(Failure::while_preparing)?;
    let simulation = Simulation::new(world, plan.scene.settings, choice.solver)
        .map_err(Failure::while_preparing)?;
    let scene = &plan.scene;
    if plan.choices.check && scene.expectations.is_empty() {
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
    let units = metrics_units(&scene.probes).into_iter();
    summary.metrics_units = units
        .map(|(column, unit)| (column, unit.to_owned()))
        .collect();
    let folder = RunFolder::create(plan.out.as_deref(), &scene.name).map_err(Failure::of_folder)?;
    if !plan.quiet {
        console::err(&texts::opening(&plan, &summary, choice.note.as_deref()));
        if let Some(overlaps) = check::overlaps(&simulation.penetration()) {
            console::err(&format!(
                "warning: bodies overlap at the start: {overlaps}\n"
            ));
        }
    }
    let growing = folder
        .write("scene.toml", resolved.as_bytes())
        .and_then(|_| Growing::begin(&plan, &folder, &simulation));
    Begun {
        plan,
        folder,
        simulation,
        summary,
        resolved,
        started,
    }
    .carry_out(growing)
}

/// Goes on with a run from its newest checkpoint.
fn go_on(args: &ResumeArgs) -> Result<(), Failure> {
    let at = Instant::now();
    let folder = RunFolder::open(&args.run).map_err(Failure::Input)?;
    if checkpoints::is_done(&folder) {
        if !args.quiet {
            console::out(&format!(
                "{}: the run is done; there is nothing to resume\n",
                folder.path().display()
            ))?;
        }
        return Ok(());
    }
    let held = CheckpointFolder::hold(&folder).map_err(Failure::of_folder)?;
    let mut resumed = checkpoints::newest(&folder, &held, args)?;
    resumed.summary.threads = rayon::current_num_threads();
    let scene = folder.path().join("scene.toml");
    let resolved =
        std::fs::read_to_string(&scene).map_err(|why| Failure::Run(Error::io(&scene, why)))?;
    let begun = Begun {
        plan: resumed.plan,
        folder,
        simulation: resumed.simulation,
        summary: resumed.summary,
        resolved,
        started: Started {
            at,
            before: resumed.wall,
        },
    };
    if !begun.plan.quiet {
        let opening = texts::opening(&begun.plan, &begun.summary, None);
        let (step, time) = (begun.summary.steps, begun.summary.time);
        console::err(&format!(
            "{opening}resumed after step {step}, at {time} s\n"
        ));
    }
    let growing = crate::signals::Signals::watch().map(|signals| Growing {
        metrics: resumed.metrics,
        frames: resumed.frames,
        judges: resumed.judges,
        watch: resumed.watch,
        signals,
        forces: Forces::default(),
        checkpoints: Some(held),
    });
    begun.carry_out(growing)
}

/// A run whose folder is there.
struct Begun {
    plan: RunPlan,
    folder: RunFolder,
    simulation: Simulation,
    summary: Summary,
    /// The scene as it is in the folder.
    resolved: String,
    started: Started,
}

impl Begun {
    /// Takes the steps that are left, and ends the run.
    fn carry_out(mut self, growing: drystone::Result<Growing>) -> Result<(), Failure> {
        let (plan, folder) = (&self.plan, &self.folder);
        let progress = Progress::new(plan.scene.steps, plan.quiet);
        let mut is_resumable = false;
        let ended = growing.and_then(|growing| {
            let mut stepping = Stepping {
                plan,
                folder,
                simulation: &mut self.simulation,
                summary: &mut self.summary,
                progress: &progress,
                resolved: &self.resolved,
                started: self.started,
                growing,
            };
            let ended = stepping.run();
            is_resumable = stepping.has_checkpoint();
            ended
        });
        progress.finish();
        let summary = &mut self.summary;
        match &ended {
            Ok(Some(signal)) => summary.interrupt(signal.name(), self.started.elapsed()),
            ended => summary.finish(ended.as_ref().err(), self.started.elapsed()),
        }
        let written = summary.write(folder);
        let reported = match (&ended, &written) {
            (Ok(None), Ok(_)) => {
                report::write(plan, folder, &self.simulation, summary, &self.resolved)
            }
            // A folder that cannot take the rest is not asked to take more, and who interrupts does not wait for a picture.
            _ => Ok(None),
        };
        let shown = if plan.quiet {
            Ok(())
        } else {
            if let Some(warning) = texts::warning(summary) {
                console::err(&warning);
            }
            if let Ok(Some(note)) = &reported {
                console::err(&format!("{note}\n"));
            }
            let left = texts::Left {
                is_resumable,
                has_report: reported.is_ok(),
            };
            console::out(&texts::closing(folder, summary, left))
        };
        if let (Err(_), Err(why)) = (&ended, &written) {
            console::err(&format!("warning: no summary: {why}\n"));
        }
        // The run's own error matters more than that of the summary, and that more than the table's.
        let ended = ended.map_err(Failure::Run)?;
        written.map_err(Failure::Run)?;
        reported.map_err(Failure::Run)?;
        shown?;
        if let Some(signal) = ended {
            return Err(Failure::Interrupted(signal));
        }
        let held = |finding: &drystone::scene::Finding| finding.verdict == Verdict::Held;
        if plan.choices.check && !summary.expectations.iter().all(held) {
            return Err(Failure::Verdict);
        }
        Ok(())
    }
}
