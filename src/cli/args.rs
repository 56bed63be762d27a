//! The command line as it was typed, checked one flag at a time.

use crate::study::{Variation, parse_variation};
#[cfg(feature = "gpu")]
use crate::values::size;
use crate::values::{not_negative, not_negative_f64, positive, share, threads};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use drystone::internals::constants::MAX_SCENE_SUBSTEPS;
use drystone::output::{FrameContent, FrameFormat};
use drystone::solver::Method;
use std::path::PathBuf;

/// Contacts of large crowds of rigid bodies, solved on the GPU or the CPU.
#[derive(Debug, Parser)]
#[command(name = "drystone", version, propagate_version = true)]
pub(crate) struct Cli {
    /// Log what the library does, to standard error.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene and write a run folder.
    #[command(
        after_help = "Exit codes: 0 done, 1 the run failed, or with --check an expectation, 2 bad usage or input,\n130, 143, 129 ended by SIGINT, SIGTERM, SIGHUP after a step."
    )]
    Run(RunArgs),
    /// Go on with a run that was stopped or killed, from its newest checkpoint.
    ///
    /// The rest of the run is what it would have been, to the last bit: same scene, settings, backend and files. Runs have checkpoints with
    /// --checkpoint-every, or where SIGINT, SIGTERM or SIGHUP ended them.
    #[command(
        after_help = "Exit codes: as of run; 0 also where the run is done already; 2 where it cannot go on."
    )]
    Resume(ResumeArgs),
    /// Draw pictures of a scene or a run: one, a sheet of several, or moving ones.
    ///
    /// A scene is run, and the scene of a run folder is run again, on the backend it ran on. Pictures are drawn on a
    /// graphics adapter; a software adapter, such as Mesa's llvmpipe, does.
    #[cfg(feature = "gpu")]
    #[command(
        after_help = "Exit codes: 0 done, 1 a run or the adapter failed, 2 bad usage or input, or no adapter."
    )]
    Render(RenderArgs),
    /// Show a scene or a run in a window: run it, look around, pull at bodies.
    ///
    /// A scene is simulated on the CPU, in step with the clock where that is possible. Of a run folder the frames are shown if they say where
    /// bodies were (run --frames N --frame-content points); otherwise it is simulated on from its newest checkpoint, or from the start, on the
    /// backend it ran on. Nothing is written.
    #[cfg(feature = "view")]
    #[command(after_help = crate::view::HELP)]
    View(ViewArgs),
    /// Draw the numbers of one or more runs over time: probes, residuals, energies, penetrations, times of stages.
    #[command(
        after_help = "Exit codes: 0 done, 1 the file could not be written, 2 bad usage or no such run."
    )]
    Plot(PlotArgs),
    /// Solve a problem from a file: one that `run --dump-problem` wrote, or one of FCLib's HDF5 files.
    ///
    /// Prints method, iterations, time, and the residual as the referee finds it in f64 from the impulses: the natural-map residual
    /// in m/s. A problem of a run is solved by the plan in its file, from the impulses in it, and the answer compared with the
    /// one in it. FCLib's problems, local or global, are solved by block Gauss-Seidel in f64 (nsgs).
    #[command(after_help = "Exit codes: 0 done, 1 the solve failed, 2 bad usage or input.")]
    Solve(SolveArgs),
    /// Read a scene, build it, and report what is in it; nothing is run or written.
    Check(CheckArgs),
    /// Solve the same problems on every backend, with every method and in both passes, and report
    /// how far the answers are apart.
    #[command(
        after_help = "Exit codes: 0 the backends agree, 1 they do not, 2 bad usage or input."
    )]
    Compare(CompareArgs),
    /// Run the papers' experiments, print what is measured beside what is published and expected, and
    /// write their figures and a page with all of them.
    #[command(
        after_help = "Exit codes: 0 every row passes, 1 one fails, 2 bad usage or no such adapter."
    )]
    Reproduce(ReproduceArgs),
    /// Measure laws of granular matter, print what is measured beside the law, and write figures and a page with all of them.
    ///
    /// Each experiment is a scene of scenes/lab, run with several values of its keys at the default settings of the step.
    #[command(
        after_help = "Exit codes: 0 every row passes, 1 one fails, 2 bad usage or no such scene."
    )]
    Lab(LabArgs),
    /// Run a scene with several steps, shares of correction and perturbed starts, and fit the order of its infeasibility in the step.
    ///
    /// Steps are not divided; contacts and joints have the gamma scheme of one problem a step (Anitescu and Hart).
    #[command(after_help = "Exit codes: 0 done, 1 a run failed, 2 bad usage or input.")]
    Study(StudyArgs),
    /// Measure this machine: dispatches, sweeps, time to a residual, and the stages of a step, on the CPU
    /// and on the GPU if there is one.
    #[command(
        after_help = "Exit codes: 0 done, 1 a measurement failed, 2 bad usage or no such adapter."
    )]
    Bench(BenchArgs),
    /// List the GPU adapters.
    Adapters,
    /// Print the JSON schema of scene files.
    Schema,
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// A scene, and what to change of it.
#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// Scene file (TOML).
    pub(crate) scene: PathBuf,
    /// Solver of the velocity pass, instead of the scene's, and of the position pass unless the scene
    /// gives that its own.
    #[arg(long, value_enum)]
    pub(crate) solver: Option<SolverName>,
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
    /// Where to solve: auto takes a hardware GPU if there is one.
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
    /// vtkhdf for long runs in one file; lammps for OVITO; csv for tables.
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
    pub(crate) solver: Option<SolverName>,
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

