//! How far bodies overlap.

use crate::collide::ContactPoint;

/// Overlap over a set of contact points `[m]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Penetration {
    /// Largest, 0 if nothing overlaps.
    pub max: f64,
    /// Mean over the points that do overlap, 0 if none does.
    pub mean: f64,
    /// Number of points that overlap.
    pub count: usize,
}

/// Penetration over contact points.
#[must_use]
pub fn penetration(contacts: &[ContactPoint]) -> Penetration {
    let mut found = Penetration::default();
    let mut sum = 0.0;
    for contact in contacts {
        // Without a jump that depends on the contact: the gaps of a pile are near zero.
        let depth = (0.0 - contact.separation).max(0.0);
        found.max = found.max.max(depth);
        sum += depth;
        found.count += usize::from(contact.separation < 0.0);
    }
    if found.count > 0 {
        found.mean = sum / found.count as f64;
    }
    found
}
