//! The command-line program: runs, checks and compares scenes, solves problems from files, reproduces experiments, and measures speed.
//!
//! Flags become [`Command`], a command becomes a plan, the plan is carried out. Exit codes: 0 done, 1 the run
//! failed or backends disagree, 2 bad usage or input.

mod adapters;
mod args;
mod backend;
mod bench;
mod check;
mod compare;
mod console;
mod curves;
mod difference;
mod experiments;
mod failure;
mod files;
mod fonts;
mod html;
mod image;
mod lab;
mod plan;
mod plot;
mod progress;
mod provenance;
#[cfg(feature = "gpu")]
mod render;
mod reproduce;
mod run;
mod signals;
mod solve;
mod study;
mod trial;
mod values;
#[cfg(feature = "view")]
mod view;

use args::{BenchArgs, CheckArgs, CompareArgs, PlotArgs, ResumeArgs, RunArgs, SolveArgs};
use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use lab::LabArgs;
#[cfg(feature = "gpu")]
use render::RenderArgs;
use reproduce::ReproduceArgs;
use std::process::ExitCode;
use study::StudyArgs;
#[cfg(feature = "view")]
use view::ViewArgs;

/// Contacts of large crowds of rigid bodies, solved on the GPU or the CPU.
#[derive(Debug, Parser)]
#[command(name = "drystone", version, propagate_version = true)]
struct Cli {
    /// Log what the library does, to standard error.
    #[arg(long, short, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
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
    #[command(after_help = view::HELP)]
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

fn main() -> ExitCode {
    silence_mesa();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => {
            // Help and version come here too, with code 0. A reader that went away is no failure.
            let _ = message.print();
            return ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2));
        }
    };
    log_to_stderr(cli.verbose);
    match carry_out(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.show();
            ExitCode::from(failure.exit_code())
        }
    }
}

fn carry_out(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(args),
        Command::Resume(args) => run::resume(args),
        #[cfg(feature = "gpu")]
        Command::Render(args) => render::render(&args),
        #[cfg(feature = "view")]
        Command::View(args) => view::view(&args),
        Command::Plot(args) => curves::plot(&args),
        Command::Solve(args) => solve::solve(args),
        Command::Check(args) => check::check(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Reproduce(args) => reproduce::reproduce(&args),
        Command::Lab(args) => lab::lab(&args),
        Command::Study(args) => study::study(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Adapters => adapters::adapters(),
        Command::Schema => {
            let schema = drystone::internals::scene::json_schema();
            let text = serde_json::to_string_pretty(&schema).map_err(std::io::Error::from)?;
            Ok(console::out(&format!("{text}\n"))?)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "drystone", &mut script);
            Ok(console::out(&String::from_utf8_lossy(&script))?)
        }
    }
}

/// Some of Mesa's drivers look for a display even where nothing is to be shown, and complain on standard error where there is no
/// folder for its socket. Any folder without one quiets them.
fn silence_mesa() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        #[allow(unsafe_code, reason = "the environment can be changed in no other way")]
        // SAFETY: this is the first thing that the program does, on the only thread that there is.
        unsafe {
            std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir());
        }
    }
}

/// Sends the library's log to standard error: warnings, or everything.
fn log_to_stderr(verbose: bool) {
    let level = if verbose {
        tracing_subscriber::filter::LevelFilter::DEBUG
    } else {
        tracing_subscriber::filter::LevelFilter::WARN
    };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .without_time()
        .init();
}
