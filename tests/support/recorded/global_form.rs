//! The global form of a friction problem: `M v = H r + f`, `u = H^T v + w`.

use super::sparse::SparseMatrix;
use nalgebra::{DMatrix, DVector};

/// Masses, contact directions and forces of a recorded problem.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalForm {
    /// `M`, shape `[n, n]`.
    pub mass: SparseMatrix,
    /// `H`, shape `[n, 3 contacts]`: a column for each direction of each contact.
    pub directions: SparseMatrix,
    /// `f`, impulses of other origin with the momenta before the step; shape `[n]`.
    pub force: Vec<f64>,
    /// `w`, what the contacts' velocities have beside `H^T v` `[m/s]`; shape `[3 contacts]`.
    pub offset: Vec<f64>,
}

/// A set of unknowns that `M` couples, and its part of `M` factorized.
struct MassBlock {
    unknowns: Vec<usize>,
    factors: nalgebra::LU<f64, nalgebra::Dyn, nalgebra::Dyn>,
}

impl GlobalForm {
    /// Sets of unknowns that `M` couples with each other and with no others; each ascending.
    #[must_use]
    pub fn coupled_unknowns(&self) -> Vec<Vec<usize>> {
        let n = self.mass.columns();
        let mut leader: Vec<usize> = (0..n).collect();
        fn find(leader: &mut [usize], mut at: usize) -> usize {
            while leader[at] != at {
                leader[at] = leader[leader[at]];
                at = leader[at];
            }
            at
        }
        for column in 0..n {
            for (row, value) in self.mass.column(column) {
                if value != 0.0 {
                    let (a, b) = (find(&mut leader, row), find(&mut leader, column));
                    leader[a.max(b)] = a.min(b);
                }
            }
        }
        let mut sets: Vec<Vec<usize>> = vec![Vec::new(); n];
        for unknown in 0..n {
            let set = find(&mut leader, unknown);
            sets[set].push(unknown);
        }
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// `W = H^T M^-1 H` and `q = H^T M^-1 f + w` (Acary, Brémond and Huber 2018, section 3).
    ///
    /// # Errors
    /// A text that names a singular part of `M`.
    pub(super) fn reduce(&self) -> Result<(SparseMatrix, Vec<f64>), String> {
        let blocks = self.mass_blocks()?;
        let n = self.mass.columns();
        let solve = |rhs: &mut [f64]| {
            for block in &blocks {
                let part = DVector::from_iterator(
                    block.unknowns.len(),
                    block.unknowns.iter().map(|&i| rhs[i]),
                );
                if part.iter().all(|&x| x == 0.0) {
                    continue;
                }
                if let Some(solved) = block.factors.solve(&part) {
                    for (&i, &x) in block.unknowns.iter().zip(solved.iter()) {
                        rhs[i] = x;
                    }
                }
            }
        };
        let mut free = self.force.clone();
        solve(&mut free);
        let rows = self.directions.columns();
        let q = (0..rows)
            .map(|row| self.directions.column_product(row, &free) + self.offset[row])
            .collect();
        let mut delassus = DMatrix::zeros(rows, rows);
        let mut response = vec![0.0; n];
        for column in 0..rows {
            response.fill(0.0);
            for (row, value) in self.directions.column(column) {
                response[row] = value;
            }
            solve(&mut response);
            for row in 0..rows {
                delassus[(row, column)] = self.directions.column_product(row, &response);
            }
        }
        Ok((SparseMatrix::from_dense(&delassus), q))
    }

    fn mass_blocks(&self) -> Result<Vec<MassBlock>, String> {
        self.coupled_unknowns()
            .into_iter()
            .map(|unknowns| {
                let part = DMatrix::from_fn(unknowns.len(), unknowns.len(), |i, j| {
                    self.mass.entry(unknowns[i], unknowns[j])
                });
                let factors = part.lu();
                if !factors.is_invertible() {
                    return Err(format!(
                        "singular in unknown {} and those coupled to it",
                        unknowns[0]
                    ));
                }
                Ok(MassBlock { unknowns, factors })
            })
            .collect()
    }
}
