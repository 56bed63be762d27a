//! The kinds of joints.

use super::{Path, fixed, hinge};

/// What a joint leaves free.
#[derive(Debug, Clone, PartialEq)]
pub enum JointKind {
    /// The anchors coincide.
    Ball,
    /// The anchors coincide and so do the z axes.
    Hinge,
    /// A slides along B's z axis and does not turn.
    Slider,
    /// The anchors coincide, and A's x axis stays perpendicular to B's y axis.
    Universal,
    /// Nothing moves.
    Fixed,
    /// The anchors keep their distance `[m]`; with limits, they may come as near and go as far. A
    /// motor or a spring takes the place of the equality as well.
    Distance {
        /// `[m]`, positive.
        length: f64,
    },
    /// The anchors coincide in the plane of B's x and y axes: a hinge of bodies that only move in
    /// that plane, and that nothing else keeps there. The plane is best one of the world's; for
    /// others, and for bodies that anything pushes out of it, there is [`JointKind::Hinge`].
    PlanarHinge,
    /// A's anchor moves with the velocity of a path, seen from B: a non-holonomic constraint, which
    /// fixes no position.
    PrescribedVelocity {
        /// The path whose velocity it has, in world axes.
        path: Path,
    },
}

impl JointKind {
    /// The kind in words.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Universal => "universal",
            Self::Fixed => "fixed",
            Self::Distance { .. } => "distance",
            Self::PlanarHinge => "planar hinge",
            Self::PrescribedVelocity { .. } => "prescribed velocity",
        }
    }

    /// Angle `[rad]` by which the axes are off, from the length of the errors of the kind's angular
    /// rows: hinges, sliders and fixed joints measure it on a stereographic scale.
    #[must_use]
    pub fn angle(&self, length: f64) -> f64 {
        match self {
            Self::Hinge => hinge::angle(length),
            Self::Slider | Self::Fixed => fixed::angle(length),
            _ => length,
        }
    }
}
