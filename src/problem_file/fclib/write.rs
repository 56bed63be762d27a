//! Problems of bodies in FCLib's two forms.
//!
//! The global form has as unknowns `v` the components of the bodies' velocities that impulses change:
//!
//! ```text
//! M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0,   f = M v_0,
//! ```
//!
//! with the Jacobians' transposes as H and G, and in w and b the biases and what bodies add that impulses do not move. A row that gives way, by
//! `c r` in its velocity, has an unknown of its own, of mass `1 / c`, that nothing else moves: the row makes it `c r`, and adds it. The local form is the global one
//! with its `v` eliminated.

use super::reduce::{Refusal, reduce};
use super::sparse::{Sparse, finite_numbers};
use super::{GLOBAL, LOCAL};
use crate::error::{Error, Result};
use crate::math::{self, Mat3, Vec3};
use crate::output::hdf5::Node;
use crate::problem::{
    AsProblem, Body, FrictionCone, FrictionLaw, MovingSurfaces, Problem, ProblemRef,
};
use crate::problem_file::BodyProblem;
use crate::solver::cpu::CpuSolver;
use crate::solver::reference::in_substeps_watched;
use crate::solver::{Plan, Solution};

/// A form of FCLib's problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FclibForm {
    /// `u = W r + V l + q`: contacts by their operator.
    Local,
    /// `M v = H r + G l + f`: masses and directions, which stays sparse where bodies have many contacts.
    Global,
}

/// Writes a problem; see [`BodyProblem::to_fclib`].
///
/// # Errors
/// As there.
pub(in crate::problem_file) fn write(file: &BodyProblem, form: FclibForm) -> Result<Vec<u8>> {
    let mut surfaces = MovingSurfaces::default();
    let given = surfaces.carry(&file.problem.as_problem(), &file.surface_velocities)?;
    given.validate()?;
    let (global, of_substep) = match &file.plan {
        Plan::Once(_) => (Global::new(&given)?, String::new()),
        Plan::Substeps(plan) => {
            // Position problems, where there are any, come after velocity problems.
            let (mut solver, mut last) = (CpuSolver::new(), Problem::default());
            let (mut solved, period) = (0_u32, 1 + u32::from(plan.position.is_some()));
            let mut watch = |problem: &Problem, _: &Solution| {
                if solved.is_multiple_of(period) {
                    last.clone_from(problem);
                }
                solved += 1;
                Ok(())
            };
            let mut solution = Solution::default();
            in_substeps_watched(&mut solver, &given, plan, &mut solution, &mut watch)?;
            let words = format!(", the last of {} substeps", plan.substeps);
            (Global::new(&last.as_problem())?, words)
        }
    };
    let info = Node::Group(vec![
        ("title", Node::text(&format!("{}{of_substep}", file.title))),
        (
            "description",
            Node::text("rigid bodies in m, kg, s; rows of a contact: normal, tangent 1, tangent 2"),
        ),
    ]);
    let (name, mut members) = match form {
        FclibForm::Global => (GLOBAL, global.members()?),
        FclibForm::Local => (LOCAL, global.local_members()?),
    };
    members.push(("spacedim", Node::integers(&[3])));
    members.push(("info", info));
    let root = Node::Group(vec![(name.trim_start_matches('/'), Node::Group(members))]);
    Ok(root.into_file())
}

/// A problem in the global form.
#[derive(Debug)]
struct Global {
    mass: Sparse,
    force: Vec<f64>,
    directions: Sparse,
    offset: Vec<f64>,
    /// G and b.
    equalities: Option<(Sparse, Vec<f64>)>,
    friction: Vec<f64>,
}

