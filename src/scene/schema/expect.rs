//! Expected outcomes of a run.

use serde::{Deserialize, Serialize};

/// A comparison that a run should fulfil; it is judged while the scene runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The same in words, for the sentence at the end of a run.
    #[serde(default)]
    pub claim: String,
    /// Column of a probe (`NAME`, `NAME_x`), or a measure of the whole: `contacts`, `residual_rms`,
    /// `residual_max`, `max_penetration`, `mean_penetration`, `kinetic_energy`, `potential_energy`,
    /// `total_energy`, `joint_error`, `joint_angle_error`, `joint_velocity_error`, `joint_limit_error`,
    /// `joint_limit_angle_error`, `broken_joints`, `substeps`, `collisions`.
    pub measure: String,
    /// How it compares.
    pub is: Relation,
    /// Number to compare with, or the factor of `of`; 1 without it if there is `of`.
    pub value: Option<f64>,
    /// Column or measure that `value` multiplies.
    pub of: Option<String>,
    /// Largest difference that is near, at least 0; only with `is = "near"`.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub tolerance: Option<f64>,
    /// When it should hold, of the time from `from` to `until`.
    #[serde(default)]
    pub when: When,
    /// Begin of the time that counts `[s]`; 0 without it.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub from: Option<f64>,
    /// End of the time that counts `[s]`; the end of the run without it.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub until: Option<f64>,
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum Relation {
    /// Above.
    #[serde(rename = ">")]
    Above,
    /// At least.
    #[serde(rename = ">=")]
    AtLeast,
    /// Below.
    #[serde(rename = "<")]
    Below,
    /// At most.
    #[serde(rename = "<=")]
    AtMost,
    /// Within `tolerance`.
    #[serde(rename = "near")]
    Near,
}

/// When a comparison should hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// After the last step.
    #[default]
    End,
    /// After some step.
    Once,
    /// After every step.
    Always,
    /// On average over all steps.
    Mean,
}
