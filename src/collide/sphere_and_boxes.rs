//! A sphere and a box, or a compound of boxes: the walls and floors of a bed of spheres.
//!
//! The same as the general search, without leaving the axes of the body that has the boxes, so that
//! parts which are far away cost next to nothing.

use super::ContactPoint;
use super::couple::Couple;
use super::narrowphase::{Kind, Limits, Query, closest_on_box};
use crate::math::{Pose, Vec3};
use crate::world::Shape;

/// Appends the contacts of a sphere and a body of boxes, in order of features, and returns what they
/// are apart by at least `[m]`; `None` for bodies that are something else.
pub(super) fn sphere_and_boxes(
    couple: &Couple<'_>,
    limits: Limits,
    found: &mut Vec<ContactPoint>,
) -> Option<f64> {
    let sphere = usize::from(couple.movers[0].kind != Kind::Sphere);
    let boxes = 1 - sphere;
    let body = couple.pair[boxes] as usize;
    let (ball, block) = (couple.movers[sphere], couple.movers[boxes]);
    let rotation = couple.bodies[boxes].rotation();
    let center = rotation.tr_mul(&(ball.position - block.position));
    let visit = Visit {
        couple,
        limits,
        sphere,
        center,
        far: ball.bounding_radius + limits.margin + limits.time_step * (ball.speed + block.speed),
    };
    match &couple.world.bodies[body].shape {
        Shape::Box { half_extents } => Some(visit.part(0, None, half_extents, found)),
        Shape::Compound { parts } => {
            let mut apart = f64::INFINITY;
            for (index, part) in parts.iter().enumerate() {
                let Shape::Box { half_extents } = &part.shape else {
                    return None;
                };
                let distance = visit.part(index as u64, Some(&part.pose), half_extents, found);
                apart = apart.min(distance);
            }
            Some(apart)
        }
        _ => None,
    }
}

/// A sphere on its way past the parts of a body.
struct Visit<'a> {
    couple: &'a Couple<'a>,
    limits: Limits,
    /// Which of the couple it is: 0 or 1.
    sphere: usize,
    /// Its centre in the axes of the other body `[m]`.
    center: Vec3,
    /// Distance of the centre from a box at which there is no contact `[m]`.
    far: f64,
}

impl Visit<'_> {
    /// Appends the contact with one part; returns what the two are apart by at least.
    fn part(
        &self,
        index: u64,
        pose: Option<&Pose>,
        half_extents: &Vec3,
        found: &mut Vec<ContactPoint>,
    ) -> f64 {
        let center = pose.map_or(self.center, |pose| pose.inverse_point(&self.center));
        let boxes = 1 - self.sphere;
        let radius = self.couple.movers[self.sphere].bounding_radius;
        let outside = (center.abs() - half_extents).max();
        if outside > self.far {
            return outside - radius;
        }
        let (surface, normal, distance) = closest_on_box(&center, half_extents);
        let separation = distance - radius;
        let middle = surface + normal * (0.5 * separation);
        let (middle, normal) = pose.map_or((middle, normal), |pose| {
            (pose.point(&middle), pose.direction(&normal))
        });
        let rotation = self.couple.bodies[boxes].rotation();
        let (mut position, mut normal) = (rotation * middle, rotation * normal);
        let [a, b] = self.couple.movers;
        if boxes == 1 {
            position += b.position - a.position;
        } else {
            normal = -normal;
        }
        if separation <= self.limits.margin
            || Query::new(a, b, self.limits).admits(&position, &normal, separation)
        {
            let part = index << if boxes == 0 { 16 } else { 0 };
            found.push(ContactPoint {
                bodies: self.couple.pair,
                feature: part << 32,
                position: a.position + position,
                normal,
                separation,
            });
        }
        separation
    }
}