impl Global {
    /// Of a valid problem that is solved once.
    fn new(problem: &ProblemRef<'_>) -> Result<Self> {
        refuse_other_laws(problem)?;
        let mut unknowns = Unknowns::new(problem.bodies)?;
        let mut directions = Matrix::default();
        let mut offset = Vec::new();
        for (at, contact) in problem.contacts.iter().enumerate() {
            let sides = [contact.body_a, contact.body_b];
            for (index, row) in contact.jacobian().into_iter().enumerate() {
                let (bias, softness) = if index == 0 {
                    let own = response(sides.map(|body| &problem.bodies[body as usize]), &row);
                    (f64::from(contact.bias), problem.softness_of(at, own) * own)
                } else {
                    (0.0, 0.0)
                };
                offset.push(bias + unknowns.push(&mut directions, sides, row, softness));
            }
        }
        let (mut joints, mut constant) = (Matrix::default(), Vec::new());
        for (index, row) in problem.joint_rows.iter().enumerate() {
            if !row.is_equality() {
                return Err(Error::invalid(
                    format!("joint row {index}"),
                    "it has bounds, as limits and motors do; FCLib's joints have none",
                ));
            }
            let sides = [row.body_a, row.body_b];
            let softness = f64::from(row.softness);
            let before = joints.entries.len();
            let moved = unknowns.push(&mut joints, sides, row.jacobian(), softness);
            if joints.entries.len() > before {
                constant.push(f64::from(row.bias) + moved);
            } else {
                // Between two bodies that impulses do not move, which no row can change.
                joints.columns -= 1;
            }
        }
        let count = unknowns.force.len();
        Ok(Self {
            mass: Sparse::of_triplets([count; 2], &unknowns.mass),
            force: unknowns.force,
            directions: directions.of_rows(count),
            offset,
            equalities: (joints.columns > 0).then(|| (joints.of_rows(count), constant)),
            friction: problem
                .contacts
                .iter()
                .map(|contact| f64::from(contact.friction))
                .collect(),
        })
    }

    fn members(&self) -> Result<Vec<(&'static str, Node)>> {
        let mut vectors = vec![
            ("f", finite_numbers("f", &self.force)?),
            ("w", finite_numbers("w", &self.offset)?),
            ("mu", finite_numbers("mu", &self.friction)?),
        ];
        let mut members = vec![
            ("M", self.mass.to_node("M")?),
            ("H", self.directions.to_node("H")?),
        ];
        if let Some((g, b)) = &self.equalities {
            vectors.push(("b", finite_numbers("b", b)?));
            members.push(("G", g.to_node("G")?));
        }
        members.push(("vectors", Node::Group(vectors)));
        Ok(members)
    }

    fn local_members(&self) -> Result<Vec<(&'static str, Node)>> {
        let equalities = self.equalities.as_ref();
        let reduced = reduce(
            (&self.mass, &self.force),
            (&self.directions, &self.offset),
            equalities.map(|(g, b)| (g, b.as_slice())),
        );
        let reduced = reduced.map_err(|refusal| match refusal {
            Refusal::Singular(why) => Error::invalid("masses", why),
            Refusal::TooLarge(error) => error,
        })?;
        let rows = self.offset.len();
        let entries = reduced.operator.iter();
        let entries: Vec<_> = entries
            .map(|(&(row, column), &value)| (row as u32, column as u32, value))
            .collect();
        let mut vectors = vec![
            ("q", finite_numbers("q", &reduced.free)?),
            ("mu", finite_numbers("mu", &self.friction)?),
        ];
        let operator = Sparse::of_triplets([rows; 2], &entries);
        let mut members = vec![("W", operator.to_node("W")?)];
        if let Some(mixed) = &reduced.mixed {
            vectors.push(("s", finite_numbers("s", mixed.constant.as_slice())?));
            members.push(("V", Sparse::of_dense(&mixed.coupling).to_node("V")?));
            members.push(("R", Sparse::of_dense(&mixed.own).to_node("R")?));
        }
        members.push(("vectors", Node::Group(vectors)));
        Ok(members)
    }
}

/// Refuses friction that is not Coulomb's with a disk.
fn refuse_other_laws(problem: &ProblemRef<'_>) -> Result<()> {
    if problem
        .contacts
        .iter()
        .all(|contact| contact.friction == 0.0)
    {
        return Ok(());
    }
    if problem.friction_cone != FrictionCone::Disk {
        return Err(Error::invalid(
            "friction cone",
            "a pyramid; FCLib's problems have a disk",
        ));
    }
    if problem.friction_law != FrictionLaw::Coulomb {
        return Err(Error::invalid(
            "friction law",
            "the convex one; FCLib's problems have Coulomb's",
        ));
    }
    Ok(())
}

/// Entries of a matrix, column after column.
#[derive(Debug, Default)]
struct Matrix {
    columns: usize,
    /// Row, column, value.
    entries: Vec<(u32, u32, f64)>,
}

impl Matrix {
    fn of_rows(&self, rows: usize) -> Sparse {
        Sparse::of_triplets([rows, self.columns], &self.entries)
    }
}

/// The unknowns v, with M and f.
#[derive(Debug)]
struct Unknowns {
    /// Unknown of each component of a body's velocity, and that velocity; none for a component that impulses do not change.
    of: Vec<[(Option<u32>, f64); 6]>,
    mass: Vec<(u32, u32, f64)>,
    force: Vec<f64>,
}

