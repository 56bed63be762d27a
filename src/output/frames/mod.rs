//! Frames: the state of a run at a moment, for programs that draw it or compute with it.
//!
//! A [`Frame`] borrows the state. Each format is a [`Recorder`] of frames in a file of its own here: it writes them into the folder of
//! the run, one by one, and goes on after those that a checkpoint counts.

mod lammps;
#[cfg(feature = "parquet")]
mod parquet;
mod piece;
mod series;
mod surface;
mod table;
pub(crate) mod vtk_xml;
mod vtkhdf;

use super::RunFolder;
use super::run_folder::file_stem;
use crate::error::{Error, Result};
use crate::measure::{FieldGrid, Seen};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use vtk_xml::Kind;

/// A state of a run, to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Steps that were taken before it.
    pub step: u64,
    /// Bodies, and contacts with their forces.
    pub seen: Seen<'a>,
}

/// Parts of a frame, and their formats.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FrameOptions {
    /// Form of a body.
    pub content: FrameContent,
    /// File formats, none of them twice; none at all for the default.
    pub formats: Vec<FrameFormat>,
    /// True if the contacts are shown too, in files `NAME_contacts_STEP` of their own: a point each, with the arrays `body_a` and `body_b`
    /// (their `id`), `gap` `[m]` (negative where they overlap), `normal` (from B to A), `force` on A `[N]`, its parts `normal_force`
    /// (positive where they press) and `tangential_force`, and `branch` `[m]`, the way from B's centre to A's, or
    /// from or to the point itself for a body that is not dynamic.
    ///
    /// Among them are bodies that nearly touch: their gap is positive, and the force 0. Forces are those of the last substep; 0 at the start and
    /// with the event stepper.
    pub contacts: bool,
    /// Grid of the fields that are recorded too, in files `NAME_fields_STEP.vti`, which have a collection of their own; `None` for none.
    /// Cells have the arrays `density` `[kg/m^3]`, `momentum` `[kg/(m^2 s)]`, `velocity` `[m/s]`, `kinetic_stress`, `contact_stress` and `joint_stress` `[Pa]` (positive under
    /// pressure; xx, xy, xz, yx, ...), and `boundary_force` `[N/m^3]`: see [`fields`](crate::measure::fields()).
    pub fields: Option<FieldGrid>,
    /// Most frames that there will be: formats in one file have room for no more.
    pub most: u64,
}

/// Form of a body in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FrameContent {
    /// Surfaces up to [`MAX_SURFACE_FRAME_BODIES`](crate::internals::constants::MAX_SURFACE_FRAME_BODIES) bodies, points beyond.
    #[default]
    Auto,
    /// A point at its centre of mass, with the arrays `id`, `kind`, `shape`, `material`, `mass` `[kg]`, `radius` `[m]`, `half_extents` `[m]`,
    /// `orientation` (quaternion w, x, y, z), `velocity` `[m/s]`, `angular_velocity` `[rad/s]` and
    /// `speed` `[m/s]`.
    ///
    /// `kind` is 0 dynamic, 1 fixed, 2 kinematic; `shape` is 0 sphere, 1 box, 2 capsule,
    /// 3 half-space, 4 compound, 5 polyhedron, 6 mesh, 7 cylinder, 8 cone. `material` counts the world's from 0. `mass` is 0 of a body that is not dynamic. `radius` is that of the sphere about the centre of mass that holds
    /// the body, and `half_extents` those of its bounding box in body axes; both are 0 for a
    /// half-space.
    Points,
    /// Its surface, with the arrays `id`, `kind`, `shape`, `material`, `velocity`, `angular_velocity` and
    /// `speed` on every face. A half-space is a square under everything else.
    Surfaces,
}

/// File format of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FrameFormat {
    /// VTK XML polygonal data, what ParaView users expect.
    #[default]
    Vtp,
    /// VTK XML unstructured grid, which more programs read.
    Vtu,
    /// VTKHDF, all frames in the file `NAME.vtkhdf`, for long runs. It is whole at any moment of the run and has the frames so far; contacts and
    /// fields are in VTK XML files beside it. It has the length of the whole run from the start: a hole as long as nothing is written.
    Vtkhdf,
    /// LAMMPS dump, for OVITO: bodies as particles, whatever [`FrameContent`] says, with `id`s from 1. `type` is the number of the shape and one,
    /// `element` its name; contacts are the entries of a local dump.
    Lammps,
    /// Tables of bodies and contacts, whatever [`FrameContent`] says.
    Csv,
    /// The same tables as Parquet files, for pandas, Polars, DuckDB and R. Needs the feature `parquet`.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl FrameFormat {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vtp => "vtp",
            Self::Vtu => "vtu",
            Self::Vtkhdf => "vtkhdf",
            Self::Lammps => "lammps",
            Self::Csv => "csv",
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
        }
    }
}

