//! Bodies and containers as scene files write them.

use super::{Rotation, Shape, Vector, default_material, tagged};
use serde::{Deserialize, Serialize};

/// A body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name, for joints, loads and probes; no two bodies, containers, chains, instances or fills
    /// share one.
    pub name: Option<String>,
    /// What moves it.
    #[serde(default)]
    pub kind: Kind,
    /// Geometry.
    pub shape: Shape,
    /// Where the origin of its axes is `[m]`.
    #[serde(default)]
    pub position: Vector,
    /// How its axes are turned.
    #[serde(default)]
    pub rotation: Rotation,
    /// Velocity of the centre of mass `[m/s]`; dynamic bodies only.
    #[serde(default)]
    pub linear_velocity: Vector,
    /// Angular velocity in world axes `[rad/s]`; dynamic bodies only.
    #[serde(default)]
    pub angular_velocity: Vector,
    /// Density `[kg/m^3]`, positive. A dynamic body has either this or `mass`.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub density: Option<f64>,
    /// Mass `[kg]`, positive. A dynamic body has either this or `density`.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub mass: Option<f64>,
    /// Inertia about the centre of mass, in body axes `[kg m^2]`; without it, that of the homogeneous
    /// shape. Only together with `mass`.
    pub inertia: Option<Inertia>,
    /// Centre of mass in the axes of the shape, within its bounding sphere `[m]`; without it, that of the homogeneous shape.
    /// Dynamic bodies only. The inertia is about it: as given, or in size that of the homogeneous shape about its own centre.
    pub center_of_mass: Option<Vector>,
    /// Name of its material.
    #[serde(default = "default_material")]
    pub material: String,
    /// What it touches.
    #[serde(default)]
    pub groups: Groups,
    /// How a kinematic body moves.
    pub motion: Option<Motion>,
}

/// Inertia: the moments about x, y and z, positive; or three rows of a symmetric, positive definite
/// matrix.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Inertia {
    /// The moments about x, y and z.
    Moments(Vector),
    /// The rows of the matrix.
    Matrix([Vector; 3]),
}

impl<'de> Deserialize<'de> for Inertia {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::value::SeqAccessDeserializer;
        use serde::de::{Error, SeqAccess, Unexpected, Visitor};

        const EXPECTED: &str = "three moments, or three rows of three numbers";

        enum Entry {
            Number(f64),
            Row(Vector),
        }

        impl<'de> Deserialize<'de> for Entry {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(EntryForm)
            }
        }

        struct EntryForm;

        impl<'de> Visitor<'de> for EntryForm {
            type Value = Entry;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, or a row of three")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Entry, E> {
                Ok(Entry::Number(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Entry, E> {
                Ok(Entry::Number(value as f64))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Entry, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(seq)).map(Entry::Row)
            }
        }

        struct Form;

        impl<'de> Visitor<'de> for Form {
            type Value = Inertia;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Inertia, A::Error> {
                let entries: Vec<Entry> =
                    Deserialize::deserialize(SeqAccessDeserializer::new(seq))?;
                match entries[..] {
                    [Entry::Number(x), Entry::Number(y), Entry::Number(z)] => {
                        Ok(Inertia::Moments([x, y, z]))
                    }
                    [Entry::Row(x), Entry::Row(y), Entry::Row(z)] => Ok(Inertia::Matrix([x, y, z])),
                    _ => Err(A::Error::invalid_value(Unexpected::Seq, &EXPECTED)),
                }
            }
        }

        deserializer.deserialize_any(Form)
    }
}

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Forces and contacts.
    #[default]
    Dynamic,
    /// Nothing.
    Fixed,
    /// Its motion, whatever it touches.
    Kinematic,
}

/// Which bodies a body can touch: two touch if each one collides with a group of the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Groups {
    /// Groups the body is in, each 0 to 31.
    pub member: Vec<u32>,
    /// Groups it touches, each 0 to 31.
    pub collides_with: Vec<u32>,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            member: vec![0],
            collides_with: (0..32).collect(),
        }
    }
}

