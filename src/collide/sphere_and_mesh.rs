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
    /// Distance up to which all triangles are known `[m]`; negative if nothing is known.
    radius: f64,
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
        crowded: 0.0,
        count: 0,
        triangles: [Neighbour {
            triangle: 0,
            distance: 0.0,
        }; MOST],
    };

    /// Looks for the triangles within some distance of a point in the axes of the mesh `[m]`: of too many the nearest.
    fn find(&mut self, mesh: &TriangleMesh, center: &Vec3, radius: f64) {
        *self = Self {
            center: *center,
            radius,
            ..Self::UNKNOWN
        };
        let far = radius * (1.0 + ROUNDING);
        let mut are_in_order = true;
        mesh.visit_ball(center, far, |triangle| {
            let (on, _) = mesh.closest(triangle, center);
            let distance = (center - on).norm();
            if distance > far {
                return;
            }
            let mut new = Neighbour {
                triangle,
                distance: (distance - ROUNDING * far) as f32,
            };
            if let Some(place) = self.triangles.get_mut(self.count as usize) {
                *place = new;
                self.count += 1;
                return;
            }
            for known in &mut self.triangles {
                if known.distance > new.distance {
                    std::mem::swap(known, &mut new);
                    are_in_order = false;
                }
            }
            // The farthest of all is left out.
            self.radius = self.radius.min(f64::from(new.distance));
        });
        if !are_in_order {
            self.triangles.sort_unstable_by_key(|known| known.triangle);
        }
    }

    /// Takes the distances from another place, at a distance from the last one `[m]`: the nearer the sphere is to it, the fewer triangles are looked at.
    fn move_to(&mut self, mesh: &TriangleMesh, center: &Vec3, gone: f64) {
        let slack = ROUNDING * self.radius;
        for known in &mut self.triangles[..self.count as usize] {
            let (on, _) = mesh.closest(known.triangle, center);
            known.distance = ((center - on).norm() - slack) as f32;
        }
        self.center = *center;
        self.radius -= gone + slack;
    }

    fn known(&self) -> &[Neighbour] {
        &self.triangles[..self.count as usize]
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
    let speed = ball.velocity.norm() + ground.speed;
    let reach = limits.margin + limits.time_step * speed * (1.0 + ROUNDING);
    let range = radius + reach;
    let mut gone = (center - around.center).norm();
    if gone + range > around.radius && gone >= around.crowded {
        let seen = SURROUNDINGS_STEPS * couple.time_step;
        let room = SURROUNDINGS_PER_RADIUS * radius + seen * speed;
        // Where it will be: what is behind it is soon of no use.
        let ahead = rotation.tr_mul(&(ball.velocity * seen));
        around.find(mesh, &(center + ahead), range + room);
        gone = (center - around.center).norm();
        if gone + range > around.radius {
            around.find(mesh, &center, range + room);
            gone = 0.0;
            if range > around.radius {
                around.crowded = room;
            }
        }
    }
    let settles = SURROUNDINGS_STEPS * couple.time_step * speed < SURROUNDINGS_SETTLED * gone;
    if settles && gone > SURROUNDINGS_SETTLED * radius && gone + range < around.radius {
        around.move_to(mesh, &center, gone);
        gone = (center - around.center).norm();
    }
    let near = if gone + range <= around.radius {
        Near::Known(around.known(), range + gone)
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
        [first, others @ ..] => {
            let nearest = others
                .iter()
                .fold(first.distance, |least, other| least.min(other.distance));
            f64::from(nearest) - gone - radius
        }
        _ => mesh.distance(&center, 4.0 * range) - radius,
    })
}
