//! Lemke's complementary pivoting with a random covering vector and lexicographic ties.
//!
//! Problem: `w = M z + q`, `z, w >= 0`, `z . w = 0`. An artificial unknown `z0` is added,
//! `w - M z - d z0 = q` with a covering vector `d > 0`, so that a large `z0` makes everything
//! feasible. Starting there, unknowns enter and leave the basis one at a time, always the complement
//! of the one that left, until `z0` leaves (a solution) or nothing can leave (a ray).
//!
//! Symbols: basis matrix `B` of the columns `e_i` (for `w_i`), `-M_i` (for `z_i`) and `-d` (for
//! `z0`); entering column `t = B^-1 a`; values of the basic unknowns `x = B^-1 q`.
//! Ratio test: among rows with `t_i > 0`, the lexicographically least of `[x_i, (B^-1)_i] / t_i`
//! leaves.
//!
//! Source: Lemke 1965; Cottle, Pang and Stone, *The Linear Complementarity Problem*, section 4.4.
//! Departures, all of them found necessary:
//! * `d_i = 1 + random` in place of ones, which tie massively on boxes and stacks, end in false rays
//!   and need exponentially many pivots on the classic worst cases. Several seeds are tried.
//! * The end point is solved anew on its basis and judged by its residual, never by how the path
//!   ended: a ray may end on a solution.
//! * Where every covering vector fails, paths start from random complementary bases in place of all
//!   `w` basic: from there the same problem looks different. Bimatrix games, which end in a ray at
//!   once, are solved that way.
//! * Only `B^-1` is kept, not the whole tableau; every few pivots it is computed anew.

use super::basis;
use super::{LcpProblem, LcpSolution, LcpStatus};
use crate::constants::{LEMKE_PIVOTS_PER_ROW, LEMKE_RANDOM_BASES, LEMKE_SEEDS};
use nalgebra::{DMatrix, DVector};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Entries of the entering column below this fraction of its largest count as zero.
const PIVOT_TOLERANCE: f64 = 1e-11;
/// Basic unknowns that end this close to zero, as a fraction of the largest, count as tied.
const TIE_TOLERANCE: f64 = 1e-12;
/// Pivots between two inversions of the basis.
const INVERT_EVERY: usize = 50;

/// Limits of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Covering vectors to try, one after the other, until one leads to a solution; at least 1.
    pub seeds: u64,
    /// Further tries, each from a random complementary basis.
    pub random_bases: u64,
    /// Most pivots of one try.
    pub max_pivots: usize,
}

impl Options {
    /// The usual limits for a problem of `rows` rows.
    #[must_use]
    pub fn for_rows(rows: usize) -> Self {
        Self {
            seeds: LEMKE_SEEDS,
            random_bases: LEMKE_RANDOM_BASES,
            max_pivots: LEMKE_PIVOTS_PER_ROW * (rows + 10),
        }
    }
}

/// Solves a valid problem with the usual limits.
#[must_use]
pub fn solve(problem: &LcpProblem) -> LcpSolution {
    solve_with(problem, Options::for_rows(problem.size()))
}

/// Solves a valid problem; see [`LcpProblem::validate`].
///
/// The same problem gives the same answer, bit for bit. The outcome is in
/// [`LcpSolution::status`]; without a solution it is that of the try with the least residual.
#[must_use]
pub fn solve_with(problem: &LcpProblem, options: Options) -> LcpSolution {
    solve_until(problem, options, LcpSolution::is_solved)
}

