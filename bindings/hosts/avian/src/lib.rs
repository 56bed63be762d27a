//! drystone in the place of Avian's contact solver.
//!
//! [`DrystonePlugin`] goes behind Avian's own plugins. Avian finds the contacts by its own broad and narrow phase; drystone solves them in
//! substeps and moves the bodies; Avian writes their poses back, sweeps fast ones, and puts islands to sleep.
//!
//! ```
//! use avian3d::prelude::*;
//! use bevy::prelude::*;
//! use drystone_avian::{DrystonePlugin, scenes};
//!
//! let mut app = scenes::headless(); // Bevy's minimal plugins and `PhysicsPlugins::default()`
//! app.add_plugins(DrystonePlugin::default());
//! app.finish();
//! app.world_mut().spawn((RigidBody::Static, Collider::cuboid(9.0, 1.0, 9.0)));
//! let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 2.0, 0.0));
//! let ball = app.world_mut().spawn(ball).id();
//! for _ in 0..120 {
//!     app.update();
//! }
//! assert!((app.world().get::<Position>(ball).unwrap().y - 1.0).abs() < 0.01);
//! ```
//!
//! # Left to Avian
//!
//! Bodies that drystone does not move, and every body that hangs together with one by contacts, are solved by Avian's own solver in the same
//! step: see [`Host::left_to_avian`].

mod bodies;
mod contacts;
mod groups;
pub mod scenes;

use avian3d::collision::contact_types::ContactGraph;
use avian3d::dynamics::solver::constraint_graph::ConstraintGraph;
use avian3d::dynamics::solver::solver_body::SolverBodies;
use avian3d::prelude::*;
use bevy::ecs::error::BevyError;
use bevy::prelude::*;
use bodies::{Bodies, BodyData};
use contacts::{Contacts, Side};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::substeps::{SubstepPlan, SubstepReport};
use drystone::solver::{Plan, Solution, Solver, WarmStart};
use groups::{Groups, Traits};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A step's settings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// Number of drystone's substeps; none is the number that it recommends to hosts. Avian's `SubstepCount` counts for what is left to Avian.
    pub substeps: Option<u32>,
}

/// Times of a step's parts `[s]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Bodies and contacts to drystone's form and back, warm start included.
    pub exchange: f64,
    /// drystone's solver.
    pub solve: f64,
}

/// [`NarrowPhaseConfig::recycle_distance`] with drystone.
///
/// A corner that comes down while a pair's last contacts are still taken is found that much too deep. With Avian's 0.05, two boxes that rocked
/// on an edge went on for five seconds.
pub const RECYCLE_DISTANCE: f32 = 0.01;

/// Has drystone solve the contacts of Avian's bodies, on rayon's global pool unless Bevy's systems run in another.
///
/// Add it behind `PhysicsPlugins`. The step's system returns an error for numbers without meaning or that are not finite, before anything
/// has moved in that step; Bevy's error handler says what becomes of it, by default a panic.
///
/// Where [`NarrowPhaseConfig::recycle_distance`] is Avian's default, it becomes [`RECYCLE_DISTANCE`]; one that is set later holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct DrystonePlugin {
    /// Settings of drystone's step; later in [`Host::settings`].
    pub settings: Settings,
}

impl Plugin for DrystonePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Host {
            settings: self.settings,
            ..Host::default()
        });
        let mut config = app.world_mut().get_resource_or_init::<NarrowPhaseConfig>();
        if config.recycle_distance == NarrowPhaseConfig::default().recycle_distance {
            config.recycle_distance = RECYCLE_DISTANCE;
        }
        // Avian's part of a step is empty unless something is left to it.
        for set in [
            SolverSystems::PrepareContactConstraints,
            SolverSystems::Substep,
            SolverSystems::Restitution,
            SolverSystems::StoreContactImpulses,
        ] {
            app.configure_sets(PhysicsSchedule, set.run_if(something_is_left));
        }
        app.add_systems(
            PhysicsSchedule,
            (
                divide
                    .after(SolverSystems::PrepareSolverBodies)
                    .before(SolverSystems::PrepareJoints),
                solve
                    .after(SolverSystems::PreSubstep)
                    .before(SolverSystems::Substep),
            )
                .in_set(PhysicsStepSystems::Solver),
        );
    }
}

/// A solver in a resource, which has to be one that threads could share.
struct Shared(Mutex<Box<dyn Solver>>);

