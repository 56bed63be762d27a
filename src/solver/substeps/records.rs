//! A step in substeps as f32 records, for a backend that keeps everything on its device.
//!
//! What f64 has to do is done once a step: the velocities that the start of the step and its forces give
//! each contact. What impulses add to velocities, and how far they move bodies, is small beside
//! these, and counted from the start of the step, so that f32 holds it.

use super::{PositionPlan, SubstepPlan};
use crate::solver::Options;
use bytemuck::{Pod, Zeroable};

/// One LCP of a step; 100 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct SubstepParams {
    /// What a velocity at the start of the step is multiplied with to give how far it has moved what it
    /// belongs to `[s]`.
    pub start_factor: f32,
    /// The same of the velocity that forces add over the whole step `[s]`.
    pub increment_factor: f32,
    /// Part of the step that is past before the substep.
    pub past: f32,
    /// Part of the step that is past after it.
    pub part: f32,
    /// Length of a substep `[s]`.
    pub substep_length: f32,
    /// One over it `[1/s]`.
    pub per_second: f32,
    /// See [`GapLaw`](super::GapLaw).
    pub rate: f32,
    /// See [`GapLaw`](super::GapLaw).
    pub memory: f32,
    /// See [`GapLaw`](super::GapLaw).
    pub max_push: f32,
    /// Approach speed below which nothing bounces `[m/s]`.
    pub restitution_threshold: f32,
    /// Most that a position LCP corrects of a contact `[m]`.
    pub max_correction: f32,
    /// Most that it turns a body `[rad]`.
    pub max_turn: f32,
    /// Root mean square of the residual at which to stop; 0 runs all iterations.
    pub tolerance: f32,
    /// Iterations from one look at the residual to the next.
    pub check_every: u32,
    /// Most iterations.
    pub iteration_limit: u32,
    /// Contacts.
    pub block_count: u32,
    /// The [`MomentumRule`](crate::solver::momentum::MomentumRule).
    pub momentum_rule: u32,
    /// See [`GapLaw`](super::GapLaw) `[m]`.
    pub slop: f32,
    /// See [`GapLaw`](super::GapLaw) `[m]`.
    pub spared: f32,
    /// See [`GapLaw`](super::GapLaw).
    pub softness: f32,
    /// See [`GapLaw`](super::GapLaw) `[m/s]`.
    pub held: f32,
    /// See [`GapLaw`](super::GapLaw) `[m/s]`.
    pub held_load: f32,
    /// See [`GapLaw::spring_time`](super::GapLaw::spring_time) `[s]`.
    pub spring_time: f32,
    /// Approach up to which what touches, presses on nothing and may bounce is left alone `[m/s]`.
    pub calm_approach: f32,
    /// See [`GapLaw`](super::GapLaw) `[m]`.
    pub touching: f32,
}

impl SubstepParams {
    /// The velocity LCP of a substep, counted from 1.
    #[must_use]
    pub fn velocity(plan: &SubstepPlan, substep: u32, block_count: usize) -> Self {
        Self::of(plan, substep, substep - 1, &plan.velocity, block_count)
    }

    /// The position LCP after a substep, counted from 1.
    #[must_use]
    pub fn position(
        plan: &SubstepPlan,
        position: &PositionPlan,
        substep: u32,
        block_count: usize,
    ) -> Self {
        Self {
            max_correction: position.max_correction,
            max_turn: position.max_turn,
            ..Self::of(plan, substep, substep, &position.options, block_count)
        }
    }

    /// An LCP of a substep, on the contacts as they are after `moved` substeps.
    fn of(
        plan: &SubstepPlan,
        substep: u32,
        moved: u32,
        options: &Options,
        block_count: usize,
    ) -> Self {
        let [start_factor, increment_factor] = plan.free_displacement(moved);
        Self {
            start_factor: start_factor as f32,
            increment_factor: increment_factor as f32,
            past: plan.part(substep - 1) as f32,
            part: plan.part(substep) as f32,
            substep_length: plan.substep_length() as f32,
            per_second: (1.0 / plan.substep_length()) as f32,
            rate: plan.gap_law.rate,
            memory: plan.gap_law.memory,
            max_push: plan.gap_law.max_push,
            restitution_threshold: plan.restitution_threshold,
            tolerance: options.tolerance,
            check_every: options.until_check(0),
            iteration_limit: options.iterations,
            block_count: block_count as u32,
            slop: plan.gap_law.slop,
            spared: plan.gap_law.spared,
            softness: plan.gap_law.softness,
            held: plan.gap_law.held,
            held_load: plan.gap_law.held_load,
            spring_time: plan.gap_law.spring_time() as f32,
            calm_approach: plan.calm_approach(),
            touching: plan.gap_law.touching,
            ..Self::default()
        }
    }
}

