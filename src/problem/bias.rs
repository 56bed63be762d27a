//! The number that a contact adds to its relative normal velocity.

use crate::constants::SHARED_STIFFNESS;

/// Bias of an unstabilized contact in the velocity pass `[m/s]`: speculative gap, or restitution.
///
/// * Apart (`separation > 0`): `separation / h`, so that the gap may close and not more.
/// * Touching or overlapping: `0`; removing the overlap is the stabilization's business.
/// * With restitution: see [`Meeting::bias`].
#[must_use]
pub fn velocity(separation: f64, approach: f64, restitution: f64, threshold: f64, h: f64) -> f32 {
    let gap = separation.max(0.0) / h;
    let meeting = Meeting {
        separation,
        velocity: approach,
        gain: 0.0,
        restitution,
    };
    meeting.bias(gap, threshold, h) as f32
}

/// Size and stiffness of a contact as one of its pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// See [`Problem::sizes`](crate::problem::Problem::sizes); 1 where there are none.
    pub size: f32,
    /// Share of the contact in the stiffness of four contacts: 1 where its pair has no more, else four over their number.
    pub share: f32,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            size: 1.0,
            share: 1.0,
        }
    }
}

impl Scale {
    /// That of one of so many contacts of a pair; see [`SHARED_STIFFNESS`].
    pub(crate) fn share_of(contacts: usize) -> f32 {
        SHARED_STIFFNESS / SHARED_STIFFNESS.max(contacts as f32)
    }
}

/// How two bodies are about to meet at a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Gap `[m]`, negative when penetrating.
    pub separation: f64,
    /// Normal velocity before the problem's forces, negative when closing `[m/s]`.
    pub velocity: f64,
    /// Velocity added by forces `[m/s]`.
    pub gain: f64,
    /// Newton's coefficient e.
    pub restitution: f64,
}

/// A contact's row: its demand on the relative normal velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalRow {
    /// Bias `[m/s]`.
    pub bias: f64,
    /// Softness eps; see [`Problem::contact_softness`](crate::problem::Problem::contact_softness).
    pub softness: f64,
}

impl Meeting {
    /// True of bodies that close faster than `threshold` `[m/s]` and meet within `h` `[s]`, if they have restitution.
    #[must_use]
    pub fn bounces(&self, threshold: f64, h: f64) -> bool {
        let meets = self.separation + h * self.velocity <= 0.0;
        self.restitution > 0.0 && self.velocity < -threshold && meets
    }

    /// The row of a contact of some softness, `gap` being what its stabilization asks for; see [`Self::bias`].
    ///
    /// A bounce does not give way. Soft contacts that share an impulse would give way by `eps W_nn r_n` each, and part by no law; and a row that
    /// corrects no gap needs no softness.
    #[must_use]
    pub fn row(&self, (gap, softness): (f64, f64), threshold: f64, h: f64) -> NormalRow {
        NormalRow {
            bias: self.bias(gap, threshold, h),
            softness: if self.bounces(threshold, h) {
                0.0
            } else {
                softness
            },
        }
    }

    /// Bias of the contact in the velocity pass `[m/s]`, `gap` being what its stabilization asks for, `h` the
    /// length of what the problem stands for.
    ///
    /// Bodies that close faster than `threshold` and meet within `h` part by Newton's law *at the surface*: with the
    /// acceleration `a = -gain / h`, the velocity there and the one after it at the present gap s follow from
    /// energy,
    ///
    /// ```text
    /// v^2 = e^2 (u^2 + 2 a s) - 2 a s,
    /// ```
    ///
    /// so that a bounce reaches `e^2` of its height wherever in the problem's time it happens. Semi-implicit
    /// velocities are those of half a step before: u is `a h / 2` faster, v as much slower.
    ///
    /// * apart, restitution wins over the gap: slowing the approach first would take the speed that is
    ///   to be reversed;
    /// * touching or overlapping, the smaller of the two holds, which asks for the faster separation.
    #[must_use]
    pub fn bias(&self, gap: f64, threshold: f64, h: f64) -> f64 {
        let Self {
            separation,
            velocity,
            gain,
            restitution,
        } = *self;
        if !self.bounces(threshold, h) {
            return gap;
        }
        let speed = 0.5 * gain + velocity;
        let fall = -2.0 * gain * separation / h;
        let squared = restitution * restitution * (speed * speed + fall) - fall;
        let parting = squared.max(0.0).sqrt() + 0.5 * gain;
        if separation > 0.0 {
            -parting
        } else {
            gap.min(-parting)
        }
    }
}

/// Bias of a contact or limit in the position pass `[m]`: its gap, no more than `max_correction`
/// below zero, so that a deep overlap is removed over several steps.
#[must_use]
pub fn position(gap: f64, max_correction: f64) -> f32 {
    gap.max(-max_correction) as f32
}
