//! Checkpoints: a run as it was after a step, in one file.
//!
//! | bytes | hold |
//! |---|---|
//! | 16 | `drystone state`, a carriage return and a line feed, by which a file is known that was changed as text |
//! | 4 | number of the format |
//! | 8 | length of the file |
//! | 4 | length of the header |
//! | | header: versions, backend, step, and the lengths of the parts |
//! | | the scene, as TOML; what it had in other files stands in it |
//! | | the state: [`Simulation::save`] |
//! | | what the program adds |
//! | 4 | CRC-32 of all before |
//!
//! Numbers are little-endian.

use super::{Overrides, Scene};
use crate::constants::CHECKPOINT_FORMAT;
use crate::error::{Error, Result};
use crate::solver::Solver;
use crate::step::{Simulation, WorldState, world_of};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Folder within that of a run.
const FOLDER: &str = "checkpoints";
/// Ending of their names.
const EXTENSION: &str = "drystone";
/// First bytes of a file.
const MAGIC: &[u8; 16] = b"drystone state\r\n";
/// Bytes before the header.
const PREFIX: usize = 16 + 4 + 8 + 4;
/// Bytes after the last part.
const SUFFIX: usize = 4;

/// A run as it was after a step: its scene, and all that the next step depends on.
///
/// ```
/// use drystone::scene::{Checkpoint, Overrides, Scene};
/// use drystone::solver::cpu::CpuSolver;
/// use drystone::step::Simulation;
///
/// let path = "scenes/bench/pile_spheres_1k.toml".as_ref();
/// let scene = Scene::load(path, &Overrides::default())?;
/// let text = scene.resolved_toml();
/// let mut simulation = Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new()))?;
/// simulation.step()?;
/// let bytes = Checkpoint::new(&text, &simulation)?.to_bytes();
///
/// // Another day.
/// let checkpoint = Checkpoint::from_bytes(&bytes)?;
/// let (_, mut again) = checkpoint.restore(path, Box::new(CpuSolver::new()))?;
/// assert_eq!(again.step()?.energy, simulation.step()?.energy);
/// # Ok::<(), drystone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    about: About,
    scene: String,
    state: Vec<u8>,
    /// Bytes that the writer wants to find again.
    pub extra: Vec<u8>,
}

/// Where and when a checkpoint was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct About {
    version: String,
    platform: String,
    backend: String,
    adapter: Option<String>,
    step: u64,
    time: f64,
    /// Of the three parts `[bytes]`.
    lengths: [u64; 3],
}

/// Processor and system: libraries of these round sines and roots.
fn platform() -> String {
    format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)
}

fn wrong(why: impl Into<String>) -> Error {
    Error::invalid("checkpoint", why)
}

impl Checkpoint {
    /// The checkpoint of a simulation of a scene, which is given as [`Scene::resolved_toml`] writes it.
    ///
    /// # Errors
    /// As [`Simulation::save`].
    pub fn new(scene: &str, simulation: &Simulation) -> Result<Self> {
        Ok(Self {
            about: About {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                platform: platform(),
                backend: simulation.backend().to_owned(),
                adapter: simulation.adapter(),
                step: simulation.steps(),
                time: simulation.world().time,
                lengths: [0; 3],
            },
            scene: scene.to_owned(),
            state: simulation.save()?,
            extra: Vec::new(),
        })
    }

