//! The problem of a part of a step: what the world is, in the solver's terms.
//!
//! A part that is divided into substeps leaves the biases of contacts to the solver, which finds them from gaps as they are in each substep.
//! Of one that is not they are written here, in f64, on the motion that bodies would have without contacts and joints.

use super::Settings;
use super::halfway::Halfway;
use super::integrate::Momentum;
use super::load::{self, Wrench};
use super::prefetch::prefetch;
use crate::collide::ContactPoint;
use crate::collide::impulse_cache::{BLOCK, Block, Remembered};
use crate::constants::{BODIES_AHEAD, BODIES_PER_THREAD, CONTACTS_PER_THREAD};
use crate::math;
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::problem::bias::{Meeting, NormalRow, Scale};
use crate::problem::runs::run_length;
use crate::problem::{Body, Contact, Problem, Velocity};
use crate::solver::substeps::{Carried, Rescaling, SubstepPlan};
use crate::stabilize::{RowState, Scheme, Sweeps};
use crate::world::World;
use bytemuck::Zeroable;
use std::sync::atomic::{AtomicBool, Ordering};

/// Memory that is used again from step to step.
#[derive(Debug, Default)]
pub(super) struct Memory {
    loads: Vec<Wrench>,
    /// Bounding radii of the bodies over that of the smallest that moves, infinite of what does not; shape `[body_count]`, empty if
    /// all that move are of one size.
    sizes: Vec<f32>,
}

impl Memory {
    /// Finds the sizes of the bodies.
    fn measure(&mut self, world: &World) {
        let smallest = world.smallest_radius();
        let bodies = &world.bodies;
        parallel::fill(&mut self.sizes, bodies.len(), BODIES_PER_THREAD, |body| {
            (bodies[body].moving_radius() / smallest) as f32
        });
        if self
            .sizes
            .iter()
            .all(|&size| size == 1.0 || size == f32::INFINITY)
        {
            self.sizes.clear();
        }
    }

    /// See [`Problem::sizes`]; 1 where bodies are of one size.
    fn size(&self, point: &ContactPoint) -> f32 {
        let of = |body: u32| self.sizes.get(body as usize).copied().unwrap_or(1.0);
        let [a, b] = point.bodies.map(of);
        a.min(b)
    }
}

/// Finds how every body would move over a part of length `h` if nothing touched it, and writes the bodies: with the velocities of its
/// start and what forces add to them or, if it is solved `at_end`, with the sum of both.
pub(super) fn build_bodies(
    world: &World,
    h: f64,
    at_end: bool,
    memory: &mut Memory,
    momenta: &mut Vec<Momentum>,
    problem: &mut Problem,
) {
    memory.measure(world);
    let loads = &mut memory.loads;
    load::wrenches(world, h, loads);
    let count = world.bodies.len();
    momenta.resize(count, Momentum::default());
    problem.increments.resize(count, Velocity::default());
    problem.bodies.resize(count, Body::zeroed());
    problem.joint_rows.clear();
    let slices = (
        &world.bodies[..],
        SharedSlice::new(momenta),
        SharedSlice::new(&mut problem.increments),
        SharedSlice::new(&mut problem.bodies),
    );
    for_chunks(
        slices,
        BODIES_PER_THREAD,
        |first, (bodies, momenta, increments, solvers)| {
            let places = momenta.iter_mut().zip(increments).zip(solvers);
            for (at, (body, place)) in bodies.iter().zip(places).enumerate() {
                let ((kept, increment), solvers) = place;
                prefetch(&world.bodies, first + at + BODIES_AHEAD);
                let load = loads.get(first + at).copied();
                let load = load.unwrap_or_else(Wrench::zero);
                let momentum = Momentum::free(body, &world.gravity, &load, h);
                let (linear, spin) = if at_end {
                    *increment = Velocity::default();
                    momentum.at_end()
                } else {
                    *increment = Velocity {
                        linear: math::narrow(&momentum.gain.0),
                        angular: math::narrow(&momentum.gain.1),
                    };
                    (momentum.linear_velocity, momentum.spin)
                };
                *solvers = body.for_solver(&linear, &spin);
                *kept = momentum;
            }
        },
    );
}

