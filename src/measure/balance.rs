//! Sources and sinks of the energy of a run.
//!
//! Over a solve with contacts J, total impulses r and forces f the momentum of the bodies changes by `M (v1 - v0) = J^T r + h f`, so that their
//! kinetic energy changes by exactly `(v0 + v1)/2 . (J^T r + h f)`, in however many substeps. Each contact, joint and load has its term in this sum. Of a contact or a joint,
//! the part that its bodies have in common moves energy from one to the other; the other part, the impulse times the mean of its relative velocity before and
//! after, is dissipated, or, by a motor, put in.

use super::Energy;
#[cfg(feature = "scene")]
use serde::{Deserialize, Serialize};

/// Work and dissipation since the start of a run `[J]`.
///
/// With `energy` the kinetic and potential energy of the dynamic bodies now,
///
/// ```text
/// energy = start + loads + motions + drives - impacts - friction - joints + error + rest,
/// ```
///
/// in each step, each term of which is found by itself: the [`rest`](Self::rest) is rounding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "scene", derive(Serialize, Deserialize))]
pub struct EnergyBalance {
    /// Kinetic and potential energy at the start.
    pub start: f64,
    /// Work of the loads.
    pub loads: f64,
    /// Work of bodies that are not dynamic on those that are, by contacts and joints.
    pub motions: f64,
    /// Work of motors, springs and prescribed velocities; what springs store is in it.
    pub drives: f64,
    /// Energy that the normal impulses of contacts have dissipated.
    pub impacts: f64,
    /// Energy that friction has dissipated. Where one solve stops both an impact and a slip, the two divide what is lost by the mean velocity of
    /// that solve, and this part may be below zero.
    pub friction: f64,
    /// Energy that joints have dissipated: where motion is stopped, and at limits.
    pub joints: f64,
    /// Energy that the step itself has made, lost if negative: by moving bodies with velocities that are not their mean over the step, by
    /// turning them, and by putting right where they are. It is of the first order of the (sub)step.
    pub error: f64,
    /// Kinetic and potential energy after the last step.
    pub(crate) energy: f64,
}

impl EnergyBalance {
    /// That of a start with this energy.
    #[must_use]
    pub(crate) fn new(energy: Energy) -> Self {
        let energy = energy.kinetic + energy.potential;
        Self {
            start: energy,
            energy,
            ..Self::default()
        }
    }

    /// Work on the bodies `[J]`.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.loads + self.motions + self.drives
    }

    /// Energy that was dissipated `[J]`.
    #[must_use]
    pub fn dissipated(&self) -> f64 {
        self.impacts + self.friction + self.joints
    }

    /// Energy that no term accounts for `[J]`: impulses are rounded to single precision, and so is what they change of velocities.
    #[must_use]
    pub fn rest(&self) -> f64 {
        self.energy - self.start - self.work() + self.dissipated() - self.error
    }
}
