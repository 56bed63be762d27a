//! What impulses of any origin are worth.

use crate::lcp::residual::Physical;
use crate::math::Vec3;
use crate::solver::Report;
use crate::solver::one_by_one::Found;
use crate::solver::residual::Norms;

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

impl Verdict {
    /// Answer to a problem: impulses of contacts and joint rows that were judged.
    pub(super) fn found<'a>(
        &'a self,
        report: Report,
        impulses: &'a [[f64; 3]],
        joint_impulses: &'a [f64],
    ) -> Found<'a> {
        Found {
            report,
            residual: [self.residual_rms, self.residual_max],
            impulses,
            joint_impulses,
            velocities: &self.velocities,
            changes: &self.changes,
        }
    }
}
