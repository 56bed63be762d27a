//! The types of a scene file, as it is written. Every number is in SI units.
//!
//! The JSON Schema of scene files is made from these types; what a schema cannot say is checked after
//! reading.

mod assembly;
mod body;
mod camera;
mod expect;
mod fill;
mod joint;
mod probe;
mod shape;
mod stabilization;
mod start;
mod table;

pub(crate) use assembly::{Chain, ChainJointType, Instance, Pin, Template};
pub(crate) use body::{Body, Container, ContainerShape, Groups, Inertia, Kind, Motion, Walls};
pub(crate) use camera::Camera;
pub(crate) use expect::Expect;
pub use expect::{Relation, When};
pub(crate) use fill::{Arrangement, Fill, Region, Scale};
pub(crate) use joint::{Joint, JointType, Load, Motor, Path, Spring};
pub(crate) use probe::Probe;
pub(crate) use shape::{
    BoxShape, Capsule, Cone, Cylinder, HeightFieldShape, MeshShape, PolyhedronShape, Rotation,
    Shape, Sphere,
};
pub(crate) use stabilization::{Scheme, SchemeName, SchemeTable, SchemeType, Stabilization};
pub(crate) use start::Start;
pub(crate) use table::{BodyTable, Row};

use crate::collide::PairSearch;
use crate::constants::GRAVITY;
use crate::event::{Impacts, TimeSearch};
use crate::problem::{FrictionCone, FrictionLaw};
use crate::solver::{self, Method};
use crate::world::Material;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Declares an enum that is written as a table with a key `type`, each variant being a struct.
///
/// Writing and the JSON Schema are serde's own for `tag = "type"`. Reading goes through
/// [`reader`](super::reader), since serde's own buffers the table and so loses the places of mistakes.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $tag:literal => $variant:ident($inner:ty),)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
        #[serde(tag = "type")]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $tag)] $variant($inner),)+
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const TAGS: &[&str] = &[$($tag),+];

                struct Variant;

                impl<'de> serde::de::Visitor<'de> for Variant {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a table with a key `type`")
                    }

                    fn visit_enum<A: serde::de::EnumAccess<'de>>(
                        self,
                        data: A,
                    ) -> Result<$name, A::Error> {
                        let (tag, content) = data.variant_seed(crate::scene::schema::Tag(TAGS))?;
                        match tag {
                            $($tag => serde::de::VariantAccess::newtype_variant(content)
                                .map($name::$variant),)+
                            other => Err(serde::de::Error::unknown_variant(other, TAGS)),
                        }
                    }
                }

                deserializer.deserialize_enum(crate::scene::reader::TAGGED, TAGS, Variant)
            }
        }
    };
}
pub(super) use tagged;

/// Reads one of the given names.
pub(super) struct Tag(pub(super) &'static [&'static str]);

