//! A problem as the mixed LCP of Stewart and Trinkle with joints, f64.
//!
//! Free variables `x` are the impulses of joint rows without bounds, with `A x + ... = 0`. For each
//! contact with friction there are unknowns `(lc, lf_1..lf_K, gam)`: normal impulse, impulses along
//! the friction directions `d_k`, slip speed. With `r_t = sum_k lf_k d_k` and u of all impulses:
//! ```text
//! 0 <= lc   _|_  a     = u_n                >= 0
//! 0 <= lf_k _|_  sigma = d_k . u_t + gam    >= 0
//! 0 <= gam  _|_  zeta  = mu lc - sum_k lf_k >= 0
//! ```
//! (Cline and Pai 2003, eq. 8.) A contact without friction has its normal row only. A joint row with
//! a lower bound has `r = lower + z` and `0 <= z _|_ u >= 0`; one with an upper bound only, the same
//! with the opposite signs. One with both has a second unknown, the velocity `s` that it lacks:
//! ```text
//! 0 <= z _|_ u + s             >= 0
//! 0 <= s _|_ upper - lower - z >= 0
//! ```
//! Equal bounds leave nothing to solve: the impulse is there from the start. Contacts and joints
//! between immovable bodies have no row at all.
//!
//! Rows are scaled to a unit diagonal per contact and per joint row and to the problem's largest
//! number: pebbles and boulders are then judged by the same tolerance.

use super::joint::JointPoint;
use super::mixed_residual;
use super::row::Row;
use super::widened::{Widened, corners, is_between_movable};
use crate::constants::REFERENCE_FAR_BOUND;
use crate::lcp::{LcpProblem, MixedProblem};
use crate::problem::{JointRow, ProblemRef};
use crate::solver::nsgs::Impulses;
use nalgebra::{DMatrix, DVector};

/// How many rows the mixed LCP of a problem has at most: equalities, and complementarity.
pub(super) fn row_counts(problem: &ProblemRef<'_>) -> (usize, usize) {
    let directions = corners(problem.friction_cone).len();
    let of_contacts: usize = problem
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
        .sum();
    let moves = |row: &&JointRow| {
        [row.body_a, row.body_b]
            .iter()
            .any(|&body| problem.bodies[body as usize].is_movable())
    };
    let joint_rows = || problem.joint_rows.iter().filter(moves);
    let equalities = joint_rows().filter(|row| row.is_equality()).count();
    let of_joints: usize = joint_rows()
        .map(|row| {
            let bounds = [
                row.lower != -JointRow::UNBOUNDED,
                row.upper != JointRow::UNBOUNDED,
            ];
            if row.lower == row.upper {
                0
            } else {
                bounds.iter().filter(|&&bound| bound).count()
            }
        })
        .sum();
    (equalities, of_contacts + of_joints)
}

/// What bounds make of a joint row.
#[derive(Clone, Copy)]
enum Law {
    /// A free variable.
    Free,
    /// The impulse is known.
    Known,
    /// `r = r0 + sign z`.
    OneSided { sign: f64 },
    /// `r = r0 + z`, at most this more.
    Boxed { width: f64 },
}

/// The law of a joint row and the impulse `r0` from which its unknown counts.
///
/// A bound that is out of reach is none: it would put the rest of the problem out of proportion.
fn law(joint: &JointPoint, unit: f64) -> (Law, f64) {
    let reach = REFERENCE_FAR_BOUND * unit * joint.mass.sqrt();
    let (low, high) = (joint.lower > -reach, joint.upper < reach);
    match (low, high) {
        _ if joint.lower == joint.upper => (Law::Known, joint.lower),
        (false, false) => (Law::Free, 0.0),
        (true, false) => (Law::OneSided { sign: 1.0 }, joint.lower),
        (false, true) => (Law::OneSided { sign: -1.0 }, joint.upper),
        (true, true) => {
            let width = joint.upper - joint.lower;
            (Law::Boxed { width }, joint.lower)
        }
    }
}

