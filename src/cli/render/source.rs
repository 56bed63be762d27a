//! Source of pictures: a scene that is run, or a run folder, of which what is recorded is read and the rest is run again.

use super::RenderArgs;
use super::recording::Recording;
use super::set::Look;
use super::snapshot::Snapshot;
use crate::args::BackendName;
use crate::backend;
use crate::console;
use crate::failure::Failure;
use crate::plan;
use crate::progress::Progress;
use crate::trial;
use drystone::Error;
use drystone::scene::{Checkpoint, Overrides, Scene};
use drystone::solver::Solver;
use drystone::step::Simulation;
use drystone::world::World;
use std::path::{Path, PathBuf};

/// A scene to draw, and where it is from.
pub(crate) struct Source {
    pub(crate) scene: Scene,
    file: PathBuf,
    /// Folder of the run, if it is one.
    run: Option<PathBuf>,
    backend: BackendName,
    adapter: Option<String>,
}

impl Source {
    /// Reads the scene of a file or of a run folder; `quiet` if it is to say nothing.
    pub(crate) fn open(path: &Path, quiet: bool) -> Result<Self, Failure> {
        let is_run = path.is_dir();
        let file = if is_run {
            path.join("scene.toml")
        } else {
            path.to_owned()
        };
        if is_run && !file.is_file() {
            return Err(Failure::Input(Error::invalid(
                path.display().to_string(),
                "this folder holds no scene.toml; expected a scene file or the folder of a run",
            )));
        }
        let scene = plan::load_scene(&file, &Overrides::default(), quiet)?;
        let (mut backend, mut adapter) = (BackendName::Cpu, None);
        if is_run && scene.settings.event.is_none() {
            (backend, adapter) = recorded_backend(path);
        }
        Ok(Self {
            scene,
            file,
            run: is_run.then(|| path.to_owned()),
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

    /// The frames of the run, if they say where bodies were.
    pub(crate) fn recording(&self) -> Result<Option<Recording>, Failure> {
        let Some(run) = &self.run else {
            return Ok(None);
        };
        Recording::open(run, self.scene.world.bodies.len()).map_err(Failure::Input)
    }

    /// The simulation at its start. The scene is left without its world.
    pub(crate) fn begin(&mut self) -> Result<Simulation, Failure> {
        let world = plan::take_world(&mut self.scene);
        let (settings, adapter) = (&self.scene.settings, self.adapter.as_deref());
        let choice = trial::choose_for(&world, settings, self.backend, adapter)
            .map_err(Failure::while_preparing)?;
        Simulation::new(world, self.scene.settings, choice.solver).map_err(Failure::while_preparing)
    }

    /// The simulation at the newest sound checkpoint of the run up to a step; nothing if there is none.
    pub(crate) fn at_checkpoint(&self, latest: u64) -> Option<Simulation> {
        let folder = Checkpoint::folder_of(self.run.as_ref()?);
        let files = Checkpoint::files_in(&folder).unwrap_or_default();
        let step = |file: &PathBuf| file.file_stem()?.to_str()?.parse::<u64>().ok();
        files
            .iter()
            .filter(|file| step(file).is_some_and(|step| step <= latest))
            .find_map(|file| match self.restore(file) {
                Ok(simulation) => Some(simulation),
                Err(why) => {
                    console::err(&format!("{}: refused: {why}\n", file.display()));
                    None
                }
            })
    }

    fn restore(&self, file: &Path) -> drystone::Result<Simulation> {
        let checkpoint = Checkpoint::read(file)?;
        let text = std::fs::read(&self.file).map_err(|why| Error::io(&self.file, why))?;
        if text != checkpoint.scene().as_bytes() {
            return Err(Error::invalid(
                "checkpoint",
                "it is of another scene than the scene.toml of the folder",
            ));
        }
        let (backend, adapter) = checkpoint.backend();
        let (backend, adapter) = backend_of(backend, adapter.map(str::to_owned));
        let solver: Box<dyn Solver> = backend::choose(backend, adapter.as_deref())?.solver;
        let (_, simulation) = checkpoint.restore(&self.file, solver)?;
        Ok(simulation)
    }

    /// Moments of the run at the given times: as its frames say, and the rest by running it, from a checkpoint where there is one before.
    pub(super) fn snapshots(
        mut self,
        args: &RenderArgs,
        times: &[f64],
    ) -> Result<(Scene, World, Vec<Snapshot>), Failure> {
        let step = self.scene.settings.time_step;
        let mut found = Vec::with_capacity(times.len());
        let recording = if args.look.needs_simulation() {
            None
        } else {
            self.recording()?
        };
        for time in times {
            let recorded = recording.as_ref().and_then(|recording| {
                let frame = recording.at(*time, 0.5 * step)?;
                Some(recording.frame(frame))
            });
            found.push(recorded.transpose().map_err(Failure::Input)?);
        }
        let steps: Vec<u64> = times
            .iter()
            .map(|time| (time / step).round() as u64)
            .collect();
        let missing = steps
            .iter()
            .zip(&found)
            .filter(|(_, found)| found.is_none());
        let world = match missing.map(|(step, _)| *step).min() {
            None => plan::take_world(&mut self.scene),
            Some(first) => {
                let latest = if args.look.needs_step() {
                    first.checked_sub(1)
                } else {
                    Some(first)
                };
                let simulation = match latest.and_then(|latest| self.at_checkpoint(latest)) {
                    Some(simulation) => simulation,
                    None => self.begin()?,
                };
                run(simulation, &args.look, args.quiet, &steps, &mut found)?
            }
        };
        Ok((self.scene, world, found.into_iter().flatten().collect()))
    }
}

/// Steps on to the last of these steps for which nothing is found yet, and keeps what each of them looks like.
fn run(
    mut simulation: Simulation,
    look: &Look,
    quiet: bool,
    steps: &[u64],
    found: &mut [Option<Snapshot>],
) -> Result<World, Failure> {
    let missing = steps
        .iter()
        .zip(found.iter())
        .filter(|(_, found)| found.is_none());
    let last = missing.map(|(step, _)| *step).max().unwrap_or(0);
    let progress = Progress::new(last.max(1), quiet);
    loop {
        let now = simulation.steps();
        for (step, found) in steps.iter().zip(found.iter_mut()) {
            if *step == now && found.is_none() {
                *found = Some(look.snapshot(&simulation));
            }
        }
        if now >= last {
            break;
        }
        let report = simulation.step().map_err(Failure::Run)?;
        progress.step(&report);
    }
    progress.finish();
    Ok(simulation.world().clone())
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
    match word("backend") {
        Some(backend) => backend_of(&backend, word("adapter")),
        None => (BackendName::Cpu, None),
    }
}

/// The backend of a name in a run's files.
fn backend_of(name: &str, adapter: Option<String>) -> (BackendName, Option<String>) {
    match name {
        "gpu" => (BackendName::Gpu, adapter),
        "lemke" => (BackendName::Lemke, None),
        "nsgs" => (BackendName::Nsgs, None),
        _ => (BackendName::Cpu, None),
    }
}
