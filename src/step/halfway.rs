//! Contacts where bodies are halfway through a part of a step.
//!
//! Directions and levers of contacts stay from one search to the next. Found where bodies are at the start of a part, they are late by half of it
//! in the mean, and a force that is late feeds energy into all that rocks and rolls: of `x'' = -w^2 x` with the force of the start, energy
//! grows by `(w h)^2 / 2` in every part of length h. With the force of the place `x + h v / 2` the map of a part has determinant 1, and none is
//! gained. So contacts are looked for with bodies moved ahead by half of the part, and their gaps are taken back to its start.

use crate::collide::{ContactPoint, Detector};
use crate::constants::{AT_REST_HALFWAY, BODIES_PER_THREAD, CLOSING_HALFWAY};
use crate::math::{self, Pose, Vec3};
use crate::parallel::{SharedSlice, for_chunks};
use crate::world::{Body, World};

/// Where bodies were when their contacts were found.
#[derive(Debug, Default)]
pub(super) struct Halfway {
    /// Positions there `[m]`; shape `[body_count]`, side by side as those of the world are not.
    positions: Vec<Vec3>,
    /// By how much each is ahead `[s]`; shape `[body_count]`.
    leads: Vec<f64>,
    /// How far the surface of each moves meanwhile, and its size `[m]`; shape `[body_count]`.
    extents: Vec<[f64; 2]>,
    /// How far each has gone and turned; shape `[body_count]`.
    ways: Vec<[Vec3; 2]>,
    /// Where bodies are; shape `[body_count]`.
    poses: Vec<Pose>,
    /// Length of the part that the last search was for `[s]`; 0 before the first.
    reach: f64,
    /// True if some are ahead.
    any: bool,
}

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
        let reach = std::mem::replace(&mut self.reach, h);
        if may { 0.5 * h.min(reach) } else { 0.0 }
    }

    /// How far a body's middle went ahead `[m]`.
    pub(super) fn way_of(&self, world: &World, body: u32) -> Vec3 {
        self.positions[body as usize] - world.bodies[body as usize].pose.position
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
        self.leads.clear();
        self.extents.clear();
        let mut are_fast = false;
        self.leads.extend(world.bodies.iter().map(|body| {
            let (way, size) = (motion(body, lead), size(body));
            self.extents.push([way, size]);
            are_fast |= way > 0.5 * CLOSING_HALFWAY * size;
            let at_rest = AT_REST_HALFWAY * size.min(body.shape.bounding_radius());
            if way > at_rest { lead } else { 0.0 }
        }));
        if are_fast && lead > 0.0 {
            self.hold_back(world, contacts);
        }
        self.any = self.leads.iter().any(|&lead| lead > 0.0);
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
    fn hold_back(&mut self, world: &World, contacts: &[ContactPoint]) {
        for point in contacts {
            let [a, b] = point.bodies.map(|body| body as usize);
            // Most contacts are of bodies that are too slow, which is seen without a look at these.
            let [[way_a, size_a], [way_b, size_b]] = [self.extents[a], self.extents[b]];
            if way_a + way_b < 0.9 * CLOSING_HALFWAY * size_a.min(size_b) {
                continue;
            }
            let lead = self.leads[a].max(self.leads[b]);
            let closing = -point.normal.dot(&self.slip(world, point));
            if closing * lead <= 0.0 {
                continue;
            }
            let room = CLOSING_HALFWAY * size_a.min(size_b) + point.separation.max(0.0);
            if closing * lead > room {
                for body in [a, b] {
                    self.leads[body] = self.leads[body].min(room / closing);
                }
            }
        }
    }

    /// Moves bodies back to where they were.
    pub(super) fn move_back(&self, world: &mut World) {
        if self.any {
            for (body, pose) in world.bodies.iter_mut().zip(&self.poses) {
                body.pose = *pose;
            }
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
