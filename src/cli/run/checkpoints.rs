//! Checkpoints of a run: what the program adds to the state, and how it finds its way back.

use crate::args::{BackendName, ResumeArgs};
use crate::backend;
use crate::console;
use crate::failure::Failure;
use crate::plan::RunPlan;
use drystone::measure::RunawayWatch;
use drystone::output::{
    CheckpointFolder, FrameMark, FrameOptions, FrameWriter, MetricsMark, MetricsWriter, RunFolder,
    Summary,
};
use drystone::scene::{Checkpoint, Judge, Judged, Scene};
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

/// Choices of the command line that the scene does not hold.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Choices {
    backend: BackendName,
    adapter: Option<String>,
    frames_every: Option<u64>,
    frame_options: FrameOptions,
    dumped: Vec<u64>,
    checkpoint_every: Option<u64>,
    strict: bool,
    picture: bool,
    check: bool,
}

impl Choices {
    /// Those of a run on the backend that was found for it.
    pub(super) fn of(plan: &RunPlan, simulation: &Simulation) -> Self {
        Self {
            backend: match plan.backend {
                BackendName::Auto if simulation.backend() == "gpu" => BackendName::Gpu,
                BackendName::Auto => BackendName::Cpu,
                named => named,
            },
            adapter: simulation.adapter(),
            frames_every: plan.frames_every,
            frame_options: plan.frame_options.clone(),
            dumped: plan.dumped.clone(),
            checkpoint_every: plan.checkpoint_every,
            strict: plan.strict,
            picture: plan.picture,
            check: plan.check,
        }
    }

    /// The plan of a run that goes on with its scene.
    fn plan(self, scene: Scene, args: &ResumeArgs) -> RunPlan {
        RunPlan {
            scene,
            backend: self.backend,
            adapter: self.adapter,
            threads: args.threads,
            out: Some(args.run.clone()),
            frames_every: self.frames_every,
            frame_options: self.frame_options,
            dumped: self.dumped,
            checkpoint_every: self.checkpoint_every,
            strict: self.strict,
            picture: self.picture,
            check: self.check,
            quiet: args.quiet,
        }
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
/// [`Failure::Input`] if there is none.
pub(super) fn newest(
    folder: &RunFolder,
    held: &CheckpointFolder,
    args: &ResumeArgs,
) -> Result<Resumed, Failure> {
    let files = held.files().map_err(Failure::Input)?;
    let mut refused = 0;
    for file in &files {
        match open(file, folder, args) {
            Ok(resumed) => return Ok(resumed),
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

/// The run at a checkpoint. Nothing of its folder is changed yet, but for files of frames after the checkpoint.
fn open(file: &Path, folder: &RunFolder, args: &ResumeArgs) -> Result<Resumed> {
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
    let mut metrics = MetricsWriter::resume(folder, &extra.metrics)?;
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
    let plan = choices.plan(scene, args);
    let frames = match plan.frames_every {
        Some(_) => Some(FrameWriter::resume(
            folder,
            &plan.scene.name,
            &plan.frame_options,
            extra.frames,
        )?),
        None => None,
    };
    metrics.cut()?;
    Ok(Resumed {
        plan,
        simulation,
        summary,
        wall,
        metrics,
        frames,
        judges,
        watch: extra.watch,
    })
}

/// True if all steps of a run were taken and its summary was written.
pub(super) fn is_done(folder: &RunFolder) -> bool {
    let text = std::fs::read(folder.path().join("summary.json")).unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    summary["status"] == "done"
}
