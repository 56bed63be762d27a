//! The solver's input: bodies, contacts and joints as plain data, and how they are packed for
//! parallel sweeps.
//!
//! A host engine fills a [`Problem`] with its own bodies and contacts and hands it to a
//! [`Solver`](crate::solver::Solver); nothing here knows of worlds, shapes or scenes. One problem
//! type serves both passes of a step:
//!
//! * the **velocity LCP**: bodies carry velocities `[m/s]`, impulses are in `[N s]`, and a contact's
//!   [`bias`](Contact::bias) is a velocity ([`bias::velocity`]);
//! * the **position LCP** (post-stabilization): bodies carry displacements `[m]`, starting at zero,
//!   multipliers are in `[kg m]`, and `bias` is the separation ([`bias::position`]).
//!
//! Both seek, for every contact `i` with relative velocity `u = J V + b`,
//! `0 <= r_n  _|_  u_n >= 0` and the friction impulse in its cone opposing the slip (or what the other
//! [`FrictionLaw`] says), and for every joint row the impulse within its bounds that [`JointRow`]
//! describes.
//!
//! # Normals
//!
//! A contact's normal points **from body B to body A**, as in Bullet and ODE; in parry, Rapier, Avian, Jolt and Box3D it points from A to
//! B. [`Contact::from_b_to_a`] and [`Contact::from_a_to_b`] take it as the host has it; impulses are then along the
//! normal that the contact got.

pub(crate) mod batches;
pub mod bias;
mod body;
pub(crate) mod clusters;
pub(crate) mod coloring;
mod contact;
pub(crate) mod friction;
pub(crate) mod islands;
mod joint_row;
mod plain;
mod radius;
mod rolling;
pub(crate) mod runs;
mod split_body;
mod surfaces;

pub use body::{Body, Velocity};
pub use contact::Contact;
pub(crate) use friction::FrictionTable;
pub use friction::{FrictionCone, FrictionLaw};
pub use islands::HeldBodies;
pub use joint_row::JointRow;
pub(crate) use plain::all_are_finite;
pub use rolling::RollingFriction;
pub use surfaces::MovingSurfaces;

use crate::error::{Error, Result};
use bias::Scale;
use runs::run_length;

/// Bodies, contacts and joints: one linear complementarity problem, or a step in substeps.
///
/// As one problem ([`Plan::Once`](crate::solver::Plan::Once)) it is complete with bodies, contacts and joint rows: bodies carry the
/// velocities that they would end the step with, contacts their biases. In substeps
/// ([`Plan::Substeps`](crate::solver::Plan::Substeps)) bodies carry their velocities at the start of the step, without its
/// forces; those come with `increments`, biases follow from `gaps`, and there are no joint rows.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// Bodies, shape `[body_count]`.
    pub bodies: Vec<Body>,
    /// Contacts, shape `[contact_count]`. Contacts of one pair of bodies should stand together:
    /// each such run is swept in order by one thread.
    pub contacts: Vec<Contact>,
    /// Rows of joints, shape `[joint_row_count]`. The rows of one pair of bodies should stand
    /// together: each such run is swept in order by one thread.
    pub joint_rows: Vec<JointRow>,
    /// The shape of the set of admissible friction impulses.
    pub friction_cone: FrictionCone,
    /// The law that holds within it.
    pub friction_law: FrictionLaw,
    /// Softness eps of every contact's normal row, at least 0: the relative velocity `u_n` is that of the
    /// bodies, plus the bias, plus `eps W_nn r_n`, with `W_nn` the row's own entry of the Delassus operator.
    ///
    /// A contact that carries `r_n` gives way by a share eps of what `r_n` alone would change its velocity
    /// by. With 0 contacts are rigid. Two softened problems have the same solution whatever sweeps find it;
    /// see [`GapLaw`](crate::solver::substeps::GapLaw) for what it is good for. In substeps the plan's counts, and not this.
    pub contact_softness: f32,
    /// Change of velocity up to which a pair of bodies is left for the rest of a sweep, at least 0 `[m/s]`; with 0 none is. In substeps the
    /// plan's counts, and not this; see [`SubstepPlan::calm_change`](crate::solver::substeps::SubstepPlan::calm_change).
    pub calm_change: f32,
    /// What forces add to each body's velocity over a step in substeps, shape `[body_count]`; else unread.
    pub increments: Vec<Velocity>,
    /// Separation of each contact at the start of a step in substeps `[m]`, shape `[contact_count]`; else unread.
    pub gaps: Vec<f32>,
    /// Newton's coefficient of each contact in substeps, shape `[contact_count]`; empty if nothing bounces.
    pub restitutions: Vec<f32>,
    /// Force along the normal that each contact has carried in the mean over the last moments `[N]`, in substeps; shape
    /// `[contact_count]`, empty if none is known. See [`Carried`](crate::solver::substeps::Carried).
    pub loads: Vec<f32>,
    /// Size of the smaller body that moves at each contact over that of the smallest of all, at least 1, in substeps; shape
    /// `[contact_count]`, empty if all bodies are of one size. See [`GapLaw::for_size`](crate::solver::substeps::GapLaw::for_size).
    pub sizes: Vec<f32>,
    /// Compliance of each contact, at least 0, shape `[contact_count]`; empty if all are as hard as the plan makes them.
    ///
    /// In a problem that is solved once it is the velocity that a unit of normal impulse leaves `[1/kg]`, 0 of a rigid row: the row is as soft as
    /// this over its `W_nn`, whatever [`Self::contact_softness`] says. A spring of `c` m/N at the end of a step h is `c / h^2`, with its
    /// gap over h as bias.
    ///
    /// In substeps it is c itself `[m/N]`: a contact that carries a force f in rest is c f deep, in steps of any length. It is a spring of
    /// stiffness `1 / c` with a damper of `1 / (rho c)`, rho being the [rate](crate::solver::substeps::GapLaw::rate) at which the plan takes penetration back:
    ///
    /// ```text
    /// u_n + rho (g + c f) >= 0,   f = r_n / h_s,
    /// ```
    ///
    /// with no bound on its push. Contacts that the plan makes softer by itself are as it makes them.
    pub compliances: Vec<f32>,
}

