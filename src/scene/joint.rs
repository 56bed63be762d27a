//! From joints and loads of a scene file to those of a world.

use super::place::Place;
use super::schema::{self, JointType};
use super::vectors::vector;
use crate::constants::PARALLEL_ARMS_SINE;
use crate::error::Result;
use crate::math::{Pose, Quat, Vec3};
use crate::world::joint::{Joint, JointKind, Limits, Motor, Path, Spring};
use crate::world::{Body, Load, World};
use nalgebra::Rotation3;

/// The bodies of a joint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) a: u32,
    pub(super) b: Option<u32>,
}

/// One end of a joint: its body, and the axes in which the file describes it.
struct End<'w> {
    body: Option<&'w Body>,
    described: Pose,
}

impl End<'_> {
    /// A frame fixed to the body, from its centre of mass: at a point of the world and turned as
    /// given. `point` is the same point as the file describes it, if it does: then nothing is lost to
    /// rounding.
    fn frame(&self, at: &Vec3, point: Option<&Vec3>, orientation: Quat) -> Pose {
        let Some(body) = self.body else {
            return Pose::new(*at, orientation);
        };
        let position = match point {
            Some(point) => point - body.center,
            None => body.pose.inverse_point(at),
        };
        Pose::new(position, body.pose.orientation.inverse() * orientation)
    }
}

/// Makes a joint. Points and directions that the file gives in no body's axes are in those of `frame`.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) if neither body can move, a distance is 0, or the arms of a
/// universal joint are parallel.
pub(super) fn joint(
    world: &World,
    given: &schema::Joint,
    ends: Ends,
    frame: &Pose,
    place: &Place<'_>,
) -> Result<Joint> {
    let body = |index: u32| &world.bodies[index as usize];
    let end = |index: Option<u32>| End {
        body: index.map(body),
        described: index.map_or(*frame, |index| body(index).frame()),
    };
    let (a, b) = (end(Some(ends.a)), end(ends.b));
    let moves = |end: &End<'_>| end.body.is_some_and(Body::is_dynamic);
    if !moves(&a) && !moves(&b) {
        let other = given
            .b
            .as_ref()
            .map_or_else(|| "the world".to_owned(), |name| format!("`{name}`"));
        return Err(place.key("a").error(
            format!("neither `{}` nor {other} can move", given.a),
            "expected at least one dynamic body",
        ));
    }
    let local = [given.anchor_a, given.anchor_b].map(|point| point.map(|point| vector(&point)));
    let [at_a, at_b] = anchors(given, &local, [&a, &b], frame);
    let distance = (at_a - at_b).norm();
    if given.kind == JointType::Distance && given.length.is_none() && distance == 0.0 {
        return Err(place.key("anchor_b").error(
            "the two anchors are the same point as placed",
            "expected two points, or `length = ...` [m]",
        ));
    }
    let [turn_a, turn_b] = orientations(given, [&a, &b], frame, place)?;
    Ok(Joint {
        name: None,
        kind: kind(given, distance, frame),
        body_a: ends.a,
        body_b: ends.b,
        frame_a: a.frame(&at_a, local[0].as_ref(), turn_a),
        frame_b: b.frame(&at_b, local[1].as_ref(), turn_b),
        limits: given.limits.map(|[lower, upper]| Limits { lower, upper }),
        motor: given.motor.as_ref().map(motor),
        spring: given.spring.as_ref().map(|spring| Spring {
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest: spring.rest.unwrap_or(match given.kind {
                JointType::Distance => given.length.unwrap_or(distance),
                _ => 0.0,
            }),
        }),
        breaking_force: given.breaking_force,
        breaking_torque: given.breaking_torque,
        collide: given.collide,
        broken: false,
    })
}

