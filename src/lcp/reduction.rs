//! From a mixed problem to a pure one: the free variables are eliminated.
//!
//! With `x = -A^+ (C z + a)` in `w = D x + B z + b`:
//! `M = B - D A^+ C`, `q = b - D A^+ a`, which for joints is Cline and Pai 2003, eqs 13–14.
//! `A^+` is the pseudo-inverse, so that joints may repeat each other; if they contradict each other
//! no `x` satisfies them, and [`Reduction::equality_residual`] shows it.

use super::{LcpProblem, MixedProblem, lemke};
use super::{LcpSolution, LcpStatus};
use crate::constants::{LCP_RANK_TOLERANCE, LCP_TOLERANCE};
use nalgebra::{DMatrix, DVector};

/// A mixed problem with its free variables eliminated.
#[derive(Debug, Clone)]
pub struct Reduction<'a> {
    mixed: &'a MixedProblem,
    /// `A^+`.
    inverse: DMatrix<f64>,
    /// The pure problem, of the same `z` and `w`.
    pub problem: LcpProblem,
}

/// The answer to a mixed problem.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedSolution {
    /// The free variables `x`, shape `[m]`.
    pub x: DVector<f64>,
    /// `z` and `w`; solved only if the equalities hold too.
    pub complementarity: LcpSolution,
    /// `max |A x + C z + a|`, in the unit of `a`.
    pub equality_residual: f64,
}

impl<'a> Reduction<'a> {
    /// Eliminates the free variables of a valid problem; see [`MixedProblem::validate`].
    #[must_use]
    pub fn new(mixed: &'a MixedProblem) -> Self {
        let inverse = pseudo_inverse(&mixed.equality);
        let through = &mixed.complementarity_coupling * &inverse;
        let pure = &mixed.complementarity;
        let problem = LcpProblem {
            matrix: &pure.matrix - &through * &mixed.equality_coupling,
            q: &pure.q - &through * &mixed.equality_offset,
        };
        Self {
            mixed,
            inverse,
            problem,
        }
    }

    /// `x` that belongs to `z`; of all, the one of least norm.
    #[must_use]
    pub fn free_variables(&self, z: &DVector<f64>) -> DVector<f64> {
        -(&self.inverse * (&self.mixed.equality_coupling * z + &self.mixed.equality_offset))
    }

    /// `max |A x + C z + a|`, in the unit of `a`.
    #[must_use]
    pub fn equality_residual(&self, x: &DVector<f64>, z: &DVector<f64>) -> f64 {
        let mixed = self.mixed;
        (&mixed.equality * x + &mixed.equality_coupling * z + &mixed.equality_offset).amax()
    }

    /// Solves by Lemke's method and checks the answer against the mixed problem.
    ///
    /// Contradictory equalities end in [`LcpStatus::RayTermination`].
    #[must_use]
    pub fn solve(&self) -> MixedSolution {
        let mut solution = lemke::solve(&self.problem);
        let x = self.free_variables(&solution.z);
        let equality_residual = self.equality_residual(&x, &solution.z);
        let scale = 1.0 + self.mixed.equality_offset.amax();
        if solution.is_solved() && equality_residual > LCP_TOLERANCE * scale {
            solution.status = LcpStatus::RayTermination;
        }
        MixedSolution {
            x,
            complementarity: solution,
            equality_residual,
        }
    }
}

/// Moore–Penrose inverse; singular values below [`LCP_RANK_TOLERANCE`] of the largest count as zero.
fn pseudo_inverse(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let (rows, columns) = matrix.shape();
    if rows == 0 || columns == 0 {
        return DMatrix::zeros(columns, rows);
    }
    let factors = matrix.clone().svd(true, true);
    let rank = LCP_RANK_TOLERANCE * factors.singular_values.amax();
    // The only failure is a factorization without vectors, and these were asked for.
    factors
        .pseudo_inverse(rank)
        .unwrap_or_else(|_| DMatrix::zeros(columns, rows))
}
