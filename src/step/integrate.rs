//! Positions from velocities, semi-implicitly: `x+ = x + h v+`, `q+ = exp(h w+) q`.
//!
//! The gyroscopic term is kept in the momentum: a body that nothing touches turns by the implicit
//! midpoint of its torque-free motion, and its angular velocity after the step follows from its
//! angular momentum at the new orientation, so that the momentum is exact and the energy has no
//! drift.

use super::load::Wrench;
use crate::constants::GYROSCOPIC_ITERATIONS;
use crate::math::{self, Pose, Vec3};
use crate::solver::Velocity;
use crate::world::{Body, BodyKind};
use rayon::prelude::*;

/// A body's motion over a step if nothing touches it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Momentum {
    /// Velocity of the centre of mass at the end of the step `[m/s]`.
    pub(super) linear_velocity: Vec3,
    /// Angular velocity by which it turns during the step `[rad/s]`.
    pub(super) spin: Vec3,
    /// Angular momentum about the centre of mass, in world axes `[kg m^2/s]`.
    angular_momentum: Vec3,
}

impl Momentum {
    /// Motion under gravity and a load, an impulse `[N s]` and an angular impulse about the centre of
    /// mass `[N m s]` over the step.
    pub(super) fn free(body: &Body, gravity: &Vec3, load: &Wrench, h: f64) -> Self {
        if !body.is_dynamic() {
            return Self {
                linear_velocity: body.linear_velocity,
                spin: body.angular_velocity,
                angular_momentum: Vec3::zeros(),
            };
        }
        let local_spin = body.pose.inverse_direction(&body.angular_velocity);
        let angular_momentum = body.pose.direction(&(body.mass.inertia * local_spin));
        let mut spin = body.angular_velocity;
        if !body.mass.is_isotropic() {
            for _ in 0..GYROSCOPIC_ITERATIONS {
                let halfway = math::exp(&(spin * (0.5 * h))) * body.pose.orientation;
                spin =
                    halfway * (body.mass.inverse_inertia * (halfway.inverse() * angular_momentum));
            }
        }
        let pushed = gravity * h + load.impulse * body.mass.inverse_mass;
        Self {
            linear_velocity: body.linear_velocity + pushed,
            spin: spin + body.world_inverse_inertia() * load.angular_impulse,
            angular_momentum: angular_momentum + load.angular_impulse,
        }
    }
}

/// Moves dynamic bodies by the velocities that the solver found.
///
/// The solver works in f32; what it changed (`changes`, shape `[body_count]` or longer) is added to
/// the f64 velocity that it started from, so that a body without contacts moves as exactly as f64
/// goes.
pub(super) fn dynamic_bodies(
    bodies: &mut [Body],
    changes: &[Velocity],
    momenta: &[Momentum],
    h: f64,
) {
    bodies
        .par_iter_mut()
        .zip(changes)
        .zip(momenta)
        .with_min_len(1024)
        .filter(|((body, _), _)| body.is_dynamic())
        .for_each(|((body, change), momentum)| {
            let linear = momentum.linear_velocity + math::widen(change.linear);
            let gained_spin = math::widen(change.angular);
            let spin = momentum.spin + gained_spin;
            let angular_momentum = momentum.angular_momentum + body.world_inertia() * gained_spin;

            body.linear_velocity = linear;
            body.displace(&(linear * h), &(spin * h));
            body.angular_velocity = if body.mass.is_isotropic() {
                spin
            } else {
                body.world_inverse_inertia() * angular_momentum
            };
        });
}

/// Puts kinematic bodies where their motions say they are at `time`.
pub(super) fn kinematic_bodies(bodies: &mut [Body], starts: &[Pose], time: f64) {
    for (body, start) in bodies.iter_mut().zip(starts) {
        if let (BodyKind::Kinematic, Some(motion)) = (body.kind, &body.motion) {
            body.pose = motion.pose(start, time);
        }
    }
}

/// Gives kinematic bodies the velocities that take them, in one step of length h, to where their
/// motions say they are next.
pub(super) fn prescribe_velocities(bodies: &mut [Body], starts: &[Pose], time: f64, h: f64) {
    for (body, start) in bodies.iter_mut().zip(starts) {
        if let (BodyKind::Kinematic, Some(motion)) = (body.kind, &body.motion) {
            let next = motion.pose(start, time + h);
            body.linear_velocity = (next.position - body.pose.position) / h;
            let turn = next.orientation * body.pose.orientation.inverse();
            body.angular_velocity = turn.scaled_axis() / h;
        }
    }
}
