//! Which pairs of bodies a sweep leaves after its first visits: those whose velocities these hardly change; see
//! [`SubstepPlan::calm_change`](crate::solver::substeps::SubstepPlan::calm_change). In lanes of one number the twin of `shaders/shared/contact.wgsl`.

use crate::problem::batches::Motion;
use crate::simd::{Simd, Vector, vector};

/// How far from the centres of its bodies a pair's contacts are, one pair a lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach<S> {
    /// Of A and B `[m]`.
    pub(super) arms: [S; 2],
    /// Largest coefficient of friction.
    pub(super) friction: S,
}

impl<S: Simd> Reach<S> {
    /// Of no contact.
    #[inline(always)]
    pub(super) fn none() -> Self {
        let zero = S::splat(0.0);
        Self {
            arms: [zero; 2],
            friction: zero,
        }
    }

    /// With a contact more.
    #[inline(always)]
    pub(super) fn with(self, [a, b]: [Vector<S>; 2], friction: S) -> Self {
        Self {
            arms: [
                vector::size(a).max(self.arms[0]),
                vector::size(b).max(self.arms[1]),
            ],
            friction: friction.max(self.friction),
        }
    }

    /// Pairs whose bodies' velocities visits have changed by less than `calm` `[m/s]`. None without friction: the rows of a position LCP
    /// have none, and are all visited.
    #[inline(always)]
    pub(super) fn is_calm(
        &self,
        calm: f32,
        before: [Motion<S>; 2],
        now: [Motion<S>; 2],
    ) -> S::Mask {
        let zero = S::splat(0.0);
        let change_a = change_within(self.arms[0], before[0], now[0]);
        let change_b = change_within(self.arms[1], before[1], now[1]);
        let least = S::select(zero.lt(self.friction), S::splat(calm), zero);
        (change_a + change_b).lt(least)
    }
}

/// Bound on the change of velocity within an arm's length of the centre `[m/s]`.
#[inline(always)]
fn change_within<S: Simd>(arm: S, before: Motion<S>, now: Motion<S>) -> S {
    let turn = vector::size(vector::sub(now.1, before.1));
    vector::size(vector::sub(now.0, before.0)) + turn * arm
}
