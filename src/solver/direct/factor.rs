//! Block Cholesky factorization of a positive semidefinite matrix, front by front.
//!
//! The front of a node is the dense matrix between its rows and those of the later nodes that its
//! elimination changes. It gathers the entries of the matrix and what the earlier fronts have left to
//! it, eliminates the node's own rows, and leaves the rest to the front of the first later node
//! (Duff and Reid 1983). Within a front the largest pivot goes first; what is left when all pivots
//! are zero is redundant.

use super::fronts::{Front, Fronts};
use super::graph::{Component, dot};
use crate::constants::{DIRECT_PIVOT_PREFERENCE, DIRECT_PIVOT_TOLERANCE};

/// `A = U^T U` without the redundant rows and columns, and the memory that it is made in.
#[derive(Debug, Default)]
pub(super) struct Factor {
    /// In the order of elimination.
    pivots: Vec<Pivot>,
    entries: Vec<f64>,
    /// False for redundant rows.
    pub(super) kept: Vec<bool>,
    /// The front that is being eliminated; symmetric, dense.
    front: Vec<f64>,
    /// Its own rows that are not eliminated yet.
    open: Vec<u32>,
    /// What fronts have left to later ones; symmetric, dense.
    left: Vec<f64>,
}

/// A row of `U`.
#[derive(Debug)]
struct Pivot {
    row: u32,
    /// Its entry on the diagonal.
    diagonal: f64,
    /// Its front's rows in [`Fronts::rows`].
    first_row: usize,
    /// Its other entries in [`Factor::entries`], one for each row of the front.
    first_entry: usize,
    length: usize,
}

impl Factor {
    /// Factors the matrix of a component anew.
    pub(super) fn refactor(&mut self, component: &Component, fronts: &Fronts, damping: f64) {
        self.pivots.clear();
        self.entries.clear();
        self.kept.clear();
        self.kept.resize(component.rows.len(), true);
        self.front.resize(fronts.largest, 0.0);
        self.left.resize(fronts.waiting, 0.0);
        for front in &fronts.fronts {
            let length = front.length();
            let matrix = &mut self.front[..length * length];
            matrix.fill(0.0);
            gather(component, fronts, front, damping, matrix);
            for &child in &fronts.children[front.children.clone()] {
                add(
                    fronts,
                    &fronts.fronts[child as usize],
                    &self.left,
                    matrix,
                    length,
                );
            }
            self.eliminate(&fronts.rows, front);
            if front.has_parent {
                let from = &self.front[..length * length];
                let rows = from.chunks_exact(length).skip(front.own);
                let to = self.left[front.left..].chunks_exact_mut(front.left_rows());
                for (to, row) in to.zip(rows) {
                    to.copy_from_slice(&row[front.own..]);
                }
            }
        }
    }

    /// Eliminates the own rows of a front.
    fn eliminate(&mut self, all_rows: &[u32], front: &Front) {
        let (own, length) = (front.own, front.length());
        let rows = &all_rows[front.rows.clone()];
        let matrix = &mut self.front[..length * length];
        self.open.clear();
        self.open.extend(0..own as u32);
        while let Some(at) = largest(&self.open, |row| matrix[row * length + row]) {
            let pivot = self.open[at] as usize;
            let square = matrix[pivot * length + pivot];
            // A pivot that is no number is kept, and spoils the solution where all can see it.
            if square <= DIRECT_PIVOT_TOLERANCE {
                break;
            }
            self.open.remove(at);
            let diagonal = square.sqrt();
            let first_entry = self.entries.len();
            let row = &matrix[pivot * length..(pivot + 1) * length];
            // Rows that are eliminated already have no part in this one.
            self.entries.resize(first_entry + own, 0.0);
            for &at in &self.open {
                let at = at as usize;
                self.entries[first_entry + at] = row[at] / diagonal;
            }
            self.entries.extend(row[own..].iter().map(|x| x / diagonal));
            let entries = &self.entries[first_entry..];
            let open = self.open.iter().map(|&at| at as usize);
            for at in open.chain(own..length) {
                let factor = entries[at];
                let row = &mut matrix[at * length..(at + 1) * length];
                for (x, entry) in row.iter_mut().zip(entries) {
                    *x -= factor * entry;
                }
            }
            self.pivots.push(Pivot {
                row: rows[pivot],
                diagonal,
                first_row: front.rows.start,
                first_entry,
                length,
            });
        }
        for &redundant in &self.open {
            self.kept[rows[redundant as usize] as usize] = false;
        }
    }

