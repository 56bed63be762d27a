//! What happens to the constraint error that velocity-level stepping leaves behind.
//!
//! | scheme | what a row's velocity makes of its error g | file |
//! |---|---|---|
//! | [`Scheme::None`] | nothing: `J V+ = 0` | `none.rs` |
//! | [`Scheme::Baumgarte`] | `J V+ = -kappa g`, or the acceleration form | `baumgarte.rs` |
//! | [`Scheme::Implicit`] | `J V+ = -g / h` | `implicit.rs` |
//! | [`Scheme::Gamma`] | `J V+ = -gamma g / h` | `gamma.rs` |
//! | [`Scheme::Post`] | nothing; a second LCP on positions follows | `post.rs` |
//!
//! Contacts and joints each have a scheme. A scheme turns what a row asks for into its bias c in
//! `J V+ + c = 0` (equalities and prescribed velocities) or `J V+ + c >= 0` (gaps): see
//! [`Scheme::equality`], [`Scheme::gap`] and [`Scheme::velocity`]. A gap that is open may close within
//! the step under every scheme, and not more: `c = gap / h`.

mod baumgarte;
mod gamma;
mod implicit;
pub(crate) mod joint_rows;
mod none;
mod post;

pub use baumgarte::Baumgarte;
pub use joint_rows::JointRows;
pub use post::{PositionPass, Post};

use crate::error::{Error, Result};

/// How a row moves before a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowState {
    /// `J V`, V being the velocity before the step, without the step's forces `[m/s]` or `[rad/s]`.
    pub velocity: f64,
    /// `(dJ/dt) V`, the part of the second derivative that no acceleration causes `[m/s^2]` or
    /// `[rad/s^2]`. Contacts leave it out (zero): their points change from step to step.
    pub drift: f64,
    /// Length of the step `[s]`.
    pub h: f64,
}

/// What a bias takes of the state of its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feedback {
    /// Of the error `[1/s]`.
    pub error: f64,
    /// Of the velocity before the step.
    pub velocity: f64,
    /// Of the drift `[s]`.
    pub drift: f64,
}

/// The velocity `v0(t)` that a row is to have `[m/s]` or `[rad/s]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prescribed {
    /// Before the step.
    pub now: f64,
    /// Its time derivative before the step, per second.
    pub derivative: f64,
    /// At the end of the step.
    pub next: f64,
}

/// How one sort of constraint is stabilized.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Scheme {
    /// Not at all: the error drifts. The measure of what the others gain.
    None,
    /// By a velocity against the error (Baumgarte 1972).
    Baumgarte(Baumgarte),
    /// By asking that the error vanish at the end of the step (Hong et al. 2006, eqs 6–11).
    Implicit,
    /// By asking that a share of the error vanish (Anitescu–Hart; Hart, eq. 13).
    Gamma {
        /// Share of the error that one step removes, above 0 and at most 1.
        gamma: f64,
    },
    /// By a second LCP on positions after integration (Cline–Pai 2003, eq. 15).
    #[default]
    Post,
}

impl Scheme {
    /// Bias of an equality with an error `[m]` or `[rad]`.
    #[must_use]
    pub fn equality(&self, error: f64, row: &RowState) -> f64 {
        match self {
            Self::None | Self::Post => none::equality(),
            Self::Baumgarte(form) => form.equality(error, row),
            Self::Implicit => implicit::equality(error, row.h),
            Self::Gamma { gamma } => gamma::equality(*gamma, error, row.h),
        }
    }

    /// Bias of a gap `[m]` or `[rad]`, negative when violated: of a contact or a joint's limit.
    #[must_use]
    pub fn gap(&self, gap: f64, row: &RowState) -> f64 {
        match self {
            Self::None | Self::Post => none::gap(gap, row.h),
            Self::Baumgarte(form) => form.gap(gap, row),
            Self::Implicit => implicit::gap(gap, row.h),
            Self::Gamma { gamma } => gamma::gap(*gamma, gap, row.h),
        }
    }

    /// The share of the error, of the velocity before the step and of the drift in the bias of an
    /// equality, or of a gap that is shut: the coefficients of [`Self::equality`], which is linear.
    #[must_use]
    pub fn feedback(&self, h: f64) -> Feedback {
        let [error, velocity, drift] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
            .map(|(error, velocity, drift)| self.equality(error, &RowState { velocity, drift, h }));
        Feedback {
            error,
            velocity,
            drift,
        }
    }

    /// Bias of a prescribed velocity, a non-holonomic constraint.
    #[must_use]
    pub fn velocity(&self, prescribed: &Prescribed, row: &RowState) -> f64 {
        match self {
            Self::None | Self::Post | Self::Gamma { .. } => none::velocity(prescribed),
            Self::Baumgarte(form) => form.velocity(prescribed, row),
            Self::Implicit => implicit::velocity(prescribed, row),
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first number without meaning.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Baumgarte(form) => form.validate(),
            Self::Gamma { gamma } if !(*gamma > 0.0 && *gamma <= 1.0) => Err(Error::invalid(
                "gamma of the stabilization",
                format!("{gamma} is not above 0 and at most 1"),
            )),
            Self::None | Self::Implicit | Self::Gamma { .. } | Self::Post => Ok(()),
        }
    }
}

/// How a world's constraints are stabilized.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stabilization {
    /// Contacts.
    pub contacts: Scheme,
    /// Joints.
    pub joints: Scheme,
    /// The position pass, run if either scheme is [`Scheme::Post`].
    pub post: Post,
}

impl Stabilization {
    /// Nothing is stabilized.
    #[must_use]
    pub fn none() -> Self {
        Self::both(Scheme::None)
    }

    /// The same scheme for contacts and joints.
    #[must_use]
    pub fn both(scheme: Scheme) -> Self {
        Self {
            contacts: scheme,
            joints: scheme,
            ..Self::default()
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first number without meaning.
    pub fn validate(&self) -> Result<()> {
        self.contacts.validate()?;
        self.joints.validate()?;
        self.post().map_or(Ok(()), Post::validate)
    }

    /// The position pass, if there is one.
    #[must_use]
    pub fn post(&self) -> Option<&Post> {
        [self.contacts, self.joints]
            .contains(&Scheme::Post)
            .then_some(&self.post)
    }
}
