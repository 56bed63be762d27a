//! A step in substeps: what the world is, in the terms of
//! [`SubstepProblem`](crate::solver::substeps::SubstepProblem).

use super::Settings;
use super::integrate::Momentum;
use crate::collide::ContactPoint;
use crate::constants::{
    MAX_CORRECTION_ANGLE, RESTITUTION_THRESHOLD_GH, SLOP_PER_RADIUS, SUBSTEP_CORRECTION_PER_RADIUS,
    SUBSTEP_PUSH, SUBSTEP_PUSH_DEPTH_PER_RADIUS,
};
use crate::math;
use crate::solver::Velocity;
use crate::solver::substeps::{GapLaw, PositionPlan, SubstepPlan, SubstepProblem};
use crate::stabilize::{Scheme, Stabilization};
use crate::world::World;
use rayon::prelude::*;

/// How a step with these settings is divided; `smallest_radius` is the bounding radius of the smallest
/// dynamic body `[m]`, `gravity` in `[m/s^2]`.
pub(super) fn plan(settings: &Settings, gravity: f64, smallest_radius: f64) -> SubstepPlan {
    let h_s = settings.time_step / f64::from(settings.substeps);
    let Stabilization { contacts, post, .. } = &settings.stabilization;
    let feedback = contacts.feedback(h_s);
    let slop = settings.slop.unwrap_or(SLOP_PER_RADIUS * smallest_radius) as f32;
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
        // Bodies leave each other no faster, however many substeps there are.
        let deepest = SUBSTEP_PUSH_DEPTH_PER_RADIUS * smallest_radius;
        gap_law.max_push = (SUBSTEP_PUSH * deepest / settings.time_step) as f32;
    }
    SubstepPlan {
        substeps: settings.substeps,
        time_step: settings.time_step as f32,
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

/// Writes bodies, velocity increments, contacts, gaps and restitutions; `impulses` are those that the
/// contacts start from.
pub(super) fn build_problem(
    world: &World,
    settings: &Settings,
    contacts: &[ContactPoint],
    impulses: &[[f32; 3]],
    momenta: &[Momentum],
    problem: &mut SubstepProblem,
) {
    world
        .bodies
        .par_iter()
        .zip(momenta)
        .with_min_len(1024)
        .map(|(body, momentum)| body.for_solver(&momentum.linear_velocity, &momentum.spin))
        .collect_into_vec(&mut problem.problem.bodies);
    momenta
        .par_iter()
        .with_min_len(4096)
        .map(|momentum| Velocity {
            linear: math::narrow(&momentum.gain.0),
            angular: math::narrow(&momentum.gain.1),
        })
        .collect_into_vec(&mut problem.increments);
    let materials = |point: &ContactPoint| {
        let [a, b] = point
            .bodies
            .map(|body| &world.materials[world.bodies[body as usize].material as usize]);
        a.combine(b)
    };
    // Of one material only: what it makes with itself.
    let everywhere = match world.materials.as_slice() {
        [only] => Some(only.combine(only).friction as f32),
        _ => None,
    };
    contacts
        .par_iter()
        .zip(impulses)
        .with_min_len(1024)
        .map(|(point, &impulse)| {
            let friction = everywhere.unwrap_or_else(|| materials(point).friction as f32);
            point.for_solver(world, 0.0, friction, impulse)
        })
        .collect_into_vec(&mut problem.problem.contacts);
    contacts
        .par_iter()
        .with_min_len(4096)
        .map(|point| point.separation as f32)
        .collect_into_vec(&mut problem.gaps);
    problem.restitutions.clear();
    if world.materials.iter().any(|m| m.restitution > 0.0) {
        contacts
            .par_iter()
            .with_min_len(4096)
            .map(|point| materials(point).restitution as f32)
            .collect_into_vec(&mut problem.restitutions);
    }
    problem.problem.friction_cone = settings.friction_cone;
}
