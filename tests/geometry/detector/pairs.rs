//! No pair is missed, whatever moves how fast.

use super::{ALLOWANCE, LIMITS, body, crowd, drift, reach, unit};
use drystone::Error;
use drystone::collide::PairSearch;
use drystone::internals::collide::{Detector, brute_force_pairs};
use drystone::math::{Pose, Vec3};
use drystone::world::{BodyKind, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Pairs that a detector must know: those whose grown boxes and grown bounding spheres overlap.
fn needed(world: &World) -> Vec<[u32; 2]> {
    let reach = reach(world);
    let mut pairs = brute_force_pairs(world, &reach);
    pairs.retain(|pair| {
        let [a, b] = pair.map(|index| &world.bodies[index as usize]);
        let [reach_a, reach_b] = pair.map(|index| reach[index as usize]);
        let radii = a.shape.bounding_radius() + b.shape.bounding_radius();
        (a.pose.position - b.pose.position).norm() <= radii + reach_a + reach_b
    });
    pairs
}

fn assert_superset(detector: &Detector, world: &World, when: &str) {
    let found = detector.pairs();
    assert!(found.is_sorted());
    for pair in needed(world) {
        assert!(found.binary_search(&pair).is_ok(), "{when}: {pair:?}");
    }
}

#[test]
fn moving_bodies_lose_no_pair() {
    for (seed, speed) in [(1, 0.0), (2, 0.01), (3, 0.3), (4, 3.0), (5, 100.0)] {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut world = crowd(&mut rng, 120, 2.0);
        let mut detector = Detector::new();
        let mut same = 0;
        for step in 0..100 {
            let before = detector.pairs().to_vec();
            detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
            same += u32::from(before == detector.pairs());
            assert_superset(&detector, &world, &format!("speed {speed}, step {step}"));
            drift(&mut world, &mut rng, speed);
        }
        if speed < 0.1 {
            assert!(same > 90, "speed {speed}: {same} lists of 100 are the same");
        }
    }
}

#[test]
fn growing_speed_and_jumps_lose_no_pair() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let mut world = crowd(&mut rng, 100, 2.0);
    let mut detector = Detector::new();
    for step in 0..200 {
        // The places are as they were; what the bodies can reach is not.
        let one = rng.random_range(2..world.bodies.len());
        match step % 4 {
            0 => world.bodies[one].linear_velocity = unit(&mut rng) * rng.random_range(0.0..50.0),
            1 => world.bodies[one].angular_velocity = unit(&mut rng) * rng.random_range(0.0..50.0),
            2 => {
                let other = rng.random_range(2..world.bodies.len());
                let place = world.bodies[other].pose.position;
                world.bodies[one].pose.position = place + 0.1 * unit(&mut rng);
            }
            _ => {
                let turn = unit(&mut rng) * rng.random_range(0.0..1.0);
                let index = step / 4 % 3;
                world.bodies[index].displace(&Vec3::zeros(), &turn);
            }
        }
        detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
        assert_superset(&detector, &world, &format!("step {step}"));
        for body in &mut world.bodies {
            body.linear_velocity *= 0.5;
            body.angular_velocity *= 0.5;
        }
    }
}

#[test]
fn huge_bodies_among_small_ones_lose_no_pair() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let mut world = crowd(&mut rng, 60, 1.0);
    for size in [30.0, 8.0] {
        let shape = Shape::Box {
            half_extents: Vec3::new(size, size, 0.1),
        };
        let pose = Pose::new(Vec3::z() * -size, world.bodies[5].pose.orientation);
        world.bodies.push(body(BodyKind::Kinematic, shape, pose));
    }
    let mut detector = Detector::new();
    for step in 0..100 {
        detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
        assert_superset(&detector, &world, &format!("step {step}"));
        drift(&mut world, &mut rng, 1.0);
    }
}

#[test]
fn bodies_that_are_nowhere_are_named() {
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    let mut world = crowd(&mut rng, 20, 1.0);
    let mut detector = Detector::new();
    detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
    let good = world.clone();
    for spoil in [
        |world: &mut World| world.bodies[7].pose.position.y = f64::NAN,
        |world: &mut World| world.bodies[7].linear_velocity.x = f64::NAN,
        |world: &mut World| world.bodies[7].pose.orientation.as_mut_unchecked().w = f64::NAN,
    ] {
        spoil(&mut world);
        let error = detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap_err();
        assert!(matches!(error, Error::NonFinite { .. }));
        assert!(error.to_string().contains("body 7"), "{error}");
        world = good.clone();
        detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
        assert_superset(&detector, &world, "after an error");
    }
}

#[test]
fn sweep_and_grid_report_the_same_pairs() {
    for (seed, speed) in [(21, 0.02), (22, 0.3), (23, 3.0)] {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut world = crowd(&mut rng, 100, 2.0);
        for index in 2..world.bodies.len() {
            // From 1 cm to 1 m and more.
            if index % 3 == 0 {
                let radius = 0.01 * 100.0_f64.powf(rng.random_range(0.0..1.0));
                world.bodies[index].shape = Shape::Sphere { radius };
            }
        }
        let mut grid = Detector::new();
        let mut sweep = Detector::by(PairSearch::Sweep);
        let mut changes = 0;
        for step in 0..500 {
            let before = grid.pairs().to_vec();
            grid.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
            sweep.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
            assert_eq!(grid.pairs(), sweep.pairs(), "speed {speed}, step {step}");
            changes += u32::from(before != grid.pairs());
            drift(&mut world, &mut rng, speed);
        }
        assert!(changes > 10, "speed {speed}: {changes}");
    }
}
