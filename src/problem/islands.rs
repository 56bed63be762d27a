//! Which bodies hang together, and bodies that are held for a step: what a host needs to let some of them sleep.

use super::{Body, ProblemRef, Velocity};
use crate::error::{Error, Result};

impl ProblemRef<'_> {
    /// Marks bodies that contacts and joint rows link, directly or by others, with the same number: the index of the island's first
    /// body. One that cannot move links nothing and gets [`u32::MAX`]. Returns the number of islands; a body that nothing touches
    /// is one.
    ///
    /// `islands` is overwritten and gets the shape `[body_count]`. Contacts and rows without two bodies that exist link nothing.
    pub fn islands(&self, islands: &mut Vec<u32>) -> usize {
        islands.clear();
        islands.extend(0..self.bodies.len() as u32);
        let movable = |body: u32| self.bodies.get(body as usize).is_some_and(Body::is_movable);
        let contacts = self.contacts.iter().map(|c| [c.body_a, c.body_b]);
        let rows = self.joint_rows.iter().map(|row| [row.body_a, row.body_b]);
        for [a, b] in contacts.chain(rows) {
            if !(movable(a) && movable(b)) {
                continue;
            }
            let [a, b] = [a, b].map(|body| first_of(islands, body));
            // The smaller index is the island's, so that a body never points to a later one.
            islands[a.max(b) as usize] = a.min(b);
        }
        let mut count = 0;
        for body in 0..islands.len() {
            let first = islands[body] as usize;
            if !self.bodies[body].is_movable() {
                islands[body] = u32::MAX;
            } else if first == body {
                count += 1;
            } else {
                islands[body] = islands[first];
            }
        }
        count
    }
}

/// First of the set that an element is in so far; halves the way to it.
pub(crate) fn first_of(sets: &mut [u32], mut element: u32) -> u32 {
    while sets[element as usize] != element {
        let next = sets[sets[element as usize] as usize];
        sets[element as usize] = next;
        element = next;
    }
    element
}

/// Bodies of a step in which some are held where they are: asleep, or not of this step.
///
/// The memory is reused from step to step.
#[derive(Debug, Clone, Default)]
pub struct HeldBodies {
    bodies: Vec<Body>,
    increments: Vec<Velocity>,
}

impl HeldBodies {
    /// The same problem with the bodies of `held` at rest and immovable; shape `[body_count]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `held` has another shape.
    pub fn hold<'a>(
        &'a mut self,
        problem: &ProblemRef<'a>,
        held: &[bool],
    ) -> Result<ProblemRef<'a>> {
        if held.len() != problem.bodies.len() {
            return Err(Error::invalid(
                "held bodies",
                format!("{} given; {} expected", held.len(), problem.bodies.len()),
            ));
        }
        self.bodies.clear();
        self.bodies.extend_from_slice(problem.bodies);
        self.increments.clear();
        self.increments.extend_from_slice(problem.increments);
        for (body, _) in self.bodies.iter_mut().zip(held).filter(|(_, held)| **held) {
            *body = Body::immovable([0.0; 3], [0.0; 3]);
        }
        for (increment, _) in self
            .increments
            .iter_mut()
            .zip(held)
            .filter(|(_, held)| **held)
        {
            *increment = Velocity::default();
        }
        Ok(ProblemRef {
            bodies: &self.bodies,
            increments: &self.increments,
            ..*problem
        })
    }
}
