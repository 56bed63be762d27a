//! `drystone lab`: laws of granular matter, measured beside what they should be.
//!
//! Each experiment runs a scene of `scenes/lab`, with other values of some of its keys, at the default settings of the step.

mod beverloo;
mod collapse;
mod draft;
mod drum;
mod haff;
mod janssen;
mod packing;
mod record;
mod repose;

use crate::experiments::progress::Progress;
use crate::experiments::{self, Presentation};
use crate::failure::Failure;
use crate::plan;
use crate::provenance::Provenance;
use crate::values::{positive, threads};
use clap::Args;
use clap::builder::PossibleValuesParser;
use drystone::Result;
use drystone::scene::Overrides;
use std::path::PathBuf;

/// An experiment of the lab.
type Experiment = experiments::Experiment<Lab>;

/// Every experiment, in the order in which they are run and shown.
const EXPERIMENTS: &[Experiment] = &[
    haff::EXPERIMENT,
    beverloo::EXPERIMENT,
    janssen::EXPERIMENT,
    collapse::EXPERIMENT,
    repose::EXPERIMENT,
    packing::EXPERIMENT,
    drum::EXPERIMENT,
];

/// Laws to measure, and the size of their scenes.
#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    /// Experiments to run; all of them without a name.
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
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

/// Options of all experiments.
struct Lab {
    /// Small, and judged by wider windows.
    quick: bool,
    /// Factor of the number of bodies.
    size: f64,
    /// Folder of the scenes; those of the program without it.
    scenes: Option<PathBuf>,
    /// Step and seed in place of those of the scenes.
    overrides: Overrides,
    progress: Progress,
}

impl Lab {
    /// The second of two where quick.
    fn choose<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// The experiments, by name.
pub(crate) fn names() -> Vec<&'static str> {
    EXPERIMENTS.iter().map(|e| e.name).collect()
}

/// Measures, writes the page, and fails unless every row passes.
pub(crate) fn lab(args: &LabArgs) -> Result<(), Failure> {
    if args.list {
        return experiments::list(EXPERIMENTS, args.json);
    }
    let lab = Lab {
        quick: args.quick,
        size: args.size,
        scenes: args.scenes.clone(),
        overrides: Overrides {
            time_step: args.dt,
            seed: args.seed,
            ..Overrides::default()
        },
        progress: Progress::new(args.quiet),
    };
    let chosen = experiments::chosen(EXPERIMENTS, &args.names);
    for experiment in &chosen {
        let draft = draft::Draft::load(&lab, experiment.name);
        let scene = draft.and_then(|draft| draft.scene());
        let scene = scene.map_err(Failure::while_preparing)?;
        plan::needs_velocity_problems(&scene, "lab")?;
    }
    let presentation = Presentation {
        title: "drystone: laws of granular matter",
        stem: "lab",
        folder: args.output.as_deref(),
        provenance: Provenance::new("cpu".into()),
        progress: &lab.progress,
        json: args.json,
    };
    let pool = plan::thread_pool(args.threads)?;
    pool.install(|| experiments::carry_out(&chosen, &lab, &presentation))
}
