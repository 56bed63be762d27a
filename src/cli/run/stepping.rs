//! The steps of a run, and what they leave in its folder.

use super::checkpoints::{self, Extra};
use super::{dump, runaway};
use crate::console;
use crate::plan::RunPlan;
use crate::progress::Progress;
use crate::signals::{Signal, Signals};
use drystone::Result;
use drystone::measure::{self, RunawayWatch};
use drystone::output::{CheckpointFolder, Frame, FrameWriter, MetricsWriter, RunFolder, Summary};
use drystone::scene::{Checkpoint, Judge};
use drystone::step::{Forces, Simulation};
use std::time::{Duration, Instant};

/// A run between two steps.
pub(super) struct Stepping<'a> {
    pub(super) plan: &'a RunPlan,
    pub(super) folder: &'a RunFolder,
    pub(super) simulation: &'a mut Simulation,
    pub(super) summary: &'a mut Summary,
    pub(super) progress: &'a Progress,
    /// The scene as it is in the folder.
    pub(super) resolved: &'a str,
    pub(super) started: Started,
    pub(super) growing: Growing,
}

/// When a run began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Started {
    /// This part of it.
    pub(super) at: Instant,
    /// Time of the parts before.
    pub(super) before: Duration,
}

impl Started {
    /// Time that the run has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.before + self.at.elapsed()
    }
}

/// All that grows with the steps, beside the summary.
pub(super) struct Growing {
    pub(super) metrics: MetricsWriter,
    pub(super) frames: Option<FrameWriter>,
    pub(super) judges: Vec<Judge>,
    pub(super) watch: RunawayWatch,
    pub(super) signals: Signals,
    /// Memory for what probes see.
    pub(super) forces: Forces,
    /// Where checkpoints go, once there was one.
    pub(super) checkpoints: Option<CheckpointFolder>,
}

impl Growing {
    /// The beginning of a run: the files that grow, and the frame of the start.
    pub(super) fn begin(
        plan: &RunPlan,
        folder: &RunFolder,
        simulation: &Simulation,
    ) -> Result<Self> {
        let scene = &plan.scene;
        let metrics = MetricsWriter::create(folder, &scene.probes)?;
        let mut frames = match plan.choices.frames_every {
            Some(_) => Some(FrameWriter::create(
                folder,
                &scene.name,
                &plan.choices.frame_options,
            )?),
            None => None,
        };
        let mut forces = Forces::default();
        if let Some(frames) = &mut frames {
            let seen = simulation.seen_with_forces(&mut forces);
            frames.write(&Frame { step: 0, seen })?;
        }
        let judges = scene.expectations.iter().cloned().map(Judge::new).collect();
        let world = simulation.world();
        let watch = RunawayWatch::new(world, measure::energy(world), &simulation.penetration());
        Ok(Self {
            metrics,
            frames,
            judges,
            watch,
            signals: Signals::watch()?,
            forces,
            checkpoints: None,
        })
    }
}

impl Stepping<'_> {
    /// Takes all steps that are left, or those until a signal, which it gives.
    pub(super) fn run(&mut self) -> Result<Option<Signal>> {
        let ended = self.steps();
        self.summary.expectations = self
            .growing
            .judges
            .iter()
            .map(|judge| judge.finding().clone())
            .collect();
        ended
    }

    fn steps(&mut self) -> Result<Option<Signal>> {
        if self.plan.is_saved(0) && self.summary.steps == 0 {
            self.save()?;
        }
        while self.summary.steps < self.plan.scene.steps {
            self.step()?;
            let step = self.summary.steps;
            let signal = self.growing.signals.caught();
            if signal.is_some() || self.plan.is_saved(step) {
                self.save()?;
            }
            if signal.is_some() {
                return Ok(signal);
            }
        }
        Ok(None)
    }

    /// True if the run can be resumed.
    pub(super) fn has_checkpoint(&self) -> bool {
        let held = self.growing.checkpoints.as_ref();
        held.is_some_and(|held| held.files().is_ok_and(|files| !files.is_empty()))
    }

    /// Writes a checkpoint. What it says of the files of the run is on the disk before it is there.
    fn save(&mut self) -> Result<()> {
        let growing = &mut self.growing;
        if growing.checkpoints.is_none() {
            growing.checkpoints = Some(CheckpointFolder::hold(self.folder)?);
        }
        let Some(checkpoints) = &growing.checkpoints else {
            return Ok(());
        };
        let extra = Extra {
            choices: checkpoints::choices(self.plan, self.simulation),
            metrics: growing.metrics.mark()?,
            frames: match &mut growing.frames {
                Some(frames) => frames.mark()?,
                None => Vec::new(),
            },
            summary: self.summary.save(self.started.elapsed())?,
            judged: growing.judges.iter().map(Judge::judged).collect(),
            watch: growing.watch.clone(),
        };
        let mut checkpoint = Checkpoint::new(self.resolved, self.simulation)?;
        checkpoint.extra = extra.to_bytes()?;
        checkpoints.write(&checkpoint).map(drop)
    }

    /// Takes a step and writes what it leaves.
    fn step(&mut self) -> Result<()> {
        let scene = &self.plan.scene;
        let stepped = self.simulation.step();
        // A step that fails leaves the problem that it failed at.
        let number = self.summary.steps + 1;
        if self.plan.choices.dumped.contains(&number) {
            let problem = dump::problem(&scene.name, number, self.simulation, stepped.is_ok());
            if let Some(problem) = problem {
                let format = self.plan.choices.dump_format;
                let path = dump::write(self.folder, &problem, number, format)?;
                if !self.plan.quiet {
                    console::err(&dump::note(&path, self.simulation));
                }
            }
        }
        let report = stepped?;
        let (step, world) = (report.step, self.simulation.world());
        let growing = &mut self.growing;
        self.summary.add(&report);
        if self.plan.is_measured(step) || !growing.judges.is_empty() {
            let seen = self.simulation.seen(&scene.probes, &mut growing.forces);
            for judge in &mut growing.judges {
                judge.step(&report, scene.settings.time_step, &seen, &scene.probes);
            }
            if self.plan.is_measured(step) {
                growing.metrics.write(&report, &seen, &scene.probes)?;
            }
        }
        if let Some(frames) = &mut growing.frames
            && self.plan.is_drawn(step)
        {
            let seen = self.simulation.seen_with_forces(&mut growing.forces);
            frames.write(&Frame { step, seen })?;
        }
        self.progress.step(&report);
        let h = scene.settings.time_step;
        let runaway = growing
            .watch
            .step(world, report.energy, &report.penetration, h);
        if let Some(runaway) = runaway {
            let is_first = self.summary.add_runaway();
            if self.plan.choices.strict {
                return Err(runaway::stop(
                    self.folder,
                    &scene.name,
                    step,
                    &runaway,
                    self.simulation,
                ));
            }
            if is_first && !self.plan.quiet {
                console::err(&format!(
                    "warning: the run runs away at step {step}: {runaway}; a shorter --dt may help, --strict stops there\n"
                ));
            }
        }
        Ok(())
    }
}
