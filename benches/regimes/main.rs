//! Regimes: small scenes whose right outcome is known, all run with one setting.
//!
//! ```text
//! cargo bench --bench regimes -- [--sizes 0.05,1,20] [--steps 30,60,240] [--methods default,nesterov,nsgs,..]
//!     [--backends cpu,gpu] [--only NAME,NAME] [--time S] [--limit S] [--details] [--picture FILE.svg]
//! cargo bench --bench regimes -- --convergence FILE.svg [--sizes 0.05] [--only NAME,NAME] [--time S] [--limit S]
//! ```
//!
//! Steps are numbers of them in a second. Every column is one setting for all: the default, in which `--methods` puts
//! another sweep, or another solver.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench prints its table"
)]

mod convergence;
mod judge;
mod picture;
mod plan;
mod scenes;
mod svg;
mod table;

use judge::{Check, Number, Seen, Steps, Trial};
use plan::{Column, Plan};
use scenes::Regime;
use std::error::Error;
use std::time::Instant;

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Judged {
        number: Number,
        /// The check that it missed by the largest factor, if any.
        missed: Option<Check>,
        seen: Box<Seen>,
    },
    /// It took longer than it may `[s]`.
    Slow(f64),
    Failed(String),
}

/// Runs a regime; stops when `limit` `[s]` are over.
fn run(regime: &Regime, column: &Column, limit: f64) -> Outcome {
    let start = Instant::now();
    let judged = || -> Result<Option<Seen>, String> {
        let mut simulation = column.simulation(regime)?;
        let mut trial = Trial::new(regime, column.settings(regime).time_step)?;
        while !trial.is_over() {
            trial.advance(5, &mut simulation as &mut dyn Steps)?;
            if start.elapsed().as_secs_f64() > limit {
                return Ok(None);
            }
        }
        Ok(Some(trial.seen()))
    };
    match judged() {
        Err(why) => Outcome::Failed(why),
        Ok(None) => Outcome::Slow(limit),
        Ok(Some(seen)) => {
            let ratio = |check: &Check| check.seen.abs() / check.most;
            let missed = judge::checks(regime, &seen)
                .into_iter()
                .filter(|check| !check.is_met())
                .max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
            Outcome::Judged {
                number: judge::number(regime, &seen),
                missed,
                seen: Box::new(seen),
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let plan = Plan::parse(std::env::args().skip(1))?;
    if let Some(file) = &plan.convergence {
        let panels = convergence::run_all(&plan);
        print!("{}", convergence::table(&panels));
        std::fs::write(file, convergence::draw(&panels))?;
        return Ok(());
    }
    let columns = plan.columns();
    if plan.details {
        table::print_details_head();
    }
    let mut rows: Vec<table::Row> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        for (place, regime) in plan.regimes(column.size).into_iter().enumerate() {
            if at == 0 {
                rows.push(table::Row::new(&regime));
            }
            // The shaken bed has a size of its own, and the same outcome in columns of other sizes.
            let same = columns[..at].iter().position(|other| {
                (regime.size - column.size).abs() > 1e-12 && other.differs_in_size_only(column)
            });
            let outcome = match same {
                Some(other) => rows[place].outcomes[other].clone(),
                None => run(&regime, column, plan.limit),
            };
            if plan.details {
                table::print_details(&regime, column, &outcome);
            }
            rows[place].outcomes.push(outcome);
        }
    }
    print!("{}", table::markdown(&columns, &rows));
    if let Some(file) = &plan.picture {
        std::fs::write(file, picture::draw(&columns, &rows))?;
    }
    Ok(())
}
