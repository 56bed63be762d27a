//! Joints and loads without meaning are refused, and the message says why.

use super::{body, kinds};
use drystone::Error;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::joint::{Joint, JointKind, Motor, Path, Spring};
use drystone::world::{Body, Load, Shape, World};

fn world() -> World {
    let mut world = World::new(Vec3::zeros());
    let ground = Body::fixed(Shape::Sphere { radius: 1.0 }, Pose::identity());
    for body in [
        body(Pose::identity()),
        body(Pose::identity()),
        ground.clone(),
        ground,
    ] {
        world.add(body).unwrap();
    }
    world
}

fn refusal(joint: Joint) -> (String, String) {
    let mut world = world();
    world.joints.push(joint.clone());
    let Err(Error::Invalid { what, why }) = world.validate() else {
        panic!("accepted: {joint:?}");
    };
    // The same check when it is added.
    world.joints.clear();
    assert!(world.add_joint(joint).is_err());
    assert!(world.joints.is_empty());
    (what, why)
}

fn hinge() -> Joint {
    Joint::new(JointKind::Hinge, 0, Some(1))
}

#[test]
fn every_kind_is_sound() {
    let mut world = world();
    for kind in kinds() {
        for body_b in [Some(1), Some(2), None] {
            world
                .add_joint(Joint::new(kind.clone(), 0, body_b))
                .unwrap();
        }
    }
    let infinity = f64::INFINITY;
    for limits in [(-infinity, infinity), (0.5, 0.5), (0.0, infinity)] {
        world
            .add_joint(hinge().with_limits(limits.0, limits.1))
            .unwrap();
    }
    world.validate().unwrap();
}

#[test]
fn joints_are_named_in_the_message() {
    let (what, why) = refusal(Joint::new(JointKind::Ball, 0, Some(0)));
    assert_eq!(
        (what.as_str(), why.as_str()),
        ("joint 0", "joins body 0 to itself")
    );
    let (what, _) = refusal(Joint::new(JointKind::Ball, 0, Some(0)).named("elbow"));
    assert_eq!(what, "joint 0 (`elbow`)");
}

#[test]
fn bodies_must_exist_and_one_must_move() {
    for (joint, expected) in [
        (
            Joint::new(JointKind::Ball, 4, None),
            "body 4 of 4 does not exist",
        ),
        (
            Joint::new(JointKind::Ball, 0, Some(9)),
            "body 9 of 4 does not exist",
        ),
        (
            Joint::new(JointKind::Ball, 2, Some(3)),
            "joins nothing that is dynamic",
        ),
        (
            Joint::new(JointKind::Ball, 2, None),
            "joins nothing that is dynamic",
        ),
    ] {
        assert_eq!(refusal(joint).1, expected);
    }
}

#[test]
fn frames_must_be_sound() {
    let mut joint = hinge();
    joint.frame_a.position.x = f64::NAN;
    assert_eq!(
        refusal(joint).1,
        "its frame A is not finite, or its rotation not a unit quaternion"
    );
    let mut joint = hinge();
    joint.frame_b.orientation = Quat::new_unchecked([0.0, 0.0, 0.0, 2.0].into());
    assert_eq!(
        refusal(joint).1,
        "its frame B is not finite, or its rotation not a unit quaternion"
    );
}

#[test]
fn numbers_of_kinds_must_have_meaning() {
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let (_, why) = refusal(Joint::new(JointKind::Distance { length }, 0, None));
        assert!(why.contains("is not positive and finite"), "{why}");
    }
    let bad = Vec3::new(0.0, f64::INFINITY, 0.0);
    for path in [
        Path::Line { velocity: bad },
        Path::Circle {
            radius: bad,
            angular_velocity: Vec3::z(),
        },
        Path::Sinusoidal {
            amplitude: Vec3::x(),
            frequency: f64::NAN,
            phase: 0.0,
        },
    ] {
        let (_, why) = refusal(Joint::new(JointKind::PrescribedVelocity { path }, 0, None));
        assert_eq!(why, "a number of its path is not finite");
    }
}

#[test]
fn limits_must_be_in_order_and_tell_turns_apart() {
    let ball = Joint::new(JointKind::Ball, 0, Some(1));
    let infinity = f64::INFINITY;
    for (joint, expected) in [
        (
            hinge().with_limits(1.0, 0.5),
            "the lower limit 1 exceeds the upper one, 0.5",
        ),
        (
            hinge().with_limits(f64::NAN, 0.5),
            "limits of NaN and 0.5 bound nothing",
        ),
        (
            hinge().with_limits(infinity, infinity),
            "limits of inf and inf bound nothing",
        ),
        (
            hinge().with_limits(-4.0, 4.0),
            "limits of -4 and 4 rad span more than a turn; turns are not counted",
        ),
        (
            ball.with_limits(-1.0, -0.5),
            "an upper limit of -0.5 is negative; a ball joint's coordinate never is",
        ),
    ] {
        assert_eq!(refusal(joint).1, expected);
    }
}

