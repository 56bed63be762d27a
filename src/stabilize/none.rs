//! No stabilization: the error is left as it is, and what is shut may not close further.
//!
//! Post-stabilization asks the same of velocities; its work is a second problem.

use super::Prescribed;

/// `J V+ = 0`.
pub(super) fn equality() -> f64 {
    0.0
}

/// `J V+ >= -gap / h` while open, so that the gap may close and not more (a speculative contact);
/// `J V+ >= 0` once shut.
pub(super) fn gap(gap: f64, h: f64) -> f64 {
    gap.max(0.0) / h
}

/// `J V+ = v0(t + h)`.
pub(super) fn velocity(prescribed: &Prescribed) -> f64 {
    -prescribed.next
}