tagged! {
    /// How a kinematic body moves away from where it started.
    pub enum Motion {
        /// At constant velocity.
        "constant" => Constant(ConstantMotion),
        /// To and fro.
        "sinusoidal" => Sinusoidal(SinusoidalMotion),
        /// Through given poses.
        "keyframed" => Keyframed(KeyframedMotion),
    }
}

/// Constant velocity from time 0 on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConstantMotion {
    /// Velocity of the body's origin `[m/s]`.
    #[serde(default)]
    pub linear: Vector,
    /// Angular velocity about the body's origin, in world axes `[rad/s]`.
    #[serde(default)]
    pub angular: Vector,
}

/// `x(t) = x0 + amplitude (sin(2 pi frequency (t - start) + phase) - sin(phase))` once `t > start`;
/// turning likewise by the rotation vector `angular_amplitude`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SinusoidalMotion {
    /// Displacement `[m]`.
    #[serde(default)]
    pub amplitude: Vector,
    /// Rotation vector, in world axes `[rad]`.
    #[serde(default)]
    pub angular_amplitude: Vector,
    /// Frequency `[Hz]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub frequency: f64,
    /// Phase at the start `[rad]`.
    #[serde(default)]
    pub phase: f64,
    /// When it starts `[s]`.
    #[serde(default)]
    pub start: f64,
}

/// Poses at times, interpolated between them, held before the first and after the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KeyframedMotion {
    /// In order of time, at least one.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub keyframes: Vec<Keyframe>,
}

/// A pose at a time, relative to where the body started, in world axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When `[s]`.
    pub time: f64,
    /// Displacement `[m]`.
    #[serde(default)]
    pub position: Vector,
    /// Rotation.
    #[serde(default)]
    pub rotation: Rotation,
}

/// A box with its sides along its axes, or a cylinder about its z axis, that holds things; open at the top or closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Name, for joints and probes. With a `wall_material` the walls are a second body, `NAME_walls`.
    pub name: String,
    /// What it is.
    #[serde(default)]
    pub shape: ContainerShape,
    /// Inner width, depth and height `[m]`, positive; of a cylinder, width and depth are its diameter.
    pub inner: Vector,
    /// Where the centre of the inner floor is `[m]`.
    #[serde(default)]
    pub position: Vector,
    /// How it is turned.
    #[serde(default)]
    pub rotation: Rotation,
    /// What the walls are made of.
    #[serde(default)]
    pub walls: Walls,
    /// Thickness of floor and walls `[m]`, positive; without it, a quarter of the longest inner side.
    /// Of no meaning to half-spaces and cylinders, whose walls have no other side.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub thickness: Option<f64>,
    /// Whether it has a lid; without it, a box is open and a cylinder closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
    /// Sides of the polygon that stands for the circle of a cylinder, whose corners lie on it: from 3 to 4,096; without it, 64.
    #[cfg_attr(feature = "cli", schemars(range(min = 3, max = 4096)))]
    pub sides: Option<u32>,
    /// Angular velocity of a cylinder about its axis of symmetry `[rad/s]`, in place of a motion.
    pub spin: Option<f64>,
    /// Name of the material of the floor and the lid, and of the walls unless they have their own.
    #[serde(default = "default_material")]
    pub material: String,
    /// Name of the material of the walls.
    pub wall_material: Option<String>,
    /// What it touches.
    #[serde(default)]
    pub groups: Groups,
    /// How it moves, floor and walls together; without it, it is fixed.
    pub motion: Option<Motion>,
}

impl Container {
    /// Name of its second body, if its walls have their own material.
    pub(crate) fn walls_name(&self) -> String {
        format!("{}_walls", self.name)
    }
}

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContainerShape {
    /// A box.
    #[default]
    Box,
    /// A cylinder: a silo, or a drum once it lies and turns.
    Cylinder,
}

/// What the walls of a container are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Walls {
    /// Boxes of a thickness.
    #[default]
    Boxes,
    /// Half-spaces: nothing gets past them, and open walls have no upper end.
    HalfSpaces,
}
