//! A problem of f32 numbers, widened to f64: rows, velocities and the natural map.

use super::joint::JointPoint;
use super::row::{Mass, Row, Twist};
use super::verdict::Verdict;
use crate::error::{Error, Result};
use crate::lcp::residual::Physical;
use crate::math::{self, Vec3};
use crate::problem::{AsProblem, Contact, FrictionCone, ProblemRef};
use crate::solver::nsgs::Impulses;
use crate::solver::residual::Norms;

/// A contact that impulses can change.
#[derive(Clone)]
pub(super) struct Point {
    /// Its index in the problem.
    pub(super) contact: usize,
    /// Normal, tangent 1, tangent 2.
    pub(super) rows: [Row; 3],
    /// `[m/s]`
    pub(super) bias: f64,
    pub(super) friction: f64,
    /// Velocity that a unit impulse along each row leaves `[1/kg]`; of a given
    /// problem only along the normal.
    pub(super) softness: [f64; 3],
    /// Step of the natural map, `rho = 3 / tr W_cc` `[kg]`.
    pub(super) residual_mass: f64,
}

/// The problem in f64.
#[derive(Clone)]
pub(super) struct Widened {
    pub(super) bodies: Vec<Mass>,
    pub(super) contact_count: usize,
    /// Contacts but for those between immovable bodies.
    pub(super) points: Vec<Point>,
    pub(super) joint_row_count: usize,
    /// Joint rows but for those between immovable bodies.
    pub(super) joints: Vec<JointPoint>,
    /// Corners `d_k` of the friction polygon of unit radius, in the tangents of each contact; none
    /// for the disk.
    pub(super) directions: Vec<[f64; 2]>,
}

