//! Dense linear complementarity problems and their reference solvers, f64.
//!
//! The linear complementarity problem of a square matrix `M` and a vector `q` asks for `z` with
//! `w = M z + q`, `z >= 0`, `w >= 0`, `z . w = 0`. Everything here is dense, serial and careful: it
//! referees the fast solvers and is not meant for crowds.
//!
//! | method | function | for |
//! |---|---|---|
//! | Lemke, lexicographic | [`lemke::solve`] | any matrix |
//! | Dantzig pivoting after Baraff | [`dantzig::solve`] | symmetric positive semidefinite matrices |
//! | elimination of equalities | [`reduction::Reduction`] | mixed problems, joints included |

mod basis;
pub(crate) mod dantzig;
pub(crate) mod lemke;
mod problem;
pub(crate) mod reduction;
pub(crate) mod residual;

pub use problem::{LcpProblem, LcpSolution, LcpStatus, MixedProblem};
