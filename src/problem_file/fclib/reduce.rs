//! From masses and directions to contacts alone.

use super::fits;
use super::sparse::Sparse;
use crate::constants::{
    LCP_RANK_TOLERANCE, MAX_CONTRADICTION, MAX_COUPLED_UNKNOWNS, MAX_DENSE_ENTRIES,
};
use crate::error::Error;
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Unknowns beside contacts: `u = W r + A l + q`, `A^T r + S l + s = 0`.
#[derive(Debug)]
pub(super) struct Mixed {
    /// A, shape `[rows, l]`.
    pub(super) coupling: DMatrix<f64>,
    /// S, shape `[l, l]`.
    pub(super) own: DMatrix<f64>,
    /// s, shape `[l]`.
    pub(super) constant: DVector<f64>,
}

impl Mixed {
    /// Terms that eliminating them adds to W and q: `-A S^-1 A^T` and `-A S^-1 s`; nothing where S is singular, unless its rows repeat each other and
    /// agree, as those of joints in a loop do.
    pub(super) fn eliminated(&self) -> Option<(DMatrix<f64>, DVector<f64>)> {
        let rows = self.coupling.nrows();
        // A^T, and s after it.
        let mut given = self.coupling.transpose().insert_column(rows, 0.0);
        given.set_column(rows, &self.constant);
        let solved = match Factors::new(self.own.clone()) {
            Some(factors) => factors.solve(&given),
            None => self.solve_independent(&given)?,
        };
        let added = -(&self.coupling * solved);
        let constant = added.column(rows).into_owned();
        Some((added.remove_column(rows), constant))
    }

    /// A solution `X` of `S X = given` by rows of S that do not depend on each other; nothing if the others contradict them.
    fn solve_independent(&self, given: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        let count = self.own.nrows();
        let decomposed = self.own.clone().col_piv_qr();
        let pivots = decomposed.r().diagonal();
        let largest = pivots
            .iter()
            .fold(0.0, |max: f64, pivot| max.max(pivot.abs()));
        let least = LCP_RANK_TOLERANCE * largest;
        let rank = pivots.iter().filter(|pivot| pivot.abs() > least).count();
        let mut order = DMatrix::from_fn(1, count, |_, column| column);
        decomposed.p().permute_columns(&mut order);
        let chosen: Vec<usize> = order.iter().copied().take(rank).collect();
        let part = DMatrix::from_fn(rank, rank, |i, j| self.own[(chosen[i], chosen[j])]);
        let found = Factors::new(part)?.solve(&given.select_rows(&chosen));
        let mut solution = DMatrix::zeros(count, given.ncols());
        for (row, &at) in found.row_iter().zip(&chosen) {
            solution.set_row(at, &row);
        }
        let error = (&self.own * &solution - given).amax();
        (error <= MAX_CONTRADICTION * given.amax()).then_some(solution)
    }
}

/// A problem of contacts alone, but for the unknowns in `mixed`.
#[derive(Debug)]
pub(super) struct Reduced {
    /// W.
    pub(super) operator: BTreeMap<(usize, usize), f64>,
    /// q.
    pub(super) free: Vec<f64>,
    pub(super) mixed: Option<Mixed>,
}

/// Reason why a problem cannot be reduced.
#[derive(Debug)]
pub(super) enum Refusal {
    Singular(String),
    TooLarge(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::TooLarge(error)
    }
}

/// `W = H^T M^-1 H`, `q = H^T M^-1 f + w`, and what G adds to it; every set of unknowns that M couples by itself.
pub(super) fn reduce(
    (mass, force): (&Sparse, &[f64]),
    (directions, offset): (&Sparse, &[f64]),
    equalities: Option<(&Sparse, &[f64])>,
) -> Result<Reduced, Refusal> {
    let (rows, count) = (directions.columns, equalities.map_or(0, |(g, _)| g.columns));
    let mut reduced = Reduced {
        operator: BTreeMap::new(),
        free: offset.to_vec(),
        mixed: None,
    };
    if let Some((_, constant)) = equalities {
        fits("H^T M^-1 G", rows, count)?;
        fits("G^T M^-1 G", count, count)?;
        reduced.mixed = Some(Mixed {
            coupling: DMatrix::zeros(rows, count),
            own: DMatrix::zeros(count, count),
            constant: DVector::from_column_slice(constant),
        });
    }
    let sets = coupled_unknowns(mass);
    let mut set_of = vec![0; mass.rows];
    for (index, set) in sets.iter().enumerate() {
        for &unknown in set {
            set_of[unknown] = index;
        }
    }
    // Columns of H, then of G, that touch each set.
    let mut touched: Vec<Vec<usize>> = vec![Vec::new(); sets.len()];
    let mut touch = |matrix: &Sparse, first: usize| {
        matrix.each(|row, column, value| {
            let columns = &mut touched[set_of[row]];
            if value != 0.0 && columns.last() != Some(&(first + column)) {
                columns.push(first + column);
            }
        });
    };
    touch(directions, 0);
    if let Some((g, _)) = equalities {
        touch(g, rows);
    }
    let products: u64 = touched
        .iter()
        .map(|columns| (columns.len() as u64).pow(2))
        .sum();
    if products > MAX_DENSE_ENTRIES {
        return Err(Refusal::TooLarge(Error::Capacity {
            what: "entries of H^T M^-1 H".into(),
            needed: products,
            available: MAX_DENSE_ENTRIES,
        }));
    }
    let mut at = vec![0; mass.rows];
    for (set, columns) in sets.iter().zip(&touched) {
        for (index, &unknown) in set.iter().enumerate() {
            at[unknown] = index;
        }
        if columns.is_empty() {
            continue;
        }
        let factors = factorize(mass, set, &at)?;
        let size = set.len();
        let column_of = |column: usize| match equalities {
            Some((g, _)) if column >= rows => (g, column - rows),
            _ => (directions, column),
        };
        // The columns, and the force after them.
        let mut given = DMatrix::zeros(size, columns.len() + 1);
        for (index, &column) in columns.iter().enumerate() {
            let (matrix, column) = column_of(column);
            for (row, value) in matrix.column(column) {
                if set.get(at[row]) == Some(&row) {
                    given[(at[row], index)] += value;
                }
            }
        }
        for (index, &unknown) in set.iter().enumerate() {
            given[(index, columns.len())] = force[unknown];
        }
        let products = given.columns(0, columns.len()).transpose() * factors.solve(&given);
        reduced.add(columns, rows, &products);
    }
    Ok(reduced)
}

