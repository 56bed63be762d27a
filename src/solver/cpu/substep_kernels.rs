//! What lies between the LCPs of a step in substeps; twins of `shaders/substep_control.wgsl`,
//! `shaders/substep_bodies.wgsl`, `shaders/substep_contacts.wgsl` and `shaders/substep_joints.wgsl`,
//! operation by operation. [`by_solving`](crate::solver::substeps::by_solving) says what it means, in
//! f64.

use crate::math::{self, V3};
use crate::problem::batches::{BodyVelocity, ContactBlock, JointBlock, JointScale};
use crate::solver::momentum::Momentum;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{
    Between, BodyState, ContactStep, ContactTotal, JointStep, JointTotal, Lcp, Sort,
};

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
        let bias = contact_bias(lcp, gap, before, step.restitution);
        block.friction = frictions[at];
        block.free_velocity = math::add(at_part(lcp.part), math::scale(normal, bias / squared));
    }
}

/// The velocity that a gap asks for; see [`SubstepPlan::contact_bias`].
///
/// [`SubstepPlan::contact_bias`]: crate::solver::substeps::SubstepPlan::contact_bias
fn contact_bias(lcp: &Lcp, gap: f32, velocity: f32, restitution: f32) -> f32 {
    let open = gap - lcp.slop;
    let asked = if open > 0.0 {
        open / lcp.substep_length
    } else {
        let deep = (gap + lcp.slop) + lcp.spared;
        (lcp.rate * deep.min(0.0)).max(-lcp.max_push) + lcp.memory * velocity
    };
    let meets = open + lcp.substep_length * velocity <= 0.0;
    if !(restitution > 0.0 && velocity < -lcp.restitution_threshold && meets) {
        return asked;
    }
    let bounce = restitution * velocity;
    if open > 0.0 {
        bounce
    } else {
        bounce.min(asked)
    }
}

/// Before an LCP, or after the last one: joint rows and their impulses.
pub fn substep_joints(
    between: Between,
    lcp: &Lcp,
    steps: &[JointStep],
    states: &[BodyState],
    blocks: &mut [JointBlock],
    impulses: &mut [f32],
    totals: &mut [JointTotal],
    scales: &mut [JointScale],
) {
    for (at, block) in blocks.iter_mut().enumerate() {
        let (impulse, total) = (&mut impulses[at], &mut totals[at]);
        if between.starts {
            *total = JointTotal::default();
        }
        if between.keeps {
            total.kept = *impulse;
            total.total += *impulse;
        }
        if between.restores {
            *impulse = total.kept;
        }
        if between.cold {
            *impulse = 0.0;
        }
        let Some(sort) = between.next else {
            continue;
        };
        let step = &steps[at];
        let (a, b) = (
            &states[block.body_a as usize],
            &states[block.body_b as usize],
        );
        let along = |a: (V3, V3), b: (V3, V3)| {
            (math::dot(block.linear, math::sub(a.0, b.0)) + math::dot(block.angular_a, a.1))
                + math::dot(block.angular_b, b.1)
        };
        let moved = along(
            (a.moved_linear, a.moved_angular),
            (b.moved_linear, b.moved_angular),
        );
        let gained = along(
            (a.gained_linear, a.gained_angular),
            (b.gained_linear, b.gained_angular),
        );
        let path = (moved + lcp.start_factor * step.start) + lcp.increment_factor * step.increment;
        let (part, row) = match sort {
            Sort::Velocity => (lcp.past, &step.velocity),
            Sort::Position => (lcp.part, &step.position),
        };
        let turning = ((0.5 * step.law.change) * lcp.time_step) * (part * part);
        let error = (step.law.error + path) + turning;
        block.free_velocity = match sort {
            Sort::Position => position_bias(step, error),
            Sort::Velocity => {
                let before = (step.start + lcp.past * step.increment) + gained;
                let bias = velocity_bias(step, lcp, error, before);
                ((step.start + lcp.part * step.increment) + gained) + bias
            }
        };
        block.mass = row.mass;
        block.softness = row.softness;
        block.lower = row.lower;
        block.upper = row.upper;
        // A row that moves nothing has no velocity either.
        if row.scale_mass == 0.0 {
            block.free_velocity = 0.0;
        }
        scales[at] = JointScale {
            mass: row.scale_mass,
            per_impulse: row.scale_per_impulse,
        };
    }
}

fn velocity_bias(step: &JointStep, lcp: &Lcp, error: f32, velocity: f32) -> f32 {
    let law = &step.law;
    let turned = law.rounding + lcp.past * law.change;
    if law.is_gap != 0 && error > 0.0 {
        return turned + error / lcp.substep_length;
    }
    ((turned + law.offset) + law.rate * error) + law.memory * (velocity + turned)
}

fn position_bias(step: &JointStep, error: f32) -> f32 {
    let most = step.law.max_correction;
    if most < 0.0 {
        return 0.0;
    }
    let least = error.max(-most);
    if step.law.is_gap != 0 {
        least
    } else {
        least.min(most)
    }
}
