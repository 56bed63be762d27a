//! Convex bodies that fall side by side: most of them are told apart without a search, and those that velocities bring together are found.

use super::{ALLOWANCE, LIMITS, body, fresh_contacts, of_pair, unit};
use drystone::collide::ContactPoint;
use drystone::internals::collide::Detector;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{BodyKind, Polyhedron, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

fn convex_shape(rng: &mut Pcg64Mcg) -> Shape {
    match rng.random_range(0..6) {
        0..3 => {
            let points: Vec<Vec3> = (0..24).map(|_| unit(rng) * 0.5).collect();
            let hull = Polyhedron::hull(&points).unwrap();
            Shape::Polyhedron(Arc::new(hull.centered()))
        }
        3 => Shape::Cylinder {
            half_length: 0.4,
            radius: 0.3,
        },
        4 => Shape::Capsule {
            half_length: 0.3,
            radius: 0.2,
        },
        _ => Shape::Box {
            half_extents: Vec3::new(0.4, 0.3, 0.2),
        },
    }
}

fn column(rng: &mut Pcg64Mcg) -> World {
    let mut bodies = Vec::new();
    for place in 0..5 * 5 * 8 {
        let [x, y, z] = [place % 5, place / 5 % 5, place / 25].map(f64::from);
        let turn = Quat::from_scaled_axis(unit(rng) * rng.random_range(0.0..3.0));
        let shape = convex_shape(rng);
        let pose = Pose::new(Vec3::new(x, y, z) * 1.05, turn);
        let mut made = body(BodyKind::Dynamic, shape, pose);
        made.linear_velocity = Vec3::new(0.0, 0.0, -20.0) + unit(rng) * 0.7;
        made.angular_velocity = unit(rng) * 2.0;
        bodies.push(made);
    }
    World {
        bodies,
        materials: Vec::new(),
        ..World::new(Vec3::zeros())
    }
}

/// By how much a gap is less than what counts at the velocities of its bodies `[m]`.
fn room(world: &World, contact: &ContactPoint) -> f64 {
    let [a, b] = contact.bodies.map(|index| {
        let body = &world.bodies[index as usize];
        let arm = contact.position - body.pose.position;
        (body.linear_velocity + body.angular_velocity.cross(&arm)).dot(&contact.normal)
    });
    let closing = (b - a).max(-a).max(b).max(0.0);
    LIMITS.margin + LIMITS.time_step * closing - contact.separation
}

#[test]
fn what_velocities_bring_together_is_found() {
    for seed in 0..4 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut world = column(&mut rng);
        let mut detector = Detector::new();
        let mut speculative = 0;
        for _ in 0..40 {
            detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
            detector.find_contacts(&world, LIMITS);
            let fresh = fresh_contacts(&world, LIMITS);
            for contact in &fresh {
                // Kept points are off by up to 5e-3 m, and so are gaps at which they come to count.
                if contact.separation > LIMITS.margin && room(&world, contact) > 0.01 {
                    let kept = of_pair(detector.contacts(), contact.bodies);
                    assert!(!kept.is_empty(), "{contact:?}");
                    speculative += 1;
                }
            }
            for body in &mut world.bodies {
                let (linear, angular) = (body.linear_velocity, body.angular_velocity);
                body.displace(&(linear * LIMITS.time_step), &(angular * LIMITS.time_step));
            }
        }
        assert!(speculative > 1_000, "{speculative}");
    }
}
