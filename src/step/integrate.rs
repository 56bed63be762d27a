//! Positions from velocities, semi-implicitly: `x+ = x + h v+`, `q+ = exp(h w+) q`.
//!
//! The gyroscopic term is kept in the momentum: a body that nothing touches turns by its torque-free motion, and its angular velocity after the step follows from its
//! angular momentum at the new orientation, so that the momentum is exact. The energy is what it was: errors of the
//! orientation that tell in it are taken back.
//!
//! The torque-free motion is that of a top: of one with two equal moments in closed form, of others by splitting off what makes the moments differ (Touma and Wisdom, "Lie-Poisson integrators for rigid body dynamics in the
//! solar system", Astron. J. 107, 1994).

use super::load::Wrench;
use super::prefetch::prefetch;
use crate::constants::{
    BODIES_AHEAD, ENERGY_ERROR_OF_A_TURN, FAR_TURN, GYROSCOPIC_ITERATIONS,
    MAX_ENERGY_RATIO_OF_A_TURN, MAX_TILT_OF_A_TURN, TILTS_OF_A_TURN,
};
use crate::math::{self, Pose, Quat, Rotations, Vec3};
use crate::measure::{ENERGY_CHUNK, Energy};
use crate::parallel::{Chunked, SharedSlice, for_chunks};
use crate::problem::{self, Velocity};
use crate::solver::Displacement;
use crate::world::{Body, BodyKind, NearlySymmetricTop};

/// A body's motion over a step if nothing touches it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Momentum {
    /// Velocity of the centre of mass before the step `[m/s]`.
    pub(super) linear_velocity: Vec3,
    /// Angular velocity midway through the step without a load `[rad/s]`.
    pub(super) spin: Vec3,
    /// Rotation vector of the step without a load `[rad]`.
    turn: Vec3,
    /// What gravity and the load add to the two over the step.
    pub(super) gain: (Vec3, Vec3),
    /// Angular momentum about the centre of mass at the end of the step, in world axes `[kg m^2/s]`; of an
    /// isotropic body, which has no use for it, only what the load gives.
    angular_momentum: Vec3,
    is_isotropic: bool,
}

impl Momentum {
    /// Motion under gravity and a load, an impulse `[N s]` and an angular impulse about the centre of
    /// mass `[N m s]` over the step.
    #[inline(always)]
    pub(super) fn free(body: &Body, gravity: &Vec3, load: &Wrench, h: f64) -> Self {
        if !body.is_dynamic() {
            return Self {
                linear_velocity: body.linear_velocity,
                spin: body.angular_velocity,
                turn: body.angular_velocity * h,
                gain: (Vec3::zeros(), Vec3::zeros()),
                angular_momentum: Vec3::zeros(),
                is_isotropic: true,
            };
        }
        let is_isotropic = body.mass.is_isotropic();
        let (FreeRotation { spin, turn }, angular_momentum) = if is_isotropic {
            let spin = body.angular_velocity;
            let turn = spin * h;
            (FreeRotation { spin, turn }, Vec3::zeros())
        } else {
            free_rotation(body, h)
        };
        let pushed = load.angular_impulse != Vec3::zeros();
        Self {
            linear_velocity: body.linear_velocity,
            spin,
            turn,
            gain: (
                gravity * h + load.impulse * body.mass.inverse_mass,
                if pushed {
                    body.world_inverse_inertia() * load.angular_impulse
                } else {
                    Vec3::zeros()
                },
            ),
            angular_momentum: angular_momentum + load.angular_impulse,
            is_isotropic,
        }
    }

    /// Velocity of the centre of mass at the end of the step `[m/s]`, and the angular velocity by which
    /// the body turns if the load acts from its start `[rad/s]`.
    #[inline]
    pub(super) fn at_end(&self) -> (Vec3, Vec3) {
        (self.linear_velocity + self.gain.0, self.spin + self.gain.1)
    }
}

/// A body's rotation over a step without torque.
struct FreeRotation {
    /// Angular velocity midway `[rad/s]`.
    spin: Vec3,
    /// Rotation vector of the step `[rad]`.
    turn: Vec3,
}

