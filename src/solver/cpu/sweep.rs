//! What a pass over contacts or joints does.

/// What a pass does. It takes colours, and the contacts or joint rows of one pair of bodies, first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// Updates impulses.
    #[default]
    Update,
    /// Adds what the impulses do to velocities, and changes no impulse.
    Rebuild,
}
