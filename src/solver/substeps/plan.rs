//! How a step is divided, and how each part is solved.

use crate::constants::{
    CALM_APPROACH, CHECKED_NUMBERS_PER_THREAD, FREE_APPROACH, PACKED_IMPULSES_PER_THREAD,
};
use crate::error::{Error, Result};
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::problem::bias::{Meeting, NormalRow, Scale};
use crate::problem::{AsProblem, ProblemRef, all_are_finite};
use crate::solver::{Method, Options};

/// How a step in substeps is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields))]
pub struct SubstepPlan {
    /// Number of substeps n, at least 1.
    pub substeps: u32,
    /// Length of the whole step h `[s]`, positive.
    pub time_step: f32,
    /// What velocity a contact's gap asks for.
    pub gap_law: GapLaw,
    /// Approach speed below which nothing bounces `[m/s]`.
    pub restitution_threshold: f32,
    /// Change of velocity up to which a pair of bodies is left for the rest of a sweep `[m/s]`; with 0 none is.
    ///
    /// A sweep visits a pair of several soft contacts five times, to find their impulses nearly together. Where two visits change the
    /// velocities of both bodies by less than this, at their centres and as far from them as contacts are, it makes no more of them: the next
    /// sweep goes on from there. Not in a position LCP.
    #[cfg_attr(feature = "scene", serde(default))]
    pub calm_change: f32,
    /// Solver of each substep's velocity LCP. Without a warm start every substep starts from nothing.
    pub velocity: Options,
    /// The position LCP of each substep, if there is one.
    #[cfg_attr(feature = "scene", serde(skip_serializing_if = "Option::is_none"))]
    pub position: Option<PositionPlan>,
}

/// How a substep's position LCP is solved. Its rows are normal rows, as soft as those of the velocity LCP.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields))]
pub struct PositionPlan {
    /// Its solver; the tolerance is in metres.
    pub options: Options,
    /// Most that one substep corrects of a contact's penetration `[m]`; 0 corrects none, but keeps
    /// other corrections from making any.
    pub max_correction: f32,
    /// Most that one substep's correction turns a body `[rad]`; what turns one farther is applied to
    /// it in part.
    pub max_turn: f32,
}

/// What a contact's gap asks for: bias c in `J V+ + c >= 0`.
///
/// Gaps within `slop` of zero are left alone: they may neither close nor are they opened. Without it
/// every contact at rest is now barely open and now barely shut. An open one lets its bodies fall through
/// the whole gap in one substep, and that much feedback makes the slow modes of a solver that is not
/// converged grow: a share of the gap above the share of a mode's error that the sweeps of a substep
/// remove is unstable. Within the slop there is no feedback.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields))]
pub struct GapLaw {
    /// Share of the penetration beyond `slop + spared` that is taken back per second `[1/s]`.
    pub rate: f32,
    /// Share of the velocity before the substep that is taken into the bias while shut.
    pub memory: f32,
    /// Most that is taken back `[m/s]`, beyond what a soft contact gives way by under what it [holds](Carried).
    pub max_push: f32,
    /// Softness eps of contacts, in place of
    /// [`Problem::contact_softness`](crate::problem::Problem::contact_softness).
    pub softness: f32,
    /// Most that a soft contact gives way by under an impulse that it [holds](Carried) whatever it is `[m/s]`, at least 0.
    pub held: f32,
    /// The same of its load `[m/s]`, at least 0.
    pub held_load: f32,
    /// Time over which the impulses of a contact are its load `[s]`, at least 0; see [`Self::renew_loads`].
    pub load_time: f64,
    /// Gap on either side of zero that counts as shut and is left alone `[m]`, at least 0.
    pub slop: f32,
    /// Penetration beyond the slop that is spared the push `[m]`, at least 0: what a position LCP removes
    /// anyway, and without giving it a velocity.
    pub spared: f32,
    /// Overlap beyond twice the slop up to which bodies that may bounce only touch `[m]`, at least 0; see [`SubstepPlan::contact_row`].
    #[cfg_attr(feature = "scene", serde(default))]
    pub touching: f32,
}

