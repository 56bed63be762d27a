//! The event-driven stepper of Baraff's notes: it stops where bodies collide.
//!
//! Between events the equations of motion are an ordinary differential equation, integrated by the classical fourth-order
//! Runge–Kutta method on positions, rotations and momenta. In every evaluation resting contacts get the forces that keep them
//! from approaching (`forces.rs`), joints those that keep `d'' = 0`. Where two bodies would be in each other at the end of a step, the
//! time at which they touch is found, velocities change at once by impulses (`impact.rs`), and the integration starts anew. Sliding
//! that comes to an end is an event of the same kind, and so is a motor's arrival at its velocity: until then it drives with its full force, from then on
//! with what keeps it there, up to that; and the break of a joint, where its force or torque reaches what it bears. All in f64 and dense: it is for
//! small scenes, and for what a step of fixed length smears over its length.
//!
//! Shapes are points, lines, circles and faces, with balls about them (`feature.rs`): one formula has the gap of any two, its rate, and how a contact that rolls
//! bends it. Meshes have no contacts. A contact is held on the features that it was found on until the next event or the end of the
//! step: what rolls over an edge leaves it up to a step late.
//!
//! A joint breaks by the load of an instant, a joint of a step of fixed length by the mean over that step. A collision has no
//! force: its impulse through a joint counts as its mean over the step.
//!
//! It has no step where its equations have none: infinitely many collisions in finite time, and sliding friction whose forces do not
//! exist (Painlevé) end in [`Error::Event`](crate::Error::Event) with the time and the contacts, and the world stays as it was before the step.

mod contact;
mod feature;
mod forces;
mod form;
mod impact;
mod parts;
mod rims;
mod round;
mod rows;
mod run;
mod search;
mod settings;
mod starts;
mod state;
mod sticking;
mod stop;
pub(crate) mod system;

pub use settings::{EventOptions, EventSettings, Feedback, Impacts, TimeSearch};

use crate::error::Result;
use crate::math::{Pose, Vec3};
use crate::world::World;
use contact::Identity;
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
    /// Times at which joints broke, one for each `[s]`.
    pub breaks: Vec<f64>,
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
    held: Vec<Identity>,
}

/// The contacts of an event stepper in a checkpoint.
#[cfg(feature = "scene")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedContacts(Vec<Identity>);

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
    /// [`Error::Invalid`](crate::Error::Invalid) for settings without meaning, for shapes that the stepper has no contacts for, and for a world that is not valid.
    pub fn new(world: &World, settings: EventSettings) -> Result<Self> {
        settings.validate()?;
        world.validate()?;
        let moving = world.bodies.iter().filter(|body| body.is_dynamic());
        let smallest = moving.map(|body| body.shape.inner_radius());
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
    /// [`Error::Event`](crate::Error::Event) where no forces or impulses were found or events do not end, and [`Error::NonFinite`](crate::Error::NonFinite). The world is then as before.
    pub fn step(&mut self, world: &mut World, h: f64) -> Result<EventReport> {
        let mut report = EventReport::default();
        let mut run = Run::new(self, world, h)?;
        let (bodies, held) = run.through(&mut report)?;
        let (pairs, joints) = run.changed();
        report.resting = held.len();
        self.held = held;
        if let Some(pairs) = pairs {
            self.pairs = pairs;
        }
        if let Some(joints) = joints {
            world.joints = joints;
        }
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
        let exists = |contact: &Identity| contact.bodies.iter().all(|&body| body < starts.len());
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
    /// [`Error::Event`](crate::Error::Event) if there are none that satisfy them.
    pub fn contact_forces(&self, world: &World, h: f64) -> Result<Vec<ContactForce>> {
        let run = Run::new(self, world, h)?;
        let bodies = run.at(&world.bodies, world.time);
        let drives = run.drives(&bodies);
        let resting = run.resting(&bodies, &drives)?;
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
