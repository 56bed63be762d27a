//! `drystone run`.

use crate::args::RunArgs;
use crate::backend;
use crate::check;
use crate::console::{self, scientific};
use crate::failure::Failure;
use crate::plan::{self, RunPlan};
use crate::progress::Progress;
use drystone::Result;
use drystone::internals::constants::CAPPED_SHARE_WORTH_A_WARNING;
use drystone::output::{FrameWriter, MetricsWriter, Outcome, RunDescription, RunFolder, Summary};
use drystone::stabilize::Scheme;
use drystone::step::Simulation;
use std::time::Instant;

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
    let folder =
        RunFolder::create(plan.out.as_deref(), &scene.name).map_err(Failure::while_preparing)?;
    if !plan.quiet {
        console::err(&opening(&plan, &summary, choice.note.as_deref()));
        if let Some(overlaps) = check::overlaps(&simulation.penetration()) {
            console::err(&format!(
                "warning: bodies overlap at the start: {overlaps}\n"
            ));
        }
    }

    let progress = Progress::new(scene.steps, plan.quiet);
    let ended = folder
        .write("scene.toml", resolved.as_bytes())
        .and_then(|_| simulate(&plan, &folder, &mut simulation, &mut summary, &progress));
    progress.finish();
    summary.finish(ended.as_ref().err(), start.elapsed());
    let written = summary.write(&folder);
    let shown = if plan.quiet {
        Ok(())
    } else {
        if let Some(warning) = warning(&summary) {
            console::err(&warning);
        }
        console::out(&closing(&folder, &summary))
    };
    // The run's own error matters more than that of the summary, and that more than the table's.
    ended.map_err(Failure::Run)?;
    written.map_err(Failure::Run)?;
    shown
}

/// Takes the steps and writes what they leave.
fn simulate(
    plan: &RunPlan,
    folder: &RunFolder,
    simulation: &mut Simulation,
    summary: &mut Summary,
    progress: &Progress,
) -> Result<()> {
    let scene = &plan.scene;
    let mut metrics = MetricsWriter::create(folder, &scene.probes)?;
    let mut frames = match plan.frames_every {
        Some(_) => Some(FrameWriter::create(
            folder,
            &scene.name,
            plan.frame_content,
            plan.frame_format,
        )?),
        None => None,
    };
    if let Some(frames) = &mut frames {
        frames.write(0, simulation.world())?;
    }
    for step in 1..=scene.steps {
        let report = simulation.step()?;
        summary.add(&report);
        if plan.is_measured(step) {
            metrics.write(&report, simulation.world(), &scene.probes)?;
        }
        if let Some(frames) = &mut frames
            && plan.is_drawn(step)
        {
            frames.write(step, simulation.world())?;
        }
        progress.step(&report);
    }
    Ok(())
}

/// What is about to be run, and where.
fn opening(plan: &RunPlan, summary: &Summary, note: Option<&str>) -> String {
    let note = note.map_or_else(String::new, |why| format!(" ({why})"));
    let substeps = match plan.scene.settings.substeps {
        Some(0) => String::new(),
        Some(count) => format!(" in {count} substeps"),
        None => match plan.scene.settings.stabilization.contacts {
            Scheme::Soft { .. } => " in substeps by what the bodies do".to_owned(),
            _ => String::new(),
        },
    };
    format!(
        "{}: {} bodies, {} steps of {} s{substeps}, {} with {} iterations on {}{note}\n",
        summary.scene,
        summary.bodies,
        summary.steps_planned,
        summary.time_step,
        summary.solver,
        plan.scene.settings.solver.iterations,
        backend::title(&summary.backend, summary.adapter.as_deref()),
    )
}

/// What became of the joints: only errors that there are.
fn joint_errors(summary: &Summary) -> String {
    let mut text = format!(
        "{} m at the end, {} m at worst",
        scientific(summary.joint_error_final),
        scientific(summary.joint_error_max)
    );
    for (error, unit) in [
        (summary.joint_angle_error_max, "rad between axes"),
        (summary.joint_velocity_error_max, "m/s"),
        (summary.joint_limit_error_max, "m beyond limits"),
        (summary.joint_limit_angle_error_max, "rad beyond limits"),
    ] {
        if error > 0.0 {
            text += &format!(", {} {unit}", scientific(error));
        }
    }
    if summary.broken_joints > 0 {
        text += &format!("; {} of {} broke", summary.broken_joints, summary.joints);
    }
    text
}

/// How the steps were divided.
fn substeps(summary: &Summary) -> String {
    let mut text = format!(
        "{:.1} a step in the mean, {} to {}",
        summary.substeps_mean, summary.substeps_min, summary.substeps_max
    );
    if summary.capped_share > 0.0 {
        let share = 100.0 * summary.capped_share;
        text += &format!("; {share:.1} % of the steps wanted more than there may be");
    }
    text
}

/// A warning where too many steps could not be divided as they should have been.
fn warning(summary: &Summary) -> Option<String> {
    (summary.capped_share > CAPPED_SHARE_WORTH_A_WARNING).then(|| {
        format!(
            "warning: {:.0} % of the steps should have been divided further than a step may be; a shorter --dt \
             makes them right\n",
            100.0 * summary.capped_share
        )
    })
}

/// The collisions that the event stepper stopped at.
fn collisions(summary: &Summary) -> String {
    let stopped = format!("{} times found", summary.collisions);
    if summary.velocity_steps == 0 {
        return stopped;
    }
    format!(
        "{stopped}; {} steps made by velocities and impulses, where forces or an end of collisions were missing",
        summary.velocity_steps
    )
}

/// The result as a short table.
fn closing(folder: &RunFolder, summary: &Summary) -> String {
    let status = if summary.status == Outcome::Done {
        "done"
    } else {
        "failed"
    };
    let mut rows = vec![
        ("run folder", folder.path().display().to_string()),
        (
            "status",
            format!(
                "{status}: {} of {} steps, {:.4} s simulated, {:.1} s of wall clock",
                summary.steps, summary.steps_planned, summary.time, summary.wall_seconds
            ),
        ),
        (
            "backend",
            backend::title(&summary.backend, summary.adapter.as_deref()),
        ),
        if summary.stepper == "event" {
            ("collisions", collisions(summary))
        } else {
            (
                "worst residual",
                format!(
                    "{} m/s rms, {} m/s of one contact",
                    scientific(summary.residual_rms_max),
                    scientific(summary.residual_max)
                ),
            )
        },
        (
            "penetration",
            format!(
                "{} m at the end (mean {} m), {} m at worst",
                scientific(summary.max_penetration_final),
                scientific(summary.mean_penetration_final),
                scientific(summary.max_penetration)
            ),
        ),
    ];
    if summary.joints > 0 {
        rows.push(("joint errors", joint_errors(summary)));
    }
    if summary.substeps_max > 0 {
        rows.push(("substeps", substeps(summary)));
    }
    rows.push((
        "time per step",
        format!(
            "{:.3} ms median, {:.3} ms at most",
            summary.step_ms_median, summary.step_ms_max
        ),
    ));
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(name, value)| vec![name.to_owned(), value])
        .collect();
    console::table(&rows, &[])
}