impl<'de> serde::de::DeserializeSeed<'de> for Tag {
    type Value = &'static str;

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<&'static str, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl serde::de::Visitor<'_> for Tag {
    type Value = &'static str;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, found: &str) -> Result<&'static str, E> {
        self.0
            .iter()
            .copied()
            .find(|&tag| tag == found)
            .ok_or_else(|| E::unknown_variant(found, self.0))
    }
}

/// Three numbers along x, y and z.
pub(crate) type Vector = [f64; 3];

/// A scene file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Name of the scene: letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub description: String,
    /// Gravity, step and length of the run.
    pub simulation: Simulation,
    /// Solver of the velocity problem. A file that has neither this nor `[stabilization]` nor `substeps` gets
    /// what measurements recommend for its bodies.
    #[serde(default)]
    pub solver: Solver,
    /// What removes the errors of contacts and joints.
    #[serde(default)]
    pub stabilization: Stabilization,
    /// How the event stepper goes about it; only with `stepper = "event"`.
    pub event: Option<Event>,
    /// Where bodies start in place of where the rest of the file puts them.
    pub start: Option<Start>,
    /// What is written.
    #[serde(default)]
    pub output: Output,
    /// Surfaces by name. The name `default` is always known, and can be given other values here.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// Bodies, one by one.
    #[serde(default, rename = "body")]
    pub bodies: Vec<Body>,
    /// Bodies in tables.
    #[serde(default, rename = "bodies_csv")]
    pub tables: Vec<BodyTable>,
    /// Boxes that hold things.
    #[serde(default, rename = "container")]
    pub containers: Vec<Container>,
    /// Links in a row, each joined to the next.
    #[serde(default, rename = "chain")]
    pub chains: Vec<Chain>,
    /// Bodies and joints that instances repeat.
    #[serde(default, rename = "template")]
    pub templates: Vec<Template>,
    /// What is made of the templates.
    #[serde(default, rename = "instance")]
    pub instances: Vec<Instance>,
    /// Regions filled with bodies, in this order, after everything above is in place.
    #[serde(default, rename = "fill")]
    pub fills: Vec<Fill>,
    /// What holds bodies together, drives them, or limits how they move against each other.
    #[serde(default, rename = "joint")]
    pub joints: Vec<Joint>,
    /// Forces and torques beside gravity.
    #[serde(default, rename = "load")]
    pub loads: Vec<Load>,
    /// Numbers to write in every row of the metrics.
    #[serde(default, rename = "probe")]
    pub probes: Vec<Probe>,
    /// Expected outcome of a run.
    #[serde(default, rename = "expect")]
    pub expects: Vec<Expect>,
    /// Where pictures of the scene are taken from.
    pub camera: Option<Camera>,
}

/// Gravity, step and length of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// Acceleration of gravity `[m/s^2]`.
    #[serde(default = "gravity")]
    pub gravity: Vector,
    /// Length of a step `[s]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub dt: f64,
    /// Parts of a step that share its contacts, each with velocity and position problems of its own; 0
    /// for a step that is not divided. Without it 0, or what is recommended if nothing is said of solvers.
    pub substeps: Option<u32>,
    /// Number of steps, at least 1. Either this or `duration`.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub steps: Option<u64>,
    /// Simulated time `[s]`; the number of steps is the nearest whole one. Either this or `steps`.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub duration: Option<f64>,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// The stepper of the bodies.
    #[serde(default)]
    pub stepper: Stepper,
    /// How pairs of bodies that may touch are found; it changes no result.
    #[serde(default)]
    pub broadphase: PairSearch,
    /// Points that stand for the contact of boxes and polyhedra.
    #[serde(default)]
    pub contacts: Contacts,
    /// Gap below which two bodies count as a contact `[m]`, positive; without it, a fraction of the
    /// smallest dynamic body.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub margin: Option<f64>,
    /// Gap on either side of zero that substeps count as shut and leave alone `[m]`; without it, a fraction
    /// of the smallest dynamic body.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub slop: Option<f64>,
    /// Approach speed below which nothing bounces `[m/s]`; without it, twice what gravity adds in a
    /// step.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub restitution_threshold: Option<f64>,
}

/// The stepper of the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stepper {
    /// Problems on velocities, in steps of fixed length.
    #[default]
    Velocity,
    /// Forces, and impulses at the times of collisions: for small scenes of spheres, boxes, polyhedra and half-spaces.
    Event,
}

/// How the event stepper goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Event {
    /// Contacts that hit at the same time.
    pub impacts: Impacts,
    /// How the time of a collision is found.
    pub search: TimeSearch,
    /// Largest gap of a contact `[m]`, positive; without it a fraction of the smallest body.
    pub contact_distance: Option<f64>,
    /// Gap within which a time of collision counts as found `[m]`, positive; without it a fraction of the smallest body.
    pub gap_tolerance: Option<f64>,
    /// Speed up to which a contact rests `[m/s]`, at least 0; without it a fraction of that of a fall by the smallest body's size.
    pub resting_speed: Option<f64>,
    /// Baumgarte's constant of the rate of an error `[1/s]`; with `beta`.
    pub alpha: Option<f64>,
    /// Baumgarte's constant of an error `[1/s]`; with `alpha`.
    pub beta: Option<f64>,
    /// Undamped angular frequency of an error `[rad/s]`; with `zeta`, in place of `alpha` and `beta`.
    pub omega0: Option<f64>,
    /// Damping ratio of an error; with `omega0`.
    pub zeta: Option<f64>,
    /// Events in one step above which the stepper gives up, at least 1.
    pub max_events: Option<u32>,
    /// True to go on with a step of fixed length where events do not end or forces do not exist.
    pub velocity_steps: bool,
}

