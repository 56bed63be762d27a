//! Outcome of a solve as a table and as JSON.

use crate::backend;
use crate::console::{self, number, scientific};
use crate::failure::Failure;
use serde::Serialize;
use serde_json::value::RawValue;
use std::time::Duration;

/// A residual by the referee.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Residual {
    /// Root mean square over contacts and joint rows.
    pub(super) rms: f64,
    /// Largest of a contact or joint row.
    pub(super) max: f64,
    /// Unit of both.
    pub(super) unit: &'static str,
}

impl Residual {
    fn text(&self) -> String {
        format!(
            "{} {unit} rms, {} {unit} at most",
            scientific(self.rms),
            scientific(self.max),
            unit = self.unit
        )
    }
}

/// Difference of the answer from the one in the file.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Recorded {
    /// True if every impulse has the same bits.
    pub(super) same_bits: bool,
    /// Largest difference of an impulse `[N s]`.
    pub(super) largest_difference: f64,
    /// Largest impulse in the file `[N s]`.
    pub(super) largest_impulse: f64,
}

/// Outcome of a solve.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    pub(super) title: String,
    /// Sizes of the problem, by name.
    #[serde(serialize_with = "by_name")]
    pub(super) size: Vec<(&'static str, usize)>,
    /// The problem in words.
    pub(super) task: String,
    pub(super) backend: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adapter: Option<String>,
    pub(super) method: String,
    pub(super) status: &'static str,
    pub(super) iterations: u32,
    /// Median of the solves, packing included.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub(super) time: Duration,
    pub(super) repeats: u32,
    /// Of the answer, or of that of the last substep.
    pub(super) residual: Residual,
    /// Of the worst substep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worst_residual: Option<Residual>,
    /// Of the last position problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position_residual: Option<Residual>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded: Option<Recorded>,
    /// The answer as JSON.
    #[serde(skip)]
    pub(super) answer: String,
}

fn seconds<S: serde::Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.as_secs_f64())
}

fn by_name<S: serde::Serializer>(size: &[(&'static str, usize)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(size.iter().copied())
}

/// The file of an answer.
#[derive(Serialize)]
struct Answer<'a> {
    format: &'static str,
    version: u32,
    report: &'a Report,
    solution: &'a RawValue,
}

fn unwritten(why: serde_json::Error) -> Failure {
    Failure::Output(why.into())
}

impl Report {
    /// The report and the answer.
    pub(super) fn with_answer(&self) -> Result<String, Failure> {
        let answer = Answer {
            format: "drystone-solution",
            version: 1,
            report: self,
            solution: serde_json::from_str(&self.answer).map_err(unwritten)?,
        };
        serde_json::to_string(&answer)
            .map(|text| text + "\n")
            .map_err(unwritten)
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(unwritten)
    }

    pub(super) fn table(&self) -> String {
        let size: Vec<String> = self
            .size
            .iter()
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect();
        let median = if self.repeats > 1 {
            format!(", the median of {}", self.repeats)
        } else {
            String::new()
        };
        let mut rows = vec![("problem", self.file.clone())];
        if !self.title.is_empty() {
            rows.push(("title", self.title.clone()));
        }
        rows.extend([
            ("size", size.join(", ")),
            ("task", self.task.clone()),
            (
                "method",
                format!(
                    "{} on {}",
                    self.method,
                    backend::title(&self.backend, self.adapter.as_deref())
                ),
            ),
            (
                "status",
                format!("{} after {} iterations", self.status, self.iterations),
            ),
            (
                "time",
                format!("{} ms{median}", number(self.time.as_secs_f64() * 1e3)),
            ),
            (
                "residual",
                format!("{}, by the referee in f64", self.residual.text()),
            ),
        ]);
        if let Some(worst) = &self.worst_residual {
            rows.push(("worst substep", worst.text()));
        }
        if let Some(position) = &self.position_residual {
            rows.push(("position", position.text()));
        }
        if let Some(recorded) = &self.recorded {
            let text = if recorded.same_bits {
                "the same impulses, bit for bit".to_owned()
            } else {
                format!(
                    "impulses differ by {} N s at most; the largest is {} N s",
                    scientific(recorded.largest_difference),
                    scientific(recorded.largest_impulse)
                )
            };
            rows.push(("answer in file", text));
        }
        console::pairs(rows)
    }
}
