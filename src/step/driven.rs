//! Bodies that are hit in a part of a step, or pushed out of others, and what they are driven into.
//!
//! Contacts are looked for within what bodies move by at the velocities with which a part begins. A body that lies and is hit within the part
//! moves on as fast as what hit it, and would be driven into, or through, what it was not near to. So the velocities that impacts may give are
//! estimated from the contacts that were found; where they carry far the search is repeated with them, and finds what is hit next. So it is with what
//! position LCPs do to bodies that overlap: pushed out of one, a body is not to be pushed into another unseen.

use super::halfway::Halfway;
use super::plan::Overlaps;
use crate::collide::ContactPoint;
use crate::constants::{
    CONTACTS_PER_THREAD, CORRECTED_PER_SIZE, DRIVEN_MORE, DRIVEN_PER_SIZE, DRIVEN_ROUNDS,
};
use crate::math::Vec3;
use crate::parallel;
use crate::world::World;

/// Buffers kept from search to search.
#[derive(Debug, Default)]
pub(super) struct Driven {
    /// By body, the largest change of velocity by an impact that was found; shape `[body_count]`, or empty `[m/s]`.
    changes: Vec<Vec3>,
    /// By body, how far position LCPs may push it out of another; shape as above `[m]`.
    pushes: Vec<f64>,
    /// Bodies that may be driven far, in order, and how fast `[m/s]`.
    far: Vec<(u32, f64)>,
    /// By chunk of contacts, bodies whose velocities change more than was known.
    hit: Vec<Vec<(u32, Vec3)>>,
    /// By chunk of contacts, bodies that are pushed farther than was known.
    pushed: Vec<Vec<(u32, f64)>>,
}

impl Driven {
    /// Begins a search.
    pub(super) fn begin(&mut self) {
        self.changes.clear();
        self.pushes.clear();
        self.far.clear();
    }

    /// The bodies that may be driven far within a part of length `h`, and how fast `[m/s]`; none if no more of them are known than at the last call
    /// since [`Self::begin`]. `contacts` are those that were found since.
    pub(super) fn find(
        &mut self,
        (world, halfway): (&World, &Halfway),
        (contacts, overlaps): (&[ContactPoint], Overlaps),
        h: f64,
    ) -> Option<&[(u32, f64)]> {
        let deepest = overlaps.correction(-overlaps.deepest, halfway.smallest(), h);
        if !halfway.may_drive() && deepest == 0.0 {
            return None;
        }
        let count = world.bodies.len();
        self.changes.resize(count, Vec3::zeros());
        self.pushes.resize(count, 0.0);
        let mut is_more = deepest > 0.0 && self.push((world, halfway), (contacts, overlaps), h);
        if halfway.may_drive() {
            // Bodies that were hit hit others.
            for _ in 0..DRIVEN_ROUNDS {
                if !self.pass_on((world, halfway), contacts, h) {
                    break;
                }
                is_more = true;
            }
        }
        if !is_more {
            return None;
        }
        self.far.clear();
        for (body, (change, push)) in self.changes.iter().zip(&self.pushes).enumerate() {
            let after = world.bodies[body].linear_velocity + change;
            // Where it goes as it does now was looked at.
            let hit = change.norm().min(after.norm());
            let is_far = h * hit > DRIVEN_PER_SIZE * halfway.size(body);
            let speed = if is_far { hit } else { 0.0 } + push / h;
            if speed > 0.0 {
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

    /// Finds how far contacts that overlap may push their bodies. True if that is more than was known.
    fn push(
        &mut self,
        (world, halfway): (&World, &Halfway),
        (contacts, overlaps): (&[ContactPoint], Overlaps),
        h: f64,
    ) -> bool {
        let pushes = &self.pushes[..];
        let of_contact = |point: &ContactPoint| {
            let [a, b] = point.bodies.map(|body| body as usize);
            let of_body = |(body, by): (usize, usize)| {
                let size = halfway.size(body);
                let push = overlaps.correction(point.separation, size, h) * share(world, body, by);
                let is_more = push > DRIVEN_MORE * pushes[body];
                (is_more && push > CORRECTED_PER_SIZE * size).then_some((body as u32, push))
            };
            [(a, b), (b, a)].map(of_body)
        };
        collect(contacts, &mut self.pushed, of_contact);
        let mut any = false;
        for &(body, push) in self.pushed.iter().flatten() {
            any = true;
            let known = &mut self.pushes[body as usize];
            *known = known.max(push);
        }
        any
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
                let share = share(world, body, by);
                if share == 0.0 {
                    return None;
                }
                let [own, other] = [body, by].map(|index| &world.bodies[index]);
                let [p, q] = [own, other].map(|body| &world.materials[body.material as usize]);
                let change = (1.0 + p.combine(q).restitution) * closing * share;
                let is_more = change > DRIVEN_MORE * changes[body].norm();
                (is_more && h * change > DRIVEN_PER_SIZE * halfway.size(body))
                    .then(|| (body as u32, away * change))
            };
            [(a, b, point.normal), (b, a, -point.normal)].map(of_body)
        };
        collect(contacts, &mut self.hit, |point| {
            if is_slow(point) {
                [None; 2]
            } else {
                of_contact(point)
            }
        });
        let mut any = false;
        for &(body, change) in self.hit.iter().flatten() {
            any = true;
            let known = &mut self.changes[body as usize];
            if change.norm_squared() > known.norm_squared() {
                *known = change;
            }
        }
        any
    }
}

/// Collects what each contact says of either of its bodies, by chunk of contacts.
fn collect<T: Send + Sync>(
    contacts: &[ContactPoint],
    found: &mut Vec<Vec<(u32, T)>>,
    of_contact: impl Fn(&ContactPoint) -> [Option<(u32, T)>; 2] + Sync,
) {
    found.resize_with(contacts.len().div_ceil(CONTACTS_PER_THREAD), Vec::new);
    parallel::for_each(found, 1, |chunk, found| {
        let first = chunk * CONTACTS_PER_THREAD;
        let end = contacts.len().min(first + CONTACTS_PER_THREAD);
        found.clear();
        found.extend(contacts[first..end].iter().flat_map(&of_contact).flatten());
    });
}

/// Share of a body in what parts it from another; 0 if it does not move.
fn share(world: &World, body: usize, other: usize) -> f64 {
    let [body, other] = [body, other].map(|index| &world.bodies[index]);
    if !body.is_dynamic() {
        0.0
    } else if other.is_dynamic() {
        other.mass.mass / (body.mass.mass + other.mass.mass)
    } else {
        1.0
    }
}