impl Default for GapLaw {
    /// What is shut does not close further, and nothing is pushed apart.
    fn default() -> Self {
        Self {
            rate: 0.0,
            memory: 0.0,
            max_push: f32::MAX,
            softness: 0.0,
            held: f32::MAX,
            held_load: f32::MAX,
            load_time: 0.0,
            slop: 0.0,
            spared: 0.0,
            touching: 0.0,
        }
    }
}

/// Normal impulse and load of a soft contact, times its response `W_nn` `[m/s]`.
///
/// A soft row loses a share of its impulse in every sweep, and holds what its bias gives back. It holds its load, and
/// as much of any impulse as its springs do in a shallow overlap. The rest of an impulse, that of an impact, is lost within some
/// substeps: held, it would be thrown back.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Carried {
    /// The impulse that it starts the substep from; without a warm start it holds nothing.
    pub impulse: f64,
    /// Its mean over the last moments.
    pub load: f64,
}

impl GapLaw {
    /// Bias in the velocity LCP of a gap `[m]` whose relative velocity before the substep of length `h_s`
    /// is `velocity`. An open gap may close within the substep, and not more.
    #[must_use]
    pub fn bias(&self, gap: f64, velocity: f64, carried: &Carried, h_s: f64) -> f64 {
        let slop = f64::from(self.slop);
        if gap > slop {
            return (gap - slop) / h_s;
        }
        let rate = f64::from(self.rate);
        let push = rate * (gap + slop + f64::from(self.spared)).min(0.0);
        push.max(-self.most(carried)) + f64::from(self.memory) * velocity
    }

    /// Most that a penetration may take back in the velocity LCP `[m/s]`.
    fn most(&self, carried: &Carried) -> f64 {
        let softness = f64::from(self.softness);
        let load = (softness * carried.load).min(f64::from(self.held_load));
        let held = load.max(f64::from(self.held));
        f64::from(self.max_push) + held.min(softness * carried.impulse)
    }

    /// Penetration that a soft contact takes back by its spring, per speed at which it does `[s]`: beyond it the push no longer grows,
    /// and what is deeper is left to a position LCP. 0 of rigid contacts.
    #[must_use]
    pub fn spring_time(&self) -> f64 {
        if self.softness > 0.0 && self.rate > 0.0 {
            1.0 / f64::from(self.rate)
        } else {
            0.0
        }
    }

    /// Penetration up to which soft contacts are springs whatever they hold `[m]`; 0 of rigid contacts.
    pub(crate) fn reach_of_springs(&self) -> f64 {
        self.spring_time() * (f64::from(self.max_push) + f64::from(self.held))
    }

    /// The law of a contact of some softness: of one that is softer than others by its [compliance](crate::problem::Problem::compliances), which is a spring, all of
    /// the penetration pushes, and its stiffness is its own.
    fn for_softness(&self, softness: f64, share: f32) -> Self {
        if softness > f64::from(self.softness) {
            Self {
                max_push: f32::MAX,
                ..*self
            }
        } else {
            self.for_share(share)
        }
    }

    /// The law of a contact with a [share](Scale::share) in the stiffness of its pair.
    fn for_share(&self, share: f32) -> Self {
        Self {
            rate: self.rate * share,
            ..*self
        }
    }

    /// The law of contacts between bodies `size` times as large as those that the plan is made for, in a world that has both: lengths
    /// grow with the size, speeds and times with its root, as gravity has it.
    #[must_use]
    pub fn for_size(&self, size: f32) -> Self {
        let root = size.sqrt();
        Self {
            max_push: self.max_push * root,
            held: self.held * (root * root),
            touching: self.touching * (root * root),
            load_time: self.load_time * f64::from(root),
            ..*self
        }
    }

    /// Takes the impulses `[N s]` that contacts had over a length of time `h` `[s]` into their loads `[N]`, which are means over
    /// some [`Self::load_time`]; see [`Carried`]. `sizes` are those of [`Problem::sizes`](crate::problem::Problem::sizes).
    pub fn renew_loads(&self, loads: &mut [f32], impulses: &[[f32; 3]], sizes: &[f32], h: f64) {
        let share = |law: &Self| -(-h / law.load_time).exp_m1() as f32;
        let per_second = (1.0 / h) as f32;
        let slices = (SharedSlice::new(loads), impulses);
        for_chunks(
            slices,
            PACKED_IMPULSES_PER_THREAD,
            |first, (loads, impulses)| {
                let mut last = (1.0_f32, share(self));
                for (at, (load, impulse)) in (first..).zip(loads.iter_mut().zip(impulses)) {
                    let size: f32 = sizes.get(at).copied().unwrap_or(1.0);
                    // Most are of the size of the one before.
                    if size.to_bits() != last.0.to_bits() {
                        last = (size, share(&self.for_size(size)));
                    }
                    *load += last.1 * (per_second * impulse[0] - *load);
                }
            },
        );
    }
}