impl Unknowns {
    fn new(bodies: &[Body]) -> Result<Self> {
        let mut unknowns = Self {
            of: Vec::with_capacity(bodies.len()),
            mass: Vec::new(),
            force: Vec::new(),
        };
        for (index, body) in bodies.iter().enumerate() {
            let inertia = inertia(body).ok_or_else(|| {
                Error::invalid(
                    format!("body {index}"),
                    "its inverse inertia has no inverse, and FCLib's M needs one",
                )
            })?;
            let [v, w] = [body.linear_velocity, body.angular_velocity].map(|v| v.map(f64::from));
            let mut of = [v[0], v[1], v[2], w[0], w[1], w[2]].map(|velocity| (None, velocity));
            let first_of = |unknowns: &Self| unknowns.force.len() as u32;
            if body.is_movable() {
                let mass = 1.0 / f64::from(body.inverse_mass);
                for (unknown, velocity) in &mut of[..3] {
                    *unknown = Some(first_of(&unknowns));
                    unknowns.add(mass, *velocity);
                }
            }
            let axes: Vec<usize> = (0..3).filter(|&axis| inertia[(axis, axis)] > 0.0).collect();
            let first = first_of(&unknowns);
            for (row, &axis) in axes.iter().enumerate() {
                of[3 + axis].0 = Some(first + row as u32);
                let momentum = axes.iter().map(|&other| inertia[(axis, other)] * w[other]);
                unknowns.force.push(momentum.sum());
                let entries = axes
                    .iter()
                    .enumerate()
                    .filter(|&(_, &other)| inertia[(axis, other)] != 0.0);
                unknowns.mass.extend(entries.map(|(column, &other)| {
                    (
                        first + column as u32,
                        first + row as u32,
                        inertia[(axis, other)],
                    )
                }));
            }
            unknowns.of.push(of);
        }
        Ok(unknowns)
    }

    /// Adds an unknown of some mass and velocity that is coupled with no other.
    fn add(&mut self, mass: f64, velocity: f64) -> u32 {
        let index = self.force.len() as u32;
        self.mass.push((index, index, mass));
        self.force.push(mass * velocity);
        index
    }

    /// Adds a row of a Jacobian as a column, and returns what the bodies add to its velocity that are no unknowns.
    fn push(
        &mut self,
        matrix: &mut Matrix,
        bodies: [u32; 2],
        row: [(Vec3, Vec3); 2],
        softness: f64,
    ) -> f64 {
        let column = matrix.columns as u32;
        let mut constant = 0.0;
        for (body, (linear, angular)) in bodies.into_iter().zip(row) {
            let factors = linear.iter().chain(&angular);
            for (&factor, (unknown, velocity)) in factors.zip(self.of[body as usize]) {
                match unknown {
                    Some(_) if factor == 0.0 => {}
                    Some(unknown) => matrix.entries.push((unknown, column, factor)),
                    None => constant += factor * velocity,
                }
            }
        }
        if softness > 0.0 {
            let own = self.add(1.0 / softness, 0.0);
            matrix.entries.push((own, column, 1.0));
        }
        matrix.columns += 1;
        constant
    }
}

/// The row's own entry of `W = J M^-1 J^T`.
fn response(bodies: [&Body; 2], row: &[(Vec3, Vec3); 2]) -> f64 {
    let sides = bodies.into_iter().zip(row);
    let sides = sides.map(|(body, (linear, angular))| {
        f64::from(body.inverse_mass) * linear.dot(linear)
            + (math::widen_symmetric(&body.inverse_inertia) * angular).dot(angular)
    });
    sides.sum()
}

/// Inertia of a body about the axes that it can turn about, zero about the others; nothing if those are none of the three.
fn inertia(body: &Body) -> Option<Mat3> {
    let mut inverse = math::widen_symmetric(&body.inverse_inertia);
    let locked = [0, 1, 2].map(|axis| inverse[(axis, axis)] == 0.0);
    for axis in (0..3).filter(|&axis| locked[axis]) {
        if inverse.row(axis).iter().any(|&x| x != 0.0) {
            return None;
        }
        inverse[(axis, axis)] = 1.0;
    }
    let mut inertia = inverse.cholesky()?.inverse();
    for axis in (0..3).filter(|&axis| locked[axis]) {
        inertia[(axis, axis)] = 0.0;
    }
    Some(inertia)
}
