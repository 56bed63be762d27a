//! Rows against finite differences of rigid motions.

use super::{error, generator, later, random_bodies, random_joints, rows, velocity};
use drystone::internals::joint::Row;
use drystone::math::{Pose, Vec3};
use drystone::world::joint::{Joint, JointKind};

/// Half of the time between the two states of a difference `[s]`.
const DT: f64 = 1e-5;

/// Random bodies for every joint.
const SAMPLES: u64 = 200;

/// Difference allowed over [`scale`].
const TOLERANCE: f64 = 3e-9;

/// Third derivatives are what a central difference leaves; they grow with the size of the row, and
/// where a direction is about to be lost, with the square of the second ones.
fn scale(row: &Row) -> f64 {
    let size = row.linear.norm() + row.angular_a.norm() + row.angular_b.norm();
    (1.0 + size).powi(3) + row.drift * row.drift
}

#[test]
fn jacobian_is_the_derivative_of_the_error() {
    for seed in 0..SAMPLES {
        let mut random = generator(seed);
        let bodies = random_bodies(&mut random);
        for joint in random_joints(&mut random) {
            let before = rows(&joint, &later(&bodies, -DT));
            let after = rows(&joint, &later(&bodies, DT));
            for (index, row) in rows(&joint, &bodies).iter().enumerate() {
                let (Some(past), Some(next)) = (error(&before[index]), error(&after[index])) else {
                    continue;
                };
                let difference = (next - past) / (2.0 * DT);
                let exact = velocity(row, &joint, &bodies);
                assert!(
                    (difference - exact).abs() < TOLERANCE * scale(row),
                    "seed {seed}, {} row {index}, to the world: {}: {difference} by difference, {exact}",
                    joint.kind.name(),
                    joint.body_b.is_none(),
                );
            }
        }
    }
}

#[test]
fn drift_is_the_derivative_of_the_jacobian() {
    for seed in 0..SAMPLES {
        let mut random = generator(seed);
        let bodies = random_bodies(&mut random);
        for joint in random_joints(&mut random) {
            let (past, next) = (later(&bodies, -DT), later(&bodies, DT));
            let (before, after) = (rows(&joint, &past), rows(&joint, &next));
            for (index, row) in rows(&joint, &bodies).iter().enumerate() {
                let past = velocity(&before[index], &joint, &past);
                let next = velocity(&after[index], &joint, &next);
                let difference = (next - past) / (2.0 * DT);
                assert!(
                    (difference - row.drift).abs() < TOLERANCE * 10.0 * scale(row),
                    "seed {seed}, {} row {index}, to the world: {}: {difference} by difference, {}",
                    joint.kind.name(),
                    joint.body_b.is_none(),
                    row.drift,
                );
            }
        }
    }
}

#[test]
fn prescribed_velocity_is_that_of_the_anchor_seen_from_b() {
    let mut random = generator(7);
    for _ in 0..SAMPLES {
        let bodies = random_bodies(&mut random);
        for joint in random_joints(&mut random) {
            let JointKind::PrescribedVelocity { .. } = joint.kind else {
                continue;
            };
            let anchor = bodies[0].pose.point(&joint.frame_a.position);
            let under = joint
                .body_b
                .map_or_else(Vec3::zeros, |b| bodies[b as usize].velocity_at(&anchor));
            let expected = bodies[0].velocity_at(&anchor) - under;
            for (axis, row) in rows(&joint, &bodies).iter().enumerate() {
                let found = velocity(row, &joint, &bodies);
                assert!((found - expected[axis]).abs() < 1e-14);
            }
        }
    }
}

/// In a motion of the plane the tangents are fixed, and the rows those of a ball joint.
#[test]
fn planar_hinge_is_a_ball_joint_in_its_plane() {
    let mut random = generator(3);
    for _ in 0..SAMPLES {
        let mut bodies = random_bodies(&mut random);
        for body in &mut bodies {
            body.pose.orientation =
                drystone::internals::math::exp(&(Vec3::z() * body.pose.position.x));
            body.angular_velocity = Vec3::z() * body.angular_velocity.z;
        }
        let frame = || Pose::new(Vec3::new(0.3, -0.2, 0.1), drystone::math::Quat::identity());
        let joint = |kind: JointKind| Joint::between(kind, 0, frame(), Some(1), Pose::identity());
        let planar = rows(&joint(JointKind::PlanarHinge), &bodies);
        let ball = rows(&joint(JointKind::Ball), &bodies);
        for (planar, ball) in planar.iter().zip(&ball) {
            assert!((planar.linear - ball.linear).norm() < 1e-15);
            // Only what turns in the plane counts.
            assert!((planar.angular_a.z - ball.angular_a.z).abs() < 1e-14);
            assert!((planar.angular_b.z - ball.angular_b.z).abs() < 1e-14);
            assert!((planar.drift - ball.drift).abs() < 1e-13);
            assert!((error(planar).unwrap() - error(ball).unwrap()).abs() < 1e-15);
        }
    }
}

#[test]
fn row_count_never_changes() {
    let mut random = generator(11);
    for _ in 0..20 {
        let bodies = random_bodies(&mut random);
        for mut joint in random_joints(&mut random) {
            assert_eq!(rows(&joint, &bodies).len(), joint.row_count());
            joint.broken = true;
            assert_eq!(rows(&joint, &bodies).len(), 0);
            assert_eq!(joint.row_count(), 0);
        }
    }
}
