//! The command-line program: runs, checks and compares scenes, reproduces experiments, and measures speed.
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
mod difference;
mod failure;
mod plan;
mod plot;
mod progress;
mod provenance;
mod reproduce;
mod run;
mod study;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
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
        Command::Check(args) => check::check(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Reproduce(args) => reproduce::reproduce(&args),
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
