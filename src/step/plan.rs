//! How a part of a step is divided into substeps.

use super::Settings;
use crate::constants::{
    MAX_CORRECTION_ANGLE, RESTITUTION_THRESHOLD_GH, SLOP_PER_RADIUS, SUBSTEP_CORRECTION_PER_RADIUS,
    SUBSTEP_PUSH, SUBSTEP_PUSH_DEPTH_PER_RADIUS,
};
use crate::solver::substeps::soft::SoftStep;
use crate::solver::substeps::{GapLaw, PositionPlan, SubstepPlan};
use crate::stabilize::{Scheme, Stabilization, Sweeps};

/// Division of a step with these settings into substeps; `radius` is the bounding radius of the smallest
/// dynamic body `[m]`, `gravity` in `[m/s^2]`.
pub(super) fn plan(
    settings: &Settings,
    (h, substeps): (f64, u32),
    sweeps: Sweeps,
    gravity: f64,
    radius: f64,
) -> SubstepPlan {
    let mut plan = match settings.stabilization.contacts {
        Scheme::Soft { softness } => {
            let step = SoftStep {
                h,
                substeps,
                softness,
                sweeps,
                radius,
                gravity,
            };
            SubstepPlan::soft(&step, settings.solver)
        }
        _ => rigid(settings, (h, substeps), sweeps, gravity, radius),
    };
    if let Some(slop) = settings.slop {
        plan.gap_law.slop = slop as f32;
    }
    if let Some(threshold) = settings.restitution_threshold {
        plan.restitution_threshold = threshold as f32;
    }
    plan.position = settings.stabilization.post().map(|post| PositionPlan {
        options: post.solver,
        max_correction: plan.gap_law.spared,
        max_turn: MAX_CORRECTION_ANGLE as f32,
    });
    plan
}

/// The same of contacts that do not give way.
fn rigid(
    settings: &Settings,
    (h, substeps): (f64, u32),
    sweeps: Sweeps,
    gravity: f64,
    radius: f64,
) -> SubstepPlan {
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
        velocity: settings.solver,
        position: None,
    }
}
