//! Tables of bodies, as scene files name them.

use super::{Body, default_material};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Dynamic bodies from comma-separated values, a body a row under a header of column names in any order.
///
/// | column | holds |
/// |---|---|
/// | `x`, `y`, `z` | position `[m]`; these three have to be there |
/// | `qw`, `qx`, `qy`, `qz` | rotation, a unit quaternion |
/// | `vx`, `vy`, `vz` | velocity of the centre of mass `[m/s]` |
/// | `wx`, `wy`, `wz` | angular velocity in world axes `[rad/s]` |
/// | `shape` | `sphere` (without it), `box`, `capsule`, `cylinder` or `cone` |
/// | `radius` | of all but boxes `[m]` |
/// | `hx`, `hy`, `hz` | half of each side of a box `[m]` |
/// | `half_length` | of a capsule or cylinder `[m]` |
/// | `height` | of a cone `[m]` |
/// | `density`, `mass` | either one `[kg/m^3]`, `[kg]` |
/// | `material`, `name` | names |
///
/// An empty field counts as one that is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BodyTable {
    /// Name of all of its bodies together, for probes.
    pub name: Option<String>,
    /// The file, relative to the scene's folder. Either this or `text`.
    pub file: Option<String>,
    /// The table itself.
    #[serde(default)]
    pub text: String,
    /// Density of bodies that have neither density nor mass `[kg/m^3]`, positive.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub density: Option<f64>,
    /// Material of bodies that name none.
    #[serde(default = "default_material")]
    pub material: String,
    /// The bodies, and for messages the name of the file.
    #[serde(skip)]
    pub(crate) rows: Arc<Vec<Row>>,
    #[serde(skip)]
    pub(crate) source: String,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Its line in the file, from 1.
    pub(crate) line: u64,
    /// The body that it describes.
    pub(crate) body: Body,
}