/// What impulses and corrections have done to a body since the start of the step; 64 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct BodyState {
    /// Velocity that impulses have added `[m/s]`.
    pub gained_linear: [f32; 3],
    /// Unused.
    pub padding: f32,
    /// Angular velocity that impulses have added `[rad/s]`.
    pub gained_angular: [f32; 3],
    /// Unused.
    pub padding_2: f32,
    /// How far impulses and corrections have moved it `[m]`.
    pub moved_linear: [f32; 3],
    /// Unused.
    pub padding_3: f32,
    /// How far they have turned it `[rad]`.
    pub moved_angular: [f32; 3],
    /// Unused.
    pub padding_4: f32,
}

/// A contact at the start of the step; 48 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct ContactStep {
    /// Velocity of A's point relative to B's at the start of the step `[m/s]`.
    pub start: [f32; 3],
    /// Separation at the start `[m]`.
    pub gap: f32,
    /// What forces add to the velocity over the whole step `[m/s]`.
    pub increment: [f32; 3],
    /// Newton's coefficient.
    pub restitution: f32,
    /// Load that it has carried lately `[N]`.
    pub load: f32,
    /// Root of its size; see [`Problem::sizes`](crate::problem::Problem::sizes).
    pub root_size: f32,
    /// Share in the stiffness of its pair; see [`Scale`](crate::problem::bias::Scale).
    pub share: f32,
    /// Unused.
    pub padding: f32,
}

/// A contact as a device is given it for a step, in the order of the problem; 96 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct GivenContact {
    /// Unit normal, from B to A.
    pub normal: [f32; 3],
    /// Coefficient of friction.
    pub friction: f32,
    /// From A's centre of mass to the contact point `[m]`.
    pub arm_a: [f32; 3],
    /// See [`ContactStep::gap`] `[m]`.
    pub gap: f32,
    /// From B's centre of mass to the contact point `[m]`.
    pub arm_b: [f32; 3],
    /// See [`ContactStep::restitution`].
    pub restitution: f32,
    /// See [`ContactStep::start`] `[m/s]`.
    pub start: [f32; 3],
    /// See [`ContactStep::load`] `[N]`.
    pub load: f32,
    /// See [`ContactStep::increment`] `[m/s]`.
    pub increment: [f32; 3],
    /// See [`ContactStep::root_size`].
    pub root_size: f32,
    /// At the start `[N s]`.
    pub impulse: [f32; 3],
    /// See [`ContactStep::share`].
    pub share: f32,
}

/// Impulses of a contact `[N s]`; 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct ContactTotal {
    /// Of the last velocity LCP.
    pub kept: [f32; 4],
    /// Of all velocity LCPs.
    pub total: [f32; 4],
}

/// What is done to contacts between two LCPs; the members apply in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transition {
    /// Nothing has been summed up yet.
    pub starts: bool,
    /// The impulses of the last LCP, a velocity LCP, are kept and summed up.
    pub keeps: bool,
    /// The impulses become those that were kept.
    pub restores: bool,
    /// The impulses become nothing.
    pub cold: bool,
    /// What comes next; `None` after the last LCP.
    pub next: Option<PassKind>,
}

/// A sort of LCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassKind {
    /// Of velocities.
    Velocity,
    /// Of positions.
    Position,
}

impl SubstepPlan {
    /// What the step consists of: each LCP, and what precedes it.
    #[must_use]
    pub fn lcps(&self) -> Vec<Transition> {
        let mut lcps = Vec::new();
        for substep in 1..=self.substeps {
            let first = substep == 1;
            lcps.push(Transition {
                starts: first,
                keeps: !first && self.position.is_none(),
                restores: !first && self.position.is_some(),
                cold: !self.velocity.warm_start,
                next: Some(PassKind::Velocity),
            });
            if self.position.is_some() {
                lcps.push(Transition {
                    keeps: true,
                    cold: true,
                    next: Some(PassKind::Position),
                    ..Transition::default()
                });
            }
        }
        lcps
    }

    /// What comes after the last LCP.
    #[must_use]
    pub fn end(&self) -> Transition {
        Transition {
            keeps: self.position.is_none(),
            restores: self.position.is_some(),
            ..Transition::default()
        }
    }
}
