//! The velocity LCP of a step: what the world is, in the solver's terms.

use super::Settings;
use super::integrate::Momentum;
use super::load::{self, Wrench};
use crate::collide::ContactPoint;
use crate::constants::{BODIES_PER_THREAD, CONTACTS_PER_THREAD};
use crate::parallel;
use crate::problem::{Problem, bias};
use crate::stabilize::RowState;
use crate::world::World;

/// Fills `problem` with the bodies' velocities at the end of the step as they would be without
/// contacts and joints (`momenta`), and with the contacts, their biases and warm-start impulses.
pub(super) fn build_problem(
    world: &World,
    settings: &Settings,
    restitution_threshold: f64,
    contacts: &[ContactPoint],
    impulses: &[[f32; 3]],
    momenta: &[Momentum],
    problem: &mut Problem,
) {
    let h = settings.time_step;
    let bodies = world.bodies.len().min(momenta.len());
    parallel::fill(&mut problem.bodies, bodies, BODIES_PER_THREAD, |body| {
        let (linear, spin) = momenta[body].at_end();
        world.bodies[body].for_solver(&linear, &spin)
    });
    let count = contacts.len().min(impulses.len());
    parallel::fill(
        &mut problem.contacts,
        count,
        CONTACTS_PER_THREAD,
        |contact| {
            let (point, impulse) = (&contacts[contact], impulses[contact]);
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
        },
    );
    problem.friction_cone = settings.friction_cone;
    problem.friction_law = settings.friction_law;
}

/// How every body would move over the step if nothing touched it; `loads` is memory that is used again.
pub(super) fn free_motion(
    world: &World,
    h: f64,
    loads: &mut Vec<Wrench>,
    momenta: &mut Vec<Momentum>,
) {
    load::wrenches(world, h, loads);
    parallel::fill(momenta, world.bodies.len(), BODIES_PER_THREAD, |body| {
        let load = loads.get(body).copied().unwrap_or_else(Wrench::zero);
        Momentum::free(&world.bodies[body], &world.gravity, &load, h)
    });
}
