//! Joints: what holds bodies together, drives them, or limits how they move against each other.
//!
//! A joint lies between a frame fixed to body A and a frame fixed to body B, or to the world. Each
//! kind turns the two frames into rows ([`Row`]): a gap or an error, its Jacobian, and the law that it
//! obeys. What velocity a row is given is the stabilization's business, and its impulse the solver's.
//!
//! B is the reference: A slides along B's axis, turns against B, moves seen from B.
//!
//! | kind | rows | free coordinate |
//! |---|---|---|
//! | ball | 3 | swing, the angle between the z axes |
//! | hinge | 5 | angle about z |
//! | slider | 5 | displacement along z |
//! | universal | 4 | |
//! | fixed | 6 | |
//! | distance | 1 | the distance of the anchors |
//! | planar hinge | 2 | angle about z |
//! | prescribed velocity | 3 | |
//!
//! Limits, a motor and a spring act on the free coordinate by rows of their own, after those of the
//! kind.

mod ball;
mod construct;
mod coordinate;
mod distance;
mod exclusion;
mod fixed;
mod hinge;
mod kind;
mod limit;
mod motor;
mod path;
mod placed;
mod planar_hinge;
mod prescribed_velocity;
pub(crate) mod row;
mod slider;
mod spring;
mod taylor;
mod universal;
mod validate;

pub use coordinate::Coordinate;
pub use kind::JointKind;
pub use limit::Limits;
pub use motor::Motor;
pub use path::Path;
pub(crate) use row::{Law, Row};
pub use spring::Spring;

use super::Body;
use crate::math::Pose;
use placed::Placed;

/// A joint between two bodies, or a body and the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name in the scene file, if it has one.
    pub name: Option<Box<str>>,
    /// What it leaves free.
    pub kind: JointKind,
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B; `None` for the world.
    pub body_b: Option<u32>,
    /// Anchor and axes in body A's axes, from its centre of mass.
    pub frame_a: Pose,
    /// Anchor and axes in body B's axes, from its centre of mass; or in world axes.
    pub frame_b: Pose,
    /// Bounds of the free coordinate. Of a ball joint only `upper` counts.
    pub limits: Option<Limits>,
    /// What drives the free coordinate.
    pub motor: Option<Motor>,
    /// A spring on the free coordinate.
    pub spring: Option<Spring>,
    /// Force of the linear rows above which the joint breaks `[N]`.
    pub breaking_force: Option<f64>,
    /// Torque of the angular rows above which the joint breaks `[N m]`.
    pub breaking_torque: Option<f64>,
    /// True if the two bodies may touch each other.
    pub collide: bool,
    /// True once it broke; it then has no rows.
    pub broken: bool,
}

impl Joint {
    /// Appends the joint's rows where the bodies are now; none if it is broken.
    ///
    /// `time` is that of the poses and `h` the length of the step that follows, which
    /// [`JointKind::PrescribedVelocity`] needs.
    ///
    /// The rows of the kind come first, then those of the limits (lower, upper), the motor, and the
    /// spring: [`Joint::row_count`] in all, in the same order every step.
    #[doc(hidden)]
    pub fn rows(&self, bodies: &[Body], time: f64, h: f64, rows: &mut Vec<Row>) {
        if self.broken {
            return;
        }
        let at = Placed::new(self, bodies);
        match &self.kind {
            JointKind::Ball => ball::rows(&at, rows),
            JointKind::Hinge => hinge::rows(&at, rows),
            JointKind::Slider => slider::rows(&at, rows),
            JointKind::Universal => universal::rows(&at, rows),
            JointKind::Fixed => fixed::rows(&at, rows),
            JointKind::Distance { length } => {
                if !self.coordinate_is_asked() {
                    distance::rows(&at, *length, rows);
                }
            }
            JointKind::PlanarHinge => planar_hinge::rows(&at, rows),
            JointKind::PrescribedVelocity { path } => {
                prescribed_velocity::rows(&at, path, time, h, rows);
            }
        }
        if self.coordinate_is_asked()
            && let Some(coordinate) = coordinate::of_kind(&at, &self.kind)
        {
            self.limit_rows(&coordinate, rows);
            rows.extend(self.motor_row(&coordinate));
            rows.extend(self.spring_row(&coordinate));
        }
    }

    /// Rows of the kind, without those of limits, motor and spring.
    #[must_use]
    pub(crate) fn kind_row_count(&self) -> usize {
        match self.kind {
            JointKind::Ball => ball::ROWS,
            JointKind::Hinge => hinge::ROWS,
            JointKind::Slider => slider::ROWS,
            JointKind::Universal => universal::ROWS,
            JointKind::Fixed => fixed::ROWS,
            JointKind::Distance { .. } if self.coordinate_is_asked() => 0,
            JointKind::Distance { .. } => distance::ROWS,
            JointKind::PlanarHinge => planar_hinge::ROWS,
            JointKind::PrescribedVelocity { .. } => prescribed_velocity::ROWS,
        }
    }

    /// Number of rows: the same every step until the joint breaks, then 0.
    #[must_use]
    pub fn row_count(&self) -> usize {
        if self.broken {
            return 0;
        }
        let kind = self.kind_row_count();
        if !self.kind.has_coordinate() {
            return kind;
        }
        kind + self.limit_row_count()
            + usize::from(self.motor.is_some())
            + usize::from(self.spring.is_some())
    }

    /// True if limits, a motor or a spring act on the free coordinate.
    fn coordinate_is_asked(&self) -> bool {
        self.limits.is_some() || self.motor.is_some() || self.spring.is_some()
    }
}
