//! Contacts where bodies are halfway through a part of a step.
//!
//! Directions and levers of contacts stay from one search to the next. Found where bodies are at the start of a part, they are late by half of it
//! in the mean, and a force that is late feeds energy into all that rocks and rolls: of `x'' = -w^2 x` with the force of the start, energy
//! grows by `(w h)^2 / 2` in every part of length h. With the force of the place `x + h v / 2` the map of a part has determinant 1, and none is
//! gained. So contacts are looked for with bodies moved ahead by half of the part, and their gaps are taken back to its start.

use crate::collide::{ContactPoint, Detector};
use crate::constants::{
    AT_REST_HALFWAY, BODIES_PER_THREAD, CLOSING_HALFWAY, CONTACTS_PER_THREAD, DRIVEN_PER_SIZE,
    PASSING_HALFWAY,
};
use crate::math::{self, Pose, Vec3};
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::world::{Body, World};
use std::array;

/// Where bodies were when their contacts were found.
#[derive(Debug, Default)]
pub(super) struct Halfway {
    /// Positions there `[m]`; shape `[body_count]`, side by side as those of the world are not.
    positions: Vec<Vec3>,
    /// By how much each is ahead `[s]`; shape `[body_count]`.
    leads: Vec<f64>,
    /// How far the surface of each moves meanwhile, and its size `[m]`; shape `[body_count]`.
    extents: Vec<[f64; 2]>,
    /// Bodies that close in on each other, how fast and how far they may; by chunk of contacts.
    close: Vec<Vec<Close>>,
    /// How far each has gone and turned; shape `[body_count]`.
    ways: Vec<[Vec3; 2]>,
    /// Where bodies are; shape `[body_count]`.
    poses: Vec<Pose>,
    /// Length of the part that the last search was for `[s]`; 0 before the first.
    reach: f64,
    /// The same of the search before, after which bodies have moved on for so long `[s]`.
    since: f64,
    /// True if some are ahead.
    any: bool,
    /// True if some go so far ahead that they may pass what they have not been near before.
    may_pass: bool,
    /// True if some are so fast that they may drive others far.
    may_drive: bool,
    /// The smallest size `[m]`.
    smallest: f64,
    /// By how much bodies are ahead at most `[s]`.
    lead: f64,
}

/// Bodies of a contact, their speed of closing in `[m/s]`, and how far they may go on with it `[m]`.
type Close = ([u32; 2], [f64; 2]);

/// Whether some of a crowd are ahead, fast, and may pass others; the farthest that one goes, and the smallest size `[m]`.
type Measures = ([bool; 3], [f64; 2]);

impl Halfway {
    /// Positions of bodies when contacts were found `[m]`, from which levers of contacts lead; shape `[body_count]`.
    pub(super) fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Length of the part that the last search was for `[s]`; 0 before the first.
    #[cfg(feature = "scene")]
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// After the search of this detector, which was for a part of length `reach`.
    #[cfg(feature = "scene")]
    pub(super) fn restored(reach: f64, detector: &Detector) -> Self {
        Self {
            positions: detector.positions().collect(),
            reach,
            ..Self::default()
        }
    }

    /// How far bodies go ahead at most before a search for contacts of a part of length `h` `[s]`; not at all unless they may.
    pub(super) fn lead(&mut self, h: f64, may: bool) -> f64 {
        // No farther than where the last search has looked.
        self.since = std::mem::replace(&mut self.reach, h);
        if may { 0.5 * h.min(self.since) } else { 0.0 }
    }

    /// How far a body's middle went ahead `[m]`.
    pub(super) fn way_of(&self, world: &World, body: u32) -> Vec3 {
        self.positions[body as usize] - world.bodies[body as usize].pose.position
    }

    /// After [`Self::move_ahead`]: true if some bodies are so fast that they may drive others far.
    pub(super) fn may_drive(&self) -> bool {
        self.may_drive
    }

    /// Least length that tells a body from a point `[m]`; infinite of what nothing moves.
    pub(super) fn size(&self, body: usize) -> f64 {
        self.extents[body][1]
    }

    /// After [`Self::move_ahead`]: the smallest [`Self::size`] of all `[m]`.
    pub(super) fn smallest(&self) -> f64 {
        self.smallest
    }

    /// After [`Self::move_ahead`] with some lead: as fast as the surfaces of two bodies move against each other at most `[m/s]`.
    pub(super) fn fastest_slip(&self, bodies: [u32; 2]) -> f64 {
        let [way_a, way_b] = bodies.map(|body| self.extents[body as usize][0]);
        (way_a + way_b) / self.lead
    }

    /// Velocity of A against B in a contact `[m/s]`.
    pub(super) fn slip(&self, world: &World, point: &ContactPoint) -> Vec3 {
        let [a, b] = point.bodies.map(|body| {
            let (body, position) = (&world.bodies[body as usize], &self.positions[body as usize]);
            body.linear_velocity + body.angular_velocity.cross(&(point.position - position))
        });
        a - b
    }

