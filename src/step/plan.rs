//! How a part of a step is divided into substeps.

use super::Settings;
use crate::constants::{
    CORRECTED_PER_SIZE, MAX_CORRECTION_ANGLE, RESTITUTION_THRESHOLD_GH, SLOP_PER_RADIUS,
    SUBSTEP_CORRECTION_PER_RADIUS, SUBSTEP_PUSH, SUBSTEP_PUSH_DEPTH_PER_RADIUS,
};
use crate::solver::substeps::soft::SoftStep;
use crate::solver::substeps::{GapLaw, PositionPlan, SubstepPlan};
use crate::stabilize::{Scheme, Stabilization, Sweeps};

/// A part of a step, and what its plan follows from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Length `[s]`.
    pub(super) h: f64,
    /// Substeps; 0 of a part that is one problem.
    pub(super) substeps: u32,
    pub(super) sweeps: Sweeps,
    /// Magnitude of gravity `[m/s^2]`.
    pub(super) gravity: f64,
    /// Bounding radius of the smallest dynamic body `[m]`.
    pub(super) radius: f64,
    /// Deepest penetration at its start `[m]`.
    pub(super) deepest: f64,
    /// Acceleration by loads that contacts are known to hold `[m/s^2]`.
    pub(super) held: f64,
    /// Acceleration by what drives bodies beside gravity `[m/s^2]`.
    pub(super) driven: f64,
}

/// Overlaps of contacts, and what position LCPs do about them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overlaps {
    /// The deepest `[m]`.
    pub(super) deepest: f64,
    /// How fast position LCPs move bodies out of each other at most; 0 if there are none `[m/s]`.
    pub(super) correction_speed: f64,
}

impl Overlaps {
    /// How far a contact of this separation may move its bodies in a part of length `h`, if that is far for this size; else 0 `[m]`.
    pub(super) fn correction(self, separation: f64, size: f64, h: f64) -> f64 {
        let way = (-separation).min(self.correction_speed * h);
        if way > CORRECTED_PER_SIZE * size {
            way
        } else {
            0.0
        }
    }
}

/// The plan of a part of a step with these settings.
pub(super) fn plan(settings: &Settings, part: &Part) -> SubstepPlan {
    let mut plan = match settings.stabilization.contacts {
        Scheme::Soft { softness } => soft(settings, part, softness),
        _ => rigid(settings, part),
    };
    if let Some(slop) = settings.slop {
        plan.gap_law.slop = slop as f32;
    }
    if let Some(threshold) = settings.restitution_threshold {
        plan.restitution_threshold = threshold as f32;
    }
    plan
}

/// The plan of contacts that are damped springs, with position LCPs where some are deeper than springs reach.
fn soft(settings: &Settings, part: &Part, softness: f64) -> SubstepPlan {
    let is_divided = part.substeps > 0;
    let step = SoftStep {
        h: part.h,
        substeps: part.substeps.max(1),
        softness,
        sweeps: part.sweeps,
        radius: part.radius,
        gravity: part.gravity,
        held: part.held,
        driven: part.driven,
        // A part that is one problem has none that follows.
        recovers_by_position: is_divided,
    };
    let mut plan = SubstepPlan::soft(&step, settings.solver);
    if is_divided && part.deepest > plan.gap_law.reach_of_springs() {
        plan.position = Some(step.position(settings.solver));
    }
    plan
}

/// The plan of contacts that do not give way.
fn rigid(settings: &Settings, part: &Part) -> SubstepPlan {
    let &Part {
        h,
        sweeps,
        gravity,
        radius,
        ..
    } = part;
    let substeps = part.substeps.max(1);
    let h_s = h / f64::from(substeps);
    let Stabilization { contacts, post, .. } = &settings.stabilization;
    let feedback = contacts.feedback(h_s, sweeps);
    let mut gap_law = GapLaw {
        rate: feedback.error as f32,
        memory: feedback.velocity as f32,
        slop: (SLOP_PER_RADIUS * radius) as f32,
        ..GapLaw::default()
    };
    if *contacts == Scheme::Post {
        let max_correction = post
            .max_correction
            .unwrap_or(SUBSTEP_CORRECTION_PER_RADIUS * radius);
        gap_law.rate = (SUBSTEP_PUSH / h_s) as f32;
        gap_law.spared = max_correction as f32;
    }
    // Bodies leave each other no faster, however many substeps there are.
    let deepest = SUBSTEP_PUSH_DEPTH_PER_RADIUS * radius;
    gap_law.max_push = (f64::from(gap_law.rate) * h_s * deepest / h) as f32;
    SubstepPlan {
        substeps,
        time_step: h as f32,
        gap_law,
        restitution_threshold: (RESTITUTION_THRESHOLD_GH * gravity * h_s) as f32,
        calm_change: 0.0,
        velocity: settings.solver,
        position: settings.stabilization.post().map(|post| PositionPlan {
            options: post.solver,
            max_correction: gap_law.spared,
            max_turn: MAX_CORRECTION_ANGLE as f32,
        }),
    }
}
