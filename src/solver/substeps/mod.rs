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
//! 5. if asked for, the **position LCP** on the same contacts at their new gaps, without friction, from
//!    nothing: `d += correction`, velocities staying as they are.
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
//! [`by_solving`] is the meaning: any [`Solver`](super::Solver), called again and again. A backend that
//! packs once and keeps everything where it is must agree with it.

mod by_solving;
mod plan;
pub(crate) mod records;

pub use by_solving::by_solving;
pub use plan::{Carried, GapLaw, PositionPlan, SubstepPlan};

use super::{Report, Status, Velocity};
use crate::error::{Error, Result};
use crate::problem::Problem;
use by_solving::Scratch;

/// A step through frozen geometry, as plain data; keeps its memory from step to step.
#[derive(Debug, Clone, Default)]
pub struct SubstepProblem {
    /// Geometry, masses and friction.
    ///
    /// Bodies carry their velocities at the start of the step, without its forces. Contacts carry the
    /// impulse of one substep to start from, and a bias that nobody reads. There are no joint rows.
    pub problem: Problem,
    /// What forces add to each body's velocity over the whole step; shape `[body_count]`.
    pub increments: Vec<Velocity>,
    /// Separation of each contact at the start `[m]`; shape `[contact_count]`.
    pub gaps: Vec<f32>,
    /// Newton's coefficient of each contact, shape `[contact_count]`; empty if nothing bounces.
    pub restitutions: Vec<f32>,
    /// Force along the normal that each contact has carried in the mean over the last moments `[N]`, shape
    /// `[contact_count]`; empty if none is known. See [`Carried`].
    pub loads: Vec<f32>,
}

impl SubstepProblem {
    /// Checks shapes and numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first array of a wrong length or with a number that is not
    /// finite, and what [`Problem::validate`] says.
    pub fn validate(&self) -> Result<()> {
        self.problem.validate()?;
        self.validate_others()
    }

    /// True if [`Self::validate`] could object to contacts only.
    pub(crate) fn is_plain_but_for_contacts(&self) -> bool {
        self.problem.is_plain_but_for_contacts() && self.validate_others().is_ok()
    }

    /// Checks what is beside the problem.
    fn validate_others(&self) -> Result<()> {
        if !self.problem.joint_rows.is_empty() {
            return Err(Error::invalid(
                "a problem in substeps",
                format!(
                    "{} joint rows; they turn with their bodies and need a problem of their own in each substep",
                    self.problem.joint_rows.len()
                ),
            ));
        }
        let (bodies, contacts) = (self.problem.bodies.len(), self.problem.contacts.len());
        let if_any = |given: usize| if given == 0 { 0 } else { contacts };
        let (restitutions, loads) = (self.restitutions.len(), self.loads.len());
        for (what, count, needed) in [
            ("velocity increments", self.increments.len(), bodies),
            ("gaps", self.gaps.len(), contacts),
            ("restitutions", restitutions, if_any(restitutions)),
            ("loads", loads, if_any(loads)),
        ] {
            if count != needed {
                return Err(Error::invalid(
                    what,
                    format!("{count} given; {needed} expected"),
                ));
            }
        }
        // Without a way out at the first that is not, so that a compiler can look at several at once.
        let wrong = |some: u32, x: &f32| some | u32::from(!x.is_finite());
        let increments = self.increments.iter().fold(0, |some, v| {
            let linear = v.linear.iter().fold(some, wrong);
            v.angular.iter().fold(linear, wrong)
        });
        let gaps = self.gaps.iter().fold(increments, wrong);
        let restitutions = self.restitutions.iter().fold(gaps, wrong);
        if self.loads.iter().fold(restitutions, wrong) != 0 {
            return Err(Error::invalid(
                "velocity increments, gaps, restitutions and loads",
                "every number must be finite",
            ));
        }
        Ok(())
    }
}

/// How far a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Displacement {
    /// Of the centre of mass `[m]`.
    pub linear: [f32; 3],
    /// Rotation vector in world axes `[rad]`.
    pub angular: [f32; 3],
}

/// What a step in substeps computes. The vectors are reused from step to step.
#[derive(Debug, Clone, Default)]
pub struct SubstepSolution {
    /// What impulses add to each body's velocity over the step; shape `[body_count]`.
    pub changes: Vec<Velocity>,
    /// How far impulses and corrections move each body over the step; shape `[body_count]`. What the
    /// velocity at the start and the increment do is not in it: that is `h v_0 + (n + 1) / (2 n) h
    /// increment`, which the caller adds with all the digits that it has.
    pub displacements: Vec<Displacement>,
    /// Impulse of each contact in the last substep `[N s]`, to start the next step from; shape
    /// `[contact_count]`.
    pub impulses: Vec<[f32; 3]>,
    /// Impulse of each contact over the whole step `[N s]`; shape `[contact_count]`.
    pub total_impulses: Vec<[f32; 3]>,
    scratch: Scratch,
}

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
