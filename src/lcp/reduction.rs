//! From a mixed problem to a pure one: the free variables are eliminated.
//!
//! With `x = -A^+ (C z + a)` in `w = D x + B z + b`:
//! `M = B - D A^+ C`, `q = b - D A^+ a`, which for joints is Cline and Pai 2003, eqs 13–14.
//! `A^+` is the pseudo-inverse, so that joints may repeat each other; if they contradict each other
//! no `x` satisfies them, and [`Reduction::equality_residual`] shows it.
//!
//! What counts is the residual of the mixed problem. Where that of a path's end is small and not
//! good enough, Newton's method on the min map goes on from there, with iterative refinement against
//! the mixed problem's own matrices: the errors of `A^+` are then gone.

use super::residual::min_map;
use super::{LcpProblem, LcpSolution, LcpStatus, MixedProblem, lemke};
use crate::constants::{LCP_RANK_TOLERANCE, LCP_TOLERANCE};
use nalgebra::{DMatrix, DVector};

/// Steps of iterative refinement.
const REFINEMENTS: usize = 3;
/// What a proximal step adds to the diagonal, which is 1 in scaled rows.
const REGULARIZATION: f64 = 1e-6;
/// Proximal steps.
const PROXIMAL_STEPS: usize = 6;
/// Steps of Newton's method from the end of a path.
const NEWTON_STEPS: usize = 4;
/// Residual above which the end of a path is no place to start from, over `1 + max z`.
const NEWTON_REACH: f64 = 1e-4;

/// A mixed problem with its free variables eliminated.
#[derive(Debug, Clone)]
pub struct Reduction<'a> {
    mixed: &'a MixedProblem,
    /// `A^+`.
    inverse: DMatrix<f64>,
    /// `D A^+`.
    through: DMatrix<f64>,
    /// The pure problem, of the same `z` and `w`.
    pub problem: LcpProblem,
}

