//! Probes: numbers that a scene asks to be written beside the standard measures, one or more
//! columns each.

use crate::math::{Pose, Vec3};
use crate::world::World;

/// An axis of the frame in which a probe measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// First axis.
    X,
    /// Second axis.
    Y,
    /// Third axis.
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
}

impl Probe {
    /// Names of its columns.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.kind {
            ProbeKind::Position { .. } => &["_x", "_y", "_z"],
            ProbeKind::Velocity { .. } => &["_vx", "_vy", "_vz"],
            ProbeKind::Spin { .. } => &["_wx", "_wy", "_wz"],
            ProbeKind::Top { .. } | ProbeKind::BedHeight { .. } => &[""],
        };
        suffixes
            .iter()
            .map(|suffix| format!("{}{suffix}", self.name))
            .collect()
    }

    /// Its values now, in the order of its columns.
    #[must_use]
    pub fn values(&self, world: &World) -> Vec<f64> {
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
        }
    }
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
