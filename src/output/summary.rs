//! `summary.json`: a run in one object.

use super::RunFolder;
use super::metrics::milliseconds;
use crate::collide::Witnesses;
use crate::error::{Error, Result};
use crate::scene::Finding;
use crate::step::{Settings, StepReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not yet.
    #[default]
    Running,
    /// All its steps were taken.
    Done,
    /// A signal ended it after a step; [`Summary::error`] names it.
    Interrupted,
    /// A step failed; [`Summary::error`] says why.
    Failed,
}

/// What is known of a run before its first step.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDescription {
    /// Name of the scene.
    pub scene: String,
    /// `cpu`, `gpu`, ...
    pub backend: String,
    /// The adapter, if the backend is a GPU's.
    pub adapter: Option<String>,
    /// How the world is stepped.
    pub settings: Settings,
    /// Seed of the scene's random fills.
    pub seed: u64,
    /// Threads of the CPU's part.
    pub threads: usize,
    /// Steps to take.
    pub steps_planned: u64,
    /// Bodies of the world.
    pub bodies: usize,
    /// Joints of the world.
    pub joints: usize,
}

/// A run in numbers; its fields are the keys of `summary.json`.
///
/// A number that is not finite, or that does not exist, is `null`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Version of drystone.
    pub version: String,
    /// How the run ended.
    pub status: Outcome,
    /// Why it failed.
    pub error: Option<String>,
    /// `cpu`, `gpu`, ...
    pub backend: String,
    /// The adapter, if the backend is a GPU's.
    pub adapter: Option<String>,
    /// Method of the velocity LCP, as scenes name it.
    pub solver: String,
    /// Most iterations of a velocity LCP.
    pub iterations: u32,
    /// Most iterations of a position LCP; `null` if there is none.
    pub position_iterations: Option<u32>,
    /// Substeps of a step as they were asked for; `null` where they follow from what the bodies do.
    pub substeps: Option<u32>,
    /// Fewest substeps of a step.
    pub substeps_min: u32,
    /// Mean number of substeps of a step.
    pub substeps_mean: f64,
    /// Most substeps of a step.
    pub substeps_max: u32,
    /// Most searches for contacts in a step.
    pub contact_updates_max: u32,
    /// Share of the steps that should have been divided further than a step may be.
    pub capped_share: f64,
    /// Share of the looks at pairs of bodies in which the witnesses of the last one served again.
    pub witness_hit_rate: f64,
    /// The same of the last step.
    pub witness_hit_rate_final: f64,
    /// The law of friction.
    pub friction_law: String,
    /// Stepper of the bodies: `velocity` or `event`.
    pub stepper: String,
    /// Collisions that the event stepper stopped at.
    pub collisions: u64,
    /// Steps that it could not take, made by velocities and impulses.
    pub velocity_steps: u64,
    /// Points that stand for the contact of boxes and polyhedra.
    pub contact_model: String,
    /// Scheme of contacts.
    pub contact_scheme: String,
    /// Scheme of joints.
    pub joint_scheme: String,
    /// Gap that counts as a contact; `null` for the default `[m]`.
    pub margin: Option<f64>,
    /// Gap that is left alone; `null` for the default `[m]`.
    pub slop: Option<f64>,
    /// Residual at which the velocity LCP stops `[m/s]`, 0 for never.
    pub tolerance: f32,
    /// Length of a step `[s]`.
    pub time_step: f64,
    /// Seed of the scene's random fills.
    pub seed: u64,
    /// Threads of the CPU's part.
    pub threads: usize,
    /// Steps to take.
    pub steps_planned: u64,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Bodies of the world.
    pub bodies: usize,
    /// Joints of the world.
    pub joints: usize,
    /// Joints that broke.
    pub broken_joints: usize,
    /// Largest distance between what a joint holds together, after any step `[m]`.
    pub joint_error_max: f64,
    /// The same after the last step `[m]`.
    pub joint_error_final: f64,
    /// Largest angle between what a joint holds aligned, after any step `[rad]`.
    pub joint_angle_error_max: f64,
    /// Largest error of a prescribed velocity after any step `[m/s]`.
    pub joint_velocity_error_max: f64,
    /// Largest distance beyond a limit after any step `[m]`.
    pub joint_limit_error_max: f64,
    /// Largest angle beyond a limit after any step `[rad]`.
    pub joint_limit_angle_error_max: f64,
    /// Most contacts of a step.
    pub contacts_max: usize,
    /// Contacts of the last step.
    pub contacts_final: usize,
    /// Most colours of a step.
    pub colors_max: u32,
    /// Largest root-mean-square residual of a step's velocity LCP `[m/s]`.
    pub residual_rms_max: f32,
    /// Largest residual of any contact in any step's velocity LCP `[m/s]`.
    pub residual_max: f32,
    /// Largest residual of any contact in any step's position LCP `[m]`; `null` if none was solved.
    pub position_residual_max: Option<f32>,
    /// Largest penetration after any step `[m]`.
    pub max_penetration: f64,
    /// Largest penetration after the last step `[m]`.
    pub max_penetration_final: f64,
    /// Mean penetration of the points that overlap after the last step `[m]`.
    pub mean_penetration_final: f64,
    /// Kinetic energy after the last step `[J]`.
    pub kinetic_energy_final: f64,
    /// Potential energy after the last step `[J]`.
    pub potential_energy_final: f64,
    /// Median wall-clock time of a step `[ms]`.
    pub step_ms_median: f64,
    /// Longest wall-clock time of a step `[ms]`.
    pub step_ms_max: f64,
    /// Wall-clock time of the run, output included, of all its parts if it was resumed `[s]`.
    pub wall_seconds: f64,
    /// Number of times that the run was resumed from a checkpoint.
    pub resumes: u32,
    /// Steps after which energy or penetration were more than forces and motions explain.
    pub runaway_steps: u64,
    /// The first of them; `null` if there was none.
    pub runaway_first: Option<u64>,
    /// Expectations of the scene, and their verdicts.
    pub expectations: Vec<Finding>,
    /// Unit of every column of `metrics.csv`; `1` for counts and words.
    pub metrics_units: BTreeMap<String, String>,
    /// Unit of every number that has one.
    pub units: BTreeMap<String, String>,
    #[serde(skip)]
    step_ms: Vec<f64>,
    #[serde(skip)]
    witnesses: Witnesses,
}

