//! Rows of contacts and joints, f64, and the complementarity problem that they make.

use crate::lcp::reduction::Reduction;
use crate::lcp::{LcpProblem, LcpSolution, MixedProblem, dantzig};
use crate::math::{Mat3, Vec3};
use crate::world::Body;
use nalgebra::{DMatrix, DVector};

/// Accelerations along contacts below this fraction of the largest one of their normals count as none.
const STILL: f64 = 1e-10;

/// A row of the Jacobian: along `linear` on body A and against it on body B.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Body A, and body B; none for the world.
    pub(super) bodies: [Option<usize>; 2],
    pub(super) linear: Vec3,
    /// On A and on B.
    pub(super) angular: [Vec3; 2],
}

/// A vector pair per body: velocity and angular velocity, or acceleration and angular acceleration.
pub(super) type Twist = (Vec3, Vec3);

impl Row {
    /// The relative motion of the two bodies at a point along a direction.
    pub(super) fn at_point(
        bodies: [usize; 2],
        of: &[Body],
        point: &Vec3,
        direction: &Vec3,
    ) -> Self {
        let [a, b] = bodies.map(|body| (point - of[body].pose.position).cross(direction));
        Self {
            bodies: bodies.map(Some),
            linear: *direction,
            angular: [a, -b],
        }
    }

    /// The row less `share` times another of the same bodies.
    pub(super) fn less(&self, share: f64, other: &Self) -> Self {
        Self {
            bodies: self.bodies,
            linear: self.linear - other.linear * share,
            angular: std::array::from_fn(|k| self.angular[k] - other.angular[k] * share),
        }
    }

    /// Its parts on A and on B.
    fn parts(&self) -> [(Option<usize>, Twist); 2] {
        [
            (self.bodies[0], (self.linear, self.angular[0])),
            (self.bodies[1], (-self.linear, self.angular[1])),
        ]
    }

    /// `J V`, or `J` times accelerations; shape of `twists`: `[body_count]`.
    pub(super) fn rate(&self, twists: &[Twist]) -> f64 {
        let of = |(body, part): &(Option<usize>, Twist)| {
            body.map_or(0.0, |body| {
                let (linear, angular) = &twists[body];
                part.0.dot(linear) + part.1.dot(angular)
            })
        };
        self.parts().iter().map(of).sum()
    }

    /// Adds `amount` of `J^T` to forces and torques, or to impulses; shape `[body_count]`.
    pub(super) fn add_to(&self, wrenches: &mut [Twist], amount: f64) {
        for (body, part) in self.parts() {
            if let Some(body) = body {
                wrenches[body].0 += part.0 * amount;
                wrenches[body].1 += part.1 * amount;
            }
        }
    }

    /// `M^-1 J^T`.
    pub(super) fn response(&self, inverse: &[InverseMass]) -> [(Option<usize>, Twist); 2] {
        self.parts().map(|(body, part)| {
            let moved = body.map_or((Vec3::zeros(), Vec3::zeros()), |body| {
                let of = &inverse[body];
                (part.0 * of.mass, of.inertia * part.1)
            });
            (body, moved)
        })
    }

    /// `J M^-1 K^T`, the second row's response given.
    pub(super) fn coupled(&self, response: &[(Option<usize>, Twist); 2]) -> f64 {
        let mut sum = 0.0;
        for (body, part) in self.parts() {
            for (other, moved) in response {
                if body.is_some() && body == *other {
                    sum += part.0.dot(&moved.0) + part.1.dot(&moved.1);
                }
            }
        }
        sum
    }
}

/// Inverse mass `[1/kg]` and inverse inertia in world axes `[1/(kg m^2)]`; zero of what does not give way.
#[derive(Debug, Clone, Copy)]
pub(super) struct InverseMass {
    pub(super) mass: f64,
    pub(super) inertia: Mat3,
}

/// Inverse masses where the bodies are now, shape `[body_count]`.
pub(super) fn inverse_masses(bodies: &[Body]) -> Vec<InverseMass> {
    // A body that was made to stay may have a mass.
    let of = |body: &Body| {
        if body.is_dynamic() {
            InverseMass {
                mass: body.mass.inverse_mass,
                inertia: body.world_inverse_inertia(),
            }
        } else {
            InverseMass {
                mass: 0.0,
                inertia: Mat3::zeros(),
            }
        }
    };
    bodies.iter().map(of).collect()
}

/// Friction of a contact in the problem.
#[derive(Debug, Clone)]
pub(super) enum Tangent {
    /// None.
    Smooth,
    /// Sliding: a force of `coefficient` times the normal one against the slip, whose row this is.
    Sliding { against: Row, coefficient: f64 },
    /// Within the pyramid of these rows, each with the relative motion along it that no contact force changes yet.
    Sticking {
        along: Vec<(Row, f64)>,
        coefficient: f64,
    },
    /// None, and the normal force is at most so much: a motor.
    Limited { most: f64 },
}

