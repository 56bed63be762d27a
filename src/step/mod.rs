//! Time stepping: from one state of a world to the next.
//!
//! [`Simulation::step`] is the table of contents of everything that drystone does.

mod integrate;
mod joints;
mod load;
mod settings;
mod velocity;

pub use settings::{Settings, StepReport, Timings};

use crate::collide::ContactPoint;
use crate::collide::broadphase::Broadphase;
use crate::collide::impulse_cache::ImpulseCache;
use crate::collide::narrowphase::{self, Limits};
use crate::constants::{MARGIN_PER_RADIUS, RESTITUTION_THRESHOLD_GH};
use crate::error::{Error, Result};
use crate::math::Pose;
use crate::measure::{self, JointErrors, Penetration};
use crate::problem::Problem;
use crate::solver::{Report, Solution, Solver, Status};
use crate::stabilize::PositionPass;
use crate::world::World;
use integrate::Momentum;
use joints::Joints;
use std::time::Instant;

/// A world, how it is stepped, and what is carried from step to step.
pub struct Simulation {
    world: World,
    settings: Settings,
    solver: Box<dyn Solver>,
    steps: u64,
    /// Where kinematic bodies started, and when; shape `[body_count]`.
    start_poses: Vec<Pose>,

    broadphase: Broadphase,
    pairs: Vec<[u32; 2]>,
    /// Contacts of the present state: those that the last step left, and that the next one starts
    /// from.
    contacts: Vec<ContactPoint>,
    contacts_are_stale: bool,
    cache: ImpulseCache,
    joints: Joints,

    problem: Problem,
    solution: Solution,
    momenta: Vec<Momentum>,
    position: PositionPass,
    margin: f64,
    timings: Timings,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("backend", &self.solver.backend())
            .field("steps", &self.steps)
            .field("bodies", &self.world.bodies.len())
            .field("contacts", &self.contacts.len())
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// A simulation about to make its first step.
    ///
    /// # Errors
    /// [`Error::Invalid`] for settings or a world without meaning, [`Error::NonFinite`] for a body
    /// that is nowhere.
    pub fn new(world: World, settings: Settings, solver: Box<dyn Solver>) -> Result<Self> {
        settings.validate()?;
        world.validate()?;
        let smallest = world.smallest_radius();
        let mut simulation = Self {
            start_poses: world.bodies.iter().map(|body| body.pose).collect(),
            margin: settings.margin.unwrap_or(MARGIN_PER_RADIUS * smallest),
            position: PositionPass::new(smallest),
            world,
            settings,
            solver,
            steps: 0,
            broadphase: Broadphase::new(),
            pairs: Vec::new(),
            contacts: Vec::new(),
            contacts_are_stale: false,
            cache: ImpulseCache::default(),
            joints: Joints::default(),
            problem: Problem::default(),
            solution: Solution::default(),
            momenta: Vec::new(),
            timings: Timings::default(),
        };
        simulation.detect_contacts()?;
        Ok(simulation)
    }

    /// One step of length h:
    ///
    /// 1. the velocity LCP gives every body the velocity it ends the step with; joints that cannot
    ///    carry their load break,
    /// 2. bodies move by it,
    /// 3. the position LCP removes the penetration and the errors of joints that are left,
    /// 4. contacts are found anew, for the measures of this step and the start of the next.
    ///
    /// # Errors
    /// [`Error::NonFinite`] if a number stopped being finite, and what the solver reports. The
    /// world is then as it was before the stage that failed.
    pub fn step(&mut self) -> Result<StepReport> {
        let start = Instant::now();
        self.timings = Timings::default();
        if self.contacts_are_stale {
            self.detect_contacts()?;
        }
        let velocity = self.solve_velocities()?;
        let contacts = self.contacts.len();
        let broken_joints = self.break_joints();
        self.integrate();
        let joints_before_post = self.joint_errors();
        let position = self.stabilize()?;
        self.detect_contacts()?;
        self.timings.step = start.elapsed();
        Ok(StepReport {
            step: self.steps,
            time: self.world.time,
            contacts,
            velocity,
            position,
            broken_joints,
            joints_before_post,
            joints: self.joint_errors(),
            penetration: self.penetration(),
            energy: measure::energy(&self.world),
            timings: self.timings,
        })
    }

    /// The world as it is now.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be changed between steps; contacts are then found anew. Bodies may be moved or
    /// pushed, not added or removed.
    #[must_use]
    pub fn world_mut(&mut self) -> &mut World {
        self.contacts_are_stale = true;
        &mut self.world
    }

    /// How the world is stepped.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Contacts of the world as it is now.
    #[must_use]
    pub fn contacts(&self) -> &[ContactPoint] {
        &self.contacts
    }

    /// Penetration of the world as it is now.
    #[must_use]
    pub fn penetration(&self) -> Penetration {
        measure::penetration(&self.contacts)
    }

