//! The point that belongs to a choice of positive unknowns.

use super::residual::min_map;
use super::{LcpProblem, LcpSolution, LcpStatus};
use nalgebra::{DMatrix, DVector};

/// Steps of iterative refinement after the factorization.
const REFINEMENTS: usize = 2;

/// The solution of `M_aa z_a = -q_a` on the `active` set a, zero elsewhere; `None` if the block is
/// numerically singular or a number overflows.
///
/// Pivoting carries round-off from tableau to tableau; solving once more on the basis it found
/// removes that.
pub(super) fn point(problem: &LcpProblem, active: &[usize]) -> Option<DVector<f64>> {
    let mut z = DVector::zeros(problem.size());
    if active.is_empty() {
        return Some(z);
    }
    let block = DMatrix::from_fn(active.len(), active.len(), |i, j| {
        problem.matrix[(active[i], active[j])]
    });
    let right = DVector::from_fn(active.len(), |i, _| -problem.q[active[i]]);
    let factors = block.clone().lu();
    let mut x = factors.solve(&right)?;
    for _ in 0..REFINEMENTS {
        x += factors.solve(&(&right - &block * &x))?;
    }
    for (&i, &value) in active.iter().zip(x.iter()) {
        z[i] = value;
    }
    z.iter().all(|x| x.is_finite()).then_some(z)
}

/// The best of the candidates for `z`, with negative numbers cut off, judged by its residual alone.
///
/// `status` says how the method ended; a candidate within the tolerance is a solution whatever it
/// says, and one outside is none.
pub(super) fn judge(
    problem: &LcpProblem,
    candidates: impl IntoIterator<Item = DVector<f64>>,
    status: LcpStatus,
    pivots: usize,
) -> LcpSolution {
    let mut best: Option<LcpSolution> = None;
    for mut z in candidates {
        z.apply(|x| *x = x.max(0.0));
        let w = problem.slack(&z);
        let residual = min_map(&z, &w);
        if residual.is_finite() && best.as_ref().is_none_or(|b| residual < b.residual) {
            best = Some(LcpSolution {
                z,
                w,
                status,
                pivots,
                residual,
            });
        }
    }
    match best {
        Some(mut best) => {
            best.status = if best.residual <= problem.tolerance() {
                LcpStatus::Solved
            } else if status == LcpStatus::Solved {
                // The path ended well but round-off spoilt its end: no solution was found.
                LcpStatus::RayTermination
            } else {
                status
            };
            best
        }
        None => {
            let z = DVector::zeros(problem.size());
            LcpSolution {
                residual: min_map(&z, &problem.q),
                w: problem.q.clone(),
                z,
                status: LcpStatus::NonFinite,
                pivots,
            }
        }
    }
}
