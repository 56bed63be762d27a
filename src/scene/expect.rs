//! Expectations: comparisons that a run of a scene should fulfil, judged step by step.

use super::place::Place;
use super::quoted;
use super::schema::{self, SceneFile};
use super::validate::candidates;
use crate::error::Result;
use crate::measure::{Probe, Seen};
use crate::step::StepReport;

pub use super::schema::{Relation, When};

/// A comparison that a run should fulfil: `measure` against `value`, or against `value` times `of`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The same in words; may be empty.
    pub claim: String,
    /// Left side of the comparison.
    pub measure: Measure,
    /// How it compares.
    pub relation: Relation,
    /// Right side, or its factor.
    pub value: f64,
    /// Measure that `value` multiplies.
    pub of: Option<Measure>,
    /// Largest difference that is near, in the unit of the measure.
    pub tolerance: f64,
    /// When it should hold, of the time from `from` to `until`.
    pub when: When,
    /// Begin of the time that counts `[s]`.
    pub from: f64,
    /// End of the time that counts `[s]`.
    pub until: f64,
}

/// A number that every step of a run has.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Name, as in the header of the metrics.
    pub name: String,
    source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Component of a probe.
    Probe { index: usize, component: usize },
    /// Index into [`MEASURES`].
    Whole(usize),
}

/// Name of a measure of the whole, and where a report has it.
type OfReport = (&'static str, fn(&StepReport) -> f64);

/// Measures of the whole.
const MEASURES: [OfReport; 16] = [
    ("contacts", |step| step.contacts as f64),
    ("residual_rms", |step| step.velocity.residual_rms.into()),
    ("residual_max", |step| step.velocity.residual_max.into()),
    ("max_penetration", |step| step.penetration.max),
    ("mean_penetration", |step| step.penetration.mean),
    ("kinetic_energy", |step| step.energy.kinetic),
    ("potential_energy", |step| step.energy.potential),
    ("total_energy", |step| {
        step.energy.kinetic + step.energy.potential
    }),
    ("joint_error", |step| step.joints.linear_max),
    ("joint_angle_error", |step| step.joints.angular_max),
    ("joint_velocity_error", |step| step.joints.velocity_max),
    ("joint_limit_error", |step| step.joints.limit_max),
    ("joint_limit_angle_error", |step| {
        step.joints.limit_angular_max
    }),
    ("broken_joints", |step| step.joints.broken as f64),
    ("substeps", |step| step.substeps.into()),
    ("collisions", |step| step.collisions.into()),
];

impl Measure {
    /// The measure of a name: a probe's column first.
    fn named(name: &str, probes: &[Probe], place: &Place<'_>) -> Result<Self> {
        let columns: Vec<Vec<String>> = probes.iter().map(Probe::columns).collect();
        let of_probe = columns.iter().enumerate().find_map(|(index, columns)| {
            let component = columns.iter().position(|column| column == name)?;
            Some(Source::Probe { index, component })
        });
        let source = of_probe.or_else(|| {
            let index = MEASURES.iter().position(|(known, _)| *known == name)?;
            Some(Source::Whole(index))
        });
        match source {
            Some(source) => Ok(Self {
                name: name.to_owned(),
                source,
            }),
            None => {
                let mut known: Vec<&str> = columns.iter().flatten().map(String::as_str).collect();
                known.extend(MEASURES.iter().map(|(name, _)| *name));
                let help = candidates(name, &known, &quoted(&known));
                Err(place.error(format!("there is no measure `{name}`"), help))
            }
        }
    }

    /// Its value after a step.
    fn value(&self, report: &StepReport, seen: &Seen<'_>, probes: &[Probe]) -> f64 {
        match self.source {
            Source::Probe { index, component } => probes
                .get(index)
                .and_then(|probe| probe.values(seen).get(component).copied())
                .unwrap_or(f64::NAN),
            Source::Whole(index) => MEASURES[index].1(report),
        }
    }
}

/// The expectations of a checked file.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) for a measure that does not exist.
pub(super) fn expectations(
    file: &SceneFile,
    probes: &[Probe],
    end: f64,
    root: &Place<'_>,
) -> Result<Vec<Expectation>> {
    let make = |(index, given): (usize, &schema::Expect)| {
        let place = root.key("expect").at(index);
        Ok(Expectation {
            claim: given.claim.clone(),
            measure: Measure::named(&given.measure, probes, &place.key("measure"))?,
            relation: given.is,
            value: given.value.unwrap_or(1.0),
            of: given
                .of
                .as_deref()
                .map(|name| Measure::named(name, probes, &place.key("of")))
                .transpose()?,
            tolerance: given.tolerance.unwrap_or(0.0),
            when: given.when,
            from: given.from.unwrap_or(0.0),
            until: given.until.unwrap_or(end),
        })
    };
    file.expects.iter().enumerate().map(make).collect()
}

impl Expectation {
    /// The comparison as a formula, such as `top >= 0.9 bed`.
    #[must_use]
    pub fn formula(&self) -> String {
        let right = match &self.of {
            None => self.value.to_string(),
            Some(of) if self.value == 1.0 => of.name.clone(),
            Some(of) => format!("{} {}", self.value, of.name),
        };
        let left = &self.measure.name;
        match self.relation {
            Relation::Above => format!("{left} > {right}"),
            Relation::AtLeast => format!("{left} >= {right}"),
            Relation::Below => format!("{left} < {right}"),
            Relation::AtMost => format!("{left} <= {right}"),
            Relation::Near => format!("{left} within {} of {right}", self.tolerance),
        }
    }

    /// How far inside the comparison two values are; negative outside, NaN if one is NaN.
    fn slack(&self, measured: f64, bound: f64) -> f64 {
        match self.relation {
            Relation::Above | Relation::AtLeast => measured - bound,
            Relation::Below | Relation::AtMost => bound - measured,
            Relation::Near => self.tolerance - (measured - bound).abs(),
        }
    }

    fn holds(&self, slack: f64) -> bool {
        match self.relation {
            Relation::Above | Relation::Below => slack > 0.0,
            Relation::AtLeast | Relation::AtMost | Relation::Near => slack >= 0.0,
        }
    }
}

/// Verdict on an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The run was over before it could be told.
    #[default]
    Open,
    /// It was fulfilled.
    Held,
    /// It was not.
    Failed,
}

