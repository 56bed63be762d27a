//! One table of all regimes and settings.

use super::plan::Column;
use super::scenes::Regime;
use super::{Outcome, judge};
use std::fmt::Write as _;

/// A regime and its outcome in each column.
pub(crate) struct Row {
    pub(crate) name: String,
    /// The number that is shown of it.
    pub(crate) number: &'static str,
    pub(crate) outcomes: Vec<Outcome>,
}

impl Row {
    pub(crate) fn new(regime: &Regime) -> Self {
        Self {
            name: regime.name.clone(),
            number: judge::number(regime, &judge::Seen::default()).what,
            outcomes: Vec::new(),
        }
    }
}

impl Outcome {
    pub(crate) fn is_right(&self) -> Option<bool> {
        match self {
            Self::Judged { missed, .. } => Some(missed.is_none()),
            Self::Failed(_) => Some(false),
            Self::Slow(_) => None,
        }
    }

    /// The number that it is judged by; the one that is missed where that is another.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Judged { number, missed, .. } => match missed {
                Some(check) if check.what != number.what => {
                    format!("{} {}", check.what, short(check.seen))
                }
                _ => short(number.value),
            },
            Self::Slow(limit) => format!("> {limit} s"),
            Self::Failed(_) => "failed".into(),
        }
    }
}

/// Three digits.
pub(crate) fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 1e4 || (size < 1e-3 && size > 0.0) => format!("{number:.1e}"),
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 0.1 => format!("{number:.3}"),
        _ => format!("{number:.4}"),
    }
}

/// A length in words.
pub(crate) fn length(size: f64) -> String {
    if size < 1.0 {
        format!("{} cm", (1e4 * size).round() / 100.0)
    } else {
        format!("{size} m")
    }
}

/// Size, step, method and backend of a column.
pub(crate) fn head(column: &Column) -> [String; 4] {
    [
        length(column.size),
        format!("1/{} s", column.rate),
        column.sweep.name().into(),
        column.backend.name().into(),
    ]
}

/// The number of a right outcome in plain type, of a wrong one in bold type.
pub(crate) fn markdown(columns: &[Column], rows: &[Row]) -> String {
    let mut text = String::from("| regime | number |");
    for column in columns {
        let _ = write!(text, " {} |", head(column).join(", "));
    }
    text += "\n|---|---|";
    text += &"---|".repeat(columns.len());
    text += "\n";
    for row in rows {
        let _ = write!(text, "| {} | {} |", row.name, row.number);
        for outcome in &row.outcomes {
            let words = outcome.words();
            let _ = match outcome.is_right() {
                Some(false) => write!(text, " **{words}** |"),
                _ => write!(text, " {words} |"),
            };
        }
        text += "\n";
    }
    let line = |name: &str, of: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..columns.len()).map(of).collect();
        format!("| **{name}** | | {} |\n", cells.join(" | "))
    };
    text += &line("right, of those run", &|at| {
        let judged: Vec<bool> = rows
            .iter()
            .filter_map(|r| r.outcomes[at].is_right())
            .collect();
        let right = judged.iter().filter(|&&right| right).count();
        format!("{right} of {}", judged.len())
    });
    text += &line("mean time of a step [ms]", &|at| {
        let times = rows.iter().filter_map(|row| match &row.outcomes[at] {
            Outcome::Judged { seen, .. } => Some(seen.ms),
            _ => None,
        });
        let times: Vec<f64> = times.collect();
        short(times.iter().sum::<f64>() / times.len().max(1) as f64)
    });
    text
}

pub(crate) fn print_details_head() {
    eprintln!(
        "{:34} {:28} {:>5} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9} {:>8} {:>6} {:>8} {:>8}",
        "setting",
        "regime",
        "right",
        "sideways",
        "sank",
        "rms",
        "gain",
        "pen max",
        "pen mean",
        "fastest",
        "n",
        "ms",
        "ms late"
    );
}

pub(crate) fn print_details(regime: &Regime, column: &Column, outcome: &Outcome) {
    let setting = head(column).join(", ");
    let name = &regime.name;
    match outcome {
        Outcome::Failed(why) => eprintln!("{setting:34} {name:28} {why}"),
        Outcome::Slow(limit) => eprintln!("{setting:34} {name:28} takes longer than {limit} s"),
        Outcome::Judged { missed, seen, .. } => eprintln!(
            "{setting:34} {name:28} {:>5} {:9.4} {:9.4} {:9.2e} {:9.2e} {:8.5} {:9.6} {:8.3} {:6.1} {:8.4} {:8.4} {}{}",
            if missed.is_none() { "yes" } else { "NO" },
            seen.sideways,
            seen.sank,
            seen.rms,
            seen.gain,
            seen.penetration,
            seen.mean_penetration,
            seen.fastest,
            seen.sweeps,
            seen.ms,
            seen.ms_late,
            judge::remark(regime, seen),
            missed.map_or(String::new(), |check| format!(
                " (missed: {} {} of {})",
                check.what,
                short(check.seen),
                short(check.most)
            )),
        ),
    }
}
