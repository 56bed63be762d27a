//! Ways to make joints.

use super::{error, generator, kinds, random_bodies, rows, vector};
use drystone::Error;
use drystone::internals::joint::Law;
use drystone::math::{Pose, Vec3};
use drystone::world::World;
use drystone::world::joint::{Joint, JointKind};

fn world(seed: u64) -> World {
    let mut world = World::new(Vec3::zeros());
    world.bodies = random_bodies(&mut generator(seed));
    world
}

/// A joint made where the bodies are has no error there, and its z axes lie along the given one.
#[test]
fn joints_made_in_place_hold() {
    let mut random = generator(1);
    for seed in 0..20 {
        let world = world(seed);
        for axis in [vector(&mut random), Vec3::z() * 3.0, -Vec3::z(), Vec3::y()] {
            for body_b in [Some(1), None] {
                let anchor = vector(&mut random);
                for kind in kinds() {
                    if matches!(kind, JointKind::Distance { .. }) {
                        continue;
                    }
                    let joint = Joint::at(kind, &world, 0, body_b, anchor, axis).unwrap();
                    for row in rows(&joint, &world.bodies) {
                        if let Law::Equality { .. } = row.law {
                            assert!(error(&row).unwrap().abs() < 1e-14);
                        }
                    }
                    let a = &world.bodies[0].pose;
                    assert!((a.point(&joint.frame_a.position) - anchor).norm() < 1e-14);
                    let z = a.orientation * (joint.frame_a.orientation * Vec3::z());
                    assert!((z - axis.normalize()).norm() < 1e-14);
                }
            }
        }
    }
}

#[test]
fn joints_of_nothing_are_refused() {
    let world = world(1);
    let at = |a, b, axis| Joint::at(JointKind::Hinge, &world, a, b, Vec3::zeros(), axis);
    for (result, expected) in [
        (at(2, None, Vec3::z()), "body 2 of 2 does not exist"),
        (at(0, Some(7), Vec3::z()), "body 7 of 2 does not exist"),
        (
            at(0, Some(1), Vec3::zeros()),
            "an axis of length 0 has no direction",
        ),
    ] {
        let Err(Error::Invalid { what, why }) = result else {
            panic!("not refused: {expected}");
        };
        assert_eq!((what.as_str(), why.as_str()), ("joint", expected));
    }
}

#[test]
fn builders_set_what_they_say() {
    let joint = Joint::new(JointKind::Hinge, 0, None)
        .named("knee")
        .with_limits(-0.5, 1.0)
        .breaking_at(100.0, f64::INFINITY)
        .colliding();
    assert_eq!(joint.name.as_deref(), Some("knee"));
    let limits = joint.limits.unwrap();
    assert_eq!((limits.lower, limits.upper), (-0.5, 1.0));
    assert_eq!(joint.breaking_force, Some(100.0));
    assert_eq!(joint.breaking_torque, None);
    assert!(joint.collide && !joint.broken);
    assert_eq!(joint.frame_a, Pose::identity());
}

#[test]
fn a_world_numbers_its_joints() {
    let mut world = world(2);
    let joint = || Joint::new(JointKind::Ball, 0, Some(1));
    assert_eq!(world.add_joint(joint()).unwrap(), 0);
    assert_eq!(world.add_joint(joint()).unwrap(), 1);
    assert!(
        world
            .add_joint(Joint::new(JointKind::Ball, 0, Some(2)))
            .is_err()
    );
    assert_eq!(world.joints.len(), 2);
}
