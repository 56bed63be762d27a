//! Baumgarte's stabilization: the error as a damped oscillator, or as a plain decay.
//!
//! Three levels of one idea (Baumgarte 1972; the note on Drake's constraints; Hong et al. 2006, eq. 3):
//!
//! * **acceleration**: `g'' + 2 alpha g' + beta^2 g = 0`, discretized as
//!   `(J V+ - J V)/h + (dJ/dt) V + 2 alpha J V + beta^2 g = 0`, V being the velocity before the step;
//! * **oscillator**: the same by its natural frequency and damping ratio, `alpha = zeta omega0` and
//!   `beta = omega0`;
//! * **velocity**: `J V+ + kappa g = 0`. It equals the acceleration form with `alpha = 1/(2h)` and
//!   `beta^2 = kappa/h`, but for the drift term.
//!
//! With the semi-implicit `x+ = x + h v+`, the velocity form multiplies the error by `1 - h kappa` a
//! step: it is stable for `0 < h kappa < 2` and does not overshoot up to 1. The acceleration form is
//! stable if and only if `(beta h)^2 + 4 alpha h <= 4`. Values beyond these limits are accepted, so
//! that the instability can be shown.

use super::{Prescribed, RowState, none};
use crate::error::{Error, Result};

/// A velocity or an acceleration against the error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Baumgarte {
    /// `J V+ = -kappa g`; stable for `0 < kappa h < 2`.
    Velocity {
        /// `[1/s]`, positive.
        kappa: f64,
    },
    /// `g'' + 2 alpha g' + beta^2 g = 0`; stable for `(beta h)^2 + 4 alpha h <= 4`.
    Acceleration {
        /// `[1/s]`, at least 0.
        alpha: f64,
        /// `[1/s]`, at least 0.
        beta: f64,
    },
}

impl Baumgarte {
    /// The acceleration form of an oscillator of natural frequency `omega0` `[rad/s]` and damping
    /// ratio `zeta`: `alpha = zeta omega0`, `beta = omega0`.
    #[must_use]
    pub fn oscillator(omega0: f64, zeta: f64) -> Self {
        Self::Acceleration {
            alpha: zeta * omega0,
            beta: omega0,
        }
    }

    /// Checks every number; whether the values are stable depends on h and is not asked.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first number without meaning.
    pub fn validate(&self) -> Result<()> {
        match *self {
            Self::Velocity { kappa } if !(kappa > 0.0 && kappa.is_finite()) => Err(Error::invalid(
                "kappa of Baumgarte's stabilization",
                format!("{kappa} is not positive and finite"),
            )),
            Self::Acceleration { alpha, beta }
                if !(alpha >= 0.0 && alpha.is_finite() && beta >= 0.0 && beta.is_finite()) =>
            {
                Err(Error::invalid(
                    "alpha and beta of Baumgarte's stabilization",
                    format!("{alpha} and {beta} are not finite numbers of at least 0"),
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn equality(&self, error: f64, row: &RowState) -> f64 {
        match *self {
            Self::Velocity { kappa } => kappa * error,
            Self::Acceleration { alpha, beta } => oscillation(alpha, beta, error, row),
        }
    }

    /// Acts once the gap is shut only: while it is open, the acceleration form would push before
    /// there is contact, and a speculative gap takes its place.
    pub(super) fn gap(&self, gap: f64, row: &RowState) -> f64 {
        match *self {
            _ if gap > 0.0 => none::gap(gap, row.h),
            Self::Velocity { kappa } => kappa * gap,
            Self::Acceleration { alpha, beta } => oscillation(alpha, beta, gap, row),
        }
    }

    /// A velocity-level constraint `g = J V - v0 = 0` has no error of position; the integral of g takes its
    /// place (Hong et al. 2006, eqs 32 and 34): `g' + 2 alpha g + beta^2 int g dt = 0`, discretized as
    /// `(J V+ - J V)/h + (dJ/dt) V - v0' + 2 alpha g + beta^2 int g dt = 0`.
    ///
    /// The integral has the present error in it. Without, `alpha = 1/(2h)` and `beta = 1/h` would leave a
    /// vibration that never decays; with it they remove an error and its integral in two steps.
    pub(super) fn velocity(&self, prescribed: &Prescribed, row: &RowState) -> f64 {
        match *self {
            Self::Velocity { .. } => none::velocity(prescribed),
            Self::Acceleration { alpha, beta } => {
                let RowState {
                    velocity, drift, h, ..
                } = *row;
                let Prescribed {
                    now,
                    derivative,
                    integral,
                    ..
                } = *prescribed;
                let decay = 2.0 * alpha * (velocity - now) + beta * beta * integral;
                h * (drift - derivative + decay) - velocity
            }
        }
    }
}

/// The acceleration form solved for `J V+`.
fn oscillation(alpha: f64, beta: f64, error: f64, row: &RowState) -> f64 {
    let RowState {
        velocity, drift, h, ..
    } = *row;
    h * (drift + beta * beta * error) - (1.0 - 2.0 * alpha * h) * velocity
}