/// The answer to a mixed problem.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedSolution {
    /// The free variables `x`, shape `[m]`.
    pub x: DVector<f64>,
    /// `z`, and `w` and the residual as the mixed problem has them; solved only if the equalities
    /// hold too.
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
            through,
            problem,
        }
    }

    /// `x` that belongs to `z`; of all, the one of least norm.
    #[must_use]
    pub fn free_variables(&self, z: &DVector<f64>) -> DVector<f64> {
        let mut x = DVector::zeros(self.mixed.equality_offset.len());
        for _ in 0..REFINEMENTS {
            x -= &self.inverse * self.equality(&x, z);
        }
        x
    }

    /// `A x + C z + a`, shape `[m]`.
    #[must_use]
    pub fn equality(&self, x: &DVector<f64>, z: &DVector<f64>) -> DVector<f64> {
        let mixed = self.mixed;
        &mixed.equality * x + &mixed.equality_coupling * z + &mixed.equality_offset
    }

    /// `w = D x + B z + b`.
    fn slack(&self, x: &DVector<f64>, z: &DVector<f64>) -> DVector<f64> {
        &self.mixed.complementarity_coupling * x + self.mixed.complementarity.slack(z)
    }

    /// `max |A x + C z + a|`, in the unit of `a`.
    #[must_use]
    pub fn equality_residual(&self, x: &DVector<f64>, z: &DVector<f64>) -> f64 {
        self.equality(x, z).amax()
    }

    /// Of `A x + C z + a`, the part that no `x` changes: how far equalities contradict each other.
    #[must_use]
    pub fn contradiction(&self, equality: &DVector<f64>) -> DVector<f64> {
        equality - &self.mixed.equality * (&self.inverse * equality)
    }

    /// One step of Newton's method on the min map: the point with `w = 0` where `z > w`, `z = 0`
    /// elsewhere, and the equalities satisfied. `z` may be negative. Where rows depend on each other
    /// it is the nearest such point in the least-squares sense; `None` if a number overflows.
    #[must_use]
    pub fn newton(
        &self,
        x: &DVector<f64>,
        z: &DVector<f64>,
    ) -> Option<(DVector<f64>, DVector<f64>)> {
        let w = self.slack(x, z);
        let active: Vec<usize> = (0..z.len()).filter(|&i| z[i] > w[i]).collect();
        let block = DMatrix::from_fn(active.len(), active.len(), |i, j| {
            self.problem.matrix[(active[i], active[j])]
        });
        let inverse = pseudo_inverse(&block);
        let mut z = DVector::from_fn(z.len(), |i, _| if z[i] > w[i] { z[i] } else { 0.0 });
        let mut x = self.free_variables(&z);
        for _ in 0..REFINEMENTS {
            let mut equality = self.equality(&x, &z);
            let off = self.slack(&x, &z) - &self.through * &equality;
            let step = &inverse * DVector::from_fn(active.len(), |i, _| -off[active[i]]);
            for (&i, &step) in active.iter().zip(step.iter()) {
                z[i] += step;
                equality.axpy(step, &self.mixed.equality_coupling.column(i), 1.0);
            }
            x -= &self.inverse * equality;
        }
        let finite = x.iter().chain(z.iter()).all(|x| x.is_finite());
        finite.then_some((x, z))
    }

    /// Solves by Lemke's method, going on until `is_accepted` likes a point `(x, z)`. Each end of a
    /// path is offered; and if refused but close to a solution, what steps of Newton's method make
    /// of it: round-off hides the last pivots of degenerate paths. Where every path fails, the ends of
    /// some proximal steps `w = M z + q + eps (z - z')`, z' being the end of the step before, are
    /// offered in the same way: with a larger diagonal there are no ties and no false rays. Returns
    /// the status and the pivots.
    pub fn solve_until(
        &self,
        mut is_accepted: impl FnMut(&DVector<f64>, &DVector<f64>) -> bool,
    ) -> (LcpStatus, usize) {
        let mut is_end_accepted = |solution: &LcpSolution| {
            let (mut x, mut z) = (self.free_variables(&solution.z), solution.z.clone());
            if is_accepted(&x, &z) {
                return true;
            }
            if solution.residual > NEWTON_REACH * (1.0 + z.amax()) {
                return false;
            }
            for _ in 0..NEWTON_STEPS {
                let Some(next) = self.newton(&x, &z) else {
                    return false;
                };
                (x, z) = next;
                let feasible = z.map(|z| z.max(0.0));
                if is_accepted(&x, &feasible) {
                    return true;
                }
            }
            false
        };
        let options = lemke::Options::for_rows(self.problem.size());
        let first = lemke::solve_until(&self.problem, options, &mut is_end_accepted);
        if first.is_solved() {
            return (first.status, first.pivots);
        }
        let options = lemke::Options {
            seeds: 2,
            random_bases: 0,
            ..options
        };
        let mut regular = self.problem.clone();
        for i in 0..regular.size() {
            regular.matrix[(i, i)] += REGULARIZATION;
        }
        let (mut status, mut pivots) = (first.status, first.pivots);
        for _ in 0..PROXIMAL_STEPS {
            let mut is_accepted = false;
            let near = lemke::solve_until(&regular, options, |solution| {
                is_accepted = is_end_accepted(solution);
                is_accepted || solution.residual <= regular.tolerance()
            });
            pivots += near.pivots;
            if is_accepted {
                status = LcpStatus::Solved;
            }
            if is_accepted || !near.is_solved() {
                break;
            }
            regular.q = &self.problem.q - REGULARIZATION * near.z;
        }
        (status, pivots)
    }

    /// Solves by Lemke's method and checks the answer against the mixed problem.
    ///
    /// Contradictory equalities end in [`LcpStatus::RayTermination`].
    #[must_use]
    pub fn solve(&self) -> MixedSolution {
        let mixed = self.mixed;
        let equalities = LCP_TOLERANCE * (1.0 + mixed.equality_offset.amax());
        let tolerance = mixed.complementarity.tolerance();
        let mut best: Option<MixedSolution> = None;
        let (status, pivots) = self.solve_until(|x, z| {
            let w = self.slack(x, z);
            let residual = min_map(z, &w);
            let equality_residual = self.equality_residual(x, z);
            let solution = MixedSolution {
                x: x.clone(),
                complementarity: LcpSolution {
                    z: z.clone(),
                    w,
                    status: LcpStatus::Solved,
                    pivots: 0,
                    residual,
                },
                equality_residual,
            };
            let worst = |s: &MixedSolution| s.complementarity.residual.max(s.equality_residual);
            if best
                .as_ref()
                .is_none_or(|best| worst(&solution) < worst(best))
            {
                best = Some(solution);
            }
            residual <= tolerance && equality_residual <= equalities
        });
        // At least one point was offered.
        let mut best = best.unwrap_or_else(|| self.nothing());
        best.complementarity.status = status;
        best.complementarity.pivots = pivots;
        best
    }

    /// The point `z = 0`.
    fn nothing(&self) -> MixedSolution {
        let z = DVector::zeros(self.problem.size());
        let x = self.free_variables(&z);
        let w = self.slack(&x, &z);
        MixedSolution {
            complementarity: LcpSolution {
                residual: min_map(&z, &w),
                w,
                status: LcpStatus::NonFinite,
                pivots: 0,
                z: z.clone(),
            },
            equality_residual: self.equality_residual(&x, &z),
            x,
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
