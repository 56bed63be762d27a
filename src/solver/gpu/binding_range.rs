//! Which elements of the arrays a bind group shows to its kernel.

/// Which of two alike sets of arrays a dispatch treats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Joints,
    Contacts,
}

/// The ranges of elements that a bind group shows to its kernel. Bodies are always bound whole,
/// because contacts and joints refer to any of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BindingRange {
    /// Whose blocks, and what belongs to them.
    pub(super) side: Side,
    /// Blocks and impulses.
    pub(super) blocks: (u32, u32),
    /// Group starts.
    pub(super) starts: (u32, u32),
    /// Pairs of slots, entries of a list, or partials.
    pub(super) entries: (u32, u32),
    /// Changes.
    pub(super) slots: (u32, u32),
}

impl BindingRange {
    /// Nothing yet of one of the sides.
    pub(super) fn of(side: Side) -> Self {
        Self {
            side,
            blocks: (0, 0),
            starts: (0, 0),
            entries: (0, 0),
            slots: (0, 0),
        }
    }
}
