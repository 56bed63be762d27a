//! How far impulses are from solving the mixed problem itself, whoever found them.
//!
//! Dynamics hold by construction: velocities are computed from the impulses. What is left are the
//! equalities of the joints and the complementarity of all else (Cline and Pai 2003, eq. 8), block
//! by block, with the least slip speed and the least friction impulses that belong to the impulses.
//! Rows are scaled to a unit diagonal and to the largest of the problem's data, so that pebbles and
//! boulders are judged alike; every block is dimensionless.

use super::widened::Widened;
use crate::solver::nsgs::Impulses;

/// Residuals of the blocks of a mixed problem; dimensionless, in the rows' scale.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MixedResidual {
    /// Equality rows of joints: `max |u|`.
    pub equality: f64,
    /// Rows of joints with a bound: the natural map.
    pub bounded: f64,
    /// Normals, `0 <= r_n _|_ u_n >= 0`.
    pub normal: f64,
    /// Friction directions, `0 <= f_k _|_ d_k . u_t + s >= 0`.
    pub friction: f64,
    /// Slip speeds, `0 <= s _|_ mu r_n - sum_k f_k >= 0`.
    pub slip: f64,
}

impl MixedResidual {
    /// The largest of all blocks; NaN if one is.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.complementarity().max(self.equality) + 0.0 * self.equality
    }

    /// The largest of all blocks but the equalities; NaN if one is.
    pub(super) fn complementarity(&self) -> f64 {
        let blocks = [self.bounded, self.normal, self.friction, self.slip];
        // `max` skips NaN where the sum does not.
        blocks.into_iter().fold(0.0, f64::max) + 0.0 * blocks.iter().sum::<f64>()
    }
}

/// The unit of scaled rows: the largest scaled velocity without impulses, or impulse that has to be
/// there; 1 if all are zero.
pub(super) fn unit(problem: &Widened) -> f64 {
    let before = problem.velocities_before();
    let of_points = problem.points.iter().flat_map(|point| {
        let root = point.residual_mass.sqrt();
        let rows = if point.friction > 0.0 { 3 } else { 1 };
        let u = point.velocity([0.0; 3], &before);
        u.into_iter().take(rows).map(move |u| root * u.abs())
    });
    let of_joints = problem.joints.iter().map(|joint| {
        let preload = 0.0_f64.clamp(joint.lower, joint.upper);
        let root = joint.mass.sqrt();
        (root * joint.velocity(0.0, &before).abs()).max(preload.abs() / root)
    });
    let unit = of_points.chain(of_joints).fold(0.0, f64::max);
    if unit > 0.0 { unit } else { 1.0 }
}

/// The largest sum of the terms that make up the velocity along an equality row, in scaled rows: what
/// the rounding of the row's f32 numbers is relative to.
pub(super) fn equality_terms(problem: &Widened, unit: f64) -> f64 {
    let before = problem.velocities_before();
    let terms = problem.joints.iter().filter(|joint| joint.is_equality());
    terms
        .map(|joint| joint.mass.sqrt() / unit * (joint.row.terms(&before) + joint.bias.abs()))
        .fold(0.0, f64::max)
}

/// Blocks of the residual of a problem of the given [`unit()`].
pub(super) fn of(problem: &Widened, unit: f64, impulses: &Impulses) -> MixedResidual {
    let velocities = problem.velocities(&problem.changes(impulses));
    let mut residual = MixedResidual::default();
    // A block that is NaN compares with nothing, and so stays.
    let grow = |block: &mut f64, value: f64| {
        if value.is_nan() || value.abs() > *block {
            *block = value.abs();
        }
    };
    for point in &problem.points {
        let to_velocity = point.residual_mass.sqrt() / unit;
        let to_impulse = 1.0 / (point.residual_mass.sqrt() * unit);
        let r = impulses.contacts[point.contact];
        let u = point.velocity(r, &velocities);
        grow(
            &mut residual.normal,
            (to_impulse * r[0]).min(to_velocity * u[0]) + 0.0 * (r[0] + u[0]),
        );
        if point.friction == 0.0 {
            continue;
        }
        let along = |d: &[f64; 2]| d[0] * u[1] + d[1] * u[2];
        let slip = problem
            .directions
            .iter()
            .map(|d| -along(d))
            .fold(0.0, f64::max);
        let shares = shares([r[1], r[2]], &problem.directions);
        for (share, d) in shares.iter().zip(&problem.directions) {
            grow(
                &mut residual.friction,
                (to_impulse * share).min(to_velocity * (along(d) + slip)) + 0.0 * share,
            );
        }
        let left = point.friction * r[0] - shares.iter().sum::<f64>();
        grow(
            &mut residual.slip,
            (to_velocity * slip).min(to_impulse * left) + 0.0 * left,
        );
    }
    for joint in &problem.joints {
        let r = impulses.joint_rows[joint.index];
        let u = joint.velocity(r, &velocities);
        if joint.is_equality() {
            grow(&mut residual.equality, joint.mass.sqrt() / unit * u);
        } else {
            grow(
                &mut residual.bounded,
                joint.off(r, u) / (joint.mass.sqrt() * unit),
            );
        }
    }
    residual
}

/// The least impulses along the corners of a polygon that add up to `t`: of the two corners that `t`
/// lies between.
fn shares(t: [f64; 2], corners: &[[f64; 2]]) -> Vec<f64> {
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let next = |k: usize| (k + 1) % corners.len();
    let mut shares = vec![0.0; corners.len()];
    let sectors = (0..corners.len()).map(|k| {
        let (a, b) = (corners[k], corners[next(k)]);
        let determinant = cross(a, b);
        (k, cross(t, b) / determinant, cross(a, t) / determinant)
    });
    // The one in which neither is negative; by round-off, barely so.
    if let Some((k, first, second)) = sectors.max_by(|x, y| x.1.min(x.2).total_cmp(&y.1.min(y.2))) {
        shares[k] = first.max(0.0) + 0.0 * first;
        shares[next(k)] = second.max(0.0) + 0.0 * second;
    }
    shares
}
