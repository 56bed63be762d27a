//! Friction that holds bodies back from rolling and from spinning on each other.

use super::{JointRow, ProblemRef};
use crate::error::{Error, Result};
use crate::math;

/// A problem with contacts that bear moments: grains that are not quite round, soft tyres, feet larger than a point.
///
/// A contact has rows of joints of its own then, which only turn: two about its tangents, whose moments are at most a length times the normal
/// impulse, against rolling, and one about its normal, with another length, against spinning. Solvers of rows have them without more, bounds of
/// each row by itself. They are rows, and rows are of problems that are solved once: [`Plan::Substeps`](crate::solver::Plan::Substeps) refuses them. The
/// memory is reused from step to step.
///
/// The normal impulse is the one that the contact starts from ([`Contact::impulse`](super::Contact::impulse)), from the step before or from an earlier solve of this one:
/// a contact that is new holds nothing back yet.
#[derive(Debug, Clone, Default)]
pub struct RollingFriction {
    rows: Vec<JointRow>,
}

impl RollingFriction {
    /// The same problem with rows behind its own for contacts with a `rolling` or `spinning` length, at least 0 `[m]`, each of shape
    /// `[contact_count]`, empty if there is none.
    ///
    /// Solutions have the impulses of these rows behind those of the others, which [`Solution::keep_joint_rows`](crate::solver::Solution::keep_joint_rows) drops.
    ///
    /// # Errors
    /// [`Error::Invalid`] for another shape, and for a length that is negative or not finite.
    pub fn hold<'a>(
        &'a mut self,
        problem: &ProblemRef<'a>,
        rolling: &[f32],
        spinning: &[f32],
    ) -> Result<ProblemRef<'a>> {
        let count = problem.contacts.len();
        for (what, lengths) in [("rolling", rolling), ("spinning", spinning)] {
            if !lengths.is_empty() && lengths.len() != count {
                return Err(Error::invalid(
                    format!("lengths of {what} friction"),
                    format!("{} given; {count} expected", lengths.len()),
                ));
            }
            let is_length = |length: f32| length >= 0.0 && length.is_finite();
            if let Some(at) = lengths.iter().position(|&length| !is_length(length)) {
                return Err(Error::invalid(
                    format!("{what} friction of contact {at}"),
                    format!("{} is not a finite length of at least 0", lengths[at]),
                ));
            }
        }
        let length_at = |lengths: &[f32], at: usize| lengths.get(at).copied().unwrap_or(0.0);
        if [rolling, spinning]
            .concat()
            .iter()
            .all(|&length| length == 0.0)
        {
            return Ok(*problem);
        }
        self.rows.clear();
        self.rows.extend_from_slice(problem.joint_rows);
        for (at, contact) in problem.contacts.iter().enumerate() {
            let (first, second) = math::tangents(contact.normal);
            let rolling = length_at(rolling, at);
            let axes = [
                (first, rolling),
                (second, rolling),
                (contact.normal, length_at(spinning, at)),
            ];
            for (axis, length) in axes {
                let bound = length * contact.impulse[0].max(0.0);
                if length > 0.0 {
                    self.rows.push(JointRow {
                        body_a: contact.body_a,
                        body_b: contact.body_b,
                        linear: [0.0; 3],
                        angular_a: axis,
                        angular_b: axis.map(|x| -x),
                        bias: 0.0,
                        softness: 0.0,
                        lower: -bound,
                        upper: bound,
                        impulse: 0.0,
                    });
                }
            }
        }
        Ok(ProblemRef {
            joint_rows: &self.rows,
            ..*problem
        })
    }
}
