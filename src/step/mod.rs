//! Time stepping: from one state of a world to the next.
//!
//! [`Simulation::step`] is the table of contents of everything that drystone does.

mod integrate;
mod joints;
mod load;
mod prefetch;
mod settings;
mod substeps;
mod velocity;

pub use settings::{Settings, StepReport, Timings};

use crate::collide::narrowphase::Limits;
use crate::collide::{ContactPoint, Detector};
use crate::constants::{
    MARGIN_PER_RADIUS, MAX_BODIES_OF_A_TEAM, MIN_BLOCKS_OF_A_TEAM, RESTITUTION_THRESHOLD_GH,
};
use crate::error::{Error, Result};
use crate::math::Pose;
use crate::measure::{self, Energy, JointErrors, Penetration};
use crate::parallel::Crew;
use crate::problem::Problem;
use crate::solver::substeps::{SubstepPlan, SubstepProblem, SubstepSolution};
use crate::solver::{Report, Solution, Solver, Status};
use crate::stabilize::PositionPass;
use crate::world::{BodyKind, World};
use integrate::Momentum;
use joints::{Division, Joints};
use load::Wrench;
use std::time::{Duration, Instant};

/// A world, how it is stepped, and what is carried from step to step.
pub struct Simulation {
    world: World,
    settings: Settings,
    solver: Box<dyn Solver>,
    steps: u64,
    /// Where kinematic bodies started, and when; shape `[body_count]`.
    start_poses: Vec<Pose>,
    /// False if no body is kinematic.
    has_kinematic_bodies: bool,

    /// Holds the contacts of the present state: those that the last step left, and that the next one
    /// starts from.
    detector: Detector,
    contacts_are_stale: bool,
    joints: Joints,

    problem: Problem,
    solution: Solution,
    /// In place of the two above where a step has substeps.
    substep_problem: SubstepProblem,
    substep_solution: SubstepSolution,
    substep_memory: substeps::Memory,
    momenta: Vec<Momentum>,
    /// Memory of sums of energies.
    energies: Vec<Energy>,
    loads: Vec<Wrench>,
    position: PositionPass,
    margin: f64,
    crew: Crew,
    timings: Timings,
}

/// What the solvers of a step report.
struct Solved {
    velocity: Report,
    position: Option<Report>,
    broken_joints: usize,
    joints_before_post: JointErrors,
    /// At the end of the step, where it is known.
    energy: Option<Energy>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("backend", &self.solver.backend())
            .field("steps", &self.steps)
            .field("bodies", &self.world.bodies.len())
            .field("contacts", &self.detector.contacts().len())
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
            has_kinematic_bodies: has_kinematic_bodies(&world),
            margin: settings.margin.unwrap_or(MARGIN_PER_RADIUS * smallest),
            position: PositionPass::new(smallest),
            world,
            settings,
            solver,
            steps: 0,
            detector: Detector::new(),
            contacts_are_stale: false,
            joints: Joints::default(),
            problem: Problem::default(),
            solution: Solution::default(),
            substep_problem: SubstepProblem::default(),
            substep_solution: SubstepSolution::default(),
            substep_memory: substeps::Memory::default(),
            momenta: Vec::new(),
            energies: Vec::new(),
            loads: Vec::new(),
            crew: Crew::default(),
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
    /// With [`Settings::substeps`] the first three are repeated in each substep, on the geometry that
    /// the step starts with: see [`solver::substeps`](crate::solver::substeps).
    ///
    /// # Errors
    /// [`Error::NonFinite`] if a number stopped being finite, and what the solver reports. The
    /// world is then as it was before the stage that failed.
    pub fn step(&mut self) -> Result<StepReport> {
        if !self.is_for_a_team() {
            return self.step_alone();
        }
        let mut crew = std::mem::take(&mut self.crew);
        let stepped = crew.together(rayon::current_num_threads(), |_| self.step_alone());
        self.crew = crew;
        stepped
    }

    /// True if threads that stay together from the start of a step to its end make it faster.
    fn is_for_a_team(&self) -> bool {
        let post = self.settings.stabilization.post();
        let (bodies, contacts) = (self.world.bodies.len(), self.detector.contacts().len());
        bodies <= MAX_BODIES_OF_A_TEAM
            && contacts >= MIN_BLOCKS_OF_A_TEAM
            && self.solver.works_on_threads(&self.settings.solver)
            && post.is_none_or(|post| self.solver.works_on_threads(&post.solver))
    }