    /// Moves bodies ahead by [`Self::lead`]; `contacts` are those of the last search.
    pub(super) fn move_ahead(&mut self, world: &mut World, contacts: &[ContactPoint], lead: f64) {
        let count = world.bodies.len();
        self.lead = lead;
        self.leads.resize(count, 0.0);
        self.extents.resize(count, [0.0; 2]);
        let slices = (
            &world.bodies[..],
            SharedSlice::new(&mut self.leads),
            SharedSlice::new(&mut self.extents),
        );
        let measure = |_, (bodies, leads, extents): (&[Body], &mut [f64], &mut [[f64; 2]])| {
            let (mut are_ahead, mut are_fast, mut may_pass) = (false, false, false);
            let (mut fastest, mut smallest): (f64, f64) = (0.0, f64::INFINITY);
            for ((body, own), extent) in bodies.iter().zip(leads).zip(extents) {
                let (way, size) = (motion(body, lead), size(body));
                *extent = [way, size];
                are_fast |= way > 0.5 * CLOSING_HALFWAY * size;
                may_pass |= way > 0.5 * PASSING_HALFWAY * size;
                (fastest, smallest) = (fastest.max(way), smallest.min(size));
                let at_rest = AT_REST_HALFWAY * size.min(body.shape.bounding_radius());
                *own = if way > at_rest { lead } else { 0.0 };
                are_ahead |= *own > 0.0;
            }
            ([are_ahead, are_fast, may_pass], [fastest, smallest])
        };
        let join = |(one, [p, q]): Measures, (other, [r, s]): Measures| {
            let either = array::from_fn(|k| one[k] | other[k]);
            (either, [p.max(r), q.min(s)])
        };
        let none = ([false; 3], [0.0, f64::INFINITY]);
        let ([are_ahead, are_fast, may_pass], [fastest, smallest]) =
            parallel::fold(slices, BODIES_PER_THREAD, none, measure, join);
        // Two that meet may give one of them up to four times the speed of either.
        self.smallest = smallest;
        self.may_drive =
            lead > 0.0 && 4.0 * fastest * self.reach > DRIVEN_PER_SIZE * smallest * lead;
        // Held back, bodies are still ahead.
        self.any = are_ahead;
        self.may_pass = are_ahead && may_pass;
        if are_fast && are_ahead {
            self.hold_back(world, contacts, lead);
        }
        self.poses.resize(count, Pose::identity());
        self.positions.resize(count, Vec3::zeros());
        self.ways.resize(count, [Vec3::zeros(); 2]);
        let slices = (
            SharedSlice::new(&mut world.bodies),
            SharedSlice::new(&mut self.poses),
            SharedSlice::new(&mut self.positions),
            SharedSlice::new(&mut self.ways),
            &self.leads[..],
        );
        for_chunks(
            slices,
            BODIES_PER_THREAD,
            |_, (bodies, poses, positions, ways, leads)| {
                let kept = poses.iter_mut().zip(positions.iter_mut().zip(ways));
                for ((body, (pose, (position, way))), &lead) in
                    bodies.iter_mut().zip(kept).zip(leads)
                {
                    *pose = body.pose;
                    *way = [body.linear_velocity, body.angular_velocity].map(|part| part * lead);
                    if lead > 0.0 {
                        body.displace_and_turn(&way[0], &math::exp(&way[1]));
                    }
                    *position = body.pose.position;
                }
            },
        );
    }

    /// Leaves bodies that close in on each other so far apart that the direction between them is still to be told.
    fn hold_back(&mut self, world: &World, contacts: &[ContactPoint], lead: f64) {
        let mut close = std::mem::take(&mut self.close);
        close.resize_with(contacts.len().div_ceil(CONTACTS_PER_THREAD), Vec::new);
        parallel::for_each(&mut close, 1, |chunk, close| {
            let first = chunk * CONTACTS_PER_THREAD;
            let end = contacts.len().min(first + CONTACTS_PER_THREAD);
            close.clear();
            close.extend(contacts[first..end].iter().filter_map(|point| {
                let [closing, room] = self.closing(world, point, lead)?;
                // Nobody goes farther ahead than this.
                (closing * lead > room).then_some((point.bodies, [closing, room]))
            }));
        });
        // A body's lead is what the contacts before have left of it.
        for &(bodies, [closing, room]) in close.iter().flatten() {
            let [a, b] = bodies.map(|body| body as usize);
            if closing * self.leads[a].max(self.leads[b]) > room {
                for body in [a, b] {
                    // A body that hardly moves need not be held back, and stays where its neighbours are.
                    let [way, _] = self.extents[body];
                    if way > 0.1 * room {
                        self.leads[body] = self.leads[body].min(room / closing);
                    }
                }
            }
        }
        self.close = close;
    }

