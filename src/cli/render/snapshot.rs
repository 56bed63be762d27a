//! States of a run: what of each moment is drawn, and the room it takes.

use drystone::collide::ContactPoint;
use drystone::internals::clusters::Clusters;
use drystone::math::{Pose, Vec3};
use drystone::step::Simulation;
use drystone::world::{Body, World};

/// A force between two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Force {
    /// Centre of one body, or the point of contact if it has none near by `[m]`.
    pub(crate) from: Vec3,
    /// Centre of the other.
    pub(crate) to: Vec3,
    /// Normal force `[N]`.
    pub(crate) size: f64,
    /// Radius of the smaller body `[m]`.
    pub(crate) reach: f64,
    /// The two bodies.
    pub(crate) bodies: [u32; 2],
}

/// A point of contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    /// Midway between the surfaces `[m]`.
    pub(crate) point: Vec3,
    /// Across them.
    pub(crate) normal: Vec3,
    /// Gap `[m]`, negative for an overlap.
    pub(crate) separation: f64,
    /// Radius of the smaller body `[m]`.
    pub(crate) reach: f64,
}

/// Radius of the smallest of some bodies `[m]`; nothing if none has an end.
pub(super) fn reach(bodies: &[Option<&Body>]) -> Option<f64> {
    let radii = bodies
        .iter()
        .flatten()
        .map(|body| body.shape.bounding_radius());
    radii.filter(|radius| radius.is_finite()).reduce(f64::min)
}

/// The bodies at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// Time `[s]`.
    pub(crate) time: f64,
    poses: Vec<Pose>,
    velocities: Vec<Vec3>,
    /// Of each joint, true if it is broken; empty if that is not known.
    broken: Vec<bool>,
    /// Forces of contacts, if they were asked for.
    pub(crate) forces: Vec<Force>,
    /// Points of contact, if they were asked for.
    pub(crate) contacts: Vec<Touch>,
    /// Cluster of each body, if they were asked for.
    pub(crate) clusters: Vec<u32>,
}

impl Snapshot {
    /// The bodies of a world.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            time: world.time,
            poses: world.bodies.iter().map(|body| body.pose).collect(),
            velocities: world.bodies.iter().map(|b| b.linear_velocity).collect(),
            broken: world.joints.iter().map(|joint| joint.broken).collect(),
            forces: Vec::new(),
            contacts: Vec::new(),
            clusters: Vec::new(),
        }
    }

    /// Bodies that were recorded, in the order of the world's: positions `[m]`, orientations and velocities `[m/s]`.
    pub(super) fn recorded(time: f64, poses: Vec<Pose>, velocities: Vec<Vec3>) -> Self {
        Self {
            time,
            poses,
            velocities,
            ..Self::default()
        }
    }

    /// With the forces of the last step.
    pub(crate) fn with_forces(mut self, simulation: &Simulation) -> Self {
        let world = simulation.world();
        let Some((_, duration)) = simulation.velocity_plan() else {
            return self;
        };
        let contacts = &simulation.velocity_problem().contacts;
        for (contact, impulse) in contacts.iter().zip(simulation.impulses()) {
            let bodies = [contact.body_a, contact.body_b];
            // One that stands for a turning surface is none of the world's.
            let [a, b] = bodies.map(|body| world.bodies.get(body as usize));
            let normal = f64::from(impulse[0]);
            if normal <= 0.0 {
                continue;
            }
            let sides = [(a, contact.arm_a), (b, contact.arm_b)];
            let Some((body, arm)) = sides.into_iter().find_map(|(body, arm)| Some((body?, arm)))
            else {
                continue;
            };
            let point = body.pose.position + Vec3::from(arm.map(f64::from));
            let end = |body: Option<&Body>| {
                body.filter(|body| body.is_dynamic())
                    .map_or(point, |body| body.pose.position)
            };
            self.forces.push(Force {
                from: end(a),
                to: end(b),
                size: normal / duration,
                reach: reach(&[a, b]).unwrap_or(0.0),
                bodies,
            });
        }
        self
    }

    /// With the contacts of the world as it is.
    pub(crate) fn with_contacts(mut self, simulation: &Simulation) -> Self {
        let bodies = &simulation.world().bodies;
        let touch = |contact: &ContactPoint| Touch {
            point: contact.position,
            normal: contact.normal,
            separation: contact.separation,
            reach: reach(&contact.bodies.map(|body| bodies.get(body as usize))).unwrap_or(0.0),
        };
        self.contacts = simulation.contacts().iter().map(touch).collect();
        self
    }

    /// With the clusters that the last step's problem is cut into.
    pub(crate) fn with_clusters(mut self, simulation: &Simulation) -> Self {
        let clusters = Clusters::cut(simulation.velocity_problem());
        self.clusters = vec![u32::MAX; self.poses.len()];
        for (index, cluster) in clusters.list.iter().enumerate() {
            for copy in clusters.copies_of(cluster) {
                if let Some(of) = self.clusters.get_mut(copy.body as usize) {
                    *of = index as u32;
                }
            }
        }
        self
    }

    /// Speeds of the bodies `[m/s]`.
    pub(crate) fn speeds(&self) -> Vec<f64> {
        self.velocities.iter().map(Vec3::norm).collect()
    }

    /// Puts the bodies of a world where they were.
    pub(crate) fn restore(&self, world: &mut World) {
        world.time = self.time;
        for ((body, pose), velocity) in world
            .bodies
            .iter_mut()
            .zip(&self.poses)
            .zip(&self.velocities)
        {
            body.pose = *pose;
            body.linear_velocity = *velocity;
        }
        for (joint, broken) in world.joints.iter_mut().zip(&self.broken) {
            joint.broken = *broken;
        }
    }
}

