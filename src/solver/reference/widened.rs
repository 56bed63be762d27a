//! A contact problem of f32 numbers, widened to f64: rows, velocities and the natural map.

use super::Verdict;
use crate::lcp::residual::Physical;
use crate::math::{self, Mat3, Vec3};
use crate::problem::{Contact, FrictionCone, Problem};

/// Mass and velocity of a body.
pub(super) struct Mass {
    /// `[1/kg]`
    pub(super) inverse_mass: f64,
    /// `[1/(kg m^2)]`
    pub(super) inverse_inertia: Mat3,
    /// `[m/s]`
    pub(super) linear: Vec3,
    /// `[rad/s]`
    pub(super) angular: Vec3,
}

/// A contact that impulses can change.
pub(super) struct Point {
    /// Its index in the problem.
    pub(super) contact: usize,
    /// Bodies A and B.
    pub(super) bodies: [usize; 2],
    /// `(d, arm x d)` of each body's side, with its sign, for d = normal, tangent 1, tangent 2.
    pub(super) rows: [[(Vec3, Vec3); 2]; 3],
    /// `[m/s]`
    pub(super) bias: f64,
    pub(super) friction: f64,
    /// Step of the natural map, `rho = 3 / tr W_cc` `[kg]`.
    pub(super) residual_mass: f64,
}

/// The problem in f64.
pub(super) struct Widened {
    pub(super) bodies: Vec<Mass>,
    pub(super) contact_count: usize,
    /// Contacts but for those between immovable bodies.
    pub(super) points: Vec<Point>,
    /// Corners `d_k` of the friction polygon of unit radius, in the tangents of each contact; none
    /// for the disk.
    pub(super) directions: Vec<[f64; 2]>,
}

/// True if impulses of the contact move anything.
pub(super) fn is_between_movable(problem: &Problem, contact: &Contact) -> bool {
    [contact.body_a, contact.body_b]
        .iter()
        .any(|&body| problem.bodies[body as usize].is_movable())
}

/// Corners of the friction polygon of unit radius; none for the disk.
pub(super) fn corners(cone: FrictionCone) -> Vec<[f64; 2]> {
    let FrictionCone::Pyramid { directions } = cone else {
        return Vec::new();
    };
    (0..directions)
        .map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(directions);
            [angle.cos(), angle.sin()]
        })
        .collect()
}

impl Point {
    fn new(index: usize, contact: &Contact, bodies: &[Mass]) -> Self {
        // The tangents are those of the other backends, bit for bit.
        let (tangent_1, tangent_2) = math::tangents(contact.normal);
        let (arm_a, arm_b) = (math::widen(contact.arm_a), math::widen(contact.arm_b));
        let rows = [contact.normal, tangent_1, tangent_2].map(|direction| {
            let d = math::widen(direction);
            [(d, arm_a.cross(&d)), (-d, -arm_b.cross(&d))]
        });
        let mut point = Self {
            contact: index,
            bodies: [contact.body_a as usize, contact.body_b as usize],
            rows,
            bias: f64::from(contact.bias),
            friction: f64::from(contact.friction),
            residual_mass: 0.0,
        };
        let block = point.delassus(&point, bodies);
        point.residual_mass = 3.0 / (block[0][0] + block[1][1] + block[2][2]);
        point
    }

    /// Velocity that unit impulses of `other` cause along this point's rows,
    /// `J M^-1 J_other^T` `[1/kg]`.
    pub(super) fn delassus(&self, other: &Self, bodies: &[Mass]) -> [[f64; 3]; 3] {
        let mut block = [[0.0; 3]; 3];
        for (side, &body) in self.bodies.iter().enumerate() {
            for (other_side, &other_body) in other.bodies.iter().enumerate() {
                if body != other_body {
                    continue;
                }
                let mass = &bodies[body];
                for (entries, row) in block.iter_mut().zip(&self.rows) {
                    let (linear, angular) = &row[side];
                    let linear = mass.inverse_mass * linear;
                    let angular = mass.inverse_inertia * angular;
                    for (entry, other_row) in entries.iter_mut().zip(&other.rows) {
                        let (with, about) = &other_row[other_side];
                        *entry += linear.dot(with) + angular.dot(about);
                    }
                }
            }
        }
        block
    }

    /// Relative velocity along the rows, without bias `[m/s]`.
    pub(super) fn relative_velocity(&self, velocities: &[(Vec3, Vec3)]) -> [f64; 3] {
        self.rows.map(|row| {
            row.iter()
                .zip(self.bodies)
                .map(|((linear, angular), body)| {
                    linear.dot(&velocities[body].0) + angular.dot(&velocities[body].1)
                })
                .sum()
        })
    }

