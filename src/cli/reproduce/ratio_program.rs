//! Hart's ratio metric by its definition: a linear program in four unknowns, solved by the dual simplex method.
//!
//! ```text
//! r = min t  such that  A_i R_i^T (x - x_i) <= t b_i,  i = 1, 2   (eq. 2)
//! ```
//!
//! Four constraints hold with equality at a time. The one that is violated most replaces one of them, so that the objective rises, until none is
//! violated: a look at all of them costs as much as there are, and few looks are needed, however many there are.

use drystone::math::{Pose, Vec3};
use drystone::world::{Face, Polyhedron};
use nalgebra::{Matrix4, Vector4};

/// Most exchanges of a constraint.
const MAX_EXCHANGES: usize = 500;
/// Violation that counts as none, over the value.
const TOLERANCE: f64 = 1e-13;

/// The program's value and what it took.
pub(crate) struct Solved {
    /// The ratio r.
    pub(crate) ratio: f64,
    /// Part of r by which it may be less, by the multipliers of the four constraints, or more, by the point where they meet.
    pub(crate) unsure: f64,
    /// Constraints that were evaluated, each time that they were.
    pub(crate) evaluations: usize,
}

/// `along . (x, t) >= least`.
#[derive(Clone, Copy, PartialEq)]
struct Constraint {
    along: Vector4<f64>,
    least: f64,
}

impl Constraint {
    /// A face of a solid that grows about a centre to `t` times its reach from there, divided by that reach.
    fn new(normal: &Vec3, center: &Vec3) -> Self {
        Self {
            along: Vector4::new(-normal.x, -normal.y, -normal.z, 1.0),
            least: -normal.dot(center),
        }
    }

    fn violation(&self, at: &Vector4<f64>) -> f64 {
        self.least - self.along.dot(at)
    }
}

/// The ratio metric of two polyhedra about their centres; none if the method does not end.
pub(crate) fn solve(solids: [&Polyhedron; 2], poses: [&Pose; 2]) -> Option<Solved> {
    // From the first centre, the distance of the two as unit: of one size whatever that of the solids is, and wherever they are.
    let arms: [Vec3; 2] = std::array::from_fn(|k| poses[k].direction(&solids[k].center()));
    let apart = (poses[1].position - poses[0].position) + (arms[1] - arms[0]);
    let centers = [Vec3::zeros(), apart.normalize()];
    // The least reach as the unit of the others: the rows of a thin plate's faces are long, and no rounding grows with 1 over its thickness.
    let reach = |k: usize, face: &Face| face.offset - face.normal.dot(&solids[k].center());
    let all = (0..2).flat_map(|k| solids[k].faces().iter().map(move |face| reach(k, face)));
    let unit = all.fold(f64::INFINITY, f64::min);
    let mut constraints = Vec::new();
    for (k, center) in centers.iter().enumerate() {
        constraints.extend(solids[k].faces().iter().map(|face| {
            let along = poses[k].direction(&face.normal) * (unit / reach(k, face));
            Constraint::new(&along, center)
        }));
    }
    // The sides of a tetrahedron around the first solid say nothing new, and are a corner to start from.
    let mut basis = [
        (1.0, 1.0, 1.0),
        (1.0, -1.0, -1.0),
        (-1.0, 1.0, -1.0),
        (-1.0, -1.0, 1.0),
    ]
    .map(|(x, y, z)| {
        let normal = Vec3::new(x, y, z).normalize();
        Constraint::new(
            &(normal * (unit / solids[0].bounding_radius())),
            &centers[0],
        )
    });
    let mut evaluations = 0;
    for _ in 0..MAX_EXCHANGES {
        let rows = Matrix4::from_rows(&basis.map(|row| row.along.transpose()));
        let inverse = rows.try_inverse()?;
        let right = Vector4::from(basis.map(|row| row.least));
        let mut at = inverse * right;
        // One refinement takes away the rounding error of the four constraints.
        at += inverse * (right - rows * at);
        let mut weights = inverse.transpose() * Vector4::w();
        weights += inverse.transpose() * (Vector4::w() - rows.transpose() * weights);
        evaluations += constraints.len();
        let worst = constraints
            .iter()
            .max_by(|a, b| a.violation(&at).total_cmp(&b.violation(&at)))?;
        let violation = worst.violation(&at);
        // One of the four is violated by what rounding leaves: there is nothing better.
        if violation <= TOLERANCE * at.w || basis.contains(worst) {
            // Weights of one sign whose sum of rows is `t` say that it is no less than their sum of right sides.
            let weights = weights.map(|weight| weight.max(0.0));
            let balance = Vector4::w() - rows.transpose() * weights;
            let least = weights.dot(&right) - (balance.abs()).dot(&at.abs());
            let ratio = at.w * (apart.norm() / unit);
            return Some(Solved {
                ratio,
                unsure: violation.max(at.w - least).max(0.0) / at.w,
                evaluations,
            });
        }
        // The constraint whose weight would be negative first gives way.
        let shares = inverse.transpose() * worst.along;
        let leaving = (0..4)
            .filter(|&row| shares[row] > 1e-13 * shares.amax())
            .min_by(|&a, &b| (weights[a] / shares[a]).total_cmp(&(weights[b] / shares[b])))?;
        basis[leaving] = *worst;
    }
    None
}
