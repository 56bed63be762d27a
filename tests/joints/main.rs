//! Joints: their rows against finite differences, their free coordinate, what they conserve, how they
//! are made and checked, loads, and what they do in a step, whole or in substeps.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod construct;
mod coordinate;
mod degenerate;
mod derivatives;
mod dynamics;
mod errors;
mod exclusion;
mod loads;
mod momentum;
mod paths;
mod steps;
mod substeps;
#[path = "../support/mod.rs"]
mod support;
mod validation;

use drystone::internals::joint::{Law, Row};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::world::joint::{Joint, JointKind, Motor, Path, Spring};
use drystone::world::{Body, BodyKind, CollisionGroups, MassProperties, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn generator(seed: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(seed)
}

/// A vector with components from -1 to 1.
fn vector(random: &mut Pcg64Mcg) -> Vec3 {
    Vec3::from_fn(|_, _| random.random_range(-1.0..1.0))
}

/// A rotation by any angle.
fn rotation(random: &mut Pcg64Mcg) -> Quat {
    let axis = vector(random).normalize();
    Quat::from_scaled_axis(axis * random.random_range(0.0..std::f64::consts::PI))
}

/// A free body of 2 kg with three different moments of inertia.
fn body(pose: Pose) -> Body {
    let moments = Vec3::new(0.3, 0.2, 0.4);
    Body {
        name: None,
        kind: BodyKind::Dynamic,
        pose,
        linear_velocity: Vec3::zeros(),
        angular_velocity: Vec3::zeros(),
        mass: MassProperties {
            mass: 2.0,
            inverse_mass: 0.5,
            inertia: Mat3::from_diagonal(&moments),
            inverse_inertia: Mat3::from_diagonal(&moments.map(|m| 1.0 / m)),
        },
        shape: Shape::Sphere { radius: 0.1 },
        center: Vec3::zeros(),
        material: 0,
        groups: CollisionGroups::ALL,
        motion: None,
    }
}

/// Two bodies anywhere, moving anyhow.
fn random_bodies(random: &mut Pcg64Mcg) -> Vec<Body> {
    (0..2)
        .map(|_| {
            let mut body = body(Pose::new(vector(random), rotation(random)));
            body.linear_velocity = vector(random);
            body.angular_velocity = vector(random) * 2.0;
            body
        })
        .collect()
}

/// Bodies a time later, if nothing acts on them and their angular velocities stay.
fn later(bodies: &[Body], time: f64) -> Vec<Body> {
    let mut bodies = bodies.to_vec();
    for body in &mut bodies {
        let (linear, angular) = (body.linear_velocity * time, body.angular_velocity * time);
        body.displace(&linear, &angular);
    }
    bodies
}

fn path() -> Path {
    Path::Circle {
        radius: Vec3::new(0.5, 0.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, 2.0),
    }
}

/// Every kind.
fn kinds() -> Vec<JointKind> {
    vec![
        JointKind::Ball,
        JointKind::Hinge,
        JointKind::Slider,
        JointKind::Universal,
        JointKind::Fixed,
        JointKind::Distance { length: 0.7 },
        JointKind::PlanarHinge,
        JointKind::PrescribedVelocity { path: path() },
    ]
}

/// Every kind between frames anywhere, alone and with all that acts on its coordinate; between two
/// bodies and against the world.
fn random_joints(random: &mut Pcg64Mcg) -> Vec<Joint> {
    let mut joints = Vec::new();
    for kind in kinds() {
        for body_b in [Some(1), None] {
            let mut frame = || Pose::new(vector(random), rotation(random));
            let joint = Joint::between(kind.clone(), 0, frame(), body_b, frame());
            joints.push(joint.clone());
            if kind.has_coordinate() {
                joints.push(
                    joint
                        .with_limits(0.2, 1.1)
                        .with_motor(Motor::Position {
                            target: 0.4,
                            stiffness: 30.0,
                            damping: 2.0,
                            max_force: 50.0,
                        })
                        .with_spring(Spring {
                            stiffness: 20.0,
                            damping: 1.0,
                            rest: 0.3,
                        }),
                );
            }
        }
    }
    joints
}

fn rows(joint: &Joint, bodies: &[Body]) -> Vec<Row> {
    let mut rows = Vec::new();
    joint.rows(bodies, 0.3, 0.01, &mut rows);
    rows
}

/// What `J V` is the derivative of; nothing for a row that asks for a velocity.
fn error(row: &Row) -> Option<f64> {
    match row.law {
        Law::Equality { error } | Law::Spring { error, .. } => Some(error),
        Law::Limit { gap } => Some(gap),
        Law::Motor { .. } | Law::Velocity { .. } => None,
    }
}

/// `J V` with the bodies' velocities.
fn velocity(row: &Row, joint: &Joint, bodies: &[Body]) -> f64 {
    row.velocity(
        &bodies[joint.body_a as usize],
        joint.body_b.map(|b| &bodies[b as usize]),
    )
}
