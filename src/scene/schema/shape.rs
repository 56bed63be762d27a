//! Shapes as scene files write them.

use super::{Vector, tagged};
use crate::constants::REVOLUTION_SIDES;
use serde::{Deserialize, Serialize};

tagged! {
    /// Geometry of a body, in body axes.
    pub enum Shape {
        /// A ball about the origin.
        "sphere" => Sphere(Sphere),
        /// A box about the origin, along the axes.
        "box" => Box(BoxShape),
        /// All points near a segment of the z axis about the origin.
        "capsule" => Capsule(Capsule),
        /// A cylinder about the z axis.
        "cylinder" => Cylinder(Cylinder),
        /// A cone about the z axis, about its centre of mass.
        "cone" => Cone(Cone),
        /// All points on one side of a plane; not for dynamic bodies.
        "half_space" => HalfSpace(HalfSpace),
        /// A convex polyhedron, of points or from a file.
        "polyhedron" => Polyhedron(PolyhedronShape),
        /// A prism about the z axis over a regular polygon.
        "prism" => Prism(Prism),
        /// A regular solid about the origin.
        "regular" => Regular(Regular),
        /// The hull of random points on an ellipsoid, about its centre of mass.
        "rock" => Rock(Rock),
        /// A wedge, as arches are built of.
        "wedge" => Wedge(Wedge),
        /// A surface of triangles, of points or from a file; not for dynamic bodies.
        "mesh" => Mesh(MeshShape),
        /// A ground of heights on a grid, given or from a file; not for dynamic bodies.
        "height_field" => HeightField(HeightFieldShape),
        /// The surface that a profile sweeps about the z axis: hoppers, bowls, drums; not for dynamic bodies.
        "revolution" => Revolution(RevolutionShape),
        /// Several of the above, fixed to each other.
        "compound" => Compound(Compound),
    }
}

/// A ball about the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
}

/// A box about the origin, along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Half of each side `[m]`, positive.
    pub half_extents: Vector,
}

/// All points within `radius` of a segment of the z axis about the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
    /// Half the length of the segment `[m]`, at least 0.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub half_length: f64,
}

/// A cylinder about the z axis, its middle at the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
    /// Half its length along the axis `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub half_length: f64,
}

/// A cone about the z axis, its centre of mass at the origin: the base at `-height / 4`, the apex at `3 height / 4`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cone {
    /// Radius of the base `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
    /// Distance of the apex from the base `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub height: f64,
}

/// All points `x` with `normal . x <= offset`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {
    /// Direction out of the solid; any length but 0.
    pub normal: Vector,
    /// Distance of the plane from the origin along the normal `[m]`.
    #[serde(default)]
    pub offset: f64,
}

/// A convex polyhedron: the hull of points, the solid within faces between them, or the surface in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolyhedronShape {
    /// Vertices `[m]`, at least four.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Vector>,
    /// Faces: the points of each, counted from 0, counter-clockwise as seen from outside. Without any, the solid is the hull
    /// of the points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<Vec<u32>>,
    /// In place of both an OBJ or STL file, relative to the folder of the scene: a closed, convex surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Takes the hull of the file's vertices, whatever its faces are.
    #[serde(default)]
    pub hull: bool,
    /// What the points are multiplied with, positive.
    #[serde(default = "one")]
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

/// A prism about the z axis over a regular polygon whose first corner is at x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Prism {
    /// Sides of the polygon, from 3 to 64.
    #[cfg_attr(feature = "cli", schemars(range(min = 3, max = 64)))]
    pub sides: u32,
    /// Distance of its corners from the axis `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
    /// Half its length along the axis `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub half_length: f64,
}

/// A regular solid about the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Regular {
    /// Number of its faces: 4, 6, 8, 12 or 20.
    pub faces: u32,
    /// Distance of its vertices from the origin `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub radius: f64,
}