    /// Steps that were taken.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.about.step
    }

    /// Simulated time `[s]`.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.about.time
    }

    /// Which backend solved, and on which adapter if it is a GPU's.
    #[must_use]
    pub fn backend(&self) -> (&str, Option<&str>) {
        (&self.about.backend, self.about.adapter.as_deref())
    }

    /// The scene as a file.
    #[must_use]
    pub fn scene(&self) -> &str {
        &self.scene
    }

    /// Where the checkpoints of a run are in its folder.
    #[must_use]
    pub fn folder_of(run: &Path) -> PathBuf {
        run.join(FOLDER)
    }

    /// Name of its file, relative to the folder of a run.
    #[must_use]
    pub fn name_in_run(&self) -> String {
        format!("{FOLDER}/{:09}.{EXTENSION}", self.about.step)
    }

    /// Files of checkpoints in a folder, by the steps in their names, the newest first.
    ///
    /// # Errors
    /// [`Error::Io`] if there is no such folder.
    pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
        let io = |source| Error::io(folder, source);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            let file = entry.map_err(io)?.path();
            let stem = file.file_stem().and_then(|stem| stem.to_str());
            let step = stem.and_then(|stem| stem.parse::<u64>().ok());
            if let Some(step) = step
                && file
                    .extension()
                    .is_some_and(|extension| extension == EXTENSION)
            {
                found.push((step, file));
            }
        }
        found.sort_by(|a, b| b.cmp(a));
        Ok(found.into_iter().map(|(_, file)| file).collect())
    }

    /// The state of the world.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is none.
    pub(super) fn world(&self) -> Result<WorldState> {
        world_of(&self.state)
    }

    /// The checkpoint as a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = [self.scene.as_bytes(), &self.state, &self.extra];
        let about = About {
            lengths: parts.map(|part| part.len() as u64),
            ..self.about.clone()
        };
        // Names, numbers and no maps: there is nothing that cannot be written.
        let header = postcard::to_stdvec(&about).unwrap_or_default();
        let inner: usize = parts.iter().map(|part| part.len()).sum();
        let length = PREFIX + header.len() + inner + SUFFIX;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&CHECKPOINT_FORMAT.to_le_bytes());
        bytes.extend_from_slice(&(length as u64).to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        for part in parts {
            bytes.extend_from_slice(part);
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a checkpoint from a file.
    ///
    /// # Errors
    /// [`Error::Io`] if there is no such file, and otherwise as [`Self::from_bytes`].
    pub fn read(path: &Path) -> Result<Self> {
        let io = |source| Error::io(path, source);
        let about = std::fs::metadata(path).map_err(io)?;
        if !about.is_file() {
            return Err(wrong("this is not a file"));
        }
        Self::from_bytes(&std::fs::read(path).map_err(io)?)
    }

    /// Reads a checkpoint from the bytes of a file.
    ///
    /// # Errors
    /// [`Error::Invalid`] if they are no checkpoint, of another format, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() {
            return Err(wrong("it is empty"));
        }
        let Some(prefix) = bytes.get(..PREFIX) else {
            return Err(wrong(format!(
                "{} bytes are less than any checkpoint has",
                bytes.len()
            )));
        };
        if !prefix.starts_with(MAGIC) {
            return Err(wrong("it does not begin as checkpoints do"));
        }
        let format = number(&prefix[16..20]);
        if format != u64::from(CHECKPOINT_FORMAT) {
            return Err(wrong(format!(
                "its format is {format}; this version of drystone reads {CHECKPOINT_FORMAT}"
            )));
        }
        let length = number(&prefix[20..28]);
        if length != bytes.len() as u64 {
            return Err(wrong(format!(
                "it has {} bytes of {length}: it is cut short, or damaged",
                bytes.len()
            )));
        }
        let (content, checksum) = bytes.split_at(bytes.len() - SUFFIX);
        if number(checksum) != u64::from(crc32fast::hash(content)) {
            return Err(wrong("it is damaged: its checksum is another one"));
        }
        Self::of_content(&content[28..]).ok_or_else(|| wrong("its header cannot be read"))
    }

    /// Reads all from the length of the header on.
    fn of_content(content: &[u8]) -> Option<Self> {
        let (length, rest) = content.split_at_checked(4)?;
        let (header, mut rest) = rest.split_at_checked(number(length) as usize)?;
        let about: About = postcard::from_bytes(header).ok()?;
        let mut part = |length: u64| {
            let (part, others) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            rest = others;
            Some(part.to_vec())
        };
        let [scene, state, extra] = about.lengths;
        Some(Self {
            scene: String::from_utf8(part(scene)?).ok()?,
            state: part(state)?,
            extra: part(extra)?,
            about,
        })
    }

    /// The scene, and a simulation that goes on where the checkpoint was made: the steps that follow have the same results to the last
    /// bit as those that followed there. `path` is the scene's in messages. The world is the simulation's; the scene is left with an empty one.
    ///
    /// # Errors
    /// [`Error::Invalid`] where results would be others: if the checkpoint is of another version of drystone, another processor or system, or another
    /// backend or adapter than the solver's; and if the state is not one of the scene.
    pub fn restore(&self, path: &Path, solver: Box<dyn Solver>) -> Result<(Scene, Simulation)> {
        let about = &self.about;
        let adapter =
            |name: Option<&str>| name.map_or_else(String::new, |name| format!(" on {name}"));
        for (what, there, here) in [
            (
                "version",
                about.version.clone(),
                env!("CARGO_PKG_VERSION").to_owned(),
            ),
            ("machine", about.platform.clone(), platform()),
            (
                "backend",
                format!("{}{}", about.backend, adapter(about.adapter.as_deref())),
                format!(
                    "{}{}",
                    solver.backend(),
                    adapter(solver.adapter().as_deref())
                ),
            ),
        ] {
            if there != here {
                return Err(wrong(format!(
                    "it is of another {what}, {there}; here is {here}, and results would differ"
                )));
            }
        }
        let mut scene = Scene::parse(path, &self.scene, &Overrides::default())?;
        let emptied = World::new(scene.world.gravity);
        let world = std::mem::replace(&mut scene.world, emptied);
        let mut simulation = Simulation::new(world, scene.settings, solver)?;
        simulation.restore(&self.state)?;
        Ok((scene, simulation))
    }
}

/// A little-endian number of up to 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
