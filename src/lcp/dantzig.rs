//! Dantzig pivoting for resting contact, after Baraff 1994, *Fast contact force computation for
//! nonpenetrating rigid bodies*.
//!
//! Problem: `w = M z + q`, `z, w >= 0`, `z . w = 0`, with `M` symmetric positive semidefinite.
//! Sets: C, the rows held at `w_i = 0` with `z_i >= 0`; NC, the rows held at `z_i = 0` with
//! `w_i >= 0`. Rows are taken one after the other: while `w_d < 0`, `z_d` grows, the rows of C keep
//! `w_C = 0` by `M_CC dz_C = -M_Cd`, and whatever reaches its bound first changes its set.
//!
//! Departures, all of them found necessary: tolerances are relative to `max |q|`; the driven row is
//! let go as soon as `w_d` is no longer negative, before ties; C may be rank-deficient, so that its
//! system is solved by least squares. Before anything else all rows in C are tried: what rests on all of its contacts needs
//! one factorization in place of one for each.

use super::basis;
use super::{LcpProblem, LcpSolution, LcpStatus};
use crate::constants::{LCP_RANK_TOLERANCE, LEMKE_PIVOTS_PER_ROW};
use nalgebra::{DMatrix, DVector};

/// Values within this fraction of `max |q|` count as zero.
const TOLERANCE: f64 = 1e-11;

/// Solves a valid problem whose matrix is symmetric positive semidefinite; see
/// [`LcpProblem::validate`]. For another matrix the method may fail, and its status says so.
#[must_use]
pub fn solve(problem: &LcpProblem) -> LcpSolution {
    let n = problem.size();
    let all: Vec<usize> = (0..n).collect();
    if let Some(z) = least_squares(&problem.matrix, &all, &-&problem.q)
        && z.min() >= 0.0
    {
        let candidate = basis::judge(problem, [z], LcpStatus::RayTermination, 0);
        if candidate.is_solved() {
            return candidate;
        }
    }
    let mut state = State {
        problem,
        zero: TOLERANCE * problem.q.amax().max(f64::MIN_POSITIVE),
        z: DVector::zeros(n),
        w: problem.q.clone(),
        side: vec![Side::Untouched; n],
        pivots: 0,
        max_pivots: LEMKE_PIVOTS_PER_ROW * (n + 10),
    };
    let status = (0..n)
        .map(|d| state.drive(d))
        .find(|status| *status != LcpStatus::Solved)
        .unwrap_or(LcpStatus::Solved);
    let again = basis::point(problem, &state.rows(Side::Clamped));
    basis::judge(
        problem,
        again.into_iter().chain([state.z]),
        status,
        state.pivots,
    )
}

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Not taken yet: `z_i = 0`, `w_i` of any sign.
    Untouched,
    /// In C: `w_i = 0`, `z_i >= 0`.
    Clamped,
    /// In NC: `z_i = 0`, `w_i >= 0`.
    Free,
}

struct State<'a> {
    problem: &'a LcpProblem,
    zero: f64,
    z: DVector<f64>,
    w: DVector<f64>,
    side: Vec<Side>,
    pivots: usize,
    max_pivots: usize,
}

impl State<'_> {
    fn rows(&self, side: Side) -> Vec<usize> {
        (0..self.side.len())
            .filter(|&i| self.side[i] == side)
            .collect()
    }

    /// Raises `z_d` until `w_d` is no longer negative.
    fn drive(&mut self, d: usize) -> LcpStatus {
        while self.w[d] < -self.zero {
            if self.pivots == self.max_pivots {
                return LcpStatus::MaxPivots;
            }
            self.pivots += 1;
            let direction = self.direction(d);
            let change = &self.problem.matrix * &direction;
            let Some((step, at)) = self.longest_step(d, &direction, &change) else {
                return LcpStatus::RayTermination;
            };
            self.z.axpy(step, &direction, 1.0);
            self.w = self.problem.slack(&self.z);
            match self.side[at] {
                Side::Clamped => {
                    self.z[at] = 0.0;
                    self.side[at] = Side::Free;
                }
                Side::Free => self.side[at] = Side::Clamped,
                // The driven row arrived.
                Side::Untouched => break,
            }
        }
        self.side[d] = if self.z[d] > 0.0 {
            Side::Clamped
        } else {
            Side::Free
        };
        LcpStatus::Solved
    }

    /// `dz` for `dz_d = 1` that keeps `w_C`.
    fn direction(&self, d: usize) -> DVector<f64> {
        let clamped = self.rows(Side::Clamped);
        let right = DVector::from_fn(clamped.len(), |i, _| -self.problem.matrix[(clamped[i], d)]);
        let mut direction = DVector::zeros(self.z.len());
        direction[d] = 1.0;
        if let Some(solution) = least_squares(&self.problem.matrix, &clamped, &right) {
            for (&i, &value) in clamped.iter().zip(solution.iter()) {
                direction[i] = value;
            }
        }
        direction
    }

    /// How far `z` may go, and the row that ends it; `None` if nothing does.
    fn longest_step(
        &self,
        d: usize,
        direction: &DVector<f64>,
        change: &DVector<f64>,
    ) -> Option<(f64, usize)> {
        let still = TOLERANCE * change.amax().max(self.problem.matrix.amax());
        let mut best = (change[d] > still).then(|| (-self.w[d] / change[d], d));
        for i in 0..self.z.len() {
            let step = match self.side[i] {
                Side::Clamped if direction[i] < -TOLERANCE => -self.z[i] / direction[i],
                Side::Free if change[i] < -still => -self.w[i] / change[i],
                _ => continue,
            };
            if best.is_none_or(|(least, _)| step < least) {
                best = Some((step.max(0.0), i));
            }
        }
        best
    }
}

/// The shortest `x` of those that come closest to `M_cc x = right` on the rows `c`; none if there are no rows.
fn least_squares(
    matrix: &DMatrix<f64>,
    rows: &[usize],
    right: &DVector<f64>,
) -> Option<DVector<f64>> {
    if rows.is_empty() {
        return None;
    }
    let block = DMatrix::from_fn(rows.len(), rows.len(), |i, j| matrix[(rows[i], rows[j])]);
    let factors = block.svd(true, true);
    let rank = LCP_RANK_TOLERANCE * factors.singular_values.amax();
    factors.solve(right, rank).ok()
}
