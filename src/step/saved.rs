//! A simulation in bytes, and out of them again.
//!
//! Saved is all that the next step depends on, to the last bit: bodies, broken joints, impulses that are remembered, manifolds that are kept with the motion
//! that decides how long, boxes of the broadphase, loads that divide steps. What is made anew of these in every step is not, nor what solvers
//! keep from solve to solve: colours, orders and the structure of mechanisms follow from a problem alone, and serve speed.

use super::control::{Control, SavedControl};
use super::driven::Driven;
use super::halfway::Halfway;
use super::joints::{Joints, SavedJoints};
use super::{Simulation, has_kinematic_bodies};
use crate::collide::SavedDetector;
use crate::error::{Error, Result};
use crate::event::{EventStepper, SavedContacts};
use crate::math::{Pose, Vec3};
use crate::measure::EnergyBalance;
use crate::world::{Body, Joint, World};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Where a body is, and how fast it moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct BodyState {
    pub(crate) pose: Pose,
    pub(crate) linear_velocity: Vec3,
    pub(crate) angular_velocity: Vec3,
}

/// All of a world that steps change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorldState {
    /// `[s]`
    pub(crate) time: f64,
    /// Shape `[body_count]`.
    pub(crate) bodies: Vec<BodyState>,
    /// Bounding radii `[m]`, by which bodies are told from others; shape `[body_count]`.
    pub(crate) radii: Vec<f64>,
    /// True for broken ones; shape `[joint_count]`.
    pub(crate) broken: Vec<bool>,
}

/// State that steps carry on beside the world; fields are those of [`Simulation`].
#[derive(Debug, Serialize, Deserialize)]
struct Carried {
    steps: u64,
    /// Shape `[body_count]`.
    start_poses: Vec<Pose>,
    contacts_are_stale: bool,
    detector: SavedDetector,
    joints: SavedJoints,
    event: Option<SavedContacts>,
    position: (f64, bool),
    control: SavedControl,
    /// Searches for contacts in the last step: within how far they look follows from it.
    updates: u32,
    impulse_length: f64,
    /// See [`Halfway::reach`].
    reach: f64,
    /// See [`Driven::far`].
    driven: Vec<(u32, f64)>,
    balance: Option<EnergyBalance>,
}

/// All that [`Simulation::save`] writes, and in its order.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedState {
    fingerprint: u32,
    world: WorldState,
    carried: Carried,
}

impl Simulation {
    /// The simulation in bytes: all that its next steps depend on. Of this simulation nothing is changed.
    ///
    /// # Errors
    /// [`Error::Invalid`] if memory does not suffice.
    pub fn save(&self) -> Result<Vec<u8>> {
        let carried = Carried {
            steps: self.steps,
            start_poses: self.start_poses.clone(),
            contacts_are_stale: self.contacts_are_stale,
            detector: self.detector.saved(),
            joints: self.joints.saved(),
            event: self.event.as_ref().map(EventStepper::saved),
            position: self.position.saved(),
            control: self.control.saved(),
            updates: self.division.updates,
            impulse_length: self.impulse_length,
            reach: self.halfway.reach(),
            driven: self.driven.far().to_vec(),
            balance: self.balance,
        };
        let all = SavedState {
            fingerprint: self.fingerprint(),
            world: WorldState::of(&self.world),
            carried,
        };
        postcard::to_stdvec(&all).map_err(|why| Error::invalid("state", why.to_string()))
    }

    /// Goes on where [`Self::save`] was called: the steps that follow have the same results to the last bit as those that followed there,
    /// with a solver of the same kind, for any number of threads.
    ///
    /// The simulation has to be such as the saved one was made: of the same world but for poses, velocities, broken joints and time,
    /// with the same settings. Problems and impulses of the last step are not saved: [`Self::velocity_problem`] and [`Self::impulses`] are
    /// empty until the next one.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the bytes are no state, or one of another world or of other settings. The simulation is then as it was.
    pub fn restore(&mut self, saved: &[u8]) -> Result<()> {
        let wrong = |why: &str| Error::invalid("state", why);
        let unreadable = |why: postcard::Error| wrong(&format!("it cannot be read: {why}"));
        let (fingerprint, rest) = postcard::take_from_bytes::<u32>(saved).map_err(unreadable)?;
        if fingerprint != self.fingerprint() {
            return Err(wrong("it is of another world, or of other settings"));
        }
        let (state, carried): (WorldState, Carried) =
            postcard::from_bytes(rest).map_err(unreadable)?;
        let misfit = || wrong("its numbers do not belong to the bodies and joints");
        let before = WorldState::of(&self.world);
        if !state.apply(&mut self.world) {
            return Err(misfit());
        }
        if self.take_over(carried).is_none() {
            before.apply(&mut self.world);
            return Err(misfit());
        }
        Ok(())
    }