/// True if impulses of the contact move anything.
pub(super) fn is_between_movable(problem: &ProblemRef<'_>, contact: &Contact) -> bool {
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
    fn new(problem: &ProblemRef<'_>, index: usize, bodies: &[Mass]) -> Self {
        let contact = &problem.contacts[index];
        let bodies_of = [contact.body_a as usize, contact.body_b as usize];
        let rows = contact.jacobian().map(|sides| Row {
            bodies: bodies_of,
            sides,
        });
        let response = rows[0].delassus(&rows[0], bodies);
        let trace: f64 = rows.iter().map(|row| row.delassus(row, bodies)).sum();
        Self {
            contact: index,
            bias: f64::from(contact.bias),
            friction: f64::from(contact.friction),
            softness: [problem.softness_of(index, response) * response, 0.0, 0.0],
            residual_mass: 3.0 / trace,
            rows,
        }
    }

    /// Relative velocity along the rows, with bias and softness `[m/s]`.
    pub(super) fn velocity(&self, r: [f64; 3], velocities: &[Twist]) -> [f64; 3] {
        let [n, t1, t2] =
            [0, 1, 2].map(|d: usize| self.rows[d].velocity(velocities) + self.softness[d] * r[d]);
        [n + self.bias, t1, t2]
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
    pub(super) fn new(problem: &ProblemRef<'_>) -> Self {
        let bodies: Vec<Mass> = problem
            .bodies
            .iter()
            .map(|body| Mass {
                inverse_mass: f64::from(body.inverse_mass),
                inverse_inertia: math::widen_symmetric(&body.inverse_inertia),
                linear: math::widen(body.linear_velocity),
                angular: math::widen(body.angular_velocity),
            })
            .collect();
        let points = problem
            .contacts
            .iter()
            .enumerate()
            .filter(|(_, contact)| is_between_movable(problem, contact))
            .map(|(index, _)| Point::new(problem, index, &bodies))
            .collect();
        let joints = problem
            .joint_rows
            .iter()
            .enumerate()
            .filter_map(|(index, row)| JointPoint::new(index, row, &bodies))
            .collect();
        Self {
            bodies,
            contact_count: problem.contacts.len(),
            points,
            joint_row_count: problem.joint_rows.len(),
            joints,
            directions: corners(problem.friction_cone),
        }
    }

    /// The same with every impulse softened by this part of its row's diagonal.
    pub(super) fn softened(&self, part: f64) -> Self {
        let mut softened = self.clone();
        for point in &mut softened.points {
            for (softness, row) in point.softness.iter_mut().zip(&point.rows) {
                *softness += part * row.delassus(row, &self.bodies);
            }
        }
        for joint in &mut softened.joints {
            joint.softness += part / joint.mass;
        }
        softened
    }

    /// The same with nothing pushed apart: no contact and no one-sided joint row has a bias against
    /// its side.
    pub(super) fn without_push(&self) -> Self {
        let mut calm = self.clone();
        for point in &mut calm.points {
            point.bias = point.bias.max(0.0);
        }
        for joint in &mut calm.joints {
            match (joint.lower.is_finite(), joint.upper.is_finite()) {
                (true, false) => joint.bias = joint.bias.max(0.0),
                (false, true) => joint.bias = joint.bias.min(0.0),
                _ => {}
            }
        }
        calm
    }

    /// No impulse at all.
    pub(super) fn no_impulses(&self) -> Impulses {
        Impulses {
            contacts: vec![[0.0; 3]; self.contact_count],
            joint_rows: vec![0.0; self.joint_row_count],
        }
    }

    /// Velocities before the solve, `V`.
    pub(super) fn velocities_before(&self) -> Vec<Twist> {
        self.bodies.iter().map(|b| (b.linear, b.angular)).collect()
    }

    /// `M^-1 J^T r`: what impulses add to the velocities.
    pub(super) fn changes(&self, impulses: &Impulses) -> Vec<Twist> {
        let mut changes = vec![(Vec3::zeros(), Vec3::zeros()); self.bodies.len()];
        for point in &self.points {
            for (row, &impulse) in point.rows.iter().zip(&impulses.contacts[point.contact]) {
                row.apply(impulse, &self.bodies, &mut changes);
            }
        }
        for joint in &self.joints {
            let impulse = impulses.joint_rows[joint.index];
            joint.row.apply(impulse, &self.bodies, &mut changes);
        }
        changes
    }

    /// `V + M^-1 J^T r`.
    pub(super) fn velocities(&self, changes: &[Twist]) -> Vec<Twist> {
        self.bodies
            .iter()
            .zip(changes)
            .map(|(body, change)| (body.linear + change.0, body.angular + change.1))
            .collect()
    }

    /// What impulses do and how far they are from a solution.
    pub(super) fn verdict(&self, impulses: &Impulses) -> Verdict {
        let changes = self.changes(impulses);
        let velocities = self.velocities(&changes);
        let mut physical = Physical::default();
        let of_contacts: Vec<f64> = self
            .points
            .iter()
            .map(|point| {
                let r = impulses.contacts[point.contact];
                let u = point.velocity(r, &velocities);
                physical.add(r, u, point.friction, &self.directions);
                point.natural_map(r, u, &self.directions)
            })
            .collect();
        let of_joints: Vec<f64> = self
            .joints
            .iter()
            .map(|joint| {
                let r = impulses.joint_rows[joint.index];
                joint.natural_map(r, joint.velocity(r, &velocities))
            })
            .collect();
        let rows = self.contact_count + self.joint_row_count;
        let all = Norms::of(of_contacts.iter().chain(&of_joints).copied(), rows);
        Verdict {
            residual_rms: all.rms,
            residual_max: all.max,
            contacts: Norms::of(of_contacts, self.contact_count),
            joints: Norms::of(of_joints, self.joint_row_count),
            physical,
            velocities,
            changes,
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

/// Judges impulses of any origin: of contacts `(normal, tangent 1, tangent 2)` `[N s]`, shape
/// `[contact_count]`, and of joint rows `[N s]` or `[N m s]`, shape `[joint_row_count]`.
///
/// The velocities are computed from the impulses in f64, so that what a backend lost on its way is
/// not counted against its impulses. Costs are linear in the contacts, and any cone is allowed.
///
/// # Errors
/// [`Error::Invalid`] if the problem has no meaning or there is not one impulse per contact and one
/// per joint row.
pub fn judge(
    problem: &dyn AsProblem,
    impulses: &[[f32; 3]],
    joint_impulses: &[f32],
) -> Result<Verdict> {
    let problem = &problem.as_problem();
    problem.validate()?;
    for (what, found, expected, rows) in [
        (
            "impulses",
            impulses.len(),
            problem.contacts.len(),
            "contacts",
        ),
        (
            "joint impulses",
            joint_impulses.len(),
            problem.joint_rows.len(),
            "joint rows",
        ),
    ] {
        if found != expected {
            return Err(Error::invalid(
                what,
                format!("{found} for {expected} {rows}"),
            ));
        }
    }
    let impulses = Impulses {
        contacts: impulses.iter().map(|r| r.map(f64::from)).collect(),
        joint_rows: joint_impulses.iter().copied().map(f64::from).collect(),
    };
    Ok(Widened::new(problem).verdict(&impulses))
}
