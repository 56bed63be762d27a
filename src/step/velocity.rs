//! The velocity LCP of a step: what the world is, in the solver's terms.

use super::Settings;
use super::integrate::Momentum;
use super::load::{self, Wrench};
use crate::collide::ContactPoint;
use crate::problem::{Problem, bias};
use crate::stabilize::RowState;
use crate::world::World;
use rayon::prelude::*;

/// Fills `problem` with the bodies' velocities at the end of the step as they would be without
/// contacts and joints, and with the contacts, their biases and warm-start impulses; and `momenta`
/// with what [`integrate`](super::integrate) needs to find the velocities after it.
pub(super) fn build_problem(
    world: &World,
    settings: &Settings,
    restitution_threshold: f64,
    contacts: &[ContactPoint],
    impulses: &[[f32; 3]],
    momenta: &mut Vec<Momentum>,
    problem: &mut Problem,
) {
    let h = settings.time_step;
    let mut loads = Vec::new();
    load::wrenches(world, h, &mut loads);
    world
        .bodies
        .par_iter()
        .enumerate()
        .with_min_len(1024)
        .map(|(index, body)| {
            let load = loads.get(index).copied().unwrap_or_else(Wrench::zero);
            Momentum::free(body, &world.gravity, &load, h)
        })
        .collect_into_vec(momenta);
    world
        .bodies
        .par_iter()
        .zip(&*momenta)
        .with_min_len(1024)
        .map(|(body, momentum)| body.for_solver(&momentum.linear_velocity, &momentum.spin))
        .collect_into_vec(&mut problem.bodies);
    contacts
        .par_iter()
        .zip(impulses)
        .with_min_len(1024)
        .map(|(point, &impulse)| {
            let [a, b] = point.bodies.map(|body| &world.bodies[body as usize]);
            let approach = point
                .normal
                .dot(&(a.velocity_at(&point.position) - b.velocity_at(&point.position)));
            let pair =
                world.materials[a.material as usize].combine(&world.materials[b.material as usize]);
            let row = RowState {
                velocity: approach,
                drift: 0.0,
                h,
            };
            let bias = bias::with_restitution(
                settings.stabilization.contacts.gap(point.separation, &row),
                point.separation,
                approach,
                pair.restitution,
                restitution_threshold,
                h,
            );
            point.for_solver(world, bias as f32, pair.friction as f32, impulse)
        })
        .collect_into_vec(&mut problem.contacts);
    problem.friction_cone = settings.friction_cone;
}

/// How far a body's box is grown so that its contacts within the next step are found: half the
/// margin, and the way that its fastest point can go.
pub(super) fn reach(world: &World, margin: f64, h: f64) -> Vec<f64> {
    let fall = world.gravity.norm() * h;
    world
        .bodies
        .par_iter()
        .with_min_len(4096)
        .map(|body| {
            let radius = body.shape.bounding_radius();
            let spin = body.angular_velocity.norm();
            // An unbounded body is paired with everything anyway.
            let sweep = if radius.is_finite() {
                spin * radius
            } else {
                0.0
            };
            let fall = if body.is_dynamic() { fall } else { 0.0 };
            0.5 * margin + h * (body.linear_velocity.norm() + sweep + fall)
        })
        .collect()
}