    /// Takes over what was carried on beside the world, or nothing.
    fn take_over(&mut self, carried: Carried) -> Option<()> {
        if carried.start_poses.len() != self.world.bodies.len()
            || carried.event.is_some() != self.event.is_some()
            || carried.balance.is_some() != self.balance.is_some()
            || carried.updates == 0
        {
            return None;
        }
        let detector = self.detector.restored(carried.detector, &self.world)?;
        let joints = Joints::restored(carried.joints)?;
        if let (Some(stepper), Some(saved)) = (&mut self.event, carried.event)
            && !stepper.restore(saved, &carried.start_poses)
        {
            return None;
        }
        self.detector = detector;
        self.joints = joints;
        self.control = Control::restored(&carried.control, &self.world);
        self.position.restore(carried.position);
        self.steps = carried.steps;
        self.start_poses = carried.start_poses;
        self.contacts_are_stale = carried.contacts_are_stale;
        self.division.updates = carried.updates;
        self.impulse_length = carried.impulse_length;
        self.halfway = Halfway::restored(carried.reach, &self.detector);
        self.driven = Driven::restored(carried.driven);
        self.balance = carried.balance;
        self.has_kinematic_bodies = has_kinematic_bodies(&self.world);
        self.plan = None;
        self.problem = crate::problem::Problem::default();
        self.solution = crate::solver::Solution::default();
        Some(())
    }

    /// A number of all that steps do not change: of the settings and the world.
    fn fingerprint(&self) -> u32 {
        let mut print = Fingerprint(crc32fast::Hasher::new());
        let world = &self.world;
        // Writing to a hash cannot fail.
        let _ = write!(
            print,
            "{:?}{:?}{:?}{:?}",
            self.settings, world.gravity, world.materials, world.loads
        );
        for joint in &world.joints {
            let unbroken = Joint {
                broken: false,
                ..joint.clone()
            };
            let _ = write!(print, "{unbroken:?}");
        }
        for body in &world.bodies {
            print.body(body);
        }
        print.0.finalize()
    }
}

/// A hash that text is written to.
struct Fingerprint(crc32fast::Hasher);

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

impl Fingerprint {
    /// Takes in what a body is, not where.
    fn body(&mut self, body: &Body) {
        let (mass, shape) = (&body.mass, &body.shape);
        let numbers = [
            mass.mass,
            mass.inverse_mass,
            shape.inner_radius(),
            shape.bounding_radius(),
        ];
        let numbers = numbers
            .iter()
            .chain(mass.inertia.iter())
            .chain(body.center.iter());
        for number in numbers {
            self.0.update(&number.to_bits().to_le_bytes());
        }
        let groups = body.groups;
        for number in [
            body.kind as u32,
            body.material,
            groups.member,
            groups.collides_with,
        ] {
            self.0.update(&number.to_le_bytes());
        }
        if let Some(motion) = &body.motion {
            let _ = write!(self, "{motion:?}");
        }
    }
}

impl WorldState {
    /// The state of a world.
    fn of(world: &World) -> Self {
        let state = |body: &Body| BodyState {
            pose: body.pose,
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
        };
        Self {
            time: world.time,
            bodies: world.bodies.iter().map(state).collect(),
            radii: world.bodies.iter().map(radius).collect(),
            broken: world.joints.iter().map(|joint| joint.broken).collect(),
        }
    }

    /// Puts a world into this state; false if it has other numbers of bodies or joints, and then it is as it was.
    fn apply(&self, world: &mut World) -> bool {
        if self.bodies.len() != world.bodies.len() || self.broken.len() != world.joints.len() {
            return false;
        }
        for (body, state) in world.bodies.iter_mut().zip(&self.bodies) {
            body.pose = state.pose;
            body.linear_velocity = state.linear_velocity;
            body.angular_velocity = state.angular_velocity;
        }
        for (joint, &broken) in world.joints.iter_mut().zip(&self.broken) {
            joint.broken = broken;
        }
        world.time = self.time;
        true
    }
}

fn radius(body: &Body) -> f64 {
    body.shape.bounding_radius()
}

/// The state of the world in a saved simulation, whatever world it is of.
///
/// # Errors
/// [`Error::Invalid`] if the bytes are no state.
pub(crate) fn world_of(saved: &[u8]) -> Result<WorldState> {
    postcard::take_from_bytes::<(u32, WorldState)>(saved)
        .map(|((_, state), _)| state)
        .map_err(|why| Error::invalid("state", format!("it cannot be read: {why}")))
}