/// Points that stand for the contact of boxes and polyhedra.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Contacts {
    /// Clipped faces and pairs of edges.
    #[default]
    Clipped,
    /// The nearly active events of the ratio metric, with the usual tolerances.
    Events,
    /// The same with tolerances.
    NearlyActive {
        /// Largest distance of an event's component from the ratio metric's depth, at least 0.
        near: f64,
        /// How far beyond the rims of its features an event may lie, over the inner radius of the smaller body, at least 0.
        lateral: f64,
    },
}

fn gravity() -> Vector {
    [0.0, 0.0, -GRAVITY]
}

/// Solver of the velocity problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// The sweep.
    pub method: Method,
    /// Most passes over all contacts (of each substep), at least 1; without it one, or where `substeps` is
    /// given 20 in a step, and 20 where contacts are not soft.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub iterations: Option<u32>,
    /// Root mean square residual at which to stop `[m/s]`; 0 runs all iterations.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub tolerance: f32,
    /// Iterations between two looks at the residual, at least 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub check_every: u32,
    /// Start from the impulses of the step before.
    pub warm_start: bool,
    /// Before the first sweep, solve the joint rows without bounds all at once, in both passes: what
    /// a long chain needs, and sweeps would take thousands of iterations for.
    pub direct_joints: bool,
    /// Shape of the friction cone.
    pub friction: FrictionCone,
    /// The law that holds within it.
    pub friction_law: FrictionLaw,
}

impl Default for Solver {
    fn default() -> Self {
        let options = solver::Options::default();
        Self {
            method: options.method,
            iterations: None,
            tolerance: options.tolerance,
            check_every: options.check_every,
            warm_start: options.warm_start,
            direct_joints: options.direct_joints,
            friction: FrictionCone::Disk,
            friction_law: FrictionLaw::Coulomb,
        }
    }
}

/// What is written, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Steps between two frames, at least 1; no frames without it or `frames_per_second`.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub frames_every: Option<u64>,
    /// Frames per simulated second, positive; rounded to whole steps.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub frames_per_second: Option<f64>,
    /// Steps between two rows of the metrics, at least 1.
    #[serde(default = "one")]
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub metrics_every: u64,
    /// Simulated time between two checkpoints, from which `drystone resume` goes on `[s]`, positive; rounded to whole steps.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub checkpoint_every: Option<f64>,
    /// Fields on a grid, in every frame; none without it. A run without frames refuses them.
    pub fields: Option<Fields>,
}

/// Density, momentum and stress of the dynamic bodies on a grid of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fields {
    /// Least corner of the grid `[m]`.
    pub min: Vector,
    /// Greatest corner of the grid `[m]`.
    pub max: Vector,
    /// Reach of the kernel that spreads bodies and contacts, one to three diameters of a body `[m]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub width: f64,
    /// Side of a cell `[m]`, positive, from a sixteenth of the width to all of it; less where cells would not fill the grid. Without it half the width.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub spacing: Option<f64>,
}

impl Fields {
    /// Side of a cell `[m]`.
    pub(crate) fn side(&self) -> f64 {
        self.spacing.unwrap_or(0.5 * self.width)
    }
}

impl Default for Output {
    fn default() -> Self {
        Self {
            frames_every: None,
            frames_per_second: None,
            metrics_every: one(),
            checkpoint_every: None,
            fields: None,
        }
    }
}

fn one() -> u64 {
    1
}

/// Name of the material of bodies that name none.
pub(super) const DEFAULT_MATERIAL: &str = "default";

fn default_material() -> String {
    DEFAULT_MATERIAL.to_owned()
}
