//! How far bodies overlap.

use crate::collide::{ContactPoint, Depths};

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
    Depths::of(contacts).into()
}

impl From<Depths> for Penetration {
    fn from(depths: Depths) -> Self {
        let mean = if depths.count > 0 {
            depths.sum / depths.count as f64
        } else {
            0.0
        };
        Self {
            max: depths.max,
            mean,
            count: depths.count,
        }
    }
}
