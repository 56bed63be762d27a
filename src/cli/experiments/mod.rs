//! Experiments: what they find, how it is printed, and the page and the files that they leave.
//!
//! `reproduce` and `lab` are lists of them.

pub(crate) mod curve;
pub(crate) mod fit;
pub(crate) mod outcome;
mod page;
pub(crate) mod progress;
pub(crate) mod table;

use crate::console;
use crate::failure::Failure;
use crate::provenance::Provenance;
use drystone::Result;
use drystone::output::RunFolder;
use outcome::Outcome;
use progress::Progress;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// File name of the page.
const PAGE: &str = "index.html";
/// File name of the rows.
const RESULTS: &str = "results.json";

/// An experiment, which is given a context to run in.
pub(crate) struct Experiment<C> {
    /// As it is asked for.
    pub(crate) name: &'static str,
    /// Its claim, in a line.
    pub(crate) title: &'static str,
    /// Its source: paper, and figure or equation.
    pub(crate) source: &'static str,
    /// Carries it out.
    pub(crate) run: fn(&C) -> Result<Outcome>,
}

/// An experiment that was carried out, or failed to be.
struct Finding {
    name: &'static str,
    title: &'static str,
    source: &'static str,
    result: Result<Outcome>,
    /// Wall-clock time `[s]`.
    seconds: f64,
}

impl Finding {
    /// Its result, if it was carried out.
    fn outcome(&self) -> Option<&Outcome> {
        self.result.as_ref().ok()
    }

    /// True if it was carried out and every row passes.
    fn passes(&self) -> bool {
        self.outcome().is_some_and(Outcome::passes)
    }
}

/// Form and place of the results.
pub(crate) struct Presentation<'a> {
    /// Heading of the page.
    pub(crate) title: &'static str,
    /// Of the folder, unless it is given.
    pub(crate) stem: &'static str,
    /// The folder, new or empty.
    pub(crate) folder: Option<&'a Path>,
    pub(crate) provenance: Provenance,
    pub(crate) progress: &'a Progress,
    /// JSON in place of tables.
    pub(crate) json: bool,
}

/// Those experiments that are asked for by their names; all of them without a name.
pub(crate) fn chosen<C>(
    all: &'static [Experiment<C>],
    names: &[String],
) -> Vec<&'static Experiment<C>> {
    all.iter()
        .filter(|e| names.is_empty() || names.iter().any(|name| name == e.name))
        .collect()
}

/// Prints the list.
pub(crate) fn list<C>(experiments: &[Experiment<C>], as_json: bool) -> Result<(), Failure> {
    if as_json {
        let list = experiments
            .iter()
            .map(|e| described(e.name, e.title, e.source));
        return print_json(&Value::Array(list.collect()));
    }
    let mut text = String::new();
    for experiment in experiments {
        text.push_str(&format!(
            "{}\n    {}\n    {}\n",
            experiment.name, experiment.title, experiment.source
        ));
    }
    Ok(console::out(&text)?)
}

/// Runs experiments, writes their page, and fails unless every row passes.
///
/// Everything that can be wrong with the input is to be found before: the folder is made first.
pub(crate) fn carry_out<C>(
    experiments: &[&Experiment<C>],
    context: &C,
    presentation: &Presentation<'_>,
) -> Result<(), Failure> {
    let Presentation { progress, json, .. } = *presentation;
    let folder =
        RunFolder::create(presentation.folder, presentation.stem).map_err(Failure::of_folder)?;
    let mut findings = Vec::with_capacity(experiments.len());
    for (index, experiment) in experiments.iter().enumerate() {
        progress.begin(experiment.name, index + 1, experiments.len());
        let start = Instant::now();
        let finding = Finding {
            name: experiment.name,
            title: experiment.title,
            source: experiment.source,
            result: (experiment.run)(context),
            seconds: start.elapsed().as_secs_f64(),
        };
        if !json {
            progress.pause(|| console::out(&report(&finding)))?;
        }
        findings.push(finding);
    }
    progress.finish();

    let results = results(&presentation.provenance, &findings);
    write_all(&folder, presentation, &findings, &results).map_err(Failure::Run)?;
    if json {
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
    presentation: &Presentation<'_>,
    findings: &[Finding],
    results: &Value,
) -> Result<()> {
    for finding in findings {
        for plot in finding.outcome().iter().flat_map(|o| &o.plots) {
            let name = format!("{}-{}.svg", finding.name, plot.name);
            folder.write(&name, plot.svg()?.as_bytes())?;
        }
        for sheet in finding.outcome().iter().flat_map(|o| &o.sheets) {
            let name = format!("{}-{}-frames.png", finding.name, sheet.name);
            folder.write(&name, &sheet.file)?;
        }
    }
    folder.write(RESULTS, format!("{results:#}\n").as_bytes())?;
    let page = page::page(presentation.title, &presentation.provenance, findings)?;
    folder.write(PAGE, page.as_bytes())?;
    Ok(())
}

/// An experiment's rows and remarks as text.
fn report(finding: &Finding) -> String {
    let mut text = format!(
        "{}: {}\n  {}\n",
        finding.name, finding.title, finding.source
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
        text.push_str(&format!("FAIL: {}\n", finding.name));
    }
    text.push_str(&format!("page: {}\n", folder.path().join(PAGE).display()));
    text
}

/// Everything that was found, without the curves.
fn results(provenance: &Provenance, findings: &[Finding]) -> Value {
    let experiments: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let mut value = described(finding.name, finding.title, finding.source);
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

fn described(name: &str, title: &str, source: &str) -> Value {
    json!({ "name": name, "title": title, "source": source })
}

fn print_json(value: &Value) -> Result<(), Failure> {
    Ok(console::out(&format!("{value:#}\n"))?)
}
