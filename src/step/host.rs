//! Between two steps: loads from outside, forces of contacts and joints, and the bodies' memory on loan.

use super::Simulation;
use crate::error::{Error, Result};
use crate::math::{self, Vec3};
use crate::measure::{Probe, Seen, Wrench};
use crate::world::{Body, Load};

/// Memory for the forces that probes measure and frames show.
#[derive(Debug, Default)]
pub struct Forces {
    contacts: Vec<Vec3>,
    joints: Vec<Wrench>,
}

impl Simulation {
    /// The state as probes see it, with the forces that some of them measure.
    pub fn seen<'a>(&'a self, probes: &[Probe], forces: &'a mut Forces) -> Seen<'a> {
        forces.contacts.clear();
        forces.joints.clear();
        if probes.iter().any(Probe::needs_contact_forces) {
            self.contact_forces(&mut forces.contacts);
        }
        if probes.iter().any(Probe::needs_joint_forces) {
            self.joint_loads(&mut forces.joints);
        }
        self.seen_by(forces)
    }

    /// The state with the forces of all contacts and joints.
    pub fn seen_with_forces<'a>(&'a self, forces: &'a mut Forces) -> Seen<'a> {
        self.contact_forces(&mut forces.contacts);
        self.joint_loads(&mut forces.joints);
        self.seen_by(forces)
    }

    fn seen_by<'a>(&'a self, forces: &'a Forces) -> Seen<'a> {
        Seen {
            world: &self.world,
            contacts: self.contacts(),
            contact_forces: &forces.contacts,
            joint_forces: &forces.joints,
            energy_balance: self.energy_balance(),
        }
    }

    /// Adds a load to the world's, and removes those whose time is over. Unlike with [`Self::world_mut`] contacts stay as they are.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a load without meaning or on a body that is not dynamic.
    pub fn add_load(&mut self, load: Load) -> Result<()> {
        load.check(&self.world.bodies)
            .map_err(|why| Error::invalid(format!("load on body {}", load.body), why))?;
        let now = self.world.time;
        self.world.loads.retain(|other| other.until > now);
        self.world.loads.push(load);
        Ok(())
    }

    /// Force on body A of each of [`Self::contacts`], in world axes `[N]`, the mean over the last substep; zero for a contact that was
    /// not there then, before the first step, and with the event stepper. `forces` is overwritten and gets the shape of the
    /// contacts.
    pub fn contact_forces(&self, forces: &mut Vec<Vec3>) {
        let contacts = self.contacts();
        let (mut impulses, mut loads) = (Vec::new(), Vec::new());
        self.detector
            .impulses()
            .load(contacts, &mut impulses, &mut loads);
        let per_second = self.per_second();
        forces.clear();
        forces.extend(contacts.iter().zip(&impulses).map(|(contact, impulse)| {
            let normal = math::narrow(&contact.normal);
            let (tangent_1, tangent_2) = math::tangents(normal);
            let axes = [normal, tangent_1, tangent_2].map(math::widen);
            let parts = axes.iter().zip(impulse);
            parts.fold(Vec3::zeros(), |sum, (axis, &part)| {
                sum + axis * (f64::from(part) * per_second)
            })
        }));
    }

    /// Force and torque of each joint of the world on its body A, the mean over the last substep; levers of its linear rows are not in the
    /// torque. Zero before the first step, with the event stepper, and of a
    /// joint that is broken. `loads` is overwritten and gets the shape `[joint_count]`.
    pub fn joint_loads(&self, loads: &mut Vec<Wrench>) {
        loads.clear();
        let per_second = self.per_second();
        loads.extend(self.world.joints.iter().enumerate().map(|(index, joint)| {
            if joint.broken {
                return Wrench::default();
            }
            let [force, torque] = self.joints.impulse_of(index);
            Wrench {
                force: force * per_second,
                torque: torque * per_second,
            }
        }));
    }

    /// One over the length of time that the remembered impulses are of `[1/s]`; 0 if there are none.
    fn per_second(&self) -> f64 {
        if self.impulse_length > 0.0 && self.event.is_none() {
            1.0 / self.impulse_length
        } else {
            0.0
        }
    }

    /// Copies the bodies to new memory and gives away that which they were in, as it is: a host that has lent it to readers goes on
    /// without changing it under them. Nothing of the simulation changes.
    #[must_use]
    pub fn renew_bodies(&mut self) -> Vec<Body> {
        let copied = self.world.bodies.clone();
        std::mem::replace(&mut self.world.bodies, copied)
    }
}
