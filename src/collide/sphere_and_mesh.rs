//! A sphere and a mesh, from step to step.
//!
//! A sphere's point cannot be kept, since it rolls. The triangles around it can: until it has gone as far as they were looked for
//! beyond its reach, no other triangle comes within that, and none of them is nearer than it was by more than the sphere has gone. What is
//! found is the same as with all triangles of the mesh.

use super::ContactPoint;
use super::couple::Couple;
use super::narrowphase::{Kind, Limits, Near, Neighbour, Query, contacts_of_sphere_and_mesh};
use crate::constants::{SURROUNDINGS_PER_RADIUS, SURROUNDINGS_SETTLED, SURROUNDINGS_STEPS};
use crate::math::Vec3;
use crate::world::{Shape, TriangleMesh};

/// Most triangles that are remembered.
const MOST: usize = 24;

/// Part of a length by which rounding may be wrong about it, many times over.
const ROUNDING: f64 = 1e-6;

/// The triangles of a mesh that were near a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// In the axes of the mesh `[m]`.
    center: Vec3,
    /// Distance up to which all triangles are known that can be touched from not too far away `[m]`; negative if nothing is known.
    radius: f64,
    /// How far from there they can be touched, and no others `[m]`.
    room: f64,
    /// How far from there it is no use to look again: there were too many triangles `[m]`.
    crowded: f64,
    count: u32,
    /// In the order of the mesh.
    triangles: [Neighbour; MOST],
}

impl Surroundings {
    pub(super) const UNKNOWN: Self = Self {
        center: Vec3::new(0.0, 0.0, 0.0),
        radius: -1.0,
        room: 0.0,
        crowded: 0.0,
        count: 0,
        triangles: [Neighbour {
            triangle: 0,
            distance: 0.0,
            room: 0.0,
        }; MOST],
    };

    /// Looks for the triangles within `range` and `room` of a point in the axes of the mesh that can be touched from within `room` of it
    /// `[m]`: of too many those that a sphere comes to first.
    fn find(&mut self, mesh: &TriangleMesh, center: &Vec3, [range, room]: [f64; 2]) {
        *self = Self {
            center: *center,
            radius: range + room,
            room,
            ..Self::UNKNOWN
        };
        let far = (range + room) * (1.0 + ROUNDING);
        let mut are_in_order = true;
        mesh.visit_facing(center, (far, room), |triangle| {
            let mut new = neighbour(mesh, triangle, center, far);
            if f64::from(new.distance) > self.radius || f64::from(new.room) > self.room {
                return;
            }
            if let Some(place) = self.triangles.get_mut(self.count as usize) {
                *place = new;
                self.count += 1;
                return;
            }
            // How far the sphere goes before it comes near, and beside.
            let to = |it: &Neighbour| [f64::from(it.distance) - range, f64::from(it.room)];
            let most = |it: &Neighbour| to(it)[0].max(to(it)[1]);
            for known in &mut self.triangles {
                if most(known) > most(&new) {
                    std::mem::swap(known, &mut new);
                    are_in_order = false;
                }
            }
            // The last of all is left out.
            let [near, beside] = to(&new);
            if near > beside {
                self.radius = self.radius.min(range + near);
            } else {
                self.room = self.room.min(beside);
            }
        });
        if !are_in_order {
            self.triangles.sort_unstable_by_key(|known| known.triangle);
        }
    }

    /// Looks at the triangles from another place, at a distance from the last one `[m]`: the nearer the sphere is to it, the fewer of them count.
    fn move_to(&mut self, mesh: &TriangleMesh, center: &Vec3, gone: f64) {
        let far = self.radius * (1.0 + ROUNDING);
        for known in &mut self.triangles[..self.count as usize] {
            *known = neighbour(mesh, known.triangle, center, far);
        }
        let slack = ROUNDING * self.radius;
        self.center = *center;
        self.radius -= gone + slack;
        self.room -= gone + slack;
        self.crowded = self.crowded.min(self.room);
    }

    /// True if a place at a distance from the last one is surrounded by what is known, as far as `range` `[m]`.
    fn surround(&self, gone: f64, range: f64) -> bool {
        gone + range <= self.radius && gone <= self.room
    }

    fn known(&self) -> &[Neighbour] {
        &self.triangles[..self.count as usize]
    }
}

/// A triangle as it is seen from a place that it is looked at from up to a distance `far` `[m]`.
fn neighbour(mesh: &TriangleMesh, triangle: u32, center: &Vec3, far: f64) -> Neighbour {
    let (on, _) = mesh.closest(triangle, center);
    let slack = ROUNDING * far;
    Neighbour {
        triangle,
        distance: ((center - on).norm() - slack) as f32,
        room: (mesh.room_beside(triangle, center, far) - slack) as f32,
    }
}

/// Appends the contacts of a sphere and a mesh, in order of features, and returns what they are apart by at least if there are none
/// `[m]`; `None` if the other body is no mesh.
pub(super) fn sphere_and_mesh(
    couple: &Couple<'_>,
    limits: Limits,
    around: &mut Surroundings,
    found: &mut Vec<ContactPoint>,
) -> Option<f64> {
    let sphere = usize::from(couple.movers[0].kind != Kind::Sphere);
    let Shape::Mesh(mesh) = &couple.world.bodies[couple.pair[1 - sphere] as usize].shape else {
        return None;
    };
    let (ball, ground) = (couple.movers[sphere], couple.movers[1 - sphere]);
    let rotation = couple.bodies[1 - sphere].rotation();
    let center = rotation.tr_mul(&(ball.position - ground.position));
    let radius = ball.bounding_radius;
    // However fast a sphere spins, it comes no nearer.
    let speed = ball.velocity.norm() + f64::from(ball.driven) + ground.speed;
    let reach = limits.margin + limits.time_step * speed * (1.0 + ROUNDING);
    let range = radius + reach;
    let mut gone = (center - around.center).norm();
    if !around.surround(gone, range) && gone >= around.crowded {
        let seen = SURROUNDINGS_STEPS * couple.time_step;
        let room = SURROUNDINGS_PER_RADIUS * radius + seen * speed;
        // Where it will be: what is behind it is soon of no use.
        let ahead = rotation.tr_mul(&(ball.velocity * seen));
        around.find(mesh, &(center + ahead), [range, room]);
        gone = (center - around.center).norm();
        if !around.surround(gone, range) {
            around.find(mesh, &center, [range, room]);
            gone = 0.0;
            if !around.surround(gone, range) {
                around.crowded = room;
            }
        }
    }
    let settles = SURROUNDINGS_STEPS * couple.time_step * speed < SURROUNDINGS_SETTLED * gone;
    if settles && gone > SURROUNDINGS_SETTLED * radius && around.surround(gone, range) {
        around.move_to(mesh, &center, gone);
        gone = (center - around.center).norm();
    }
    let is_surrounded = around.surround(gone, range);
    let near = if is_surrounded {
        Near::Known(around.known(), [gone, range + gone])
    } else {
        Near::All
    };
    let first = found.len();
    contacts_of_sphere_and_mesh(
        (couple.pair, couple.movers),
        (&center, radius, range),
        (&rotation, mesh, near),
        &Query::new(couple.movers[0], couple.movers[1], limits),
        found,
    );
    if found.len() > first {
        return Some(f64::NEG_INFINITY);
    }
    Some(match around.known() {
        [first, others @ ..] if is_surrounded => {
            let nearest = others
                .iter()
                .fold(first.distance, |least, other| least.min(other.distance));
            f64::from(nearest) - gone - radius
        }
        _ => mesh.distance(&center, 4.0 * range) - radius,
    })
}