/// An expectation, and what became of it; its fields are keys of `summary.json`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// The expectation in words; may be empty.
    pub claim: String,
    /// The comparison as a formula.
    pub formula: String,
    /// When it should hold, of the time from `from` to `until`.
    pub when: When,
    /// Begin of the time that counts `[s]`.
    pub from: f64,
    /// End of the time that counts `[s]`.
    pub until: f64,
    /// Its verdict.
    pub verdict: Verdict,
    /// Time of the values below `[s]`: of the step that decided, else of the nearest miss or narrowest escape; of means that of the last step.
    pub time: Option<f64>,
    /// Left side of the comparison then.
    pub measured: Option<f64>,
    /// Right side of the comparison then.
    pub bound: Option<f64>,
}

/// Finding of a judge so far.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Judged {
    verdict: Verdict,
    time: Option<f64>,
    measured: Option<f64>,
    bound: Option<f64>,
    slack: f64,
    count: u64,
}

/// Judges one expectation, step by step.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge {
    expectation: Expectation,
    finding: Finding,
    /// How far inside the comparison the values of the finding are.
    slack: f64,
    /// Steps that counted.
    count: u64,
}

impl Judge {
    /// A judge that has seen nothing.
    #[must_use]
    pub fn new(expectation: Expectation) -> Self {
        let finding = Finding {
            claim: expectation.claim.clone(),
            formula: expectation.formula(),
            when: expectation.when,
            from: expectation.from,
            until: expectation.until,
            verdict: Verdict::Open,
            time: None,
            measured: None,
            bound: None,
        };
        Self {
            expectation,
            finding,
            slack: f64::NAN,
            count: 0,
        }
    }

    /// Takes in a step of length `time_step` `[s]`, and what it left.
    pub fn step(&mut self, report: &StepReport, time_step: f64, seen: &Seen<'_>, probes: &[Probe]) {
        let expected = &self.expectation;
        // Times are sums of steps, and the nearest step is meant.
        let half = 0.5 * time_step;
        let is_last = report.time >= expected.until - half;
        let is_early = match expected.when {
            When::End => !is_last,
            When::Once | When::Always | When::Mean => report.time < expected.from - half,
        };
        if self.finding.verdict != Verdict::Open || is_early {
            return;
        }
        let mut measured = expected.measure.value(report, seen, probes);
        let mut bound = expected.value
            * expected
                .of
                .as_ref()
                .map_or(1.0, |of| of.value(report, seen, probes));
        self.count += 1;
        if expected.when == When::Mean {
            let mean = |before: Option<f64>, now: f64| {
                before.map_or(now, |mean| mean + (now - mean) / self.count as f64)
            };
            measured = mean(self.finding.measured, measured);
            bound = mean(self.finding.bound, bound);
        }
        let slack = expected.slack(measured, bound);
        let holds = expected.holds(slack);
        self.finding.verdict = match (expected.when, holds) {
            (When::Once, true) => Verdict::Held,
            (When::Always, false) => Verdict::Failed,
            _ if !is_last => Verdict::Open,
            (_, false) => Verdict::Failed,
            (_, true) => Verdict::Held,
        };
        let is_nearest = match expected.when {
            When::Always => slack < self.slack || slack.is_nan() || self.slack.is_nan(),
            When::Once | When::End => slack > self.slack || self.slack.is_nan(),
            When::Mean => true,
        };
        if is_nearest {
            self.slack = slack;
            self.finding.time = Some(report.time);
            self.finding.measured = Some(measured);
            self.finding.bound = Some(bound);
        }
    }

    /// Its finding so far, for a checkpoint.
    #[must_use]
    pub fn judged(&self) -> Judged {
        let finding = &self.finding;
        Judged {
            verdict: finding.verdict,
            time: finding.time,
            measured: finding.measured,
            bound: finding.bound,
            slack: self.slack,
            count: self.count,
        }
    }

    /// A judge of an expectation that has seen this.
    #[must_use]
    pub fn resumed(expectation: Expectation, judged: &Judged) -> Self {
        let mut judge = Self::new(expectation);
        judge.finding.verdict = judged.verdict;
        judge.finding.time = judged.time;
        judge.finding.measured = judged.measured;
        judge.finding.bound = judged.bound;
        judge.slack = judged.slack;
        judge.count = judged.count;
        judge
    }

    /// Finding so far.
    #[must_use]
    pub fn finding(&self) -> &Finding {
        &self.finding
    }
}
