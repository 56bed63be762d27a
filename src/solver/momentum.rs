//! Nesterov's momentum with restarts: from the last iterates to the point where the next sweep begins.
//!
//! A sweep (forward, or symmetric in clusters) leads from impulses `y_k` to `r_{k+1}`. The next
//! one begins at `y_{k+1} = r_{k+1} + b (r_{k+1} - r_k)`; velocities are linear in impulses, so
//! theirs is `V_{k+1} + b (V_{k+1} - V_k)`. Here `b = (t_{k+1} - 1) / t_{k+2}`, with `t_1 = 1` and
//! `t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2`. `y` may leave the cones and bounds: the sweep projects every
//! impulse it touches, and it touches them all, so what a solve returns is admissible.
//!
//! Momentum starts anew, `b = 0`, unless the last change goes along with the step: unless
//! `(r_{k+1} - y_k)^T D (r_{k+1} - r_k)` is at least a cosine ([`MOMENTUM_COSINE`], or for forward sweeps
//! [`MOMENTUM_COSINE_FORWARD`] and [`MOMENTUM_COSINE_CONVEX`]) times the lengths of both. With 0
//! in its place that is the gradient restart of O'Donoghue and Candes, "Adaptive restart for
//! accelerated gradient schemes" (2015). With Coulomb friction, whose bound moves with the normal
//! impulse, a sweep is no step down one function: where contacts slide, momentum can go round in
//! ever wider circles, at a right angle to the steps, and the gradient restart never comes. Nor does
//! it for forward sweeps alone, which are no symmetric operators even without friction. Those two restart with
//! `t = 1`; here `t - 1` keeps a part of its value, [`MOMENTUM_KEPT`]: the problem has not become easier,
//! and factors need not climb again from nothing.
//!
//! `D` is diagonal: one over each row's effective mass, so that all terms have one unit, that of an
//! energy.

use super::sums::{self, Term};
use crate::constants::{
    MOMENTUM_COSINE, MOMENTUM_COSINE_CONVEX, MOMENTUM_COSINE_FORWARD, MOMENTUM_KEPT,
};
use crate::simd::Simd;
use bytemuck::{Pod, Zeroable};

/// When momentum starts anew.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MomentumRule {
    /// Below [`MOMENTUM_COSINE`]: for the symmetric sweeps of clusters.
    #[default]
    Symmetric,
    /// Below [`MOMENTUM_COSINE_FORWARD`]: for forward sweeps.
    Forward,
    /// Below [`MOMENTUM_COSINE_CONVEX`]: for forward sweeps over a problem that is convex.
    ForwardConvex,
}

/// The sequence of factors, carried from sweep to sweep; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Momentum {
    /// `t` of the sweep to come.
    pub sequence: f32,
    /// `b`, by which the last change is repeated before that sweep.
    pub factor: f32,
    /// Number of restarts.
    pub restarts: u32,
    /// The [`MomentumRule`].
    pub rule: u32,
}

/// Sums over impulses of one sweep; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Progress {
    /// `(r_{k+1} - y_k)^T D (r_{k+1} - r_k)` `[J]`.
    pub along: f32,
    /// `|r_{k+1} - y_k|_D^2` of the step `[J]`.
    pub step: f32,
    /// `|r_{k+1} - r_k|_D^2` of the change `[J]`.
    pub change: f32,
    /// Unused.
    pub padding: f32,
}

/// An impulse that has momentum: of a joint row, or of a contact.
pub(crate) trait Impulse: Pod {
    /// `r + b (r - r_previous)`.
    #[must_use]
    fn extrapolated(self, previous: Self, factor: f32) -> Self;
}

impl Impulse for f32 {
    #[inline(always)]
    fn extrapolated(self, previous: Self, factor: f32) -> Self {
        self + factor * (self - previous)
    }
}

impl Impulse for [f32; 4] {
    #[inline(always)]
    fn extrapolated(self, previous: Self, factor: f32) -> Self {
        std::array::from_fn(|axis| self[axis].extrapolated(previous[axis], factor))
    }
}

