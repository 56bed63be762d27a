//! The free coordinate, and what limits, motors and springs ask of it.

use super::{body, error, rows, velocity};
use drystone::internals::joint::Law;
use drystone::internals::math;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::Body;
use drystone::world::joint::{Joint, JointKind, Motor, Spring};
use std::f64::consts::{FRAC_PI_2, PI};

/// B at rest at the origin; A turned about z by an angle and moved.
fn pair(angle: f64, shift: Vec3) -> Vec<Body> {
    let turned = Pose::new(shift, math::exp(&(Vec3::z() * angle)));
    vec![body(turned), body(Pose::identity())]
}

fn value(joint: &Joint, bodies: &[Body]) -> f64 {
    joint.coordinate(bodies).unwrap().value
}

fn about_y(angle: f64) -> Quat {
    math::exp(&(Vec3::y() * angle))
}

#[test]
fn coordinate_is_the_place_of_a_seen_from_b() {
    let joint = |kind| Joint::new(kind, 0, Some(1));
    let shift = Vec3::new(0.3, -0.4, 1.2);
    let bodies = pair(0.7, shift);
    assert!((value(&joint(JointKind::Hinge), &bodies) - 0.7).abs() < 1e-15);
    assert!((value(&joint(JointKind::PlanarHinge), &bodies) - 0.7).abs() < 1e-15);
    assert!((value(&joint(JointKind::Slider), &bodies) - 1.2).abs() < 1e-15);
    let distance = joint(JointKind::Distance { length: 1.0 });
    assert!((value(&distance, &bodies) - 1.3).abs() < 1e-15);
    let mut swung = bodies;
    swung[0].pose.orientation = about_y(-1.9) * swung[0].pose.orientation;
    assert!((value(&joint(JointKind::Ball), &swung) - 1.9).abs() < 1e-14);
    for kind in [JointKind::Universal, JointKind::Fixed] {
        assert!(joint(kind).coordinate(&swung).is_none());
    }
}

#[test]
fn rate_is_that_of_the_row() {
    let mut bodies = pair(0.7, Vec3::new(0.3, -0.4, 1.2));
    bodies[0].angular_velocity = Vec3::new(0.0, 0.0, 1.5);
    bodies[1].angular_velocity = Vec3::new(0.0, 0.0, -0.5);
    let joint = Joint::new(JointKind::Hinge, 0, Some(1));
    assert!((joint.coordinate(&bodies).unwrap().rate - 2.0).abs() < 1e-14);
}

/// Three turns in steps of a hundredth: the angle stays in its range, and every step of it is the
/// same up to a full turn.
#[test]
fn hinge_angle_goes_around() {
    let joint = Joint::new(JointKind::Hinge, 0, Some(1));
    let mut last = 0.0;
    for step in 1..1900 {
        let angle = f64::from(step) * 0.01;
        let now = value(&joint, &pair(angle, Vec3::zeros()));
        assert!(now > -PI && now <= PI, "{now}");
        let moved = now - last;
        let wrapped = moved - (2.0 * PI) * (moved / (2.0 * PI)).round();
        assert!((wrapped - 0.01).abs() < 1e-12, "step {step}: {moved}");
        last = now;
    }
    for half_turn in [PI, -PI] {
        let now = value(&joint, &pair(half_turn, Vec3::zeros()));
        assert!((now.abs() - PI).abs() < 1e-15 && now > -PI);
    }
}

#[test]
fn limits_across_the_half_turn_mean_what_they_say() {
    let joint = Joint::new(JointKind::Hinge, 0, Some(1)).with_limits(PI - 0.2, PI + 0.3);
    for (angle, lower, upper) in [
        (PI - 0.1, 0.1, 0.4),
        (PI + 0.1, 0.3, 0.2),
        (-PI + 0.1, 0.3, 0.2),
        (PI + 0.4, 0.6, -0.1),
        (PI - 0.25, -0.05, 0.55),
    ] {
        let bodies = pair(angle, Vec3::zeros());
        let gaps: Vec<f64> = rows(&joint, &bodies)[5..]
            .iter()
            .map(|row| error(row).unwrap())
            .collect();
        assert_eq!(gaps.len(), 2);
        assert!((gaps[0] - lower).abs() < 1e-14, "{angle}: {gaps:?}");
        assert!((gaps[1] - upper).abs() < 1e-14, "{angle}: {gaps:?}");
    }
}

/// The gap of the upper limit closes as the coordinate grows.
#[test]
fn limits_have_positive_gaps_inside_and_rows_that_open_them() {
    let cases = [
        (JointKind::Hinge, 5),
        (JointKind::PlanarHinge, 2),
        (JointKind::Slider, 5),
        (JointKind::Distance { length: 1.0 }, 0),
    ];
    for (kind, first) in cases {
        let mut bodies = pair(0.5, Vec3::z() * 0.5);
        bodies[0].linear_velocity = Vec3::z();
        bodies[0].angular_velocity = Vec3::z();
        let joint = Joint::new(kind, 0, Some(1)).with_limits(0.1, 0.8);
        let rows = rows(&joint, &bodies);
        let limits = &rows[first..];
        assert_eq!(limits.len(), 2, "{}", joint.kind.name());
        assert!((error(&limits[0]).unwrap() - 0.4).abs() < 1e-14);
        assert!((error(&limits[1]).unwrap() - 0.3).abs() < 1e-14);
        assert!((velocity(&limits[0], &joint, &bodies) - 1.0).abs() < 1e-14);
        assert!((velocity(&limits[1], &joint, &bodies) + 1.0).abs() < 1e-14);
        assert!(matches!(limits[0].law, Law::Limit { .. }));
    }
}

