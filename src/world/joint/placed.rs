//! A joint's two frames where the bodies are now.

use super::taylor::{Taylor, TaylorVec3};
use super::{Joint, Law, Row};
use crate::math::{Pose, Quat, Vec3};
use crate::world::Body;

/// One frame in world axes, and how it moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// `[m]`.
    pub(super) anchor: Vec3,
    /// From the body's centre of mass to the anchor `[m]`.
    pub(super) arm: Vec3,
    /// From the frame's axes to the world's.
    pub(super) axes: Quat,
    /// Of the anchor `[m/s]`.
    pub(super) velocity: Vec3,
    /// `[rad/s]`.
    pub(super) spin: Vec3,
}

impl Side {
    fn of_body(body: &Body, frame: &Pose) -> Self {
        let arm = body.pose.direction(&frame.position);
        Self {
            anchor: body.pose.position + arm,
            arm,
            axes: body.pose.orientation * frame.orientation,
            velocity: body.linear_velocity + body.angular_velocity.cross(&arm),
            spin: body.angular_velocity,
        }
    }

    /// The world has no centre of mass; its arm is zero.
    fn of_world(frame: &Pose) -> Self {
        Self {
            anchor: frame.position,
            arm: Vec3::zeros(),
            axes: frame.orientation,
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
        }
    }

    pub(super) fn x(&self) -> TaylorVec3 {
        TaylorVec3::turning(self.axes * Vec3::x(), &self.spin)
    }

    pub(super) fn y(&self) -> TaylorVec3 {
        TaylorVec3::turning(self.axes * Vec3::y(), &self.spin)
    }

    pub(super) fn z(&self) -> TaylorVec3 {
        TaylorVec3::turning(self.axes * Vec3::z(), &self.spin)
    }

    /// A point's second derivative in free flight is `w x (w x r)`.
    fn point(&self) -> TaylorVec3 {
        TaylorVec3 {
            value: self.anchor,
            rate: self.velocity,
            second: self.spin.cross(&self.spin.cross(&self.arm)),
        }
    }
}

/// Both frames.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) a: Side,
    pub(super) b: Side,
}

impl Placed {
    pub(super) fn new(joint: &Joint, bodies: &[Body]) -> Self {
        let b = match joint.body_b {
            Some(b) => Side::of_body(&bodies[b as usize], &joint.frame_b),
            None => Side::of_world(&joint.frame_b),
        };
        Self {
            a: Side::of_body(&bodies[joint.body_a as usize], &joint.frame_a),
            b,
        }
    }

    /// From B's anchor to A's.
    pub(super) fn offset(&self) -> TaylorVec3 {
        self.a.point() - self.b.point()
    }

    /// From B's centre of mass to A's anchor.
    pub(super) fn arm_b_to_a(&self) -> Vec3 {
        self.b.arm + (self.a.anchor - self.b.anchor)
    }

    /// Rotation of A's axes against B's.
    pub(super) fn turn(&self) -> Turn {
        let relative = self.b.axes.inverse() * self.a.axes;
        let sign = if relative.w < 0.0 { -1.0 } else { 1.0 };
        let (w, v) = (sign * relative.w, relative.imag() * sign);

        let spin = self.b.axes.inverse() * (self.a.spin - self.b.spin);
        let spin_rate = self.b.axes.inverse() * self.a.spin.cross(&self.b.spin);
        let w_rate = -0.5 * spin.dot(&v);
        let v_rate = 0.5 * (spin * w + spin.cross(&v));
        Turn {
            scalar: Taylor {
                value: w,
                rate: w_rate,
                second: -0.5 * (spin_rate.dot(&v) + spin.dot(&v_rate)),
            },
            vector: TaylorVec3 {
                value: v,
                rate: v_rate,
                second: 0.5
                    * (spin_rate * w + spin * w_rate + spin_rate.cross(&v) + spin.cross(&v_rate)),
            },
        }
    }
}

/// The unit quaternion q of the rotation that takes B's axes to A's, in B's axes, with `q.w >= 0`.
///
/// With `W = w_a - w_b` in B's axes, `q' = (0, W) q / 2`; in free flight `W' = w_a x w_b` in B's axes,
/// because B turns under it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub(super) scalar: Taylor,
    pub(super) vector: TaylorVec3,
}

impl Row {
    /// A row that pulls A's anchor and B's along a direction fixed in the world.
    pub(super) fn along(at: &Placed, direction: &Vec3, drift: f64, law: Law) -> Self {
        Self {
            linear: *direction,
            angular_a: at.a.arm.cross(direction),
            angular_b: -at.b.arm.cross(direction),
            drift,
            law,
        }
    }

    /// A row that turns A against B about an axis in the world.
    pub(super) fn about(axis: &Vec3, drift: f64, law: Law) -> Self {
        Self {
            linear: Vec3::zeros(),
            angular_a: *axis,
            angular_b: -axis,
            drift,
            law,
        }
    }
}
