//! Scene files: TOML in, a world and settings out.
//!
//! A file is read in three passes: its syntax, its types (`reader`, `schema`), and what types
//! cannot say (`validate`). Every mistake is a [`SceneError`] that knows
//! its place. Then bodies are made: bodies, those of tables, containers, chains, instances of templates and fills, in this
//! order and each in the order of the file (`build`, `assembly`, `generate`); then joints and loads
//! (`joint`).
//!
//! ```
//! use drystone::scene::{Overrides, Scene};
//!
//! let text = r#"
//!     name = "drop"
//!     [simulation]
//!     dt = 0.01
//!     duration = 2.0
//!     [[body]]
//!     shape = { type = "sphere", radius = 0.1 }
//!     position = [0, 0, 1]
//!     density = 2500
//! "#;
//! let scene = Scene::parse("drop.toml".as_ref(), text, &Overrides::default())?;
//! assert_eq!((scene.world.bodies.len(), scene.steps), (1, 200));
//! # Ok::<(), drystone::Error>(())
//! ```

mod assembly;
mod body;
mod build;
mod checkpoint;
mod expect;
mod gap;
mod generate;
mod joint;
mod meshes;
mod occupied;
mod of_file;
mod place;
mod polyhedra;
mod probe;
mod reader;
mod resolve;
pub(crate) mod schema;
mod settings;
mod shape_file;
mod start;
mod surface_file;
mod tables;
mod validate;
mod variation;
mod vectors;

use crate::constants::{MAX_SCENE_BYTES, MAX_SCENE_SUBSTEPS};
use crate::error::{Error, Result, SceneError};
use crate::math::Vec3;
use crate::measure::{self, FieldGrid};
use crate::problem::FrictionCone;
use crate::solver::Method;
use crate::step::Settings;
use crate::world::World;
pub use checkpoint::Checkpoint;
pub use expect::{Expectation, Finding, Judge, Judged, Measure, Relation, Verdict, When};
pub use generate::Filling;
use place::Place;
use schema::SceneFile;
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
pub use variation::with_values;

/// A scene: a world about to be stepped, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Name of the scene.
    pub name: String,
    /// What it shows.
    pub description: String,
    /// The file it was read from, if it was.
    pub path: Option<PathBuf>,
    /// The bodies, at time 0.
    pub world: World,
    /// How it is stepped.
    pub settings: Settings,
    /// Number of steps of the run, at least 1.
    pub steps: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Numbers to write in every row of the metrics.
    pub probes: Vec<measure::Probe>,
    /// Expected outcome of a run.
    pub expectations: Vec<Expectation>,
    /// Where pictures are taken from, if the file says so.
    pub camera: Option<Camera>,
    /// How often something is written.
    pub output: OutputSpec,
    /// The file as it was read, before overrides.
    #[doc(hidden)]
    pub file: SceneFile,
}

/// Where pictures are taken from; what is `None` is fitted to what moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where the camera is `[m]`.
    pub eye: Option<Vec3>,
    /// Where it looks `[m]`.
    pub target: Option<Vec3>,
    /// Height of the field of view `[rad]`.
    pub field: Option<f64>,
}

/// How often something is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputSpec {
    /// Steps between two frames, at least 1; `None` for no frames.
    pub frames_every: Option<u64>,
    /// Steps between two rows of the metrics, at least 1.
    pub metrics_every: u64,
    /// Simulated time between two checkpoints `[s]`, positive; `None` for none but where a signal ends the run.
    pub checkpoint_every: Option<f64>,
    /// Fields in every frame, where there are frames; `None` for none.
    pub fields: Option<FieldGrid>,
}

/// Values that take the place of those in the file, such as from a command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Seed of everything random.
    pub seed: Option<u64>,
    /// Number of steps, at least 1.
    pub steps: Option<u64>,
    /// Length of a step `[s]`, positive. A scene that gives a duration keeps it; one that gives a
    /// number of steps keeps that.
    pub time_step: Option<f64>,
    /// Substeps of a step; 0 for none.
    pub substeps: Option<u32>,
    /// Most iterations of the velocity problem, at least 1.
    pub iterations: Option<u32>,
    /// Tolerance of the velocity problem `[m/s]`, at least 0.
    pub tolerance: Option<f32>,
    /// Sweep of the velocity problem, and of the position problem too unless the file gives that its
    /// own.
    pub method: Option<Method>,
    /// Directions of a friction pyramid in place of the file's cone: even, from 4 on.
    pub friction_directions: Option<u32>,
}

impl Scene {
    /// Reads a scene from a file.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, and otherwise as [`Scene::parse`].
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self> {
        Self::load_watched(path, overrides, &mut |_| {})
    }

