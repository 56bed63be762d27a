//! Flags of the commands, checked one at a time; those with names or values of a command's own stand beside it.

use crate::values::{not_negative, not_negative_f64, positive, threads};
use clap::{Args, ValueEnum};
use drystone::internals::constants::MAX_SCENE_SUBSTEPS;
use drystone::output::{FrameContent, FrameFormat};
use drystone::solver::Method;
use std::path::PathBuf;

/// A scene, and what to change of it.
#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// Scene file (TOML).
    pub(crate) scene: PathBuf,
    /// Solver of the velocity pass, instead of the scene's, and of the position pass unless the scene
    /// gives that its own.
    #[arg(long, value_enum)]
    pub(crate) solver: Option<Method>,
    /// Most iterations of the velocity pass, instead of the scene's (compare: of both passes).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: Option<u32>,
    /// Steps to take, instead of the scene's.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// Length of a step in seconds, instead of the scene's.
    #[arg(long = "dt", value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) time_step: Option<f64>,
    /// Substeps of a step, instead of the scene's; 0 for none.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_SCENE_SUBSTEPS)))]
    pub(crate) substeps: Option<u32>,
    /// Seed of random fills, instead of the scene's.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// A friction pyramid of this many directions, even, from 4 on, instead of the scene's cone.
    #[arg(long, value_name = "N")]
    pub(crate) friction_directions: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Residual at which the velocity solve stops, in m/s, instead of the scene's; 0 for never.
    #[arg(long, value_name = "RESIDUAL", allow_negative_numbers = true, value_parser = not_negative)]
    pub(crate) tolerance: Option<f32>,
    /// Where to solve: auto takes a hardware GPU where it is faster.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) backend: BackendName,
    /// Part of the name of the GPU adapter to take. The only way to get a software adapter.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Run folder: new or empty. Without it, runs/SCENE-N with the next N.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write a frame of the start and of every EVERY-th step.
    #[arg(long, value_name = "EVERY", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// What frames show: bodies as points or as surfaces; auto draws surfaces of small crowds.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) frame_content: ContentName,
    /// Formats of frames, one or, after commas, several: vtp for ParaView (the default); vtu for readers of unstructured grids, such as meshio;
    /// vtkhdf for long runs in one file; lammps for OVITO; csv and parquet for tables.
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    pub(crate) frame_format: Vec<FormatName>,
    /// Frames also of the contacts: bodies, point, normal, gap and force of each, in files and a collection of their own.
    #[arg(long)]
    pub(crate) frame_contacts: bool,
    /// Write a checkpoint every so many simulated seconds, instead of the scene's; drystone resume goes on from the newest.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) checkpoint_every: Option<f64>,
    /// Stop, with 1 and a file of the bodies, where energy or penetration are more than forces and motions explain.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Write the velocity problem of these steps, counted from 1, into the run folder, for `drystone solve`; of a step in several parts the
    /// last one's.
    #[arg(long, value_name = "STEP", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) dump_problem: Vec<u64>,
    /// Format of these problems: json, drystone's own, with plan and answer (the default); or FCLib's HDF5 for other solvers, fclib with W, q and
    /// mu, fclib-global with M, H and f: in substeps the last one's problem, biases in q. Pyramids, the convex law, and joints at
    /// limits or with motors have no such form.
    #[arg(long, value_enum, value_name = "FORMAT", requires = "dump_problem")]
    pub(crate) dump_format: Option<DumpName>,
    /// End without a picture.
    #[arg(long)]
    pub(crate) no_picture: bool,
    /// Exit with 1 unless every expectation of the scene held.
    #[arg(long)]
    pub(crate) check: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    /// Problem file: JSON or HDF5, whatever its name.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Solver of velocity problems, instead of the file's.
    #[arg(long, visible_alias = "method", value_enum)]
    pub(crate) solver: Option<Method>,
    /// Most iterations (of each substep, if there are any), instead of the file's; of nsgs 10,000 without it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: Option<u32>,
    /// Residual at which to stop, in m/s, instead of the file's; 0 for never.
    #[arg(long, value_name = "RESIDUAL", allow_negative_numbers = true, value_parser = not_negative_f64)]
    pub(crate) tolerance: Option<f64>,
    /// Sweep without acceleration (FCLib's problems).
    #[arg(long)]
    pub(crate) plain: bool,
    /// Start from no impulses.
    #[arg(long)]
    pub(crate) cold: bool,
    /// A friction pyramid of this many directions, even, from 4 on, instead of the file's cone.
    #[arg(long, value_name = "N")]
    pub(crate) friction_directions: Option<u32>,
    /// Where to solve: auto takes a hardware GPU if there is one, and nsgs for FCLib's problems.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) backend: BackendName,
    /// Part of the name of the GPU adapter to take. The only way to get a software adapter.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Solve it so many times; the time is the median.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) repeat: u32,
    /// Also write the answer there, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON in place of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// Folder of the run.
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Threads of the CPU's part; all cores without it. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// Folders of runs; several are drawn over each other.
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<PathBuf>,
    /// File, .svg or .png. Without it plot.svg in the folder of the run, or here for several.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Part of the name of a GPU adapter to compare, software or not; may be repeated. Without it,
    /// the hardware GPU that a run would take.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Vec<String>,
    /// Steps to take before the first that is compared; without it, those before the first contacts.
    #[arg(long, value_name = "N")]
    pub(crate) skip: Option<u64>,
    /// Compare each N-th step; without it, about 20 of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: Option<u64>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Less than a minute on two cores; numbers scatter more.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Also write the results there, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// What to measure beside the CPU.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) backend: BenchBackend,
    /// Part of the name of the GPU adapter to take. The only way to get a software adapter.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Bodies of the piles, instead of the usual ones.
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) sizes: Vec<u32>,
    /// Print the JSON schema of the results, and measure nothing.
    #[arg(long)]
    pub(crate) schema: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum BenchBackend {
    /// A hardware GPU if there is one.
    #[default]
    Auto,
    /// Nothing.
    Cpu,
    /// A GPU, or nothing at all.
    Gpu,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ExperimentBackend {
    /// The CPU, on all cores.
    #[default]
    Cpu,
    /// The reference: Lemke's pivoting in f64.
    Lemke,
    /// A GPU, or nothing.
    Gpu,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum BackendName {
    /// A hardware GPU where a short trial says that it is faster, else the CPU.
    #[default]
    Auto,
    /// The CPU, on all cores.
    Cpu,
    /// A GPU, or nothing.
    Gpu,
    /// The reference: Lemke's pivoting in 64 bits, for small scenes with a friction pyramid.
    Lemke,
    /// Block Gauss-Seidel in 64 bits, to round-off if the iterations allow; for scenes that are too large for lemke.
    Nsgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ContentName {
    #[default]
    Auto,
    Points,
    Surfaces,
}

impl From<ContentName> for FrameContent {
    fn from(name: ContentName) -> Self {
        match name {
            ContentName::Auto => Self::Auto,
            ContentName::Points => Self::Points,
            ContentName::Surfaces => Self::Surfaces,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    Vtp,
    Vtu,
    Vtkhdf,
    Lammps,
    Csv,
    Parquet,
}

/// A format of problem files.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum DumpName {
    #[default]
    Json,
    Fclib,
    FclibGlobal,
}

impl From<FormatName> for FrameFormat {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Vtp => Self::Vtp,
            FormatName::Vtu => Self::Vtu,
            FormatName::Vtkhdf => Self::Vtkhdf,
            FormatName::Lammps => Self::Lammps,
            FormatName::Csv => Self::Csv,
            FormatName::Parquet => Self::Parquet,
        }
    }
}
