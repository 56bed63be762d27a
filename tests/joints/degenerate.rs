//! Configurations in which a direction is lost.

use super::{body, error, kinds, rows, velocity};
use drystone::internals::joint::Row;
use drystone::internals::math;
use drystone::math::{Pose, Vec3};
use drystone::world::Body;
use drystone::world::joint::{Joint, JointKind, Spring};
use std::f64::consts::{FRAC_PI_2, PI};

fn is_finite(row: &Row) -> bool {
    [row.linear, row.angular_a, row.angular_b]
        .iter()
        .all(|v| v.iter().all(|x| x.is_finite()))
        && row.drift.is_finite()
        && error(row).is_none_or(f64::is_finite)
}

fn sprung(kind: JointKind) -> Joint {
    let joint = Joint::new(kind, 0, Some(1));
    if !joint.kind.has_coordinate() {
        return joint;
    }
    joint.with_limits(0.1, 1.0).with_spring(Spring {
        stiffness: 1.0,
        damping: 1.0,
        rest: 0.3,
    })
}

/// Rotations by right angles and half turns about each axis, in which products of axes are 0 or 1.
fn special_turns() -> Vec<Vec3> {
    let mut turns = vec![Vec3::zeros()];
    for axis in [
        Vec3::x(),
        Vec3::y(),
        Vec3::z(),
        Vec3::new(1.0, 1.0, 0.0).normalize(),
        Vec3::new(1.0, 1.0, 1.0).normalize(),
    ] {
        turns.extend([FRAC_PI_2, PI, -FRAC_PI_2, -PI].map(|angle| axis * angle));
    }
    turns
}

fn moving_pair(turn: Vec3) -> Vec<Body> {
    let mut bodies = vec![
        body(Pose::new(Vec3::zeros(), math::exp(&turn))),
        body(Pose::identity()),
    ];
    bodies[0].linear_velocity = Vec3::new(0.1, 0.2, 0.3);
    bodies[0].angular_velocity = Vec3::new(1.0, -2.0, 0.5);
    bodies[1].angular_velocity = Vec3::new(-0.3, 0.7, 1.1);
    bodies
}

/// Coinciding anchors and special angles: every number is finite, and no row is without effect.
#[test]
fn rows_stay_finite_and_never_vanish() {
    for turn in special_turns() {
        let bodies = moving_pair(turn);
        for kind in kinds() {
            for joint in [Joint::new(kind.clone(), 0, Some(1)), sprung(kind)] {
                for (index, row) in rows(&joint, &bodies).iter().enumerate() {
                    let what = format!("{} row {index} at {turn:?}: {row:?}", joint.kind.name());
                    assert!(is_finite(row), "{what}");
                    let size = row.linear.norm() + row.angular_a.norm();
                    assert!(size > 0.99, "{what}");
                }
            }
        }
    }
}

/// Rows that align axes at any error up to a half turn: they keep the directions apart and bring the
/// axes together, as a velocity against the error shows.
#[test]
fn angular_rows_lead_back_from_large_errors() {
    for kind in [
        JointKind::Hinge,
        JointKind::Slider,
        JointKind::Universal,
        JointKind::Fixed,
    ] {
        for angle in [0.1, 1.0, FRAC_PI_2, 2.0, 3.0] {
            // A turn about an axis across z, which is an error of every kind but for a part.
            let mut bodies = vec![
                body(Pose::new(
                    Vec3::zeros(),
                    math::exp(&(Vec3::new(0.6, 0.0, 0.8) * angle)),
                )),
                body(Pose::identity()),
            ];
            let joint = Joint::new(kind.clone(), 0, Some(1));
            let length = |bodies: &[Body]| {
                rows(&joint, bodies)
                    .iter()
                    .filter(|row| row.is_angular())
                    .map(|row| error(row).unwrap().powi(2))
                    .sum::<f64>()
                    .sqrt()
            };
            let start = length(&bodies);
            assert!(start > 1e-3);
            // J J^T is a multiple of the unit matrix, so that J^T error / size is the steepest descent.
            for _ in 0..400 {
                let mut turn = Vec3::zeros();
                for row in rows(&joint, &bodies).iter().filter(|row| row.is_angular()) {
                    let size = row.angular_a.norm_squared();
                    turn -= row.angular_a * (0.05 * error(row).unwrap() / size);
                }
                bodies[0].displace(&Vec3::zeros(), &turn);
            }
            let end = length(&bodies);
            assert!(
                end < 1e-6,
                "{} from {angle} rad: {start} to {end}",
                joint.kind.name()
            );
        }
    }
}

/// The length of the errors is an angle of its scale.
#[test]
fn angular_errors_measure_the_angle() {
    for (kind, turn) in [
        (JointKind::Hinge, Vec3::new(0.6, 0.8, 0.0)),
        (JointKind::Slider, Vec3::new(0.6, 0.0, 0.8)),
        (JointKind::Fixed, Vec3::new(0.0, 0.6, 0.8)),
    ] {
        for angle in [1e-3, 0.5, 2.0, 3.0] {
            let bodies = [
                body(Pose::new(Vec3::zeros(), math::exp(&(turn * angle)))),
                body(Pose::identity()),
            ];
            let joint = Joint::new(kind.clone(), 0, Some(1));
            let angular: Vec<Row> = rows(&joint, &bodies)
                .into_iter()
                .filter(Row::is_angular)
                .collect();
            let length = angular
                .iter()
                .map(|row| error(row).unwrap().powi(2))
                .sum::<f64>()
                .sqrt();
            assert!((joint.kind.angle(length) - angle).abs() < 1e-12);
            // Rows of equal length, at right angles.
            let size = angular[0].angular_a.norm_squared();
            for (i, one) in angular.iter().enumerate() {
                for (j, other) in angular.iter().enumerate() {
                    let expected = if i == j { size } else { 0.0 };
                    let product = one.angular_a.dot(&other.angular_a);
                    assert!((product - expected).abs() < 1e-12 * size);
                }
            }
        }
    }
}

#[test]
fn anchors_that_coincide_are_pushed_apart_along_one_axis() {
    let bodies = moving_pair(Vec3::zeros());
    let joint = Joint::new(JointKind::Distance { length: 0.5 }, 0, Some(1));
    let rows = rows(&joint, &bodies);
    assert_eq!(rows.len(), 1);
    assert!((error(&rows[0]).unwrap() + 0.5).abs() < 1e-15);
    assert!((rows[0].linear.norm() - 1.0).abs() < 1e-15);
    assert_eq!(rows[0].drift, 0.0);
    let along = velocity(&rows[0], &joint, &bodies);
    assert!((joint.coordinate(&bodies).unwrap().rate - along).abs() < 1e-15);
}
