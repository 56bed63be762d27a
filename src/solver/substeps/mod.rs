//! One step in several substeps through frozen geometry.
//!
//! Contacts are found once a step; their normals and arms, and the bodies' inertias, stay those of its start.
//! What changes from substep to substep is how large each gap is: it follows, to first order, the bodies'
//! displacement d since the start of the step, `gap = gap_0 + J d`. A step of length h in n substeps of `h_s = h / n` goes like this, for
//! `k = 1 .. n`:
//!
//! 1. free velocities: `v_0 + (k / n) increment`, and all that impulses have added since the start,
//! 2. gaps where the bodies are now, and the biases that follow from them,
//! 3. the **velocity LCP**, started from the impulses of the substep before,
//! 4. `d += h_s v`,
//! 5. if asked for, the **position LCP** on the same contacts at their new gaps, or on what of them lies beyond the springs of soft
//!    contacts, without friction, from nothing: `d += correction`, velocities staying as they are.
//!
//! Many short steps with few sweeps each beat few long ones with many sweeps, the cost being the same
//! (Macklin et al. 2019, *Small steps in physics simulation*): every substep begins with an answer that
//! is nearly right, and what it leaves over is h_s wide and not h.
//!
//! What stays frozen is the direction of every force. Crowds that rest on each other do not mind, but a pendulum
//! whose lever is that of the step's start gains energy at the rate `omega^2 h / 2`. So a problem with joint rows
//! is refused: a [`Simulation`](crate::step::Simulation) gives each substep of a world with joints a problem of
//! its own.
//!
//! [`reference::in_substeps`](super::reference::in_substeps) is the meaning: any [`Solver`](super::Solver), called again and
//! again. A backend that packs once and keeps everything where it is must agree with it.

mod plan;
pub(crate) mod records;
pub(crate) mod soft;

pub use super::Displacement;
pub use plan::{Carried, GapLaw, PositionPlan, SubstepPlan};

use super::{Report, Status};

/// The numerical outcome of a step in substeps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SubstepReport {
    /// Of the velocity LCPs: status and residuals of the last substep, iterations, barriers and times of
    /// all.
    pub velocity: Report,
    /// Of the position LCPs, likewise, in metres; `None` if the plan has none.
    pub position: Option<Report>,
    /// Largest root mean square of a velocity LCP's residual in any substep `[m/s]`. Without a tolerance
    /// nothing depends on it before the last substep, and a backend may look at that one's only.
    pub worst_residual_rms: f32,
    /// Largest residual of a velocity LCP in any of the same substeps `[m/s]`.
    pub worst_residual_max: f32,
}

/// From the impulses of one length of time to those of another, which solves start from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rescaling {
    /// The new length over the last one.
    ratio: f32,
    /// The last length `[s]`.
    last: f32,
}

impl Rescaling {
    /// From one length `[s]` to another; 0 is one that nobody knows.
    pub(crate) fn new(last: f64, length: f64) -> Self {
        let is_known = last > 0.0 && length > 0.0;
        Self {
            ratio: if is_known {
                (length / last) as f32
            } else {
                1.0
            },
            last: last as f32,
        }
    }

    /// By what an impulse is multiplied that a lasting force makes.
    pub(crate) fn of_force(self) -> f32 {
        self.ratio
    }

    /// By what the impulse of a contact with this load `[N]` is multiplied, `normal` being its normal part `[N s]`: an impact has left in it what
    /// exceeds the load, and does not go on for longer because substeps do.
    pub(crate) fn of_contact(self, normal: f32, load: f32) -> f32 {
        let lasting = load * self.last;
        if self.ratio > 1.0 && normal > lasting {
            (self.ratio * lasting + (normal - lasting)) / normal
        } else {
            self.ratio
        }
    }
}

impl From<Report> for SubstepReport {
    /// Of a problem that was solved once.
    fn from(solved: Report) -> Self {
        let mut report = Self::default();
        report.add_velocity(&solved);
        report
    }
}

impl SubstepReport {
    /// Takes the outcome of one velocity LCP into account.
    pub fn add_velocity(&mut self, solved: &Report) {
        self.worst_residual_rms = self.worst_residual_rms.max(solved.residual_rms);
        self.worst_residual_max = self.worst_residual_max.max(solved.residual_max);
        self.velocity = self.velocity.followed_by(solved);
    }

    /// The outcome of the velocity LCPs with the largest residuals of any substep.
    #[must_use]
    pub fn worst_velocity(&self) -> Report {
        Report {
            residual_rms: self.worst_residual_rms,
            residual_max: self.worst_residual_max,
            ..self.velocity
        }
    }

    /// Takes the outcome of one position LCP into account.
    pub fn add_position(&mut self, solved: &Report) {
        self.position = Some(self.position.unwrap_or_default().followed_by(solved));
        if solved.status == Status::NonFinite {
            self.velocity.status = Status::NonFinite;
        }
    }
}

impl Report {
    /// The report of a later solve, with the iterations, barriers and times of both.
    pub(crate) fn followed_by(&self, later: &Self) -> Self {
        Self {
            iterations: self.iterations + later.iterations,
            barriers: self.barriers + later.barriers,
            pack_time: self.pack_time + later.pack_time,
            solve_time: self.solve_time + later.solve_time,
            ..*later
        }
    }
}
