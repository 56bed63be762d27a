//! The recipe of the default step: contacts as damped springs, swept once in each of many substeps.
//!
//! The head of [`step`](crate::step) says why it is stable whatever the sweeps leave unsolved, that of `stabilize/soft.rs` what
//! becomes of the bound on split bodies.

use super::{GapLaw, PositionPlan, SubstepPlan};
use crate::constants::{
    CALM_CHANGE_GH, CONTACT_SOFTNESS, CONTACT_SWEEPS, CORRECTION_SPEED, DRIVE_PER_GRAVITY,
    HELD_LOAD_PER_SIZE, HELD_PER_SIZE, HELD_WEIGHTS, HOST_SUBSTEPS, LOAD_TIME,
    MAX_CORRECTION_ANGLE, MAX_SOFT_GAMMA, OVERLAP_OF_TOUCHING, RECOVERY_SPEED,
    RESTITUTION_THRESHOLD_GH, SOFT_SHARE, SPRING_SPEED,
};
use crate::problem::AsProblem;
use crate::solver::Options;

/// Sweeps, as far as they bound the share of a gap that a soft row may correct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweeps {
    /// Sweeps of one problem.
    pub count: u32,
    /// Largest ratio of the diagonal that a sweep divides by to that of the problem, at least 1: more where bodies
    /// are split into copies, each with a share of the mass.
    pub split: f64,
}

impl Sweeps {
    /// Of whole bodies.
    #[must_use]
    pub fn of_whole_bodies(count: u32) -> Self {
        Self { count, split: 1.0 }
    }
}

/// Share of a gap that these sweeps correct: below the bound of stability `(1 + eps / s)^m - 1`, which holds for
/// every mode.
#[must_use]
pub(crate) fn gamma(softness: f64, sweeps: Sweeps) -> f64 {
    let leak = softness / sweeps.split;
    let bound = (1.0 + leak).powi(sweeps.count.min(1 << 20) as i32) - 1.0;
    (SOFT_SHARE * bound).min(MAX_SOFT_GAMMA)
}

/// Inputs of the recipe of soft contacts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SoftStep {
    /// Length of the step h `[s]`.
    pub(crate) h: f64,
    /// Parts of it.
    pub(crate) substeps: u32,
    /// Softness eps of contacts.
    pub(crate) softness: f64,
    /// Sweeps of each substep.
    pub(crate) sweeps: Sweeps,
    /// Bounding radius of the smallest body that moves `[m]`.
    pub(crate) radius: f64,
    /// Magnitude of gravity `[m/s^2]`.
    pub(crate) gravity: f64,
    /// Acceleration of two bodies by the load of their contact that is known to last, the most of all `[m/s^2]`; at least 0.
    pub(crate) held: f64,
    /// Acceleration by what drives bodies beside gravity, the most of all `[m/s^2]`; at least 0.
    pub(crate) driven: f64,
    /// True if position LCPs take back what is deeper than springs reach: then it gets no velocity.
    pub(crate) recovers_by_position: bool,
}

/// Sweeps of a substep in the step of a host.
fn of_host() -> Options {
    Options {
        iterations: CONTACT_SWEEPS,
        ..Options::default()
    }
}

/// Speed that a body of some size gains while it falls by half of that; without gravity, its size in a second `[m/s]`.
fn speed(gravity: f64, size: f64) -> f64 {
    (gravity * size).sqrt().max(size)
}

/// How fast position LCPs move bodies out of each other at most, under this gravity, the smallest that moves of this radius `[m/s]`.
pub(crate) fn correction_speed(gravity: f64, radius: f64) -> f64 {
    CORRECTION_SPEED * speed(gravity, 2.0 * radius)
}

impl SoftStep {
    /// The step of a host.
    fn of_host(substeps: u32, h: f64, radius: f64, gravity: f64) -> Self {
        Self {
            h,
            substeps: substeps.max(1),
            softness: CONTACT_SOFTNESS,
            sweeps: Sweeps::of_whole_bodies(CONTACT_SWEEPS),
            radius,
            gravity,
            held: 0.0,
            driven: 0.0,
            recovers_by_position: false,
        }
    }

    /// Length of a substep `[s]`.
    fn part(&self) -> f64 {
        self.h / f64::from(self.substeps)
    }

    /// Approach speed below which nothing bounces `[m/s]`.
    pub(crate) fn restitution_threshold(&self) -> f64 {
        RESTITUTION_THRESHOLD_GH * self.gravity * self.part()
    }

    /// See [`SubstepPlan::calm_change`] `[m/s]`.
    pub(crate) fn calm_change(&self) -> f64 {
        CALM_CHANGE_GH * self.gravity * self.part()
    }

    /// Diameter of the smallest body that moves `[m]`.
    fn size(&self) -> f64 {
        2.0 * self.radius
    }

    /// See [`speed`] `[m/s]`.
    fn speed(&self) -> f64 {
        speed(self.gravity, self.size())
    }

