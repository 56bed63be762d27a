//! From the global form of a recorded problem to a [`Problem`] of rigid bodies.
//!
//! Unknowns are taken six by six as the velocity and the angular velocity of a body. `M` must then
//! have a block `diag(m 1, I)` for each, and the columns of a contact a common lever: for every
//! direction `d` of the contact the linear part `d` and the angular part `Q^T (x d)`, `x` being the
//! lever `[r]` and `Q` the axes in which the body's angular velocity is counted. `Q` is world or body
//! axes or any others, one for each body: with `C = sum_d angular d^T = Q^T [r]`, `C^T C` is
//! `|r|^2 1 - r r^T`, which gives `r` but for its sign, and each sign gives one rotation.

use super::friction_problem::FrictionProblem;
use super::global_form::GlobalForm;
use drystone::internals::math;
use drystone::internals::nsgs::Bodies;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, Contact, FrictionCone, Problem};
use drystone::solver::nsgs::LocalRule;
use drystone::{Error, Result};

/// How far a recorded problem may be from rigid bodies to be taken for one, relative to what is
/// compared: recorded frames and levers carry seven digits.
const RIGID_FORM_TOLERANCE: f64 = 1e-5;

/// A recorded problem as rigid bodies, and the way back to its tangents.
#[derive(Debug, Clone)]
pub struct RigidForm {
    /// The problem, with the friction disk. Its bodies are those of the recorded one, and immovable
    /// ones after them.
    pub problem: Problem,
    /// Largest difference of its `W` from the recorded one, over the largest entry.
    pub delassus_error: f64,
    /// Largest difference of its `q` from the recorded one, over the largest entry.
    pub q_error: f64,
    /// For each contact, the recorded tangents in the problem's: `recorded_i . problem_j`.
    turns: Vec<[[f64; 2]; 2]>,
}

/// A body's six unknowns.
struct Rigid {
    mass: f64,
    /// In the axes in which its angular velocity is counted.
    inertia: Mat3,
    linear: Vec3,
    angular: Vec3,
    /// `Q`, from those axes to the world's.
    axes: Mat3,
}

/// A contact's three columns on one body, directions as columns.
struct Side {
    body: usize,
    linear: Mat3,
    angular: Mat3,
}

impl Side {
    /// `C = sum_d angular d^T`.
    fn coupling(&self) -> Mat3 {
        self.angular * self.linear.transpose()
    }
}

impl RigidForm {
    /// Recognizes the rigid bodies of a recorded problem.
    ///
    /// # Errors
    /// [`Error::Invalid`] that says why the problem is none of rigid bodies: it came in local form,
    /// `M` couples unknowns of different bodies or its blocks are no rigid body's, a contact's
    /// directions are no orthonormal frame, it touches more than two bodies, has no common lever, or
    /// an offset that no velocity of an immovable body explains.
    pub fn new(recorded: &FrictionProblem) -> Result<Self> {
        recognize(recorded)
            .map_err(|why| Error::invalid(format!("{}: rigid bodies", recorded.name), why))
    }

    /// Impulses `(normal, tangent 1, tangent 2)` of the problem in the recorded tangents `[N s]`;
    /// shape `[contacts]`.
    #[must_use]
    pub fn recorded_impulses(&self, impulses: &[[f32; 3]]) -> Vec<[f64; 3]> {
        impulses
            .iter()
            .zip(&self.turns)
            .map(|(impulse, turn)| turned(impulse.map(f64::from), turn))
            .collect()
    }
}

/// A contact's vector in the recorded tangents.
fn turned([n, t1, t2]: [f64; 3], turn: &[[f64; 2]; 2]) -> [f64; 3] {
    let along = |row: &[f64; 2]| row[0] * t1 + row[1] * t2;
    [n, along(&turn[0]), along(&turn[1])]
}