/// Bodies to draw, and how.
#[cfg(feature = "gpu")]
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Scene file, or the folder of a run.
    #[arg(value_name = "SCENE|RUN")]
    pub(crate) source: PathBuf,
    /// Time of a picture in seconds; may be repeated. Without it and --every, the end of the run.
    #[arg(long, value_name = "SECONDS", value_delimiter = ',', value_parser = not_negative_f64)]
    pub(crate) at: Vec<f64>,
    /// A picture of the start and of every so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) every: Option<f64>,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x800")]
    pub(crate) size: (u32, u32),
    /// File or folder: .png is a picture, or a sheet of several; .apng moves; .mp4 moves and needs ffmpeg; a name
    /// without an ending is a folder of pictures. Without it NAME.png, or NAME_sheet.png, in the folder of the run or here.
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) look: crate::render::Look,
    /// Write the time into the corner of a single picture too.
    #[arg(long)]
    pub(crate) label: bool,
    /// Samples of a pixel: more are smoother and slower. Without it 96, or 40 of more than 12 pictures.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) samples: Option<u32>,
    /// Pictures a second of moving ones.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=240))]
    pub(crate) rate: u16,
    /// Part of the name of the adapter to draw on; without it hardware if there is some, else software.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Show no progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A run to show in a window.
#[cfg(feature = "view")]
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Scene file, or the folder of a run.
    #[arg(value_name = "SCENE|RUN")]
    pub(crate) source: PathBuf,
    /// Simulate a run folder that has frames too: from its newest checkpoint, or from the start.
    #[arg(long)]
    pub(crate) live: bool,
    /// Begin with the run paused.
    #[arg(long)]
    pub(crate) paused: bool,
    /// Width and height of the window in pixels.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x800")]
    pub(crate) size: (u32, u32),
    #[command(flatten)]
    pub(crate) look: crate::render::Look,
    /// Part of the name of the adapter to draw on; without it hardware if there is some, else software.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
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

/// Which laws to measure, and how large.
#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    /// Experiments to run; all of them without a name.
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(crate::lab::names()))]
    pub(crate) names: Vec<String>,
    /// Small and soon done: about a tenth of the bodies and fewer values, judged by wider windows.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Factor of the number of bodies.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = positive)]
    pub(crate) size: f64,
    /// Folder of the scenes, haff.toml and so on; those of the program without it.
    #[arg(long, value_name = "DIR")]
    pub(crate) scenes: Option<PathBuf>,
    /// Length of a step in place of that of the scenes [s].
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) dt: Option<f64>,
    /// Seed in place of that of the scenes.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Folder of the page and the figures: new or empty. Without it, runs/lab-N with the next N.
    #[arg(long, visible_alias = "out", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// List the experiments and run none.
    #[arg(long)]
    pub(crate) list: bool,
    /// Print JSON in place of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Show no progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Experiments to run; all of them without a name.
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(crate::reproduce::names()))]
    pub(crate) names: Vec<String>,
    /// Where to solve.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) backend: ExperimentBackend,
    /// Part of the name of the GPU adapter to take. The only way to get a software adapter.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Folder of the page and the figures: new or empty. Without it, runs/reproduce-N with the next N.
    #[arg(long, visible_alias = "out", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// List the experiments and run none.
    #[arg(long)]
    pub(crate) list: bool,
    /// Print JSON in place of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Show no progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    /// Scene file (TOML).
    pub(crate) scene: PathBuf,
    /// Lengths of a step in seconds.
    #[arg(long = "dt", value_name = "SECONDS", value_delimiter = ',', value_parser = positive, default_values_t = [0.02, 0.01, 0.005, 0.0025])]
    pub(crate) time_steps: Vec<f64>,
    /// Shares of the error that a step corrects, from 0 (none) to below 2.
    #[arg(long = "gamma", value_name = "SHARE", allow_negative_numbers = true, value_delimiter = ',', value_parser = share, default_values_t = [0.0, 0.5, 1.0])]
    pub(crate) gammas: Vec<f64>,
    /// A key of the scene and its values: simulation.margin=0.001,0.01, materials.default.friction=0.1,0.5, body.plank.mass=1,2.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = parse_variation)]
    pub(crate) vary: Option<Variation>,
    /// Starts: the scene's own and perturbed ones.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) seeds: u32,
    /// Largest displacement of a body along each axis in a perturbed start, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 0.002, allow_negative_numbers = true, value_parser = not_negative_f64)]
    pub(crate) jitter: f64,
    /// Largest turn of a body about each axis in a perturbed start, in degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.5, allow_negative_numbers = true, value_parser = not_negative_f64)]
    pub(crate) tilt: f64,
    /// Length of each run in seconds, instead of the scene's.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) duration: Option<f64>,
    /// Folder of the results: new or empty. Without it, runs/study-N with the next N.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads; all cores without it.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverName {
    /// Projected Gauss-Seidel over colour batches.
    Pgs,
    /// Projected Jacobi with mass splitting.
    Jacobi,
    /// Projected Gauss-Seidel with Nesterov's momentum and restarts.
    Nesterov,
    /// Symmetric projected Gauss-Seidel inside clusters of bodies, with momentum and restarts.
    Cluster,
}

impl From<SolverName> for Method {
    fn from(name: SolverName) -> Self {
        match name {
            SolverName::Pgs => Self::GaussSeidel,
            SolverName::Jacobi => Self::Jacobi,
            SolverName::Nesterov => Self::Nesterov,
            SolverName::Cluster => Self::Cluster,
        }
    }
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum BackendName {
    /// A hardware GPU if there is one, else the CPU.
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
        }
    }
}
