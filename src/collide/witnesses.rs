//! Counts of pairs whose features served again.

/// Pairs of bodies of which neither is a sphere nor a half-space, and which of them had to be searched.
///
/// Witnesses of such a pair are the face or the edges by which the two touch or are apart. They are kept from search to
/// search, hold while the bodies hardly move past each other, and are then confirmed by the true displacement; only what
/// neither holds nor is confirmed is searched, along all faces and edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct Witnesses {
    /// Pairs that were looked at.
    pub pairs: u64,
    /// Of these, those whose witnesses had to be searched.
    pub searched: u64,
}

impl Witnesses {
    /// Share of the pairs whose witnesses served again; 1 of no pairs.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        if self.pairs == 0 {
            return 1.0;
        }
        1.0 - self.searched as f64 / self.pairs as f64
    }

    /// These and others.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            searched: self.searched + other.searched,
        }
    }
}