impl Default for Shared {
    fn default() -> Self {
        Self(Mutex::new(Box::new(CpuSolver::new())))
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared(..)")
    }
}

impl Shared {
    fn get(&mut self) -> &mut dyn Solver {
        let solver = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        &mut **solver
    }
}

/// drystone between two steps.
#[derive(Resource, Debug, Default)]
pub struct Host {
    /// Settings of drystone's step.
    pub settings: Settings,
    solver: Shared,
    warm: WarmStart,
    solution: Solution,
    groups: Groups,
    bodies: Bodies,
    contacts: Contacts,
    times: Times,
    report: Option<SubstepReport>,
}

impl Host {
    /// Has another solver do the work, such as one on a GPU; by default it is drystone's on the CPU.
    pub fn set_solver(&mut self, solver: impl Solver + 'static) {
        self.solver = Shared(Mutex::new(Box::new(solver)));
    }

    /// Number of bodies in the last step that Avian's solver moved.
    ///
    /// Those are what hangs together, by contacts, with a body that has a joint or another constraint of Avian's solver, a
    /// dominance, a locked translation, a largest speed, an integration of its own or no mass, or that touches a surface which moves.
    #[must_use]
    pub fn left_to_avian(&self) -> usize {
        self.groups.left_count()
    }

    /// Number of contact points that drystone solved in the last step.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.contacts.keys().len()
    }

    /// End of the last solve of contacts; none before the first.
    #[must_use]
    pub fn report(&self) -> Option<&SubstepReport> {
        self.report.as_ref()
    }

    /// Times of the last step.
    #[must_use]
    pub fn times(&self) -> Times {
        self.times
    }
}

fn something_is_left(host: Res<Host>) -> bool {
    host.left_to_avian() > 0
}

/// Finds out what drystone moves in this step.
fn divide(
    mut host: ResMut<Host>,
    graph: Res<ContactGraph>,
    solver_bodies: Res<SolverBodies>,
    bodies: Query<Traits>,
    sides: Query<Side>,
) {
    host.groups.divide(&graph, &solver_bodies, &bodies, &sides);
}

/// Velocities and displacements of all bodies that are not left to Avian.
#[allow(
    clippy::too_many_arguments,
    reason = "a system's arguments are what it reads and writes"
)]
fn solve(
    mut host: ResMut<Host>,
    mut graph: ResMut<ContactGraph>,
    mut constraints: ResMut<ConstraintGraph>,
    mut solver_bodies: ResMut<SolverBodies>,
    mut bodies: Query<BodyData>,
    sides: Query<Side>,
    gravity: Res<Gravity>,
    (time, substep_time, substeps): (Res<Time<Physics>>, Res<Time<Substeps>>, Res<SubstepCount>),
) -> Result<(), BevyError> {
    let host = &mut *host;
    let began = Instant::now();
    let h = time.delta_secs_f64();
    let parts = (substeps.0, substep_time.delta_secs());
    host.bodies
        .take(&solver_bodies, &bodies, &host.groups, parts);
    host.contacts
        .take(&graph, &sides, &host.groups, &host.bodies.records);
    host.contacts.measure_sizes(&host.bodies.records);
    let gravity = f64::from(gravity.0.length());
    let stated = host.contacts.problem(&host.bodies.records);
    let plan = Plan::from(match host.settings.substeps {
        None => SubstepPlan::recommended_for(&stated, h, gravity),
        Some(count) => SubstepPlan::recommended_for_in(count, &stated, h, gravity),
    });
    host.contacts.warm_start(&mut host.warm, &plan)?;
    let problem = host.contacts.problem(&host.bodies.records);
    let taken = Instant::now();

    let solver = host.solver.get();
    host.report = Some(solver.step(&problem, &plan, &mut host.solution)?);
    let solved = Instant::now();

    let keys = host.contacts.keys();
    host.warm.store(keys, &problem, &plan, &host.solution)?;
    let solution = &host.solution;
    host.bodies
        .give(&mut solver_bodies, &mut bodies, &host.groups, |body| {
            plan.motion(h, &problem, solution, body)
        })?;
    host.contacts
        .give_impulses(&mut graph, solution.contact_impulses());
    host.groups.keep_left(&mut constraints);
    host.times = Times {
        exchange: (taken - began).as_secs_f64() + solved.elapsed().as_secs_f64(),
        solve: (solved - taken).as_secs_f64(),
    };
    Ok(())
}