/// Solves a valid problem, going on until `is_accepted` likes the end of a path: for problems that
/// stand for others, whose residual is what counts.
///
/// [`LcpStatus::Solved`] is the status of an accepted point, and of no other.
#[must_use]
pub(crate) fn solve_until(
    problem: &LcpProblem,
    options: Options,
    mut is_accepted: impl FnMut(&LcpSolution) -> bool,
) -> LcpSolution {
    let mut attempt = |path| {
        let mut solution = attempt(path, options.max_pivots);
        if is_accepted(&solution) {
            solution.status = LcpStatus::Solved;
        } else if solution.is_solved() {
            solution.status = LcpStatus::RayTermination;
        }
        solution
    };
    let mut best = attempt(Path::start(problem, 0));
    let covers = (1..options.seeds).map(|seed| Path::start(problem, seed));
    let bases =
        (0..options.random_bases).filter_map(|seed| Path::start_from_random_basis(problem, seed));
    for path in covers.chain(bases) {
        if best.is_solved() {
            break;
        }
        let pivots = best.pivots;
        let mut next = attempt(path);
        next.pivots += pivots;
        if next.is_solved() || next.residual < best.residual {
            best = next;
        } else {
            best.pivots = next.pivots;
        }
    }
    best
}

/// Uniform in `0..1`, with all digits of an f64.
fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// One path.
fn attempt(mut path: Path<'_>, max_pivots: usize) -> LcpSolution {
    if path.values.iter().all(|&value| value >= 0.0) {
        return path.judge(LcpStatus::Solved, 0);
    }
    let mut entering = Variable::Artificial;
    let mut column = path.column(entering);
    let mut row = path.first_row(&column);
    let mut pivots = 0;
    let status = loop {
        let left = path.basic[row];
        path.pivot(entering, row, &column);
        pivots += 1;
        if left == Variable::Artificial {
            break LcpStatus::Solved;
        }
        if pivots >= max_pivots {
            break LcpStatus::MaxPivots;
        }
        entering = left.complement();
        column = path.column(entering);
        match path.leaving_row(&column) {
            Some(next) => row = next,
            None => break LcpStatus::RayTermination,
        }
    };
    path.judge(status, pivots)
}

/// A column of the tableau.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    /// `w_i`.
    Slack(usize),
    /// `z_i`.
    Unknown(usize),
    /// `z0`.
    Artificial,
}

/// The basis along a path.
struct Path<'a> {
    problem: &'a LcpProblem,
    /// `d`.
    cover: DVector<f64>,
    /// `B^-1`.
    inverse: DMatrix<f64>,
    /// `B^-1 q`.
    values: DVector<f64>,
    /// The basic unknown of each row.
    basic: Vec<Variable>,
    since_inversion: usize,
}

impl<'a> Path<'a> {
    /// All `w` basic.
    fn start(problem: &'a LcpProblem, seed: u64) -> Self {
        let n = problem.size();
        let mut random = Pcg64::seed_from_u64(seed);
        Self {
            problem,
            cover: DVector::from_fn(n, |_, _| 1.0 + uniform(&mut random)),
            inverse: DMatrix::identity(n, n),
            values: problem.q.clone(),
            basic: (0..n).map(Variable::Slack).collect(),
            since_inversion: 0,
        }
    }

    /// Some `z` basic, in place of their `w`; `None` if that is no basis.
    ///
    /// The covering vector is `B d`, so that `z0` starts with the column `-d` here as well.
    fn start_from_random_basis(problem: &'a LcpProblem, seed: u64) -> Option<Self> {
        let n = problem.size();
        let mut path = Self::start(problem, seed);
        let mut random = Pcg64::seed_from_u64(!seed);
        // Few at first: the more are chosen, the more likely they depend on each other.
        let share = (seed + 1) as f64 / 16.0;
        let some = ((u64::from(random.next_u32()) * n as u64) >> 32) as usize;
        for (i, basic) in path.basic.iter_mut().enumerate() {
            if i == some || uniform(&mut random) < share {
                *basic = Variable::Unknown(i);
            }
        }
        let basis = path.basis_matrix();
        path.inverse = basis.clone().try_inverse()?;
        path.values = &path.inverse * &problem.q;
        path.cover = basis * path.cover;
        let finite = path.values.iter().all(|x| x.is_finite());
        finite.then_some(path)
    }

    /// The row that the artificial unknown takes: least `q_i / d_i`, the last of equals, which is
    /// the lexicographic choice.
    fn first_row(&self, column: &DVector<f64>) -> usize {
        let ratio = |i: usize| -self.values[i] / column[i];
        (0..self.values.len()).fold(0, |best, i| if ratio(i) <= ratio(best) { i } else { best })
    }

