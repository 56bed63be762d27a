//! Problems in files, so that a problem that is hard or goes wrong can be sent to somebody.
//!
//! Two formats are read and written: drystone's own JSON, which gives the numbers back bit for bit, and the HDF5 files of
//! FCLib, a collection of friction problems (feature `fclib`), which other groups' solvers read.
//!
//! # JSON
//!
//! One object. Lengths are in metres, times in seconds, masses in kilograms; everything is in world axes. Numbers are f32 but where f64 is said.
//!
//! | field | is |
//! |---|---|
//! | `format`, `version` | `"drystone-problem"` and 1 |
//! | `title` | text, if any |
//! | `origin` | of a problem of a run: `scene`, `step`, `time`, `backend`, `adapter` |
//! | `time_step` | length of time that the problem stands for `[s]`, f64; nothing is computed from it |
//! | `friction` | `cone`: `"disk"` or `{"pyramid": K}`; `law`: `"coulomb"` or `"convex"` |
//! | `contact_softness` | [`Problem::contact_softness`] |
//! | `calm_change` | [`Problem::calm_change`] |
//! | `plan` | `{"once": options}` or `{"substeps": ...}`: [`Plan`], its fields by their names there; those of `options` that are not named are the defaults |
//! | `bodies` | `linear_velocity` `[m/s]`, `angular_velocity` `[rad/s]`, `inverse_mass` `[1/kg]`, `inverse_inertia` as xx, xy, xz, yy, yz, zz `[1/(kg m^2)]`; in substeps also `increment`, what forces add to the velocity: `linear`, `angular` |
//! | `contacts` | `bodies` A and B, `arm_a`, `arm_b` `[m]`, `normal` from B to A, `bias` `[m/s]`, `friction`, `impulse` to start from `[N s]`; in substeps also `gap` `[m]`, and `restitution`, `load` `[N]` and `size`, of all contacts or of none; so also `compliance`, in `[m/N]`, without substeps in `[1/kg]` |
//! | `joint_rows` | `bodies`, `linear`, `angular_a`, `angular_b`, `bias`, `softness`, `lower`, `upper`, `impulse`: [`JointRow`](crate::problem::JointRow) |
//! | `solution` | the answer that was found, if there was one: `impulses`, `joint_impulses`, in substeps `total_impulses`, and `velocities`, `changes`, `displacements` of the bodies: [`Solution`] |
//!
//! A contact on a surface that moves, such as a belt, also has `surface_velocity` `[m/s]`: [`MovingSurfaces`](crate::problem::MovingSurfaces).
//! Solutions have no bodies for surfaces.
//!
//! # FCLib
//!
//! Local problems `u = W r + V l + q`, `V^T r + R l + s = 0` (`/fclib_local`) and global ones `M v = H r + G l + f`, `u = H^T v + w`,
//! `G^T v + b = 0` (`/fclib_global`), of two or three dimensions, with matrices by columns, by rows or as triplets. Both become contacts by their
//! operator, a [`ContactProblem`]: `W = H^T M^-1 H`, what is beside contacts being eliminated.
//!
//! [`BodyProblem::to_fclib`] writes either form: one problem in f64, in newton seconds and metres a second, contacts in their order and their rows along
//! normal, tangent 1, tangent 2. Biases, with gaps and restitution in them, and velocities of immovable bodies are in q or w, softness is in W or M,
//! joints are V and R or G. FCLib has no place for a plan and its substeps, for impulses to start from, for pyramids, the convex law and joint rows with bounds.

#[cfg(feature = "fclib")]
mod fclib;
mod json;
mod place;

use crate::error::{Error, Result};
use crate::problem::{FrictionLaw, Problem};
use crate::solver::nsgs::DelassusProblem;
use crate::solver::{Plan, Solution};
#[cfg(feature = "fclib")]
pub use fclib::FclibForm;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// The largest file that is read `[bytes]`.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// The first bytes of an HDF5 file.
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// A problem from a file.
#[derive(Debug, Clone)]
pub enum ProblemFile {
    /// Bodies, contacts and joint rows.
    Bodies(Box<BodyProblem>),
    /// Contacts by their operator.
    Contacts(Box<ContactProblem>),
}

/// Bodies, contacts and joint rows, and what was made of them.
#[derive(Debug, Clone, Default)]
pub struct BodyProblem {
    /// A name for people.
    pub title: String,
    /// The run that it is of, if it is of one.
    pub origin: Option<Origin>,
    /// Length of time that the problem stands for `[s]`, if it is known.
    pub time_step: Option<f64>,
    /// The problem, with the impulses to start from.
    pub problem: Problem,
    /// Velocities of the surfaces of its contacts, shape `[contact_count]`, empty if none moves. See [`MovingSurfaces::carry`](crate::problem::MovingSurfaces::carry).
    pub surface_velocities: Vec<[f32; 3]>,
    /// Settings with which it was, or should be, solved.
    pub plan: Plan,
    /// The answer that was found, if there was one.
    pub solution: Option<Solution>,
}

