//! The law of gaps in a substep, in every lane; in lanes of one number the twin of
//! `shaders/substep_contacts.wgsl`, operation by operation. In f64 it is
//! [`SubstepPlan::contact_row`](crate::solver::substeps::SubstepPlan::contact_row).

use super::contact::between;
use crate::constants::{FREE_APPROACH, PARTING_HARDNESS};
use crate::problem::batches::Motion;
use crate::simd::{Simd, Vector, vector};
use crate::solver::substeps::records::{ContactStep, SubstepParams};

/// One contact point a lane, as the step started with it.
#[derive(Clone, Copy)]
pub(super) struct Start<S> {
    pub(super) normal: Vector<S>,
    pub(super) arms: (Vector<S>, Vector<S>),
    /// Velocity along the normal that a unit of normal impulse makes `[1/kg]`; 0 between immovable bodies.
    pub(super) response: S,
    /// Velocity of A's point relative to B's `[m/s]`.
    pub(super) velocity: Vector<S>,
    /// Velocity that forces add to it over the step `[m/s]`.
    pub(super) increment: Vector<S>,
    /// Separation `[m]`.
    pub(super) gap: S,
    pub(super) restitution: S,
    /// Force that the contact has carried lately `[N]`.
    pub(super) load: S,
    /// Root of the contact's size; see [`Problem::sizes`](crate::problem::Problem::sizes).
    pub(super) root_size: S,
    /// Share in the stiffness of its pair; see [`Scale`](crate::problem::bias::Scale).
    pub(super) share: S,
}

impl Start<f32> {
    /// Of a record, and what its block says.
    #[inline(always)]
    pub(super) fn of(
        step: &ContactStep,
        normal: [f32; 3],
        arms: ([f32; 3], [f32; 3]),
        normal_mass: f32,
    ) -> Self {
        Self {
            normal,
            arms,
            response: response(normal_mass),
            velocity: step.start,
            increment: step.increment,
            gap: step.gap,
            restitution: step.restitution,
            load: step.load,
            root_size: step.root_size,
            share: step.share,
        }
    }
}

/// The bias of a substep, and what goes with it.
#[derive(Clone, Copy)]
pub(super) struct Bias<S> {
    /// Along the normal `[m/s]`.
    pub(super) bias: S,
    /// 1 where the contact starts the substep without an impulse: what bounces, or has bounced, does not press.
    pub(super) starts_cold: S,
    /// By how much its normal row is softer than others: what bounces does not give way, nor what [parts](PARTING_HARDNESS).
    pub(super) softer: S,
}

impl<S: Simd> Start<S> {
    /// Gap `[m]` when impulses have moved bodies so far.
    #[inline(always)]
    pub(super) fn gap_after(
        &self,
        params: &SubstepParams,
        moved_a: Motion<S>,
        moved_b: Motion<S>,
    ) -> S {
        let moved = between(self.arms, moved_a, moved_b);
        let started = vector::scale(self.velocity, S::splat(params.start_factor));
        let forced = vector::scale(self.increment, S::splat(params.increment_factor));
        // Products come last: some compilers move what is added to a sum of two products between them.
        let path = vector::add(vector::add(moved, started), forced);
        self.gap + vector::dot(self.normal, path)
    }

    /// Velocity of A's point relative to B's when a part of the step's forces has acted `[m/s]`, but for impulses.
    #[inline(always)]
    pub(super) fn velocity_at(&self, part: f32) -> Vector<S> {
        vector::add(self.velocity, vector::scale(self.increment, S::splat(part)))
    }

    /// Bias in the velocity LCP of a contact at rest, or without restitution, with a normal velocity before the substep
    /// that only a law with memory asks for.
    #[inline(always)]
    pub(super) fn bias(&self, params: &SubstepParams, gap: S, velocity: S, impulse: S) -> S {
        let zero = S::splat(0.0);
        let open = gap - S::splat(params.slop);
        let most = self.most(params, impulse);
        let deep = (gap + S::splat(params.slop)) + S::splat(params.spared);
        let push = ((S::splat(params.rate) * self.share) * least(deep, zero)).max(zero - most);
        let shut = push + S::splat(params.memory) * velocity;
        S::select(zero.lt(open), open * S::splat(params.per_second), shut)
    }

