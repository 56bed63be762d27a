//! Probes as scene files write them.

use super::{Vector, tagged};
use crate::measure::Axis;
use serde::{Deserialize, Serialize};

tagged! {
    /// Numbers to write in every row of the metrics.
    pub enum Probe {
        /// Position of a body: columns `NAME_x`, `NAME_y`, `NAME_z` `[m]`.
        "position" => Position(BodyProbe),
        /// Velocity of a body: columns `NAME_vx`, `NAME_vy`, `NAME_vz` `[m/s]`.
        "velocity" => Velocity(BodyProbe),
        /// Angular velocity of a body: columns `NAME_wx`, `NAME_wy`, `NAME_wz` `[rad/s]`.
        "spin" => Spin(BodyProbe),
        /// Height of a body's highest point: column `NAME` `[m]`.
        "top" => Top(TopProbe),
        /// Height of the surface of a bed of bodies: column `NAME` `[m]`.
        "bed_height" => BedHeight(BedHeightProbe),
        /// Neighbours that press on the dynamic bodies: columns `NAME` (mean number), `NAME_bearing` (without rattlers, which press on
        /// fewer than `least` others, or on none with more than their own weight), `NAME_rattlers` (share of them).
        "coordination" => Coordination(CoordinationProbe),
        /// Share of a box that dynamic bodies fill, each as a ball of its volume: column `NAME`.
        "packing" => Packing(BoxProbe),
        /// Free surface of the dynamic bodies as seen from above, z being up: columns `NAME_angle` (its slope `[degrees]`),
        /// `NAME_radius` (of the disc of the area that they cover `[m]`).
        "surface" => Surface(SurfaceProbe),
        /// Mean of the products of the normals' components over the points that press: columns `NAME_xx`, `NAME_yy`, `NAME_zz`,
        /// `NAME_xy`, `NAME_yz`, `NAME_zx`.
        "fabric" => Fabric(BoxProbe),
        /// Stress of the contacts, positive under pressure: columns as of the fabric `[Pa]`.
        "stress" => Stress(BoxProbe),
        /// Force of all contacts on a body and their torque about its centre of mass: columns `NAME_fx`, `NAME_fy`, `NAME_fz` `[N]`,
        /// `NAME_tx`, `NAME_ty`, `NAME_tz` `[N m]`.
        "contact_force" => ContactForce(ForceProbe),
        /// Rate of the work that a body does on all that it touches, such as a plate that shakes them: column `NAME` `[W]`.
        "power" => Power(ForceProbe),
        /// Work and dissipation since the start `[J]`: columns `NAME_loads`, `NAME_motions` (work of bodies that are not dynamic), `NAME_drives`
        /// (of motors, springs and prescribed velocities), `NAME_impacts`, `NAME_friction` and `NAME_joints` (dissipated), `NAME_error`
        /// (what the step itself makes). Their sum is the change of kinetic and potential energy.
        "energy_balance" => EnergyBalance(PlainProbe),
        /// Force and torque of a joint on its body `a`: columns as of the contact force.
        "joint_force" => JointForce(JointProbe),
        /// Linear momentum of the dynamic bodies and angular momentum about the origin: columns `NAME_px`, `NAME_py`, `NAME_pz`
        /// `[kg m/s]`, `NAME_lx`, `NAME_ly`, `NAME_lz` `[kg m^2/s]`.
        "momentum" => Momentum(PlainProbe),
        /// Dynamic bodies whose centres are beyond a plane: columns `NAME_mass` `[kg]`, `NAME_count`. The flow through the plane is what
        /// they grow by.
        "beyond" => Beyond(PlaneProbe),
        /// Means of some bodies: columns `NAME_vx`, `NAME_vy`, `NAME_vz` (velocity by mass `[m/s]`), `NAME_temperature` (a third of
        /// the mean square of the velocities about it `[m^2/s^2]`), `NAME_translational`, `NAME_rotational` (kinetic energies `[J]`).
        "mean" => Mean(MeanProbe),
    }
}

/// A probe of one body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BodyProbe {
    /// Name of its columns.
    pub name: String,
    /// Name of the body.
    pub body: String,
    /// Name of the body or container in whose frame it measures; the world's without it.
    pub relative_to: Option<String>,
}

/// A probe of a body's highest point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TopProbe {
    /// Name of its column.
    pub name: String,
    /// Name of the body.
    pub body: String,
    /// Which way is up.
    #[serde(default)]
    pub axis: Axis,
    /// Name of the body or container in whose frame it measures; the world's without it.
    pub relative_to: Option<String>,
}

/// A probe of the surface of a bed: a quantile of the heights of all dynamic bodies' highest points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BedHeightProbe {
    /// Name of its column.
    pub name: String,
    /// Which way is up.
    #[serde(default)]
    pub axis: Axis,
    /// From 0 (lowest body) to 1 (highest body).
    #[serde(default = "bed_quantile")]
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = 1)))]
    pub quantile: f64,
    /// Names of bodies and fills that are not part of the bed.
    #[serde(default)]
    pub except: Vec<String>,
    /// Name of the body or container in whose frame it measures; the world's without it.
    pub relative_to: Option<String>,
}

/// A probe of everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlainProbe {
    /// Name of its columns.
    pub name: String,
}

/// A probe of the contacts in a box along the world's axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoxProbe {
    /// Name of its columns.
    pub name: String,
    /// Least corner of the box `[m]`.
    pub min: Vector,
    /// Greatest corner of the box `[m]`.
    pub max: Vector,
}

/// A probe of the neighbours of bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CoordinationProbe {
    /// Name of its columns.
    pub name: String,
    /// Least corner of the box in which bodies count, by their centres `[m]`; all count without it.
    pub min: Option<Vector>,
    /// Greatest corner of the box `[m]`.
    pub max: Option<Vector>,
    /// Neighbours that a body presses on at least which is no rattler.
    #[serde(default = "bearing_neighbours")]
    pub least: u32,
}

/// A probe of a free surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SurfaceProbe {
    /// Name of its columns.
    pub name: String,
    /// Sides of the square cells of which each has a highest body `[m]`, positive; one to two diameters are right.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub cell: f64,
    /// The middle of a heap, x and y `[m]`: its slope is that of a cone; without it that of a plane.
    pub center: Option<[f64; 2]>,
}

/// A probe of the forces on a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ForceProbe {
    /// Name of its columns.
    pub name: String,
    /// Name of the body or container.
    pub body: String,
}

/// A probe of a joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JointProbe {
    /// Name of its columns.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
}

/// A probe of what is beyond a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlaneProbe {
    /// Name of its columns.
    pub name: String,
    /// A point of the plane `[m]`.
    pub point: Vector,
    /// The way on which bodies are beyond it; any length but 0.
    pub normal: Vector,
}

/// A probe of the mean of some bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeanProbe {
    /// Name of its columns.
    pub name: String,
    /// Names of bodies, fills, chains and instances; all dynamic bodies without it.
    #[serde(default)]
    pub bodies: Vec<String>,
}

fn bearing_neighbours() -> u32 {
    crate::constants::BEARING_NEIGHBOURS
}

fn bed_quantile() -> f64 {
    crate::constants::BED_QUANTILE
}
