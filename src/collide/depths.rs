//! How deep contacts are.

use super::ContactPoint;

/// Depths of some contacts, those that overlap: their largest, their sum and their number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Depths {
    /// `[m]`, 0 if nothing overlaps.
    pub(crate) max: f64,
    /// `[m]`.
    pub(crate) sum: f64,
    pub(crate) count: usize,
}

impl Depths {
    /// Of these contacts.
    pub(crate) fn of(contacts: &[ContactPoint]) -> Self {
        let mut found = Self::default();
        for contact in contacts {
            // Without a jump that depends on the contact: the gaps of a pile are near zero.
            let depth = (0.0 - contact.separation).max(0.0);
            found.max = found.max.max(depth);
            found.sum += depth;
            found.count += usize::from(contact.separation < 0.0);
        }
        found
    }

    /// Of those and others.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
            count: self.count + other.count,
        }
    }
}