    /// `B^-1 a` of the column `a` of a variable.
    fn column(&self, variable: Variable) -> DVector<f64> {
        match variable {
            Variable::Slack(i) => self.inverse.column(i).into_owned(),
            Variable::Unknown(i) => -(&self.inverse * self.problem.matrix.column(i)),
            Variable::Artificial => -(&self.inverse * &self.cover),
        }
    }

    /// The ratio test; `None` on a ray. The artificial unknown leaves whenever it is among the ties.
    fn leaving_row(&self, column: &DVector<f64>) -> Option<usize> {
        let smallest = PIVOT_TOLERANCE * column.amax();
        let ratio = |i: usize| self.values[i].max(0.0) / column[i];
        let candidates: Vec<usize> = (0..column.len())
            .filter(|&i| column[i] > smallest)
            .collect();
        let least = candidates
            .iter()
            .map(|&i| ratio(i))
            .min_by(f64::total_cmp)?;
        let small = TIE_TOLERANCE * self.values.amax();
        let mut tied: Vec<usize> = candidates
            .into_iter()
            .filter(|&i| self.values[i] - least * column[i] <= small)
            .collect();
        if let Some(&row) = tied
            .iter()
            .find(|&&i| self.basic[i] == Variable::Artificial)
        {
            return Some(row);
        }
        for j in 0..column.len() {
            if tied.len() == 1 {
                break;
            }
            let entry = |i: usize| self.inverse[(i, j)] / column[i];
            let least = tied.iter().map(|&i| entry(i)).min_by(f64::total_cmp)?;
            let limit = least + TIE_TOLERANCE * least.abs();
            tied.retain(|&i| entry(i) <= limit);
        }
        tied.first().copied()
    }

    /// Makes `variable`, whose column is `column`, basic in `row`.
    fn pivot(&mut self, variable: Variable, row: usize, column: &DVector<f64>) {
        self.basic[row] = variable;
        self.since_inversion += 1;
        if self.since_inversion == INVERT_EVERY {
            self.since_inversion = 0;
            if let Some(inverse) = self.basis_matrix().try_inverse() {
                self.values = &inverse * &self.problem.q;
                self.inverse = inverse;
                return;
            }
        }
        let pivot = column[row];
        let step = self.values[row] / pivot;
        self.values.axpy(-step, column, 1.0);
        self.values[row] = step;
        for mut of_inverse in self.inverse.column_iter_mut() {
            let step = of_inverse[row] / pivot;
            if step != 0.0 {
                of_inverse.axpy(-step, column, 1.0);
                of_inverse[row] = step;
            }
        }
    }

    /// `B` itself.
    fn basis_matrix(&self) -> DMatrix<f64> {
        let n = self.basic.len();
        let mut matrix = DMatrix::zeros(n, n);
        for (mut column, &variable) in matrix.column_iter_mut().zip(&self.basic) {
            match variable {
                Variable::Slack(i) => column[i] = 1.0,
                Variable::Unknown(i) => column.axpy(-1.0, &self.problem.matrix.column(i), 0.0),
                Variable::Artificial => column.axpy(-1.0, &self.cover, 0.0),
            }
        }
        matrix
    }

    /// The point at the end: as the path left it, and solved anew on its basis.
    fn judge(&self, status: LcpStatus, pivots: usize) -> LcpSolution {
        let mut z = DVector::zeros(self.basic.len());
        let mut active = Vec::new();
        for (&variable, &value) in self.basic.iter().zip(self.values.iter()) {
            if let Variable::Unknown(i) = variable {
                z[i] = value;
                active.push(i);
            }
        }
        active.sort_unstable();
        let again = basis::point(self.problem, &active);
        basis::judge(self.problem, again.into_iter().chain([z]), status, pivots)
    }
}

impl Variable {
    /// The unknown of the same index on the other side of `z . w = 0`.
    fn complement(self) -> Self {
        match self {
            Self::Slack(i) => Self::Unknown(i),
            Self::Unknown(i) => Self::Slack(i),
            Self::Artificial => Self::Artificial,
        }
    }
}
