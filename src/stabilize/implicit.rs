//! Implicit enforcement: what is asked is asked of the end of the step.
//!
//! Position-level constraints are to hold at the new position to first order (Hong et al. 2006, eqs
//! 6–9), velocity-level ones at the new velocity (eqs 10–11). There is no parameter, and no length of
//! step from which on the error's own modes grow. For an equality it equals Baumgarte's velocity form
//! with `kappa = 1/h`.

use super::{Prescribed, RowState};

/// `error + h J V+ = 0`.
pub(super) fn equality(error: f64, h: f64) -> f64 {
    error / h
}

/// `gap + h J V+ >= 0`, open or shut.
pub(super) fn gap(gap: f64, h: f64) -> f64 {
    gap / h
}

/// `J V+ + h (dJ/dt) V = v0(t + h)`: the velocity that the row has at the new position, to first
/// order.
pub(super) fn velocity(prescribed: &Prescribed, row: &RowState) -> f64 {
    row.h * row.drift - prescribed.next
}