/// The last two points of an impulse.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Zeroable)]
pub struct Memory<I> {
    /// After the sweep before the last.
    pub previous: I,
    /// Where the last sweep began.
    pub start: I,
}

// SAFETY: two impulses of one kind, one after the other, leave no gap.
#[allow(unsafe_code, reason = "two records of one kind have no padding")]
unsafe impl<I: Pod> Pod for Memory<I> {}

/// Of a contact; 32 bytes.
pub type ContactMemory = Memory<[f32; 4]>;

/// Of a joint row; 8 bytes.
pub type JointMemory = Memory<f32>;

impl<I: Copy> Memory<I> {
    /// Before the first sweep.
    pub(super) fn of(impulse: I) -> Self {
        Self {
            previous: impulse,
            start: impulse,
        }
    }
}

/// Moves an impulse to where the next sweep begins.
#[inline(always)]
pub(super) fn extrapolate<I: Impulse>(impulse: &mut I, memory: &mut Memory<I>, factor: f32) {
    let now = *impulse;
    *impulse = now.extrapolated(memory.previous, factor);
    *memory = Memory {
        previous: now,
        start: *impulse,
    };
}

impl Default for Momentum {
    /// Before the first sweep: no momentum yet.
    fn default() -> Self {
        Self::of(MomentumRule::default())
    }
}

impl Momentum {
    /// Before the first sweep.
    #[must_use]
    pub fn of(rule: MomentumRule) -> Self {
        Self {
            sequence: 1.0,
            factor: 0.0,
            restarts: 0,
            rule: rule as u32,
        }
    }

    /// After a sweep.
    #[must_use]
    pub fn after(self, progress: Progress) -> Self {
        let cosine = if self.rule == MomentumRule::Forward as u32 {
            MOMENTUM_COSINE_FORWARD
        } else if self.rule == MomentumRule::ForwardConvex as u32 {
            MOMENTUM_COSINE_CONVEX
        } else {
            MOMENTUM_COSINE
        };
        let least = cosine * (progress.step.sqrt() * progress.change.sqrt());
        if progress.along < least {
            return Self {
                sequence: 1.0 + MOMENTUM_KEPT * (self.sequence - 1.0),
                factor: 0.0,
                restarts: self.restarts + 1,
                ..self
            };
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * (self.sequence * self.sequence)).sqrt());
        Self {
            sequence: next,
            factor: (self.sequence - 1.0) / next,
            ..self
        }
    }
}

impl Progress {
    /// One impulse's part, with the effective mass of its row.
    #[inline(always)]
    #[must_use]
    pub fn of(mass: f32, previous: f32, start: f32, now: f32) -> Self {
        let [along, step, change] = progress_of(mass, previous, start, now);
        Self {
            along,
            step,
            change,
            padding: 0.0,
        }
    }
}

impl Term for Progress {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self {
            along: self.along + other.along,
            step: self.step + other.step,
            change: self.change + other.change,
            padding: 0.0,
        }
    }
}

/// `along`, `step` and `change` of [`Progress`] in every lane; zero without mass.
#[inline(always)]
pub(crate) fn progress_of<S: Simd>(mass: S, previous: S, start: S, now: S) -> [S; 3] {
    let zero = S::splat(0.0);
    let none = mass.le(zero);
    let step = now - start;
    let change = now - previous;
    [
        S::select(none, zero, (step * change).over(mass)),
        S::select(none, zero, (step * step).over(mass)),
        S::select(none, zero, (change * change).over(mass)),
    ]
}

/// Adds up the workgroups' sums of joint rows and then of contacts. Twin of `shaders/momentum_step.wgsl`.
#[must_use]
pub fn momentum_step(momentum: Momentum, joints: &[Progress], contacts: &[Progress]) -> Momentum {
    momentum.after(sums::of_lists(
        [joints, contacts].map(|sums| sums.iter().copied()),
    ))
}