impl PositionPlan {
    /// Bias of a contact in the position LCP: its gap beyond the slop and beyond what its spring pushes back in the velocity LCP, or as
    /// much of it as may be corrected. An open gap may close.
    #[must_use]
    pub fn contact_bias(&self, gap: f64, law: &GapLaw, carried: &Carried, scale: Scale) -> f64 {
        let open = gap + f64::from(law.slop);
        if open > 0.0 {
            return open;
        }
        let law = law.for_size(scale.size).for_share(scale.share);
        let sprung = law.spring_time() * law.most(carried);
        (open + sprung)
            .min(0.0)
            .max(-f64::from(self.max_correction))
    }
}

impl SubstepPlan {
    /// Length of a substep h_s `[s]`.
    #[must_use]
    pub fn substep_length(&self) -> f64 {
        f64::from(self.time_step) / f64::from(self.substeps)
    }

    /// Part of the step that is past after so many substeps.
    #[must_use]
    pub fn part(&self, substeps: u32) -> f64 {
        f64::from(substeps) / f64::from(self.substeps)
    }

    /// Row of a contact of some softness in the velocity LCP, as it is before the substep.
    ///
    /// Where something bounces within the substep, restitution wins over an open gap, and over the
    /// push of a shut one if it asks for more; see [`Meeting::row`]. What is apart, or touches and does not approach, presses on
    /// nothing and may bounce is left to itself where it does not: an impact somewhere else may bring it together within the
    /// substep, and a gap that only closes would take the speed with which it is to bounce in the next one.
    ///
    /// What still overlaps after a bounce and parts with speed v may approach with e v within the substep. That is Moreau's law (1988), `v+ + e v >= 0` for all
    /// contacts at once, which gains no energy where impacts come together. Held apart as others are, it would be pressed by an impact on one of its bodies, and do work on both:
    /// `(v + v+) / 2` times the impulse. Nor does it give way, which would take work from them.
    #[must_use]
    pub fn contact_row(
        &self,
        meeting: &Meeting,
        softness: f64,
        carried: &Carried,
        scale: Scale,
    ) -> NormalRow {
        let (gap, slop) = (meeting.separation, f64::from(self.gap_law.slop));
        let presses = carried.impulse > 0.0 && !self.starts_cold(meeting, softness, carried, scale);
        let mut row = (self.asked(meeting, softness, carried, scale), softness);
        if self.parts_overlapping(meeting, softness, carried, scale) {
            row = (row.0.max(meeting.restitution * meeting.velocity), 0.0);
        } else if meeting.restitution > 0.0 && self.waits(meeting, scale) && !presses {
            row.0 = f64::from(FREE_APPROACH);
        }
        let meeting = Meeting {
            separation: gap - slop,
            ..*meeting
        };
        let h_s = self.substep_length();
        meeting.row(row, self.least_approach(carried), h_s)
    }

    /// True if what may bounce and presses on nothing is left to itself: it is apart, or touches and does not approach.
    fn waits(&self, meeting: &Meeting, scale: Scale) -> bool {
        let (gap, slop) = (meeting.separation, f64::from(self.gap_law.slop));
        // Not at the slop, to which gaps are corrected: a rounding there would be another answer.
        let touching = f64::from(self.gap_law.for_size(scale.size).touching);
        let touches = gap + (2.0 * slop + touching) >= 0.0;
        let calm = meeting.velocity + meeting.gain >= -f64::from(self.calm_approach());
        gap - slop > 0.0 || (touches && calm)
    }

