//! Share of a space that bodies fill.

use crate::math::Aabb;
use crate::world::{MassProperties, World};
use std::f64::consts::PI;

/// Share of a box that dynamic bodies fill: overlaps count twice.
///
/// A body stands for the ball of its volume about its centre of mass. One that a face of the box cuts counts by the cap inside; at edges and
/// corners by the product of its shares along the axes, which is right in the mean over all places.
#[must_use]
pub fn packing(world: &World, within: &Aabb) -> f64 {
    let mut filled = 0.0;
    for body in world.bodies.iter().filter(|body| body.is_dynamic()) {
        // With a density of 1 the mass is the volume.
        let Ok((unit, _)) = MassProperties::from_density(&body.shape, 1.0) else {
            continue;
        };
        let radius = (0.75 / PI * unit.mass).cbrt();
        let at = &body.pose.position;
        let share: f64 = (0..3)
            .map(|axis| {
                let below = |end: f64| share_below((end - at[axis]) / radius);
                below(within.max[axis]) - below(within.min[axis])
            })
            .product();
        filled += share * unit.mass;
    }
    let sides = within.max - within.min;
    filled / (sides.x * sides.y * sides.z)
}

/// Share of a unit ball's volume that lies below a height over its centre.
fn share_below(height: f64) -> f64 {
    let h = height.clamp(-1.0, 1.0);
    0.25 * (2.0 + 3.0 * h - h.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Quat, Vec3};
    use crate::world::{Body, Shape};

    #[test]
    fn a_lattice_fills_what_it_fills_wherever_the_box_is() {
        let mut world = World::new(Vec3::zeros());
        let ball = Shape::Sphere { radius: 0.5 };
        for k in 0..1000_u32 {
            let at = Vec3::new(
                f64::from(k % 10),
                f64::from(k / 10 % 10),
                f64::from(k / 100),
            );
            let pose = Pose::new(at, Quat::identity());
            world
                .add(Body::dynamic_with_mass(ball.clone(), pose, 1.0).unwrap())
                .unwrap();
        }
        let cubic = PI / 6.0;
        // Whole numbers of cells, cut anywhere.
        for shift in [0.0, 0.2, 0.35, 0.5] {
            let within = Aabb {
                min: Vec3::repeat(1.0 + shift),
                max: Vec3::repeat(7.0 + shift),
            };
            assert!((packing(&world, &within) - cubic).abs() < 1e-12);
        }
        // Balls of a plane that is cut through their middles.
        let half = Aabb {
            min: Vec3::new(0.5, 0.5, 0.0),
            max: Vec3::new(8.5, 8.5, 0.5),
        };
        assert!((packing(&world, &half) - cubic).abs() < 1e-12);
        let outside = Aabb {
            min: Vec3::repeat(20.0),
            max: Vec3::repeat(21.0),
        };
        assert_eq!(packing(&world, &outside), 0.0);
    }
}