    /// Most that a penetration may take back in the velocity LCP, under the impulse that the contact has `[m/s]`.
    #[inline(always)]
    fn most(&self, params: &SubstepParams, impulse: S) -> S {
        let softness = S::splat(params.softness) * self.response;
        let load = softness * (self.load * S::splat(params.substep_length));
        let load = least(load, S::splat(params.held_load));
        let root = self.root_size;
        let always = S::splat(params.held) * (root * root);
        let held = least(load.max(always), softness * impulse);
        S::splat(params.max_push) * root + held
    }

    /// Bias in the position LCP `[m]` of a contact that has this impulse: the gap beyond the slop and what the springs of the
    /// velocity LCP push back, or as much of it as may be corrected. An open one may close.
    #[inline(always)]
    pub(super) fn position_bias(&self, params: &SubstepParams, gap: S, impulse: S) -> S {
        let zero = S::splat(0.0);
        let open = gap + S::splat(params.slop);
        let sprung = S::splat(params.spring_time).over(self.share) * self.most(params, impulse);
        let beyond = least(open + sprung, zero).max(S::splat(-params.max_correction));
        S::select(zero.lt(open), open, beyond)
    }

    /// The same as [`Self::bias`] where it may bounce; `velocity` is the normal one before the substep `[m/s]`.
    #[inline(always)]
    pub(super) fn bias_of_bounce(
        &self,
        params: &SubstepParams,
        gap: S,
        velocity: S,
        impulse: S,
    ) -> Bias<S> {
        let zero = S::splat(0.0);
        let asked = self.bias(params, gap, velocity, impulse);
        let open = gap - S::splat(params.slop);
        let threshold = S::splat(params.restitution_threshold);
        let least_approach = threshold.max(self.response * impulse);
        let least_parting = threshold + (zero - asked).max(zero);
        let restitution = self.restitution;
        let gain = vector::dot(self.normal, self.increment) * S::splat(params.part - params.past);
        let half = S::splat(0.5) * gain;
        let speed = half + velocity;
        let fall = S::splat(-2.0) * (gain * open) * S::splat(params.per_second);
        let squared = restitution * restitution * (speed * speed + fall) - fall;
        let parting = squared.max(zero).sqrt() + half;
        let bounce = zero - parting;
        let wanted = S::select(zero.lt(open), bounce, least(bounce, asked));
        let meets = (open + S::splat(params.substep_length) * velocity).le(zero);
        let fast = velocity.lt(zero - least_approach);
        let applies = S::select(meets, restitution, zero);
        let applies = zero.lt(S::select(fast, applies, zero));
        let may_bounce = S::select(fast, restitution, zero);
        let parts = least_parting.lt(velocity);
        let bounces = zero.lt(S::select(parts, restitution, may_bounce));
        let pressing = S::select(bounces, zero, impulse);
        let approaches = (velocity + gain).lt(zero - S::splat(params.calm_approach));
        let calm = S::select(approaches, zero, restitution);
        let touching = S::splat(params.touching) * (self.root_size * self.root_size);
        let overlaps = (gap + (S::splat(2.0 * params.slop) + touching)).lt(zero);
        let calm = S::select(overlaps, zero, calm);
        let parted = S::select(zero.lt(open), restitution, calm);
        let waits = zero.lt(S::select(zero.lt(pressing), zero, parted));
        let has_parted = zero.lt(S::select(parts, restitution, zero));
        let asked = S::select(has_parted, asked.max(restitution * velocity), asked);
        let asked = S::select(waits, S::splat(FREE_APPROACH), asked);
        let rigid = S::splat(-params.softness);
        let parts = S::select(
            waits,
            zero,
            S::select(has_parted, rigid - S::splat(PARTING_HARDNESS), zero),
        );
        Bias {
            bias: S::select(applies, wanted, asked),
            starts_cold: S::select(bounces, S::splat(1.0), zero),
            softer: S::select(applies, rigid, parts),
        }
    }
}

/// The impulse that a contact which [parts](PARTING_HARDNESS) keeps: that of its load over a substep `[N s]`, as far as it has one.
#[inline(always)]
pub(super) fn left_of_parting<S: Simd>([normal, ..]: Vector<S>, load: S) -> Vector<S> {
    let zero = S::splat(0.0);
    [least(load, normal), zero, zero]
}

/// One over an effective mass, or nothing where there is none.
#[inline(always)]
pub(super) fn response<S: Simd>(normal_mass: S) -> S {
    let zero = S::splat(0.0);
    let response = S::splat(1.0).over(normal_mass);
    S::select(zero.lt(normal_mass), response, zero)
}

/// The smaller of two numbers.
#[inline(always)]
fn least<S: Simd>(a: S, b: S) -> S {
    S::select(a.lt(b), a, b)
}