/// What an unknown of the complementarity rows stands for.
#[derive(Clone, Copy)]
enum Unknown {
    /// Normal impulse of a point.
    Normal(usize),
    /// Impulse of a point along a direction.
    Friction(usize, usize),
    /// Slip speed of a point.
    Slip(usize),
    /// Impulse of a joint row with this sign.
    Joint(usize, f64),
    /// Velocity that a joint row at its upper bound lacks, and the width of its bounds.
    Lacking(usize, f64),
}

/// A mixed LCP in scaled rows, and the way back.
pub(super) struct StewartTrinkle<'a> {
    /// What it was made of.
    pub(super) widened: &'a Widened,
    /// Its matrices.
    pub(super) mixed: MixedProblem,
    /// See [`mixed_residual::unit`].
    pub(super) unit: f64,
    /// The joint of each free variable.
    free: Vec<usize>,
    unknowns: Vec<Unknown>,
    /// Impulses for `x = 0`, `z = 0`.
    start: Impulses,
    /// Of each point, what the relaxed program adds to its normal row; see [`Self::relaxed`].
    relaxation: Option<&'a [f64]>,
    /// `r = scale x`, and `r = scale z` or `s = scale z`.
    free_scale: Vec<f64>,
    unknown_scale: Vec<f64>,
}

impl<'a> StewartTrinkle<'a> {
    /// Computes all blocks.
    pub(super) fn new(widened: &'a Widened) -> Self {
        Self::with(widened, None)
    }

    /// The optimality conditions of the relaxed program: the normal row is `0 <= lc _|_ u_n - mu gam + added >= 0`, `added` being a velocity of
    /// each point `[m/s]` (Hart, eqs 15 and 16). The matrix is then the sum of a positive semidefinite and a skew one.
    pub(super) fn relaxed(widened: &'a Widened, added: &'a [f64]) -> Self {
        Self::with(widened, Some(added))
    }

    fn with(widened: &'a Widened, relaxation: Option<&'a [f64]>) -> Self {
        let unit = mixed_residual::unit(widened);
        let mut start = widened.no_impulses();
        let mut free = Vec::new();
        let mut unknowns: Vec<_> = (0..widened.points.len()).map(Unknown::Normal).collect();
        let mut lacking = Vec::new();
        for (index, joint) in widened.joints.iter().enumerate() {
            let (law, from) = law(joint, unit);
            start.joint_rows[joint.index] = from;
            match law {
                Law::Known => {}
                Law::Free => free.push(index),
                Law::OneSided { sign } => unknowns.push(Unknown::Joint(index, sign)),
                Law::Boxed { width } => {
                    unknowns.push(Unknown::Joint(index, 1.0));
                    lacking.push(Unknown::Lacking(index, width));
                }
            }
        }
        let rough = || (0..widened.points.len()).filter(|&i| widened.points[i].friction > 0.0);
        unknowns.extend(
            rough()
                .flat_map(|i| (0..widened.directions.len()).map(move |k| Unknown::Friction(i, k))),
        );
        unknowns.extend(rough().map(Unknown::Slip));
        unknowns.extend(lacking);
        let mut system = Self {
            widened,
            mixed: MixedProblem {
                equality: DMatrix::zeros(0, 0),
                equality_coupling: DMatrix::zeros(0, 0),
                equality_offset: DVector::zeros(0),
                complementarity_coupling: DMatrix::zeros(0, 0),
                complementarity: LcpProblem {
                    matrix: DMatrix::zeros(0, 0),
                    q: DVector::zeros(0),
                },
            },
            unit,
            free_scale: free
                .iter()
                .map(|&joint| unit * widened.joints[joint].mass.sqrt())
                .collect(),
            unknown_scale: Vec::new(),
            free,
            unknowns,
            start,
            relaxation,
        };
        system.unknown_scale = system
            .unknowns
            .iter()
            .map(|&unknown| system.scale(unknown))
            .collect();
        system.fill();
        system
    }