impl FrameOptions {
    /// Refuses formats that would write the same file.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a format that is there twice, or for both of VTK's XML formats: they share the collection.
    pub fn check(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("frame formats", why));
        let has = |format| self.formats.contains(&format);
        if has(FrameFormat::Vtp) && has(FrameFormat::Vtu) {
            return refuse(
                "vtp and vtu are two forms of the same frames; expected one of them".into(),
            );
        }
        let mut formats = self.formats.iter().enumerate();
        match formats.find(|(at, format)| self.formats[..*at].contains(format)) {
            Some((_, format)) => refuse(format!("{} is there twice", format.name())),
            None => Ok(()),
        }
    }
}

/// Moment of a frame that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FrameMark {
    /// Steps before it.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
}

/// A format of frames.
trait Recorder: Debug + Send {
    /// Records a frame; `frames` are those so far, this one the last.
    fn record(&mut self, frame: &Frame<'_>, frames: &[FrameMark]) -> Result<()>;

    /// Sees to it that these, the newest, are on the disk.
    fn sync(&mut self, newest: &[FrameMark]) -> Result<()>;

    /// Goes on after these frames: removes what came after them, and what is half-written.
    fn resume(&mut self, frames: &[FrameMark]) -> Result<()>;
}

/// Records frames in the folder of a run.
#[derive(Debug)]
pub struct FrameWriter {
    recorders: Vec<Box<dyn Recorder>>,
    frames: Vec<FrameMark>,
    /// Of these, how many are surely on the disk.
    synced: usize,
}

impl FrameWriter {
    /// Makes the folder `frames` in a run's folder.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be made, and those of [`FrameOptions::check`].
    pub fn create(folder: &RunFolder, scene_name: &str, options: &FrameOptions) -> Result<Self> {
        options.check()?;
        folder.create_subfolder("frames")?;
        Ok(Self {
            recorders: recorders(folder, scene_name, options),
            frames: Vec::new(),
            synced: 0,
        })
    }

    /// Goes on after these frames, which [`Self::mark`] gave: later ones, and what was half-written, are removed.
    ///
    /// # Errors
    /// [`Error::Io`] if they cannot be removed.
    pub fn resume(
        folder: &RunFolder,
        scene_name: &str,
        options: &FrameOptions,
        frames: Vec<FrameMark>,
    ) -> Result<Self> {
        let mut recorders = recorders(folder, scene_name, options);
        for recorder in &mut recorders {
            recorder.resume(&frames)?;
        }
        Ok(Self {
            recorders,
            synced: frames.len(),
            frames,
        })
    }

    /// Records a frame in every format.
    ///
    /// # Errors
    /// [`Error::Io`] if a file cannot be written.
    pub fn write(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.frames.push(FrameMark {
            step: frame.step,
            time: frame.seen.world.time,
        });
        for recorder in &mut self.recorders {
            recorder.record(frame, &self.frames)?;
        }
        Ok(())
    }

    /// Sees to it that all frames are on the disk, and gives the moment of each.
    ///
    /// # Errors
    /// [`Error::Io`] if one is not there.
    pub fn mark(&mut self) -> Result<Vec<FrameMark>> {
        for recorder in &mut self.recorders {
            recorder.sync(&self.frames[self.synced..])?;
        }
        self.synced = self.frames.len();
        Ok(self.frames.clone())
    }

    /// Number of frames written.
    #[must_use]
    pub fn count(&self) -> usize {
        self.frames.len()
    }
}

/// The formats that are asked for.
fn recorders(
    folder: &RunFolder,
    scene_name: &str,
    options: &FrameOptions,
) -> Vec<Box<dyn Recorder>> {
    let stem = file_stem(scene_name);
    let default = [FrameFormat::default()];
    let formats = if options.formats.is_empty() {
        &default[..]
    } else {
        &options.formats
    };
    let fields = options.fields.iter();
    let fields = fields.map(|grid| vtk_xml::fields(folder, &stem, grid));
    formats
        .iter()
        .flat_map(|&format| match format {
            FrameFormat::Vtp => vtk_xml::recorders(folder, &stem, options, Kind::PolyData),
            FrameFormat::Vtu => vtk_xml::recorders(folder, &stem, options, Kind::UnstructuredGrid),
            FrameFormat::Vtkhdf => vtkhdf::recorders(folder, &stem, options),
            FrameFormat::Lammps => {
                series::files(folder, &stem, options, "dump", lammps::contents())
            }
            FrameFormat::Csv => {
                let contents = table::contents(|table| Ok(table.csv().into_bytes()));
                series::files(folder, &stem, options, "csv", contents)
            }
            #[cfg(feature = "parquet")]
            FrameFormat::Parquet => {
                let contents = table::contents(parquet::file);
                series::files(folder, &stem, options, "parquet", contents)
            }
        })
        .chain(fields)
        .collect()
}
