//! A step in substeps: what the world is, in the terms of
//! [`SubstepProblem`](crate::solver::substeps::SubstepProblem).

use super::Settings;
use super::integrate::Momentum;
use super::load::{self, Wrench};
use super::prefetch::prefetch;
use crate::collide::ContactPoint;
use crate::collide::impulse_cache::{BLOCK, Block, Remembered};
use crate::constants::{
    BODIES_AHEAD, BODIES_PER_THREAD, CONTACTS_PER_THREAD, HELD_PER_SIZE, HELD_WEIGHTS, LOAD_TIME,
    MAX_CORRECTION_ANGLE, RECOVERY_SPEED, RESTITUTION_THRESHOLD_GH, SLOP_PER_RADIUS,
    SUBSTEP_CORRECTION_PER_RADIUS, SUBSTEP_PUSH, SUBSTEP_PUSH_DEPTH_PER_RADIUS,
};
use crate::math::{self, Vec3};
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::problem::{Body, Contact};
use crate::solver::Velocity;
use crate::solver::substeps::{GapLaw, PositionPlan, SubstepPlan, SubstepProblem};
use crate::stabilize::{Scheme, Stabilization, Sweeps};
use crate::world::World;
use bytemuck::Zeroable;

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

/// Memory that is used again from step to step.
#[derive(Debug, Default)]
pub(super) struct Memory {
    loads: Vec<Wrench>,
    /// Where the bodies are `[m]`; shape `[body_count]`, side by side as those of the world are not.
    positions: Vec<Vec3>,
}

/// Finds how every body would move over the step if nothing touched it, and writes bodies and velocity
/// increments.
pub(super) fn build_bodies(
    world: &World,
    h: f64,
    memory: &mut Memory,
    momenta: &mut Vec<Momentum>,
    problem: &mut SubstepProblem,
) {
    let Memory { loads, positions } = memory;
    load::wrenches(world, h, loads);
    let count = world.bodies.len();
    positions.resize(count, Vec3::zeros());
    momenta.resize(count, Momentum::default());
    problem.increments.resize(count, Velocity::default());
    problem.problem.bodies.resize(count, Body::zeroed());
    let slices = (
        &world.bodies[..],
        SharedSlice::new(positions),
        SharedSlice::new(momenta),
        SharedSlice::new(&mut problem.increments),
        SharedSlice::new(&mut problem.problem.bodies),
    );
    for_chunks(
        slices,
        BODIES_PER_THREAD,
        |first, (bodies, positions, momenta, increments, solvers)| {
            let places = positions.iter_mut().zip(momenta);
            let places = places.zip(increments).zip(solvers);
            for (at, (body, place)) in bodies.iter().zip(places).enumerate() {
                let (((position, kept), increment), solvers) = place;
                prefetch(&world.bodies, first + at + BODIES_AHEAD);
                let load = loads.get(first + at).copied();
                let load = load.unwrap_or_else(Wrench::zero);
                let momentum = Momentum::free(body, &world.gravity, &load, h);
                *position = body.pose.position;
                *increment = Velocity {
                    linear: math::narrow(&momentum.gain.0),
                    angular: math::narrow(&momentum.gain.1),
                };
                *solvers = body.for_solver(&momentum.linear_velocity, &momentum.spin);
                *kept = momentum;
            }
        },
    );
}

/// Writes contacts with `scale` times the impulses that are remembered of them, their loads, gaps and restitutions. The bodies of
/// the same step have been built with this memory.
pub(super) fn build_contacts(
    world: &World,
    settings: &Settings,
    contacts: &[ContactPoint],
    impulses: Remembered<'_>,
    memory: &Memory,
    scale: f32,
    problem: &mut SubstepProblem,
) {
    let positions = memory.positions.as_slice();
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
    problem
        .problem
        .contacts
        .resize(contacts.len(), Contact::zeroed());
    problem.gaps.resize(contacts.len(), 0.0);
    problem.loads.resize(contacts.len(), 0.0);
    let slices = (
        contacts,
        SharedSlice::new(&mut problem.problem.contacts),
        SharedSlice::new(&mut problem.gaps),
        SharedSlice::new(&mut problem.loads),
    );
    for_chunks(
        slices,
        CONTACTS_PER_THREAD,
        |_, (points, contacts, gaps, loads)| {
            let (mut lookup, mut block) = (impulses.lookup(), Block::zeroed());
            let all = points.chunks(BLOCK).zip(contacts.chunks_mut(BLOCK));
            let numbers = gaps.chunks_mut(BLOCK).zip(loads.chunks_mut(BLOCK));
            for ((points, contacts), (gaps, loads)) in all.zip(numbers) {
                let some = points.iter().zip(contacts.iter_mut());
                let some = some.zip(gaps.iter_mut().zip(loads));
                for (at, ((point, contact), (gap, load))) in some.enumerate() {
                    let normal = math::narrow(&point.normal);
                    let [body_a, body_b] = point.bodies;
                    let arm =
                        |body: u32| math::narrow(&(point.position - positions[body as usize]));
                    *contact = Contact {
                        body_a,
                        body_b,
                        arm_a: arm(body_a),
                        arm_b: arm(body_b),
                        normal,
                        bias: 0.0,
                        friction: everywhere.unwrap_or_else(|| materials(point).friction as f32),
                        impulse: [0.0; 3],
                    };
                    *gap = point.separation as f32;
                    let found = lookup.find(point);
                    block.put(at, normal, &found);
                    *load = found.load;
                }
                block.resolve();
                for (at, contact) in contacts.iter_mut().enumerate() {
                    contact.impulse = math::scale(block.get(at), scale);
                }
            }
        },
    );
    problem.restitutions.clear();
    if world.materials.iter().any(|m| m.restitution > 0.0) {
        parallel::fill(
            &mut problem.restitutions,
            contacts.len(),
            4 * CONTACTS_PER_THREAD,
            |contact| materials(&contacts[contact]).restitution as f32,
        );
    }
    problem.problem.friction_cone = settings.friction_cone;
    problem.problem.friction_law = settings.friction_law;
    problem.problem.contact_softness = settings.stabilization.contacts.contact_softness();
}
