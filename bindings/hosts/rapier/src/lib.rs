//! drystone in the place of Rapier's solver.
//!
//! Rapier finds the contacts, by its own broad and narrow phase; drystone solves them in substeps and moves the bodies. Rapier's solver,
//! islands and sleep are not run.
//!
//! ```
//! use rapier3d::prelude::*;
//!
//! let mut world = PhysicsWorld::default();
//! world.insert(RigidBodyBuilder::fixed(), ColliderBuilder::cuboid(9.0, 1.0, 9.0));
//! let (ball, _) = world.insert(RigidBodyBuilder::dynamic().translation(Vector::Y * 2.0), ColliderBuilder::ball(0.5));
//! let mut host = drystone_rapier::Host::default();
//! for _ in 0..120 {
//!     host.step(&mut world)?; // in place of `world.step()`
//! }
//! assert!((world.bodies[ball].translation().y - 1.5).abs() < 0.01);
//! # Ok::<(), drystone_rapier::Error>(())
//! ```

mod bodies;
mod contacts;
pub mod scenes;

use bodies::Bodies;
use contacts::Contacts;
use drystone::problem::ProblemRef;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::substeps::{SubstepPlan, SubstepReport};
use drystone::solver::{Plan, Solution, Solver, WarmStart};
use rapier3d::prelude::*;
use std::time::Instant;

/// Why a step was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The world has something that this host does not move.
    #[error("{what}: not supported by drystone's host for Rapier")]
    Unsupported {
        /// It, by its handle.
        what: String,
    },
    /// The solver's.
    #[error(transparent)]
    Solver(#[from] drystone::Error),
}

impl Error {
    fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into() }
    }
}

/// A step's settings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// Number of substeps; none is the number that drystone recommends to hosts.
    pub substeps: Option<u32>,
    /// How far a body may have moved without Rapier being told, in multiples of its unit of length; 0 tells it in every step.
    ///
    /// Contacts between bodies that Rapier knows at rest are not found afresh; their gaps follow the bodies all the same. Rapier's own step
    /// does likewise, up to 0.05 by default. Poses in `world.bodies` are then up to so far from [`Host::pose`] until [`Host::publish`].
    pub recycle: f32,
}

/// Times of a step's parts `[s]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Rapier's broad and narrow phase.
    pub collide: f64,
    /// Bodies and contacts to drystone's form and back, warm start included.
    pub exchange: f64,
    /// drystone's solver.
    pub solve: f64,
}

/// Moves a world of Rapier's by drystone's solver.
///
/// The solver runs on the rayon pool that it is called in.
#[derive(Debug, Default)]
pub struct Host {
    /// How steps are made.
    pub settings: Settings,
    solver: CpuSolver,
    warm: WarmStart,
    solution: Solution,
    bodies: Bodies,
    contacts: Contacts,
    times: Times,
}

impl Host {
    /// A host with these settings.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// One step of `world.integration_parameters.dt`: velocities and poses of its bodies.
    ///
    /// Contacts with friction and restitution; dynamic, kinematic and fixed bodies; forces, damping, gyroscopic forces. Continuous
    /// collision detection is not run, and no events are sent.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for joints, soft bodies, locked axes and dominance, before anything has moved;
    /// [`Error::Solver`] for numbers without meaning or that are not finite.
    pub fn step(&mut self, world: &mut PhysicsWorld) -> Result<SubstepReport, Error> {
        if !world.impulse_joints.is_empty() || world.multibody_joints.iter().next().is_some() {
            return Err(Error::unsupported("a world with joints"));
        }
        if world.soft_bodies.iter().next().is_some() {
            return Err(Error::unsupported("a world with soft bodies"));
        }
        let unit = world.integration_parameters.length_unit;
        let h = world.integration_parameters.dt;
        let recycle = self.settings.recycle * unit;

        let began = Instant::now();
        // Far enough to see what meets within the step, and what has come closer without Rapier being told.
        let least = world.integration_parameters.prediction_distance() + 2.0 * recycle;
        let prediction = (bodies::fastest(&world.bodies) * h).clamp(least, least + unit);
        world.collision_pipeline.step(
            prediction,
            &mut world.islands,
            &mut world.broad_phase,
            &mut world.narrow_phase,
            &mut world.bodies,
            &mut world.colliders,
            &(),
            &(),
        );
        let collided = Instant::now();

        self.bodies.take(world)?;
        self.contacts
            .take(&world.narrow_phase, &world.bodies, &self.bodies)?;
        self.contacts.measure_sizes(&self.bodies.records);
        let gravity = world.gravity.length();
        let stated = self.contacts.problem(&self.bodies.records);
        let plan = match self.settings.substeps {
            None => SubstepPlan::recommended_for(&stated, h.into(), gravity.into()),
            Some(count) => {
                SubstepPlan::recommended_for_in(count, &stated, h.into(), gravity.into())
            }
        };
        let plan = Plan::from(plan);
        self.contacts.warm_start(&mut self.warm, &plan)?;
        let problem: ProblemRef<'_> = self.contacts.problem(&self.bodies.records);
        let taken = Instant::now();

        let report = self.solver.step(&problem, &plan, &mut self.solution)?;
        let solved = Instant::now();

        self.warm
            .store(self.contacts.keys(), &problem, &plan, &self.solution)?;
        self.bodies.poses.give(world, recycle, |body| {
            plan.motion(h.into(), &problem, &self.solution, body)
        })?;
        let seconds = |from: Instant, to: Instant| (to - from).as_secs_f64();
        self.times = Times {
            collide: seconds(began, collided),
            exchange: seconds(collided, taken) + solved.elapsed().as_secs_f64(),
            solve: seconds(taken, solved),
        };
        Ok(report)
    }

    /// A body's pose; that of `world.bodies` if the host has not moved it.
    #[must_use]
    pub fn pose(&self, world: &PhysicsWorld, handle: RigidBodyHandle) -> Option<Pose> {
        let body = world.bodies.get(handle)?;
        Some(self.bodies.poses.pose(handle, body))
    }

    /// Writes all poses to `world.bodies`; of use with [`Settings::recycle`].
    pub fn publish(&mut self, world: &mut PhysicsWorld) {
        self.bodies.poses.publish(world);
    }

    /// Number of contact points in the last step.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.contacts.keys().len()
    }

    /// Times of the last step.
    #[must_use]
    pub fn times(&self) -> Times {
        self.times
    }
}