/// A [`Problem`] in memory that is somebody else's: what every solver works on.
///
/// Its fields are those of [`Problem`], which says what they mean. Who fills only some of them starts from the default:
///
/// ```
/// # use drystone::problem::{Body, Contact, ProblemRef};
/// # let (bodies, contacts): (Vec<Body>, Vec<Contact>) = (Vec::new(), Vec::new());
/// let problem = ProblemRef { bodies: &bodies, contacts: &contacts, ..ProblemRef::default() };
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ProblemRef<'a> {
    /// See [`Problem::bodies`].
    pub bodies: &'a [Body],
    /// See [`Problem::contacts`].
    pub contacts: &'a [Contact],
    /// See [`Problem::joint_rows`].
    pub joint_rows: &'a [JointRow],
    /// See [`Problem::friction_cone`].
    pub friction_cone: FrictionCone,
    /// See [`Problem::friction_law`].
    pub friction_law: FrictionLaw,
    /// See [`Problem::contact_softness`].
    pub contact_softness: f32,
    /// See [`Problem::calm_change`].
    pub calm_change: f32,
    /// See [`Problem::increments`].
    pub increments: &'a [Velocity],
    /// See [`Problem::gaps`].
    pub gaps: &'a [f32],
    /// See [`Problem::restitutions`].
    pub restitutions: &'a [f32],
    /// See [`Problem::loads`].
    pub loads: &'a [f32],
    /// See [`Problem::sizes`].
    pub sizes: &'a [f32],
    /// See [`Problem::compliances`].
    pub compliances: &'a [f32],
}

/// Owners of a problem: [`Problem`], [`ProblemRef`], or a host's own arrays.
pub trait AsProblem {
    /// The problem, on loan.
    fn as_problem(&self) -> ProblemRef<'_>;
}

impl AsProblem for Problem {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef {
            bodies: &self.bodies,
            contacts: &self.contacts,
            joint_rows: &self.joint_rows,
            friction_cone: self.friction_cone,
            friction_law: self.friction_law,
            contact_softness: self.contact_softness,
            calm_change: self.calm_change,
            increments: &self.increments,
            gaps: &self.gaps,
            restitutions: &self.restitutions,
            loads: &self.loads,
            sizes: &self.sizes,
            compliances: &self.compliances,
        }
    }
}

impl AsProblem for ProblemRef<'_> {
    fn as_problem(&self) -> ProblemRef<'_> {
        *self
    }
}

impl<T: AsProblem> AsProblem for &T {
    fn as_problem(&self) -> ProblemRef<'_> {
        (**self).as_problem()
    }
}

