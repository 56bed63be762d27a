//! Passes, barriers and milliseconds to a residual, of every method by both laws of friction, on frozen
//! velocity problems: a table in Markdown, and a plot.
//!
//! A figure is the first number of passes after which the rms natural-map residual (of the law that is
//! solved) is at or below a fraction of `g h`; `best` is the least residual seen. Both do not depend on the
//! machine. Barriers are what a GPU would wait for: each colour, two for a mass-split remainder (split, gather),
//! three for momentum after each sweep (sums, step, extrapolation), and those of rebuilding velocities.
//! Milliseconds are passes times the time of one pass without looks at the residual. A symmetric sweep is two
//! passes, and the residual is looked at after every pass.
//!
//! ```text
//! cargo bench --bench convergence -- [all] [PASSES] [--methods NAME,NAME] [--friction FACTOR] [--table FILE]
//!     [--plot FILE] [NAME ...]
//! ```
//!
//! `--methods` leaves out all others; `--friction` multiplies the coefficient of friction of every contact.
//!
//! Without names a few small problems are solved from zero impulses; with `all` every problem, and from the
//! impulses of the step before as well. Problems are kept in `target/frozen`.

#[path = "support/curves.rs"]
mod curves;
#[path = "support/frozen.rs"]
mod frozen;
#[path = "support/mod.rs"]
mod support;

use curves::{Curve, Panel};
use drystone::problem::FrictionLaw;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};
use frozen::{Frozen, sources};
use std::fmt::Write as _;
use std::time::Duration;

/// Most passes that a method is given.
const PASSES: u32 = 1_000;

/// Passes whose time is measured.
const TIMED_PASSES: u32 = 32;

/// Fractions of `g h` at which passes are counted.
const TARGETS: [f32; 3] = [1e-1, 1e-2, 1e-3];

/// Problems of a short run.
const SHORT: [&str; 4] = [
    "wall_820",
    "pyramid_385",
    "pile_boxes_1k",
    "pile_spheres_1k",
];

/// What the command line asks for.
struct Request {
    all: bool,
    trial: bool,
    passes: u32,
    methods: Vec<Method>,
    friction: f32,
    table: Option<String>,
    plot: Option<String>,
    names: Vec<String>,
}

impl Request {
    fn read() -> Self {
        let trial = support::is_trial();
        let mut request = Self {
            all: false,
            trial,
            passes: if trial { 20 } else { PASSES },
            methods: Method::ALL.to_vec(),
            friction: 1.0,
            table: None,
            plot: None,
            names: Vec::new(),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "all" => request.all = true,
                "--methods" => {
                    let named = arguments.next().expect("names after --methods");
                    let wanted: Vec<&str> = named.split(',').collect();
                    let known = |name: &&str| Method::ALL.iter().any(|m| m.name() == *name);
                    assert!(wanted.iter().all(known), "a method of {named} is unknown");
                    request
                        .methods
                        .retain(|method| wanted.contains(&method.name()));
                }
                "--friction" => {
                    let factor = arguments.next().and_then(|factor| factor.parse().ok());
                    request.friction = factor.expect("a factor after --friction");
                }
                "--table" => request.table = arguments.next(),
                "--plot" => request.plot = arguments.next(),
                flag if flag.starts_with('-') => {}
                other => match other.parse() {
                    Ok(passes) => request.passes = passes,
                    Err(_) => request.names.push(argument),
                },
            }
        }
        request
    }

    fn wants(&self, name: &str) -> bool {
        if !self.names.is_empty() {
            return self.names.iter().any(|wanted| wanted == name);
        }
        if self.trial {
            return name == "mass_ratio_100";
        }
        self.all || SHORT.contains(&name)
    }
}

