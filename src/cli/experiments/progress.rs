//! How far the experiments have come: a bar on a terminal, a line each elsewhere.

use crate::console;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Shows which experiment runs, and its part that does.
pub(crate) enum Progress {
    /// Nothing.
    Silent,
    /// A line as each experiment begins.
    Lines,
    /// A bar that is drawn again and again.
    Bar(ProgressBar),
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Silent;
        }
        if !(std::io::stderr().is_terminal() && std::io::stdout().is_terminal()) {
            return Self::Lines;
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) =
            ProgressStyle::with_template("{bar:32} {pos}/{len}  {msg}  {elapsed_precise}")
        {
            bar.set_style(style);
        }
        Self::Bar(bar)
    }

    /// An experiment begins, the `number`-th of `count`.
    pub(crate) fn begin(&self, name: &str, number: usize, count: usize) {
        match self {
            Self::Silent => {}
            Self::Lines => console::err(&format!("{name} ({number} of {count})\n")),
            Self::Bar(_) => self.part(name, 1),
        }
    }

    /// A part of an experiment begins, of so many steps.
    pub(crate) fn part(&self, name: &str, steps: u64) {
        if let Self::Bar(bar) = self {
            bar.set_length(steps);
            bar.set_position(0);
            bar.set_message(name.to_owned());
        }
    }

    /// A step of the part is done.
    pub(crate) fn step(&self) {
        if let Self::Bar(bar) = self {
            bar.inc(1);
        }
    }

    /// Prints above the bar what the function writes.
    pub(crate) fn pause<T>(&self, print: impl FnOnce() -> T) -> T {
        match self {
            Self::Bar(bar) => bar.suspend(print),
            Self::Silent | Self::Lines => print(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
