//! Generators of bodies as scene files write them.

use super::{Groups, Shape, Vector, default_material, tagged};
use serde::{Deserialize, Serialize};

/// A region filled with dynamic bodies. None overlaps another or anything placed before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// Name of all its bodies, for probes.
    pub name: Option<String>,
    /// Where the bodies are; they lie wholly inside.
    pub region: Region,
    /// How they are arranged.
    #[serde(default)]
    pub arrangement: Arrangement,
    /// How many; without it, as many as fit.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub count: Option<u64>,
    /// Distance of neighbouring places of a grid `[m]`, positive; without it, the least at which no
    /// bodies overlap.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub spacing: Option<f64>,
    /// Most that a body of a jittered grid is away from its place along each axis `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub jitter: Option<f64>,
    /// Number of its stream of random numbers, which the seed of the scene starts; without it, the
    /// place of the fill in the file, from 0.
    pub seed: Option<u64>,
    /// Shapes to choose from, at least one.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub shapes: Vec<Mixed>,
    /// Factor by which each body's shape is scaled.
    #[serde(default)]
    pub scale: Scale,
    /// Density `[kg/m^3]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub density: f64,
    /// Name of the material.
    #[serde(default = "default_material")]
    pub material: String,
    /// What the bodies touch.
    #[serde(default)]
    pub groups: Groups,
    /// Turn every body at random.
    #[serde(default)]
    pub random_orientation: bool,
    /// Largest initial speed `[m/s]`; each body's is uniform in a ball of this radius.
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub max_speed: f64,
}

/// A shape and its share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mixed {
    /// The shape before scaling; no half-space and no mesh.
    pub shape: Shape,
    /// Expected share of the bodies, relative to the other shapes' `[1]`, positive.
    #[serde(default = "whole")]
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub fraction: f64,
}

fn whole() -> f64 {
    1.0
}

/// How bodies are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// On a cubic grid, layer by layer from the bottom; places that are taken are left out.
    #[default]
    Grid,
    /// As `grid`, each body moved a little.
    Jittered,
    /// Anywhere.
    Random,
}

tagged! {
    /// Where bodies are placed.
    pub enum Region {
        /// A box along the world's axes.
        "box" => Box(BoxRegion),
        /// A ball.
        "sphere" => Sphere(BallRegion),
        /// An upright cylinder.
        "cylinder" => Cylinder(CylinderRegion),
    }
}

/// A box along the world's axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoxRegion {
    /// Least corner `[m]`.
    pub min: Vector,
    /// Greatest corner `[m]`.
    pub max: Vector,
}

/// A ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BallRegion {
    /// Its centre `[m]`.
    pub center: Vector,
    /// Its radius `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
}

/// A cylinder along z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CylinderRegion {
    /// Centre of its lower face `[m]`.
    pub base: Vector,
    /// Its radius `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
    /// Its height `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub height: f64,
}

tagged! {
    /// Factor by which a shape is scaled.
    pub enum Scale {
        /// The same for all.
        "fixed" => Fixed(FixedScale),
        /// Uniform between two values.
        "uniform" => Uniform(UniformScale),
        /// Normal, truncated.
        "normal" => Normal(NormalScale),
        /// One of a list.
        "list" => List(ListScale),
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::Fixed(FixedScale { value: 1.0 })
    }
}

/// The same for all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FixedScale {
    /// The factor, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub value: f64,
}

/// Uniform between two values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UniformScale {
    /// Least factor, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub min: f64,
    /// Greatest factor, above `min`.
    pub max: f64,
}

/// A normal distribution, drawn again until the factor is between two values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NormalScale {
    /// Mean before truncation, between `min` and `max`.
    pub mean: f64,
    /// Standard deviation before truncation, positive, at most `max - min`.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub sd: f64,
    /// Least factor, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub min: f64,
    /// Greatest factor, above `min`.
    pub max: f64,
}

/// One of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListScale {
    /// Factors, positive.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub values: Vec<f64>,
    /// Their relative frequencies, at least 0; without it, all the same.
    pub weights: Option<Vec<f64>>,
}