impl Reduced {
    /// Adds what a set contributes: products of its columns with each other, and with the force.
    fn add(&mut self, columns: &[usize], rows: usize, products: &DMatrix<f64>) {
        for (i, &row) in columns.iter().enumerate() {
            let with_force = products[(i, columns.len())];
            match &mut self.mixed {
                Some(mixed) if row >= rows => mixed.constant[row - rows] += with_force,
                _ => self.free[row] += with_force,
            }
            for (j, &column) in columns.iter().enumerate() {
                let value = products[(i, j)];
                match &mut self.mixed {
                    Some(mixed) if row >= rows && column >= rows => {
                        mixed.own[(row - rows, column - rows)] += value;
                    }
                    Some(mixed) if column >= rows => mixed.coupling[(row, column - rows)] += value,
                    // The transpose of the line above.
                    Some(_) if row >= rows => {}
                    _ => *self.operator.entry((row, column)).or_default() += value,
                }
            }
        }
    }
}

/// Sets of unknowns that a matrix couples with each other and with no others; each ascending.
fn coupled_unknowns(mass: &Sparse) -> Vec<Vec<usize>> {
    fn find(leader: &mut [usize], mut at: usize) -> usize {
        while leader[at] != at {
            leader[at] = leader[leader[at]];
            at = leader[at];
        }
        at
    }
    let mut leader: Vec<usize> = (0..mass.rows).collect();
    mass.each(|row, column, value| {
        if value != 0.0 {
            let (a, b) = (find(&mut leader, row), find(&mut leader, column));
            leader[a.max(b)] = a.min(b);
        }
    });
    let mut sets: Vec<Vec<usize>> = vec![Vec::new(); mass.rows];
    for unknown in 0..mass.rows {
        let set = find(&mut leader, unknown);
        sets[set].push(unknown);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

/// A part of M, factorized.
fn factorize(mass: &Sparse, set: &[usize], at: &[usize]) -> Result<Factors, Refusal> {
    let size = set.len();
    if size > MAX_COUPLED_UNKNOWNS {
        return Err(Refusal::TooLarge(Error::Capacity {
            what: "unknowns that M couples".into(),
            needed: size as u64,
            available: MAX_COUPLED_UNKNOWNS as u64,
        }));
    }
    let mut part = DMatrix::zeros(size, size);
    for (index, &unknown) in set.iter().enumerate() {
        for (row, value) in mass.column(unknown).filter(|&(_, value)| value != 0.0) {
            part[(at[row], index)] += value;
        }
    }
    Factors::new(part)
        .ok_or_else(|| Refusal::Singular(format!("the part of unknown {} is singular", set[0])))
}

/// A matrix that is not singular, factorized.
struct Factors(nalgebra::LU<f64, nalgebra::Dyn, nalgebra::Dyn>);

impl Factors {
    /// Nothing for a matrix that is singular to round-off, or has a number that is not finite.
    fn new(matrix: DMatrix<f64>) -> Option<Self> {
        let scale = matrix.amax();
        let size = matrix.nrows();
        let factors = matrix.lu();
        let pivots = factors.u().diagonal();
        let least = pivots
            .iter()
            .fold(f64::INFINITY, |least, p| least.min(p.abs()));
        let is_regular = least > size as f64 * f64::EPSILON * scale && scale.is_finite();
        (size == 0 || is_regular).then_some(Self(factors))
    }

    fn solve(&self, given: &DMatrix<f64>) -> DMatrix<f64> {
        if given.nrows() == 0 {
            return given.clone();
        }
        self.0.solve(given).unwrap_or_else(|| given * f64::NAN)
    }
}
