//! The rows of the joints between one pair of bodies, solved together.
//!
//! Row law: with `u = J V + bias + softness r`, `lower <= r <= upper`; `u = 0` inside the bounds,
//! `u >= 0` at the lower and `u <= 0` at the upper one. The equalities of a group are solved exactly,
//! `r_e <- r_e - (W_ee + S_ee)^+ u_e`, the bounded rows one by one; where there are both, in turns
//! until nothing changes.

use super::row::{Mass, Row, Twist};
use crate::constants::{NSGS_LOCAL_TOLERANCE, NSGS_RANK_TOLERANCE};
use crate::problem::JointRow;
use nalgebra::{DMatrix, DVector};

/// A row with its law.
#[derive(Debug, Clone)]
struct Law {
    row: Row,
    softness: f64,
    /// Minus and plus infinity where there is no bound.
    lower: f64,
    upper: f64,
    /// `1 / (W_ii + softness)` `[kg]`, or zero for a row that moves nothing.
    mass: f64,
    /// What turns a change of the impulse into a velocity in the residual, `1 / sqrt(m m_red)`.
    residual_factor: f64,
}

/// A run of rows between one pair of bodies.
#[derive(Debug, Clone)]
pub(super) struct JointGroup {
    /// Place of its first row among all joint rows.
    pub(super) first: usize,
    laws: Vec<Law>,
    /// Rows that are equalities, in this group's numbering.
    equalities: Vec<usize>,
    /// Rows that have a bound.
    bounded: Vec<usize>,
    /// Pseudo-inverse of the equalities' block `[kg]`.
    inverse: DMatrix<f64>,
}

/// A bound, or infinity for the largest number, which stands for none.
fn bound(limit: f32) -> f64 {
    if limit.abs() >= JointRow::UNBOUNDED {
        f64::INFINITY.copysign(f64::from(limit))
    } else {
        f64::from(limit)
    }
}

impl Law {
    fn new(joint: &JointRow, masses: &[Mass]) -> Self {
        let bodies = [joint.body_a as usize, joint.body_b as usize];
        let row = Row::new(bodies, joint.jacobian(), f64::from(joint.bias), masses);
        let softness = f64::from(joint.softness);
        let delassus = row.delassus(&row);
        let inverse_masses: f64 = bodies.iter().map(|&b| masses[b].inverse_mass).sum();
        let mass = if delassus > 0.0 && inverse_masses > 0.0 {
            1.0 / (delassus + softness)
        } else {
            0.0
        };
        Self {
            row,
            softness,
            lower: bound(joint.lower),
            upper: bound(joint.upper),
            mass,
            residual_factor: if mass > 0.0 {
                (inverse_masses / mass).sqrt()
            } else {
                0.0
            },
        }
    }

    fn velocity(&self, r: f64, changes: &[Twist]) -> f64 {
        self.row.velocity(changes) + self.softness * r
    }

    fn clamp(&self, r: f64) -> f64 {
        r.max(self.lower).min(self.upper)
    }

    fn is_equality(&self) -> bool {
        self.lower == f64::NEG_INFINITY && self.upper == f64::INFINITY
    }
}

impl JointGroup {
    /// The groups of a problem: runs of rows between one pair of bodies.
    pub(super) fn all(rows: &[JointRow], masses: &[Mass]) -> Vec<Self> {
        let mut first = 0;
        rows.chunk_by(|a, b| pair(a) == pair(b))
            .map(|run| {
                let group = Self::new(first, run, masses);
                first += run.len();
                group
            })
            .collect()
    }