/// The anchors of A and B in world axes.
fn anchors(
    given: &schema::Joint,
    local: &[Option<Vec3>; 2],
    [a, b]: [&End<'_>; 2],
    frame: &Pose,
) -> [Vec3; 2] {
    match (&given.anchor, local) {
        (Some(point), _) => [frame.point(&vector(point)); 2],
        (None, [Some(on_a), Some(on_b)]) => [a.described.point(on_a), b.described.point(on_b)],
        (None, [Some(on_a), None]) => [a.described.point(on_a); 2],
        (None, [None, Some(on_b)]) => [b.described.point(on_b); 2],
        (None, [None, None]) => [a.described.position; 2],
    }
}

/// The rotations of the frames of A and B in world axes.
fn orientations(
    given: &schema::Joint,
    [a, b]: [&End<'_>; 2],
    frame: &Pose,
    place: &Place<'_>,
) -> Result<[Quat; 2]> {
    let on = |end: &End<'_>, axis: &Option<schema::Vector>| {
        axis.map(|axis| end.described.direction(&vector(&axis).normalize()))
    };
    let [on_a, on_b] = [on(a, &given.axis_a), on(b, &given.axis_b)];
    if given.kind == JointType::Universal {
        let arms = given
            .axes
            .map(|arms| arms.map(|arm| frame.direction(&vector(&arm).normalize())));
        let [x, y] = arms.unwrap_or([on_a.unwrap_or_else(Vec3::x), on_b.unwrap_or_else(Vec3::y)]);
        let z = x.cross(&y);
        if z.norm() < PARALLEL_ARMS_SINE {
            let key = if arms.is_some() { "axes" } else { "axis_b" };
            return Err(place.key(key).error(
                "the arms of the cross are parallel as placed",
                "expected two directions perpendicular to each other",
            ));
        }
        let z = z.normalize();
        return Ok([
            orientation(&x, &z.cross(&x), &z),
            orientation(&y.cross(&z), &y, &z),
        ]);
    }
    let shared = given
        .axis
        .map(|axis| frame.direction(&vector(&axis).normalize()));
    let (Some(z_a), Some(z_b)) = (shared.or(on_a).or(on_b), shared.or(on_b).or(on_a)) else {
        return Ok([frame.orientation; 2]);
    };
    let x_a = perpendicular(&z_a);
    // The angle is 0 as placed: B's x axis is A's, as far as the z axes allow.
    let x_b = (x_a - z_b * x_a.dot(&z_b))
        .try_normalize(PARALLEL_ARMS_SINE)
        .unwrap_or_else(|| perpendicular(&z_b));
    Ok([(z_a, x_a), (z_b, x_b)].map(|(z, x)| orientation(&x, &z.cross(&x), &z)))
}

/// The rotation whose axes are the given ones, perpendicular unit vectors.
pub(super) fn orientation(x: &Vec3, y: &Vec3, z: &Vec3) -> Quat {
    let axes = nalgebra::Matrix3::from_columns(&[*x, *y, *z]);
    Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// A unit vector perpendicular to another one: of the world's axes the one that is least along it,
/// made perpendicular.
pub(super) fn perpendicular(axis: &Vec3) -> Vec3 {
    let mut least = Vec3::zeros();
    least[axis.iamin()] = 1.0;
    (least - axis * axis.dot(&least)).normalize()
}

fn kind(given: &schema::Joint, distance: f64, frame: &Pose) -> JointKind {
    match given.kind {
        JointType::Ball => JointKind::Ball,
        JointType::Hinge => JointKind::Hinge,
        JointType::Slider => JointKind::Slider,
        JointType::Universal => JointKind::Universal,
        JointType::Fixed => JointKind::Fixed,
        JointType::Distance => JointKind::Distance {
            length: given.length.unwrap_or(distance),
        },
        JointType::PlanarHinge => JointKind::PlanarHinge,
        JointType::PrescribedVelocity => JointKind::PrescribedVelocity {
            path: path(given.path.as_ref(), frame),
        },
    }
}

fn path(given: Option<&schema::Path>, frame: &Pose) -> Path {
    let turned = |direction: &schema::Vector| frame.direction(&vector(direction));
    match given {
        Some(schema::Path::Circle(circle)) => Path::Circle {
            radius: turned(&circle.radius),
            angular_velocity: turned(&circle.angular_velocity),
        },
        Some(schema::Path::Line(line)) => Path::Line {
            velocity: turned(&line.velocity),
        },
        Some(schema::Path::Sinusoidal(swing)) => Path::Sinusoidal {
            amplitude: turned(&swing.amplitude),
            frequency: swing.frequency,
            phase: swing.phase,
        },
        // The checks of the file ask for one.
        None => Path::Line {
            velocity: Vec3::zeros(),
        },
    }
}

fn motor(given: &schema::Motor) -> Motor {
    match given {
        schema::Motor::Velocity(motor) => Motor::Velocity {
            target: motor.target,
            max_force: motor.max_force,
        },
        schema::Motor::Position(motor) => Motor::Position {
            target: motor.target,
            stiffness: motor.stiffness,
            damping: motor.damping,
            max_force: motor.max_force.unwrap_or(f64::INFINITY),
        },
    }
}

/// Makes a load.
pub(super) fn load(world: &World, given: &schema::Load, body: u32) -> Load {
    let center = world.bodies[body as usize].center;
    Load {
        body,
        point: given
            .point
            .map_or_else(Vec3::zeros, |point| vector(&point) - center),
        force: vector(&given.force),
        torque: vector(&given.torque),
        from: given.from,
        until: given.until.unwrap_or(f64::INFINITY),
        frequency: given.frequency,
    }
}
