//! Bodies and joints that are written once and made many times.

use super::{Body, Groups, Inertia, Joint, Rotation, Shape, Spring, Vector, default_material};
use serde::{Deserialize, Serialize};

/// Bodies and joints that make one thing, such as a doll or a cart. It is made where an instance says.
///
/// Everything in it is in its own axes: positions, velocities, motions, anchors, axes and paths.
/// Joints without a body B hold on to the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Name; no two templates share one.
    pub name: String,
    /// Its bodies, at least one. Their names are known inside the template only.
    #[serde(default, rename = "body")]
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub bodies: Vec<Body>,
    /// Its joints, between its bodies.
    #[serde(default, rename = "joint")]
    pub joints: Vec<Joint>,
}

/// One or many of a template.
///
/// Body `head` of the instance `doll` is `doll.head`; with a `count`, that of the fourth one is
/// `doll.3.head`. The name of the instance stands for all its bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name of the template.
    pub template: String,
    /// First part of the names of its bodies and joints; without it, the name of the template.
    pub name: Option<String>,
    /// Where the template's origin is; of a grid, that of the first one `[m]`.
    #[serde(default)]
    pub position: Vector,
    /// How the template is turned about its origin.
    #[serde(default)]
    pub rotation: Rotation,
    /// Number along x, y and z, at least 1 each; they are numbered from 0, x fastest and z slowest.
    /// One without it.
    pub count: Option<[u64; 3]>,
    /// Distances of neighbours along x, y and z `[m]`.
    pub spacing: Option<Vector>,
    /// Most that each is away from its place along each axis `[m]`, at least 0.
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub jitter: f64,
    /// Turn each one at random.
    #[serde(default)]
    pub random_rotation: bool,
    /// Number of its stream of random numbers, which the seed of the scene starts; without it, the
    /// place of the instance in the file, from 0.
    pub seed: Option<u64>,
}

/// Equal links in a row, each joined to the next: a chain, a rope, a bridge.
///
/// Link 17 of the chain `rope` is the body `rope.17`; the joint `rope.17` holds it to the next one,
/// and `rope.first` and `rope.last` are those that pin its ends. The name of the chain stands for all its
/// links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// First part of the names of its links and joints.
    pub name: String,
    /// Number of links, at least 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub count: u64,
    /// Where the first link begins `[m]`.
    pub start: Vector,
    /// Which way a straight chain goes; any length but 0. Either this or `end`.
    pub direction: Option<Vector>,
    /// Where the last link ends `[m]`. Either this or `direction`.
    pub end: Option<Vector>,
    /// With `end`: how far the middle of the chain hangs below the line between its ends `[m]`, at
    /// least 0. The links then lie on an arc of a circle.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub sag: Option<f64>,
    /// With `direction`: distance of the two joints of a link `[m]`, positive; without it, the length of
    /// the shape, of a capsule that of its segment. With `end` it follows from the number of links.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub pitch: Option<f64>,
    /// Shape of a link, with the chain running along one of its axes through its origin.
    pub shape: Shape,
    /// The axis of the shape along which the chain runs; of the next one, in the order x, y, z, x, a
    /// chain that does not stand upright keeps level.
    #[serde(default)]
    pub along: crate::measure::Axis,
    /// Density `[kg/m^3]`, positive. Either this or `mass`.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub density: Option<f64>,
    /// Mass of a link `[kg]`, positive. Either this or `density`.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub mass: Option<f64>,
    /// Inertia of a link about its centre of mass, in its axes `[kg m^2]`; without it, that of the
    /// homogeneous shape. Only together with `mass`.
    pub inertia: Option<Inertia>,
    /// Name of the material.
    #[serde(default = "default_material")]
    pub material: String,
    /// What the links touch.
    #[serde(default)]
    pub groups: Groups,
    /// What holds neighbours together, and pins the ends.
    #[serde(default)]
    pub joint: ChainJoint,
    /// Which of its ends is pinned to the world.
    #[serde(default)]
    pub pin: Pin,
}

/// What holds the links of a chain together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChainJoint {
    /// What it leaves free.
    #[serde(rename = "type")]
    pub kind: ChainJointType,
    /// What hinges turn about, in world axes; without it, the level axis of the links.
    pub axis: Option<Vector>,
    /// Least and largest angle `[rad]`, 0 being that as placed; a ball joint's is the swing, that
    /// between neighbours, whose least is 0.
    pub limits: Option<[f64; 2]>,
    /// A spring and damper on the angle.
    pub spring: Option<Spring>,
    /// Force at which it breaks `[N]`, positive; without it, it never does.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub breaking_force: Option<f64>,
    /// Torque at which it breaks `[N m]`, positive; without it, it never does.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub breaking_torque: Option<f64>,
    /// Whether neighbours touch each other.
    #[serde(default)]
    pub collide: bool,
}

/// Joints that can hold a chain together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChainJointType {
    /// All rotations.
    #[default]
    Ball,
    /// Rotation about an axis.
    Hinge,
    /// Bending both ways, but no twist.
    Universal,
    /// Nothing: a beam that can break.
    Fixed,
    /// Rotation in a plane, of links that only move in that plane.
    PlanarHinge,
}

/// Which ends of a chain are pinned to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pin {
    /// Neither.
    #[default]
    None,
    /// That of the first link.
    First,
    /// That of the last link.
    Last,
    /// Both.
    Both,
}