    /// Size of an unknown whose scaled value is 1.
    fn scale(&self, unknown: Unknown) -> f64 {
        let root_mass = match unknown {
            Unknown::Normal(i) | Unknown::Friction(i, _) | Unknown::Slip(i) => {
                self.widened.points[i].residual_mass.sqrt()
            }
            Unknown::Joint(j, _) | Unknown::Lacking(j, _) => self.widened.joints[j].mass.sqrt(),
        };
        match unknown {
            Unknown::Slip(_) => self.unit / root_mass,
            // Wide bounds are a row of size 1 as well.
            Unknown::Lacking(_, width) => {
                self.unit / root_mass / (width / (self.unit * root_mass)).max(1.0)
            }
            _ => self.unit * root_mass,
        }
    }

    fn fill(&mut self) {
        let delassus = self.delassus();
        let u = self.start_velocity();
        let mut matrix = DMatrix::zeros(self.unknowns.len(), self.unknowns.len());
        let mut q = DVector::zeros(self.unknowns.len());
        for (i, &row) in self.unknowns.iter().enumerate() {
            for (j, &column) in self.unknowns.iter().enumerate() {
                matrix[(i, j)] = match (row, column) {
                    (Unknown::Friction(a, _), Unknown::Slip(b)) if a == b => 1.0,
                    (Unknown::Slip(a), Unknown::Friction(b, _)) if a == b => -1.0,
                    (Unknown::Slip(a), Unknown::Normal(b)) if a == b => {
                        self.widened.points[a].friction
                    }
                    (Unknown::Normal(a), Unknown::Slip(b))
                        if a == b && self.relaxation.is_some() =>
                    {
                        -self.widened.points[a].friction
                    }
                    (Unknown::Joint(a, _), Unknown::Lacking(b, _)) if a == b => 1.0,
                    (Unknown::Lacking(a, _), Unknown::Joint(b, _)) if a == b => -1.0,
                    _ => self.entry(&delassus, self.parts(row), self.parts(column)),
                } * self.unknown_scale[j]
                    * self.unknown_scale[i]
                    / (self.unit * self.unit);
            }
            let offset = match row {
                Unknown::Lacking(_, width) => width,
                Unknown::Slip(_) => 0.0,
                _ => self
                    .parts(row)
                    .iter()
                    .flatten()
                    .map(|&(at, d)| d * u[at])
                    .sum(),
            };
            let offset = match (row, self.relaxation) {
                (Unknown::Normal(a), Some(added)) => offset + added[a],
                _ => offset,
            };
            q[i] = offset * self.unknown_scale[i] / (self.unit * self.unit);
        }
        let to_free = |i: usize| {
            [
                Some((3 * self.widened.points.len() + self.free[i], 1.0)),
                None,
            ]
        };
        let (m, n) = (self.free.len(), self.unknowns.len());
        let unit = self.unit * self.unit;
        self.mixed = MixedProblem {
            equality: DMatrix::from_fn(m, m, |i, j| {
                self.entry(&delassus, to_free(i), to_free(j))
                    * self.free_scale[i]
                    * self.free_scale[j]
                    / unit
            }),
            equality_coupling: DMatrix::from_fn(m, n, |i, j| {
                self.entry(&delassus, to_free(i), self.parts(self.unknowns[j]))
                    * self.free_scale[i]
                    * self.unknown_scale[j]
                    / unit
            }),
            equality_offset: DVector::from_fn(m, |i, _| {
                u[3 * self.widened.points.len() + self.free[i]] * self.free_scale[i] / unit
            }),
            complementarity_coupling: DMatrix::from_fn(n, m, |i, j| {
                self.entry(&delassus, self.parts(self.unknowns[i]), to_free(j))
                    * self.unknown_scale[i]
                    * self.free_scale[j]
                    / unit
            }),
            complementarity: LcpProblem { matrix, q },
        };
    }

    /// All rows of the Jacobian: three of each point, then one of each joint.
    fn rows(&self) -> Vec<&Row> {
        let points = self.widened.points.iter().flat_map(|point| &point.rows);
        points
            .chain(self.widened.joints.iter().map(|joint| &joint.row))
            .collect()
    }

