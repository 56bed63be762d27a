//! What lies between the LCPs of a step in substeps; twins of `shaders/substep_control.wgsl`,
//! `shaders/substep_bodies.wgsl` and `shaders/substep_contacts.wgsl`, operation by operation.
//! [`by_solving`](crate::solver::substeps::by_solving) says what it means, in f64.

use crate::math::{self, V3};
use crate::problem::batches::{BodyVelocity, ContactBlock};
use crate::solver::momentum::Momentum;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{Between, BodyState, ContactStep, ContactTotal, Lcp, Sort};

/// When the next LCP is to stop; momentum starts anew.
pub fn substep_control(lcp: &Lcp, control: &mut Control, momentum: &mut Momentum) {
    *control = Control {
        tolerance: lcp.tolerance,
        check_every: lcp.check_every,
        iteration_limit: lcp.iteration_limit,
        block_count: lcp.block_count,
        ..Control::default()
    };
    *momentum = Momentum {
        rule: lcp.momentum_rule,
        ..Momentum::default()
    };
}

/// After an LCP of some sort: takes what its impulses add to velocities, or its corrections. Without one
/// nothing has happened yet.
pub fn substep_bodies(
    sort: Option<Sort>,
    lcp: &Lcp,
    velocities: &mut [BodyVelocity],
    states: &mut [BodyState],
) {
    for (velocity, state) in velocities.iter_mut().zip(states) {
        let (linear, angular) = (velocity.linear, velocity.angular);
        let add =
            |to: &mut V3, what: V3, times: f32| *to = math::add(*to, math::scale(what, times));
        match sort {
            None => *state = BodyState::default(),
            Some(Sort::Position) => {
                let turn = math::dot(angular, angular).sqrt();
                let part = if turn > lcp.max_turn {
                    lcp.max_turn / turn
                } else {
                    1.0
                };
                add(&mut state.moved_linear, linear, part);
                add(&mut state.moved_angular, angular, part);
            }
            Some(Sort::Velocity) => {
                state.gained_linear = math::add(state.gained_linear, linear);
                state.gained_angular = math::add(state.gained_angular, angular);
                add(
                    &mut state.moved_linear,
                    state.gained_linear,
                    lcp.substep_length,
                );
                add(
                    &mut state.moved_angular,
                    state.gained_angular,
                    lcp.substep_length,
                );
            }
        }
        velocity.linear = [0.0; 3];
        velocity.angular = [0.0; 3];
    }
}

/// Before an LCP, or after the last one: contacts and their impulses.
pub fn substep_contacts(
    between: Between,
    lcp: &Lcp,
    steps: &[ContactStep],
    frictions: &[f32],
    states: &[BodyState],
    blocks: &mut [ContactBlock],
    impulses: &mut [[f32; 4]],
    totals: &mut [ContactTotal],
) {
    for (at, block) in blocks.iter_mut().enumerate() {
        let (impulse, total) = (&mut impulses[at], &mut totals[at]);
        if between.starts {
            *total = ContactTotal::default();
        }
        if between.keeps {
            total.kept = *impulse;
            for (total, impulse) in total.total.iter_mut().zip(*impulse) {
                *total += impulse;
            }
        }
        if between.restores {
            *impulse = total.kept;
        }
        if between.cold {
            *impulse = [0.0; 4];
        }
        let Some(sort) = between.next else {
            continue;
        };
        let step = &steps[at];
        let (a, b) = (
            &states[block.body_a as usize],
            &states[block.body_b as usize],
        );
        let apart = |a: (V3, V3), b: (V3, V3)| {
            math::sub(
                math::add_cross(a.0, a.1, block.arm_a),
                math::add_cross(b.0, b.1, block.arm_b),
            )
        };
        let normal = block.normal;
        let moved = apart(
            (a.moved_linear, a.moved_angular),
            (b.moved_linear, b.moved_angular),
        );
        let path = math::add(
            math::add(moved, math::scale(step.start, lcp.start_factor)),
            math::scale(step.increment, lcp.increment_factor),
        );
        let gap = step.gap + math::dot(normal, path);
        let squared = math::dot(normal, normal);
        if sort == Sort::Position {
            block.friction = 0.0;
            block.free_velocity =
                math::scale(normal, (gap + lcp.slop).max(-lcp.max_correction) / squared);
            continue;
        }
        let gained = apart(
            (a.gained_linear, a.gained_angular),
            (b.gained_linear, b.gained_angular),
        );
        let at_part = |part| {
            math::add(
                math::add(step.start, math::scale(step.increment, part)),
                gained,
            )
        };
        let before = math::dot(normal, at_part(lcp.past));
        let softness = if block.normal_mass > 0.0 {
            lcp.softness / block.normal_mass
        } else {
            0.0
        };
        let load = (softness * (step.load * lcp.substep_length)).min(lcp.held_load);
        let held = load.max(lcp.held).min(softness * impulse[0]);
        let gain = math::dot(normal, step.increment) * (lcp.part - lcp.past);
        if step.restitution > 0.0 && before.abs() > lcp.restitution_threshold {
            *impulse = [0.0; 4];
        }
        let bias = contact_bias(lcp, gap, before, gain, held, step.restitution);
        block.friction = frictions[at];
        block.free_velocity = math::add(at_part(lcp.part), math::scale(normal, bias / squared));
    }
}

/// The velocity that a gap asks for, `held` being what the contact holds of what it gives way by; see
/// [`SubstepPlan::contact_bias`].
///
/// [`SubstepPlan::contact_bias`]: crate::solver::substeps::SubstepPlan::contact_bias
fn contact_bias(lcp: &Lcp, gap: f32, velocity: f32, gain: f32, held: f32, restitution: f32) -> f32 {
    let open = gap - lcp.slop;
    let asked = if open > 0.0 {
        open / lcp.substep_length
    } else {
        let deep = (gap + lcp.slop) + lcp.spared;
        (lcp.rate * deep.min(0.0)).max(-(lcp.max_push + held)) + lcp.memory * velocity
    };
    let meets = open + lcp.substep_length * velocity <= 0.0;
    if !(restitution > 0.0 && velocity < -lcp.restitution_threshold && meets) {
        return asked;
    }
    let half = 0.5 * gain;
    let speed = half + velocity;
    let fall = -2.0 * (gain * open) / lcp.substep_length;
    let squared = restitution * restitution * (speed * speed + fall) - fall;
    let parting = squared.max(0.0).sqrt() + half;
    let bounce = -parting - lcp.softness * (parting - velocity - gain);
    if open > 0.0 {
        bounce
    } else {
        bounce.min(asked)
    }
}
