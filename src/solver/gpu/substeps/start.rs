//! What a step in substeps starts from, as it goes to the device.

use crate::math::{self, V3, Vec3};
use crate::problem::ProblemRef;
use crate::problem::batches::{ContactBlock, Packed};
use crate::solver::Options;
use crate::solver::gpu::buffers::Buffers;
use crate::solver::momentum::MomentumRule;
use crate::solver::substeps::SubstepPlan;
use crate::solver::substeps::records::{GivenContact, PassKind, SubstepParams};

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

impl Buffers {
    /// Says what the arrays of contacts are to hold for a step, as far as it follows from the order; the rest is
    /// made on the device.
    pub(super) fn set_step(
        &mut self,
        given: &ProblemRef<'_>,
        packed: &Packed<ContactBlock, [f32; 4]>,
    ) {
        let (contacts, source) = (given.contacts, &packed.source[..]);
        self.pairs.set_each(packed.order, source.len(), |block| {
            let contact = &contacts[source[block] as usize];
            [contact.body_a, contact.body_b]
        });
        self.sources.set_ordered(packed.order, source);
        let of_contacts = &mut self.contacts;
        for array in [
            &mut self.points,
            &mut self.frictions,
            &mut of_contacts.steps,
            &mut of_contacts.impulses,
        ] {
            array.forget();
        }
    }
}

/// A contact at the start of the step; in f64, narrowed at the end.
#[inline(always)]
pub(super) fn given_contact(
    given: &ProblemRef<'_>,
    index: usize,
    warm_start: bool,
) -> GivenContact {
    let contact = &given.contacts[index];
    let [start_a, increment_a] = point_velocities(given, contact.body_a, contact.arm_a);
    let [start_b, increment_b] = point_velocities(given, contact.body_b, contact.arm_b);
    let [n, t1, t2, _] = contact.start_impulse(warm_start);
    GivenContact {
        normal: contact.normal,
        friction: contact.friction,
        arm_a: contact.arm_a,
        arm_b: contact.arm_b,
        impulse: [n, t1, t2],
        start: math::narrow(&(start_a - start_b)),
        gap: given.gaps[index],
        increment: math::narrow(&(increment_a - increment_b)),
        restitution: given.restitutions.get(index).copied().unwrap_or(0.0),
        load: given.loads.get(index).copied().unwrap_or(0.0),
        root_size: given.root_size(index),
        share: given.scale(index).share,
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
