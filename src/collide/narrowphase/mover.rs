//! What every pair needs of a body, side by side in memory.

use crate::math::Vec3;
use crate::world::{Body, BodyKind, Shape};

/// What a body is to the search for contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::collide) enum Kind {
    Sphere,
    Box,
    /// A capsule, a cylinder or a cone.
    Round,
    Polyhedron,
    Mesh,
    /// A compound of bounded size.
    Compound,
    /// A half-space, or a compound that has one.
    Unbounded,
}

/// Place, velocity and size of a body. Pairs come in no order that memory likes, and a whole
/// [`Body`] is many cache lines long. What tells that a pair does not touch is in the first line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::collide) struct Mover {
    /// Of the centre of mass `[m]`.
    pub(in crate::collide) position: Vec3,
    /// Infinite for an unbounded shape `[m]`.
    pub(in crate::collide) bounding_radius: f64,
    /// Largest speed of a point of the body; of its centre, if it is unbounded. It includes [`Self::driven`] `[m/s]`.
    pub(in crate::collide) speed: f64,
    /// No point of the body has gone farther since some time in the past `[m]`.
    pub(in crate::collide) path: f64,
    pub(in crate::collide) kind: Kind,
    pub(in crate::collide) is_dynamic: bool,
    pub(in crate::collide) is_fixed: bool,
    /// Speed that what hits it may give it within the part, in whatever direction `[m/s]`.
    pub(in crate::collide) driven: f32,
    pub(in crate::collide) velocity: Vec3,
    pub(in crate::collide) spin: Vec3,
    /// Of a box, zero for other shapes `[m]`.
    pub(in crate::collide) half_extents: Vec3,
}

impl Mover {
    pub(in crate::collide) fn new(body: &Body) -> Self {
        let bounding_radius = body.shape.bounding_radius();
        let kind = match body.shape {
            Shape::Sphere { .. } => Kind::Sphere,
            _ if bounding_radius.is_infinite() => Kind::Unbounded,
            Shape::Compound { .. } => Kind::Compound,
            Shape::Box { .. } => Kind::Box,
            Shape::Polyhedron(_) => Kind::Polyhedron,
            Shape::Mesh(_) => Kind::Mesh,
            _ => Kind::Round,
        };
        let half_extents = match body.shape {
            Shape::Box { half_extents } => half_extents,
            _ => Vec3::zeros(),
        };
        let mut mover = Self {
            position: body.pose.position,
            bounding_radius,
            speed: 0.0,
            path: 0.0,
            kind,
            is_dynamic: body.is_dynamic(),
            is_fixed: body.kind == BodyKind::Fixed,
            driven: 0.0,
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            half_extents,
        };
        mover.set_velocity(body);
        mover
    }

    /// Largest speed at which points of two bodies approach each other, or one of them the other if that is stopped `[m/s]`.
    pub(in crate::collide) fn approach(a: &Self, b: &Self) -> f64 {
        Self::passing(a, b).max(a.speed).max(b.speed)
    }

    /// Largest speed at which points of two bodies move past each other `[m/s]`.
    pub(in crate::collide) fn passing(a: &Self, b: &Self) -> f64 {
        let spins = a.speed - a.velocity.norm() + b.speed - b.velocity.norm();
        (a.velocity - b.velocity).norm() + spins
    }

    /// Takes over that the body may be driven on by so much `[m/s]`.
    pub(in crate::collide) fn drive(&mut self, speed: f64) {
        self.driven = speed as f32;
        self.speed += f64::from(self.driven);
    }

    /// Takes over the body's velocity, which nothing drives on.
    pub(in crate::collide) fn set_velocity(&mut self, body: &Body) {
        self.velocity = body.linear_velocity;
        self.spin = body.angular_velocity;
        self.speed = self.velocity.norm();
        self.driven = 0.0;
        if self.kind != Kind::Unbounded {
            self.speed += self.spin.norm() * self.bounding_radius;
        }
    }
}