    /// The same, and tells how far fills have come, every few milliseconds: some take long, or find no place in the end.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn load_watched(
        path: &Path,
        overrides: &Overrides,
        watch: &mut dyn FnMut(&Filling<'_>),
    ) -> Result<Self> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|source| Error::io(path, source))?;
        // Some files have no end.
        file.take(MAX_SCENE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| Error::io(path, source))?;
        if bytes.len() as u64 > MAX_SCENE_BYTES {
            return Err(Error::invalid(
                path.display().to_string(),
                format!(
                    "it is larger than {MAX_SCENE_BYTES} bytes, the most that a scene may have"
                ),
            ));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            SceneError {
                path: path.to_owned(),
                text,
                span: at..at,
                message: "this byte is not UTF-8".into(),
                help: "expected text in UTF-8".into(),
            }
        })?;
        Self::parse_watched(path, &text, overrides, watch)
    }

    /// Reads a scene from the text of a file; `path` is named in messages, and other files are relative to its folder.
    ///
    /// # Errors
    /// [`Error::Scene`] for the first mistake in the text, [`Error::Invalid`] for an override without
    /// meaning.
    pub fn parse(path: &Path, text: &str, overrides: &Overrides) -> Result<Self> {
        Self::parse_watched(path, text, overrides, &mut |_| {})
    }

    fn parse_watched(
        path: &Path,
        text: &str,
        overrides: &Overrides,
        watch: &mut dyn FnMut(&Filling<'_>),
    ) -> Result<Self> {
        overrides.validate()?;
        let root = syntax(path, text)?;
        let mut file = SceneFile::deserialize(reader::Node(&root)).map_err(|error| SceneError {
            path: path.to_owned(),
            text: text.to_owned(),
            span: error.span.unwrap_or(0..0),
            message: error.message,
            help: error.help,
        })?;
        let place = Place::root(path, text, &root);
        shape_file::load(&mut file, path, &place)?;
        tables::load(&mut file, path, &place)?;
        start::load(&mut file, path, &place)?;
        validate::validate(&file, &place)?;
        of_file::scene(file, path, overrides, watch, &place)
    }

    /// The scene as a file, with every default and override written out. It parses to the same scene.
    ///
    /// What depends on the bodies is left out, as it was: the contact margin and largest correction,
    /// the spacing of grids, the thickness of walls.
    #[must_use]
    pub fn resolved_toml(&self) -> String {
        resolve::toml(self)
    }
}

/// The TOML document, or its first mistake.
fn syntax<'a>(path: &Path, text: &'a str) -> Result<Spanned<DeValue<'a>>> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let before = text
            .get(..span.start)
            .unwrap_or("")
            .trim_end_matches([' ', '\t']);
        let after = text
            .get(span.start..)
            .unwrap_or("")
            .trim_start_matches([' ', '\t']);
        let (message, help) = if before.ends_with('=') && after.starts_with(['\r', '\n', '#']) {
            (
                "no value after `=`",
                "a number, a string in quotes, an array or a table",
            )
        } else {
            let whole = error.message();
            whole.split_once(", expected ").unwrap_or((
                whole,
                if whole == "duplicate key" {
                    "every key once"
                } else {
                    "TOML as https://toml.io describes it"
                },
            ))
        };
        SceneError {
            path: path.to_owned(),
            text: text.to_owned(),
            span,
            message: format!("not TOML: {message}"),
            help: format!("expected {help}"),
        }
    })?;
    // The document as a whole has no place of its own; its beginning stands for it.
    Ok(Spanned::new(0..0, DeValue::Table(table.into_inner())))
}

impl Overrides {
    fn validate(&self) -> Result<()> {
        if let Some(step) = self.time_step
            && !(step > 0.0 && step.is_finite())
        {
            return Err(Error::invalid(
                "time step",
                format!("{step} s is not positive and finite"),
            ));
        }
        if let Some(tolerance) = self.tolerance
            && !(tolerance >= 0.0 && tolerance.is_finite())
        {
            return Err(Error::invalid(
                "tolerance",
                format!("{tolerance} is not a finite number of at least 0"),
            ));
        }
        if self
            .substeps
            .is_some_and(|substeps| substeps > MAX_SCENE_SUBSTEPS)
        {
            return Err(Error::invalid(
                "number of substeps",
                format!("expected at most {MAX_SCENE_SUBSTEPS}"),
            ));
        }
        if let Some(directions) = self.friction_directions {
            let pyramid = FrictionCone::Pyramid { directions };
            pyramid.validate()?;
        }
        if self.steps == Some(0) || self.iterations == Some(0) {
            return Err(Error::invalid(
                "number of steps or iterations",
                "it is 0; at least 1 is expected",
            ));
        }
        if self.seed.is_some_and(|seed| seed > i64::MAX as u64) {
            return Err(Error::invalid(
                "seed",
                "it exceeds 2^63 - 1, the largest number of a scene file",
            ));
        }
        Ok(())
    }
}

/// The JSON Schema of scene files, made from the types that read them.
#[cfg(feature = "cli")]
#[doc(hidden)]
#[must_use]
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(SceneFile).to_value()
}

/// `a`, `b`, `c` in backquotes.
fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The name that was probably meant by `found`: the nearest in edits, unless that is most of it.
fn closest<'n>(found: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let (distance, name) = names
        .map(|name| (edits(found, name), name))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + found.chars().count() / 4).then_some(name)
}

/// Least number of characters inserted, removed or replaced to turn one text into another.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
