//! The measure of how far joints are from what they ask for.

use super::{body, path};
use drystone::internals::math;
use drystone::math::{Pose, Vec3};
use drystone::measure::joint_errors;
use drystone::world::World;
use drystone::world::joint::{Joint, JointKind};

fn world(joints: Vec<Joint>) -> World {
    let mut world = World::new(Vec3::zeros());
    world.bodies = vec![
        body(Pose::new(
            Vec3::new(0.003, 0.0, 0.004),
            math::exp(&(Vec3::x() * 0.2)),
        )),
        body(Pose::identity()),
    ];
    world.joints = joints;
    world
}

#[test]
fn errors_are_lengths_and_angles() {
    let errors = joint_errors(&world(vec![Joint::new(JointKind::Ball, 0, Some(1))]));
    assert!((errors.linear_max - 0.005).abs() < 1e-15);
    assert_eq!(errors.angular_max, 0.0);
    let errors = joint_errors(&world(vec![Joint::new(JointKind::Fixed, 0, Some(1))]));
    assert!((errors.linear_max - 0.005).abs() < 1e-15);
    assert!((errors.angular_max - 0.2).abs() < 1e-14);
    let errors = joint_errors(&world(vec![Joint::new(JointKind::Hinge, 0, None)]));
    assert!((errors.angular_max - 0.2).abs() < 1e-14);
    // Along its axis a slider is free.
    let errors = joint_errors(&world(vec![Joint::new(JointKind::Slider, 0, None)]));
    assert!((errors.linear_max - 0.003).abs() < 1e-15);
}

#[test]
fn limits_count_where_they_are_passed() {
    let slider = || Joint::new(JointKind::Slider, 0, Some(1));
    let inside = joint_errors(&world(vec![slider().with_limits(-1.0, 1.0)]));
    assert_eq!(inside.limit_max, 0.0);
    let above = joint_errors(&world(vec![slider().with_limits(-1.0, 0.001)]));
    assert!((above.limit_max - 0.003).abs() < 1e-15);
    let below = joint_errors(&world(vec![slider().with_limits(0.006, 1.0)]));
    assert!((below.limit_max - 0.002).abs() < 1e-15);
    let ball = Joint::new(JointKind::Ball, 0, Some(1)).with_limits(0.0, 0.15);
    let swung = joint_errors(&world(vec![ball]));
    assert!((swung.limit_angular_max - 0.05).abs() < 1e-14);
    assert_eq!(swung.limit_max, 0.0);
}

#[test]
fn prescribed_velocities_count_by_their_difference() {
    let joint = Joint::new(JointKind::PrescribedVelocity { path: path() }, 0, None);
    let mut world = world(vec![joint]);
    world.time = 0.7;
    world.bodies[0].linear_velocity = path().velocity(0.7).0 + Vec3::new(0.0, 0.3, 0.4);
    let errors = joint_errors(&world);
    assert!((errors.velocity_max - 0.5).abs() < 1e-14);
    assert_eq!(errors.linear_max, 0.0);
}

#[test]
fn broken_joints_are_counted_and_have_no_errors() {
    let mut world = world(vec![Joint::new(JointKind::Ball, 0, Some(1)); 2]);
    world.joints[1].broken = true;
    world.joints[1].frame_a.position = Vec3::x();
    let errors = joint_errors(&world);
    assert_eq!(errors.broken, 1);
    assert!((errors.linear_max - 0.005).abs() < 1e-15);
}