fn recognize(recorded: &FrictionProblem) -> Result<RigidForm, String> {
    let global = recorded
        .global
        .as_ref()
        .ok_or("the local form does not say which bodies there are")?;
    let mut bodies = rigid_bodies(global)?;
    let contacts: Vec<Vec<Side>> = (0..recorded.contact_count())
        .map(|contact| sides(global, contact))
        .collect::<Result<_, _>>()?;
    for (index, body) in bodies.iter_mut().enumerate() {
        let couplings: Vec<Mat3> = contacts
            .iter()
            .flatten()
            .filter(|side| side.body == index)
            .map(Side::coupling)
            .collect();
        body.axes = axes(&couplings)
            .ok_or_else(|| format!("the contacts of body {index} have no common levers"))?;
    }
    let mut problem = Problem {
        bodies: bodies.iter().map(Rigid::body).collect::<Result<_, _>>()?,
        friction_cone: FrictionCone::Disk,
        ..Problem::default()
    };
    let mut turns = Vec::with_capacity(contacts.len());
    for (index, sides) in contacts.iter().enumerate() {
        let offset: [f64; 3] = std::array::from_fn(|d| global.offset[3 * index + d]);
        let friction = recorded.friction[index] as f32;
        let contact = contact(index, sides, &bodies, offset, friction, &mut problem.bodies)?;
        let (tangent_1, tangent_2) = math::tangents(contact.normal);
        let frame = &sides[0].linear;
        turns.push(std::array::from_fn(|i| {
            [tangent_1, tangent_2].map(|t| frame.column(i + 1).dot(&math::widen(t)))
        }));
        problem.contacts.push(contact);
    }
    problem.validate().map_err(|error| error.to_string())?;
    let (delassus_error, q_error) = differences(recorded, &problem, &turns);
    let fits = |off: f64| off <= RIGID_FORM_TOLERANCE;
    if !(fits(delassus_error) && fits(q_error)) {
        return Err(format!(
            "the bodies found differ from the recorded problem by {delassus_error:e} of W and \
             {q_error:e} of q"
        ));
    }
    Ok(RigidForm {
        problem,
        delassus_error,
        q_error,
        turns,
    })
}

/// Reads the blocks of `M`, and velocities from `M v = f`.
fn rigid_bodies(global: &GlobalForm) -> Result<Vec<Rigid>, String> {
    let n = global.force.len();
    if !n.is_multiple_of(6) {
        return Err(format!("{n} unknowns are no multiple of six"));
    }
    for set in global.coupled_unknowns() {
        if let Some(other) = set.iter().find(|&&i| i / 6 != set[0] / 6) {
            return Err(format!(
                "M couples {} unknowns, {} and {other} among them, which are not of one body",
                set.len(),
                set[0]
            ));
        }
    }
    (0..n / 6)
        .map(|body| {
            let entry = |i: usize, j: usize| global.mass.entry(6 * body + i, 6 * body + j);
            let mass = entry(0, 0);
            let inertia = Mat3::from_fn(|i, j| entry(3 + i, 3 + j));
            let largest = inertia.amax();
            let off = (0..3)
                .flat_map(|i| (0..3).map(move |j| (i, j)))
                .map(|(i, j)| {
                    let expected = if i == j { mass } else { 0.0 };
                    let linear = (entry(i, j) - expected).abs() / mass;
                    let mixed = entry(i, 3 + j).abs().max(entry(3 + i, j).abs());
                    let skew = (inertia[(i, j)] - inertia[(j, i)]).abs() / largest;
                    linear.max(mixed / (mass * largest).sqrt()).max(skew)
                })
                .fold(0.0, f64::max);
            if !(mass > 0.0 && off <= RIGID_FORM_TOLERANCE) {
                return Err(format!(
                    "the block of M of body {body} is not that of a mass and an inertia"
                ));
            }
            let force: [f64; 6] = std::array::from_fn(|i| global.force[6 * body + i]);
            let moment = Vec3::new(force[3], force[4], force[5]);
            let angular = inertia
                .try_inverse()
                .ok_or_else(|| format!("the inertia of body {body} is singular"))?
                * moment;
            Ok(Rigid {
                mass,
                inertia,
                linear: Vec3::new(force[0], force[1], force[2]) / mass,
                angular,
                axes: Mat3::identity(),
            })
        })
        .collect()
}