/// What is remembered of contacts.
pub(super) struct History<'a> {
    pub(super) impulses: Remembered<'a>,
    /// To the length of what the problem's impulses are of.
    pub(super) rescaling: Rescaling,
    /// True if loads are remembered: what exceeds them does not last.
    pub(super) has_loads: bool,
}

/// Writes contacts with the impulses that are remembered of them, their loads, gaps and restitutions; and their biases, if there is a law for
/// them. The bodies of the same part have been built with this memory.
pub(super) fn build_contacts(
    (world, halfway): (&World, &Halfway),
    settings: &Settings,
    contacts: &[ContactPoint],
    history: &History<'_>,
    biases: Option<&ContactBias<'_>>,
    memory: &Memory,
    problem: &mut Problem,
) {
    let positions = halfway.positions();
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
    problem.contacts.resize(contacts.len(), Contact::zeroed());
    problem.gaps.resize(contacts.len(), 0.0);
    problem.loads.resize(contacts.len(), 0.0);
    let solvers = &problem.bodies;
    let slices = (
        contacts,
        SharedSlice::new(&mut problem.contacts),
        SharedSlice::new(&mut problem.gaps),
        SharedSlice::new(&mut problem.loads),
    );
    for_chunks(
        slices,
        CONTACTS_PER_THREAD,
        |_, (points, all, gaps, loads)| {
            let (mut lookup, mut block) = (history.impulses.lookup(), Block::zeroed());
            let blocks = points.chunks(BLOCK).zip(all.chunks_mut(BLOCK));
            let numbers = gaps.chunks_mut(BLOCK).zip(loads.chunks_mut(BLOCK));
            for ((points, some), (gaps, loads)) in blocks.zip(numbers) {
                let each = points.iter().zip(some.iter_mut());
                let each = each.zip(gaps.iter_mut().zip(loads.iter_mut()));
                for (at, ((point, contact), (gap, load))) in each.enumerate() {
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
                for (at, (contact, load)) in some.iter_mut().zip(loads).enumerate() {
                    let impulse = block.get(at);
                    let scale = if history.has_loads {
                        history.rescaling.of_contact(impulse[0], *load)
                    } else {
                        history.rescaling.of_force()
                    };
                    contact.impulse = math::scale(impulse, scale);
                }
            }
        },
    );
    problem.compliances.clear();
    if let Some(biases) = biases {
        problem.compliances.resize(contacts.len(), 0.0);
        let has_own = AtomicBool::new(false);
        let slices = (
            contacts,
            SharedSlice::new(&mut problem.contacts),
            SharedSlice::new(&mut problem.compliances),
            &problem.loads[..],
        );
        for_chunks(
            slices,
            CONTACTS_PER_THREAD,
            |first, (points, all, compliances, loads)| {
                let rows = all.iter_mut().zip(compliances).zip(loads);
                for (at, (point, (row, load))) in (first..).zip(points.iter().zip(rows)) {
                    let restitution = materials(point).restitution;
                    let scale = Scale {
                        size: memory.size(point),
                        share: Scale::share_of(run_length(contacts, at, |p| p.bodies)),
                    };
                    let about = (point, restitution, scale);
                    if biases.write((world, halfway), solvers, about, *load, row) {
                        has_own.store(true, Ordering::Relaxed);
                    }
                }
            },
        );
        if !has_own.into_inner() {
            problem.compliances.clear();
        }
    }
    problem.restitutions.clear();
    if world.materials.iter().any(|m| m.restitution > 0.0) {
        parallel::fill(
            &mut problem.restitutions,
            contacts.len(),
            4 * CONTACTS_PER_THREAD,
            |contact| materials(&contacts[contact]).restitution as f32,
        );
    }
    problem.sizes.clear();
    if !memory.sizes.is_empty() {
        parallel::fill(
            &mut problem.sizes,
            contacts.len(),
            4 * CONTACTS_PER_THREAD,
            |contact| memory.size(&contacts[contact]),
        );
    }
    problem.friction_cone = settings.friction_cone;
    problem.friction_law = settings.friction_law;
}

/// The law of contact biases in a part that is not divided, and its numbers.
pub(super) struct ContactBias<'a> {
    pub(super) scheme: Scheme,
    /// Sweeps of the problem.
    pub(super) sweeps: Sweeps,
    /// Approach speed below which nothing bounces `[m/s]`.
    pub(super) restitution_threshold: f64,
    /// Length of the part `[s]`.
    pub(super) h: f64,
    /// Of a substep, in place of all of the above: contacts are the same with joints in the world and
    /// without.
    pub(super) plan: Option<&'a SubstepPlan>,
    /// False if contacts start without impulses.
    pub(super) warm_start: bool,
    /// How bodies would move over the part if nothing touched them; shape `[body_count]`.
    pub(super) momenta: &'a [Momentum],
    /// True for each body that a joint holds; shape `[body_count]`.
    pub(super) held: &'a [bool],
}

