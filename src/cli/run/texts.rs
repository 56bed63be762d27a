//! Texts of a run: before its first step, and at its end.

use crate::backend;
use crate::console::{self, number, scientific};
use crate::plan::RunPlan;
use drystone::internals::constants::CAPPED_SHARE_WORTH_A_WARNING;
use drystone::output::{Outcome, RunFolder, Summary};
use drystone::scene::{Finding, Verdict, When};
use drystone::stabilize::Scheme;

/// Opening lines: the run, and its place.
pub(super) fn opening(plan: &RunPlan, summary: &Summary, note: Option<&str>) -> String {
    let note = note.map_or_else(String::new, |why| format!(" ({why})"));
    let substeps = match plan.scene.settings.substeps {
        Some(0) => String::new(),
        Some(count) => format!(" in {count} substeps"),
        None => match plan.scene.settings.stabilization.contacts {
            Scheme::Soft { .. } => " in substeps by what the bodies do".to_owned(),
            _ => String::new(),
        },
    };
    format!(
        "{}: {} bodies, {} steps of {} s{substeps}, {} with {} iterations on {}{note}\n",
        summary.scene,
        summary.bodies,
        summary.steps_planned,
        summary.time_step,
        summary.solver,
        plan.scene.settings.solver.iterations,
        backend::title(&summary.backend, summary.adapter.as_deref()),
    )
}

/// Errors of the joints, those that there are.
fn joint_errors(summary: &Summary) -> String {
    let mut text = format!(
        "{} m at the end, {} m at worst",
        scientific(summary.joint_error_final),
        scientific(summary.joint_error_max)
    );
    for (error, unit) in [
        (summary.joint_angle_error_max, "rad between axes"),
        (summary.joint_velocity_error_max, "m/s"),
        (summary.joint_limit_error_max, "m beyond limits"),
        (summary.joint_limit_angle_error_max, "rad beyond limits"),
    ] {
        if error > 0.0 {
            text += &format!(", {} {unit}", scientific(error));
        }
    }
    if summary.broken_joints > 0 {
        text += &format!("; {} of {} broke", summary.broken_joints, summary.joints);
    }
    text
}

/// How the steps were divided.
fn substeps(summary: &Summary) -> String {
    let mut text = format!(
        "{:.1} a step in the mean, {} to {}",
        summary.substeps_mean, summary.substeps_min, summary.substeps_max
    );
    if summary.capped_share > 0.0 {
        let share = 100.0 * summary.capped_share;
        text += &format!("; {share:.1} % of the steps wanted more than there may be");
    }
    text
}

/// A warning where too many steps could not be divided as they should have been.
pub(super) fn warning(summary: &Summary) -> Option<String> {
    (summary.capped_share > CAPPED_SHARE_WORTH_A_WARNING).then(|| {
        format!(
            "warning: {:.0} % of the steps should have been divided further than a step may be; a shorter --dt \
             makes them right\n",
            100.0 * summary.capped_share
        )
    })
}

/// The collisions that the event stepper stopped at.
fn collisions(summary: &Summary) -> String {
    let stopped = format!("{} times found", summary.collisions);
    if summary.velocity_steps == 0 {
        return stopped;
    }
    format!(
        "{stopped}; {} steps made by velocities and impulses, where forces or an end of collisions were missing",
        summary.velocity_steps
    )
}

/// An expectation and what became of it, as a sentence.
pub(crate) fn sentence(finding: &Finding) -> String {
    let verdict = match finding.verdict {
        Verdict::Held => "held",
        Verdict::Failed => "failed",
        Verdict::Open => "not decided",
    };
    let claim = if finding.claim.is_empty() {
        String::new()
    } else {
        format!(": {}", finding.claim)
    };
    let (from, until) = (number(finding.from), number(finding.until));
    let when = match finding.when {
        When::End => format!("at {until} s"),
        When::Once => format!("once from {from} s to {until} s"),
        When::Always => format!("always from {from} s to {until} s"),
        When::Mean => format!("on average from {from} s to {until} s"),
    };
    let seen = match (finding.measured, finding.bound, finding.time) {
        (Some(measured), Some(bound), Some(time)) => format!(
            "; {} to {} at {} s",
            number(measured),
            number(bound),
            number(time)
        ),
        _ => String::new(),
    };
    format!("{verdict}{claim} ({} {when}{seen})", finding.formula)
}

