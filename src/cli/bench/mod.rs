//! `drystone bench`: a fixed set of measurements, the same on every machine.
//!
//! Four sections, each in a file of its own: what a dispatch costs ([`dispatch`]), what a sweep over all
//! contacts costs ([`sweep`]), how long each method takes to a residual ([`residual`]), and where the time
//! of a step goes ([`stage`]). All of them measure the CPU, and the GPU if there is one.

mod dispatch;
mod machine;
mod pile;
mod report;
mod residual;
mod results;
mod shared;
mod stage;
mod sweep;
mod timing;

use crate::args::{BenchArgs, BenchBackend};
use crate::backend;
use crate::console;
use crate::failure::Failure;
use crate::files;
use crate::plan;
use crate::provenance::Provenance;
use drystone::Error;
use drystone::solver::cpu::CpuSolver;
use pile::{Frozen, Kind};
use results::{Adapter, Results};
use shared::Shared;

/// Bodies of the piles of a full run, unless the command line says otherwise.
const SIZES: [u32; 3] = [1_000, 16_000, 64_000];
/// The same of a quick run.
const QUICK_SIZES: [u32; 2] = [1_000, 8_000];

/// How much is measured.
#[derive(Debug, Clone)]
struct Plan {
    sizes: Vec<u32>,
    /// Most passes that a method is given to reach a residual.
    passes: u32,
    /// Steps whose stages are timed.
    steps: u32,
    effort: timing::Effort,
}

impl Plan {
    fn new(args: &BenchArgs) -> Self {
        let usual: &[u32] = if args.quick { &QUICK_SIZES } else { &SIZES };
        Self {
            sizes: if args.sizes.is_empty() {
                usual.to_vec()
            } else {
                args.sizes.clone()
            },
            passes: if args.quick { 300 } else { 2_000 },
            steps: if args.quick { 5 } else { 20 },
            effort: if args.quick {
                timing::Effort::QUICK
            } else {
                timing::Effort::FULL
            },
        }
    }
}

/// A backend under measurement.
struct Bench {
    /// `cpu`, or `gpu: ADAPTER`.
    name: String,
    solver: Shared,
}

/// Measures, prints tables, and writes JSON if asked to.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), Failure> {
    if args.schema {
        let schema = schemars::schema_for!(Results).to_value();
        let text = serde_json::to_string_pretty(&schema).map_err(std::io::Error::from)?;
        return Ok(console::out(&format!("{text}\n"))?);
    }
    // A file that cannot be written is found before a minute of measuring.
    if let Some(path) = &args.json {
        // A folder in place of a file is a mistake of the call, a disk that takes none is not.
        let failed = if path.is_dir() {
            Failure::Input
        } else {
            Failure::Run
        };
        files::check(path).map_err(failed)?;
    }
    let results = plan::thread_pool(args.threads)?.install(|| measure(args))?;
    if let Some(path) = &args.json {
        let text = serde_json::to_vec_pretty(&results).map_err(std::io::Error::from)?;
        files::save(path, &text)?;
    }
    Ok(console::out(&report::text(&results))?)
}

fn measure(args: &BenchArgs) -> Result<Results, Failure> {
    let plan = Plan::new(args);
    let (adapter, gpu) = adapter(args)?;
    let mut benches = vec![Bench {
        name: "cpu".to_owned(),
        solver: Shared::new(Box::new(CpuSolver::new())),
    }];
    benches.extend(gpu);
    let titles: Vec<&str> = benches.iter().map(|bench| bench.name.as_str()).collect();
    let mut results = Results {
        provenance: Provenance::new(titles.join(", ")),
        machine: machine::Machine::here(),
        adapter,
        quick: args.quick,
        dispatch: None,
        sweeps: Vec::new(),
        residuals: Vec::new(),
        stages: Vec::new(),
    };
    if let Some(gpu) = benches.get_mut(1) {
        say("dispatches");
        results.dispatch = Some(dispatch::measure(gpu, &plan)?);
    }
    let mut piles: Vec<(Kind, u32)> = plan.sizes.iter().map(|&n| (Kind::Spheres, n)).collect();
    // Boxes rest on four points each, and take longer to settle: one size of them is enough.
    piles.extend(plan.sizes.iter().min().map(|&n| (Kind::Boxes, n)));
    for (place, (kind, count)) in piles.into_iter().enumerate() {
        say(&format!("{} {}: falling", count, kind.name()));
        let pile = Frozen::new(kind, count).map_err(Failure::Run)?;
        say(&format!(
            "{} {}: {} contacts",
            count,
            kind.name(),
            pile.problem.contacts.len()
        ));
        for bench in &mut benches {
            let sweeps = sweep::measure(bench, &pile, &plan).map_err(Failure::Run)?;
            results.sweeps.extend(sweeps);
            // Of the larger piles some methods would take minutes.
            if place == 0 || kind == Kind::Boxes {
                let residuals = residual::measure(bench, &pile, &plan).map_err(Failure::Run)?;
                results.residuals.extend(residuals);
            }
        }
        for bench in &benches {
            let stage = stage::measure(bench, &pile, &plan).map_err(Failure::Run)?;
            results.stages.push(stage);
        }
    }
    Ok(results)
}

/// The GPU to measure, or why there is none.
fn adapter(args: &BenchArgs) -> Result<(Adapter, Option<Bench>), Failure> {
    let name = args.adapter.as_deref();
    if args.backend == BenchBackend::Cpu {
        if let Some(name) = name {
            return Err(Failure::Input(Error::invalid(
                format!("--adapter {name}"),
                "the CPU has no adapter; leave it out, or use --backend gpu",
            )));
        }
        let why = "only the CPU was asked for".to_owned();
        return Ok((Adapter::none(why), None));
    }
    match backend::gpu(name) {
        Ok(solver) => {
            let adapter = solver.adapter().unwrap_or_default();
            let bench = Bench {
                name: format!("gpu: {adapter}"),
                solver: Shared::new(solver),
            };
            Ok((Adapter::of(adapter), Some(bench)))
        }
        Err(why) if args.backend == BenchBackend::Auto && name.is_none() => {
            Ok((Adapter::none(why.to_string()), None))
        }
        Err(why) => Err(Failure::while_preparing(why)),
    }
}

/// Tells standard error what is being measured.
fn say(what: &str) {
    console::err(&format!("bench: {what}\n"));
}
