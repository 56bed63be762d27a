//! What lies between the LCPs of a step in substeps; twins of `shaders/substep_control.wgsl`,
//! `shaders/substep_bodies.wgsl` and `shaders/substep_contacts.wgsl`, operation by operation.
//! [`in_substeps`](crate::solver::reference::in_substeps) says what it means, in f64.

use super::contact::between;
use super::gap::{Bias, Start, left_of_parting};
use crate::math::{self, V3};
use crate::problem::batches::Motion;
use crate::problem::batches::{BodyVelocity, ContactBlock};
use crate::solver::momentum::Momentum;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{
    BodyState, ContactStep, ContactTotal, PassKind, SubstepParams, Transition,
};

/// When the next LCP is to stop; momentum starts anew.
pub fn substep_control(params: &SubstepParams, control: &mut Control, momentum: &mut Momentum) {
    *control = Control {
        tolerance: params.tolerance,
        check_every: params.check_every,
        iteration_limit: params.iteration_limit,
        block_count: params.block_count,
        ..Control::default()
    };
    *momentum = Momentum {
        rule: params.momentum_rule,
        ..Momentum::default()
    };
}

/// After an LCP of some sort: takes what its impulses add to velocities, or its corrections. Without one
/// nothing has happened yet.
pub fn substep_bodies(
    kind: Option<PassKind>,
    params: &SubstepParams,
    velocities: &mut [BodyVelocity],
    states: &mut [BodyState],
) {
    for (velocity, state) in velocities.iter_mut().zip(states) {
        let (linear, angular) = (velocity.linear, velocity.angular);
        let add =
            |to: &mut V3, what: V3, times: f32| *to = math::add(*to, math::scale(what, times));
        match kind {
            None => *state = BodyState::default(),
            Some(PassKind::Position) => {
                let turn = math::dot(angular, angular).sqrt();
                let part = if turn > params.max_turn {
                    params.max_turn / turn
                } else {
                    1.0
                };
                add(&mut state.moved_linear, linear, part);
                add(&mut state.moved_angular, angular, part);
            }
            Some(PassKind::Velocity) => {
                state.gained_linear = math::add(state.gained_linear, linear);
                state.gained_angular = math::add(state.gained_angular, angular);
                add(
                    &mut state.moved_linear,
                    state.gained_linear,
                    params.substep_length,
                );
                add(
                    &mut state.moved_angular,
                    state.gained_angular,
                    params.substep_length,
                );
            }
        }
        velocity.linear = [0.0; 3];
        velocity.angular = [0.0; 3];
    }
}

/// Before an LCP, or after the last one: contacts and their impulses.
pub fn substep_contacts(
    transition: Transition,
    params: &SubstepParams,
    steps: &[ContactStep],
    frictions: &[f32],
    states: &[BodyState],
    blocks: &mut [ContactBlock],
    impulses: &mut [[f32; 4]],
    totals: &mut [ContactTotal],
) {
    for (at, block) in blocks.iter_mut().enumerate() {
        let (impulse, total) = (&mut impulses[at], &mut totals[at]);
        if transition.starts {
            *total = ContactTotal::default();
        }
        let softer = std::mem::take(&mut impulse[3]);
        if transition.keeps {
            for (total, impulse) in total.total.iter_mut().zip(*impulse) {
                *total += impulse;
            }
            forget_impact(impulse, softer, params, &steps[at]);
            total.kept = *impulse;
        }
        if transition.restores {
            *impulse = total.kept;
        }
        if transition.cold {
            *impulse = [0.0; 4];
        }
        let Some(kind) = transition.next else {
            continue;
        };
        let motions = [block.body_a, block.body_b].map(|body| {
            let state = &states[body as usize];
            (
                (state.gained_linear, state.gained_angular),
                (state.moved_linear, state.moved_angular),
            )
        });
        let step = &steps[at];
        match kind {
            PassKind::Position => {
                begin_position_contact(params, step, motions, total.kept[0], block);
            }
            PassKind::Velocity => {
                begin_contact(params, (step, frictions[at]), motions, block, impulse);
            }
        }
    }
}

/// Velocities that impulses have added to bodies A and B, and how far they have moved them.
type Motions = [(Motion<f32>, Motion<f32>); 2];

/// Makes a contact what it is in a position LCP, with a normal impulse of `pressing` `[N s]` in the velocity LCP before it.
#[inline(always)]
pub(super) fn begin_position_contact(
    params: &SubstepParams,
    step: &ContactStep,
    [(_, moved_a), (_, moved_b)]: Motions,
    pressing: f32,
    block: &mut ContactBlock,
) {
    let normal = block.normal;
    let arms = (block.arm_a, block.arm_b);
    let start = Start::of(step, normal, arms, block.normal_mass);
    let gap = start.gap_after(params, moved_a, moved_b);
    block.friction = 0.0;
    block.free_velocity = math::scale(normal, start.position_bias(params, gap, pressing));
}

/// Leaves the impulse of a contact that is so much `softer` than others as it is, but of one that [parts](crate::constants::PARTING_HARDNESS) what its load explains.
#[inline(always)]
pub(super) fn forget_impact(
    impulse: &mut [f32; 4],
    softer: f32,
    params: &SubstepParams,
    step: &ContactStep,
) {
    if params.softness + softer < 0.0 {
        let [n, t1, t2, _] = *impulse;
        let [n, t1, t2] = left_of_parting([n, t1, t2], step.load * params.substep_length);
        *impulse = [n, t1, t2, 0.0];
    }
}

/// Makes a contact what it is in a velocity LCP.
#[inline(always)]
pub(super) fn begin_contact(
    params: &SubstepParams,
    (step, friction): (&ContactStep, f32),
    [(gained_a, moved_a), (gained_b, moved_b)]: Motions,
    block: &mut ContactBlock,
    impulse: &mut [f32; 4],
) {
    let normal = block.normal;
    let arms = (block.arm_a, block.arm_b);
    let start = Start::of(step, normal, arms, block.normal_mass);
    let gap = start.gap_after(params, moved_a, moved_b);
    let gained = between(arms, gained_a, gained_b);
    let at_part = |part| math::add(start.velocity_at(part), gained);
    let before = math::dot(normal, at_part(params.past));
    let Bias {
        bias,
        starts_cold,
        softer,
    } = start.bias_of_bounce(params, gap, before, impulse[0]);
    if starts_cold > 0.0 {
        *impulse = [0.0; 4];
    }
    impulse[3] = softer;
    block.friction = friction;
    block.free_velocity = math::add(at_part(params.part), math::scale(normal, bias));
}
