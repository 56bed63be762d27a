//! The free coordinate of a joint: what limits bound, motors drive and springs pull.
//!
//! It is the place of A's frame seen from B's:
//!
//! | kind | value | Jacobian on A |
//! |---|---|---|
//! | hinge, planar hinge | twist about B's z axis, in (-pi, pi] | see [`twist`] |
//! | slider | `z_b . (p_a - p_b)` | `[z_b, r_a x z_b]` |
//! | distance | `abs(p_a - p_b)` | see the distance joint |
//! | ball | angle from z_b to z_a, in [0, pi] | `[0, (z_b x z_a) / abs(z_b x z_a)]` |
//!
//! Rate and drift are its first and second derivative in free flight.
//!
//! Turns of a hinge are not counted. An angle that is compared with another one, a target or the
//! middle of its limits, is taken as its representative within half a turn of that one, so that
//! limits such as 170 to 190 degrees mean what they say.

use super::placed::Placed;
use super::taylor::Taylor;
use super::{Joint, JointKind, Law, Row};
use crate::constants::LOST_DIRECTION;
use crate::math::Vec3;
use crate::world::Body;
use std::f64::consts::{PI, TAU};

/// A joint's free coordinate where the bodies are now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinate {
    /// `[m]` or `[rad]`.
    pub value: f64,
    /// `J V` `[m/s]` or `[rad/s]`.
    pub rate: f64,
    /// Its row, without a law of its own.
    row: Row,
    /// True if values a full turn apart are the same.
    periodic: bool,
}

impl Coordinate {
    pub(super) fn new(value: f64, rate: f64, row: &Row) -> Self {
        Self {
            value,
            rate,
            row: *row,
            periodic: false,
        }
    }

    /// The row that asks something of the coordinate.
    pub(super) fn row(&self, law: Law) -> Row {
        Row { law, ..self.row }
    }

    /// The row that asks something of the coordinate's negative.
    pub(super) fn reversed_row(&self, law: Law) -> Row {
        Row {
            linear: -self.row.linear,
            angular_a: -self.row.angular_a,
            angular_b: -self.row.angular_b,
            drift: -self.row.drift,
            law,
        }
    }

    /// The value; of an angle, the representative within half a turn of another.
    pub(super) fn value_near(&self, other: f64) -> f64 {
        if self.periodic {
            self.value + TAU * ((other - self.value) / TAU).round()
        } else {
            self.value
        }
    }
}

impl JointKind {
    /// True if the kind leaves a coordinate free that limits, a motor or a spring can act on.
    #[must_use]
    pub fn has_coordinate(&self) -> bool {
        match self {
            Self::Ball | Self::Hinge | Self::Slider | Self::Distance { .. } | Self::PlanarHinge => {
                true
            }
            Self::Universal | Self::Fixed | Self::PrescribedVelocity { .. } => false,
        }
    }
}

impl Joint {
    /// The free coordinate where the bodies are now; `None` for a kind that has none.
    #[must_use]
    pub fn coordinate(&self, bodies: &[Body]) -> Option<Coordinate> {
        self.kind
            .has_coordinate()
            .then(|| Placed::new(self, bodies))
            .and_then(|at| of_kind(&at, &self.kind))
    }
}

pub(super) fn of_kind(at: &Placed, kind: &JointKind) -> Option<Coordinate> {
    match kind {
        JointKind::Ball => Some(swing(at)),
        JointKind::Hinge | JointKind::PlanarHinge => Some(twist(at)),
        JointKind::Slider => Some(displacement(at)),
        JointKind::Distance { length } => Some(distance(at, *length)),
        JointKind::Universal | JointKind::Fixed | JointKind::PrescribedVelocity { .. } => None,
    }
}

const NO_LAW: Law = Law::Equality { error: 0.0 };

/// Angle of A against B about B's z axis.
///
/// Of the quaternion `q = (w, v)` from B's axes to A's it is `2 atan2(v_z, w)`: the twist that is left
/// after the shortest swing that brings the z axes together. With `n = w^2 + v_z^2`, in B's axes,
///
/// ```text
/// J = [0, (w v_y + v_z v_x) / n, (v_z v_y - w v_x) / n, 1]
/// ```
///
/// which is z_b itself while the z axes are parallel. It is lost only where they are opposed.
fn twist(at: &Placed) -> Coordinate {
    let turn = at.turn();
    let (w, v) = (turn.scalar.value, turn.vector.value);
    let square = w * w + v.z * v.z;
    let periodic = true;
    if square < LOST_DIRECTION * LOST_DIRECTION {
        let z = at.b.axes * Vec3::z();
        let rate = z.dot(&(at.a.spin - at.b.spin));
        return Coordinate {
            periodic,
            ..Coordinate::new(0.0, rate, &Row::about(&z, 0.0, NO_LAW))
        };
    }
    let angle = Taylor::constant(2.0) * turn.vector.component(2).atan2(turn.scalar);
    let about = Vec3::new(
        (w * v.y + v.z * v.x) / square,
        (v.z * v.y - w * v.x) / square,
        1.0,
    );
    // w is at least 0, so that the angle is from -pi to pi; both are the same half turn.
    let value = if angle.value <= -PI { PI } else { angle.value };
    let row = Row::about(&(at.b.axes * about), angle.second, NO_LAW);
    Coordinate {
        periodic,
        ..Coordinate::new(value, angle.rate, &row)
    }
}

/// Angle between the z axes.
///
/// Where they are parallel or opposed any axis across them serves, without drift.
fn swing(at: &Placed) -> Coordinate {
    let (z_a, z_b) = (at.a.z(), at.b.z());
    let normal = z_b.cross(&z_a);
    let cosine = z_b.dot(&z_a);
    let size = normal.value.norm();
    if size < LOST_DIRECTION {
        let across = at.b.axes * Vec3::x();
        let rate = across.dot(&(at.a.spin - at.b.spin));
        let value = size.atan2(cosine.value);
        return Coordinate::new(value, rate, &Row::about(&across, 0.0, NO_LAW));
    }
    let angle = normal.norm().atan2(cosine);
    let row = Row::about(&(normal.value / size), angle.second, NO_LAW);
    Coordinate::new(angle.value, angle.rate, &row)
}

/// Displacement of A's anchor along B's z axis.
fn displacement(at: &Placed) -> Coordinate {
    let axis = at.b.z();
    let along = at.offset().dot(&axis);
    let row = Row {
        linear: axis.value,
        angular_a: at.a.arm.cross(&axis.value),
        angular_b: -at.arm_b_to_a().cross(&axis.value),
        drift: along.second,
        law: NO_LAW,
    };
    Coordinate::new(along.value, along.rate, &row)
}

/// The distance of the anchors; `length` is that of the joint, for scale.
pub(super) fn distance(at: &Placed, length: f64) -> Coordinate {
    let offset = at.offset();
    let apart = offset.value.norm();
    if apart <= LOST_DIRECTION * length {
        let direction = at.b.z().value;
        let row = Row::along(at, &direction, 0.0, NO_LAW);
        return Coordinate::new(apart, direction.dot(&offset.rate), &row);
    }
    let distance = offset.norm();
    let direction = offset.value / apart;
    let law = NO_LAW;
    let row = Row::along(at, &direction, distance.second, law);
    Coordinate::new(distance.value, distance.rate, &row)
}
