//! `drystone reproduce`: the papers' experiments, measured beside what they should give.

mod baumgarte_limit;
mod chain6;
mod constraint_stabilization;
mod curve;
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
mod outcome;
mod page;
mod painleve_rod;
mod penalty;
mod pendulum;
mod progress;
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
mod table;
mod three_link_bar;

use crate::args::ReproduceArgs;
use crate::backend;
use crate::console;
use crate::failure::Failure;
use crate::plan;
use crate::provenance::Provenance;
use drystone::Result;
use drystone::output::RunFolder;
use experiment::{Context, Experiment, Finding};
use progress::Progress;
use serde_json::{Value, json};
use std::time::Instant;

/// File name of the page.
const PAGE: &str = "index.html";
/// File name of the rows.
const RESULTS: &str = "results.json";

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

/// What can be asked for.
pub(crate) fn names() -> Vec<&'static str> {
    EXPERIMENTS.iter().map(|e| e.name).collect()
}

/// Runs experiments, writes their page, and fails unless every row passes.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.list {
        return list(args.json);
    }
    plan::thread_pool(args.threads)?.install(|| carry_out(args))
}

fn list(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let list: Vec<Value> = EXPERIMENTS.iter().map(described).collect();
        return print_json(&Value::Array(list));
    }
    let mut text = String::new();
    for experiment in EXPERIMENTS {
        text.push_str(&format!(
            "{}\n    {}\n    {}\n",
            experiment.name, experiment.title, experiment.source
        ));
    }
    console::out(&text)
}

/// Everything that can be wrong with the input is found before the folder is made.
fn carry_out(args: &ReproduceArgs) -> Result<(), Failure> {
    let chosen: Vec<&'static Experiment> = EXPERIMENTS
        .iter()
        .filter(|e| args.names.is_empty() || args.names.iter().any(|name| name == e.name))
        .collect();
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
    let folder =
        RunFolder::create(args.output.as_deref(), "reproduce").map_err(Failure::of_folder)?;

    let mut findings = Vec::with_capacity(chosen.len());
    for (index, experiment) in chosen.iter().enumerate() {
        context
            .progress
            .begin(experiment.name, index + 1, chosen.len());
        let start = Instant::now();
        let finding = Finding {
            experiment,
            result: (experiment.run)(&context),
            seconds: start.elapsed().as_secs_f64(),
        };
        if !args.json {
            context.progress.pause(|| console::out(&report(&finding)))?;
        }
        findings.push(finding);
    }
    context.progress.finish();

    let results = results(&provenance, &findings);
    write_all(&folder, &provenance, &findings, &results).map_err(Failure::Run)?;
    if args.json {
        print_json(&results)?;
    } else {
        console::out(&closing(&folder, &findings))?;
    }
    if findings.iter().all(Finding::passes) {
        Ok(())
    } else {
        Err(Failure::Verdict)
    }
}

/// Figures, contact sheets, rows and the page.
fn write_all(
    folder: &RunFolder,
    provenance: &Provenance,
    findings: &[Finding],
    results: &Value,
) -> Result<()> {
    for finding in findings {
        for plot in finding.outcome().iter().flat_map(|o| &o.plots) {
            let name = format!("{}-{}.svg", finding.experiment.name, plot.name);
            folder.write(&name, plot.svg()?.as_bytes())?;
        }
        for sheet in finding.outcome().iter().flat_map(|o| &o.sheets) {
            let name = format!("{}-{}-frames.png", finding.experiment.name, sheet.name);
            folder.write(&name, &sheet.file)?;
        }
    }
    folder.write(RESULTS, format!("{results:#}\n").as_bytes())?;
    let page = page::page(provenance, findings)?;
    folder.write(PAGE, page.as_bytes())?;
    Ok(())
}

/// An experiment's rows and remarks as text.
fn report(finding: &Finding) -> String {
    let experiment = finding.experiment;
    let mut text = format!(
        "{}: {}\n  {}\n",
        experiment.name, experiment.title, experiment.source
    );
    match &finding.result {
        Ok(outcome) => {
            text.push_str(&table::table(&outcome.rows));
            for note in &outcome.notes {
                for (index, line) in table::wrapped(note, 96).iter().enumerate() {
                    let bullet = if index == 0 { "- " } else { "" };
                    text.push_str(&format!("{bullet}{line}\n"));
                }
            }
        }
        Err(why) => text.push_str(&format!("FAIL: it could not be carried out: {why}\n")),
    }
    text.push('\n');
    text
}

/// The verdict over everything, what failed, and where it was written.
fn closing(folder: &RunFolder, findings: &[Finding]) -> String {
    let rows = || {
        findings
            .iter()
            .filter_map(Finding::outcome)
            .flat_map(|o| &o.rows)
    };
    let passed = rows().filter(|row| row.passes()).count();
    let mut text = format!("{passed} of {} rows pass\n", rows().count());
    for finding in findings.iter().filter(|finding| !finding.passes()) {
        text.push_str(&format!("FAIL: {}\n", finding.experiment.name));
    }
    text.push_str(&format!("page: {}\n", folder.path().join(PAGE).display()));
    text
}

/// Everything that was found, without the curves.
fn results(provenance: &Provenance, findings: &[Finding]) -> Value {
    let experiments: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let mut value = described(finding.experiment);
            value["pass"] = json!(finding.passes());
            value["seconds"] = json!(finding.seconds);
            match &finding.result {
                Ok(outcome) => {
                    value["rows"] = json!(outcome.rows);
                    value["notes"] = json!(outcome.notes);
                }
                Err(why) => value["error"] = json!(why.to_string()),
            }
            value
        })
        .collect();
    json!({
        "provenance": provenance,
        "pass": findings.iter().all(Finding::passes),
        "experiments": experiments,
    })
}

fn described(experiment: &Experiment) -> Value {
    json!({
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
    })
}

fn print_json(value: &Value) -> Result<(), Failure> {
    console::out(&format!("{value:#}\n"))
}
