//! What happens to the constraint error that velocity-level stepping leaves behind.
//!
//! | scheme | what a row's velocity makes of its error g | file |
//! |---|---|---|
//! | [`Scheme::None`] | nothing: `J V+ = 0` | `none.rs` |
//! | [`Scheme::Baumgarte`] | `J V+ = -kappa g`, or the acceleration form | `baumgarte.rs` |
//! | [`Scheme::Implicit`] | `J V+ = -g / h` | `implicit.rs` |
//! | [`Scheme::Gamma`] | `J V+ = -gamma g / h` | `gamma.rs` |
//! | [`Scheme::Soft`] | `J V+ = -gamma g / h - eps W r` | `soft.rs` |
//! | [`Scheme::Post`] | nothing; a second LCP on positions follows | `post.rs` |
//!
//! Contacts and joints each have a scheme. A scheme turns what a row asks for into its bias c in
//! `J V+ + c = 0` (equalities and prescribed velocities) or `J V+ + c >= 0` (gaps): see
//! `Scheme::equality`, `Scheme::gap` and `Scheme::velocity`. A gap that is open may close within
//! the step under every scheme, and not more: `c = gap / h`.

mod baumgarte;
mod gamma;
mod implicit;
pub(crate) mod joint_rows;
mod none;
pub(crate) mod post;
pub(crate) mod row;
mod soft;

pub use baumgarte::Baumgarte;
pub(crate) use joint_rows::JointRows;
pub use post::{PositionPass, Post};
pub(crate) use row::{Feedback, Prescribed, RowState, Sweeps};

use crate::constants::{CONTACT_SOFTNESS, JOINT_SOFTNESS};
use crate::error::{Error, Result};

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
        /// Share of the error that one step removes, above 0 and below 2. Above 1 a step overshoots: a joint's error changes its
        /// sign, bodies that overlap part.
        gamma: f64,
    },
    /// By rows that correct a share of the error and give way to their impulse, so that no mode gains energy
    /// whatever the sweeps leave unsolved. See the head of [`step`](crate::step); of joints, see
    /// [`JOINT_SOFTNESS`].
    Soft {
        /// Softness eps of the normal rows of contacts; see
        /// [`Problem::contact_softness`](crate::problem::Problem::contact_softness). Of the rows of joints, over
        /// their `J M^-1 J^T`. Positive.
        softness: f64,
    },
    /// By a second LCP on positions after integration (Cline–Pai 2003, eq. 15).
    #[default]
    Post,
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Post => f.write_str("post"),
            Self::Implicit => f.write_str("implicit"),
            Self::Soft { softness } => write!(f, "soft {softness}"),
            Self::Gamma { gamma } => write!(f, "gamma {gamma}"),
            Self::Baumgarte(Baumgarte::Velocity { kappa }) => {
                write!(f, "baumgarte, kappa {kappa} 1/s")
            }
            Self::Baumgarte(Baumgarte::Acceleration { alpha, beta }) => {
                write!(f, "baumgarte, alpha {alpha} and beta {beta} 1/s")
            }
        }
    }
}

impl Scheme {
    /// Bias of an equality with an error `[m]` or `[rad]`.
    #[doc(hidden)]
    #[must_use]
    pub fn equality(&self, error: f64, row: &RowState) -> f64 {
        match self {
            Self::None | Self::Post => none::equality(),
            Self::Baumgarte(form) => form.equality(error, row),
            Self::Implicit => implicit::equality(error, row.h),
            Self::Gamma { gamma } => gamma::equality(*gamma, error, row.h),
            Self::Soft { softness } => {
                gamma::equality(soft::gamma(*softness, row.sweeps), error, row.h)
            }
        }
    }

    /// Bias of a gap `[m]` or `[rad]`, negative when violated: of a contact or a joint's limit.
    #[doc(hidden)]
    #[must_use]
    pub fn gap(&self, gap: f64, row: &RowState) -> f64 {
        match self {
            Self::None | Self::Post => none::gap(gap, row.h),
            Self::Baumgarte(form) => form.gap(gap, row),
            Self::Implicit => implicit::gap(gap, row.h),
            Self::Gamma { gamma } => gamma::gap(*gamma, gap, row.h),
            Self::Soft { softness } => gamma::gap(soft::gamma(*softness, row.sweeps), gap, row.h),
        }
    }

