//! What lies between the LCPs of a step in substeps; twins of `shaders/substep_control.wgsl`,
//! `shaders/substep_bodies.wgsl` and `shaders/substep_contacts.wgsl`, operation by operation.
//! [`in_substeps`](crate::solver::reference::in_substeps) says what it means, in f64.

use super::contact::between;
use super::gap::{self, Bias, Start};
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
        if transition.keeps {
            total.kept = *impulse;
            for (total, impulse) in total.total.iter_mut().zip(*impulse) {
                *total += impulse;
            }
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
        begin_contact(
            kind,
            params,
            (&steps[at], frictions[at]),
            motions,
            block,
            impulse,
        );
    }
}

/// Makes a contact what it is in an LCP, its bodies having gained and moved so much by impulses.
#[inline(always)]
pub(super) fn begin_contact(
    kind: PassKind,
    params: &SubstepParams,
    (step, friction): (&ContactStep, f32),
    [(gained_a, moved_a), (gained_b, moved_b)]: [(Motion<f32>, Motion<f32>); 2],
    block: &mut ContactBlock,
    impulse: &mut [f32; 4],
) {
    let normal = block.normal;
    let arms = (block.arm_a, block.arm_b);
    let start = Start::of(step, normal, arms, block.normal_mass);
    let gap = start.gap_after(params, moved_a, moved_b);
    if kind == PassKind::Position {
        block.friction = 0.0;
        block.free_velocity = math::scale(normal, gap::position_bias(params, gap));
        return;
    }
    let gained = between(arms, gained_a, gained_b);
    let at_part = |part| math::add(start.velocity_at(part), gained);
    let before = math::dot(normal, at_part(params.past));
    let Bias { bias, starts_cold } = start.bias_of_bounce(params, gap, before, impulse[0]);
    if starts_cold > 0.0 {
        *impulse = [0.0; 4];
    }
    block.friction = friction;
    block.free_velocity = math::add(at_part(params.part), math::scale(normal, bias));
}
