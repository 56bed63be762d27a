//! How a part of a step is divided into substeps, and the loads that contacts carry from one to the next.

use super::Settings;
use crate::constants::{
    HELD_PER_SIZE, HELD_WEIGHTS, LOAD_TIME, MAX_CORRECTION_ANGLE, RECOVERY_SPEED,
    RESTITUTION_THRESHOLD_GH, SLOP_PER_RADIUS, SUBSTEP_CORRECTION_PER_RADIUS, SUBSTEP_PUSH,
    SUBSTEP_PUSH_DEPTH_PER_RADIUS,
};
use crate::solver::substeps::{GapLaw, PositionPlan, SubstepPlan};
use crate::stabilize::{Scheme, Stabilization, Sweeps};

/// How a step with these settings is divided; `smallest_radius` is the bounding radius of the smallest
/// dynamic body `[m]`, `gravity` in `[m/s^2]`.
pub(super) fn plan(
    settings: &Settings,
    (h, substeps): (f64, u32),
    sweeps: Sweeps,
    gravity: f64,
    smallest_radius: f64,
) -> SubstepPlan {
    let h_s = h / f64::from(substeps);
    let Stabilization { contacts, post, .. } = &settings.stabilization;
    let feedback = contacts.feedback(h_s, sweeps);
    let default_slop = if matches!(contacts, Scheme::Soft { .. }) {
        0.0
    } else {
        SLOP_PER_RADIUS * smallest_radius
    };
    let slop = settings.slop.unwrap_or(default_slop) as f32;
    let mut gap_law = GapLaw {
        rate: feedback.error as f32,
        memory: feedback.velocity as f32,
        slop,
        ..GapLaw::default()
    };
    let mut max_correction = 0.0;
    if *contacts == Scheme::Post {
        max_correction = post
            .max_correction
            .unwrap_or(SUBSTEP_CORRECTION_PER_RADIUS * smallest_radius);
        gap_law.rate = (SUBSTEP_PUSH / h_s) as f32;
        gap_law.spared = max_correction as f32;
    }
    // Bodies leave each other no faster, however many substeps there are.
    let deepest = SUBSTEP_PUSH_DEPTH_PER_RADIUS * smallest_radius;
    gap_law.max_push = (f64::from(gap_law.rate) * h_s * deepest / h) as f32;
    if matches!(contacts, Scheme::Soft { .. }) {
        gap_law.softness = contacts.contact_softness();
        let size = 2.0 * smallest_radius;
        gap_law.max_push = (RECOVERY_SPEED * (gravity * size).sqrt().max(size)) as f32;
        gap_law.held = (feedback.error * HELD_PER_SIZE * size) as f32;
        let loads = f64::from(gap_law.softness) * HELD_WEIGHTS;
        gap_law.held_load = (loads * gravity * h_s) as f32;
    }
    SubstepPlan {
        substeps,
        time_step: h as f32,
        gap_law,
        restitution_threshold: settings
            .restitution_threshold
            .unwrap_or(RESTITUTION_THRESHOLD_GH * gravity * h_s)
            as f32,
        velocity: settings.solver,
        position: settings.stabilization.post().map(|post| PositionPlan {
            options: post.solver,
            max_correction: max_correction as f32,
            max_turn: MAX_CORRECTION_ANGLE as f32,
        }),
    }
}

/// Takes the impulses of contacts over a part of a step of length `h` into their loads, which are means over some
/// [`LOAD_TIME`]; see [`Carried`](crate::solver::substeps::Carried).
pub(super) fn renew_loads(
    loads: &mut [f32],
    impulses: &[[f32; 3]],
    h: f64,
    gravity: f64,
    smallest_radius: f64,
) {
    // Without gravity nothing rests, and no load is lasting.
    let time = LOAD_TIME * (2.0 * smallest_radius / gravity).sqrt();
    let share = -(-h / time).exp_m1() as f32;
    let per_second = (1.0 / h) as f32;
    for (load, impulse) in loads.iter_mut().zip(impulses) {
        *load += share * (per_second * impulse[0] - *load);
    }
}
