//! Soft rows: a share of the error is removed in every step by a row that gives way to its impulse.
//!
//! # Contacts
//!
//! `J V+ + (gamma/h) g + eps W_nn r >= 0` while shut. The head of [`step`](crate::step) says why a rigid row
//! (`eps = 0`) that corrects its gap feeds energy into every mode that the sweeps resolve by less than gamma, and
//! why a soft one does not.
//!
//! Sweeps on split bodies divide by `D' = s D`, D being the diagonal of W: for c copies of a body whose share of a
//! row's D is w, `s = (c_a w_a + c_b w_b) / (w_a + w_b)`. The row's softness stays `eps D`, as the problem has it, so
//! that a sweep leaks only `eps / s`:
//!
//! `(D' + eps D) dr = -(J v + gamma x / h + eps D r)`.
//!
//! D, D' and W are symmetric. With their Rayleigh quotients on a mode in place of the matrices, each mode of a Jacobi
//! sweep obeys the recurrence of a single row, with a sigma of at most 1 and a leak between the least and the largest
//! `eps / s`. So `gamma < eps / s` with the largest s is enough, and m sweeps are taken to allow
//! `(1 + eps / s)^m - 1`, as they do without copies.
//!
//! # Joints
//!
//! The rows of joints without bounds are solved at once, so that no mode of theirs is left unresolved; what their
//! errors are is another matter. A step along the tangent leaves the error `h^2 drift / 2` by the turning of the
//! bodies alone. Correcting all of it (Hong et al. 2006) turns the velocity to where it would have pointed half a
//! step later: it is what keeps the energy and the momentum of everything that swings or spins. Any other error
//! comes from contacts that are not solved to the end, from joints that contradict each other, or from the scene;
//! correcting all of that at once is what feeds energy in. So
//!
//! `J V+ + c + gamma (g/h - c) + eps W r = 0`, `c` being `g/h` between `-k h |drift|` and `k h |drift|`, k = 0.55,
//!
//! with a bound of the second term, W being `J M^-1 J^T` of the row. The softness bounds what rows that nearly
//! depend on each other answer to errors they cannot agree on; see
//! [`JOINT_SOFTNESS`](crate::constants::JOINT_SOFTNESS).

use super::RowState;
use crate::constants::{JOINT_SOFT_GAMMA, JOINT_TURNING};
pub(super) use crate::solver::substeps::soft::gamma;

/// `J V+ = -c - gamma (g/h - c)`.
pub(super) fn joint_equality(error: f64, row: &RowState) -> f64 {
    let turning = JOINT_TURNING * row.h * row.drift.abs();
    let asked = error / row.h;
    let turned = asked.max(-turning).min(turning);
    let rest = JOINT_SOFT_GAMMA * (asked - turned);
    turned + rest.max(-row.fastest).min(row.fastest)
}

/// The same `>= 0` once shut; while open the whole gap may close.
pub(super) fn joint_gap(gap: f64, row: &RowState) -> f64 {
    if gap < 0.0 {
        joint_equality(gap, row)
    } else {
        gap / row.h
    }
}
