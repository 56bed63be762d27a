//! Small random contact problems, and their dense matrices in f64.

use drystone::internals::lcp::{LcpProblem, lemke};
use drystone::internals::math;
use drystone::math::Vec3;
use drystone::problem::{Body, Contact, FrictionCone, Problem};
use drystone::{Error, Result};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// Movable bodies; one more is the ground.
const BODIES: usize = 4;
/// Contacts, some with the ground.
const CONTACTS: usize = 7;
/// Coefficient of friction.
const FRICTION: f32 = 0.5;

/// A few bodies that touch at random points, with random masses and velocities.
pub(crate) fn random(seed: u64, friction_cone: FrictionCone) -> Problem {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut between = |least: f64, most: f64| random.random_range(least..most);
    let mut bodies: Vec<Body> = (0..BODIES)
        .map(|_| {
            let mass = between(0.5, 2.0);
            let mut inverse = || (1.0 / (mass * between(0.05, 0.2))) as f32;
            let diagonal = [inverse(), 0.0, 0.0, inverse(), 0.0, inverse()];
            let linear = [(); 3].map(|()| between(-1.0, 1.0) as f32);
            let angular = [(); 3].map(|()| between(-1.0, 1.0) as f32);
            Body::dynamic((1.0 / mass) as f32, diagonal, linear, angular)
        })
        .collect();
    bodies.push(Body::immovable([0.0; 3], [0.0; 3]));
    let contacts = (0..CONTACTS)
        .map(|index| {
            let body_a = index % BODIES;
            // The first round rests on the ground, the rest lies between bodies.
            let body_b = if index < BODIES {
                BODIES
            } else {
                (body_a + 1 + index / BODIES) % BODIES
            };
            let mut arm = || [(); 3].map(|()| between(-0.5, 0.5) as f32);
            let (arm_a, arm_b) = (arm(), arm());
            let upwards = if body_b == BODIES { 1.0 } else { 0.0 };
            let normal = Vec3::new(
                between(-0.5, 0.5),
                between(-0.5, 0.5),
                upwards + between(-0.5, 0.5),
            );
            Contact {
                body_a: body_a as u32,
                body_b: body_b as u32,
                arm_a,
                arm_b,
                normal: math::narrow(&normal.normalize()),
                bias: 0.0,
                friction: FRICTION,
                impulse: [0.0; 3],
            }
        })
        .collect();
    Problem {
        bodies,
        contacts,
        friction_cone,
        ..Problem::default()
    }
}

/// A box of 1 kg on the ground on four points, pushed at `angle` to the contacts' first tangent.
pub(crate) fn pushed_box(angle: f64, friction_cone: FrictionCone) -> Problem {
    const GH: f32 = 0.0981;
    let normal = [0.0, 0.0, 1.0];
    let (t1, t2) = math::tangents(normal);
    let push = angle.cos() * math::widen(t1) + angle.sin() * math::widen(t2);
    let velocity = math::narrow(&push);
    let inertia = 1.0 / 6.0_f32;
    let block = Body::dynamic(
        1.0,
        [1.0 / inertia, 0.0, 0.0, 1.0 / inertia, 0.0, 1.0 / inertia],
        [velocity[0], velocity[1], -GH],
        [0.0; 3],
    );
    // Contacts as low as the centre of mass: the push does not tip the box.
    let contacts = [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)]
        .map(|(x, y)| Contact {
            body_a: 0,
            body_b: 1,
            arm_a: [x, y, 0.0],
            arm_b: [x, y, 0.0],
            normal,
            bias: 0.0,
            friction: FRICTION,
            impulse: [0.0; 3],
        })
        .to_vec();
    Problem {
        bodies: vec![block, Body::immovable([0.0; 3], [0.0; 3])],
        contacts,
        friction_cone,
        ..Problem::default()
    }
}

/// The frictional contact problem `u = W r + q` of a [`Problem`], dense and in f64.
#[derive(Debug, Clone)]
pub(crate) struct Dense {
    /// `W = J M^-1 J^T` `[1/kg]`; rows of a contact are normal, first and second tangent.
    pub(crate) delassus: DMatrix<f64>,
    /// `q`: relative velocities without impulses, bias included `[m/s]`.
    pub(crate) q: DVector<f64>,
    /// Coefficient of friction of each contact.
    pub(crate) friction: Vec<f64>,
    /// `M^-1 J^T`: from impulses to changes of velocity.
    response: DMatrix<f64>,
    /// Velocities without impulses, six a body `[m/s]`, `[rad/s]`.
    free: DVector<f64>,
}