/// A row that only pushes.
#[derive(Debug, Clone)]
pub(super) struct Unilateral {
    pub(super) normal: Row,
    /// The row's motion without contact forces, in the unit of the motion; not negative is right.
    pub(super) offset: f64,
    pub(super) tangent: Tangent,
}

/// A row that pushes and pulls, and its motion without contact forces: zero is right.
pub(super) type Bilateral = (Row, f64);

/// Forces, or impulses, of the rows.
#[derive(Debug, Clone)]
pub(super) struct Forces {
    /// Of the bilateral rows.
    pub(super) bilateral: Vec<f64>,
    /// Along the normals.
    pub(super) normal: Vec<f64>,
    /// Along the directions of friction, of those that stick.
    pub(super) tangential: Vec<Vec<f64>>,
}

impl Forces {
    /// Adds them all to forces and torques of the bodies, or impulses.
    pub(super) fn add_to(
        &self,
        bilateral: &[Bilateral],
        unilateral: &[Unilateral],
        wrenches: &mut [Twist],
    ) {
        for ((row, _), force) in bilateral.iter().zip(&self.bilateral) {
            row.add_to(wrenches, *force);
        }
        for (index, row) in unilateral.iter().enumerate() {
            self.add_contact_to(index, row, wrenches);
        }
    }

    /// Forces found without friction, if no contact that may stick would start to slide under them; with zero friction then.
    pub(super) fn without_sliding(
        mut self,
        bilateral: &[Bilateral],
        unilateral: &[Unilateral],
        inverse: &[InverseMass],
    ) -> Option<Self> {
        for (row, tangential) in unilateral.iter().zip(&mut self.tangential) {
            if let Tangent::Sticking { along, .. } = &row.tangent {
                *tangential = vec![0.0; along.len()];
            }
        }
        let all = |_: &f64| true;
        self.still_where(all, bilateral, unilateral, inverse)
            .then_some(self)
    }

    /// True if no contact that may stick and presses would start to slide under these forces.
    pub(super) fn hold_still(
        &self,
        bilateral: &[Bilateral],
        unilateral: &[Unilateral],
        inverse: &[InverseMass],
    ) -> bool {
        self.still_where(|force| *force > 0.0, bilateral, unilateral, inverse)
    }

    /// True if none of the contacts that may stick, as far as they count by their normal force, would start to slide.
    fn still_where(
        &self,
        counts: impl Fn(&f64) -> bool,
        bilateral: &[Bilateral],
        unilateral: &[Unilateral],
        inverse: &[InverseMass],
    ) -> bool {
        let mut moved = vec![(Vec3::zeros(), Vec3::zeros()); inverse.len()];
        self.add_to(bilateral, unilateral, &mut moved);
        for (moved, of) in moved.iter_mut().zip(inverse) {
            *moved = (moved.0 * of.mass, of.inertia * moved.1);
        }
        let contacts = unilateral
            .iter()
            .filter(|row| !matches!(row.tangent, Tangent::Limited { .. }));
        let offsets = contacts.map(|row| row.offset.abs());
        let still = STILL * offsets.fold(0.0, f64::max);
        let mut rows = unilateral.iter().zip(&self.normal);
        rows.all(|(row, force)| match &row.tangent {
            Tangent::Sticking { along, .. } if counts(force) => along
                .iter()
                .all(|(row, offset)| (row.rate(&moved) + offset).abs() <= still),
            _ => true,
        })
    }

    /// Adds those of one contact.
    pub(super) fn add_contact_to(&self, index: usize, row: &Unilateral, wrenches: &mut [Twist]) {
        let normal = self.normal[index];
        row.normal.add_to(wrenches, normal);
        match &row.tangent {
            Tangent::Smooth | Tangent::Limited { .. } => {}
            Tangent::Sliding {
                against,
                coefficient,
            } => against.add_to(wrenches, -coefficient * normal),
            Tangent::Sticking { along, .. } => {
                for ((row, _), force) in along.iter().zip(&self.tangential[index]) {
                    row.add_to(wrenches, *force);
                }
            }
        }
    }
}