/// Units of [`Summary`]'s fields.
const UNITS: [(&str, &str); 22] = [
    ("tolerance", "m/s"),
    ("time_step", "s"),
    ("time", "s"),
    ("margin", "m"),
    ("slop", "m"),
    ("residual_rms_max", "m/s"),
    ("residual_max", "m/s"),
    ("position_residual_max", "m"),
    ("joint_error_max", "m"),
    ("joint_error_final", "m"),
    ("joint_angle_error_max", "rad"),
    ("joint_velocity_error_max", "m/s"),
    ("joint_limit_error_max", "m"),
    ("joint_limit_angle_error_max", "rad"),
    ("max_penetration", "m"),
    ("max_penetration_final", "m"),
    ("mean_penetration_final", "m"),
    ("kinetic_energy_final", "J"),
    ("potential_energy_final", "J"),
    ("step_ms_median", "ms"),
    ("step_ms_max", "ms"),
    ("wall_seconds", "s"),
];

impl Summary {
    /// The summary of a run that has not begun.
    #[must_use]
    pub fn new(run: RunDescription) -> Self {
        let options = &run.settings.solver;
        let stabilization = &run.settings.stabilization;
        Self {
            scene: run.scene,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            backend: run.backend,
            adapter: run.adapter,
            solver: options.method.name().to_owned(),
            iterations: options.iterations,
            position_iterations: stabilization.post().map(|post| post.solver.iterations),
            substeps: run.settings.substeps,
            witness_hit_rate: 1.0,
            witness_hit_rate_final: 1.0,
            friction_law: run.settings.friction_law.name().to_owned(),
            stepper: if run.settings.event.is_some() {
                "event"
            } else {
                "velocity"
            }
            .to_owned(),
            contact_model: run.settings.contacts.name().to_owned(),
            contact_scheme: stabilization.contacts.to_string(),
            joint_scheme: stabilization.joints.to_string(),
            margin: run.settings.margin,
            slop: run.settings.slop,
            tolerance: options.tolerance,
            time_step: run.settings.time_step,
            seed: run.seed,
            threads: run.threads,
            steps_planned: run.steps_planned,
            bodies: run.bodies,
            joints: run.joints,
            units: UNITS
                .map(|(field, unit)| (field.to_owned(), unit.to_owned()))
                .into(),
            ..Self::default()
        }
    }