    /// After [`Self::move_ahead`]: true if some of these pairs, that had no contact in the last search, sorted `contacts`, may have passed each other on
    /// the way. Then contacts have to be looked for where bodies are, to tell how far they may go.
    pub(super) fn may_have_passed(
        &self,
        world: &World,
        pairs: &[[u32; 2]],
        contacts: &[ContactPoint],
    ) -> bool {
        let is_new = |pair: &[u32; 2]| {
            let known = contacts.binary_search_by_key(pair, |point| point.bodies);
            known.is_err()
        };
        let any = |_, pairs: &[[u32; 2]]| {
            let mut pairs = pairs.iter();
            pairs.any(|pair| self.passes(world, *pair) && is_new(pair))
        };
        let either = |one: bool, other: bool| one | other;
        self.may_pass && parallel::fold(pairs, CONTACTS_PER_THREAD, false, any, either)
    }

    /// True if bodies go so far against each other that the direction between them may have changed. Of one without bounds nothing is on the other side.
    fn passes(&self, world: &World, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|body| body as usize);
        let [[way_a, size_a], [way_b, size_b]] = [a, b].map(|body| self.extents[body]);
        let far = PASSING_HALFWAY * size_a.min(size_b);
        if way_a + way_b < far {
            return false;
        }
        let surface =
            |body: &Body, lead: f64| motion(body, lead) - lead * body.linear_velocity.norm();
        let [p, q] = [a, b].map(|body| &world.bodies[body]);
        let [lead_a, lead_b] = [a, b].map(|body| self.leads[body]);
        let closer = (lead_a * p.linear_velocity - lead_b * q.linear_velocity).norm()
            + surface(p, lead_a)
            + surface(q, lead_b);
        let apart = between_spheres(world, pair, [a, b].map(|body| self.poses[body].position));
        closer >= far && apart.is_finite() && apart < closer
    }

    /// After a search for contacts where bodies are, which the next [`Self::move_ahead`] goes by.
    pub(super) fn begin_again(&mut self) {
        self.since = 0.0;
        for (position, pose) in self.positions.iter_mut().zip(&self.poses) {
            *position = pose.position;
        }
    }

    /// Speed at which bodies close in on each other in a contact `[m/s]`, and how far they may `[m]`. None if they are too slow to get there.
    fn closing(&self, world: &World, point: &ContactPoint, lead: f64) -> Option<[f64; 2]> {
        let [[way_a, size_a], [way_b, size_b]] =
            point.bodies.map(|body| self.extents[body as usize]);
        // Most contacts are of bodies that are too slow, which is seen without a look at these.
        let room = CLOSING_HALFWAY * size_a.min(size_b);
        if way_a + way_b < 0.9 * room {
            return None;
        }
        let closing = -point.normal.dot(&self.slip(world, point));
        if closing * lead < PASSING_HALFWAY * size_a.min(size_b) {
            return Some([closing, room + point.separation.max(0.0)]);
        }
        // Less than there is, of what passes beside the other: distances are convex in time.
        let apart = point.separation - closing * self.since;
        let positions = point
            .bodies
            .map(|body| world.bodies[body as usize].pose.position);
        let apart = apart.max(between_spheres(world, point.bodies, positions));
        Some([closing, room + apart.max(0.0)])
    }

    /// Moves bodies back to where they were.
    pub(super) fn move_back(&self, world: &mut World) {
        if self.any {
            let slices = (SharedSlice::new(&mut world.bodies), &self.poses[..]);
            for_chunks(slices, BODIES_PER_THREAD, |_, (bodies, poses)| {
                for (body, pose) in bodies.iter_mut().zip(poses) {
                    body.pose = *pose;
                }
            });
        }
    }

    /// Takes the gaps of contacts, found where bodies were moved ahead, back to where they are.
    pub(super) fn take_gaps_back(&self, detector: &mut Detector) {
        if !self.any {
            return;
        }
        let way = |body: usize, position: &Vec3| {
            let [linear, angular] = self.ways[body];
            linear + angular.cross(&(position - self.positions[body]))
        };
        detector.change_separations(|point| {
            let [a, b] = point.bodies.map(|body| body as usize);
            if self.leads[a] == 0.0 && self.leads[b] == 0.0 {
                return point.separation;
            }
            let gone = way(a, &point.position) - way(b, &point.position);
            point.separation - point.normal.dot(&gone)
        });
    }
}

/// Least length that tells a body from a point `[m]`; infinite of what nothing moves.
fn size(body: &Body) -> f64 {
    if body.is_dynamic() {
        2.0 * body.shape.inner_radius()
    } else {
        f64::INFINITY
    }
}

/// Distance of the spheres around two bodies at these positions `[m]`; minus infinity where one is without bounds.
fn between_spheres(world: &World, pair: [u32; 2], [p, q]: [Vec3; 2]) -> f64 {
    let [a, b] = pair.map(|body| world.bodies[body as usize].shape.bounding_radius());
    (p - q).norm() - a - b
}

/// How far the surface of a body moves in a time `[m]`.
fn motion(body: &Body, time: f64) -> f64 {
    let (moves, turns) = (body.linear_velocity.norm(), body.angular_velocity.norm());
    let surface = if turns > 0.0 {
        turns * body.shape.bounding_radius()
    } else {
        0.0
    };
    time * (moves + surface)
}