impl Rigid {
    fn body(&self) -> Result<Body, String> {
        let inertia = self.axes * self.inertia * self.axes.transpose();
        let inverse = inertia
            .try_inverse()
            .ok_or("an inertia is singular")?
            .map(|x| x as f32);
        Ok(Body::dynamic(
            (1.0 / self.mass) as f32,
            [
                inverse[(0, 0)],
                inverse[(0, 1)],
                inverse[(0, 2)],
                inverse[(1, 1)],
                inverse[(1, 2)],
                inverse[(2, 2)],
            ],
            math::narrow(&self.linear),
            math::narrow(&(self.axes * self.angular)),
        ))
    }
}

/// The parts of a contact's columns, body by body; one or two.
fn sides(global: &GlobalForm, contact: usize) -> Result<Vec<Side>, String> {
    let mut sides: Vec<Side> = Vec::new();
    for d in 0..3 {
        for (row, value) in global.directions.column(3 * contact + d) {
            if value == 0.0 {
                continue;
            }
            let body = row / 6;
            let at = sides.iter().position(|side| side.body == body);
            let at = at.unwrap_or_else(|| {
                sides.push(Side {
                    body,
                    linear: Mat3::zeros(),
                    angular: Mat3::zeros(),
                });
                sides.len() - 1
            });
            let side = &mut sides[at];
            match row % 6 {
                axis @ 0..3 => side.linear[(axis, d)] = value,
                axis => side.angular[(axis - 3, d)] = value,
            }
        }
    }
    if sides.is_empty() || sides.len() > 2 {
        return Err(format!("contact {contact} touches {} bodies", sides.len()));
    }
    let frame = sides[0].linear;
    let off = (frame.transpose() * frame - Mat3::identity()).amax();
    if off > RIGID_FORM_TOLERANCE {
        return Err(format!(
            "the directions of contact {contact} are no orthonormal frame (off by {off:e})"
        ));
    }
    if let [a, b] = &sides[..]
        && (a.linear + b.linear).amax() > RIGID_FORM_TOLERANCE
    {
        return Err(format!(
            "the directions of contact {contact} on its two bodies are not opposite"
        ));
    }
    Ok(sides)
}

/// How far a matrix is from being skew, over its largest entry.
fn symmetric_part(c: &Mat3) -> f64 {
    (c + c.transpose()).amax() / c.amax().max(f64::MIN_POSITIVE)
}

/// The vector whose cross product a skew matrix is.
fn axial(c: &Mat3) -> Vec3 {
    0.5 * Vec3::new(
        c[(2, 1)] - c[(1, 2)],
        c[(0, 2)] - c[(2, 0)],
        c[(1, 0)] - c[(0, 1)],
    )
}

/// The rotation `Q` that makes every `Q C` a cross product.
fn axes(couplings: &[Mat3]) -> Option<Mat3> {
    let fits = |q: &Mat3| {
        couplings
            .iter()
            .all(|c| symmetric_part(&(q * c)) <= RIGID_FORM_TOLERANCE)
    };
    // World axes are the common case, and the only ones without rounding.
    if fits(&Mat3::identity()) {
        return Some(Mat3::identity());
    }
    // The longest lever tells the most.
    let longest = couplings
        .iter()
        .max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let eigen = (longest.transpose() * longest).symmetric_eigen();
    let along = eigen.eigenvalues.imin();
    let lever: Vec3 = eigen.eigenvectors.column(along).into();
    let length = (0.5 * (longest.transpose() * longest).trace()).sqrt();
    let first: Vec3 = eigen.eigenvectors.column((along + 1) % 3).into();
    let second = lever.cross(&first);
    let before = Mat3::from_columns(&[first, second, lever]);
    [1.0, -1.0]
        .into_iter()
        .map(|sign| {
            // Q^T (r x v) = C v, for v = second, first; r x second = -first, r x first = second.
            let image_first = -(longest * second) / (sign * length);
            let image_second = (longest * first) / (sign * length);
            let image_lever = image_first.cross(&image_second);
            let after = Mat3::from_columns(&[image_first, image_second, image_lever]);
            // Q^T before = after.
            before * after.transpose()
        })
        .find(fits)
}