    /// Takes in a step.
    pub fn add(&mut self, report: &StepReport) {
        self.collisions += u64::from(report.collisions);
        self.velocity_steps += u64::from(report.by_velocity && self.stepper == "event");
        self.steps = report.step;
        self.time = report.time;
        self.contacts_max = self.contacts_max.max(report.contacts);
        self.contacts_final = report.contacts;
        let before = report.step.saturating_sub(1) as f64;
        let mean = |mean: f64, number: f64| (mean * before + number) / (before + 1.0);
        self.substeps_mean = mean(self.substeps_mean, f64::from(report.substeps));
        self.capped_share = mean(self.capped_share, f64::from(u8::from(report.capped)));
        self.witnesses = self.witnesses.plus(report.witnesses);
        self.witness_hit_rate = self.witnesses.hit_rate();
        self.witness_hit_rate_final = report.witnesses.hit_rate();
        self.substeps_min = match report.step {
            1 => report.substeps,
            _ => self.substeps_min.min(report.substeps),
        };
        self.substeps_max = self.substeps_max.max(report.substeps);
        self.contact_updates_max = self.contact_updates_max.max(report.contact_updates);
        self.colors_max = self.colors_max.max(report.velocity.colors);
        self.residual_rms_max = worst(self.residual_rms_max, report.velocity.residual_rms);
        self.residual_max = worst(self.residual_max, report.velocity.residual_max);
        if let Some(position) = &report.position {
            let before = self.position_residual_max.unwrap_or(0.0);
            self.position_residual_max = Some(worst(before, position.residual_max));
        }
        let joints = &report.joints;
        self.broken_joints = joints.broken;
        self.joint_error_final = joints.linear_max;
        for (worst, now) in [
            (&mut self.joint_error_max, joints.linear_max),
            (&mut self.joint_angle_error_max, joints.angular_max),
            (&mut self.joint_velocity_error_max, joints.velocity_max),
            (&mut self.joint_limit_error_max, joints.limit_max),
            (
                &mut self.joint_limit_angle_error_max,
                joints.limit_angular_max,
            ),
        ] {
            *worst = worst.max(now);
        }
        self.max_penetration = self.max_penetration.max(report.penetration.max);
        self.max_penetration_final = report.penetration.max;
        self.mean_penetration_final = report.penetration.mean;
        self.kinetic_energy_final = report.energy.kinetic;
        self.potential_energy_final = report.energy.potential;
        self.step_ms.push(milliseconds(report.timings.step));
    }

    /// The summary in bytes, for a checkpoint after so much wall-clock time.
    ///
    /// # Errors
    /// [`Error::Invalid`] if memory does not suffice.
    pub fn save(&self, wall: Duration) -> Result<Vec<u8>> {
        postcard::to_stdvec(&(self, wall.as_secs_f64(), &self.step_ms, self.witnesses))
            .map_err(|why| Error::invalid("summary", why.to_string()))
    }

    /// The summary of a run that goes on where [`Self::save`] was called, and the wall-clock time that it had taken.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the bytes are no summary.
    pub fn resume(saved: &[u8]) -> Result<(Self, Duration)> {
        let (summary, wall, step_ms, witnesses): (Self, f64, Vec<f64>, Witnesses) =
            postcard::from_bytes(saved)
                .map_err(|why| Error::invalid("summary", why.to_string()))?;
        let wall = Duration::try_from_secs_f64(wall)
            .map_err(|why| Error::invalid("summary", why.to_string()))?;
        let resumes = summary.resumes + 1;
        Ok((
            Self {
                resumes,
                step_ms,
                witnesses,
                ..summary
            },
            wall,
        ))
    }

    /// Closes the run: `error` is why it stopped early, if it did.
    pub fn finish(&mut self, error: Option<&Error>, wall: Duration) {
        self.status = if error.is_some() {
            Outcome::Failed
        } else {
            Outcome::Done
        };
        self.error = error.map(ToString::to_string);
        self.wall_seconds = wall.as_secs_f64();
        self.step_ms.sort_unstable_by(f64::total_cmp);
        self.step_ms_median = median(&self.step_ms);
        self.step_ms_max = self.step_ms.last().copied().unwrap_or(0.0);
    }

    /// Closes a run that a signal of this name ended.
    pub fn interrupt(&mut self, signal: &str, wall: Duration) {
        self.finish(None, wall);
        self.status = Outcome::Interrupted;
        self.error = Some(format!("ended by {signal}"));
    }

    /// Takes in that the last step was one of a run that runs away; true if it is the first.
    pub fn add_runaway(&mut self) -> bool {
        self.runaway_steps += 1;
        let is_first = self.runaway_first.is_none();
        self.runaway_first.get_or_insert(self.steps);
        is_first
    }

    /// Writes `summary.json`.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<PathBuf> {
        let name = "summary.json";
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|e| Error::io(&folder.path().join(name), e.into()))?;
        text.push('\n');
        folder.write(name, text.as_bytes())
    }
}

/// The larger one; a NaN, which `f32::max` would hide, wins.
fn worst(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else {
        a.max(b)
    }
}

/// Median of sorted numbers, 0 of none.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[middle],
        _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_between_the_halves() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[1.0, 2.0, 10.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 10.0]), 3.0);
    }

    #[test]
    fn a_residual_that_is_not_a_number_is_never_hidden() {
        assert!(worst(worst(1.0, f32::NAN), 2.0).is_nan());
        assert_eq!(worst(1.0, 2.0), 2.0);
    }
}
