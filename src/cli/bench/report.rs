//! The results as tables for people.

use super::results::Results;
use crate::console::{names, scientific, table};
use std::fmt::Write as _;

/// A row a measurement, a table a section.
pub(super) fn text(results: &Results) -> String {
    let mut text = String::new();
    head(&mut text, results);
    dispatches(&mut text, results);
    sweeps(&mut text, results);
    residuals(&mut text, results);
    stages(&mut text, results);
    text
}

fn head(text: &mut String, results: &Results) {
    let machine = &results.machine;
    let commit = machine.commit.as_deref().unwrap_or("unknown");
    let adapter = match (&results.adapter.name, &results.adapter.missing) {
        (Some(name), _) => name.clone(),
        (None, Some(why)) => format!("none: {why}"),
        (None, None) => "none".to_owned(),
    };
    let build = if machine.debug_build {
        " (a debug build: times mean little)"
    } else {
        ""
    };
    for (name, value) in [
        (
            "drystone",
            format!("{}, commit {commit}{build}", results.provenance.version),
        ),
        ("date", results.provenance.date.clone()),
        (
            "machine",
            format!("{}, {}, {}", machine.cpu, machine.simd, machine.system),
        ),
        (
            "threads",
            format!("{} of {}", machine.threads, machine.hardware_threads),
        ),
        ("adapter", adapter),
        ("command", results.provenance.command.clone()),
    ] {
        let _ = writeln!(text, "{name:<9} {value}");
    }
}

fn dispatches(text: &mut String, results: &Results) {
    if let Some(cost) = &results.dispatch {
        let _ = writeln!(
            text,
            "\nDispatches on {}: {:.1} us each, {:.0} us for a solve of one",
            cost.backend, cost.per_dispatch_us, cost.round_trip_us
        );
    }
}

fn sweeps(text: &mut String, results: &Results) {
    let mut rows = vec![names([
        "problem",
        "contacts",
        "backend",
        "method",
        "colors",
        "us/sweep",
        "M contact-it./s",
        "GB/s",
    ])];
    rows.extend(results.sweeps.iter().map(|cost| {
        vec![
            cost.problem.clone(),
            cost.contacts.to_string(),
            cost.backend.clone(),
            cost.method.clone(),
            cost.colors.to_string(),
            format!("{:.1}", cost.sweep_us),
            format!("{:.2}", 1e-6 * cost.contact_iterations_per_second),
            format!("{:.2}", cost.gigabytes_per_second),
        ]
    }));
    let bytes = results.sweeps.first().map_or(0, |c| c.bytes_per_contact);
    let _ = writeln!(
        text,
        "\nOne sweep over all contacts ({bytes} bytes of memory a contact)"
    );
    text.push_str(&table(&rows, &[1, 4, 5, 6, 7]));
}

fn residuals(text: &mut String, results: &Results) {
    let mut rows = vec![names([
        "problem",
        "backend",
        "method",
        "passes",
        "ms",
        "residual/(g h)",
        "reached",
    ])];
    rows.extend(results.residuals.iter().map(|found| {
        vec![
            found.problem.clone(),
            found.backend.clone(),
            found.method.clone(),
            found.passes.to_string(),
            format!("{:.2}", found.solve_ms),
            scientific(found.residual_over_gh),
            if found.reached { "yes" } else { "no" }.to_owned(),
        ]
    }));
    let target = results.residuals.first().map_or(0.0, |r| r.target_over_gh);
    let _ = writeln!(
        text,
        "\nFrom zero impulses to an rms residual of {} g h",
        scientific(target)
    );
    text.push_str(&table(&rows, &[3, 4, 5]));
}

fn stages(text: &mut String, results: &Results) {
    let mut rows = vec![names([
        "scene",
        "contacts",
        "backend",
        "broad",
        "narrow",
        "pack",
        "solve",
        "position",
        "other",
        "step",
        "k bodies/s",
    ])];
    rows.extend(results.stages.iter().map(|times| {
        let mut row = vec![
            times.scene.clone(),
            times.contacts.to_string(),
            times.backend.clone(),
        ];
        let stages = [
            times.broadphase_ms,
            times.narrowphase_ms,
            times.pack_ms,
            times.solve_ms,
            times.position_ms,
            times.other_ms,
            times.step_ms,
        ];
        row.extend(stages.map(|time| format!("{time:.3}")));
        row.push(format!("{:.0}", times.kilobodies_per_second));
        row
    }));
    text.push_str("\nStages of a step [ms]\n");
    text.push_str(&table(&rows, &[1, 3, 4, 5, 6, 7, 8, 9, 10]));
}
