//! A friction problem `u = W r + q` as blocks: velocities from the rows of the matrix.

use super::sparse::SparseMatrix;
use drystone::internals::nsgs::{ContactBlock, Residual, Section, System};
use drystone::solver::nsgs::LocalRule;

/// `W`, `q` and the contacts' diagonal blocks; the cone is the disk.
#[derive(Debug)]
pub(super) struct Delassus<'a> {
    /// `W^T`, whose columns are the rows of `W`, which need not be symmetric.
    rows: SparseMatrix,
    q: &'a [f64],
    blocks: Vec<ContactBlock>,
    rule: LocalRule,
}

impl<'a> Delassus<'a> {
    pub(super) fn new(
        delassus: &SparseMatrix,
        q: &'a [f64],
        friction: &[f64],
        rule: LocalRule,
    ) -> Self {
        let rows = delassus.transposed();
        let blocks = friction
            .iter()
            .enumerate()
            .map(|(contact, &friction)| {
                let block = std::array::from_fn(|i| {
                    std::array::from_fn(|j| rows.entry(3 * contact + j, 3 * contact + i))
                });
                ContactBlock::new(block, friction)
            })
            .collect();
        Self {
            rows,
            q,
            blocks,
            rule,
        }
    }

    /// Relative velocity of a contact `[m/s]`.
    pub(super) fn velocity(&self, contact: usize, r: &[f64]) -> [f64; 3] {
        std::array::from_fn(|i| {
            let row = 3 * contact + i;
            self.rows.column_product(row, r) + self.q[row]
        })
    }

    /// The diagonal blocks, with the coefficients of friction.
    pub(super) fn blocks(&self) -> &[ContactBlock] {
        &self.blocks
    }
}

fn of_contact(r: &[f64], contact: usize) -> [f64; 3] {
    std::array::from_fn(|i| r[3 * contact + i])
}

impl System for Delassus<'_> {
    fn unknowns(&self) -> usize {
        self.q.len()
    }

    fn refresh(&mut self, _r: &[f64]) {}

    fn sweep(&mut self, r: &mut [f64]) {
        for (contact, block) in self.blocks.iter().enumerate() {
            if block.is_usable() {
                let u = self.velocity(contact, r);
                let after = block.visit(of_contact(r, contact), u, &Section::Disk, self.rule);
                r[3 * contact..3 * contact + 3].copy_from_slice(&after);
            }
        }
    }

    fn ease(&mut self) -> bool {
        self.rule = LocalRule::Product { iterations: 1 };
        true
    }

    fn residual(&self, r: &[f64]) -> Residual {
        Residual::over(self.blocks.iter().enumerate().map(|(contact, block)| {
            let u = self.velocity(contact, r);
            block.residual(of_contact(r, contact), u, &Section::Disk)
        }))
    }

    fn admit(&self, r: &mut [f64]) {
        for (block, r) in self.blocks.iter().zip(r.chunks_mut(3)) {
            let admissible = block.admissible([r[0], r[1], r[2]], &Section::Disk);
            r.copy_from_slice(&admissible);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.blocks
            .iter()
            .flat_map(|block| {
                let mass = block.residual_mass;
                [if mass > 0.0 { (1.0 / mass).sqrt() } else { 0.0 }; 3]
            })
            .collect()
    }

    fn speed_scale(&self) -> f64 {
        self.q.iter().fold(0.0, |max, q| max.max(q.abs()))
    }
}