impl ContactBias<'_> {
    /// Writes the bias of a contact of a [size](Problem::sizes) that has carried `load` `[N]` lately, and its compliance, and takes from its impulse what it
    /// is not to start with. True if it is not as soft as others.
    fn write(
        &self,
        (world, halfway): (&World, &Halfway),
        solvers: &[Body],
        (point, restitution, scale): (&ContactPoint, f64, Scale),
        load: f32,
        (contact, compliance): (&mut Contact, &mut f32),
    ) -> bool {
        let [gain_a, gain_b] = point.bodies.map(|body| {
            let (linear, angular) = self.momenta[body as usize].gain;
            let arm = point.position - halfway.positions()[body as usize];
            linear + angular.cross(&arm)
        });
        let meeting = Meeting {
            separation: point.separation,
            velocity: point.normal.dot(&halfway.slip(world, point)),
            gain: point.normal.dot(&(gain_a - gain_b)),
            restitution,
        };
        let is_held = |body: u32| self.held.get(body as usize).is_some_and(|&held| held);
        let on_joints = point.bodies.into_iter().any(is_held);
        let [a, b] = point.bodies.map(|body| &solvers[body as usize]);
        let response = contact.response(a, b);
        let carried = |impulse: f32| {
            if self.warm_start {
                Carried {
                    impulse: f64::from(impulse) * response,
                    load: f64::from(load) * self.h * response,
                }
            } else {
                Carried::default()
            }
        };
        let last = carried(contact.impulse[0]);
        let pressing = (contact.impulse[0], load);
        let share = self.start_share(&meeting, scale, pressing, &last, on_joints);
        if share != 1.0 {
            contact.impulse = math::scale(contact.impulse, share);
        }
        let carried = carried(contact.impulse[0]);
        let row = self.row(&meeting, &carried, scale);
        contact.bias = row.bias as f32;
        *compliance = (row.softness * response) as f32;
        row.softness != self.softness()
    }

    /// Softness of what does not bounce.
    fn softness(&self) -> f64 {
        f64::from(self.scheme.contact_softness())
    }

    /// Row of a contact.
    fn row(&self, meeting: &Meeting, carried: &Carried, scale: Scale) -> NormalRow {
        if let Some(plan) = self.plan {
            return plan.contact_row(meeting, self.softness(), carried, scale);
        }
        let row = RowState {
            velocity: meeting.velocity,
            drift: 0.0,
            h: self.h,
            sweeps: self.sweeps,
            fastest: f64::INFINITY,
        };
        let asked = self.scheme.gap(meeting.separation, &row);
        meeting.row((asked, self.softness()), self.restitution_threshold, self.h)
    }

    /// Share of its last impulse, `impulse` along the normal `[N s]`, that a contact starts from which has carried `load`
    /// `[N]` lately; `on_joints` if joints hold one of its bodies.
    ///
    /// A contact sees the inertia of its bodies, not that of the mechanism behind them. The impulse of an impact therefore
    /// goes on growing after the mechanism has stopped, and would throw it back: what parts faster than a contact ever
    /// pushes presses with its load, and not more.
    fn start_share(
        &self,
        meeting: &Meeting,
        scale: Scale,
        (impulse, load): (f32, f32),
        carried: &Carried,
        on_joints: bool,
    ) -> f32 {
        let Some(plan) = self.plan else {
            return 1.0;
        };
        if plan.starts_cold(meeting, self.softness(), carried, scale) {
            return 0.0;
        }
        let lasting = load * self.h as f32;
        let fastest = plan.gap_law.for_size(scale.size).max_push;
        let parts = on_joints && meeting.velocity > f64::from(fastest);
        if parts && impulse > lasting {
            lasting / impulse
        } else {
            1.0
        }
    }
}