    fn step_alone(&mut self) -> Result<StepReport> {
        let start = Instant::now();
        self.timings = Timings::default();
        if self.contacts_are_stale {
            self.detector.forget();
            self.has_kinematic_bodies = has_kinematic_bodies(&self.world);
            self.detect_contacts()?;
        }
        let contacts = self.detector.contacts().len();
        let solved = if self.settings.substeps == 0 {
            self.solve_and_stabilize()?
        } else {
            self.solve_substeps()?
        };
        self.detect_contacts()?;
        self.timings.step = start.elapsed();
        Ok(StepReport {
            step: self.steps,
            time: self.world.time,
            contacts,
            velocity: solved.velocity,
            position: solved.position,
            broken_joints: solved.broken_joints,
            joints_before_post: solved.joints_before_post,
            joints: self.joint_errors(),
            penetration: self.penetration(),
            energy: solved
                .energy
                .unwrap_or_else(|| measure::energy_of_chunks(&self.world, &mut self.energies)),
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
        self.detector.contacts()
    }

    /// Penetration of the world as it is now.
    #[must_use]
    pub fn penetration(&self) -> Penetration {
        self.detector.depths().into()
    }

    /// Errors of the joints of the world as it is now.
    #[must_use]
    pub fn joint_errors(&self) -> JointErrors {
        measure::joint_errors(&self.world)
    }

    /// The velocity problem of the last step, as the solver got it. Of a step in substeps it is
    /// [`SubstepProblem::problem`], whose velocities lack the step's forces and whose biases mean nothing.
    #[must_use]
    pub fn velocity_problem(&self) -> &Problem {
        if self.settings.substeps == 0 {
            &self.problem
        } else {
            &self.substep_problem.problem
        }
    }

    /// The last step in substeps, as the solver got it; empty if steps have none.
    #[must_use]
    pub fn substep_problem(&self) -> &SubstepProblem {
        &self.substep_problem
    }

    /// How the solver is told to divide a step; nothing if steps have no substeps.
    #[must_use]
    pub fn substep_plan(&self) -> Option<SubstepPlan> {
        (self.settings.substeps > 0).then(|| {
            substeps::plan(
                &self.settings,
                self.world.gravity.norm(),
                self.position.smallest_radius(),
            )
        })
    }

    /// Impulses `(normal, tangent 1, tangent 2)` of the last step `[N s]`, in the order of
    /// [`Self::velocity_problem`]'s contacts.
    #[must_use]
    pub fn impulses(&self) -> &[[f32; 3]] {
        if self.settings.substeps == 0 {
            &self.solution.impulses
        } else {
            &self.substep_solution.total_impulses
        }
    }

    /// Impulses of the last step's joint rows `[N s]` or `[N m s]`, in the order of
    /// [`Self::velocity_problem`]'s rows.
    #[must_use]
    pub fn joint_impulses(&self) -> &[f32] {
        if self.settings.substeps == 0 {
            &self.solution.joint_impulses
        } else {
            &self.substep_solution.total_joint_impulses
        }
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
        self.detector.load_impulses(&mut self.solution.impulses);
        let h = self.settings.time_step;
        velocity::free_motion(&self.world, h, &mut self.loads, &mut self.momenta);
        velocity::build_problem(
            &self.world,
            &self.settings,
            self.restitution_threshold(),
            self.detector.contacts(),
            &self.solution.impulses,
            &self.momenta,
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
        self.detector.store_impulses(&self.solution.impulses);
        self.timings.pack = built + report.pack_time;
        self.timings.solve = report.solve_time;
        Ok(report)
    }

    /// Velocity LCP, integration and position LCP, one after the other.
    fn solve_and_stabilize(&mut self) -> Result<Solved> {
        let velocity = self.solve_velocities()?;
        let h = self.settings.time_step;
        let impulses = &self.solution.joint_impulses;
        let broken_joints = self
            .joints
            .take_impulses(impulses, impulses, &mut self.world, h);
        integrate::dynamic_bodies(
            &mut self.world.bodies,
            &self.solution.changes,
            &self.momenta,
            h,
        );
        self.advance_time();
        Ok(Solved {
            velocity,
            broken_joints,
            joints_before_post: self.joint_errors(),
            position: self.stabilize()?,
            energy: None,
        })
    }

    /// All substeps at once.
    fn solve_substeps(&mut self) -> Result<Solved> {
        let start = Instant::now();
        let (h, substeps) = (self.settings.time_step, self.settings.substeps);
        substeps::build_bodies(
            &self.world,
            h,
            &mut self.substep_memory,
            &mut self.momenta,
            &mut self.substep_problem,
        );
        substeps::build_contacts(
            &self.world,
            &self.settings,
            self.detector.contacts(),
            self.detector.impulses(),
            &self.substep_memory,
            &mut self.substep_problem,
        );
        let stabilization = &self.settings.stabilization;
        let division = Division {
            scheme: stabilization.joints,
            h,
            substeps,
            max_correction: self.position.max_correction(&stabilization.post),
            radius: self.position.smallest_radius(),
        };
        self.joints.build_laws(
            &self.world,
            &division,
            &self.momenta,
            &mut self.substep_problem,
        );
        let plan = substeps::plan(
            &self.settings,
            self.world.gravity.norm(),
            self.position.smallest_radius(),
        );
        let built = start.elapsed();
        let report =
            self.solver
                .solve_substeps(&self.substep_problem, &plan, &mut self.substep_solution)?;
        if report.velocity.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: "the substeps",
                what: format!("residual of step {}", self.steps + 1),
            });
        }
        let solution = &self.substep_solution;
        self.detector.store_impulses(&solution.impulses);
        let broken_joints = self.joints.take_impulses(
            &solution.joint_impulses,
            &solution.total_joint_impulses,
            &mut self.world,
            h,
        );
        let energy = integrate::dynamic_bodies_in_substeps(
            &mut self.world.bodies,
            solution,
            &self.momenta,
            (substeps, h),
            &self.world.gravity,
            &mut self.energies,
        );
        self.advance_time();
        self.timings.pack = built + report.velocity.pack_time;
        self.timings.solve = report.velocity.solve_time;
        self.timings.position = report.position.map_or(Duration::ZERO, |solved| {
            solved.pack_time + solved.solve_time
        });
        Ok(Solved {
            velocity: report.velocity,
            position: report.position,
            broken_joints,
            joints_before_post: self.joint_errors(),
            energy: Some(energy),
        })
    }