    /// `|r - P(r - rho u)| / rho` `[m/s]`.
    fn natural_map(&self, r: [f64; 3], u: [f64; 3], corners: &[[f64; 2]]) -> f64 {
        let rho = self.residual_mass;
        let normal = (r[0] - rho * u[0]).max(0.0);
        let mut off = Vec3::new(r[0] - normal, 0.0, 0.0);
        if self.friction > 0.0 {
            let trial = [r[1] - rho * u[1], r[2] - rho * u[2]];
            let [t1, t2] = project(trial, self.friction * normal, corners);
            off.y = r[1] - t1;
            off.z = r[2] - t2;
        }
        off.norm() / rho
    }
}

impl Widened {
    /// Widens a valid problem.
    pub(super) fn new(problem: &Problem) -> Self {
        let bodies: Vec<Mass> = problem
            .bodies
            .iter()
            .map(|body| {
                let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
                Mass {
                    inverse_mass: f64::from(body.inverse_mass),
                    inverse_inertia: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
                    linear: math::widen(body.linear_velocity),
                    angular: math::widen(body.angular_velocity),
                }
            })
            .collect();
        let points = problem
            .contacts
            .iter()
            .enumerate()
            .filter(|(_, contact)| is_between_movable(problem, contact))
            .map(|(index, contact)| Point::new(index, contact, &bodies))
            .collect();
        Self {
            bodies,
            contact_count: problem.contacts.len(),
            points,
            directions: corners(problem.friction_cone),
        }
    }

    /// `V + M^-1 J^T r`: linear and angular velocity of each body `[m/s]`, `[rad/s]`.
    pub(super) fn velocities(&self, impulses: &[[f64; 3]]) -> Vec<(Vec3, Vec3)> {
        let mut velocities: Vec<(Vec3, Vec3)> =
            self.bodies.iter().map(|b| (b.linear, b.angular)).collect();
        for point in &self.points {
            for (row, &impulse) in point.rows.iter().zip(&impulses[point.contact]) {
                for (&body, (linear, angular)) in point.bodies.iter().zip(row) {
                    let mass = &self.bodies[body];
                    velocities[body].0 += impulse * mass.inverse_mass * linear;
                    velocities[body].1 += impulse * (mass.inverse_inertia * angular);
                }
            }
        }
        velocities
    }

    /// What impulses do and how far they are from a solution.
    pub(super) fn verdict(&self, impulses: &[[f64; 3]]) -> Verdict {
        let velocities = self.velocities(impulses);
        let mut physical = Physical::default();
        let (mut sum, mut max) = (0.0, 0.0_f64);
        for point in &self.points {
            let r = impulses[point.contact];
            let mut u = point.relative_velocity(&velocities);
            u[0] += point.bias;
            physical.add(r, u, point.friction, &self.directions);
            let off = point.natural_map(r, u, &self.directions);
            sum += off * off;
            max = max.max(off);
        }
        let residual_rms = (sum / self.contact_count.max(1) as f64).sqrt();
        Verdict {
            residual_rms,
            // `max` skips NaN where the sum does not.
            residual_max: if residual_rms.is_finite() {
                max
            } else {
                f64::NAN
            },
            physical,
            velocities,
        }
    }
}

/// The point of the disk of `radius`, or of the polygon with corners `radius corners` if there are
/// any, that is closest to `t`.
///
/// The polygon's edge from corner k has its outward normal halfway to the next corner; the edge whose
/// normal points most along `t` is the one it leaves through, the polygon being regular.
fn project(t: [f64; 2], radius: f64, corners: &[[f64; 2]]) -> [f64; 2] {
    let (sin, cos) = (std::f64::consts::PI / corners.len() as f64).sin_cos();
    let along = |n: &[f64; 2]| n[0] * t[0] + n[1] * t[1];
    let Some(n) = corners
        .iter()
        .map(|&[x, y]| [x * cos - y * sin, y * cos + x * sin])
        .max_by(|a, b| along(a).total_cmp(&along(b)))
    else {
        let length = t[0].hypot(t[1]);
        if length <= radius {
            return t;
        }
        return t.map(|x| x * radius / length);
    };
    let apothem = radius * cos;
    if along(&n) <= apothem {
        return t;
    }
    let reach = radius * sin;
    let sideways = (t[1] * n[0] - t[0] * n[1]).max(-reach).min(reach);
    [
        n[0] * apothem - n[1] * sideways,
        n[1] * apothem + n[0] * sideways,
    ]
}
