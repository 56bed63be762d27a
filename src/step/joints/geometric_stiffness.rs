//! What keeps joints under load from shaking when the step is too long for them.
//!
//! A joint that pulls with the force f at the lever r holds its body up like a taut string: turned by theta, the
//! body is turned back by the torque `-K theta`,
//!
//! ```text
//! K = (r . f) 1 - (r f^T + f r^T) / 2
//! ```
//!
//! its *geometric stiffness*. The rows of a step have the levers of its start, so that this torque is one step
//! late: as of an explicit spring, the swing grows once `h^2` times the largest eigenvalue of `I^-1 K` exceeds 4.
//! A chain of light links that carries a heavy load gets there soonest. Adding `h^2 K` to the inertia against
//! which impulses act makes the swing slower, and stable for every h (Tournier et al. 2015, *Stable Constrained
//! Dynamics*; Andrews et al. 2017, *Geometric Stiffness for Real-time Constrained Multibody Dynamics*).
//!
//! Only as much is added as takes the largest eigenvalue to 1, and nothing below that: a mechanism that the step
//! resolves keeps its inertia. The forces are those of the step before. What would push a body over, the negative
//! part of K, is left out: it is no stiffness.

use crate::constants::MAX_STIFFNESS_RATIO;
use crate::math::{Mat3, Vec3};
use crate::problem;
use crate::stabilize::JointRows;
use crate::world::{Body, World};

/// What the joints of a body do to it when it turns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stiffness {
    /// K `[N m]`.
    matrix: Mat3,
    /// Upper bound of its largest eigenvalue `[N m]`.
    bound: f64,
}

/// Adds to the inertia of `bodies`, those of `world`, what keeps them from shaking in a step of length `h` `[s]`.
/// `impulses` are those of the rows in the step before, of the same length; `stiffness` is memory that is used
/// again.
pub(super) fn add(
    world: &World,
    rows: &JointRows,
    impulses: &[f32],
    h: f64,
    stiffness: &mut Vec<Stiffness>,
    bodies: &mut [problem::Body],
) {
    stiffness.clear();
    stiffness.resize(world.bodies.len(), Stiffness::default());
    for (index, joint) in world.joints.iter().enumerate() {
        let range = rows.of(index);
        let linear = rows.rows()[range.clone()].iter();
        let impulse: Vec3 = linear
            .zip(&impulses[range])
            .map(|(row, &impulse)| row.linear * f64::from(impulse))
            .sum();
        let force = impulse / h;
        let ends = [
            (Some(joint.body_a), joint.frame_a.position, force),
            (joint.body_b, joint.frame_b.position, -force),
        ];
        for (body, arm, force) in ends {
            if let Some(body) = body.map(|body| body as usize)
                && let Some(at) = world.bodies.get(body)
            {
                stiffness[body].add(&at.pose.direction(&arm), &force);
            }
        }
    }
    for ((body, stiffness), solvers) in world.bodies.iter().zip(stiffness).zip(bodies) {
        if let Some(inverse) = stiffness.slowed(body, h) {
            let upper = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            solvers.inverse_inertia = upper.map(|at| inverse[at] as f32);
        }
    }
}

impl Stiffness {
    fn add(&mut self, arm: &Vec3, force: &Vec3) {
        let along = arm * force.transpose();
        self.matrix += Mat3::identity() * arm.dot(force) - 0.5 * (along + along.transpose());
        self.bound += arm.norm() * force.norm();
    }

    /// The inverse of the inertia with what is added to it `[1/(kg m^2)]`, in world axes; nothing if nothing is.
    fn slowed(&self, body: &Body, h: f64) -> Option<Mat3> {
        let squared = h * h;
        if !body.is_dynamic()
            || squared * self.bound * body.mass.inverse_inertia.trace() <= 1.0
            || !self.bound.is_finite()
        {
            return None;
        }
        let eigen = self.matrix.symmetric_eigen();
        let positive = eigen.eigenvalues.map(|value| value.max(0.0));
        let stiffness =
            eigen.eigenvectors * Mat3::from_diagonal(&positive) * eigen.eigenvectors.transpose();
        // The trace is the sum of the eigenvalues.
        let ratio = squared * (body.world_inverse_inertia() * stiffness).trace();
        if ratio <= 1.0 {
            return None;
        }
        // Joints that contradict each other can press against each other with any force.
        let added = (1.0 - 1.0 / ratio) * (MAX_STIFFNESS_RATIO / ratio).min(1.0);
        let slowed = body.world_inertia() + stiffness * (squared * added);
        Some(slowed.cholesky()?.inverse())
    }
}
