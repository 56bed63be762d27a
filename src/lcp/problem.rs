//! The problems and what a method answers.

use crate::constants::LCP_TOLERANCE;
use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector};

/// Seeks `z >= 0` with `w = M z + q >= 0` and `z . w = 0`.
#[derive(Debug, Clone, PartialEq)]
pub struct LcpProblem {
    /// `M`, shape `[n, n]`; its unit is that of `w` over that of `z`.
    pub matrix: DMatrix<f64>,
    /// `q`, shape `[n]`, in the unit of `w`.
    pub q: DVector<f64>,
}

impl LcpProblem {
    /// Number of rows n.
    #[must_use]
    pub fn size(&self) -> usize {
        self.q.len()
    }

    /// Checks shapes and numbers. The methods assume a valid problem and do not check again.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `M` is not square, its size is not that of `q`, or a number is not
    /// finite.
    pub fn validate(&self) -> Result<()> {
        let n = self.q.len();
        if self.matrix.shape() != (n, n) {
            let (rows, columns) = self.matrix.shape();
            return Err(Error::invalid(
                "linear complementarity problem",
                format!("the matrix is {rows} x {columns}, and q has {n} rows"),
            ));
        }
        finite("linear complementarity problem", &self.matrix, &self.q)
    }

    /// `w = M z + q`.
    #[must_use]
    pub fn slack(&self, z: &DVector<f64>) -> DVector<f64> {
        &self.matrix * z + &self.q
    }

    /// Largest min-map residual that counts as a solution, in the unit of `w`:
    /// `LCP_TOLERANCE` times `1 + max |q|`.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        LCP_TOLERANCE * (1.0 + self.q.amax())
    }
}

/// How a pivoting method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LcpStatus {
    /// The min-map residual of `z` is within [`LcpProblem::tolerance`].
    Solved,
    /// The path left every bound: the method found no solution, and `z` is none.
    RayTermination,
    /// The limit of pivots was reached; `z` is no solution.
    MaxPivots,
    /// A number stopped being finite; `z` is zero and no solution.
    NonFinite,
}

/// The point where a method ended.
///
/// Only [`LcpStatus::Solved`] makes it an answer; in all other cases it is the best point found,
/// for diagnosis.
#[derive(Debug, Clone, PartialEq)]
pub struct LcpSolution {
    /// `z`, shape `[n]`, never negative.
    pub z: DVector<f64>,
    /// `w = M z + q`, shape `[n]`.
    pub w: DVector<f64>,
    /// How the method ended.
    pub status: LcpStatus,
    /// Pivots of all attempts together.
    pub pivots: usize,
    /// Min-map residual `max |min(z, w)|`, in the unit of `w`.
    pub residual: f64,
}

impl LcpSolution {
    /// True if `z` solves the problem.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.status == LcpStatus::Solved
    }
}

/// A mixed problem: equalities with free variables `x` beside the complementarity rows,
/// `A x + C z + a = 0` and `0 <= z  _|_  w = D x + B z + b >= 0`.
///
/// For a contact problem with joints (Cline and Pai 2003, eq. 8): `x` holds the joints' impulses,
/// `A = Je M^-1 Je^T` and `a = Je Vf + ce`.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedProblem {
    /// `A`, shape `[m, m]`; may be singular where equalities repeat each other.
    pub equality: DMatrix<f64>,
    /// `C`, shape `[m, n]`.
    pub equality_coupling: DMatrix<f64>,
    /// `a`, shape `[m]`.
    pub equality_offset: DVector<f64>,
    /// `D`, shape `[n, m]`.
    pub complementarity_coupling: DMatrix<f64>,
    /// `B` and `b`, the complementarity rows for `x = 0`.
    pub complementarity: LcpProblem,
}

impl MixedProblem {
    /// Checks shapes and numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the blocks do not fit together or a number is not finite.
    pub fn validate(&self) -> Result<()> {
        const WHAT: &str = "mixed complementarity problem";
        self.complementarity.validate()?;
        let (m, n) = (self.equality_offset.len(), self.complementarity.size());
        for (name, found, expected) in [
            ("equality block", self.equality.shape(), (m, m)),
            ("equality coupling", self.equality_coupling.shape(), (m, n)),
            (
                "complementarity coupling",
                self.complementarity_coupling.shape(),
                (n, m),
            ),
        ] {
            if found != expected {
                return Err(Error::invalid(
                    WHAT,
                    format!("the {name} is {found:?}; {expected:?} is expected"),
                ));
            }
        }
        finite(WHAT, &self.equality, &self.equality_offset)?;
        finite(WHAT, &self.equality_coupling, &self.equality_offset)?;
        finite(WHAT, &self.complementarity_coupling, &self.equality_offset)
    }
}

fn finite(what: &str, matrix: &DMatrix<f64>, vector: &DVector<f64>) -> Result<()> {
    if matrix.iter().chain(vector.iter()).all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(Error::invalid(what, "every number must be finite"))
    }
}