    /// `W` and the softness on its diagonal, shape `[rows, rows]` `[1/kg]`.
    fn delassus(&self) -> DMatrix<f64> {
        let rows = self.rows();
        let bodies = &self.widened.bodies;
        let mut delassus = DMatrix::from_fn(rows.len(), rows.len(), |i, j| {
            rows[i].delassus(rows[j], bodies)
        });
        let points = self.widened.points.iter().flat_map(|point| point.softness);
        let softness = points.chain(self.widened.joints.iter().map(|joint| joint.softness));
        for (i, softness) in softness.enumerate() {
            delassus[(i, i)] += softness;
        }
        delassus
    }

    /// `u` of all rows with the starting impulses `[m/s]`.
    fn start_velocity(&self) -> Vec<f64> {
        let velocities = self.widened.velocities(&self.widened.changes(&self.start));
        let points = self.widened.points.iter();
        let points = points.flat_map(|point| point.velocity([0.0; 3], &velocities));
        let joints = self.widened.joints.iter();
        points
            .chain(
                joints.map(|joint| joint.velocity(self.start.joint_rows[joint.index], &velocities)),
            )
            .collect()
    }

    /// The rows that an impulse acts along, with its share in each.
    fn parts(&self, unknown: Unknown) -> [Option<(usize, f64)>; 2] {
        match unknown {
            Unknown::Normal(i) => [Some((3 * i, 1.0)), None],
            Unknown::Friction(i, k) => {
                let [cos, sin] = self.widened.directions[k];
                [Some((3 * i + 1, cos)), Some((3 * i + 2, sin))]
            }
            Unknown::Joint(j, sign) => [Some((3 * self.widened.points.len() + j, sign)), None],
            Unknown::Slip(_) | Unknown::Lacking(..) => [None, None],
        }
    }

    fn entry(
        &self,
        delassus: &DMatrix<f64>,
        row: [Option<(usize, f64)>; 2],
        column: [Option<(usize, f64)>; 2],
    ) -> f64 {
        let mut sum = 0.0;
        for &(i, a) in row.iter().flatten() {
            for &(j, b) in column.iter().flatten() {
                sum += a * b * delassus[(i, j)];
            }
        }
        sum
    }

    /// Slip speed of each point `[m/s]`, shape `[point_count]`; zero without friction.
    pub(super) fn slips(&self, z: &DVector<f64>) -> Vec<f64> {
        let mut slips = vec![0.0; self.widened.points.len()];
        for ((unknown, z), scale) in self.unknowns.iter().zip(z.iter()).zip(&self.unknown_scale) {
            if let Unknown::Slip(i) = unknown {
                slips[*i] = z * scale;
            }
        }
        slips
    }

    /// Impulses of a point of the scaled problem.
    pub(super) fn impulses(&self, x: &DVector<f64>, z: &DVector<f64>) -> Impulses {
        let mut impulses = self.start.clone();
        for ((&joint, &x), &scale) in self.free.iter().zip(x.iter()).zip(&self.free_scale) {
            impulses.joint_rows[self.widened.joints[joint].index] += x * scale;
        }
        for ((&unknown, &z), &scale) in self.unknowns.iter().zip(z.iter()).zip(&self.unknown_scale)
        {
            match unknown {
                Unknown::Normal(i) => {
                    impulses.contacts[self.widened.points[i].contact][0] += z * scale;
                }
                Unknown::Friction(i, k) => {
                    let [cos, sin] = self.widened.directions[k];
                    let impulse = &mut impulses.contacts[self.widened.points[i].contact];
                    impulse[1] += cos * z * scale;
                    impulse[2] += sin * z * scale;
                }
                Unknown::Joint(j, sign) => {
                    impulses.joint_rows[self.widened.joints[j].index] += sign * z * scale;
                }
                Unknown::Slip(_) | Unknown::Lacking(..) => {}
            }
        }
        impulses
    }
}