/// An unknown of the complementarity problem.
enum Unknown<'a> {
    /// Force of a normal, with the friction of one that slides.
    Normal { measured: &'a Row, force: Row },
    /// Force along a direction of friction.
    Along(&'a Row),
    /// The slip that is left.
    Slip,
    /// The motion that a force which may not grow any more leaves, negative.
    Excess,
}

/// Forces with which no unilateral row's motion is negative and no bilateral row moves, no row pulls, and a row pushes only where
/// its motion is zero; friction is Coulomb's. None if there are no such forces, or none were found.
///
/// A row of limited force gives way beyond that. Without friction and such rows it is Baraff's problem, `0 <= f _|_ A f + b >= 0` with `A = J M^-1 J^T`, solved by Dantzig's method; with friction that
/// of Stewart and Trinkle, by Lemke's. The bilateral rows are eliminated before.
pub(super) fn solve(
    bilateral: &[Bilateral],
    unilateral: &[Unilateral],
    inverse: &[InverseMass],
) -> Option<Forces> {
    // Forces in the unit of the motion: their columns and those of the slip are then of one size.
    let own = |row: &Row| row.coupled(&row.response(inverse));
    let rows = unilateral.iter().map(|row| &row.normal);
    let largest = rows
        .chain(bilateral.iter().map(|(row, _)| row))
        .map(own)
        .fold(0.0, f64::max);
    let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
    let mut unknowns = Vec::new();
    let mut offsets = Vec::new();
    let mut owners = Vec::new();
    let mut is_smooth = true;
    for (owner, row) in unilateral.iter().enumerate() {
        let measured = &row.normal;
        let force = match &row.tangent {
            Tangent::Sliding {
                against,
                coefficient,
            } => measured.less(*coefficient, against),
            _ => *measured,
        };
        is_smooth &= matches!(row.tangent, Tangent::Smooth);
        unknowns.push(Unknown::Normal { measured, force });
        offsets.push(row.offset);
        owners.push(owner);
        if let Tangent::Sticking { along, .. } = &row.tangent {
            for (direction, offset) in along {
                unknowns.push(Unknown::Along(direction));
                offsets.push(*offset);
                owners.push(owner);
            }
            unknowns.push(Unknown::Slip);
            offsets.push(0.0);
            owners.push(owner);
        }
        if let Tangent::Limited { most } = &row.tangent {
            unknowns.push(Unknown::Excess);
            offsets.push(*most / scale);
            owners.push(owner);
        }
    }
    let measured = |unknown: &Unknown<'_>| match unknown {
        Unknown::Normal { measured, .. } => Some(**measured),
        Unknown::Along(row) => Some(**row),
        Unknown::Slip | Unknown::Excess => None,
    };
    let responses: Vec<_> = unknowns
        .iter()
        .map(|unknown| match unknown {
            Unknown::Normal { force, .. } => Some(force.response(inverse)),
            Unknown::Along(row) => Some(row.response(inverse)),
            Unknown::Slip | Unknown::Excess => None,
        })
        .collect();
    let of_joints: Vec<_> = bilateral
        .iter()
        .map(|(row, _)| row.response(inverse))
        .collect();
    let (n, m) = (unknowns.len(), bilateral.len());
    let between =
        |row: Option<Row>, response: &Option<[(Option<usize>, Twist); 2]>| match (row, response) {
            (Some(row), Some(response)) => scale * row.coupled(response),
            _ => 0.0,
        };
    let matrix = DMatrix::from_fn(n, n, |r, c| {
        let same = owners[r] == owners[c];
        match (&unknowns[r], &unknowns[c]) {
            (Unknown::Along(_), Unknown::Slip) if same => 1.0,
            (Unknown::Slip, Unknown::Along(_)) if same => -1.0,
            (Unknown::Slip, Unknown::Normal { .. }) if same => friction_of(&unilateral[owners[r]]),
            (Unknown::Normal { .. }, Unknown::Excess) if same => 1.0,
            (Unknown::Excess, Unknown::Normal { .. }) if same => -1.0,
            _ => between(measured(&unknowns[r]), &responses[c]),
        }
    });
    let mixed = MixedProblem {
        equality: DMatrix::from_fn(m, m, |r, c| scale * bilateral[r].0.coupled(&of_joints[c])),
        equality_coupling: DMatrix::from_fn(m, n, |r, c| {
            between(Some(bilateral[r].0), &responses[c])
        }),
        equality_offset: DVector::from_iterator(m, bilateral.iter().map(|(_, offset)| *offset)),
        complementarity_coupling: DMatrix::from_fn(n, m, |r, c| {
            between(measured(&unknowns[r]), &Some(of_joints[c]))
        }),
        complementarity: LcpProblem {
            matrix,
            q: DVector::from_vec(offsets),
        },
    };
    mixed.validate().ok()?;
    let reduction = Reduction::new(&mixed);
    let symmetric = is_smooth.then(|| dantzig::solve(&reduction.problem));
    let (x, z) = match symmetric.filter(LcpSolution::is_solved) {
        Some(solution) => (reduction.free_variables(&solution.z), solution.z),
        None => {
            let solution = reduction.solve();
            if !solution.complementarity.is_solved() {
                return None;
            }
            (solution.x, solution.complementarity.z)
        }
    };
    let mut forces = Forces {
        bilateral: x.iter().map(|x| x * scale).collect(),
        normal: Vec::with_capacity(unilateral.len()),
        tangential: vec![Vec::new(); unilateral.len()],
    };
    for (index, unknown) in unknowns.iter().enumerate() {
        match unknown {
            Unknown::Normal { .. } => forces.normal.push(z[index] * scale),
            Unknown::Along(_) => forces.tangential[owners[index]].push(z[index] * scale),
            Unknown::Slip | Unknown::Excess => {}
        }
    }
    Some(forces)
}

fn friction_of(row: &Unilateral) -> f64 {
    match &row.tangent {
        Tangent::Smooth | Tangent::Limited { .. } => 0.0,
        Tangent::Sliding { coefficient, .. } | Tangent::Sticking { coefficient, .. } => {
            *coefficient
        }
    }
}
