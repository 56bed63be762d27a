//! Ways to make joints.

use super::{Joint, JointKind, Limits, Motor, Spring};
use crate::constants::LOST_DIRECTION;
use crate::error::{Error, Result};
use crate::math::{Pose, Quat, Vec3};
use crate::world::World;

impl Joint {
    /// A joint whose frames are those of the bodies: anchors at the centres of mass, axes those of the
    /// bodies; without limits, motor or spring, that does not break. The two bodies do not collide.
    #[must_use]
    pub fn new(kind: JointKind, body_a: u32, body_b: Option<u32>) -> Self {
        Self::between(kind, body_a, Pose::identity(), body_b, Pose::identity())
    }

    /// A joint between a frame in A's axes, from its centre of mass, and one in B's, or in the world's.
    #[must_use]
    pub fn between(
        kind: JointKind,
        body_a: u32,
        frame_a: Pose,
        body_b: Option<u32>,
        frame_b: Pose,
    ) -> Self {
        Self {
            name: None,
            kind,
            body_a,
            body_b,
            frame_a,
            frame_b,
            limits: None,
            motor: None,
            spring: None,
            breaking_force: None,
            breaking_torque: None,
            collide: false,
            broken: false,
        }
    }

    /// A joint whose frames coincide where the bodies are now, at an anchor in world axes and with
    /// their z axes along `axis`.
    ///
    /// The x axes are any across it; a universal joint that asks for one is made by
    /// [`Joint::at_frame`].
    ///
    /// # Errors
    /// [`Error::Invalid`] for a body that does not exist and an axis without direction.
    pub fn at(
        kind: JointKind,
        world: &World,
        body_a: u32,
        body_b: Option<u32>,
        anchor: Vec3,
        axis: Vec3,
    ) -> Result<Self> {
        let length = axis.norm();
        if !(length > LOST_DIRECTION && length.is_finite()) {
            return Err(Error::invalid(
                "joint",
                format!("an axis of length {length} has no direction"),
            ));
        }
        // Opposed to z, the shortest rotation is not unique: half a turn about x is one.
        let axes = Quat::rotation_between(&Vec3::z(), &axis)
            .unwrap_or_else(|| Quat::from_scaled_axis(Vec3::x() * std::f64::consts::PI));
        Self::at_frame(kind, world, body_a, body_b, &Pose::new(anchor, axes))
    }

    /// A joint whose two frames are one frame in world axes where the bodies are now. The anchors of a
    /// distance joint do not coincide: see [`Joint::between`].
    ///
    /// # Errors
    /// [`Error::Invalid`] for a body that does not exist.
    pub fn at_frame(
        kind: JointKind,
        world: &World,
        body_a: u32,
        body_b: Option<u32>,
        frame: &Pose,
    ) -> Result<Self> {
        let local = |body: u32| -> Result<Pose> {
            let body = world.bodies.get(body as usize).ok_or_else(|| {
                Error::invalid(
                    "joint",
                    format!("body {body} of {} does not exist", world.bodies.len()),
                )
            })?;
            Ok(Pose::new(
                body.pose.inverse_point(&frame.position),
                body.pose.orientation.inverse() * frame.orientation,
            ))
        };
        let frame_a = local(body_a)?;
        let frame_b = body_b.map_or(Ok(*frame), local)?;
        Ok(Self::between(kind, body_a, frame_a, body_b, frame_b))
    }

    /// The joint with bounds of its free coordinate `[m]` or `[rad]`.
    #[must_use]
    pub fn with_limits(self, lower: f64, upper: f64) -> Self {
        Self {
            limits: Some(Limits { lower, upper }),
            ..self
        }
    }

    /// The joint with a motor.
    #[must_use]
    pub fn with_motor(self, motor: Motor) -> Self {
        Self {
            motor: Some(motor),
            ..self
        }
    }

    /// The joint with a spring and damper.
    #[must_use]
    pub fn with_spring(self, spring: Spring) -> Self {
        Self {
            spring: Some(spring),
            ..self
        }
    }

    /// The joint that breaks above a force `[N]` or a torque `[N m]`; infinity for never.
    #[must_use]
    pub fn breaking_at(self, force: f64, torque: f64) -> Self {
        let finite = |limit: f64| (limit != f64::INFINITY).then_some(limit);
        Self {
            breaking_force: finite(force),
            breaking_torque: finite(torque),
            ..self
        }
    }

    /// The joint whose bodies may touch each other.
    #[must_use]
    pub fn colliding(self) -> Self {
        Self {
            collide: true,
            ..self
        }
    }

    /// The joint with a name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }
}

impl World {
    /// Adds a joint and returns its index.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a joint that [`World::validate`] would refuse, and [`Error::Capacity`]
    /// for the 2^32nd.
    pub fn add_joint(&mut self, joint: Joint) -> Result<u32> {
        let index = u32::try_from(self.joints.len()).map_err(|_| Error::Capacity {
            what: "joints".into(),
            needed: self.joints.len() as u64 + 1,
            available: u64::from(u32::MAX),
        })?;
        joint.validate(index as usize, &self.bodies)?;
        self.joints.push(joint);
        Ok(index)
    }
}