    /// Errors of the joints of the world as it is now.
    #[must_use]
    pub fn joint_errors(&self) -> JointErrors {
        measure::joint_errors(&self.world)
    }

    /// The velocity problem of the last step, as the solver got it.
    #[must_use]
    pub fn velocity_problem(&self) -> &Problem {
        &self.problem
    }

    /// Impulses `(normal, tangent 1, tangent 2)` of the last step `[N s]`, in the order of
    /// [`Self::velocity_problem`]'s contacts.
    #[must_use]
    pub fn impulses(&self) -> &[[f32; 3]] {
        &self.solution.impulses
    }

    /// Impulses of the last step's joint rows `[N s]` or `[N m s]`, in the order of
    /// [`Self::velocity_problem`]'s rows.
    #[must_use]
    pub fn joint_impulses(&self) -> &[f32] {
        &self.solution.joint_impulses
    }

    /// The last position problem, as the solver got it; empty if there was none.
    #[must_use]
    pub fn position_problem(&self) -> &Problem {
        self.position.problem()
    }

    /// Which backend solves.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.solver.backend()
    }

    /// The adapter that it solves on, if it is a GPU's.
    #[must_use]
    pub fn adapter(&self) -> Option<String> {
        self.solver.adapter()
    }

    fn solve_velocities(&mut self) -> Result<Report> {
        let start = Instant::now();
        self.cache.load(&self.contacts, &mut self.solution.impulses);
        velocity::build_problem(
            &self.world,
            &self.settings,
            self.restitution_threshold(),
            &self.contacts,
            &self.solution.impulses,
            &mut self.momenta,
            &mut self.problem,
        );
        self.joints.build_rows(
            &self.world,
            self.settings.stabilization.joints,
            self.settings.time_step,
            &self.momenta,
            &mut self.problem,
        );
        let built = start.elapsed();
        let report = self
            .solver
            .solve(&self.problem, &self.settings.solver, &mut self.solution)?;
        if report.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: "the velocity solve",
                what: format!("residual of step {}", self.steps + 1),
            });
        }
        self.cache.store(&self.contacts, &self.solution.impulses);
        self.timings.pack = built + report.pack_time;
        self.timings.solve = report.solve_time;
        Ok(report)
    }

    /// Breaks the joints that the last solve overloaded, and returns how many.
    fn break_joints(&mut self) -> usize {
        let impulses = &self.solution.joint_impulses;
        self.joints
            .take_impulses(impulses, &mut self.world, self.settings.time_step)
    }

    fn integrate(&mut self) {
        let h = self.settings.time_step;
        integrate::dynamic_bodies(
            &mut self.world.bodies,
            &self.solution.changes,
            &self.momenta,
            h,
        );
        self.steps += 1;
        self.world.time += h;
        integrate::kinematic_bodies(&mut self.world.bodies, &self.start_poses, self.world.time);
    }

    fn stabilize(&mut self) -> Result<Option<Report>> {
        let stabilization = &self.settings.stabilization;
        if stabilization.post().is_none() {
            return Ok(None);
        }
        let start = Instant::now();
        let report = self.position.run(
            stabilization,
            &mut self.world,
            &self.pairs,
            self.margin,
            &mut *self.solver,
        )?;
        self.timings.position = start.elapsed();
        Ok(Some(report))
    }

    fn detect_contacts(&mut self) -> Result<()> {
        let start = Instant::now();
        let h = self.settings.time_step;
        integrate::prescribe_velocities(
            &mut self.world.bodies,
            &self.start_poses,
            self.world.time,
            h,
        );
        let correction = self
            .settings
            .stabilization
            .post()
            .map_or(0.0, |post| self.position.max_correction(post));
        let reach = velocity::reach(&self.world, self.margin + correction, h);
        self.broadphase
            .find_pairs(&self.world, &reach, &mut self.pairs)?;
        self.drop_joined_pairs();
        let paired = Instant::now();
        let limits = Limits {
            margin: self.margin,
            time_step: h,
        };
        narrowphase::find_contacts(&self.world, &self.pairs, limits, &mut self.contacts);
        self.contacts_are_stale = false;
        self.timings.broad += paired - start;
        self.timings.narrow += paired.elapsed();
        Ok(())
    }

    /// Leaves out the pairs that joints keep from colliding; both lists are sorted.
    fn drop_joined_pairs(&mut self) {
        if self.world.joints.is_empty() {
            return;
        }
        let joined = self.world.excluded_pairs();
        let mut rest = joined.as_slice();
        self.pairs.retain(|pair| {
            while let [first, others @ ..] = rest
                && first < pair
            {
                rest = others;
            }
            rest.first() != Some(pair)
        });
    }

    fn restitution_threshold(&self) -> f64 {
        self.settings.restitution_threshold.unwrap_or_else(|| {
            RESTITUTION_THRESHOLD_GH * self.world.gravity.norm() * self.settings.time_step
        })
    }
}
