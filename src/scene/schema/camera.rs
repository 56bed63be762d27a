//! Where pictures are taken from.

use super::Vector;
use serde::{Deserialize, Serialize};

/// Where pictures of the scene are taken from; what is not given is fitted to what moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Where the camera is `[m]`.
    pub eye: Option<Vector>,
    /// Where it looks `[m]`.
    pub target: Option<Vector>,
    /// Height of the field of view `[degrees]`, above 0, at most 120.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0), range(max = 120)))]
    pub field_of_view: Option<f64>,
}
