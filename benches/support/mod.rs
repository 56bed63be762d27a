//! Piles for the benches: scenes stepped until they rest, and the last of their states.

#![allow(dead_code, reason = "each bench uses a part")]

use drystone::collide::ContactPoint;
use drystone::internals::collide::Limits;
use drystone::internals::constants::MARGIN_PER_RADIUS;
use drystone::problem::Problem;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::path::Path;

/// Most steps of a pile where benchmarks are only tried: enough for contacts, too few for rest.
const STEPS_OF_A_TRIAL: u32 = 20;

/// True where every benchmark runs once, to see that it does: under `cargo test --benches`, and with
/// `--test`. The rule is criterion's.
pub(crate) fn is_trial() -> bool {
    let given = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    given("--test") || !given("--bench")
}

/// A scene of `scenes/bench`, stepped as Cline and Pai do.
pub(crate) fn bench_scene(name: &str) -> Scene {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/bench/{name}.toml"));
    by_two_problems(Scene::load(&file, &Overrides::default()).expect("a scene of this repository"))
}

/// A scene whose steps have a velocity and a position problem each.
pub(crate) fn by_two_problems(mut scene: Scene) -> Scene {
    scene.settings = Settings {
        time_step: scene.settings.time_step,
        ..Settings::post_stabilized()
    };
    scene.settings.stabilization.post.solver.iterations = 15;
    scene
}

/// A simulation on the CPU that has made `steps` steps, fewer in a trial.
pub(crate) fn settled(scene: Scene, steps: u32) -> Simulation {
    let steps = if is_trial() {
        steps.min(STEPS_OF_A_TRIAL)
    } else {
        steps
    };
    let solver = Box::new(CpuSolver::new());
    let mut simulation =
        Simulation::new(scene.world, scene.settings, solver).expect("a valid scene");
    for _ in 0..steps {
        simulation.step().expect("a step of a valid scene");
    }
    simulation
}

/// The number of dynamic bodies: walls are no part of a pile's size.
pub(crate) fn pile_size(world: &World) -> u64 {
    let dynamic = world.bodies.iter().filter(|body| body.is_dynamic());
    dynamic.count() as u64
}

/// A pile at rest, and what the stages of a step hand to each other there.
pub(crate) struct Pile {
    /// Name of the scene.
    pub(crate) name: String,
    /// Dynamic bodies.
    pub(crate) size: u64,
    /// Goes on from the state below.
    pub(crate) simulation: Simulation,
    /// The bodies after the last step.
    pub(crate) world: World,
    /// How they are stepped.
    pub(crate) settings: Settings,
    /// What each body's box is grown by in the broadphase `[m]`, shape `[body_count]`.
    pub(crate) reach: Vec<f64>,
    /// What the narrowphase counts as a contact.
    pub(crate) limits: Limits,
    /// Contacts that the last step started from, shape `[contact_count]`.
    pub(crate) contacts: Vec<ContactPoint>,
    /// Contacts after the last step.
    pub(crate) next_contacts: Vec<ContactPoint>,
    /// The last step's velocity problem, on `contacts`.
    pub(crate) problem: Problem,
    /// Its impulses `[N s]`, shape `[contact_count]`.
    pub(crate) impulses: Vec<[f32; 3]>,
}

impl Pile {
    /// Settles a scene of `scenes/bench`.
    pub(crate) fn settle(name: &str, steps: u32) -> Self {
        let mut simulation = settled(bench_scene(name), steps - 1);
        let contacts = simulation.contacts().to_vec();
        simulation.step().expect("a step of a valid scene");
        let world = simulation.world().clone();
        let settings = *simulation.settings();
        let margin = settings
            .margin
            .unwrap_or(MARGIN_PER_RADIUS * world.smallest_radius());
        Self {
            name: name.to_owned(),
            size: pile_size(&world),
            reach: reach(&world, margin, settings.time_step),
            limits: Limits {
                margin,
                time_step: settings.time_step,
                lead: 0.0,
                model: Default::default(),
            },
            contacts,
            next_contacts: simulation.contacts().to_vec(),
            problem: simulation.velocity_problem().clone(),
            impulses: simulation.impulses().to_vec(),
            world,
            settings,
            simulation,
        }
    }

    /// Contacts of the velocity problem.
    pub(crate) fn contact_count(&self) -> u64 {
        self.problem.contacts.len() as u64
    }
}

/// Half the margin and the way that a body's fastest point can go in a step `[m]`, as a step's
/// broadphase has it.
fn reach(world: &World, margin: f64, h: f64) -> Vec<f64> {
    let fall = world.gravity.norm() * h;
    let bodies = world.bodies.iter();
    bodies
        .map(|body| {
            let radius = body.shape.bounding_radius();
            let spin = if radius.is_finite() {
                body.angular_velocity.norm() * radius
            } else {
                0.0
            };
            let fall = if body.is_dynamic() { fall } else { 0.0 };
            0.5 * margin + h * (body.linear_velocity.norm() + spin + fall)
        })
        .collect()
}
