//! Hart's ratio metric by its definition: a linear program in four unknowns, solved by the dual simplex method.
//!
//! ```text
//! r = min t  such that  A_i R_i^T (x - x_i) <= t b_i,  i = 1, 2   (eq. 2)
//! ```
//!
//! Four constraints hold with equality at a time. The one that is violated most replaces one of them, so that the objective rises, until none is
//! violated: a look at all of them costs as much as there are, and few looks are needed, however many there are.

use drystone::math::{Pose, Vec3};
use drystone::world::Polyhedron;
use nalgebra::{Matrix4, Vector4};

/// Most exchanges of a constraint.
const MAX_EXCHANGES: usize = 200;
/// Violation that counts as none.
const TOLERANCE: f64 = 1e-13;

/// The program's value and what it took.
pub(crate) struct Solved {
    /// The ratio r.
    pub(crate) ratio: f64,
    /// Constraints that were evaluated, each time that they were.
    pub(crate) evaluations: usize,
}

/// `along . (x, t) >= least`.
#[derive(Clone, Copy)]
struct Constraint {
    along: Vector4<f64>,
    least: f64,
}

impl Constraint {
    /// A face of a solid that grows about a centre to `t` times its `reach` from there.
    fn new(normal: &Vec3, reach: f64, center: &Vec3) -> Self {
        Self {
            along: Vector4::new(-normal.x, -normal.y, -normal.z, reach),
            least: -normal.dot(center),
        }
    }

    fn violation(&self, at: &Vector4<f64>) -> f64 {
        self.least - self.along.dot(at)
    }
}

/// The ratio metric of two polyhedra about their centres; none if the method does not end.
pub(crate) fn solve(solids: [&Polyhedron; 2], poses: [&Pose; 2]) -> Option<Solved> {
    let mut constraints = Vec::new();
    for (solid, pose) in solids.into_iter().zip(poses) {
        let center = pose.point(&solid.center());
        constraints.extend(solid.faces().iter().map(|face| {
            let reach = face.offset - face.normal.dot(&solid.center());
            Constraint::new(&pose.direction(&face.normal), reach, &center)
        }));
    }
    // The sides of a tetrahedron around the first solid say nothing new, and are a corner to start from.
    let [first, _] = solids;
    let center = poses[0].point(&first.center());
    let mut basis = [
        (1.0, 1.0, 1.0),
        (1.0, -1.0, -1.0),
        (-1.0, 1.0, -1.0),
        (-1.0, -1.0, 1.0),
    ]
    .map(|(x, y, z)| {
        let normal = Vec3::new(x, y, z).normalize();
        Constraint::new(&normal, first.bounding_radius(), &center)
    });
    let mut evaluations = 0;
    for _ in 0..MAX_EXCHANGES {
        let rows = Matrix4::from_rows(&basis.map(|row| row.along.transpose()));
        let inverse = rows.try_inverse()?;
        let at = inverse * Vector4::from(basis.map(|row| row.least));
        let weights = inverse.transpose() * Vector4::w();
        evaluations += constraints.len();
        let worst = constraints
            .iter()
            .max_by(|a, b| a.violation(&at).total_cmp(&b.violation(&at)))?;
        if worst.violation(&at) <= TOLERANCE {
            return Some(Solved {
                ratio: at.w,
                evaluations,
            });
        }
        // The constraint whose weight would be negative first gives way.
        let shares = inverse.transpose() * worst.along;
        let leaving = (0..4)
            .filter(|&row| shares[row] > 1e-14)
            .min_by(|&a, &b| (weights[a] / shares[a]).total_cmp(&(weights[b] / shares[b])))?;
        basis[leaving] = *worst;
    }
    None
}