    /// True if a contact of some softness overlaps and parts after a bounce: an impulse on it in the substep is that of an impact, which comes from elsewhere and presses it
    /// back. After the substep as much of it is left as the contact's load explains, and nothing of friction: held against the next approach as what presses is, it would take that
    /// one's speed.
    #[must_use]
    pub fn parts_overlapping(
        &self,
        meeting: &Meeting,
        softness: f64,
        carried: &Carried,
        scale: Scale,
    ) -> bool {
        let asked = || self.asked(meeting, softness, carried, scale);
        meeting.restitution > 0.0 && !self.waits(meeting, scale) && self.parts(meeting, asked())
    }

    /// What the gap of a contact asks for, whether it bounces or not `[m/s]`.
    fn asked(&self, meeting: &Meeting, softness: f64, carried: &Carried, scale: Scale) -> f64 {
        let law = self.gap_law.for_size(scale.size);
        let law = law.for_softness(softness, scale.share);
        let (gap, velocity) = (meeting.separation, meeting.velocity);
        law.bias(gap, velocity, carried, self.substep_length())
    }

    /// Approach after the forces of a substep up to which what touches and may bounce is left alone while it presses on nothing `[m/s]`; none where nothing says
    /// what presses, without a warm start.
    pub(crate) fn calm_approach(&self) -> f32 {
        if self.velocity.warm_start {
            CALM_APPROACH * self.restitution_threshold
        } else {
            -f32::MAX
        }
    }

    /// True if a contact of some softness starts the substep without an impulse: what bounces, or has bounced, does not press. It has if it parts faster than
    /// springs push it apart.
    #[must_use]
    pub fn starts_cold(
        &self,
        meeting: &Meeting,
        softness: f64,
        carried: &Carried,
        scale: Scale,
    ) -> bool {
        let approaches = -meeting.velocity > self.least_approach(carried);
        let parts = || self.parts(meeting, self.asked(meeting, softness, carried, scale));
        meeting.restitution > 0.0 && (approaches || parts())
    }

    /// True if the bodies of a contact leave each other faster than springs push them, and by more than the speed below which nothing bounces.
    fn parts(&self, meeting: &Meeting, asked: f64) -> bool {
        meeting.velocity > f64::from(self.restitution_threshold) + (-asked).max(0.0)
    }

    /// Approach below which a contact does not bounce `[m/s]`.
    ///
    /// Where something heavy meets a light body that lies on something else, an impulse as large as that of a bounce takes next to nothing off its speed. Such an approach, which is
    /// slower than what the contact's last impulse took back, is no impact of its own: the contact presses on until the heavy body stands. Were it to bounce anew in each
    /// substep, starting without an impulse, it would hold no more than a few times the light body's weight, and the heavy one would sink through it.
    fn least_approach(&self, carried: &Carried) -> f64 {
        f64::from(self.restitution_threshold).max(carried.impulse)
    }