impl Dense {
    /// From the very f32 numbers of the problem.
    pub(crate) fn new(problem: &Problem) -> Self {
        let columns = 6 * problem.bodies.len();
        let rows = 3 * problem.contacts.len();
        let mut jacobian = DMatrix::zeros(rows, columns);
        let mut q = DVector::zeros(rows);
        for (index, contact) in problem.contacts.iter().enumerate() {
            let (t1, t2) = math::tangents(contact.normal);
            for (axis, direction) in [contact.normal, t1, t2].into_iter().enumerate() {
                let direction = math::widen(direction);
                for (body, arm, sign) in [
                    (contact.body_a, contact.arm_a, 1.0),
                    (contact.body_b, contact.arm_b, -1.0),
                ] {
                    let angular = math::widen(arm).cross(&direction);
                    let (row, column) = (3 * index + axis, 6 * body as usize);
                    for k in 0..3 {
                        jacobian[(row, column + k)] = sign * direction[k];
                        jacobian[(row, column + 3 + k)] = sign * angular[k];
                    }
                }
            }
            q[3 * index] = f64::from(contact.bias);
        }
        let mut inverse_mass = DMatrix::zeros(columns, columns);
        let mut free = DVector::zeros(columns);
        for (index, body) in problem.bodies.iter().enumerate() {
            let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
            let inverse_inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            for (k, row) in inverse_inertia.iter().enumerate() {
                let at = 6 * index + k;
                inverse_mass[(at, at)] = f64::from(body.inverse_mass);
                free[at] = f64::from(body.linear_velocity[k]);
                free[at + 3] = f64::from(body.angular_velocity[k]);
                for (l, &entry) in row.iter().enumerate() {
                    inverse_mass[(at + 3, 6 * index + 3 + l)] = entry;
                }
            }
        }
        let response = &inverse_mass * jacobian.transpose();
        q += &jacobian * &free;
        Self {
            delassus: &jacobian * &response,
            q,
            friction: problem
                .contacts
                .iter()
                .map(|contact| f64::from(contact.friction))
                .collect(),
            response,
            free,
        }
    }

    /// Number of contacts.
    pub(crate) fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// Velocities with the impulses applied `[m/s]`, `[rad/s]`; shape `[6 body_count]`.
    pub(crate) fn velocities(&self, impulses: &DVector<f64>) -> DVector<f64> {
        &self.free + &self.response * impulses
    }

    /// Impulses by Lemke's method, friction being a polygon of `directions` corners at radius
    /// `scale` times the coefficient of friction, the first of them at `offset` to the first tangent
    /// `[rad]` (Stewart and Trinkle 1996; Cline and Pai 2003, eq. 8).
    ///
    /// # Errors
    /// [`Error::Invalid`] if the method finds no solution.
    pub(crate) fn stewart_trinkle(
        &self,
        directions: usize,
        offset: f64,
        scale: f64,
    ) -> Result<DVector<f64>> {
        let count = self.contacts();
        let block = 2 + directions;
        // Generalized impulses (normal, one for each direction, slip) to (normal, tangents).
        let mut spread = DMatrix::zeros(3 * count, block * count);
        let mut rest = DMatrix::zeros(block * count, block * count);
        for contact in 0..count {
            let (row, column) = (3 * contact, block * contact);
            let slip = column + 1 + directions;
            spread[(row, column)] = 1.0;
            rest[(slip, column)] = scale * self.friction[contact];
            for k in 0..directions {
                let angle = offset + TAU * k as f64 / directions as f64;
                spread[(row + 1, column + 1 + k)] = angle.cos();
                spread[(row + 2, column + 1 + k)] = angle.sin();
                rest[(column + 1 + k, slip)] = 1.0;
                rest[(slip, column + 1 + k)] = -1.0;
            }
        }
        let problem = LcpProblem {
            matrix: spread.transpose() * &self.delassus * &spread + rest,
            q: spread.transpose() * &self.q,
        };
        let solution = lemke::solve(&problem);
        if solution.is_solved() {
            Ok(spread * solution.z)
        } else {
            Err(Error::invalid(
                "random contact problem",
                "Lemke's method finds no solution",
            ))
        }
    }
}
