//! `drystone reproduce`: the papers' experiments, measured beside what they should give.

mod baumgarte_limit;
mod bodies;
mod chain6;
mod constraint_stabilization;
mod double_pendulum_stability;
mod error_and_speed;
mod error_removal;
mod event_stepper;
mod experiment;
mod five_bodies;
mod fixed_points;
mod flat;
mod fourth_order;
mod frames;
mod gamma_stepping;
mod impacts;
mod implicit_enforcement;
mod infeasibility_bound;
mod metric_cost;
mod motion_derivatives;
mod painleve_rod;
mod penalty;
mod pendulum;
mod pushed;
mod random_contacts;
mod random_solids;
mod ratio_metric;
mod ratio_program;
mod rectangle_pushed;
mod redundancy;
mod relaxed_program;
mod resting_contact;
mod second_lcp;
mod simulate;
mod solvability;
mod sweep;
mod sweep_and_sort;
mod three_link_bar;

use crate::args::ExperimentBackend;
use crate::backend;
use crate::experiments::progress::Progress;
use crate::experiments::{self, Presentation, outcome};
use crate::failure::Failure;
use crate::plan;
use crate::provenance::Provenance;
use crate::values::threads;
use clap::Args;
use clap::builder::PossibleValuesParser;
use drystone::Result;
use experiment::{Context, Experiment};
use std::path::PathBuf;

/// Every experiment, in the order in which they are run and shown.
const EXPERIMENTS: &[Experiment] = &[
    pendulum::EXPERIMENT,
    fourth_order::EXPERIMENT,
    chain6::EXPERIMENT,
    error_and_speed::EXPERIMENT,
    error_removal::EXPERIMENT,
    baumgarte_limit::EXPERIMENT,
    redundancy::EXPERIMENT,
    second_lcp::EXPERIMENT,
    rectangle_pushed::EXPERIMENT,
    five_bodies::EXPERIMENT,
    solvability::EXPERIMENT,
    three_link_bar::EXPERIMENT,
    implicit_enforcement::EXPERIMENT,
    double_pendulum_stability::EXPERIMENT,
    painleve_rod::EXPERIMENT,
    fixed_points::EXPERIMENT,
    ratio_metric::EXPERIMENT,
    metric_cost::EXPERIMENT,
    gamma_stepping::EXPERIMENT,
    infeasibility_bound::EXPERIMENT,
    relaxed_program::EXPERIMENT,
    penalty::EXPERIMENT,
    sweep_and_sort::EXPERIMENT,
    event_stepper::EXPERIMENT,
    impacts::EXPERIMENT,
    resting_contact::EXPERIMENT,
    motion_derivatives::EXPERIMENT,
    constraint_stabilization::EXPERIMENT,
];

/// Experiments to run, and the backend.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Experiments to run; all of them without a name.
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
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

/// What can be asked for.
pub(crate) fn names() -> Vec<&'static str> {
    EXPERIMENTS.iter().map(|e| e.name).collect()
}

/// Runs experiments, writes their page, and fails unless every row passes.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.list {
        return experiments::list(EXPERIMENTS, args.json);
    }
    plan::thread_pool(args.threads)?.install(|| carry_out(args))
}

fn carry_out(args: &ReproduceArgs) -> Result<(), Failure> {
    let context = Context {
        backend: args.backend,
        adapter: args.adapter.clone(),
        progress: Progress::new(args.quiet),
    };
    let solver = context.solver().map_err(Failure::while_preparing)?;
    let provenance = Provenance::new(backend::title(
        solver.backend(),
        solver.adapter().as_deref(),
    ));
    drop(solver);
    let presentation = Presentation {
        title: "drystone: the papers' experiments",
        stem: "reproduce",
        folder: args.output.as_deref(),
        provenance,
        progress: &context.progress,
        json: args.json,
    };
    let chosen = experiments::chosen(EXPERIMENTS, &args.names);
    experiments::carry_out(&chosen, &context, &presentation)
}