/// How one method did on one problem.
struct Outcome {
    /// Residual over `g h` after each pass.
    residuals: Vec<f32>,
    /// Barriers of each pass on average.
    barriers: f64,
    /// Time of one pass.
    pass: Duration,
}

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn main() {
    let request = Request::read();
    let mut table = String::from(
        "| problem | contacts | rows | start | law | method | 1e-1 | 1e-2 | 1e-3 | best | barriers a pass | \
         barriers to 1e-2 | ms a pass | ms to 1e-2 |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    print!("{table}");
    let mut panels = Vec::new();
    for (name, source) in sources() {
        if !request.wants(name) {
            continue;
        }
        let mut frozen = source.freeze();
        for contact in &mut frozen.problem.contacts {
            contact.friction *= request.friction;
        }
        let warm_too = request.all && frozen.problem.joint_rows.is_empty();
        let starts: &[bool] = if warm_too { &[false, true] } else { &[false] };
        for &warm_start in starts {
            for law in FrictionLaw::ALL {
                if law == FrictionLaw::Convex && frozen.problem.contacts.is_empty() {
                    continue;
                }
                let mut panel = Panel {
                    title: format!(
                        "{name}, {} ({})",
                        law.name(),
                        if warm_start { "warm" } else { "cold" }
                    ),
                    curves: Vec::new(),
                };
                for &method in &request.methods {
                    let outcome = measure(&frozen, law, method, warm_start, request.passes);
                    let row = row(name, &frozen, law, method, warm_start, &outcome);
                    print!("{row}");
                    table.push_str(&row);
                    panel.curves.push(Curve {
                        name: method.name(),
                        values: outcome.residuals,
                    });
                }
                panels.push(panel);
            }
        }
    }
    if let Some(path) = &request.table {
        std::fs::write(path, table).expect("a table that can be written");
    }
    if let Some(path) = &request.plot {
        curves::draw(path, &panels, &TARGETS).expect("a plot that can be written");
    }
}

/// Solves once with a look after each pass, and once on the clock.
fn measure(
    frozen: &Frozen,
    law: FrictionLaw,
    method: Method,
    warm_start: bool,
    passes: u32,
) -> Outcome {
    let mut problem = frozen.problem.clone();
    problem.friction_law = law;
    let options = Options {
        method,
        iterations: passes,
        // Never reached, but it makes the solver look.
        tolerance: 1e-6 * frozen.gh,
        check_every: 1,
        warm_start,
        // Joints are left to the sweeps that are compared.
        direct_joints: false,
        ..Options::default()
    };
    let mut solver = CpuSolver::new();
    let mut solution = Solution::default();
    let report = solver
        .solve(&problem, &options, &mut solution)
        .expect("a valid problem");
    let mut residuals = Vec::new();
    for look in solver.looks() {
        let now = look.residual_rms / frozen.gh;
        // Clusters are looked at after symmetric sweeps, which are two passes.
        let before = residuals.last().copied().unwrap_or(now);
        residuals.resize(look.iterations as usize - 1, before);
        residuals.push(now);
    }
    let timed = Options {
        iterations: TIMED_PASSES.min(passes),
        tolerance: 0.0,
        ..options
    };
    let pass = (0..3)
        .map(|_| {
            let report = solver
                .solve(&problem, &timed, &mut solution)
                .expect("a valid problem");
            report.solve_time / timed.iterations
        })
        .min()
        .unwrap_or_default();
    Outcome {
        residuals,
        barriers: f64::from(report.barriers) / f64::from(report.iterations),
        pass,
    }
}

fn row(
    name: &str,
    frozen: &Frozen,
    law: FrictionLaw,
    method: Method,
    warm_start: bool,
    outcome: &Outcome,
) -> String {
    let reached = TARGETS.map(|target| {
        let at = outcome.residuals.iter().position(|&r| r <= target);
        at.map(|index| index + 1)
    });
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let best = outcome
        .residuals
        .iter()
        .copied()
        .fold(f32::INFINITY, f32::min);
    let milliseconds = 1e3 * outcome.pass.as_secs_f64();
    let shown = reached.map(|at| or_dash(at.map(|passes| passes.to_string())));
    let mut row = String::new();
    let _ = writeln!(
        row,
        "| {name} | {} | {} | {} | {} | {} | {} | {best:.1e} | {:.1} | {} | {milliseconds:.3} | {} |",
        frozen.problem.contacts.len(),
        frozen.problem.joint_rows.len(),
        if warm_start { "warm" } else { "cold" },
        law.name(),
        method.name(),
        shown.join(" | "),
        outcome.barriers,
        or_dash(reached[1].map(|passes| format!("{:.0}", passes as f64 * outcome.barriers))),
        or_dash(reached[1].map(|passes| format!("{:.1}", passes as f64 * milliseconds))),
    );
    row
}
