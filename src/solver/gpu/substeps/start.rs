//! What a step in substeps starts from, as it goes to the device.

use crate::math::{self, V3, Vec3};
use crate::solver::Options;
use crate::solver::momentum::MomentumRule;
use crate::solver::substeps::records::{ContactStep, Lcp, Sort};
use crate::solver::substeps::{SubstepPlan, SubstepProblem};

/// The options of an LCP.
pub(super) fn options_of(plan: &SubstepPlan, sort: Sort) -> &Options {
    match (&plan.position, sort) {
        (Some(position), Sort::Position) => &position.options,
        _ => &plan.velocity,
    }
}

/// The records of the LCPs.
pub(super) fn lcps(given: &SubstepProblem, step: &SubstepPlan, block_count: usize) -> Vec<Lcp> {
    let [of_velocity, of_position] = rules(given, step).map(|rule| rule.unwrap_or_default() as u32);
    (1..=step.substeps)
        .flat_map(|substep| {
            let velocity = Lcp {
                momentum_rule: of_velocity,
                ..Lcp::velocity(step, substep, block_count)
            };
            let position = step.position.as_ref().map(|position| Lcp {
                momentum_rule: of_position,
                ..Lcp::position(step, position, substep, block_count)
            });
            std::iter::once(velocity).chain(position)
        })
        .collect()
}

/// Momentum of the velocity LCPs, and of the position LCPs, which have no friction.
pub(super) fn rules(given: &SubstepProblem, step: &SubstepPlan) -> [Option<MomentumRule>; 2] {
    let position = step.position.as_ref();
    [
        step.velocity.method.momentum(given.problem.is_convex()),
        position.and_then(|position| position.options.method.momentum(true)),
    ]
}

/// Velocity of a body at the start of the step.
fn start_of(given: &SubstepProblem, body: u32) -> (Vec3, Vec3) {
    let body = &given.problem.bodies[body as usize];
    (
        math::widen(body.linear_velocity),
        math::widen(body.angular_velocity),
    )
}

/// What forces add to it over the whole step.
fn increment_of(given: &SubstepProblem, body: u32) -> (Vec3, Vec3) {
    let increment = &given.increments[body as usize];
    (
        math::widen(increment.linear),
        math::widen(increment.angular),
    )
}

/// A contact at the start of the step; in f64, narrowed at the end.
pub(super) fn contact_step(given: &SubstepProblem, index: usize) -> ContactStep {
    let contact = &given.problem.contacts[index];
    let apart = |twist: fn(&SubstepProblem, u32) -> (Vec3, Vec3)| -> V3 {
        let point = |body: u32, arm: V3| {
            let (linear, angular) = twist(given, body);
            linear + angular.cross(&math::widen(arm))
        };
        math::narrow(&(point(contact.body_a, contact.arm_a) - point(contact.body_b, contact.arm_b)))
    };
    ContactStep {
        start: apart(start_of),
        gap: given.gaps[index],
        increment: apart(increment_of),
        restitution: given.restitutions.get(index).copied().unwrap_or(0.0),
        load: given.loads.get(index).copied().unwrap_or(0.0),
        ..ContactStep::default()
    }
}