    /// The share of the error, of the velocity before the step and of the drift in the bias of an
    /// equality, or of a gap that is shut: the coefficients of [`Self::equality`], which is linear.
    #[must_use]
    pub(crate) fn feedback(&self, h: f64, sweeps: Sweeps) -> Feedback {
        let [error, velocity, drift] =
            [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)].map(|(error, velocity, drift)| {
                let row = RowState {
                    velocity,
                    drift,
                    h,
                    sweeps,
                    fastest: f64::INFINITY,
                };
                self.equality(error, &row)
            });
        Feedback {
            error,
            velocity,
            drift,
        }
    }

    /// Bias of a prescribed velocity, a non-holonomic constraint.
    #[doc(hidden)]
    #[must_use]
    pub fn velocity(&self, prescribed: &Prescribed, row: &RowState) -> f64 {
        match self {
            Self::None | Self::Post | Self::Gamma { .. } | Self::Soft { .. } => {
                none::velocity(prescribed)
            }
            Self::Baumgarte(form) => form.velocity(prescribed, row),
            Self::Implicit => implicit::velocity(prescribed, row),
        }
    }

    /// Stiffness of a soft contact in problems of these sweeps, over `1 / (W_nn h^2)`, h being the length of what a
    /// problem stands for: `gamma / eps`; nothing for a scheme of rigid contacts.
    #[must_use]
    pub(crate) fn stiffness_of_unit(&self, sweeps: Sweeps) -> Option<f64> {
        match *self {
            Self::Soft { softness } => Some(soft::gamma(softness, sweeps) / softness),
            _ => None,
        }
    }

    /// Bias of a joint's equality with an error `[m]` or `[rad]`.
    #[must_use]
    pub(crate) fn joint_equality(&self, error: f64, row: &RowState) -> f64 {
        match self {
            Self::Soft { .. } => soft::joint_equality(error, row),
            _ => self.equality(error, row),
        }
    }

    /// Bias of a joint's limit with a gap `[m]` or `[rad]`, negative when violated.
    #[must_use]
    pub(crate) fn joint_gap(&self, gap: f64, row: &RowState) -> f64 {
        match self {
            Self::Soft { .. } => soft::joint_gap(gap, row),
            _ => self.gap(gap, row),
        }
    }

    /// Softness of the rows of joints that hold, over their `J M^-1 J^T`.
    #[must_use]
    pub(crate) fn joint_softness(&self) -> f64 {
        match self {
            Self::Soft { softness } => *softness,
            _ => 0.0,
        }
    }

    /// Softness of the normal rows of contacts.
    #[must_use]
    pub(crate) fn contact_softness(&self) -> f32 {
        match self {
            Self::Soft { softness } => *softness as f32,
            _ => 0.0,
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first number without meaning.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Baumgarte(form) => form.validate(),
            Self::Gamma { gamma } if !(*gamma > 0.0 && *gamma < 2.0) => Err(Error::invalid(
                "gamma of the stabilization",
                format!("{gamma} is not above 0 and below 2"),
            )),
            Self::Soft { softness } if !(*softness > 0.0 && softness.is_finite()) => Err(
                Error::invalid("softness", format!("{softness} is not positive and finite")),
            ),
            Self::None | Self::Implicit | Self::Gamma { .. } | Self::Soft { .. } | Self::Post => {
                Ok(())
            }
        }
    }
}

/// How a world's constraints are stabilized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stabilization {
    /// Contacts.
    pub contacts: Scheme,
    /// Joints.
    pub joints: Scheme,
    /// The position pass, run if either scheme is [`Scheme::Post`].
    pub post: Post,
}

impl Default for Stabilization {
    /// Soft contacts and joints.
    fn default() -> Self {
        Self {
            contacts: Scheme::Soft {
                softness: CONTACT_SOFTNESS,
            },
            joints: Scheme::Soft {
                softness: JOINT_SOFTNESS,
            },
            post: Post::default(),
        }
    }
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
