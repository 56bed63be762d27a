//! The free surface of a bed, as it is seen from above.

use crate::world::World;
use nalgebra::{Matrix3, Vector2, Vector3};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// A heap's slope is fitted between these shares of its radius: its tip is round and its foot one body high.
const HEAP: (f64, f64) = (0.2, 0.8);
/// A bed's slope is fitted within this share of its extent along x and along y: it is bent at walls.
const MIDDLE: f64 = 0.6;

/// The free surface of a bed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Surface {
    /// Slope of the surface `[degrees]`: of a heap, that of the cone; 0 where fewer than three cells count.
    pub angle: f64,
    /// Radius of the disc whose area is that of the cells with bodies in them `[m]`.
    pub radius: f64,
}

/// The surface of the dynamic bodies, z being up: the highest point in each cell of a square grid with sides of `cell` `[m]`, which its
/// highest body has at its own x and y.
///
/// With a centre the bed is a heap, whose heights are fitted by a line over the distance from it; without, by a plane.
#[must_use]
pub fn surface(world: &World, cell: f64, center: Option<[f64; 2]>) -> Surface {
    // In the order of cells, so that sums are the same in every run.
    let mut highest: BTreeMap<(i64, i64), Vector3<f64>> = BTreeMap::new();
    for body in world.bodies.iter().filter(|body| body.is_dynamic()) {
        let at = body.pose.position;
        let top = body.shape.aabb(&body.pose).max.z;
        let key = ((at.x / cell).floor() as i64, (at.y / cell).floor() as i64);
        let point = Vector3::new(at.x, at.y, top);
        let held = highest.entry(key).or_insert(point);
        if top > held.z {
            *held = point;
        }
    }
    let radius = cell * (highest.len() as f64 / PI).sqrt();
    let points: Vec<Vector3<f64>> = highest.into_values().collect();
    let slope = match center {
        Some([x, y]) => heap(&points, &Vector2::new(x, y), radius),
        None => plane(&points),
    };
    Surface {
        angle: slope.unwrap_or(0.0).atan().to_degrees(),
        radius,
    }
}

/// Slope of a heap outwards.
fn heap(points: &[Vector3<f64>], center: &Vector2<f64>, radius: f64) -> Option<f64> {
    let (least, largest) = (HEAP.0 * radius, HEAP.1 * radius);
    let mut sums = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let r = (point.xy() - center).norm();
        if (least..largest).contains(&r) {
            sums.0 += 1.0;
            sums.1 += r;
            sums.2 += point.z;
            sums.3 += r * r;
            sums.4 += r * point.z;
        }
    }
    let (count, r, z, rr, rz) = sums;
    let spread = count * rr - r * r;
    (count >= 3.0 && spread > 0.0).then(|| (r * z - count * rz) / spread)
}

/// Slope of the plane through the middle of a bed.
fn plane(points: &[Vector3<f64>]) -> Option<f64> {
    let first = points.first()?.xy();
    let ends = points.iter().fold((first, first), |(low, high), point| {
        (low.inf(&point.xy()), high.sup(&point.xy()))
    });
    let (middle, half) = (0.5 * (ends.0 + ends.1), 0.5 * (ends.1 - ends.0));
    let inside = points.iter().filter(|point| {
        let off = (point.xy() - middle).abs();
        off.x <= MIDDLE * half.x && off.y <= MIDDLE * half.y
    });
    let (mut squares, mut products) = (Matrix3::zeros(), Vector3::zeros());
    for point in inside {
        let row = Vector3::new(1.0, point.x - middle.x, point.y - middle.y);
        squares += row * row.transpose();
        products += row * point.z;
    }
    let fitted = squares.cholesky()?.solve(&products);
    Some(fitted.y.hypot(fitted.z)).filter(|slope| slope.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Quat, Vec3};
    use crate::world::{Body, Shape};

    /// Balls of 0.1 m side by side up to 5 m from the origin, at heights by their place, and others below them.
    fn bed(height: impl Fn(f64, f64) -> f64) -> World {
        let mut world = World::new(-Vec3::z());
        let ball = Shape::Sphere { radius: 0.05 };
        for k in 0..10_000_i32 {
            let (x, y) = (f64::from(k % 100 - 50) * 0.1, f64::from(k / 100 - 50) * 0.1);
            if x.hypot(y) < 5.0 {
                for z in [height(x, y), height(x, y) - 0.1] {
                    let pose = Pose::new(Vec3::new(x + 0.05, y + 0.05, z), Quat::identity());
                    world
                        .add(Body::dynamic_with_mass(ball.clone(), pose, 1.0).unwrap())
                        .unwrap();
                }
            }
        }
        world
    }

    #[test]
    fn slopes_and_radii_are_those_of_the_bed() {
        let tilted = surface(&bed(|x, y| 0.3 * x - 0.4 * y), 0.1, None);
        assert!((tilted.angle - 0.5_f64.atan().to_degrees()).abs() < 1e-9);
        assert!((tilted.radius - 5.0).abs() < 0.05, "{}", tilted.radius);
        let cone = bed(|x, y| 3.0 - 0.4 * (x + 0.05).hypot(y + 0.05));
        let heap = surface(&cone, 0.1, Some([0.0, 0.0]));
        assert!((heap.angle - 0.4_f64.atan().to_degrees()).abs() < 1e-9);
        // Larger cells take the highest of a few.
        let coarse = surface(&cone, 0.25, Some([0.0, 0.0]));
        assert!((coarse.angle - heap.angle).abs() < 0.5, "{}", coarse.angle);
    }

    #[test]
    fn nothing_has_no_slope() {
        let empty = World::new(Vec3::zeros());
        assert_eq!(surface(&empty, 1.0, None), Surface::default());
        assert_eq!(surface(&empty, 1.0, Some([0.0, 0.0])), Surface::default());
        let mut one = World::new(Vec3::zeros());
        let ball = Shape::Sphere { radius: 0.5 };
        one.add(Body::dynamic_with_mass(ball, Pose::identity(), 1.0).unwrap())
            .unwrap();
        assert_eq!(surface(&one, 1.0, None).angle, 0.0);
        assert_eq!(surface(&one, 1.0, Some([0.0, 0.0])).angle, 0.0);
    }
}