    /// Replaces a right-hand side by the solution, which is zero in redundant rows.
    pub(super) fn solve(&self, fronts: &Fronts, x: &mut [f64]) {
        for pivot in &self.pivots {
            let value = x[pivot.row as usize] / pivot.diagonal;
            x[pivot.row as usize] = value;
            for (&row, entry) in self.entries_of(fronts, pivot) {
                x[row as usize] -= entry * value;
            }
        }
        for (x, &kept) in x.iter_mut().zip(&self.kept) {
            if !kept {
                *x = 0.0;
            }
        }
        for pivot in self.pivots.iter().rev() {
            let known: f64 = self
                .entries_of(fronts, pivot)
                .map(|(&row, entry)| entry * x[row as usize])
                .sum();
            x[pivot.row as usize] = (x[pivot.row as usize] - known) / pivot.diagonal;
        }
    }

    fn entries_of<'a>(
        &'a self,
        fronts: &'a Fronts,
        pivot: &Pivot,
    ) -> impl Iterator<Item = (&'a u32, &'a f64)> {
        let rows = &fronts.rows[pivot.first_row..pivot.first_row + pivot.length];
        let entries = &self.entries[pivot.first_entry..pivot.first_entry + pivot.length];
        rows.iter().zip(entries)
    }
}

/// Place in `open` of the row with the largest pivot; the first among near equals, so that round-off
/// does not choose.
fn largest(open: &[u32], pivot: impl Fn(usize) -> f64) -> Option<usize> {
    let mut best = None;
    let mut size = f64::NEG_INFINITY;
    for (at, &row) in open.iter().enumerate() {
        let candidate = pivot(row as usize);
        if best.is_none() || candidate > size * (1.0 + DIRECT_PIVOT_PREFERENCE) {
            best = Some(at);
            size = candidate;
        }
    }
    best
}

/// Adds the entries of the matrix between a node and itself and the nodes after it, and `damping` to
/// its diagonal.
fn gather(component: &Component, fronts: &Fronts, front: &Front, damping: f64, matrix: &mut [f64]) {
    let length = front.length();
    let rows = &component.rows[component.nodes[front.node as usize].rows.clone()];
    for link in &fronts.links[front.links.clone()] {
        let [side, other_side] = link.sides.map(usize::from);
        let columns = &component.rows[component.nodes[link.other as usize].rows.clone()];
        let first = link.first as usize;
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let entry = dot(&row.jacobian[side], &column.moved[other_side]);
                matrix[i * length + first + j] += entry;
                if first > 0 {
                    matrix[(first + j) * length + i] += entry;
                }
            }
        }
    }
    for (i, row) in rows.iter().enumerate() {
        matrix[i * length + i] += row.softness + damping;
    }
}

/// Adds what an earlier front left.
fn add(fronts: &Fronts, child: &Front, left: &[f64], matrix: &mut [f64], length: usize) {
    let count = child.left_rows();
    let places = &fronts.places[child.rows.start + child.own..child.rows.end];
    let entries = left[child.left..].chunks_exact(count);
    for (&to, from) in places.iter().zip(entries) {
        let row = &mut matrix[to as usize * length..(to as usize + 1) * length];
        for (&column, entry) in places.iter().zip(from) {
            row[column as usize] += entry;
        }
    }
}