    /// Counts a step whose dynamic bodies have moved, and moves the kinematic ones.
    fn advance_time(&mut self) {
        self.steps += 1;
        self.world.time += self.settings.time_step;
        if self.has_kinematic_bodies {
            let time = self.world.time;
            integrate::kinematic_bodies(&mut self.world.bodies, &self.start_poses, time);
        }
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
            &mut self.detector,
            self.margin,
            &mut *self.solver,
        )?;
        self.timings.position = start.elapsed();
        Ok(Some(report))
    }

    fn detect_contacts(&mut self) -> Result<()> {
        let start = Instant::now();
        let h = self.settings.time_step;
        if self.has_kinematic_bodies {
            let time = self.world.time;
            integrate::prescribe_velocities(&mut self.world.bodies, &self.start_poses, time, h);
        }
        let correction = self
            .settings
            .stabilization
            .post()
            .map_or(0.0, |post| self.position.max_correction(post));
        let limits = Limits {
            margin: self.margin,
            time_step: h,
        };
        self.detector.find_pairs(&self.world, limits, correction)?;
        let paired = Instant::now();
        self.detector.find_contacts(&self.world, limits);
        self.contacts_are_stale = false;
        self.timings.broad += paired - start;
        self.timings.narrow += paired.elapsed();
        Ok(())
    }

    fn restitution_threshold(&self) -> f64 {
        self.settings.restitution_threshold.unwrap_or_else(|| {
            RESTITUTION_THRESHOLD_GH * self.world.gravity.norm() * self.settings.time_step
        })
    }
}

fn has_kinematic_bodies(world: &World) -> bool {
    let mut bodies = world.bodies.iter();
    bodies.any(|body| body.kind == BodyKind::Kinematic)
}