    /// What a body's velocity at the start of the step, and the increment of the whole step, are
    /// multiplied with `[s]` to give how far they have moved it after k substeps: `k h_s` and
    /// `k (k + 1) / (2 n) h_s`.
    #[must_use]
    pub fn free_displacement(&self, substeps: u32) -> [f64; 2] {
        let (count, h_s) = (f64::from(substeps), self.substep_length());
        let [start, increment] = [
            count,
            count * (count + 1.0) / (2.0 * f64::from(self.substeps)),
        ];
        [start * h_s, increment * h_s]
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first number without meaning.
    pub fn validate(&self) -> Result<()> {
        if self.substeps == 0 {
            return Err(Error::invalid(
                "substeps",
                "0 given; at least 1 is expected",
            ));
        }
        if !(self.time_step > 0.0 && self.time_step.is_finite()) {
            return Err(Error::invalid(
                "time step",
                format!("{} is not positive and finite", self.time_step),
            ));
        }
        let law = &self.gap_law;
        if !(law.rate.is_finite() && law.memory.is_finite()) {
            return Err(Error::invalid(
                "law of gaps",
                "rate and memory must be finite",
            ));
        }
        let position = self.position.as_ref();
        let most = position.map_or([0.0; 2], |p| [p.max_correction, p.max_turn]);
        for (what, number) in [
            ("largest push", law.max_push),
            ("softness", law.softness),
            ("time of a load", law.load_time as f32),
            ("held impulse", law.held),
            ("held load", law.held_load),
            ("slop", law.slop),
            ("spared penetration", law.spared),
            ("overlap of what touches", law.touching),
            ("restitution threshold", self.restitution_threshold),
            ("largest correction", most[0]),
            ("largest turn", most[1]),
        ] {
            if number.is_nan() || number < 0.0 {
                return Err(Error::invalid(
                    what,
                    format!("{number} is not a number of at least 0"),
                ));
            }
        }
        let calm = ProblemRef {
            calm_change: self.calm_change,
            ..ProblemRef::default()
        };
        calm.validate_calm_change()?;
        self.velocity.validate()?;
        position.map_or(Ok(()), |position| position.options.validate())
    }

    /// Checks what a step in substeps needs beside bodies and contacts.
    ///
    /// # Errors
    /// [`Error::Invalid`] for joint rows, and that names the first array of a wrong length or with a number that is not
    /// finite.
    pub fn validate_problem(&self, problem: &dyn AsProblem) -> Result<()> {
        let problem = &problem.as_problem();
        if !problem.joint_rows.is_empty() {
            return Err(Error::invalid(
                "a problem in substeps",
                format!(
                    "{} joint rows; they turn with their bodies and need a problem of their own in each substep",
                    problem.joint_rows.len()
                ),
            ));
        }
        let (bodies, contacts) = (problem.bodies.len(), problem.contacts.len());
        let if_any = |given: usize| if given == 0 { 0 } else { contacts };
        let (restitutions, loads) = (problem.restitutions.len(), problem.loads.len());
        let sizes = problem.sizes.len();
        for (what, count, needed) in [
            ("velocity increments", problem.increments.len(), bodies),
            ("gaps", problem.gaps.len(), contacts),
            ("restitutions", restitutions, if_any(restitutions)),
            ("loads", loads, if_any(loads)),
            ("sizes", sizes, if_any(sizes)),
        ] {
            if count != needed {
                return Err(Error::invalid(
                    what,
                    format!("{count} given; {needed} expected"),
                ));
            }
        }
        if problem.is_compliant() {
            let rate = self.gap_law.rate;
            if rate <= 0.0 {
                return Err(Error::invalid(
                    "compliances",
                    format!(
                        "the plan takes no penetration back, its rate is {rate}; a spring needs one"
                    ),
                ));
            }
            if self.position.is_some() {
                return Err(Error::invalid(
                    "compliances",
                    "the plan's position problems would take back what springs give way by; they must not be there",
                ));
            }
        }
        let numbers = [
            bytemuck::cast_slice(problem.increments),
            problem.gaps,
            problem.restitutions,
            problem.loads,
        ];
        if !numbers.into_iter().all(all_are_finite) {
            return Err(Error::invalid(
                "velocity increments, gaps, restitutions and loads",
                "every number must be finite",
            ));
        }
        let are_sizes =
            |_, sizes: &[f32]| sizes.iter().all(|&size| size >= 1.0 && size.is_finite());
        let (sizes, least) = (problem.sizes, CHECKED_NUMBERS_PER_THREAD);
        if !parallel::fold(sizes, least, true, are_sizes, |p, q| p & q) {
            return Err(Error::invalid(
                "sizes",
                "every number must be finite and at least 1",
            ));
        }
        Ok(())
    }

    /// A problem as a step in substeps has it: with the plan's softness of contacts, and without compliances that are all zero.
    pub(crate) fn applied_to<'a>(&self, problem: &ProblemRef<'a>) -> ProblemRef<'a> {
        ProblemRef {
            contact_softness: self.gap_law.softness,
            calm_change: self.calm_change,
            compliances: if problem.compliances.iter().all(|&c| c == 0.0) {
                &[]
            } else {
                problem.compliances
            },
            ..*problem
        }
    }

    /// The plan with that of its position LCPs, if it has any.
    pub(crate) fn with_position(&self) -> Option<(&Self, &PositionPlan)> {
        self.position.as_ref().map(|position| (self, position))
    }

    /// True if velocity and position LCPs are swept over the same colours, so that one packing serves a whole step. Clusters
    /// are cut and packed for each LCP.
    pub(crate) fn has_one_packing(&self) -> bool {
        let position = self.position.as_ref();
        let methods = [
            self.velocity.method,
            position.map_or(self.velocity.method, |position| position.options.method),
        ];
        !methods.contains(&Method::Cluster) && methods[0].max_colors() == methods[1].max_colors()
    }
}
