//! Block Cholesky factorization of a positive semidefinite matrix, front by front.
//!
//! The front of a node is the dense matrix between its rows and those of the later nodes that its
//! elimination changes. It gathers the entries of the matrix and what the earlier fronts have left to
//! it, eliminates the node's own rows, and leaves the rest to the front of the first later node
//! (Duff and Reid 1983). Within a front the largest pivot goes first; what is left when all pivots
//! are zero is redundant.

use super::graph::{Component, IMMOVABLE, Node, dot};
use super::order::Order;
use crate::constants::{DIRECT_PIVOT_PREFERENCE, DIRECT_PIVOT_TOLERANCE};

/// `A = U^T U` without the redundant rows and columns.
pub(super) struct Factor {
    /// In the order of elimination.
    pivots: Vec<Pivot>,
    /// Rows and numbers of all fronts, one after the other.
    rows: Vec<u32>,
    entries: Vec<f64>,
    /// False for redundant rows.
    pub(super) kept: Vec<bool>,
}

/// A row of `U`.
struct Pivot {
    row: u32,
    /// Its entry on the diagonal.
    diagonal: f64,
    /// Its front's rows in [`Factor::rows`].
    first_row: usize,
    /// Its other entries in [`Factor::entries`], one for each row of the front.
    first_entry: usize,
    length: usize,
}

/// What a front leaves to its parent.
struct Update {
    rows: Vec<u32>,
    /// Symmetric, dense; shape `[rows.len(), rows.len()]`.
    matrix: Vec<f64>,
}

impl Factor {
    pub(super) fn new(component: &Component, order: &Order, damping: f64) -> Self {
        let mut factor = Self {
            pivots: Vec::with_capacity(component.rows.len()),
            rows: Vec::new(),
            entries: Vec::new(),
            kept: vec![true; component.rows.len()],
        };
        let mut updates: Vec<Vec<Update>> = Vec::new();
        updates.resize_with(component.nodes.len(), Vec::new);
        let mut place = vec![0_u32; component.rows.len()];
        let mut front = Vec::new();
        for &node in &order.nodes {
            let later = &order.later[node as usize];
            let received = std::mem::take(&mut updates[node as usize]);
            let rows = rows_of(component, node, later);
            for (at, &row) in rows.iter().enumerate() {
                place[row as usize] = at as u32;
            }
            front.clear();
            front.resize(rows.len() * rows.len(), 0.0);
            gather(component, node, later, damping, &mut front, rows.len());
            for update in &received {
                add(update, &place, &mut front, rows.len());
            }
            let own = component.nodes[node as usize].size();
            factor.eliminate(&rows, own, &mut front);
            if let Some(&parent) = later.first() {
                updates[parent as usize].push(rest(&rows, own, &front));
            }
        }
        factor
    }

    /// Eliminates the first `own` rows of a front.
    fn eliminate(&mut self, rows: &[u32], own: usize, front: &mut [f64]) {
        let length = rows.len();
        let first_row = self.rows.len();
        self.rows.extend_from_slice(rows);
        let mut open: Vec<usize> = (0..own).collect();
        while let Some(at) = largest(&open, |row| front[row * length + row]) {
            let pivot = open[at];
            let square = front[pivot * length + pivot];
            // A pivot that is no number is kept, and spoils the solution where all can see it.
            if square <= DIRECT_PIVOT_TOLERANCE {
                break;
            }
            open.remove(at);
            let diagonal = square.sqrt();
            let first_entry = self.entries.len();
            let row = &front[pivot * length..(pivot + 1) * length];
            self.entries.extend(row.iter().map(|x| x / diagonal));
            // Rows that are eliminated already have no part in this one.
            let entries = &mut self.entries[first_entry..];
            for (at, entry) in entries[..own].iter_mut().enumerate() {
                if !open.contains(&at) {
                    *entry = 0.0;
                }
            }
            for at in open.iter().copied().chain(own..length) {
                let factor = entries[at];
                let row = &mut front[at * length..(at + 1) * length];
                for (x, entry) in row.iter_mut().zip(&*entries) {
                    *x -= factor * entry;
                }
            }
            self.pivots.push(Pivot {
                row: rows[pivot],
                diagonal,
                first_row,
                first_entry,
                length,
            });
        }
        for redundant in open {
            self.kept[rows[redundant] as usize] = false;
        }
    }