/// Rotation without torque, and the angular momentum, in world axes: exact of a symmetric top. Otherwise it is, about principal axes, that of a top between two halves of a turn
/// about one of them, which makes up for the difference of moments; about other axes it is the implicit midpoint.
fn free_rotation(body: &Body, h: f64) -> (FreeRotation, Vec3) {
    let mut spin = body.angular_velocity;
    let momentum = body.mass.inertia * body.pose.inverse_direction(&spin);
    let angular_momentum = body.pose.direction(&momentum);
    if let Some(top) = body.mass.nearly_symmetric_top() {
        let FreeRotation { spin, turn } = rotation_of_top(&top, momentum, h);
        let [midway, turn] = [spin, turn].map(|part| body.pose.direction(&part));
        // Impulses on a body are found where it is at first: what they take from a velocity of quite another place may add to its energy. A rod that
        // rolls turns far, but its axis does not.
        let of_axis = angular_momentum * (top.inverse_moments[top.axes[1]] * h);
        let spin = if is_far(&of_axis) {
            body.angular_velocity
        } else {
            midway
        };
        return (FreeRotation { spin, turn }, angular_momentum);
    }
    for _ in 0..GYROSCOPIC_ITERATIONS {
        let halfway = math::exp(&(spin * (0.5 * h))) * body.pose.orientation;
        spin = halfway * (body.mass.inverse_inertia * (halfway.inverse() * angular_momentum));
    }
    if is_far(&(spin * h)) {
        // No midpoint is found of a turn so far, or one whose velocity has other energy than the body.
        let energy = body.angular_velocity.dot(&angular_momentum);
        if spin.dot(&(body.world_inertia() * spin)) > MAX_ENERGY_RATIO_OF_A_TURN * energy {
            spin = body.angular_velocity;
        }
    }
    let turn = spin * h;
    (FreeRotation { spin, turn }, angular_momentum)
}

/// See [`free_rotation`]: of a body with this angular momentum, all in body axes.
fn rotation_of_top(top: &NearlySymmetricTop, start: Vec3, h: f64) -> FreeRotation {
    let [along, across, other] = top.axes;
    let [inverse, of_other] = [across, other].map(|axis| top.inverse_moments[axis]);
    let half = 0.5 * h;
    let about = |axis: usize, angle: f64| math::exp(&Vec3::ith(axis, angle));
    let makes_up = |momentum: &Vec3| about(other, momentum[other] * (of_other - inverse) * half);
    let is_symmetric = of_other == inverse;
    let (mut turned, mut momentum) = (Quat::identity(), start);
    if !is_symmetric {
        turned = makes_up(&momentum);
        momentum = turned.inverse() * momentum;
    }
    // The top turns about its own axis while that goes around the momentum.
    let own = (top.inverse_moments[along] - inverse) * momentum[along];
    let own = about(along, own * half);
    let precession = math::exp(&(momentum * (inverse * half)));
    let midway = own.inverse() * momentum;
    let spin = Vec3::from_fn(|axis, _| top.inverse_moments[axis] * midway[axis]);
    let spin = turned * (precession * (own * spin));
    turned *= precession * precession * own * own;
    if !is_symmetric {
        turned *= makes_up(&(own.inverse() * midway));
    }
    FreeRotation {
        spin,
        turn: math::log_near(&turned, &(spin * h)),
    }
}

/// True if a body turns so far in a step that its inertia is another all the way.
fn is_far(turn: &Vec3) -> bool {
    turn.norm_squared() > FAR_TURN * FAR_TURN
}

/// Chunks of [`ENERGY_CHUNK`] bodies that one thread moves at least, some 10 us each.
const CHUNKS_PER_THREAD: usize = 4;

/// Bodies that are turned together.
const TURNED: usize = 16;

/// How far a body moves in a part of a step.
pub(super) enum Way<'a> {
    /// By the velocity that it ends the part with.
    AtEnd,
    /// In so many substeps: as far as impulses and corrections take it, shape `[body_count]`, and as it goes without.
    InSubsteps(u32, &'a [Displacement]),
}

