//! Kept manifolds are what a fresh search finds, to their tolerance.

use super::{
    ALLOWANCE, LIMITS, body, by_pair, crowd, deepest, drift, fresh_contacts, of_pair, unit,
};
use drystone::collide::ContactPoint;
use drystone::internals::collide::{Detector, Limits};
use drystone::internals::constants::{
    AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, EDGES_ALONG_FACE, KEPT_MOTION_PER_RADIUS,
    TOUCHING_MARGIN,
};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{BodyKind, Shape, World};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// What the deepest separations of a kept and a fresh manifold may differ by: both change by no more
/// than the motion, and a fresh search may come to prefer another axis.
fn bound(world: &World, pair: [u32; 2], separation: f64) -> f64 {
    let [a, b] = pair.map(|index| world.bodies[index as usize].shape.bounding_radius());
    let radius = a.min(b);
    KEPT_MOTION_PER_RADIUS * radius
        + AXIS_PREFERENCE_RELATIVE * separation.abs()
        + (1.0 / EDGES_ALONG_FACE - 1.0) * -separation.min(0.0)
        + AXIS_PREFERENCE_ABSOLUTE * radius
        + 1e-4 * radius
}

/// Compares the lists pair by pair; returns the sum and the number of differences.
fn compare(world: &World, kept: &[ContactPoint], fresh: &[ContactPoint]) -> (f64, u32) {
    let order = |contact: &ContactPoint| (contact.bodies, contact.feature);
    assert!(kept.is_sorted_by(|x, y| order(x) < order(y)));
    let (mut sum, mut count) = (0.0, 0);
    for expected in by_pair(fresh) {
        let pair = expected[0].bodies;
        let found = of_pair(kept, pair);
        let expected = deepest(expected);
        let bound = bound(world, pair, expected);
        if found.is_empty() {
            // Missed only at the edge of what counts.
            let [a, b] = pair.map(|index| &world.bodies[index as usize]);
            let speed = a.linear_velocity.norm() + b.linear_velocity.norm();
            assert!(expected > -bound, "{pair:?} at {expected}");
            let edge = LIMITS.margin.min(LIMITS.margin + LIMITS.time_step * speed) - bound;
            assert!(expected > edge, "{pair:?} at {expected}, {bound}");
            continue;
        }
        let off = (deepest(found) - expected).abs();
        assert!(off <= bound, "{pair:?}: {off} off {expected}, {bound}");
        sum += off;
        count += 1;
    }
    // And nothing is made up.
    for found in by_pair(kept) {
        let pair = found[0].bodies;
        if of_pair(fresh, pair).is_empty() {
            let bound = bound(world, pair, 0.0);
            assert!(deepest(found) > LIMITS.margin - bound, "{pair:?}");
        }
    }
    (sum, count)
}

#[test]
fn kept_manifolds_follow_moving_bodies() {
    for (seed, speed) in [(1, 0.002), (2, 0.02), (3, 0.2), (4, 2.0)] {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut world = crowd(&mut rng, 200, 1.5);
        let mut detector = Detector::new();
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..150 {
            detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
            detector.find_contacts(&world, LIMITS);
            let fresh = fresh_contacts(&world, LIMITS);
            let (off, of) = compare(&world, detector.contacts(), &fresh);
            sum += off;
            count += of;
            drift(&mut world, &mut rng, speed);
        }
        assert!(count > 10_000, "{count} pairs touched");
        let mean = sum / f64::from(count);
        assert!(mean < 2e-5, "speed {speed}: {mean} off on average");
    }
}

#[test]
fn what_is_forgotten_is_found_as_if_new() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let mut world = crowd(&mut rng, 200, 1.5);
    let mut detector = Detector::new();
    for _ in 0..20 {
        detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
        detector.find_contacts(&world, LIMITS);
        drift(&mut world, &mut rng, 0.1);
    }
    for body in &mut world.bodies {
        if body.is_dynamic() {
            body.shape = Shape::Sphere { radius: 0.3 };
        }
    }
    detector.forget();
    detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
    detector.find_contacts(&world, LIMITS);
    let mut new = Detector::new();
    new.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
    new.find_contacts(&world, LIMITS);
    assert_eq!(new.pairs(), detector.pairs());
    assert_eq!(new.contacts(), detector.contacts());
}

