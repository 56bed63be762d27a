//! The velocity LCP of a step: what the world is, in the solver's terms.

use super::Settings;
use super::integrate::Momentum;
use super::load::{self, Wrench};
use crate::collide::ContactPoint;
use crate::constants::{BODIES_PER_THREAD, CONTACTS_PER_THREAD};
use crate::math;
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

    /// Share of its last impulse, `impulse` along the normal `[N s]`, that a contact starts from which has carried `load`
    /// `[N]` lately; `on_joints` if joints hold one of its bodies.
    ///
    /// A contact sees the inertia of its bodies, not that of the mechanism behind them. The impulse of an impact therefore
    /// goes on growing after the mechanism has stopped, and would throw it back: what parts faster than a contact ever
    /// pushes presses with its load, and not more.
    fn start_share(&self, meeting: &Meeting, (impulse, load): (f32, f32), on_joints: bool) -> f32 {
        let Some(plan) = self.plan else {
            return 1.0;
        };
        if plan.starts_cold(meeting.velocity, meeting.restitution) {
            return 0.0;
        }
        let lasting = load * self.h as f32;
        let parts = on_joints && meeting.velocity > f64::from(plan.gap_law.max_push);
        if parts && impulse > lasting {
            lasting / impulse
        } else {
            1.0
        }
    }
}

/// Fills `problem` with the bodies' velocities at the end of the step as they would be without
/// contacts and joints (`momenta`), and with the contacts, their biases and warm-start impulses; `impulses` and `loads`
/// are those that are remembered of the contacts, `held` says of each body if a joint holds it.
pub(super) fn build_problem(
    world: &World,
    settings: &Settings,
    bias: &ContactBias<'_>,
    contacts: &[ContactPoint],
    (impulses, loads): (&[[f32; 3]], &[f32]),
    (momenta, held): (&[Momentum], &[bool]),
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
            let is_held = |body: u32| held.get(body as usize).is_some_and(|&held| held);
            let on_joints = point.bodies.into_iter().any(is_held);
            let share = bias.start_share(&meeting, (impulse[0], load), on_joints);
            if share != 1.0 {
                contact.impulse = math::scale(contact.impulse, share);
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
