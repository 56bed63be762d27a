//! Where an integration stopped, and why.

use crate::world::Body;

/// Difference of a joint's load from what it bears, over that, within which the time of its break counts as found.
pub(super) const STRAIN_TOLERANCE: f64 = 1e-9;

/// Why the integration stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Happening {
    Nothing,
    Collision,
    /// A contact stopped sliding.
    Stop,
    /// A motor is at its velocity.
    Arrival,
    /// The load of a joint is what it bears.
    Break,
}

/// Where the integration stopped.
pub(super) struct Stop {
    /// Time since its start `[s]`.
    pub(super) after: f64,
    pub(super) state: Vec<Body>,
    pub(super) event: Happening,
}
