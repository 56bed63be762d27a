//! Where bodies start, as scene files say it.

use serde::{Deserialize, Serialize};

/// Where bodies start in place of where the rest of the file puts them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// A checkpoint, or the folder of a run, whose newest one it is; relative to the scene's folder. It is of a scene with the same bodies
    /// and joints. Dynamic bodies get its poses and velocities, kinematic ones its poses, from which their motions begin; fixed ones stay
    /// where they are. What was broken is broken. The time is 0.
    pub from: Option<String>,
    /// The same written out, for every body: position `[m]`, rotation as a unit quaternion w, x, y, z, velocity of the centre of mass `[m/s]`,
    /// angular velocity `[rad/s]`. Positions are those of centres of mass.
    pub states: Vec<[f64; 13]>,
    /// Joints that are broken, by their places, from 0.
    pub broken: Vec<usize>,
    /// Bounding radii of the bodies of the checkpoint.
    #[serde(skip)]
    pub(crate) radii: Vec<f64>,
}
