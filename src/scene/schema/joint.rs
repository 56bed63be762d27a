//! Joints and loads as scene files write them.

use super::{Vector, tagged};
use serde::{Deserialize, Serialize};

/// A joint between two bodies, or between a body and the world.
///
/// Where it is: `anchor`, one point in world axes; or `anchor_a` and `anchor_b`, points in the axes
/// in which the bodies are described. Of these two one is enough, and the other is the same point. A
/// distance joint needs both. A fixed joint and a slider need none: it is then A's origin.
///
/// Angles and displacements are those of A seen from B, positive about and along the axis, and 0 as
/// the bodies are placed; a ball joint's swing and a distance are never negative, and are what they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Name; no two joints share one.
    pub name: Option<String>,
    /// What it leaves free.
    #[serde(rename = "type")]
    pub kind: JointType,
    /// Name of body A.
    pub a: String,
    /// Name of body B; the world without it.
    pub b: Option<String>,
    /// The point where it is, in world axes `[m]`.
    pub anchor: Option<Vector>,
    /// The point of A, in the axes in which A is described `[m]`.
    pub anchor_a: Option<Vector>,
    /// The point of B, in the axes in which B is described, or in world axes `[m]`.
    pub anchor_b: Option<Vector>,
    /// Hinges turn about it, sliders slide along it, a planar hinge is perpendicular to it, and a ball
    /// joint's swing is measured from it: a direction in world axes, any length but 0.
    pub axis: Option<Vector>,
    /// The same, in the axes of A. Of `axis_a` and `axis_b` one is enough, and the other is the same
    /// line. Of a universal joint, the arm of its cross that is fixed to A.
    pub axis_a: Option<Vector>,
    /// The same, in the axes of B, or in world axes. Of a universal joint, the arm that is fixed to B.
    pub axis_b: Option<Vector>,
    /// The arms of a universal joint's cross in world axes, that of A and that of B, perpendicular to
    /// each other.
    pub axes: Option<[Vector; 2]>,
    /// Distance that a distance joint keeps `[m]`, positive; without it, that as placed.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub length: Option<f64>,
    /// Least and largest angle `[rad]`, displacement or distance `[m]`, `inf` for none; a ball joint's
    /// is the swing, whose least is 0. A distance joint with limits keeps only to these.
    pub limits: Option<[f64; 2]>,
    /// What drives a hinge, planar hinge or slider, or the distance of a distance joint, which is then
    /// not kept.
    pub motor: Option<Motor>,
    /// A spring and damper on the angle, displacement or distance, which a distance joint then does
    /// not keep.
    pub spring: Option<Spring>,
    /// How a prescribed velocity changes.
    pub path: Option<Path>,
    /// Force at which it breaks `[N]`, positive; without it, it never does.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub breaking_force: Option<f64>,
    /// Torque at which it breaks `[N m]`, positive; without it, it never does.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub breaking_torque: Option<f64>,
    /// Whether the two bodies touch each other.
    #[serde(default)]
    pub collide: bool,
}

/// What a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JointType {
    /// All rotations about a point.
    Ball,
    /// Rotation about an axis.
    Hinge,
    /// Displacement along an axis.
    Slider,
    /// Rotation about the two arms of a cross.
    Universal,
    /// Nothing.
    Fixed,
    /// Everything but the distance of two points.
    Distance,
    /// Rotation in a plane, of bodies that only move in that plane.
    PlanarHinge,
    /// Everything but the velocity of a point, which follows a path.
    PrescribedVelocity,
}

tagged! {
    /// What drives a joint.
    pub enum Motor {
        /// Towards a velocity.
        "velocity" => Velocity(VelocityMotor),
        /// Towards an angle or displacement.
        "position" => Position(PositionMotor),
    }
}

/// Drives towards a velocity with a limited force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VelocityMotor {
    /// `[rad/s]`, of a slider or distance `[m/s]`.
    pub target: f64,
    /// Largest torque `[N m]`, of a slider or distance force `[N]`; positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub max_force: f64,
}

/// Drives towards an angle or displacement, as a spring and damper of limited force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PositionMotor {
    /// `[rad]`, of a slider or distance `[m]`.
    pub target: f64,
    /// `[N m/rad]`, of a slider or distance `[N/m]`; positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub stiffness: f64,
    /// `[N m s/rad]`, of a slider or distance `[N s/m]`; at least 0.
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub damping: f64,
    /// Largest torque `[N m]`, of a slider or distance force `[N]`; positive; any without it.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub max_force: Option<f64>,
}

/// A spring and damper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// `[N m/rad]`, of a slider or distance `[N/m]`; at least 0.
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub stiffness: f64,
    /// `[N m s/rad]`, of a slider or distance `[N s/m]`; at least 0, and not 0 with the stiffness.
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub damping: f64,
    /// Where it is at rest `[rad]` or `[m]`; without it, as placed.
    pub rest: Option<f64>,
}

tagged! {
    /// How a prescribed velocity changes: that of a point on a path.
    pub enum Path {
        /// A circle at constant speed.
        "circle" => Circle(CirclePath),
        /// A line at constant speed.
        "line" => Line(LinePath),
        /// To and fro on a line.
        "sinusoidal" => Sinusoidal(SinusoidalPath),
    }
}

/// A circle at constant speed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CirclePath {
    /// From the centre to the point at time 0 `[m]`.
    pub radius: Vector,
    /// Perpendicular to `radius` `[rad/s]`.
    pub angular_velocity: Vector,
}

/// A line at constant speed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LinePath {
    /// `[m/s]`.
    pub velocity: Vector,
}

/// `amplitude sin(2 pi frequency t + phase)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SinusoidalPath {
    /// `[m]`.
    pub amplitude: Vector,
    /// Frequency `[Hz]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub frequency: f64,
    /// `[rad]`.
    #[serde(default)]
    pub phase: f64,
}

/// A force and a torque on a body over a span of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Name of the body, a dynamic one.
    pub body: String,
    /// Force in world axes `[N]`.
    #[serde(default)]
    pub force: Vector,
    /// Torque in world axes, beside that of the force `[N m]`.
    #[serde(default)]
    pub torque: Vector,
    /// Where the force acts, in the axes in which the body is described `[m]`; the centre of mass
    /// without it.
    pub point: Option<Vector>,
    /// When it begins `[s]`.
    #[serde(default)]
    pub from: f64,
    /// When it ends `[s]`; never without it.
    pub until: Option<f64>,
    /// Frequency at which force and torque swing, as `sin(2 pi frequency (t - from))` `[Hz]`; at least
    /// 0, which is a constant load.
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub frequency: f64,
}