/// Moves dynamic bodies by what a solver has changed of their velocities, shape `[body_count]` or longer, over a part of length `h`. Returns
/// the energy that they have then under this gravity, to the bits of [`energy`](crate::measure::energy); `energies` is memory that is
/// used again.
///
/// The solver works in f32; what it changed is added to the f64 velocity that it started from, so that a body without contacts
/// moves as exactly as f64 goes.
pub(super) fn dynamic_bodies(
    bodies: &mut [Body],
    changes: &[Velocity],
    momenta: &[Momentum],
    (way, h): (&Way<'_>, f64),
    gravity: &Vec3,
    energies: &mut Vec<Energy>,
) -> Energy {
    match *way {
        Way::AtEnd => {
            let way = |at: usize| {
                let (momentum, change) = (&momenta[at], &changes[at]);
                let (linear, _) = momentum.at_end();
                (
                    (linear + math::widen(change.linear)) * h,
                    momentum.turn + (momentum.gain.1 + math::widen(change.angular)) * h,
                )
            };
            move_bodies(bodies, changes, momenta, way, gravity, energies)
        }
        Way::InSubsteps(substeps, displacements) => {
            // A force that acts from the k-th of n substeps on moves a body for the rest of the step.
            let gain_acts = 0.5 * h * (1.0 + 1.0 / f64::from(substeps));
            let way = |at: usize| {
                let (momentum, moved) = (&momenta[at], &displacements[at]);
                let (linear, spin) = momentum.gain;
                (
                    momentum.linear_velocity * h + linear * gain_acts + math::widen(moved.linear),
                    momentum.turn + spin * gain_acts + math::widen(moved.angular),
                )
            };
            move_bodies(bodies, changes, momenta, way, gravity, energies)
        }
    }
}

/// See [`dynamic_bodies`]; `way` says how far a body moves `[m]` and turns `[rad]`.
fn move_bodies(
    bodies: &mut [Body],
    changes: &[Velocity],
    momenta: &[Momentum],
    way: impl Fn(usize) -> (Vec3, Vec3) + Sync,
    gravity: &Vec3,
    energies: &mut Vec<Energy>,
) -> Energy {
    let one_chunk = |chunk: usize, bodies: &mut [Body]| {
        let mut energy = Energy::default();
        let mut rotations = Rotations::<TURNED>::NONE;
        for start in (0..bodies.len()).step_by(TURNED) {
            let end = bodies.len().min(start + TURNED);
            let first = chunk * ENERGY_CHUNK;
            let mut shifts = [Vec3::zeros(); TURNED];
            let mut far = [false; TURNED];
            for at in 0..end - start {
                let (shift, turn) = way(first + start + at);
                rotations.put(at, &turn);
                (shifts[at], far[at]) = (shift, is_far(&turn));
            }
            rotations.find();
            for (at, shift) in shifts[..end - start].iter().enumerate() {
                prefetch(bodies, start + at + BODIES_AHEAD);
                let body = &mut bodies[start + at];
                if body.is_dynamic() {
                    let of_all = first + start + at;
                    let turn = Turn {
                        rotation: rotations.get(at),
                        is_far: far[at],
                    };
                    move_body(body, &changes[of_all], &momenta[of_all], (*shift, &turn));
                }
            }
            energy.add(&bodies[start..end], gravity);
        }
        energy
    };
    energies.resize(bodies.len().div_ceil(ENERGY_CHUNK), Energy::default());
    let slices = (
        Chunked(SharedSlice::new(bodies), ENERGY_CHUNK),
        SharedSlice::new(energies),
    );
    for_chunks(slices, CHUNKS_PER_THREAD, |first, (bodies, energies)| {
        let chunks = bodies.chunks_mut(ENERGY_CHUNK).zip(energies);
        for (at, (bodies, energy)) in chunks.enumerate() {
            *energy = one_chunk(first + at, bodies);
        }
    });
    let energies = energies.iter().copied();
    energies.fold(Energy::default(), Energy::plus)
}

/// How a body turns in a step.
struct Turn {
    rotation: Quat,
    /// See [`is_far`].
    is_far: bool,
}

/// Moves a body by a displacement, turns it, and gives it the velocity that follows from what a solver
/// changed. The change of angular momentum is that at the old orientation.
///
/// Where a body of fixed momentum is turned to at random, its energy is anything between that about its longest and
/// its shortest axis: of rods that roll and hit each other it grows without bound. After a far turn it is no more than
/// before.
#[inline(always)]
fn move_body(body: &mut Body, change: &Velocity, momentum: &Momentum, (way, turn): (Vec3, &Turn)) {
    let gained_spin = math::widen(change.angular);
    let (linear, spin) = momentum.at_end();
    body.linear_velocity = linear + math::widen(change.linear);
    if momentum.is_isotropic {
        body.displace_and_turn(&way, &turn.rotation);
        body.angular_velocity = spin + gained_spin;
    } else {
        let angular_momentum = momentum.angular_momentum + body.world_inertia() * gained_spin;
        let before = angular_momentum.dot(&spin_with(body, &angular_momentum));
        body.displace_and_turn(&way, &turn.rotation);
        body.angular_velocity = spin_with(body, &angular_momentum);
        let missing = before - angular_momentum.dot(&body.angular_velocity);
        let is_free = gained_spin == Vec3::zeros() && momentum.gain.1 == Vec3::zeros();
        // Some of the energy that a body in contact gains or loses is work that was done while it turned.
        let allowed = if is_free {
            ENERGY_ERROR_OF_A_TURN * before
        } else {
            (MAX_ENERGY_RATIO_OF_A_TURN - 1.0) * before
        };
        if missing < -allowed || is_free && missing > allowed {
            tilt_to_energy(body, &angular_momentum, before);
            body.angular_velocity = spin_with(body, &angular_momentum);
            let after = angular_momentum.dot(&body.angular_velocity);
            if turn.is_far && after > MAX_ENERGY_RATIO_OF_A_TURN * before {
                body.angular_velocity *= (before / after).sqrt();
            }
        }
    }
}

/// Angular velocity of a body with an angular momentum, in world axes `[rad/s]`.
#[inline(always)]
fn spin_with(body: &Body, angular_momentum: &Vec3) -> Vec3 {
    let local = body.pose.inverse_direction(angular_momentum);
    body.pose.direction(&(body.mass.inverse_inertia * local))
}

/// Turns a body a little to where it has twice this energy `[J]` with an angular momentum, if there is such a place near; else it stays.
///
/// Where bodies are turned to is wrong by as little as the square of the turn; but a thin rod's spin about itself is that
/// error times the spin about other axes times the ratio of its moments of inertia, which is in the thousands.
fn tilt_to_energy(body: &mut Body, angular_momentum: &Vec3, energy: f64) {
    let start = body.pose.orientation;
    let mut tilt = 0.0;
    for _ in 0..TILTS_OF_A_TURN {
        let spin = spin_with(body, angular_momentum);
        let missing = energy - angular_momentum.dot(&spin);
        if missing.abs() <= ENERGY_ERROR_OF_A_TURN * energy {
            return;
        }
        // The direction in which it grows fastest, by twice this for a radian.
        let steepest = spin.cross(angular_momentum);
        let slope = steepest.norm();
        tilt += (0.5 * missing / slope).abs();
        if tilt > MAX_TILT_OF_A_TURN || !tilt.is_finite() {
            body.pose.orientation = start;
            return;
        }
        let tilted = math::exp(&(steepest * (0.5 * missing / (slope * slope))));
        body.pose.orientation = tilted * body.pose.orientation;
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

/// Has kinematic bodies gain velocity evenly over a part of length `h` in so many substeps, as far as their motions are smooth in it: a plate
/// that is shaken would hit what lies on it again and again if it moved straight from part to part. They end the part where they do without.
pub(super) fn prescribe_increments(
    bodies: &[Body],
    (time, h, substeps): (f64, f64, u32),
    solved: &mut [problem::Body],
    increments: &mut [Velocity],
) {
    // As with a force: what is gained from the k-th of n substeps on moves a body for the rest of the part.
    let acts = 0.5 * (1.0 + 1.0 / f64::from(substeps));
    for (body, (solved, increment)) in bodies.iter().zip(solved.iter_mut().zip(increments)) {
        let (BodyKind::Kinematic, Some(motion)) = (body.kind, &body.motion) else {
            continue;
        };
        if let Some((linear, angular)) = motion.gain(time, h) {
            *solved = body.for_solver(
                &(body.linear_velocity - linear * acts),
                &(body.angular_velocity - angular * acts),
            );
            *increment = Velocity {
                linear: math::narrow(&linear),
                angular: math::narrow(&angular),
            };
        }
    }
}