impl Problem {
    /// See [`ProblemRef::is_convex`].
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.as_problem().is_convex()
    }

    /// See [`ProblemRef::validate`].
    ///
    /// # Errors
    /// As there.
    pub fn validate(&self) -> Result<()> {
        self.as_problem().validate()
    }
}

impl ProblemRef<'_> {
    /// Root of a contact's [size](Problem::sizes).
    pub(crate) fn root_size(&self, contact: usize) -> f32 {
        self.sizes.get(contact).map_or(1.0, |size| size.sqrt())
    }

    /// Size and stiffness of a contact as one of its pair of bodies.
    pub(crate) fn scale(&self, contact: usize) -> Scale {
        Scale {
            size: self.sizes.get(contact).copied().unwrap_or(1.0),
            share: Scale::share_of(run_length(self.contacts, contact, |c| [c.body_a, c.body_b])),
        }
    }

    /// True if a contact has a compliance of its own.
    pub(crate) fn is_compliant(&self) -> bool {
        self.compliances.iter().any(|&compliance| compliance > 0.0)
    }

    /// Softness eps of the normal row of a contact that answers a unit impulse by `response`, `W_nn` `[1/kg]`, in a problem that is solved once.
    pub(crate) fn softness_of(&self, contact: usize, response: f64) -> f64 {
        match self.compliances.get(contact) {
            Some(&compliance) if response > 0.0 => f64::from(compliance) / response,
            _ => f64::from(self.contact_softness),
        }
    }

    /// True if contacts that are not as soft as [`Problem::contact_softness`] says may be among these, in a problem that is solved once.
    pub(crate) fn has_own_softness(&self) -> bool {
        self.is_compliant() || (!self.compliances.is_empty() && self.contact_softness > 0.0)
    }

    /// True if it is the minimum of a convex quadratic: by its law, or for want of friction.
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.friction_law == FrictionLaw::Convex || self.contacts.iter().all(|c| c.friction == 0.0)
    }

    /// Checks every number and index.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first body, contact or joint row that is not finite, refers to a
    /// missing body or to one body twice, has a normal that is no unit vector, a negative mass,
    /// friction coefficient or softness, or bounds that exclude each other; and for the convex law with a
    /// friction pyramid.
    pub fn validate(&self) -> Result<()> {
        self.friction_cone.validate()?;
        self.friction_law.validate(self.friction_cone)?;
        self.validate_softness()?;
        self.validate_calm_change()?;
        let count = self.bodies.len();
        plain::validate(self.bodies, count)?;
        plain::validate(self.contacts, count)?;
        plain::validate(self.joint_rows, count)
    }

    pub(crate) fn validate_calm_change(&self) -> Result<()> {
        let calm = self.calm_change;
        if calm >= 0.0 && calm.is_finite() {
            return Ok(());
        }
        Err(Error::invalid(
            "change of a calm pair",
            format!("{calm} is not a finite number of at least 0"),
        ))
    }

    fn validate_softness(&self) -> Result<()> {
        let is_plain = |number: f32| number >= 0.0 && number.is_finite();
        let eps = self.contact_softness;
        if !is_plain(eps) {
            return Err(Error::invalid(
                "softness of contacts",
                format!("{eps} is not a finite number of at least 0"),
            ));
        }
        let (given, contacts) = (self.compliances.len(), self.contacts.len());
        if given != 0 && given != contacts {
            return Err(Error::invalid(
                "compliances",
                format!("{given} given; {contacts} expected"),
            ));
        }
        let wrong = self
            .compliances
            .iter()
            .position(|&number| !is_plain(number));
        wrong.map_or(Ok(()), |at| {
            Err(Error::invalid(
                format!("compliance of contact {at}"),
                format!(
                    "{} is not a finite number of at least 0",
                    self.compliances[at]
                ),
            ))
        })
    }

    /// True if [`Self::validate`] could object to contacts only.
    pub(crate) fn is_plain_but_for_contacts(&self) -> bool {
        let count = self.bodies.len();
        self.friction_cone.validate().is_ok()
            && self.friction_law.validate(self.friction_cone).is_ok()
            && self.validate_softness().is_ok()
            && self.validate_calm_change().is_ok()
            && plain::all_are_plain(self.bodies, count)
            && plain::all_are_plain(self.joint_rows, count)
    }
}
