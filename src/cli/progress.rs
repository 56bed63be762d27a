//! How far a run has come: a bar on a terminal, a few lines elsewhere.

use crate::console::{self, scientific};
use drystone::scene::Filling;
use drystone::step::StepReport;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Lines over a whole run where there is no terminal.
const LINES: u64 = 16;

/// Shows steps as they are done.
pub(crate) enum Progress {
    /// Nothing.
    Silent,
    /// A line every sixteenth of the run.
    Lines { steps: u64 },
    /// A bar that is drawn again and again.
    Bar(ProgressBar),
}

impl Progress {
    pub(crate) fn new(steps: u64, quiet: bool) -> Self {
        if quiet {
            return Self::Silent;
        }
        if !(std::io::stderr().is_terminal() && std::io::stdout().is_terminal()) {
            return Self::Lines { steps };
        }
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template(
            "{bar:32} {pos}/{len}  {msg}  {elapsed_precise} (left {eta_precise})",
        ) {
            bar.set_style(style);
        }
        Self::Bar(bar)
    }

    /// Shows a step.
    pub(crate) fn step(&self, report: &StepReport) {
        match self {
            Self::Silent => {}
            Self::Lines { steps } => {
                let part = |step: u64| step.saturating_mul(LINES) / steps;
                if part(report.step) > part(report.step - 1) {
                    console::err(&format!(
                        "step {}/{steps}  {}\n",
                        report.step,
                        describe(report)
                    ));
                }
            }
            Self::Bar(bar) => {
                bar.set_message(describe(report));
                bar.set_position(report.step);
            }
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Shows how far the fills of a scene have come, if they take long.
pub(crate) struct Loading {
    begun: Instant,
    /// Time from the beginning to the next line.
    next: Duration,
    bar: Option<ProgressBar>,
}

impl Loading {
    pub(crate) fn new() -> Self {
        Self {
            begun: Instant::now(),
            next: Duration::from_millis(500),
            bar: None,
        }
    }

    /// Shows a fill: on a terminal in a line that is drawn again and again, elsewhere in lines that become rarer.
    pub(crate) fn show(&mut self, filling: &Filling<'_>) {
        if self.begun.elapsed() < self.next {
            return;
        }
        let name = filling
            .fill
            .map_or_else(String::new, |name| format!(" {name}"));
        let wanted = filling
            .wanted
            .map_or_else(String::new, |count| format!(" of {count}"));
        let (placed, looked) = (filling.placed, filling.looked);
        let text = format!("fill{name}: {placed}{wanted} bodies placed, {looked} places looked at");
        if std::io::stderr().is_terminal() {
            self.next += Duration::from_millis(100);
            let bar = self.bar.get_or_insert_with(ProgressBar::new_spinner);
            bar.set_message(text);
            bar.tick();
        } else {
            self.next *= 2;
            console::err(&format!("{text}\n"));
        }
    }

    /// Removes the line from the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn describe(report: &StepReport) -> String {
    format!(
        "{:.2} ms/step  {} contacts  residual {} m/s",
        report.timings.step.as_secs_f64() * 1e3,
        report.contacts,
        scientific(report.velocity.residual_rms),
    )
}
