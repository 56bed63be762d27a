//! What a step in substeps starts from, as it goes to the device.

use crate::constants::{CONTACTS_PER_THREAD, PACKED_IMPULSES_PER_THREAD, UPLOAD_CHUNK_BYTES};
use crate::math::{self, V3, Vec3};
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::batches::{ContactBlock, Packed};
use crate::problem::{Contact, ProblemRef};
use crate::solver::Options;
use crate::solver::gpu::buffers::{Buffers, ContactPoint, Places};
use crate::solver::momentum::MomentumRule;
use crate::solver::substeps::SubstepPlan;
use crate::solver::substeps::records::{ContactStep, PassKind, SubstepParams};

/// The options of an LCP.
pub(super) fn options_of(plan: &SubstepPlan, kind: PassKind) -> &Options {
    match (&plan.position, kind) {
        (Some(position), PassKind::Position) => &position.options,
        _ => &plan.velocity,
    }
}

/// The records of the LCPs.
pub(super) fn lcps(
    step: &SubstepPlan,
    rules: [Option<MomentumRule>; 2],
    block_count: usize,
) -> Vec<SubstepParams> {
    let [of_velocity, of_position] = rules.map(|rule| rule.unwrap_or_default() as u32);
    (1..=step.substeps)
        .flat_map(|substep| {
            let velocity = SubstepParams {
                momentum_rule: of_velocity,
                ..SubstepParams::velocity(step, substep, block_count)
            };
            let position = step.position.as_ref().map(|position| SubstepParams {
                momentum_rule: of_position,
                ..SubstepParams::position(step, position, substep, block_count)
            });
            std::iter::once(velocity).chain(position)
        })
        .collect()
}

/// Momentum of the velocity LCPs, and of the position LCPs, which have no friction.
pub(super) fn rules(given: &ProblemRef<'_>, step: &SubstepPlan) -> [Option<MomentumRule>; 2] {
    let position = step.position.as_ref();
    [
        step.velocity.method.momentum(given.is_convex()),
        position.and_then(|position| position.options.method.momentum(true)),
    ]
}

/// Contacts whose records are compared and uploaded together.
const PER_CHUNK: usize = UPLOAD_CHUNK_BYTES / size_of::<ContactStep>();

impl Buffers {
    /// Says what the arrays of contacts are to hold for a step.
    pub(super) fn set_step(
        &mut self,
        given: &ProblemRef<'_>,
        packed: &Packed<ContactBlock, [f32; 4]>,
        warm_start: bool,
    ) {
        let contacts = given.contacts;
        let source = &packed.source[..];
        self.pairs.set_each(packed.order, source.len(), |block| {
            let contact = &contacts[source[block] as usize];
            [contact.body_a, contact.body_b]
        });
        self.places.take(packed);
        let count = source.len();
        let steps = &mut self.contacts.steps;
        let steps = steps.update::<ContactStep>(count, PER_CHUNK);
        let points = self.points.update::<ContactPoint>(count, PER_CHUNK);
        let frictions = self.frictions.update::<f32>(count, PER_CHUNK);
        let impulses = &mut self.contacts.impulses;
        let impulses = impulses.update::<[f32; 4]>(count, PER_CHUNK);
        // In the order of the problem, whose contacts and bodies then are read as they lie in memory.
        let slices = (contacts, &self.places.blocks[..]);
        for_chunks(slices, CONTACTS_PER_THREAD, |first, (contacts, blocks)| {
            for (at, (contact, &block)) in contacts.iter().zip(blocks).enumerate() {
                let step = contact_step(given, first + at, contact);
                let point: ContactPoint = [
                    contact.normal,
                    contact.arm_a,
                    contact.arm_b,
                    // The free velocity is made on the device.
                    [0.0; 3],
                ];
                let impulse = contact.start_impulse(warm_start);
                let block = block as usize;
                let chunk = block / PER_CHUNK;
                #[allow(unsafe_code, reason = "contacts go to where their blocks are")]
                // SAFETY: every contact has a block of its own.
                unsafe {
                    steps.put(block, chunk, &step);
                    points.put(block, chunk, &point);
                    frictions.put(block, chunk, &contact.friction);
                    impulses.put(block, chunk, &impulse);
                }
            }
        });
    }
}

impl Places {
    /// Becomes those of an order.
    fn take(&mut self, packed: &Packed<ContactBlock, [f32; 4]>) {
        if self.order == packed.order {
            return;
        }
        self.order = packed.order;
        self.blocks.resize(packed.source.len(), 0);
        let blocks = SharedSlice::new(&mut self.blocks);
        for_chunks(
            &packed.source[..],
            PACKED_IMPULSES_PER_THREAD,
            |first, source| {
                for (block, &contact) in (first as u32..).zip(source) {
                    #[allow(unsafe_code, reason = "blocks go to where their contacts are")]
                    // SAFETY: every contact is in the order once.
                    unsafe {
                        blocks.write(contact as usize, block);
                    }
                }
            },
        );
    }
}

/// A contact at the start of the step; in f64, narrowed at the end.
#[inline(always)]
fn contact_step(given: &ProblemRef<'_>, index: usize, contact: &Contact) -> ContactStep {
    let [start_a, increment_a] = point_velocities(given, contact.body_a, contact.arm_a);
    let [start_b, increment_b] = point_velocities(given, contact.body_b, contact.arm_b);
    ContactStep {
        start: math::narrow(&(start_a - start_b)),
        gap: given.gaps[index],
        increment: math::narrow(&(increment_a - increment_b)),
        restitution: given.restitutions.get(index).copied().unwrap_or(0.0),
        load: given.loads.get(index).copied().unwrap_or(0.0),
        root_size: given.root_size(index),
        share: given.scale(index).share,
        ..ContactStep::default()
    }
}

/// Velocity of a body's point at the start of a step, and what forces add to it.
#[inline(always)]
fn point_velocities(given: &ProblemRef<'_>, body: u32, arm: V3) -> [Vec3; 2] {
    let start = &given.bodies[body as usize];
    let increment = &given.increments[body as usize];
    let arm = math::widen(arm);
    [
        math::widen(start.linear_velocity) + math::widen(start.angular_velocity).cross(&arm),
        math::widen(increment.linear) + math::widen(increment.angular).cross(&arm),
    ]
}
