//! Runs that run away: energy or penetration beyond what forces and motions put in.
//!
//! Contacts, joints and their friction do no work, or take some. What a world may hold is therefore its energy at the start, the
//! work of its loads, and what its moving bodies may lift and throw. The bound is generous: it is for runs that
//! have gone wrong, not for measuring how exact they are.

use super::{Energy, Penetration};
use crate::constants::{
    BODIES_PER_THREAD, RUNAWAY_DEPTH_PER_RADIUS, RUNAWAY_ENERGY_SHARE, RUNAWAY_FALL_PER_RADIUS,
    RUNAWAY_THROW,
};
use crate::math::Vec3;
use crate::parallel;
use crate::world::joint::JointKind;
use crate::world::{Body, BodyKind, World};

/// A state that forces and motions do not explain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Runaway {
    /// The energy is larger than can be.
    Energy {
        /// Kinetic and potential `[J]`.
        energy: f64,
        /// Bound on it `[J]`.
        bound: f64,
    },
    /// Bodies are deeper in each other than they were, and than the smallest is large.
    Penetration {
        /// Largest penetration `[m]`.
        depth: f64,
        /// Bound on it `[m]`.
        bound: f64,
    },
}

/// Watches a run, step by step.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct RunawayWatch {
    /// Energy at the start, and its scale: what was there, and what has come from falling `[J]`.
    start: Energy,
    lowest_potential: f64,
    /// Work of the loads so far, at most `[J]`.
    work: f64,
    /// Mass of the dynamic bodies `[kg]`.
    mass: f64,
    /// Radius of the smallest dynamic body, and the diameter of all `[m]`.
    radius: f64,
    diameter: f64,
    /// Largest speed of a point of a moving body so far `[m/s]`.
    fastest: f64,
    deepest_allowed: f64,
    /// Joints that drive, or that store energy: then the energy has no bound here.
    has_drives: bool,
}

impl RunawayWatch {
    /// A watch over a world at its start, whose energy and penetration then are given.
    #[must_use]
    pub fn new(world: &World, energy: Energy, penetration: &Penetration) -> Self {
        let dynamic = || world.bodies.iter().filter(|body| body.is_dynamic());
        let radius = world.smallest_radius();
        let (mut min, mut max) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for body in &world.bodies {
            let reach = body.shape.bounding_radius();
            if reach.is_finite() {
                min = min.inf(&body.pose.position.add_scalar(-reach));
                max = max.sup(&body.pose.position.add_scalar(reach));
            }
        }
        let diameter = (max - min).norm();
        Self {
            start: energy,
            lowest_potential: energy.potential,
            work: 0.0,
            mass: dynamic().map(|body| body.mass.mass).sum(),
            radius,
            diameter: if diameter.is_finite() {
                diameter
            } else {
                radius
            },
            fastest: 0.0,
            deepest_allowed: (RUNAWAY_DEPTH_PER_RADIUS * radius).max(2.0 * penetration.max),
            has_drives: world.joints.iter().any(|joint| {
                joint.motor.is_some() || joint.spring.is_some() || is_prescribed(&joint.kind)
            }),
        }
    }

    /// Looks at the world after a step of length `time_step` `[s]`.
    pub fn step(
        &mut self,
        world: &World,
        energy: Energy,
        penetration: &Penetration,
        time_step: f64,
    ) -> Option<Runaway> {
        if penetration.max > self.deepest_allowed {
            return Some(Runaway::Penetration {
                depth: penetration.max,
                bound: self.deepest_allowed,
            });
        }
        if self.has_drives {
            return None;
        }
        for load in &world.loads {
            let acts = load.from < world.time && world.time - time_step < load.until;
            if acts && let Some(body) = world.bodies.get(load.body as usize) {
                let power = load.force.norm() * body.linear_velocity.norm()
                    + (load.torque.norm() + load.force.norm() * body_reach(body))
                        * body.angular_velocity.norm();
                self.work += power * time_step;
            }
        }
        let fastest = |_, bodies: &[Body]| {
            let moved = bodies.iter().filter(|body| body.kind != BodyKind::Dynamic);
            let speeds = moved.map(|body| {
                let turning = body.angular_velocity.norm() * body_reach(body);
                body.linear_velocity.norm() + turning
            });
            speeds.fold(0.0, f64::max)
        };
        let bodies = world.bodies.as_slice();
        self.fastest = parallel::fold(bodies, BODIES_PER_THREAD, self.fastest, fastest, f64::max);
        self.lowest_potential = self.lowest_potential.min(energy.potential);
        let gravity = world.gravity.norm();
        let fallen = self.start.potential - self.lowest_potential;
        let scale = self.start.kinetic + fallen + self.work;
        // Energy that moving bodies may throw with, and lift.
        let driven = if self.fastest > 0.0 {
            self.mass
                * (RUNAWAY_THROW * self.fastest * self.fastest + 2.0 * gravity * self.diameter)
        } else {
            0.0
        };
        let bound = self.start.kinetic
            + self.start.potential
            + 2.0 * self.work
            + driven
            + RUNAWAY_ENERGY_SHARE * scale
            + self.mass * gravity * RUNAWAY_FALL_PER_RADIUS * self.radius;
        let energy = energy.kinetic + energy.potential;
        (energy > bound).then_some(Runaway::Energy { energy, bound })
    }
}

fn is_prescribed(kind: &JointKind) -> bool {
    matches!(kind, JointKind::PrescribedVelocity { .. })
}

/// Radius of a body, 0 without an end.
fn body_reach(body: &Body) -> f64 {
    let radius = body.shape.bounding_radius();
    if radius.is_finite() { radius } else { 0.0 }
}

impl std::fmt::Display for Runaway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Energy { energy, bound } => write!(
                f,
                "the energy is {energy:.4e} J, and forces and motions explain at most {bound:.4e} J"
            ),
            Self::Penetration { depth, bound } => write!(
                f,
                "bodies are {depth:.4e} m deep in each other, more than {bound:.4e} m"
            ),
        }
    }
}