/// State of a run's folder at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    /// True if there is a checkpoint.
    pub(super) is_resumable: bool,
    pub(super) has_report: bool,
}

/// The result as a short table, and what to do next.
pub(super) fn closing(folder: &RunFolder, summary: &Summary, left: Left) -> String {
    format!(
        "{}\n{}",
        console::pairs(rows(folder, summary)),
        next(folder, summary, left)
    )
}

/// Where to look, and the next command to try.
fn next(folder: &RunFolder, summary: &Summary, left: Left) -> String {
    let path = folder.path().display();
    if summary.status != Outcome::Done {
        let why = summary.error.as_deref().unwrap_or("");
        let resume = if left.is_resumable {
            format!("go on: drystone resume {path}\n")
        } else {
            String::new()
        };
        return format!("{why}; what there is: drystone plot {path}\n{resume}");
    }
    let every = nice(summary.time / 8.0);
    let command = if cfg!(feature = "gpu") && every > 0.0 {
        format!("drystone render {path} --every {every}")
    } else {
        format!("drystone plot {path}")
    };
    if left.has_report {
        format!("look at {path}/report.html; next, try: {command}\n")
    } else {
        format!("next, try: {command}\n")
    }
}

/// A round number near another one.
fn nice(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 0.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let digit = match value / power {
        digit if digit < 1.5 => 1.0,
        digit if digit < 3.5 => 2.0,
        digit if digit < 7.5 => 5.0,
        _ => 10.0,
    };
    // Dividing by a power of ten keeps 0.2 from becoming 0.2000000001.
    if power < 1.0 {
        digit / (1.0 / power).round()
    } else {
        digit * power
    }
}

/// The result as names and values.
pub(super) fn rows(folder: &RunFolder, summary: &Summary) -> Vec<(&'static str, String)> {
    let status = match summary.status {
        Outcome::Done => "done",
        Outcome::Interrupted => "interrupted",
        Outcome::Running | Outcome::Failed => "failed",
    };
    let mut rows = vec![
        ("run folder", folder.path().display().to_string()),
        (
            "status",
            format!(
                "{status}: {} of {} steps, {:.4} s simulated, {:.1} s of wall clock",
                summary.steps, summary.steps_planned, summary.time, summary.wall_seconds
            ),
        ),
        (
            "backend",
            backend::title(&summary.backend, summary.adapter.as_deref()),
        ),
        if summary.stepper == "event" {
            ("collisions", collisions(summary))
        } else {
            (
                "worst residual",
                format!(
                    "{} m/s rms, {} m/s of one contact",
                    scientific(summary.residual_rms_max),
                    scientific(summary.residual_max)
                ),
            )
        },
        (
            "penetration",
            format!(
                "{} m at the end (mean {} m), {} m at worst",
                scientific(summary.max_penetration_final),
                scientific(summary.mean_penetration_final),
                scientific(summary.max_penetration)
            ),
        ),
    ];
    if let Some(first) = summary.runaway_first {
        let count = summary.runaway_steps;
        rows.push(("runs away", format!("{count} steps, the first is {first}")));
    }
    if summary.joints > 0 {
        rows.push(("joint errors", joint_errors(summary)));
    }
    if summary.substeps_max > 0 {
        rows.push(("substeps", substeps(summary)));
    }
    rows.extend(
        summary
            .expectations
            .iter()
            .map(|finding| ("expectation", sentence(finding))),
    );
    if summary.resumes > 0 {
        rows.push(("resumed", format!("{} times", summary.resumes)));
    }
    rows.push((
        "time per step",
        format!(
            "{:.3} ms median, {:.3} ms at most",
            summary.step_ms_median, summary.step_ms_max
        ),
    ));
    rows
}