/// The hull of random points on an ellipsoid, about its centre of mass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rock {
    /// Number of points, from 4 to 512.
    #[cfg_attr(feature = "cli", schemars(range(min = 4, max = 512)))]
    pub points: usize,
    /// Half axes of the ellipsoid `[m]`, positive.
    pub radii: Vector,
    /// Seed of the points' directions.
    #[serde(default)]
    pub seed: u64,
}

/// A wedge, as arches are built of, between two rectangles across the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Wedge {
    /// Half the width in x of the rectangle at `-half_height` `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub inner_half_width: f64,
    /// Half the width in x of the rectangle at `half_height` `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub outer_half_width: f64,
    /// Half the distance of the rectangles `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub half_height: f64,
    /// Half the depth in z of both `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub half_depth: f64,
}

/// A surface of triangles, open or closed. Bodies touch the side from which the corners of a triangle are counter-clockwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// Vertices `[m]`, at least three.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<Vector>,
    /// Triangles: the vertices of each, counted from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triangles: Vec<[u32; 3]>,
    /// In place of both an OBJ or STL file, relative to the folder of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What the vertices are multiplied with, positive.
    #[serde(default = "one")]
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub scale: f64,
    /// Whether bodies touch the other side: for the surface of a solid that holds them.
    #[serde(default)]
    pub inside_out: bool,
}

/// A ground of heights on a grid about the origin; bodies touch it from above.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HeightFieldShape {
    /// Heights `[m]`: rows along y, each of as many numbers along x; at least two of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heights: Vec<Vec<f64>>,
    /// In place of them a text file, relative to the folder of the scene: a row a line, numbers separated by blanks or commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Distance of neighbouring heights along x and along y `[m]`, positive.
    pub cell: [f64; 2],
    /// What the heights are multiplied with.
    #[serde(default = "one")]
    pub scale: f64,
}

/// The surface that a profile sweeps about the z axis. Bodies touch the side of the axis where the profile runs down, and the
/// upper side where it runs towards the axis, as that of a silo does which begins at the upper rim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RevolutionShape {
    /// Points `[radius, height]` `[m]`, at least two; radii at least 0.
    pub profile: Vec<[f64; 2]>,
    /// Sides of the polygon that stands for a circle, whose corners lie on it: from 3 to 4,096.
    #[serde(default = "revolution_sides")]
    #[cfg_attr(feature = "cli", schemars(range(min = 3, max = 4096)))]
    pub sides: u32,
    /// Whether bodies touch the other side.
    #[serde(default)]
    pub inside_out: bool,
}

fn revolution_sides() -> u32 {
    REVOLUTION_SIDES
}

/// Several shapes, fixed to each other. Where two parts overlap, the overlap counts twice in mass
/// and inertia.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Compound {
    /// The parts, at least one.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub parts: Vec<Part>,
}

/// A part of a compound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its shape; no compound.
    pub shape: Shape,
    /// Where it is in the compound `[m]`.
    #[serde(default)]
    pub position: Vector,
    /// How it is turned in the compound.
    #[serde(default)]
    pub rotation: Rotation,
}

/// A rotation: a unit quaternion `[w, x, y, z]`, or `{ axis = [x, y, z], degrees = angle }`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Rotation {
    /// A unit quaternion `[w, x, y, z]`.
    Quaternion([f64; 4]),
    /// A turn about an axis.
    AxisAngle(AxisAngle),
}

/// A turn about an axis, counter-clockwise when looking against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AxisAngle {
    /// The axis; any length but 0.
    pub axis: Vector,
    /// The angle `[degrees]`.
    pub degrees: f64,
}

impl Default for Rotation {
    fn default() -> Self {
        Self::Quaternion([1.0, 0.0, 0.0, 0.0])
    }
}

impl<'de> Deserialize<'de> for Rotation {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};

        struct Form;

        impl<'de> serde::de::Visitor<'de> for Form {
            type Value = Rotation;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a quaternion [w, x, y, z] or { axis = [x, y, z], degrees = ... }")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<Rotation, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(seq)).map(Rotation::Quaternion)
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Rotation, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(Rotation::AxisAngle)
            }
        }

        deserializer.deserialize_any(Form)
    }
}
