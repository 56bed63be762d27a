//! Source of pictures: a scene that is run, or a run folder, whose scene is run again.

use super::color::ColorBy;
use super::snapshot::Snapshot;
use crate::args::{BackendName, RenderArgs};
use crate::backend;
use crate::failure::Failure;
use crate::plan;
use crate::progress::Progress;
use drystone::Error;
use drystone::scene::{Overrides, Scene};
use drystone::step::Simulation;
use drystone::world::World;
use std::path::{Path, PathBuf};

/// A scene to draw, and where it is from.
pub(super) struct Source {
    pub(super) scene: Scene,
    /// Folder of the run, if it is one.
    run: Option<PathBuf>,
    backend: BackendName,
    adapter: Option<String>,
}

impl Source {
    /// Reads the scene of a file or of a run folder.
    pub(super) fn open(args: &RenderArgs) -> Result<Self, Failure> {
        let is_run = args.source.is_dir();
        let file = if is_run {
            args.source.join("scene.toml")
        } else {
            args.source.clone()
        };
        if is_run && !file.is_file() {
            return Err(Failure::Input(Error::invalid(
                args.source.display().to_string(),
                "this folder holds no scene.toml; expected a scene file or the folder of a run",
            )));
        }
        let scene = Scene::load(&file, &Overrides::default()).map_err(Failure::Input)?;
        let (mut backend, mut adapter) = (BackendName::Cpu, None);
        if is_run && scene.settings.event.is_none() {
            (backend, adapter) = recorded_backend(&args.source);
        }
        Ok(Self {
            scene,
            run: is_run.then(|| args.source.clone()),
            backend,
            adapter,
        })
    }

    /// Folder for pictures that no name is given for.
    pub(super) fn home(&self) -> &Path {
        self.run.as_deref().unwrap_or(Path::new(""))
    }

    /// The times to draw, in order `[s]`.
    pub(super) fn times(&self, args: &RenderArgs) -> Result<Vec<f64>, Failure> {
        let step = self.scene.settings.time_step;
        let end = self.scene.steps as f64 * step;
        let mut times = args.at.clone();
        if let Some(every) = args.every {
            let count = (end / every + 1e-9).floor();
            if count > 100_000.0 {
                return Err(Failure::Input(Error::invalid(
                    "--every",
                    format!("{count:e} pictures; expected at most 100,000"),
                )));
            }
            times.extend((0..=count as u32).map(|index| every * f64::from(index)));
        }
        if times.is_empty() {
            times.push(end);
        }
        if let Some(late) = times.iter().find(|time| **time > end + 0.5 * step) {
            return Err(Failure::Input(Error::invalid(
                "--at",
                format!("{late} s is after the end of the run, {end} s"),
            )));
        }
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        Ok(times)
    }

    /// Runs the scene and keeps what it looks like at the given times.
    pub(super) fn snapshots(
        self,
        args: &RenderArgs,
        times: &[f64],
    ) -> Result<(Scene, World, Vec<Snapshot>), Failure> {
        let mut scene = self.scene;
        let world = plan::take_world(&mut scene);
        let choice = backend::choose(self.backend, self.adapter.as_deref())
            .map_err(Failure::while_preparing)?;
        let mut simulation = Simulation::new(world, scene.settings, choice.solver)
            .map_err(Failure::while_preparing)?;
        let mut snapshots = Vec::with_capacity(times.len());
        let steps: Vec<u64> = times
            .iter()
            .map(|time| (time / scene.settings.time_step).round() as u64)
            .collect();
        let last = steps.last().copied().unwrap_or(0);
        let progress = Progress::new(last.max(1), args.quiet);
        let keep = |simulation: &Simulation| {
            let mut snapshot = Snapshot::of(simulation.world());
            if args.forces || args.color == ColorBy::Force {
                snapshot = snapshot.with_forces(simulation);
            }
            if args.color == ColorBy::Cluster {
                snapshot = snapshot.with_clusters(simulation);
            }
            snapshot
        };
        for step in 0..=last {
            if step > 0 {
                let report = simulation.step().map_err(Failure::Run)?;
                progress.step(&report);
            }
            if steps.contains(&step) {
                snapshots.push(keep(&simulation));
            }
        }
        progress.finish();
        let world = simulation.world().clone();
        Ok((scene, world, snapshots))
    }
}

/// The backend that a run's summary names, so that its steps are the same again; the CPU where it does not say.
fn recorded_backend(run: &Path) -> (BackendName, Option<String>) {
    let summary: Option<serde_json::Value> = std::fs::read_to_string(run.join("summary.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok());
    let word = |key: &str| {
        let value = summary.as_ref()?.get(key)?.as_str()?;
        Some(value.to_owned())
    };
    match word("backend").as_deref() {
        Some("gpu") => (BackendName::Gpu, word("adapter")),
        Some("lemke") => (BackendName::Lemke, None),
        Some("nsgs") => (BackendName::Nsgs, None),
        _ => (BackendName::Cpu, None),
    }
}
