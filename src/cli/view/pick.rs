//! The body under the pointer.

use crate::render::shapes;
use drystone::math::{Pose, Vec3};
use drystone::world::{Shape, World};

/// A line of sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ray {
    /// Eye `[m]`.
    pub(super) from: Vec3,
    /// Unit vector.
    pub(super) along: Vec3,
}

impl Ray {
    /// Its point at a distance `[m]`.
    pub(super) fn at(&self, distance: f64) -> Vec3 {
        self.from + self.along * distance
    }

    /// Distance at which it crosses a plane through a point `[m]`; nothing if it does not.
    pub(super) fn plane(&self, point: &Vec3, normal: &Vec3) -> Option<f64> {
        let distance = (point - self.from).dot(normal) / self.along.dot(normal);
        (distance > 0.0 && distance.is_finite()).then_some(distance)
    }

    /// The same seen from a frame.
    fn seen_from(&self, pose: &Pose) -> Self {
        Self {
            from: pose.inverse_point(&self.from),
            along: pose.orientation.inverse() * self.along,
        }
    }
}

/// The nearest dynamic body that a ray meets, and the distance `[m]`.
pub(super) fn pick(world: &World, ray: &Ray) -> Option<(u32, f64)> {
    let dynamic = world
        .bodies
        .iter()
        .zip(0..)
        .filter(|(body, _)| body.is_dynamic());
    dynamic
        .filter(|(body, _)| {
            let off = body.pose.position - ray.from;
            let aside = off - ray.along * off.dot(&ray.along);
            aside.norm() <= body.shape.bounding_radius()
        })
        .filter_map(|(body, index)| Some((index, distance(&body.shape, &body.pose, ray)?)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// Distance at which a ray meets a shape as it is drawn `[m]`.
fn distance(shape: &Shape, pose: &Pose, ray: &Ray) -> Option<f64> {
    match shape {
        Shape::Sphere { radius } => sphere(&(pose.position - ray.from), *radius, &ray.along),
        Shape::HalfSpace { normal, offset } => {
            let normal = pose.direction(normal);
            ray.plane(&(pose.position + normal * *offset), &normal)
        }
        Shape::Compound { parts } => parts
            .iter()
            .filter_map(|part| distance(&part.shape, &pose.compose(&part.pose), ray))
            .min_by(f64::total_cmp),
        Shape::Box { .. }
        | Shape::Capsule { .. }
        | Shape::Cylinder { .. }
        | Shape::Cone { .. }
        | Shape::Polyhedron(_)
        | Shape::Mesh(_) => {
            let ray = ray.seen_from(pose);
            let corners = shapes::placed(shape);
            corners
                .chunks_exact(3)
                .filter_map(|three| triangle([three[0], three[1], three[2]], &ray))
                .min_by(f64::total_cmp)
        }
    }
}

fn sphere(off: &Vec3, radius: f64, along: &Vec3) -> Option<f64> {
    let middle = off.dot(along);
    let aside = (off - along * middle).norm_squared();
    let half = radius * radius - aside;
    let distance = middle - half.max(0.0).sqrt();
    (half >= 0.0 && distance > 0.0).then_some(distance)
}

/// Distance of a triangle along a ray, from either side (Möller and Trumbore 1997).
fn triangle([a, b, c]: [Vec3; 3], ray: &Ray) -> Option<f64> {
    let (u_edge, v_edge) = (b - a, c - a);
    let across = ray.along.cross(&v_edge);
    let volume = u_edge.dot(&across);
    if volume == 0.0 {
        return None;
    }
    let off = ray.from - a;
    let u = off.dot(&across) / volume;
    let turned = off.cross(&u_edge);
    let v = ray.along.dot(&turned) / volume;
    let distance = v_edge.dot(&turned) / volume;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;
    use drystone::math::Quat;
    use drystone::world::Body;

    #[test]
    fn rays_meet_what_is_drawn() {
        let down = Ray {
            from: Vec3::new(0.3, 0.0, 10.0),
            along: -Vec3::z(),
        };
        let tilted = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
        for (shape, pose, height) in [
            (Shape::Sphere { radius: 0.5 }, Pose::identity(), Some(0.4)),
            (Shape::Sphere { radius: 0.2 }, Pose::identity(), None),
            (
                Shape::Box {
                    half_extents: Vec3::new(0.4, 0.5, 0.6),
                },
                Pose::new(Vec3::new(0.0, 0.0, 1.0), tilted),
                Some(1.5),
            ),
            (
                Shape::Capsule {
                    half_length: 1.0,
                    radius: 0.31,
                },
                Pose::identity(),
                Some(1.0),
            ),
        ] {
            let found = distance(&shape, &pose, &down).map(|distance| down.at(distance).z);
            match (found, height) {
                (Some(found), Some(height)) => assert!((found - height).abs() < 0.09, "{found}"),
                (found, height) => assert_eq!(found, height),
            }
        }
    }

    #[test]
    fn the_nearest_body_that_moves_is_picked() {
        let mut world = World::new(Vec3::zeros());
        let ball = |z: f64| {
            let at = Pose::new(Vec3::new(0.0, 0.0, z), Quat::identity());
            Body::dynamic(Shape::Sphere { radius: 0.5 }, at, 1000.0).unwrap()
        };
        world.bodies.extend([ball(0.0), ball(2.0)]);
        let fixed = Body::fixed(Shape::Sphere { radius: 0.5 }, Pose::identity());
        world.bodies.push(fixed);
        let ray = |x: f64| Ray {
            from: Vec3::new(x, 0.0, 9.0),
            along: -Vec3::z(),
        };
        let (body, distance) = pick(&world, &ray(0.0)).unwrap();
        assert_eq!(body, 1);
        assert!((distance - 6.5).abs() < 1e-12);
        assert_eq!(pick(&world, &ray(0.7)), None);
    }
}
