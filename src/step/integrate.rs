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
use crate::solver::substeps::SubstepSolution;
use crate::world::{Body, BodyKind};
use rayon::prelude::*;

/// A body's motion over a step if nothing touches it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Momentum {
    /// Velocity of the centre of mass before the step `[m/s]`.
    pub(super) linear_velocity: Vec3,
    /// Angular velocity by which it would turn during the step without a load `[rad/s]`.
    pub(super) spin: Vec3,
    /// What gravity and the load add to the two over the step.
    pub(super) gain: (Vec3, Vec3),
    /// Angular momentum about the centre of mass at the end of the step, in world axes `[kg m^2/s]`; of an
    /// isotropic body, which has no use for it, only what the load gives.
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
                gain: (Vec3::zeros(), Vec3::zeros()),
                angular_momentum: Vec3::zeros(),
            };
        }
        let mut angular_momentum = Vec3::zeros();
        let mut spin = body.angular_velocity;
        if !body.mass.is_isotropic() {
            let local_spin = body.pose.inverse_direction(&spin);
            angular_momentum = body.pose.direction(&(body.mass.inertia * local_spin));
            for _ in 0..GYROSCOPIC_ITERATIONS {
                let halfway = math::exp(&(spin * (0.5 * h))) * body.pose.orientation;
                spin =
                    halfway * (body.mass.inverse_inertia * (halfway.inverse() * angular_momentum));
            }
        }
        let pushed = load.angular_impulse != Vec3::zeros();
        Self {
            linear_velocity: body.linear_velocity,
            spin,
            gain: (
                gravity * h + load.impulse * body.mass.inverse_mass,
                if pushed {
                    body.world_inverse_inertia() * load.angular_impulse
                } else {
                    Vec3::zeros()
                },
            ),
            angular_momentum: angular_momentum + load.angular_impulse,
        }
    }

    /// Velocity of the centre of mass at the end of the step `[m/s]`, and the angular velocity by which
    /// the body turns if the load acts from its start `[rad/s]`.
    pub(super) fn at_end(&self) -> (Vec3, Vec3) {
        (self.linear_velocity + self.gain.0, self.spin + self.gain.1)
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
            let (linear, spin) = momentum.at_end();
            let (linear, spin) = (
                linear + math::widen(change.linear),
                spin + math::widen(change.angular),
            );
            move_body(body, change, momentum, (linear * h, spin * h));
        });
}

/// Moves dynamic bodies by what a step in substeps found: how far impulses and corrections took them
/// (`solution.displacements`), and how far they come without.
pub(super) fn dynamic_bodies_in_substeps(
    bodies: &mut [Body],
    solution: &SubstepSolution,
    momenta: &[Momentum],
    substeps: u32,
    h: f64,
) {
    // A force that acts from the k-th of n substeps on moves a body for the rest of the step.
    let gain_acts = 0.5 * h * (1.0 + 1.0 / f64::from(substeps));
    bodies
        .par_iter_mut()
        .zip(&solution.changes)
        .zip(&solution.displacements)
        .zip(momenta)
        .with_min_len(1024)
        .filter(|(((body, _), _), _)| body.is_dynamic())
        .for_each(|(((body, change), moved), momentum)| {
            let way = |velocity: &Vec3, gain: &Vec3, moved| {
                velocity * h + gain * gain_acts + math::widen(moved)
            };
            let displacement = (
                way(&momentum.linear_velocity, &momentum.gain.0, moved.linear),
                way(&momentum.spin, &momentum.gain.1, moved.angular),
            );
            move_body(body, change, momentum, displacement);
        });
}

/// Moves a body by a displacement and a rotation vector, and gives it the velocity that follows from
/// what a solver changed. The change of angular momentum is that at the old orientation.
fn move_body(body: &mut Body, change: &Velocity, momentum: &Momentum, (way, turn): (Vec3, Vec3)) {
    let gained_spin = math::widen(change.angular);
    let (linear, spin) = momentum.at_end();
    body.linear_velocity = linear + math::widen(change.linear);
    if body.mass.is_isotropic() {
        body.displace(&way, &turn);
        body.angular_velocity = spin + gained_spin;
    } else {
        let angular_momentum = momentum.angular_momentum + body.world_inertia() * gained_spin;
        body.displace(&way, &turn);
        body.angular_velocity = body.world_inverse_inertia() * angular_momentum;
    }
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