#[test]
fn spheres_are_as_a_fresh_search_has_them() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let mut world = crowd(&mut rng, 300, 1.5);
    for body in &mut world.bodies {
        if body.is_dynamic() {
            body.shape = Shape::Sphere { radius: 0.25 };
        }
    }
    let limits = Limits {
        margin: 0.0,
        ..LIMITS
    };
    let mut detector = Detector::new();
    for _ in 0..100 {
        detector.find_pairs(&world, limits, ALLOWANCE).unwrap();
        detector.find_contacts(&world, limits);
        let fresh = fresh_contacts(&world, limits);
        assert_eq!(detector.contacts().len(), fresh.len());
        for (found, expected) in detector.contacts().iter().zip(&fresh) {
            // The walls are looked at from their own axes, with other roundings.
            if expected.bodies[0] > 1 {
                assert_eq!(found, expected);
            }
            assert_eq!(found.bodies, expected.bodies);
            assert_eq!(found.feature, expected.feature);
            assert!((found.position - expected.position).norm() < 1e-12);
            assert!((found.normal - expected.normal).norm() < 1e-12);
            assert!((found.separation - expected.separation).abs() < 1e-12);
        }
        drift(&mut world, &mut rng, 0.3);
    }
}

/// A cube that rocks on an edge of the one below, and slides over the end.
#[test]
fn vertices_above_a_face_keep_their_exact_distance() {
    let cube = Shape::Box {
        half_extents: Vec3::repeat(0.5),
    };
    let mut world = World {
        bodies: vec![
            body(BodyKind::Fixed, cube.clone(), Pose::identity()),
            body(
                BodyKind::Dynamic,
                cube,
                Pose::new(Vec3::new(0.1, 0.2, 1.001), Quat::identity()),
            ),
        ],
        materials: Vec::new(),
        ..World::new(Vec3::zeros())
    };
    let mut detector = Detector::of_pairs(&world, &[[0, 1]]);
    let mut kept = Vec::new();
    detector.contacts_within(&world, 0.01, &mut kept);
    assert_eq!(kept.len(), 4);
    let most = 0.5 * KEPT_MOTION_PER_RADIUS;
    world.bodies[1].displace(
        &Vec3::new(0.3 * most, 0.0, -0.2 * most),
        &(Vec3::y() * 0.3 * most),
    );
    let vertices = [(0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5)]
        .map(|(x, y)| world.bodies[1].pose.point(&Vec3::new(x, y, -0.5)));
    detector.contacts_within(&world, 0.01, &mut kept);
    assert_eq!(kept.len(), 4);
    for contact in &kept {
        let nearest = vertices
            .iter()
            .map(|vertex| (vertex - contact.position).norm())
            .fold(f64::INFINITY, f64::min);
        // Two of the points are where edges of the lower cube cut the upper one's.
        if nearest < 0.01 {
            let vertex = vertices
                .iter()
                .find(|vertex| (*vertex - contact.position).norm() < 0.01);
            let exact = vertex.unwrap().z - 0.5;
            assert!((contact.separation - exact).abs() < 1e-14);
        }
    }
}

#[test]
fn pairs_at_the_edge_of_the_margin_stay() {
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    let turn = Quat::from_scaled_axis(unit(&mut rng));
    for shape in [
        Shape::Sphere { radius: 0.5 },
        Shape::Box {
            half_extents: Vec3::repeat(0.5),
        },
        Shape::Capsule {
            half_length: 0.3,
            radius: 0.5,
        },
    ] {
        let mut world = World {
            bodies: vec![
                body(
                    BodyKind::Fixed,
                    shape.clone(),
                    Pose::new(Vec3::zeros(), turn),
                ),
                body(BodyKind::Dynamic, shape, Pose::new(Vec3::x(), turn)),
            ],
            materials: Vec::new(),
            ..World::new(Vec3::zeros())
        };
        let gap = |world: &World| {
            deepest(&fresh_contacts(
                world,
                Limits {
                    margin: 0.05,
                    ..LIMITS
                },
            ))
        };
        let along = turn * Vec3::x();
        world.bodies[1].pose.position = along;
        let touching = gap(&world);
        let mut at = |gap: f64, detector: &mut Detector| {
            world.bodies[1].pose.position = along * (1.0 + gap - touching);
            detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
            detector.find_contacts(&world, LIMITS);
            !detector.contacts().is_empty()
        };
        let wide = TOUCHING_MARGIN * LIMITS.margin;
        let detector = &mut Detector::new();
        assert!(!at(1.02 * LIMITS.margin, detector));
        assert!(at(0.98 * LIMITS.margin, detector));
        assert!(at(1.02 * LIMITS.margin, detector));
        assert!(at(0.99 * wide, detector));
        assert!(!at(1.01 * wide, detector));
        assert!(!at(0.99 * wide, detector));
    }
}
