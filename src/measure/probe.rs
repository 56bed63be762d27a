//! Probes: numbers that a scene asks to be written beside the standard measures, one or more
//! columns each.

use super::{ContactNetwork, EnergyBalance, Wrench, momentum, packing, surface};
use crate::collide::ContactPoint;
use crate::math::{Aabb, Mat3, Pose, Vec3};
use crate::world::World;

/// A state as probes see it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The bodies.
    pub world: &'a World,
    /// Contacts, sorted by pair.
    pub contacts: &'a [ContactPoint],
    /// Forces on the contacts' bodies A `[N]`, of their shape; none are zero.
    pub contact_forces: &'a [Vec3],
    /// Forces and torques of joints on their bodies A, shape `[joint_count]`; none is zero.
    pub joint_forces: &'a [Wrench],
    /// Work and dissipation since the start, if they are added up.
    pub energy_balance: Option<EnergyBalance>,
}

impl<'a> Seen<'a> {
    /// Bodies alone: without forces.
    #[must_use]
    pub fn without_forces(world: &'a World) -> Self {
        Self {
            world,
            contacts: &[],
            contact_forces: &[],
            joint_forces: &[],
            energy_balance: None,
        }
    }

    /// Its contacts with their forces.
    #[must_use]
    pub fn network(&self) -> ContactNetwork<'a> {
        ContactNetwork::new(self.world, self.contacts, self.contact_forces)
    }
}

/// An axis of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum Axis {
    /// First axis.
    X,
    /// Second axis.
    Y,
    /// Third axis.
    #[default]
    Z,
}

impl Axis {
    /// Unit vector along the axis.
    #[must_use]
    pub fn unit(self) -> Vec3 {
        match self {
            Self::X => Vec3::x(),
            Self::Y => Vec3::y(),
            Self::Z => Vec3::z(),
        }
    }

    /// Component of a vector.
    #[must_use]
    pub fn of(self, vector: &Vec3) -> f64 {
        vector[self as usize]
    }
}

/// Something to write in every row of the metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Name of its column, or the stem of its columns' names.
    pub name: String,
    /// Body whose frame it measures in; the world if none.
    pub relative_to: Option<u32>,
    /// What it measures.
    pub kind: ProbeKind,
}

