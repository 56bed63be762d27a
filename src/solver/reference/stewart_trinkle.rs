//! A contact problem as the pure LCP of Stewart and Trinkle, f64.
//!
//! For each contact with friction, unknowns `(lc, lf_1..lf_K, gam)`: normal impulse, impulses along
//! the friction directions `d_k`, slip speed. With `u = W r + u0` and `r_t = sum_k lf_k d_k`:
//! ```text
//! 0 <= lc   _|_  a     = u_n                >= 0
//! 0 <= lf_k _|_  sigma = d_k . u_t + gam    >= 0
//! 0 <= gam  _|_  zeta  = mu lc - sum_k lf_k >= 0
//! ```
//! (Cline and Pai 2003, eqs 8 and 13, without joints.) A contact without friction has its normal row
//! only; a contact between two immovable bodies has none.
//!
//! Rows are scaled so that `W` has a unit diagonal per contact and `max |q| = 1`: pebbles and
//! boulders are then judged by the same tolerance.

use super::widened::{Widened, corners, is_between_movable};
use crate::lcp::LcpProblem;
use crate::problem::Problem;
use nalgebra::{DMatrix, DVector};

/// Rows of the LCP of a problem.
pub(super) fn row_count(problem: &Problem) -> usize {
    let directions = corners(problem.friction_cone).len();
    problem
        .contacts
        .iter()
        .filter(|contact| is_between_movable(problem, contact))
        .map(|contact| {
            if contact.friction > 0.0 {
                2 + directions
            } else {
                1
            }
        })
        .sum()
}

/// The problem and its Delassus operator.
pub(super) struct StewartTrinkle {
    pub(super) problem: Widened,
    /// `W`, shape `[3 points, 3 points]` `[1/kg]`, rows normal, tangent 1, tangent 2 of each point.
    delassus: DMatrix<f64>,
    /// `u0`, without bias `[m/s]`; shape `[points]`.
    free_velocity: Vec<[f64; 3]>,
}

/// An LCP in scaled rows, and the way back.
pub(super) struct ScaledLcp {
    pub(super) problem: LcpProblem,
    /// `z = scale z_scaled`.
    scale: DVector<f64>,
    rows: Vec<Row>,
}

/// What a row of the LCP stands for, with its point.
#[derive(Clone, Copy)]
enum Row {
    Normal(usize),
    Friction(usize, usize),
    Slip(usize),
}

impl StewartTrinkle {
    /// Computes `W` and `u0`.
    pub(super) fn new(problem: Widened) -> Self {
        let points = &problem.points;
        let mut delassus = DMatrix::zeros(3 * points.len(), 3 * points.len());
        for (i, point) in points.iter().enumerate() {
            for (j, other) in points.iter().enumerate() {
                let block = point.delassus(other, &problem.bodies);
                for (d, entries) in block.iter().enumerate() {
                    for (e, &entry) in entries.iter().enumerate() {
                        delassus[(3 * i + d, 3 * j + e)] = entry;
                    }
                }
            }
        }
        let before: Vec<_> = problem
            .bodies
            .iter()
            .map(|body| (body.linear, body.angular))
            .collect();
        let free_velocity = points
            .iter()
            .map(|point| point.relative_velocity(&before))
            .collect();
        Self {
            problem,
            delassus,
            free_velocity,
        }
    }

    /// The LCP, with `softening` times its diagonal added to the rows of impulses, and no bias below
    /// `least_bias` `[m/s]`.
    pub(super) fn lcp(&self, softening: f64, least_bias: f64) -> ScaledLcp {
        let rows = self.rows();
        let n = rows.len();
        let mut matrix = DMatrix::zeros(n, n);
        let mut q = DVector::zeros(n);
        let mut scale = DVector::zeros(n);
        for (i, &row) in rows.iter().enumerate() {
            let (point, along) = self.impulse_of(row);
            scale[i] = match row {
                Row::Slip(_) => 1.0 / self.root_mass(point),
                _ => self.root_mass(point),
            };
            q[i] = (0..3)
                .map(|d| along[d] * self.free_velocity[point][d])
                .sum();
            if let Row::Normal(_) = row {
                q[i] += self.problem.points[point].bias.max(least_bias);
            }
            for (j, &other) in rows.iter().enumerate() {
                let (other_point, other_along) = self.impulse_of(other);
                matrix[(i, j)] = match (row, other) {
                    (Row::Friction(a, _), Row::Slip(b)) if a == b => 1.0,
                    (Row::Slip(a), Row::Friction(b, _)) if a == b => -1.0,
                    (Row::Slip(a), Row::Normal(b)) if a == b => self.problem.points[a].friction,
                    (Row::Slip(_), _) | (_, Row::Slip(_)) => 0.0,
                    _ => self.entry(point, along, other_point, other_along),
                };
            }
            if !matches!(row, Row::Slip(_)) {
                matrix[(i, i)] *= 1.0 + softening;
            }
        }
        for i in 0..n {
            q[i] *= scale[i];
            for j in 0..n {
                matrix[(i, j)] *= scale[i] * scale[j];
            }
        }
        let largest = q.amax();
        if largest > 0.0 {
            q /= largest;
            scale *= largest;
        }
        ScaledLcp {
            problem: LcpProblem { matrix, q },
            scale,
            rows,
        }
    }

    /// All normals, then all friction directions, then all slip speeds.
    fn rows(&self) -> Vec<Row> {
        let rough =
            || (0..self.problem.points.len()).filter(|&i| self.problem.points[i].friction > 0.0);
        let mut rows: Vec<Row> = (0..self.problem.points.len()).map(Row::Normal).collect();
        rows.extend(
            rough()
                .flat_map(|i| (0..self.problem.directions.len()).map(move |k| Row::Friction(i, k))),
        );
        rows.extend(rough().map(Row::Slip));
        rows
    }

    /// The point of a row and the coefficients of its impulse in (normal, tangent 1, tangent 2).
    fn impulse_of(&self, row: Row) -> (usize, [f64; 3]) {
        match row {
            Row::Normal(point) => (point, [1.0, 0.0, 0.0]),
            Row::Friction(point, k) => {
                let [cos, sin] = self.problem.directions[k];
                (point, [0.0, cos, sin])
            }
            Row::Slip(point) => (point, [0.0; 3]),
        }
    }

    fn entry(&self, i: usize, along: [f64; 3], j: usize, other: [f64; 3]) -> f64 {
        let mut sum = 0.0;
        for (d, a) in along.iter().enumerate() {
            for (e, b) in other.iter().enumerate() {
                sum += a * b * self.delassus[(3 * i + d, 3 * j + e)];
            }
        }
        sum
    }

    /// Scale of a point's rows: `sqrt(rho)` `[kg^(1/2)]`.
    fn root_mass(&self, point: usize) -> f64 {
        self.problem.points[point].residual_mass.sqrt()
    }

    /// Impulses `[N s]` of a solution of the scaled LCP, shape `[contact_count]`.
    pub(super) fn impulses(&self, scaled: &ScaledLcp, z: &DVector<f64>) -> Vec<[f64; 3]> {
        let mut impulses = vec![[0.0; 3]; self.problem.contact_count];
        for ((&row, &z), &scale) in scaled.rows.iter().zip(z.iter()).zip(scaled.scale.iter()) {
            let (point, along) = self.impulse_of(row);
            let impulse = &mut impulses[self.problem.points[point].contact];
            for (sum, along) in impulse.iter_mut().zip(along) {
                *sum += along * z * scale;
            }
        }
        impulses
    }
}
