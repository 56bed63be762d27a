//! What a pass over contacts or joints does.

/// What a pass does, and in which order it takes colours, and the contacts or joint rows of one pair
/// of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// Updates impulses, first to last.
    #[default]
    Forward,
    /// Updates impulses, last to first. With a forward sweep after it, it makes a symmetric one.
    Reverse,
    /// Adds what the impulses do to velocities, first to last, and changes no impulse.
    Rebuild,
}

impl Sweep {
    /// What comes at `step` of the elements `first..end`.
    #[inline(always)]
    pub(super) fn place(self, first: usize, end: usize, step: usize) -> usize {
        match self {
            Self::Reverse => end - 1 - step,
            Self::Forward | Self::Rebuild => first + step,
        }
    }
}
