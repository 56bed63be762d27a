//! Where the velocities before the first sweep come from.

use crate::problem::batches::Batches;

/// How a solve gets the velocities that its impulses at the start amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartVelocities {
    /// There are no impulses at the start: the device sets velocities to nothing.
    Nothing,
    /// The device computes them from the impulses.
    Rebuilt,
    /// The host has computed them.
    Uploaded,
}

impl StartVelocities {
    /// Where the start comes from: the device computes what the host has computed in the same order.
    ///
    /// It does not where joints have been solved at once, in f64, nor where there are hubs, whose
    /// impulses it would add up in another order.
    pub(super) fn of(batches: &Batches, direct_rows: u32) -> Self {
        let any = |mut impulses: std::slice::Iter<'_, f32>| impulses.any(|&r| r != 0.0);
        let contacts = batches.contacts.impulses.as_flattened();
        if direct_rows == 0 && !any(contacts.iter()) && !any(batches.joints.impulses.iter()) {
            return Self::Nothing;
        }
        let split = !(batches.contacts.remainder.elements.is_empty()
            && batches.joints.remainder.elements.is_empty());
        if split || direct_rows > 0 {
            Self::Uploaded
        } else {
            Self::Rebuilt
        }
    }
}
