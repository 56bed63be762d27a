//! The steps of a run, and what they leave in its folder.

use super::signals::{Signal, Signals};
use super::{dump, runaway};
use crate::console;
use crate::plan::RunPlan;
use crate::progress::Progress;
use drystone::Result;
use drystone::measure::{self, RunawayWatch};
use drystone::output::{FrameWriter, MetricsWriter, RunFolder, Summary};
use drystone::scene::Judge;
use drystone::step::{Forces, Simulation};

/// A run between two steps.
pub(super) struct Stepping<'a> {
    plan: &'a RunPlan,
    simulation: &'a mut Simulation,
    summary: &'a mut Summary,
    progress: &'a Progress,
    metrics: MetricsWriter,
    frames: Option<FrameWriter>,
    judges: Vec<Judge>,
    watch: RunawayWatch,
    signals: Signals,
    forces: Forces,
    folder: &'a RunFolder,
}

impl<'a> Stepping<'a> {
    /// The beginning of a run: the files that grow, and the frame of the start.
    pub(super) fn new(
        plan: &'a RunPlan,
        folder: &'a RunFolder,
        simulation: &'a mut Simulation,
        summary: &'a mut Summary,
        progress: &'a Progress,
    ) -> Result<Self> {
        let scene = &plan.scene;
        let metrics = MetricsWriter::create(folder, &scene.probes)?;
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
        let judges = scene.expectations.iter().cloned().map(Judge::new).collect();
        let world = simulation.world();
        let watch = RunawayWatch::new(world, measure::energy(world), &simulation.penetration());
        Ok(Self {
            plan,
            folder,
            watch,
            signals: Signals::watch()?,
            forces: Forces::default(),
            simulation,
            summary,
            progress,
            metrics,
            frames,
            judges,
        })
    }

    /// Takes all steps that are left, or those until a signal, which it gives.
    pub(super) fn run(mut self) -> Result<Option<Signal>> {
        let mut ended = Ok(None);
        while matches!(ended, Ok(None)) && self.summary.steps < self.plan.scene.steps {
            ended = self.step().map(|()| self.signals.caught());
        }
        self.summary.expectations = self
            .judges
            .iter()
            .map(|judge| judge.finding().clone())
            .collect();
        ended
    }

    /// Takes a step and writes what it leaves.
    fn step(&mut self) -> Result<()> {
        let scene = &self.plan.scene;
        let stepped = self.simulation.step();
        // A step that fails leaves the problem that it failed at.
        let number = self.summary.steps + 1;
        if self.plan.dumped.contains(&number) {
            let path = dump::write(
                self.folder,
                &scene.name,
                number,
                self.simulation,
                stepped.is_ok(),
            )?;
            if !self.plan.quiet
                && let Some(path) = path
            {
                console::err(&dump::note(&path, self.simulation));
            }
        }
        let report = stepped?;
        let (step, world) = (report.step, self.simulation.world());
        self.summary.add(&report);
        if self.plan.is_measured(step) || !self.judges.is_empty() {
            let seen = self.simulation.seen(&scene.probes, &mut self.forces);
            for judge in &mut self.judges {
                judge.step(&report, scene.settings.time_step, &seen, &scene.probes);
            }
            if self.plan.is_measured(step) {
                self.metrics.write(&report, &seen, &scene.probes)?;
            }
        }
        if let Some(frames) = &mut self.frames
            && self.plan.is_drawn(step)
        {
            frames.write(step, world)?;
        }
        self.progress.step(&report);
        let h = scene.settings.time_step;
        let runaway = self
            .watch
            .step(world, report.energy, &report.penetration, h);
        if let Some(runaway) = runaway {
            let is_first = self.summary.add_runaway();
            if self.plan.strict {
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
