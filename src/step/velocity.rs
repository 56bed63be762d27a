//! The velocity LCP of a step: what the world is, in the solver's terms.

use super::Settings;
use super::integrate::Momentum;
use super::load::{self, Wrench};
use crate::collide::ContactPoint;
use crate::constants::{BODIES_PER_THREAD, CONTACTS_PER_THREAD};
use crate::parallel;
use crate::problem::Problem;
use crate::problem::bias::Meeting;
use crate::solver::substeps::{Carried, SubstepPlan};
use crate::stabilize::{RowState, Scheme, Sweeps};
use crate::world::World;

/// The law of contact biases, and its numbers.
pub(super) struct ContactBias<'a> {
    pub(super) scheme: Scheme,
    /// Sweeps of the problem.
    pub(super) sweeps: Sweeps,
    /// Approach speed below which nothing bounces `[m/s]`.
    pub(super) restitution_threshold: f64,
    /// Length of the step `[s]`.
    pub(super) h: f64,
    /// Of a substep, in place of all of the above: contacts are the same with joints in the world and
    /// without.
    pub(super) plan: Option<&'a SubstepPlan>,
}

impl ContactBias<'_> {
    /// Bias of a contact.
    fn of(&self, meeting: &Meeting, carried: &Carried) -> f64 {
        if let Some(plan) = self.plan {
            return plan.contact_bias(meeting, carried);
        }
        let row = RowState {
            velocity: meeting.velocity,
            drift: 0.0,
            h: self.h,
            sweeps: self.sweeps,
            fastest: f64::INFINITY,
        };
        let asked = self.scheme.gap(meeting.separation, &row);
        meeting.bias(asked, self.restitution_threshold, self.h)
    }

    /// True if a contact starts without an impulse.
    fn starts_cold(&self, meeting: &Meeting) -> bool {
        self.plan
            .is_some_and(|plan| plan.starts_cold(meeting.velocity, meeting.restitution))
    }
}

/// Fills `problem` with the bodies' velocities at the end of the step as they would be without
/// contacts and joints (`momenta`), and with the contacts, their biases and warm-start impulses; `impulses` and `loads`
/// are those that are remembered of the contacts.
pub(super) fn build_problem(
    world: &World,
    settings: &Settings,
    bias: &ContactBias<'_>,
    contacts: &[ContactPoint],
    (impulses, loads): (&[[f32; 3]], &[f32]),
    momenta: &[Momentum],
    problem: &mut Problem,
) {
    let bodies = world.bodies.len().min(momenta.len());
    parallel::fill(&mut problem.bodies, bodies, BODIES_PER_THREAD, |body| {
        let (linear, spin) = momenta[body].at_end();
        world.bodies[body].for_solver(&linear, &spin)
    });
    let solvers = &problem.bodies;
    let count = contacts.len().min(impulses.len());
    let softness = settings.stabilization.contacts.contact_softness();
    parallel::fill(
        &mut problem.contacts,
        count,
        CONTACTS_PER_THREAD,
        |contact| {
            let load = loads.get(contact).copied().unwrap_or(0.0);
            let (point, impulse) = (&contacts[contact], impulses[contact]);
            let [a, b] = point.bodies.map(|body| &world.bodies[body as usize]);
            let approach = point
                .normal
                .dot(&(a.velocity_at(&point.position) - b.velocity_at(&point.position)));
            let pair =
                world.materials[a.material as usize].combine(&world.materials[b.material as usize]);
            let gain = point.bodies.map(|body| momenta[body as usize].gain);
            let arms = [a, b].map(|body| point.position - body.pose.position);
            let [gain_a, gain_b] = [0, 1].map(|i: usize| gain[i].0 + gain[i].1.cross(&arms[i]));
            let meeting = Meeting {
                separation: point.separation,
                velocity: approach,
                gain: point.normal.dot(&(gain_a - gain_b)),
                restitution: pair.restitution,
                softness: f64::from(softness),
            };
            let mut contact = point.for_solver(world, 0.0, pair.friction as f32, impulse);
            if bias.starts_cold(&meeting) {
                contact.impulse = [0.0; 3];
            }
            let [a, b] = point.bodies.map(|body| &solvers[body as usize]);
            let response = contact.response(a, b);
            let carried = if settings.solver.warm_start {
                Carried {
                    impulse: f64::from(contact.impulse[0]) * response,
                    load: f64::from(load) * bias.h * response,
                }
            } else {
                Carried::default()
            };
            contact.bias = bias.of(&meeting, &carried) as f32;
            contact
        },
    );
    problem.friction_cone = settings.friction_cone;
    problem.friction_law = settings.friction_law;
    problem.contact_softness = softness;
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
