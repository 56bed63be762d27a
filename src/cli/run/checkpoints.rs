//! Checkpoints of a run: what the program adds to the state, and how it finds its way back.

use crate::args::{BackendName, ResumeArgs};
use crate::backend;
use crate::console;
use crate::failure::Failure;
use crate::plan::{Choices, RunPlan};
use drystone::measure::RunawayWatch;
use drystone::output::{
    CheckpointFolder, FrameMark, FrameWriter, MetricsMark, MetricsWriter, RunFolder, Summary,
};
use drystone::scene::{Checkpoint, Judge, Judged};
use drystone::step::Simulation;
use drystone::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// Part of a checkpoint that is the program's, beside scene and state.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Extra {
    pub(super) choices: Choices,
    pub(super) metrics: MetricsMark,
    pub(super) frames: Vec<FrameMark>,
    /// See [`Summary::save`].
    pub(super) summary: Vec<u8>,
    pub(super) judged: Vec<Judged>,
    pub(super) watch: RunawayWatch,
}

/// Choices of a run, on the backend that was found for it.
pub(super) fn choices(plan: &RunPlan, simulation: &Simulation) -> Choices {
    Choices {
        backend: match plan.choices.backend {
            BackendName::Auto if simulation.backend() == "gpu" => BackendName::Gpu,
            BackendName::Auto => BackendName::Cpu,
            named => named,
        },
        adapter: simulation.adapter(),
        ..plan.choices.clone()
    }
}

impl Extra {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        postcard::to_stdvec(self).map_err(|why| Error::invalid("checkpoint", why.to_string()))
    }
}

/// A run that is about to go on.
pub(super) struct Resumed {
    pub(super) plan: RunPlan,
    pub(super) simulation: Simulation,
    pub(super) summary: Summary,
    /// Time that it has taken so far.
    pub(super) wall: Duration,
    pub(super) metrics: MetricsWriter,
    pub(super) frames: Option<FrameWriter>,
    pub(super) judges: Vec<Judge>,
    pub(super) watch: RunawayWatch,
}

/// The run at its newest checkpoint that is sound. Those that are not are named, with what is wrong.
///
/// # Errors
/// [`Failure::Input`] if there is none, [`Failure::Run`] if the folder cannot be written.
pub(super) fn newest(
    folder: &RunFolder,
    held: &CheckpointFolder,
    args: &ResumeArgs,
) -> Result<Resumed, Failure> {
    let files = held.files().map_err(Failure::Input)?;
    let mut refused = 0;
    for file in &files {
        match open(file, folder, args) {
            // A folder that cannot be written is not the checkpoint's fault: those before it would lose more, and fail too.
            Ok((resumed, frames)) => {
                return resumed.cut(folder, frames).map_err(Failure::of_folder);
            }
            Err(why) => {
                refused += 1;
                console::err(&format!("{}: refused: {why}\n", file.display()));
            }
        }
    }
    let run = folder.path().display();
    let why = if refused == 0 {
        format!(
            "there is no checkpoint in it; drystone run {run}/scene.toml starts again, with --checkpoint-every SECONDS it can be resumed"
        )
    } else {
        format!(
            "none of its {refused} checkpoints can be used; drystone run {run}/scene.toml starts again"
        )
    };
    Err(Failure::Input(Error::invalid(
        format!("run folder {run}"),
        why,
    )))
}

/// The run at a checkpoint, and the frames before it. Nothing of its folder is changed yet.
fn open(file: &Path, folder: &RunFolder, args: &ResumeArgs) -> Result<(Resumed, Vec<FrameMark>)> {
    let checkpoint = Checkpoint::read(file)?;
    let wrong = |why: &str| Error::invalid("checkpoint", why);
    let extra: Extra = postcard::from_bytes(&checkpoint.extra)
        .map_err(|_| wrong("no run of this program wrote it"))?;
    let scene_path = folder.path().join("scene.toml");
    let there = std::fs::read(&scene_path).map_err(|why| Error::io(&scene_path, why))?;
    if there != checkpoint.scene().as_bytes() {
        return Err(wrong(
            "it is of another scene than the scene.toml of the folder",
        ));
    }
    let metrics = MetricsWriter::resume(folder, &extra.metrics)?;
    let choices = extra.choices;
    let choice = backend::choose(choices.backend, choices.adapter.as_deref())?;
    let (scene, simulation) = checkpoint.restore(&scene_path, choice.solver)?;
    let (summary, wall) = Summary::resume(&extra.summary)?;
    if extra.judged.len() != scene.expectations.len() || summary.steps != simulation.steps() {
        return Err(wrong("its parts do not belong together"));
    }
    let expectations = scene.expectations.iter().cloned();
    let judges = expectations.zip(&extra.judged);
    let judges = judges.map(|(expectation, judged)| Judge::resumed(expectation, judged));
    let judges = judges.collect();
    let resumed = Resumed {
        plan: RunPlan {
            scene,
            choices,
            threads: args.threads,
            out: Some(args.run.clone()),
            quiet: args.quiet,
        },
        simulation,
        summary,
        wall,
        metrics,
        frames: None,
        judges,
        watch: extra.watch,
    };
    Ok((resumed, extra.frames))
}

impl Resumed {
    /// Removes from the folder what came after the checkpoint, and goes on after these frames.
    fn cut(mut self, folder: &RunFolder, frames: Vec<FrameMark>) -> Result<Self> {
        let plan = &self.plan;
        if plan.choices.frames_every.is_some() {
            let (name, options) = (&plan.scene.name, &plan.choices.frame_options);
            self.frames = Some(FrameWriter::resume(folder, name, options, frames)?);
        }
        self.metrics.cut()?;
        Ok(self)
    }
}

/// True if all steps of a run were taken and its summary was written.
pub(super) fn is_done(folder: &RunFolder) -> bool {
    let text = std::fs::read(folder.path().join("summary.json")).unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    summary["status"] == "done"
}