/// The contact between the bodies of its sides, or with an immovable one, which is added to `bodies`
/// if there is none yet that moves as the offset says.
fn contact(
    index: usize,
    sides: &[Side],
    rigid: &[Rigid],
    offset: [f64; 3],
    friction: f32,
    bodies: &mut Vec<Body>,
) -> Result<Contact, String> {
    // Both factors of a coupling have the sign of their side, which therefore drops out.
    let arm = |side: &Side| axial(&(rigid[side.body].axes * side.coupling()));
    let a = &sides[0];
    let (body_b, arm_b, bias) = match sides.get(1) {
        Some(_) if offset[1] != 0.0 || offset[2] != 0.0 => {
            return Err(format!(
                "contact {index} of two bodies has a tangential offset"
            ));
        }
        Some(b) => (b.body, arm(b), offset[0]),
        None => {
            let sliding = a.linear * Vec3::new(0.0, offset[1], offset[2]);
            let ground = Body::immovable(math::narrow(&-sliding), [0.0; 3]);
            let known = bodies[rigid.len()..]
                .iter()
                .position(|body| *body == ground);
            let at = known.map_or(bodies.len(), |at| rigid.len() + at);
            if known.is_none() {
                bodies.push(ground);
            }
            (at, Vec3::zeros(), offset[0])
        }
    };
    let position = |body: usize| u32::try_from(body).map_err(|_| "too many bodies".to_owned());
    Ok(Contact {
        body_a: position(a.body)?,
        body_b: position(body_b)?,
        arm_a: math::narrow(&arm(a)),
        arm_b: math::narrow(&arm_b),
        normal: math::narrow(&a.linear.column(0).into_owned()),
        bias: bias as f32,
        friction,
        impulse: [0.0; 3],
    })
}

/// Largest differences of `W` and `q` from the recorded ones, each over the largest entry.
fn differences(
    recorded: &FrictionProblem,
    problem: &Problem,
    turns: &[[[f64; 2]; 2]],
) -> (f64, f64) {
    let bodies = Bodies::new(problem, LocalRule::default());
    let dense = recorded.delassus.to_dense();
    let (mut off_w, mut off_q) = (0.0_f64, 0.0_f64);
    for (i, turn_i) in turns.iter().enumerate() {
        let q = turned(bodies.free_velocity(i), turn_i);
        for (d, q) in q.into_iter().enumerate() {
            off_q = off_q.max((q - recorded.q[3 * i + d]).abs());
        }
        for (j, turn_j) in turns.iter().enumerate() {
            // Rows first, then columns.
            let block = bodies.delassus(i, j).map(|row| turned(row, turn_j));
            for e in 0..3 {
                let column = turned(std::array::from_fn(|d| block[d][e]), turn_i);
                for (d, w) in column.into_iter().enumerate() {
                    off_w = off_w.max((w - dense[(3 * i + d, 3 * j + e)]).abs());
                }
            }
        }
    }
    let largest = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    let over = |off: f64, size: f64| if off == 0.0 { 0.0 } else { off / size };
    (
        over(off_w, largest(dense.as_slice())),
        over(off_q, largest(&recorded.q)),
    )
}