/// What a probe measures.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbeKind {
    /// Position of a body's frame `[m]`: columns `NAME_x`, `NAME_y`, `NAME_z`.
    Position {
        /// The body.
        body: u32,
    },
    /// Linear velocity of a body in the axes of the reference, relative to it `[m/s]`: columns
    /// `NAME_vx`, `NAME_vy`, `NAME_vz`.
    Velocity {
        /// The body.
        body: u32,
    },
    /// Angular velocity of a body in the axes of the reference `[rad/s]`: columns `NAME_wx`,
    /// `NAME_wy`, `NAME_wz`.
    Spin {
        /// The body.
        body: u32,
    },
    /// Height of a body's highest point along an axis `[m]`: column `NAME`.
    Top {
        /// The body.
        body: u32,
        /// Which way is up.
        axis: Axis,
    },
    /// Height of the surface of a bed of bodies: the given quantile of the heights of all dynamic
    /// bodies' highest points `[m]`, those in `except` left out: column `NAME`.
    BedHeight {
        /// Which way is up.
        axis: Axis,
        /// From 0 (lowest body) to 1 (highest body).
        quantile: f64,
        /// Bodies that are not part of the bed.
        except: Vec<u32>,
    },
    /// Neighbours that press: columns `NAME` (their mean number for a dynamic body), `NAME_bearing` (the same without rattlers),
    /// `NAME_rattlers` (their share); see [`ContactNetwork::coordination`].
    Coordination {
        /// Box in which bodies count, in world axes.
        within: Aabb,
        /// Neighbours that a body has at least which is no rattler.
        least: u32,
    },
    /// Share of a box that dynamic bodies fill: column `NAME`; see [`packing()`].
    Packing {
        /// The box, in world axes.
        within: Aabb,
    },
    /// Free surface of a bed, z being up: columns `NAME_angle` (its slope `[degrees]`), `NAME_radius` (of the disc whose area the bed covers
    /// `[m]`); see [`surface()`].
    Surface {
        /// Sides of the cells in which the highest body is looked for `[m]`.
        cell: f64,
        /// The middle of a heap `[m]`; none of a bed.
        center: Option<[f64; 2]>,
    },
    /// Mean of `n n^T` over the points that press within a box: columns `NAME_xx`, `NAME_yy`, `NAME_zz`, `NAME_xy`, `NAME_yz`,
    /// `NAME_zx`.
    Fabric {
        /// The box, in world axes.
        within: Aabb,
    },
    /// Stress of the contacts within a box, positive under pressure `[Pa]`: columns as of the fabric.
    Stress {
        /// The box, in world axes.
        within: Aabb,
    },
    /// Force of all contacts on a body `[N]` and their torque about its centre of mass `[N m]`: columns `NAME_fx`, `NAME_fy`, `NAME_fz`,
    /// `NAME_tx`, `NAME_ty`, `NAME_tz`.
    ContactForce {
        /// The body.
        body: u32,
    },
    /// Rate of the work that a body does on all that it touches `[W]`: column `NAME`.
    Power {
        /// The body.
        body: u32,
    },
    /// Work and dissipation since the start `[J]`: columns `NAME_loads`, `NAME_motions`, `NAME_drives`, `NAME_impacts`, `NAME_friction`,
    /// `NAME_joints`, `NAME_error`; see [`EnergyBalance`]. Zeros if they are not added up.
    EnergyBalance,
    /// Force of a joint on its body A `[N]` and torque `[N m]`: columns as of the contact force.
    JointForce {
        /// The joint.
        joint: u32,
    },
    /// Linear momentum of the dynamic bodies `[kg m/s]`, and angular momentum about the world's origin `[kg m^2/s]`: columns `NAME_px`,
    /// `NAME_py`, `NAME_pz`, `NAME_lx`, `NAME_ly`, `NAME_lz`.
    Momentum,
    /// Dynamic bodies whose centres are beyond a plane: columns `NAME_mass` `[kg]`, `NAME_count`. The flow through the plane is what they
    /// grow by.
    Beyond {
        /// Unit normal, in world axes.
        normal: Vec3,
        /// Height of the plane along the normal `[m]`.
        offset: f64,
    },
    /// Means of some bodies: columns `NAME_vx`, `NAME_vy`, `NAME_vz` (velocity by mass `[m/s]`), `NAME_temperature` (a third of the mean
    /// square of velocities about it, by mass `[m^2/s^2]`), `NAME_translational` and `NAME_rotational` (kinetic energies, sums `[J]`).
    Mean {
        /// The bodies; those that are not dynamic do not count.
        bodies: Vec<u32>,
    },
}