    fn new(first: usize, run: &[JointRow], masses: &[Mass]) -> Self {
        let laws: Vec<Law> = run.iter().map(|joint| Law::new(joint, masses)).collect();
        let usable = |&i: &usize| laws[i].mass > 0.0;
        let (equalities, bounded): (Vec<usize>, Vec<usize>) = (0..laws.len())
            .filter(usable)
            .partition(|&i| laws[i].is_equality());
        let inverse = pseudo_inverse(&laws, &equalities);
        Self {
            first,
            laws,
            equalities,
            bounded,
            inverse,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.laws.len()
    }

    /// One visit: changes the impulses `r` of the group's rows and the bodies' velocities.
    pub(super) fn visit(&self, r: &mut [f64], changes: &mut [Twist], iterations: u32) {
        let rounds = if self.bounded.is_empty() {
            1
        } else {
            iterations.max(1)
        };
        for _ in 0..rounds {
            let mut change = 0.0_f64;
            let mut size = 0.0_f64;
            if !self.equalities.is_empty() {
                let u = DVector::from_iterator(
                    self.equalities.len(),
                    self.equalities
                        .iter()
                        .map(|&i| self.laws[i].velocity(r[i], changes)),
                );
                let step = -(&self.inverse * u);
                for (&i, &step) in self.equalities.iter().zip(step.iter()) {
                    self.laws[i].row.apply(step, changes);
                    r[i] += step;
                    change = change.max(self.speed(i, step));
                    size = size.max(self.speed(i, r[i]));
                }
            }
            for &i in &self.bounded {
                let law = &self.laws[i];
                let next = law.clamp(r[i] - law.mass * law.velocity(r[i], changes));
                law.row.apply(next - r[i], changes);
                change = change.max(self.speed(i, next - r[i]));
                size = size.max(self.speed(i, next));
                r[i] = next;
            }
            if change <= NSGS_LOCAL_TOLERANCE * size {
                break;
            }
        }
    }

    /// An impulse as the velocity that it gives its row, so that unlike rows compare.
    fn speed(&self, i: usize, impulse: f64) -> f64 {
        impulse.abs() * self.laws[i].residual_factor
    }

    /// Adds the effect of all impulses of the group.
    pub(super) fn apply(&self, r: &[f64], changes: &mut [Twist]) {
        for (law, &r) in self.laws.iter().zip(r) {
            law.row.apply(r, changes);
        }
    }

    /// Residual of each row `[m/s]`: `|r - clamp(r - m u)| / sqrt(m m_red)`.
    pub(super) fn residuals<'a>(
        &'a self,
        r: &'a [f64],
        changes: &'a [Twist],
    ) -> impl Iterator<Item = f64> + 'a {
        self.laws.iter().zip(r).map(|(law, &r)| {
            if law.mass == 0.0 {
                return 0.0;
            }
            let u = law.velocity(r, changes);
            if u.is_nan() {
                return f64::NAN;
            }
            (r - law.clamp(r - law.mass * u)).abs() * law.residual_factor
        })
    }

    /// Clamps the impulses to their bounds; rows that move nothing have none.
    pub(super) fn admit(&self, r: &mut [f64]) {
        for (law, r) in self.laws.iter().zip(r) {
            *r = if law.mass > 0.0 { law.clamp(*r) } else { 0.0 };
        }
    }

    /// Velocity per impulse of each row, the root of its diagonal `[kg^(-1/2)]`; zero for a row that
    /// moves nothing.
    pub(super) fn weights(&self) -> impl Iterator<Item = f64> + '_ {
        self.laws.iter().map(|law| {
            if law.mass > 0.0 {
                (1.0 / law.mass).sqrt()
            } else {
                0.0
            }
        })
    }

    /// Largest speed of a row before the solve, as its residual would count it `[m/s]`.
    pub(super) fn largest_speed(&self) -> f64 {
        self.laws
            .iter()
            .map(|law| law.row.free.abs() * law.mass * law.residual_factor)
            .fold(0.0, f64::max)
    }
}

fn pair(joint: &JointRow) -> [u32; 2] {
    let (a, b) = (joint.body_a, joint.body_b);
    [a.min(b), a.max(b)]
}

/// `(W_ee + S_ee)^+`, with the rows scaled to a unit diagonal before directions without mass are told
/// from others.
fn pseudo_inverse(laws: &[Law], equalities: &[usize]) -> DMatrix<f64> {
    let n = equalities.len();
    if n == 0 {
        return DMatrix::zeros(0, 0);
    }
    let scale = |i: usize| laws[equalities[i]].mass.sqrt();
    let scaled = DMatrix::from_fn(n, n, |i, j| {
        let (a, b) = (&laws[equalities[i]], &laws[equalities[j]]);
        let softness = if i == j { a.softness } else { 0.0 };
        (a.row.delassus(&b.row) + softness) * scale(i) * scale(j)
    });
    let eigen = scaled.symmetric_eigen();
    let largest = eigen.eigenvalues.iter().fold(0.0_f64, |max, &x| max.max(x));
    let mut inverse = DMatrix::zeros(n, n);
    for (k, &value) in eigen.eigenvalues.iter().enumerate() {
        if value > NSGS_RANK_TOLERANCE * largest {
            let vector = eigen.eigenvectors.column(k);
            inverse += vector * vector.transpose() / value;
        }
    }
    DMatrix::from_fn(n, n, |i, j| inverse[(i, j)] * scale(i) * scale(j))
}
