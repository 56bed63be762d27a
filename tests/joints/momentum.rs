//! What unit impulses of rows do to the momentum of both bodies.

use super::{generator, random_bodies, random_joints, rows};
use drystone::math::Vec3;
use drystone::world::joint::JointKind;

/// Angular momentum about the origin that a unit impulse adds.
fn angular(row: &drystone::internals::joint::Row, bodies: &[drystone::world::Body]) -> Vec3 {
    let a = &bodies[0].pose.position;
    let b = &bodies[1].pose.position;
    a.cross(&row.linear) + row.angular_a - b.cross(&row.linear) + row.angular_b
}

/// The linear part has one magnitude and two signs, so that nothing is left of it.
#[test]
fn angular_momentum_changes_by_no_more_than_the_error_of_the_anchors() {
    let mut random = generator(5);
    for _ in 0..100 {
        let bodies = random_bodies(&mut random);
        for joint in random_joints(&mut random) {
            if joint.body_b.is_none() {
                continue;
            }
            let apart = bodies[0].pose.point(&joint.frame_a.position)
                - bodies[1].pose.point(&joint.frame_b.position);
            // Arms to two anchors leave the torque of their distance, of which a planar hinge keeps
            // what turns in its plane.
            let z = bodies[1].pose.orientation * (joint.frame_b.orientation * Vec3::z());
            for (index, row) in rows(&joint, &bodies).iter().enumerate() {
                let left = apart.cross(&row.linear);
                if joint.kind == JointKind::PlanarHinge && !row.is_angular() {
                    let found = angular(row, &bodies);
                    assert!((found - left).dot(&z).abs() < 1e-12);
                    assert!(found.norm() <= 1.3 * left.dot(&z).abs() + 1e-12);
                    continue;
                }
                let expected = match joint.kind {
                    JointKind::Ball
                    | JointKind::Hinge
                    | JointKind::Universal
                    | JointKind::Fixed => left,
                    _ => Vec3::zeros(),
                };
                let found = angular(row, &bodies);
                assert!(
                    (found - expected).norm() < 1e-12 * (1.0 + row.angular_a.norm()),
                    "{} row {index}: {found} instead of {expected}",
                    joint.kind.name()
                );
            }
        }
    }
}