impl Probe {
    /// Names of its columns.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.kind {
            ProbeKind::Position { .. } => &["_x", "_y", "_z"],
            ProbeKind::Velocity { .. } => &["_vx", "_vy", "_vz"],
            ProbeKind::Spin { .. } => &["_wx", "_wy", "_wz"],
            ProbeKind::Top { .. } | ProbeKind::BedHeight { .. } | ProbeKind::Power { .. } => &[""],
            ProbeKind::EnergyBalance => &[
                "_loads",
                "_motions",
                "_drives",
                "_impacts",
                "_friction",
                "_joints",
                "_error",
            ],
            ProbeKind::Coordination { .. } => &["", "_bearing", "_rattlers"],
            ProbeKind::Packing { .. } => &[""],
            ProbeKind::Surface { .. } => &["_angle", "_radius"],
            ProbeKind::Fabric { .. } | ProbeKind::Stress { .. } => {
                &["_xx", "_yy", "_zz", "_xy", "_yz", "_zx"]
            }
            ProbeKind::ContactForce { .. } | ProbeKind::JointForce { .. } => {
                &["_fx", "_fy", "_fz", "_tx", "_ty", "_tz"]
            }
            ProbeKind::Momentum => &["_px", "_py", "_pz", "_lx", "_ly", "_lz"],
            ProbeKind::Beyond { .. } => &["_mass", "_count"],
            ProbeKind::Mean { .. } => &[
                "_vx",
                "_vy",
                "_vz",
                "_temperature",
                "_translational",
                "_rotational",
            ],
        };
        suffixes
            .iter()
            .map(|suffix| format!("{}{suffix}", self.name))
            .collect()
    }

    /// Units of its columns; `1` for counts and shares.
    #[must_use]
    pub fn units(&self) -> &'static [&'static str] {
        match self.kind {
            ProbeKind::Position { .. } => &["m"; 3],
            ProbeKind::Velocity { .. } => &["m/s"; 3],
            ProbeKind::Spin { .. } => &["rad/s"; 3],
            ProbeKind::Top { .. } | ProbeKind::BedHeight { .. } => &["m"],
            ProbeKind::Power { .. } => &["W"],
            ProbeKind::EnergyBalance => &["J"; 7],
            ProbeKind::Coordination { .. } => &["1"; 3],
            ProbeKind::Packing { .. } => &["1"],
            ProbeKind::Surface { .. } => &["degrees", "m"],
            ProbeKind::Fabric { .. } => &["1"; 6],
            ProbeKind::Stress { .. } => &["Pa"; 6],
            ProbeKind::ContactForce { .. } | ProbeKind::JointForce { .. } => {
                &["N", "N", "N", "N m", "N m", "N m"]
            }
            ProbeKind::Momentum => &[
                "kg m/s", "kg m/s", "kg m/s", "kg m^2/s", "kg m^2/s", "kg m^2/s",
            ],
            ProbeKind::Beyond { .. } => &["kg", "1"],
            ProbeKind::Mean { .. } => &["m/s", "m/s", "m/s", "m^2/s^2", "J", "J"],
        }
    }

    /// True if it measures forces of contacts.
    #[must_use]
    pub fn needs_contact_forces(&self) -> bool {
        matches!(
            self.kind,
            ProbeKind::Coordination { .. }
                | ProbeKind::Fabric { .. }
                | ProbeKind::Stress { .. }
                | ProbeKind::ContactForce { .. }
                | ProbeKind::Power { .. }
        )
    }

    /// True if it measures forces of joints.
    #[must_use]
    pub fn needs_joint_forces(&self) -> bool {
        matches!(self.kind, ProbeKind::JointForce { .. })
    }

    /// Its values now, in the order of its columns.
    #[must_use]
    pub fn values(&self, seen: &Seen<'_>) -> Vec<f64> {
        let world = seen.world;
        let reference = self.relative_to.map(|body| &world.bodies[body as usize]);
        let frame = reference.map_or_else(Pose::identity, crate::world::Body::frame);
        match &self.kind {
            ProbeKind::Position { body } => {
                let at = world.bodies[*body as usize].frame().position;
                frame.inverse_point(&at).iter().copied().collect()
            }
            ProbeKind::Velocity { body } => {
                let body = &world.bodies[*body as usize];
                let carried =
                    reference.map_or_else(Vec3::zeros, |r| r.velocity_at(&body.pose.position));
                let relative = body.linear_velocity - carried;
                frame.inverse_direction(&relative).iter().copied().collect()
            }
            ProbeKind::Spin { body } => {
                let spin = world.bodies[*body as usize].angular_velocity
                    - reference.map_or_else(Vec3::zeros, |r| r.angular_velocity);
                frame.inverse_direction(&spin).iter().copied().collect()
            }
            ProbeKind::Top { body, axis } => vec![top(world, *body as usize, &frame, *axis)],
            ProbeKind::BedHeight {
                axis,
                quantile,
                except,
            } => {
                let mut tops: Vec<f64> = (0..world.bodies.len())
                    .filter(|&body| {
                        world.bodies[body].is_dynamic() && !except.contains(&(body as u32))
                    })
                    .map(|body| top(world, body, &frame, *axis))
                    .collect();
                if tops.is_empty() {
                    return vec![0.0];
                }
                let rank = ((tops.len() - 1) as f64 * quantile).round() as usize;
                let (_, value, _) = tops.select_nth_unstable_by(rank, f64::total_cmp);
                vec![*value]
            }
            ProbeKind::Coordination { within, least } => {
                let found = seen.network().coordination(within, *least);
                vec![found.mean, found.bearing, found.rattlers]
            }
            ProbeKind::Packing { within } => vec![packing(world, within)],
            ProbeKind::Surface { cell, center } => {
                let found = surface(world, *cell, *center);
                vec![found.angle, found.radius]
            }
            ProbeKind::Fabric { within } => components(&seen.network().fabric(within)),
            ProbeKind::Stress { within } => components(&seen.network().stress(within)),
            ProbeKind::ContactForce { body } => parts(&seen.network().on_body(*body)),
            ProbeKind::Power { body } => vec![seen.network().power_of(*body)],
            ProbeKind::EnergyBalance => {
                let found = seen.energy_balance.unwrap_or_default();
                vec![
                    found.loads,
                    found.motions,
                    found.drives,
                    found.impacts,
                    found.friction,
                    found.joints,
                    found.error,
                ]
            }
            ProbeKind::JointForce { joint } => {
                let found = seen.joint_forces.get(*joint as usize);
                parts(&found.copied().unwrap_or_default())
            }
            ProbeKind::Momentum => {
                let found = momentum(world);
                let both = [found.linear, found.angular];
                both.iter().flatten().copied().collect()
            }
            ProbeKind::Beyond { normal, offset } => {
                let (mut mass, mut count) = (0.0, 0.0);
                for body in world.bodies.iter().filter(|body| body.is_dynamic()) {
                    if normal.dot(&body.pose.position) > *offset {
                        mass += body.mass.mass;
                        count += 1.0;
                    }
                }
                vec![mass, count]
            }
            ProbeKind::Mean { bodies } => mean(world, bodies),
        }
    }
}

