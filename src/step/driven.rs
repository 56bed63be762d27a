//! Bodies that are hit in a part of a step, and what they are driven into.
//!
//! Contacts are looked for within what bodies move by at the velocities with which a part begins. A body that lies and is hit within the part
//! moves on as fast as what hit it, and would be driven into, or through, what it was not near to. So the velocities that impacts may give are
//! estimated from the contacts that were found; where they carry far the search is repeated with them, and finds what is hit next.

use super::halfway::Halfway;
use crate::collide::ContactPoint;
use crate::constants::{CONTACTS_PER_THREAD, DRIVEN_MORE, DRIVEN_PER_SIZE, DRIVEN_ROUNDS};
use crate::math::Vec3;
use crate::parallel;
use crate::world::World;

/// Buffers kept from search to search.
#[derive(Debug, Default)]
pub(super) struct Driven {
    /// By body, the largest change of velocity by an impact that was found; shape `[body_count]`, or empty `[m/s]`.
    changes: Vec<Vec3>,
    /// Bodies that may be driven far, in order, and how fast `[m/s]`.
    far: Vec<(u32, f64)>,
    /// By chunk of contacts, bodies whose velocities change more than was known.
    hit: Vec<Vec<(u32, Vec3)>>,
}

impl Driven {
    /// Begins a search.
    pub(super) fn begin(&mut self) {
        self.changes.clear();
        self.far.clear();
    }

    /// The bodies that may be driven far within a part of length `h`, and how fast `[m/s]`; none if no more of them are known than at the last call
    /// since [`Self::begin`]. `contacts` are those that were found since.
    pub(super) fn find(
        &mut self,
        (world, halfway): (&World, &Halfway),
        contacts: &[ContactPoint],
        h: f64,
    ) -> Option<&[(u32, f64)]> {
        if !halfway.may_drive() {
            return None;
        }
        self.changes.resize(world.bodies.len(), Vec3::zeros());
        let mut rounds = 0;
        // Bodies that were hit hit others.
        while rounds < DRIVEN_ROUNDS && self.pass_on((world, halfway), contacts, h) {
            rounds += 1;
        }
        if rounds == 0 {
            return None;
        }
        self.far.clear();
        for (body, change) in self.changes.iter().enumerate() {
            let after = world.bodies[body].linear_velocity + change;
            // Where it goes as it does now was looked at.
            let speed = change.norm().min(after.norm());
            if h * speed > DRIVEN_PER_SIZE * halfway.size(body) {
                self.far.push((body as u32, speed));
            }
        }
        Some(&self.far)
    }

    /// How fast a body may be driven, if that is far; else 0 `[m/s]`.
    pub(super) fn speed(&self, body: u32) -> f64 {
        let place = self.far.binary_search_by_key(&body, |&(body, _)| body);
        place.map_or(0.0, |at| self.far[at].1)
    }

    /// The bodies that may be driven far, in order, and how fast `[m/s]`.
    #[cfg(feature = "scene")]
    pub(super) fn far(&self) -> &[(u32, f64)] {
        &self.far
    }

    /// After a search that found these.
    #[cfg(feature = "scene")]
    pub(super) fn restored(far: Vec<(u32, f64)>) -> Self {
        Self {
            far,
            ..Self::default()
        }
    }

    /// Finds what contacts that close give to their bodies, which may have been hit themselves. True if that is more than was known.
    fn pass_on(
        &mut self,
        (world, halfway): (&World, &Halfway),
        contacts: &[ContactPoint],
        h: f64,
    ) -> bool {
        let changes = &self.changes[..];
        // Most contacts close in too slowly for that, which their velocities need not be read for. A point may be a little outside of its bodies.
        let is_slow = |point: &ContactPoint| {
            let [a, b] = point.bodies.map(|body| body as usize);
            let known = changes[a].norm() + changes[b].norm();
            let fastest = 1.5 * halfway.fastest_slip(point.bodies) + known;
            let size = halfway.size(a).min(halfway.size(b));
            // Nothing comes back faster than it came, so no change is more than twice that.
            2.0 * h * fastest <= DRIVEN_PER_SIZE * size
        };
        let of_contact = |point: &ContactPoint| {
            let [a, b] = point.bodies.map(|body| body as usize);
            let parting = halfway.slip(world, point).dot(&point.normal);
            let of_body = |(body, by, away): (usize, usize, Vec3)| {
                let closing = changes[by].dot(&away).max(0.0) - parting;
                if h * closing <= point.separation.max(0.0) {
                    return None;
                }
                let [own, other] = [body, by].map(|index| &world.bodies[index]);
                if !own.is_dynamic() {
                    return None;
                }
                let share = if other.is_dynamic() {
                    other.mass.mass / (own.mass.mass + other.mass.mass)
                } else {
                    1.0
                };
                let [p, q] = [own, other].map(|body| &world.materials[body.material as usize]);
                let change = (1.0 + p.combine(q).restitution) * closing * share;
                let is_more = change > DRIVEN_MORE * changes[body].norm();
                (is_more && h * change > DRIVEN_PER_SIZE * halfway.size(body))
                    .then(|| (body as u32, away * change))
            };
            [(a, b, point.normal), (b, a, -point.normal)].map(of_body)
        };
        let mut hit = std::mem::take(&mut self.hit);
        hit.resize_with(contacts.len().div_ceil(CONTACTS_PER_THREAD), Vec::new);
        parallel::for_each(&mut hit, 1, |chunk, hit| {
            let first = chunk * CONTACTS_PER_THREAD;
            let end = contacts.len().min(first + CONTACTS_PER_THREAD);
            hit.clear();
            let fast = contacts[first..end].iter().filter(|point| !is_slow(point));
            hit.extend(fast.flat_map(of_contact).flatten());
        });
        let mut any = false;
        for &(body, change) in hit.iter().flatten() {
            any = true;
            let known = &mut self.changes[body as usize];
            if change.norm_squared() > known.norm_squared() {
                *known = change;
            }
        }
        self.hit = hit;
        any
    }
}