    /// How the position LCPs of its substeps are solved.
    pub(crate) fn position(&self, velocity: Options) -> PositionPlan {
        PositionPlan {
            options: Options {
                iterations: CONTACT_SWEEPS,
                tolerance: 0.0,
                warm_start: false,
                ..velocity
            },
            max_correction: (correction_speed(self.gravity, self.radius) * self.part()) as f32,
            max_turn: MAX_CORRECTION_ANGLE as f32,
        }
    }

    /// Speed that a contact's gap asks for.
    pub(crate) fn gap_law(&self) -> GapLaw {
        let h_s = self.part();
        let rate = gamma(self.softness, self.sweeps) / h_s;
        let softness = self.softness as f32;
        let size = self.size();
        let recovery = if self.recovers_by_position {
            SPRING_SPEED
        } else {
            RECOVERY_SPEED
        };
        // Contacts hold what weighs heavily or is pressed on them as far as their springs carry it in a shallow overlap; any more is wedged in.
        let per_acceleration = f64::from(softness) * h_s;
        let known = (per_acceleration * self.held).min(rate * HELD_LOAD_PER_SIZE * size);
        let held_load = known.max(per_acceleration * HELD_WEIGHTS * self.gravity);
        // Where nothing presses, nothing rests, and no load is lasting. What presses as some 10 weights do is held at once, by springs.
        let acceleration = self.gravity.max(self.driven / DRIVE_PER_GRAVITY);
        GapLaw {
            rate: rate as f32,
            max_push: (recovery * self.speed()) as f32,
            softness,
            held: (rate * HELD_PER_SIZE * size) as f32,
            held_load: held_load as f32,
            load_time: LOAD_TIME * (size / acceleration).sqrt(),
            touching: (OVERLAP_OF_TOUCHING * size) as f32,
            ..GapLaw::default()
        }
    }
}

impl SubstepPlan {
    /// The default step's plan, for a host: [soft contacts](GapLaw::softness), one sweep in each of 16 substeps.
    ///
    /// `h` is the length of the step `[s]`, `radius` the bounding radius of the smallest body that moves `[m]`, `gravity` the
    /// magnitude of gravity `[m/s^2]`. Piles and stacks of some 30 bodies rest; what is higher, or has heavy bodies on light ones,
    /// takes more substeps: see [`Self::recommended_in`].
    #[must_use]
    pub fn recommended(h: f64, radius: f64, gravity: f64) -> Self {
        Self::recommended_in(HOST_SUBSTEPS, h, radius, gravity)
    }

    /// The same in so many substeps, at least 1: contacts are stiffer by the square of their number.
    ///
    /// A tower of H cubes of side L stands if the substeps are shorter than `0.9 sqrt(L / (g H^3))`.
    #[must_use]
    pub fn recommended_in(substeps: u32, h: f64, radius: f64, gravity: f64) -> Self {
        Self::soft(&SoftStep::of_host(substeps, h, radius, gravity), of_host())
    }

    /// [`Self::recommended`] with [`ProblemRef::smallest_radius`](crate::problem::ProblemRef::smallest_radius), and as [`Self::recommended_for_in`] has it.
    #[must_use]
    pub fn recommended_for(problem: &dyn AsProblem, h: f64, gravity: f64) -> Self {
        Self::recommended_for_in(HOST_SUBSTEPS, problem, h, gravity)
    }

    /// The same in so many substeps. Where a gap of the problem is deeper than the springs of contacts reach, a position LCP follows each of them and takes that
    /// back, which gives nothing a velocity: bodies are to be moved by their [displacements](super::super::Motion::displacement).
    #[must_use]
    pub fn recommended_for_in(
        substeps: u32,
        problem: &dyn AsProblem,
        h: f64,
        gravity: f64,
    ) -> Self {
        let problem = problem.as_problem();
        let mut step = SoftStep::of_host(substeps, h, problem.smallest_radius(), gravity);
        let deepest = problem
            .gaps
            .iter()
            .fold(0.0_f32, |least, &gap| gap.min(least));
        step.recovers_by_position = true;
        // Springs of their own have nothing taken back.
        let is_deep = -f64::from(deepest) > step.gap_law().reach_of_springs();
        step.recovers_by_position = is_deep && !problem.is_compliant();
        let mut plan = Self::soft(&step, of_host());
        if step.recovers_by_position {
            plan.position = Some(step.position(of_host()));
        }
        plan
    }

    /// A step of soft contacts, its problems solved as given.
    pub(crate) fn soft(step: &SoftStep, velocity: Options) -> Self {
        Self {
            substeps: step.substeps,
            time_step: step.h as f32,
            gap_law: step.gap_law(),
            restitution_threshold: step.restitution_threshold() as f32,
            calm_change: step.calm_change() as f32,
            velocity,
            position: None,
        }
    }
}