/// xx, yy, zz, xy, yz and zx of a tensor, made symmetric.
fn components(tensor: &Mat3) -> Vec<f64> {
    let at = |row: usize, column: usize| 0.5 * (tensor[(row, column)] + tensor[(column, row)]);
    vec![at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(1, 2), at(2, 0)]
}

fn parts(wrench: &Wrench) -> Vec<f64> {
    let both = [wrench.force, wrench.torque];
    both.iter().flatten().copied().collect()
}

/// See [`ProbeKind::Mean`]; zeros of no bodies.
fn mean(world: &World, bodies: &[u32]) -> Vec<f64> {
    let dynamic = || {
        let bodies = bodies.iter().map(|&body| &world.bodies[body as usize]);
        bodies.filter(|body| body.is_dynamic())
    };
    let mass: f64 = dynamic().map(|body| body.mass.mass).sum();
    if mass == 0.0 {
        return vec![0.0; 6];
    }
    let momentum: Vec3 = dynamic()
        .map(|body| body.linear_velocity * body.mass.mass)
        .sum();
    let velocity = momentum / mass;
    let (mut agitation, mut translational, mut rotational) = (0.0, 0.0, 0.0);
    for body in dynamic() {
        let v = &body.linear_velocity;
        agitation += body.mass.mass * (v - velocity).norm_squared();
        translational += 0.5 * body.mass.mass * v.norm_squared();
        rotational += body.rotational_energy();
    }
    vec![
        velocity.x,
        velocity.y,
        velocity.z,
        agitation / (3.0 * mass),
        translational,
        rotational,
    ]
}

/// Height of a body's highest point along an axis of a frame.
fn top(world: &World, body: usize, frame: &Pose, axis: Axis) -> f64 {
    let body = &world.bodies[body];
    let local = Pose::new(
        frame.inverse_point(&body.pose.position),
        frame.orientation.inverse() * body.pose.orientation,
    );
    axis.of(&body.shape.aabb(&local).max)
}
