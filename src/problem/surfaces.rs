//! Surfaces that move over their bodies, as conveyor belts do.

use super::{Body, Contact, ProblemRef, Velocity};
use crate::error::{Error, Result};
use crate::math::{self, V3};

/// Largest part of a surface's velocity along its normal that counts as round-off.
const ALONG_NORMAL: f32 = 1e-3;

/// A problem with contacts whose surfaces move: belts, tracks, rotating tables drawn as one body.
///
/// A surface belongs to a body that impulses do not move. Each contact on one gets a body of its own there, which keeps the velocity
/// of the surface, so that every solver, law and plan has them without more. The memory is reused from step to step.
#[derive(Debug, Clone, Default)]
pub struct MovingSurfaces {
    bodies: Vec<Body>,
    increments: Vec<Velocity>,
    contacts: Vec<Contact>,
}

impl MovingSurfaces {
    /// The same problem with velocities of surfaces, in world axes and normal to the contacts' normals `[m/s]`, shape `[contact_count]`, empty
    /// if none moves.
    ///
    /// A contact with velocity `s` sticks where A moves with `s` relative to B: a belt of B's carries A along with it. Bodies of the problem keep
    /// their indices; solutions have those of the surfaces behind them, which [`Solution::keep_bodies`](crate::solver::Solution::keep_bodies) drops.
    ///
    /// # Errors
    /// [`Error::Invalid`] for another shape, and for a contact whose velocity is not finite or not tangential, or neither of whose bodies
    /// is immovable.
    pub fn carry<'a>(
        &'a mut self,
        problem: &ProblemRef<'a>,
        velocities: &[V3],
    ) -> Result<ProblemRef<'a>> {
        if !velocities.is_empty() && velocities.len() != problem.contacts.len() {
            return Err(Error::invalid(
                "velocities of surfaces",
                format!(
                    "{} given; {} expected",
                    velocities.len(),
                    problem.contacts.len()
                ),
            ));
        }
        if velocities.iter().all(|&velocity| velocity == [0.0; 3]) {
            return Ok(*problem);
        }
        self.bodies.clear();
        self.bodies.extend_from_slice(problem.bodies);
        self.increments.clear();
        self.increments.extend_from_slice(problem.increments);
        self.contacts.clear();
        self.contacts.extend_from_slice(problem.contacts);
        for (at, &velocity) in velocities.iter().enumerate() {
            if velocity != [0.0; 3] {
                self.set_moving(at, velocity)?;
            }
        }
        Ok(ProblemRef {
            bodies: &self.bodies,
            contacts: &self.contacts,
            increments: &self.increments,
            ..*problem
        })
    }

    fn set_moving(&mut self, at: usize, velocity: V3) -> Result<()> {
        let invalid = |why: &str| Err(Error::invalid(format!("contact {at}"), why));
        let contact = &mut self.contacts[at];
        let given = (contact.body_a, contact.body_b);
        let along = math::dot(contact.normal, velocity);
        let speed = math::dot(velocity, velocity).sqrt();
        if !speed.is_finite() {
            return invalid("the velocity of its surface is not finite");
        }
        if along.abs() > ALONG_NORMAL * speed {
            return invalid("the velocity of its surface is not normal to its normal");
        }
        let tangential = math::sub(velocity, math::scale(contact.normal, along));
        let body = |index: u32| self.bodies.get(index as usize);
        let (Some(a), Some(b)) = (body(contact.body_a), body(contact.body_b)) else {
            return invalid("refers to a body that does not exist");
        };
        let (of_a, on, arm, sign) = if !b.is_movable() {
            (false, b, contact.arm_b, 1.0)
        } else if !a.is_movable() {
            (true, a, contact.arm_a, -1.0)
        } else {
            return invalid("a surface moves, and neither of its bodies is immovable");
        };
        let turning = math::cross(on.angular_velocity, arm);
        let of_body = math::add(on.linear_velocity, turning);
        let moving = math::add(of_body, math::scale(tangential, sign));
        if !moving.iter().all(|x| x.is_finite()) {
            return invalid("the velocity of its surface is not finite");
        }
        let index = self.bodies.len() as u32;
        if of_a {
            contact.body_a = index;
        } else {
            contact.body_b = index;
        }
        let gained = |increment: &Velocity| Velocity {
            linear: math::add(increment.linear, math::cross(increment.angular, arm)),
            angular: [0.0; 3],
        };
        let on = if of_a { given.0 } else { given.1 } as usize;
        self.bodies.push(Body::immovable(moving, [0.0; 3]));
        if let Some(gained) = self.increments.get(on).map(gained) {
            self.increments.push(gained);
        }
        Ok(())
    }
}