    /// Replaces a right-hand side by the solution, which is zero in redundant rows.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for pivot in &self.pivots {
            let value = x[pivot.row as usize] / pivot.diagonal;
            x[pivot.row as usize] = value;
            for (&row, entry) in self.entries_of(pivot) {
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
                .entries_of(pivot)
                .map(|(&row, entry)| entry * x[row as usize])
                .sum();
            x[pivot.row as usize] = (x[pivot.row as usize] - known) / pivot.diagonal;
        }
    }

    fn entries_of(&self, pivot: &Pivot) -> impl Iterator<Item = (&u32, &f64)> {
        let rows = &self.rows[pivot.first_row..pivot.first_row + pivot.length];
        let entries = &self.entries[pivot.first_entry..pivot.first_entry + pivot.length];
        rows.iter().zip(entries)
    }
}

/// Place in `open` of the row with the largest pivot; the first among near equals, so that round-off
/// does not choose.
fn largest(open: &[usize], pivot: impl Fn(usize) -> f64) -> Option<usize> {
    let mut best = None;
    let mut size = f64::NEG_INFINITY;
    for (at, &row) in open.iter().enumerate() {
        let candidate = pivot(row);
        if best.is_none() || candidate > size * (1.0 + DIRECT_PIVOT_PREFERENCE) {
            best = Some(at);
            size = candidate;
        }
    }
    best
}

/// Rows of a node and of the nodes after it.
fn rows_of(component: &Component, node: u32, later: &[u32]) -> Vec<u32> {
    let all = std::iter::once(&node).chain(later);
    all.flat_map(|&node| component.nodes[node as usize].rows.clone())
        .map(|row| row as u32)
        .collect()
}

/// Adds the entries of the matrix between a node and itself and the nodes after it, and `damping` to
/// its diagonal.
fn gather(
    component: &Component,
    node: u32,
    later: &[u32],
    damping: f64,
    front: &mut [f64],
    length: usize,
) {
    let this = &component.nodes[node as usize];
    let mut first = 0;
    for &other in std::iter::once(&node).chain(later) {
        let other = &component.nodes[other as usize];
        for (side, other_side) in shared_sides(this, other) {
            for (i, row) in component.rows[this.rows.clone()].iter().enumerate() {
                for (j, column) in component.rows[other.rows.clone()].iter().enumerate() {
                    let entry = dot(&row.jacobian[side], &column.moved[other_side]);
                    front[i * length + first + j] += entry;
                    if first > 0 {
                        front[(first + j) * length + i] += entry;
                    }
                }
            }
        }
        first += other.size();
    }
    for (i, row) in component.rows[this.rows.clone()].iter().enumerate() {
        front[i * length + i] += row.softness + damping;
    }
}

/// Sides of two nodes on which they have the same body.
fn shared_sides<'a>(a: &'a Node, b: &'a Node) -> impl Iterator<Item = (usize, usize)> + 'a {
    [(0, 0), (0, 1), (1, 0), (1, 1)]
        .into_iter()
        .filter(|&(i, j)| a.bodies[i] != IMMOVABLE && a.bodies[i] == b.bodies[j])
}

/// Adds what an earlier front left.
fn add(update: &Update, place: &[u32], front: &mut [f64], length: usize) {
    let count = update.rows.len();
    for (i, &row) in update.rows.iter().enumerate() {
        let to = place[row as usize] as usize * length;
        let from = &update.matrix[i * count..(i + 1) * count];
        for (&column, entry) in update.rows.iter().zip(from) {
            front[to + place[column as usize] as usize] += entry;
        }
    }
}

/// The part of a front behind its first `own` rows.
fn rest(rows: &[u32], own: usize, front: &[f64]) -> Update {
    let length = rows.len();
    let matrix = (own..length)
        .flat_map(|row| &front[row * length + own..(row + 1) * length])
        .copied()
        .collect();
    Update {
        rows: rows[own..].to_vec(),
        matrix,
    }
}
