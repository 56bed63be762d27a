//! The command-line program: runs, checks and compares scenes, solves problems from files, reproduces experiments, and measures speed.
//!
//! Flags become [`args`], args become a plan, the plan is carried out. Exit codes: 0 done, 1 the run
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
mod values;
#[cfg(feature = "view")]
mod view;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;
use std::process::ExitCode;

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
            console::out(&format!("{text}\n"))
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "drystone", &mut script);
            console::out(&String::from_utf8_lossy(&script))
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
