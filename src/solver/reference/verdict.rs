//! What impulses of any origin are worth.

use super::widened::Widened;
use crate::error::{Error, Result};
use crate::lcp::residual::Physical;
use crate::math::Vec3;
use crate::problem::AsProblem;
use crate::solver::nsgs::Impulses;

/// Root mean square and maximum of the natural-map residual over some rows `[m/s]` (position pass:
/// `[m]`); both NaN if a number is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Norms {
    /// Root mean square.
    pub rms: f64,
    /// Maximum.
    pub max: f64,
}

impl Norms {
    /// Of residuals, at least 0, the others of `count` being zero.
    pub(super) fn of(residuals: impl IntoIterator<Item = f64>, count: usize) -> Self {
        let (sum, max) = residuals
            .into_iter()
            .fold((0.0, 0.0_f64), |(sum, max), x| (sum + x * x, max.max(x)));
        let rms = (sum / count.max(1) as f64).sqrt();
        // `max` skips NaN where the sum does not.
        let max = if rms.is_finite() { max } else { f64::NAN };
        Self { rms, max }
    }
}

/// What impulses do to the bodies of a problem, and how far they are from solving it, in f64.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Root mean square over contacts and joint rows of the natural-map residual `[m/s]` (position
    /// pass: `[m]`); see [`solver`](crate::solver#the-residual). NaN if a number is.
    pub residual_rms: f64,
    /// Largest natural-map residual of a contact or joint row, likewise.
    pub residual_max: f64,
    /// The same of the contacts alone.
    pub contacts: Norms,
    /// The same of the joint rows alone.
    pub joints: Norms,
    /// The conditions of contact one by one.
    pub physical: Physical,
    /// Linear and angular velocity with the impulses applied `[m/s]`, `[rad/s]`; shape
    /// `[body_count]`.
    pub velocities: Vec<(Vec3, Vec3)>,
    /// What the impulses add to the velocities, likewise: `M^-1 J^T r`.
    pub changes: Vec<(Vec3, Vec3)>,
}

/// Judges impulses of any origin: of contacts `(normal, tangent 1, tangent 2)` `[N s]`, shape
/// `[contact_count]`, and of joint rows `[N s]` or `[N m s]`, shape `[joint_row_count]`.
///
/// The velocities are computed from the impulses in f64, so that what a backend lost on its way is
/// not counted against its impulses. Costs are linear in the contacts, and any cone is allowed.
///
/// # Errors
/// [`Error::Invalid`] if the problem has no meaning or there is not one impulse per contact and one
/// per joint row.
pub fn judge(
    problem: &dyn AsProblem,
    impulses: &[[f32; 3]],
    joint_impulses: &[f32],
) -> Result<Verdict> {
    let problem = &problem.as_problem();
    problem.validate()?;
    for (what, found, expected, rows) in [
        (
            "impulses",
            impulses.len(),
            problem.contacts.len(),
            "contacts",
        ),
        (
            "joint impulses",
            joint_impulses.len(),
            problem.joint_rows.len(),
            "joint rows",
        ),
    ] {
        if found != expected {
            return Err(Error::invalid(
                what,
                format!("{found} for {expected} {rows}"),
            ));
        }
    }
    let impulses = Impulses {
        contacts: impulses.iter().map(|r| r.map(f64::from)).collect(),
        joint_rows: joint_impulses.iter().copied().map(f64::from).collect(),
    };
    Ok(Widened::new(problem).verdict(&impulses))
}