/// A box around what a picture is about, along the axes of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// Least coordinates `[m]`.
    pub(crate) min: Vec3,
    /// Largest coordinates `[m]`.
    pub(crate) max: Vec3,
}

/// Share of a crowd on either side that a picture may lose, but one body at least: those that have rolled away.
const STRAYS: f64 = 0.01;
/// Bodies from which on they are a crowd.
const CROWD: usize = 20;

impl Extent {
    /// Around the bodies of a world that move; around all that have an end, if none does.
    pub(crate) fn of(world: &World) -> Option<Self> {
        let boxes = |is_wanted: &dyn Fn(&Body) -> bool| -> Vec<(Vec3, Vec3)> {
            world
                .bodies
                .iter()
                .filter(|body| is_wanted(body))
                .map(|body| body.shape.aabb(&body.pose))
                .filter(drystone::math::Aabb::is_finite)
                .map(|aabb| (aabb.min, aabb.max))
                .collect()
        };
        let mut found = boxes(&Body::is_dynamic);
        if found.is_empty() {
            found = boxes(&|_| true);
        }
        if found.is_empty() {
            return None;
        }
        let lost = if found.len() < CROWD {
            0
        } else {
            (found.len() as f64 * STRAYS).ceil() as usize
        };
        let rank = |pick: &dyn Fn(&(Vec3, Vec3)) -> f64, at: usize| {
            let mut values: Vec<f64> = found.iter().map(pick).collect();
            let (_, value, _) = values.select_nth_unstable_by(at, f64::total_cmp);
            *value
        };
        let last = found.len() - 1;
        Some(Self {
            min: Vec3::from_fn(|axis, _| rank(&|b| b.0[axis], lost)),
            max: Vec3::from_fn(|axis, _| rank(&|b| b.1[axis], last - lost)),
        })
    }

    /// Around both.
    pub(crate) fn with(self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// Its centre `[m]`.
    pub(crate) fn middle(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Half its diagonal `[m]`.
    pub(crate) fn radius(&self) -> f64 {
        0.5 * (self.max - self.min).norm()
    }

    /// Its corners.
    pub(crate) fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            Vec3::from_fn(|axis, _| {
                if corner >> axis & 1 == 1 {
                    self.max[axis]
                } else {
                    self.min[axis]
                }
            })
        })
    }

    /// Height of its lowest corner along a direction, seen from an origin `[m]`.
    pub(crate) fn lowest(&self, up: &Vec3, origin: &Vec3) -> f64 {
        self.corners()
            .iter()
            .map(|corner| (corner - origin).dot(up))
            .fold(f64::INFINITY, f64::min)
    }
}
