//! What an experiment finds: measured numbers beside what they should be, curves, and remarks.

use crate::console::number;
use crate::plot::Plot;
use serde::Serialize;

/// Everything that an experiment has to show.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Outcome {
    /// What was measured, each with its verdict.
    pub(crate) rows: Vec<Row>,
    /// Figures, in the order of the page.
    #[serde(skip)]
    pub(crate) plots: Vec<Plot>,
    /// Contact sheets, behind them.
    #[serde(skip)]
    pub(crate) sheets: Vec<Sheet>,
    /// How the set-up was read, where the source leaves it open, and what else a reader must know.
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    /// True if there are rows and all of them pass.
    pub(crate) fn passes(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(Row::passes)
    }

    /// Adds a row of which the source publishes nothing.
    pub(crate) fn row(
        &mut self,
        quantity: impl Into<String>,
        unit: &'static str,
        expected: Expected,
        measured: f64,
    ) {
        self.rows.push(Row {
            quantity: quantity.into(),
            unit,
            published: None,
            expected,
            measured,
        });
    }

    /// Adds a row with what the source prints in its place.
    pub(crate) fn published_row(
        &mut self,
        quantity: impl Into<String>,
        unit: &'static str,
        published: impl Into<String>,
        expected: Expected,
        measured: f64,
    ) {
        self.row(quantity, unit, expected, measured);
        if let Some(row) = self.rows.last_mut() {
            row.published = Some(published.into());
        }
    }

    /// Adds a remark.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

/// Frames of a scene on one picture.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    /// Name of the scene.
    pub(crate) name: &'static str,
    /// The picture as a PNG file.
    pub(crate) file: Vec<u8>,
}

/// A number that was measured, and what it should be.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// What is measured.
    pub(crate) quantity: String,
    /// Its unit; empty for a pure number.
    pub(crate) unit: &'static str,
    /// What the source prints, in its words and in this unit.
    pub(crate) published: Option<String>,
    /// What it should be, and how nearly.
    pub(crate) expected: Expected,
    /// What it is here.
    pub(crate) measured: f64,
}

impl Row {
    /// The verdict: the measured number against the expected one.
    pub(crate) fn passes(&self) -> bool {
        self.expected.allows(self.measured)
    }
}

impl Serialize for Row {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut row = serializer.serialize_struct("Row", 7)?;
        row.serialize_field("quantity", &self.quantity)?;
        row.serialize_field("unit", self.unit)?;
        row.serialize_field("published", &self.published)?;
        row.serialize_field("expected", &self.expected)?;
        row.serialize_field("expected_text", &self.expected.to_string())?;
        // JSON has no infinity: what diverges is null.
        row.serialize_field("measured", &self.measured)?;
        row.serialize_field("pass", &self.passes())?;
        row.end()
    }
}

/// What a measured number should be. No number that is not one is allowed by any of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum Expected {
    /// `value` up to a fraction of itself.
    Relative { value: f64, tolerance: f64 },
    /// `value` up to a fixed distance.
    Absolute { value: f64, tolerance: f64 },
    /// Between `value / factor` and `value * factor`.
    Factor { value: f64, factor: f64 },
    /// At most `bound`.
    AtMost { bound: f64 },
    /// At least `bound`; infinity will do.
    AtLeast { bound: f64 },
}

impl Expected {
    /// `value` within `percent` of it.
    pub(crate) fn percent(value: f64, percent: f64) -> Self {
        Self::Relative {
            value,
            tolerance: percent / 100.0,
        }
    }

    /// `value` within `tolerance` on either side.
    pub(crate) fn near(value: f64, tolerance: f64) -> Self {
        Self::Absolute { value, tolerance }
    }

    /// `value` within a factor of two.
    pub(crate) fn factor_two(value: f64) -> Self {
        Self::Factor { value, factor: 2.0 }
    }

    /// No more than `bound`.
    pub(crate) fn at_most(bound: f64) -> Self {
        Self::AtMost { bound }
    }

    /// No less than `bound`.
    pub(crate) fn at_least(bound: f64) -> Self {
        Self::AtLeast { bound }
    }

    fn allows(&self, measured: f64) -> bool {
        match *self {
            Self::Relative { value, tolerance } => {
                (measured - value).abs() <= tolerance * value.abs()
            }
            Self::Absolute { value, tolerance } => (measured - value).abs() <= tolerance,
            Self::Factor { value, factor } => {
                measured >= value / factor && measured <= value * factor
            }
            Self::AtMost { bound } => measured <= bound,
            Self::AtLeast { bound } => measured >= bound,
        }
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Relative { value, tolerance } => {
                write!(f, "{} ± {} %", number(value), number(100.0 * tolerance))
            }
            Self::Absolute { value, tolerance } => {
                write!(f, "{} ± {}", number(value), number(tolerance))
            }
            Self::Factor { value, factor } => {
                write!(f, "{} × or ÷ {}", number(value), number(factor))
            }
            Self::AtMost { bound } => write!(f, "≤ {}", number(bound)),
            Self::AtLeast { bound } => write!(f, "≥ {}", number(bound)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_never_passes() {
        for expected in [
            Expected::percent(0.0, 1.0),
            Expected::near(0.0, f64::INFINITY),
            Expected::factor_two(1.0),
            Expected::at_most(f64::INFINITY),
            Expected::at_least(f64::NEG_INFINITY),
        ] {
            assert!(!expected.allows(f64::NAN), "{expected}");
        }
        assert!(Expected::at_least(1.0).allows(f64::INFINITY));
        assert!(!Expected::at_most(1.0).allows(f64::INFINITY));
    }

    #[test]
    fn bounds_are_where_they_are_said_to_be() {
        assert!(Expected::percent(2.0, 3.0).allows(2.059));
        assert!(!Expected::percent(2.0, 3.0).allows(2.061));
        assert!(Expected::percent(-2.0, 3.0).allows(-2.059));
        assert!(Expected::near(1.0, 0.5).allows(0.51));
        assert!(!Expected::near(1.0, 0.5).allows(0.49));
        assert!(Expected::factor_two(1.0).allows(0.51));
        assert!(!Expected::factor_two(1.0).allows(0.49));
        assert!(!Expected::factor_two(1.0).allows(2.01));
    }

    #[test]
    fn nothing_measured_is_no_success() {
        let mut outcome = Outcome::default();
        assert!(!outcome.passes());
        outcome.row("one", "", Expected::at_most(1.0), 1.0);
        assert!(outcome.passes());
        outcome.row("two", "", Expected::at_most(1.0), 2.0);
        assert!(!outcome.passes());
    }
}