#[test]
fn motors_and_springs_must_have_meaning() {
    let position = |target, stiffness, damping, max_force| {
        hinge().with_motor(Motor::Position {
            target,
            stiffness,
            damping,
            max_force,
        })
    };
    let drive = |target, max_force| hinge().with_motor(Motor::Velocity { target, max_force });
    let spring = |stiffness, damping, rest| {
        hinge().with_spring(Spring {
            stiffness,
            damping,
            rest,
        })
    };
    for (joint, expected) in [
        (
            drive(f64::NAN, 1.0),
            "a motor's target of NaN is not finite",
        ),
        (
            drive(1.0, 0.0),
            "a motor's largest force of 0 N or N m is not positive and finite",
        ),
        (
            drive(1.0, f64::INFINITY),
            "a motor's largest force of inf N or N m is not positive and finite",
        ),
        (
            position(0.0, 0.0, 1.0, 1.0),
            "a motor's stiffness of 0 N/m or N m/rad is not positive and finite",
        ),
        (
            position(0.0, 1.0, -1.0, 1.0),
            "a motor's damping of -1 is not a finite number of at least 0",
        ),
        (
            position(0.0, 1.0, 1.0, -2.0),
            "a motor's largest force of -2 N or N m is not positive and finite",
        ),
        (
            spring(-1.0, 0.0, 0.0),
            "a spring's stiffness of -1 is not a finite number of at least 0",
        ),
        (
            spring(1.0, f64::NAN, 0.0),
            "a spring's damping of NaN is not a finite number of at least 0",
        ),
        (
            spring(1.0, 0.0, f64::NAN),
            "a spring's rest of NaN is not finite",
        ),
        (
            spring(0.0, 0.0, 0.0),
            "a spring has neither stiffness nor damping",
        ),
    ] {
        assert_eq!(refusal(joint).1, expected);
    }
    let mut world = world();
    world
        .add_joint(position(0.0, 1.0, 0.0, f64::INFINITY))
        .unwrap();
    world.add_joint(spring(0.0, 1.0, 0.0)).unwrap();
}

#[test]
fn kinds_without_a_free_coordinate_take_nothing_that_acts_on_it() {
    let spring = Spring {
        stiffness: 1.0,
        damping: 0.0,
        rest: 0.0,
    };
    let drive = Motor::Velocity {
        target: 1.0,
        max_force: 1.0,
    };
    for kind in kinds() {
        let joint = Joint::new(kind, 0, Some(1));
        if joint.kind.has_coordinate() {
            continue;
        }
        let name = joint.kind.name();
        for (joint, part) in [
            (joint.clone().with_limits(0.0, 1.0), "limits"),
            (joint.clone().with_motor(drive), "a motor"),
            (joint.clone().with_spring(spring), "a spring"),
        ] {
            assert_eq!(
                refusal(joint).1,
                format!("{part} on a {name} joint, which has no free coordinate")
            );
        }
    }
}

#[test]
fn breaking_loads_must_be_positive() {
    for (force, torque, expected) in [
        (
            0.0,
            1.0,
            "a breaking force of 0 N is not positive and finite",
        ),
        (
            1.0,
            -2.0,
            "a breaking torque of -2 N m is not positive and finite",
        ),
        (
            f64::NAN,
            1.0,
            "a breaking force of NaN N is not positive and finite",
        ),
    ] {
        assert_eq!(refusal(hinge().breaking_at(force, torque)).1, expected);
    }
}

#[test]
fn loads_must_have_meaning() {
    let sound = Load {
        body: 0,
        point: Vec3::zeros(),
        force: Vec3::x(),
        torque: Vec3::zeros(),
        from: 0.0,
        until: f64::INFINITY,
        frequency: 0.0,
    };
    let bad = Vec3::new(f64::NAN, 0.0, 0.0);
    for (load, expected) in [
        (Load { body: 4, ..sound }, "body 4 of 4 does not exist"),
        (
            Load { body: 2, ..sound },
            "acts on body 2, which is not dynamic",
        ),
        (
            Load {
                force: bad,
                ..sound
            },
            "a number is not finite",
        ),
        (
            Load {
                torque: bad,
                ..sound
            },
            "a number is not finite",
        ),
        (
            Load {
                point: bad,
                ..sound
            },
            "a number is not finite",
        ),
        (
            Load {
                from: f64::NAN,
                ..sound
            },
            "a number is not finite",
        ),
        (
            Load {
                from: 2.0,
                until: 2.0,
                ..sound
            },
            "ends at 2 s, not after its start at 2 s",
        ),
        (
            Load {
                until: f64::NAN,
                ..sound
            },
            "ends at NaN s, not after its start at 0 s",
        ),
        (
            Load {
                frequency: -1.0,
                ..sound
            },
            "a frequency of -1 Hz is not a finite number of at least 0",
        ),
    ] {
        let mut world = world();
        world.loads = vec![sound, load];
        let Err(Error::Invalid { what, why }) = world.validate() else {
            panic!("accepted: {load:?}");
        };
        assert_eq!((what.as_str(), why.as_str()), ("load 1", expected));
    }
}