#[test]
fn a_ball_joint_has_an_upper_limit_only() {
    let mut bodies = pair(0.0, Vec3::zeros());
    bodies[0].pose.orientation = about_y(0.9);
    let joint = Joint::new(JointKind::Ball, 0, Some(1)).with_limits(0.0, 0.5);
    let rows = rows(&joint, &bodies);
    assert_eq!(rows.len(), 4);
    assert!((error(&rows[3]).unwrap() + 0.4).abs() < 1e-14);
    // An impulse turns A back towards B's axis.
    assert!((rows[3].angular_a - -Vec3::y()).norm() < 1e-14);
}

#[test]
fn equal_limits_are_an_equality_and_infinite_ones_nothing() {
    let bodies = pair(0.0, Vec3::z() * 0.5);
    let joint = |lower, upper| {
        rows(
            &Joint::new(JointKind::Slider, 0, Some(1)).with_limits(lower, upper),
            &bodies,
        )
    };
    let equal = joint(0.2, 0.2);
    assert_eq!(equal.len(), 6);
    assert!(matches!(equal[5].law, Law::Equality { error } if (error - 0.3).abs() < 1e-15));
    assert_eq!(joint(f64::NEG_INFINITY, f64::INFINITY).len(), 5);
    assert_eq!(joint(f64::NEG_INFINITY, 1.0).len(), 6);
    assert_eq!(joint(0.0, f64::INFINITY).len(), 6);
}

/// A rope has one row, slack or not, and no equality.
#[test]
fn a_rope_is_a_limit() {
    let rope = Joint::new(JointKind::Distance { length: 1.0 }, 0, Some(1)).with_limits(0.0, 1.0);
    let slack = rows(&rope, &pair(0.0, Vec3::z() * 0.5));
    assert_eq!(slack.len(), 1);
    assert!(matches!(slack[0].law, Law::Limit { gap } if (gap - 0.5).abs() < 1e-15));
    assert!((slack[0].linear - -Vec3::z()).norm() < 1e-15);
}

#[test]
fn motors_ask_for_velocities_or_pull_like_springs() {
    let bodies = pair(0.5, Vec3::zeros());
    let hinge = Joint::new(JointKind::Hinge, 0, Some(1));
    let driven = hinge.clone().with_motor(Motor::Velocity {
        target: 3.0,
        max_force: 7.0,
    });
    assert_eq!(
        rows(&driven, &bodies)[5].law,
        Law::Motor {
            velocity: 3.0,
            max_force: 7.0
        }
    );
    let held = hinge.clone().with_motor(Motor::Position {
        target: -3.0,
        stiffness: 11.0,
        damping: 2.0,
        max_force: 5.0,
    });
    let Law::Spring {
        error,
        stiffness,
        damping,
        max_force,
    } = rows(&held, &bodies)[5].law
    else {
        panic!("a position motor is a spring");
    };
    // The shorter way from 0.5 to -3 is up, through the half turn.
    assert!((error - (3.5 - 2.0 * PI)).abs() < 1e-14, "{error}");
    assert_eq!((stiffness, damping, max_force), (11.0, 2.0, 5.0));
    // Limits forbid that way.
    let limited = rows(&held.with_limits(-3.1, 3.1), &bodies);
    let Law::Spring { error, .. } = limited[7].law else {
        panic!("the motor comes after two limits");
    };
    assert!((error - 3.5).abs() < 1e-14, "{error}");
    let sprung = hinge.with_spring(Spring {
        stiffness: 4.0,
        damping: 0.5,
        rest: FRAC_PI_2,
    });
    let Law::Spring {
        error, max_force, ..
    } = rows(&sprung, &bodies)[5].law
    else {
        panic!("a spring is a spring");
    };
    assert!((error - (0.5 - FRAC_PI_2)).abs() < 1e-14);
    assert_eq!(max_force, f64::INFINITY);
}

/// A motor and a spring replace a distance joint's equality; other kinds keep theirs.
#[test]
fn a_spring_replaces_the_equality_of_a_distance() {
    let bodies = pair(0.0, Vec3::z() * 0.5);
    let spring = Spring {
        stiffness: 4.0,
        damping: 0.0,
        rest: 0.4,
    };
    let joint = Joint::new(JointKind::Distance { length: 1.0 }, 0, Some(1)).with_spring(spring);
    let rows = rows(&joint, &bodies);
    assert_eq!(rows.len(), 1);
    assert!(matches!(rows[0].law, Law::Spring { error, .. } if (error - 0.1).abs() < 1e-15));
}