/// The run that a problem is of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Name of the scene.
    pub scene: String,
    /// The step, counted from 1. Of a step in several parts, which find contacts anew, the problem is that of the last one.
    pub step: u64,
    /// Time at its end `[s]`.
    pub time: f64,
    /// Backend that solved it.
    pub backend: String,
    /// Adapter, if it was a GPU's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
}

/// Contacts by their operator: a [`DelassusProblem`] that owns its numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactProblem {
    /// A name for people.
    pub title: String,
    /// Rows of a contact in the file, 2 or 3. Of two, the third row of every contact here is empty.
    pub dimension: u32,
    /// See [`DelassusProblem::row_starts`].
    pub row_starts: Vec<u32>,
    /// See [`DelassusProblem::columns`].
    pub columns: Vec<u32>,
    /// See [`DelassusProblem::blocks`].
    pub blocks: Vec<[f64; 9]>,
    /// See [`DelassusProblem::free_velocities`].
    pub free_velocities: Vec<[f64; 3]>,
    /// See [`DelassusProblem::friction`].
    pub friction: Vec<f64>,
}

impl ContactProblem {
    /// The problem on loan.
    #[must_use]
    pub fn as_delassus(&self) -> DelassusProblem<'_> {
        DelassusProblem {
            row_starts: &self.row_starts,
            columns: &self.columns,
            blocks: &self.blocks,
            free_velocities: &self.free_velocities,
            friction: &self.friction,
            compliance: &[],
            friction_law: FrictionLaw::Coulomb,
        }
    }
}

impl ProblemFile {
    /// Reads a problem from a file; its first bytes say in which format.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, otherwise as [`Self::parse`].
    pub fn load(path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|source| Error::io(path, source))?;
        // Some files have no end.
        let mut file = file.take(MAX_FILE_BYTES + 1);
        let mut chunk = file.by_ref().take(1 << 20);
        chunk
            .read_to_end(&mut bytes)
            .map_err(|source| Error::io(path, source))?;
        if looks_like(&bytes) {
            file.read_to_end(&mut bytes)
                .map_err(|source| Error::io(path, source))?;
        }
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(whole(
                path,
                format!("larger than {MAX_FILE_BYTES} bytes, the most that is read"),
            ));
        }
        Self::parse(path, bytes)
    }

    /// Reads a problem from the content of a file; `path` is named in messages.
    ///
    /// # Errors
    /// [`Error::File`] that names the first place where it is not what it should be, [`Error::Capacity`] for a problem that is too large to be
    /// reduced to contacts.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        if bytes.starts_with(HDF5_SIGNATURE) {
            return Self::parse_hdf5(path, bytes);
        }
        if !looks_like(&bytes) {
            return Err(whole(
                path,
                "neither JSON, which begins with {, nor HDF5".into(),
            ));
        }
        json::read(path, &bytes).map(|problem| Self::Bodies(Box::new(problem)))
    }

    #[cfg(feature = "fclib")]
    fn parse_hdf5(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        fclib::read(path, bytes).map(|problem| Self::Contacts(Box::new(problem)))
    }

    #[cfg(not(feature = "fclib"))]
    fn parse_hdf5(path: &Path, _: Vec<u8>) -> Result<Self> {
        Err(whole(
            path,
            "an HDF5 file, and this program was built without the feature fclib".into(),
        ))
    }
}

impl BodyProblem {
    /// The problem as JSON, a record a line. Reading it gives the same numbers bit for bit.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a number that is not finite, which JSON does not have.
    pub fn to_json(&self) -> Result<String> {
        json::write(self)
    }

    /// The problem as an HDF5 file of FCLib's, see [above](self#fclib). Of a step in substeps it is the velocity problem of the last one, found by
    /// solving those before it on the CPU.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a problem without meaning, and for what FCLib has no form for: friction in pyramids or by the convex law, joint rows with bounds, a
    /// body whose inverse inertia is singular but for axes that it does not turn about. [`Error::Capacity`] for one that is too large, [`Error::NonFinite`] for numbers that are not finite.
    #[cfg(feature = "fclib")]
    pub fn to_fclib(&self, form: FclibForm) -> Result<Vec<u8>> {
        fclib::write(self, form)
    }
}

/// The arrays of a solution as JSON, by their names there.
///
/// # Errors
/// [`Error::NonFinite`] for a number that is not finite.
pub fn solution_to_json(solution: &Solution) -> Result<String> {
    json::write_solution(solution)
}

/// True if the beginning of a file is one that is read on.
fn looks_like(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.starts_with(HDF5_SIGNATURE) || text.trim_ascii_start().starts_with(b"{")
}

/// A mistake of a file as a whole.
fn whole(path: &Path, why: String) -> Error {
    Error::File {
        path: path.to_owned(),
        line_column: None,
        field: String::new(),
        why,
    }
}
