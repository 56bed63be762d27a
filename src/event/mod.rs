//! The event-driven stepper of Baraff's notes: it stops where bodies collide.
//!
//! Between events the equations of motion are an ordinary differential equation, integrated by the classical fourth-order
//! Runge–Kutta method on positions, rotations and momenta. In every evaluation resting contacts get the forces that keep them
//! from approaching (`forces.rs`), joints those that keep `d'' = 0`. Where two bodies would be in each other at the end of a step, the
//! time at which they touch is found, velocities change at once by impulses (`impact.rs`), and the integration starts anew. Sliding
//! that comes to an end is an event of the same kind, and so is a motor's arrival at its velocity: until then it drives with its full force, from then on
//! with what keeps it there, up to that. All in f64 and dense: it is for small scenes, and for what a step of fixed length
//! smears over its length.
//!
//! It has no step where its equations have none: infinitely many collisions in finite time, and sliding friction whose forces do not
//! exist (Painlevé) end in [`Error::Event`] with the time and the contacts, and the world stays as it was before the step.

mod ball;
mod contact;
mod forces;
mod impact;
mod parts;
mod rows;
mod run;
mod settings;
mod state;
pub(crate) mod system;

pub use settings::{EventOptions, EventSettings, Feedback, Impacts, TimeSearch};

use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::{Shape, World};
use contact::Contact;
use forces::Resting;
use parts::Pairs;
use run::Run;

/// Collisions and contacts of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventReport {
    /// Times at which bodies collided `[s]`.
    pub collisions: Vec<f64>,
    /// States that were computed to find these times.
    pub trials: u32,
    /// Impulses along contacts that hit, summed over the collisions.
    pub impacts: u32,
    /// Times at which a contact stopped sliding.
    pub stops: u32,
    /// Contacts that rested at the end of the step.
    pub resting: usize,
}

/// Force of a resting contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// Body A, on which the force acts, and B, on which its opposite does.
    pub bodies: [u32; 2],
    /// Where, in world axes `[m]`.
    pub point: Vec3,
    /// From B to A.
    pub normal: Vec3,
    /// `[N]`.
    pub force: Vec3,
}

/// A world's bodies from event to event.
pub struct EventStepper {
    settings: EventSettings,
    pairs: Pairs,
    /// Where kinematic bodies started.
    starts: Vec<Pose>,
    /// Least radius of a ball within a moving body `[m]`.
    smallest: f64,
    /// Contacts that rested at the end of the last step.
    held: Vec<Contact>,
}

/// The contacts of an event stepper in a checkpoint.
#[cfg(feature = "scene")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedContacts(Vec<Contact>);

impl std::fmt::Debug for EventStepper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStepper")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl EventStepper {
    /// A stepper for a world.
    ///
    /// # Errors
    /// [`Error::Invalid`] for settings without meaning, for shapes that the stepper has no contacts for, for joints that break, and for a world that is
    /// not valid.
    pub fn new(world: &World, settings: EventSettings) -> Result<Self> {
        settings.validate()?;
        world.validate()?;
        for (index, joint) in world.joints.iter().enumerate() {
            if joint.breaking_force.is_some() || joint.breaking_torque.is_some() {
                return Err(Error::invalid(
                    format!("joint {index}"),
                    "the event stepper has no joints that break",
                ));
            }
        }
        let moving = world.bodies.iter().filter(|body| body.is_dynamic());
        let smallest = moving.map(|body| inner_radius(&body.shape));
        Ok(Self {
            settings,
            pairs: Pairs::new(world)?,
            starts: world.bodies.iter().map(|body| body.pose).collect(),
            smallest: smallest.fold(f64::INFINITY, f64::min),
            held: Vec::new(),
        })
    }

    /// Moves the world on by `h` `[s]`.
    ///
    /// # Errors
    /// [`Error::Event`] where no forces or impulses were found or events do not end, and [`Error::NonFinite`]. The world is then as before.
    pub fn step(&mut self, world: &mut World, h: f64) -> Result<EventReport> {
        let mut report = EventReport::default();
        let mut run = Run {
            stepper: self,
            world: &*world,
            time: world.time,
            h,
        };
        let (bodies, held) = run.through(&mut report)?;
        report.resting = held.len();
        self.held = held;
        let end = world.time + h;
        world.bodies = bodies;
        world.time = end;
        Ok(report)
    }

    /// Takes up a world that was changed from outside: its pairs are made anew, and the contacts that rested are forgotten.
    ///
    /// # Errors
    /// As of [`Self::new`].
    pub fn renew(&mut self, world: &World) -> Result<()> {
        let renewed = Self::new(world, self.settings)?;
        self.pairs = renewed.pairs;
        self.smallest = renewed.smallest;
        self.held.clear();
        Ok(())
    }

    /// Contacts that rested at the end of the last step, as checkpoints hold them.
    #[cfg(feature = "scene")]
    pub(crate) fn saved(&self) -> SavedContacts {
        SavedContacts(self.held.clone())
    }

    /// Takes over the contacts that were saved, and where kinematic bodies started. False if a contact is not between two of the bodies.
    #[cfg(feature = "scene")]
    pub(crate) fn restore(&mut self, saved: SavedContacts, starts: &[Pose]) -> bool {
        let exists = |contact: &Contact| contact.bodies.iter().all(|&body| body < starts.len());
        let fits = starts.len() == self.starts.len() && saved.0.iter().all(exists);
        if fits {
            self.held = saved.0;
            self.starts = starts.to_vec();
        }
        fits
    }

    /// The forces of the contacts that rest now.
    ///
    /// # Errors
    /// [`Error::Event`] if there are none that satisfy them.
    pub fn contact_forces(&self, world: &World, h: f64) -> Result<Vec<ContactForce>> {
        let run = Run {
            stepper: self,
            world,
            time: world.time,
            h,
        };
        let bodies = run.at(&world.bodies, world.time);
        let resting = run.resting(&bodies);
        let drives = run.drives(&bodies);
        let acting = run.acting(&bodies, world.time, (&resting, &drives))?;
        let all = resting.iter().zip(acting.of_contacts);
        let force = |(held, force): (&Resting, Vec3)| {
            let at = held.contact.placed(&bodies);
            ContactForce {
                bodies: held.contact.bodies.map(|body| body as u32),
                point: at.point,
                normal: at.normal,
                force,
            }
        };
        Ok(all.map(force).collect())
    }
}

/// Radius of a ball within a shape, about some point `[m]`.
fn inner_radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half_extents } => half_extents.min(),
        Shape::Polyhedron(solid) => solid.inner_radius(),
        Shape::Compound { parts } => {
            let radii = parts.iter().map(|part| inner_radius(&part.shape));
            radii.fold(f64::INFINITY, f64::min)
        }
        _ => f64::INFINITY,
    }
}
