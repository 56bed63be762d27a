//! Running the papers' scenes: the same world with one stabilization after the other.

use super::experiment::Context;
use crate::args::ExperimentBackend;
use crate::files::scene_files;
use drystone::math::Vec3;
use drystone::problem::FrictionCone;
use drystone::scene::{Overrides, Scene};
use drystone::solver::Options;
use drystone::stabilize::Stabilization;
use drystone::step::{Settings, Simulation, StepReport};
use drystone::world::{Body, World};
use drystone::{Error, Result};
use std::path::Path;

/// Corners of the friction polygon where the backend cannot have the disk.
const POLYGON: FrictionCone = FrictionCone::Pyramid { directions: 4 };

/// Residual at which a GPU's velocity pass stops `[m/s]`.
const GPU_TOLERANCE: f32 = 1e-6;
/// Residual at which its position pass stops `[m]`.
const GPU_POSITION_TOLERANCE: f32 = 1e-9;
/// Its sweeps between two looks at the residual.
const GPU_CHECK_EVERY: u32 = 40;

/// A state that is measured.
pub(crate) struct Moment<'a> {
    /// After the step.
    pub(crate) world: &'a World,
    pub(crate) report: &'a StepReport,
    /// Before the position pass: where velocities alone took the bodies.
    pub(crate) before_post: &'a World,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// All steps were taken.
    Done,
    /// The watcher had seen enough.
    Stopped,
    /// Numbers grew beyond all bounds.
    Diverged,
}

/// The scenes of the papers, as they are in the program.
const SCENES: &[(&str, &str)] = scene_files!(
    "papers": "balance2", "baumgarte_limit", "chain6", "chain6_g80", "dice3", "five_bodies", "painleve_rod", "pendulum",
    "plank_on_prism", "pyramid1", "rectangle_pushed", "setup6", "three_link_bar"
);

/// Reads a scene of a paper.
///
/// # Errors
/// [`Error::Scene`] if it cannot be read, or is not part of the program.
pub(crate) fn scene(name: &str) -> Result<Scene> {
    let known = SCENES.iter().find(|known| known.0 == name);
    let text = known.map_or("", |known| known.1);
    let path = format!("scenes/papers/{name}.toml");
    Scene::parse(Path::new(&path), text, &Overrides::default())
}

/// A scene's settings with another stabilization, friction as the backend can have it, and no more
/// precision than it can be asked for.
pub(crate) fn settings(context: &Context, scene: &Scene, stabilization: Stabilization) -> Settings {
    let mut settings = Settings {
        stabilization: Stabilization {
            post: scene.settings.stabilization.post,
            ..stabilization
        },
        ..scene.settings
    };
    match context.backend {
        ExperimentBackend::Cpu => {}
        ExperimentBackend::Lemke => settings.friction_cone = POLYGON,
        ExperimentBackend::Gpu => {
            coarsen(&mut settings.solver, GPU_TOLERANCE);
            coarsen(
                &mut settings.stabilization.post.solver,
                GPU_POSITION_TOLERANCE,
            );
        }
    }
    settings
}

/// Each look at the residual waits for the device: few looks, and no sweep for digits that nobody
/// reads.
fn coarsen(options: &mut Options, tolerance: f32) {
    options.tolerance = options.tolerance.max(tolerance);
    options.check_every = options.check_every.max(GPU_CHECK_EVERY);
}

impl Context {
    /// Steps a world for `duration` seconds, and shows the state after each step to `watch`.
    ///
    /// # Errors
    /// As [`Self::run_while`].
    pub(crate) fn run(
        &self,
        label: &str,
        world: &World,
        settings: &Settings,
        duration: f64,
        mut watch: impl FnMut(&Moment<'_>),
    ) -> Result<End> {
        self.run_while(label, world, settings, duration, |moment| {
            watch(moment);
            true
        })
    }

    /// The same as long as `watch` returns true.
    ///
    /// # Errors
    /// Those of the simulation, but for numbers that stop being finite, which are an end like
    /// another.
    pub(crate) fn run_while(
        &self,
        label: &str,
        world: &World,
        settings: &Settings,
        duration: f64,
        mut watch: impl FnMut(&Moment<'_>) -> bool,
    ) -> Result<End> {
        let h = settings.time_step;
        let steps = (duration / h).round() as u64;
        self.progress.part(label, steps);
        let mut simulation = Simulation::new(world.clone(), *settings, self.solver()?)?;
        let mut before_post = world.clone();
        for _ in 0..steps {
            before_post.bodies.clone_from(&simulation.world().bodies);
            let report = match simulation.step() {
                Ok(report) => report,
                Err(Error::NonFinite { .. }) => return Ok(End::Diverged),
                // The solver refuses numbers that do not fit into f32 any more.
                Err(Error::Invalid { .. }) if is_beyond_f32(simulation.world()) => {
                    return Ok(End::Diverged);
                }
                Err(other) => return Err(other),
            };
            // The position pass leaves velocities alone: they tell where bodies were before it.
            let after = &simulation.world().bodies;
            for (body, after) in before_post.bodies.iter_mut().zip(after) {
                if body.is_dynamic() {
                    body.displace(&(h * after.linear_velocity), &(h * after.angular_velocity));
                } else {
                    body.clone_from(after);
                }
            }
            before_post.time = simulation.world().time;
            let goes_on = watch(&Moment {
                world: simulation.world(),
                report: &report,
                before_post: &before_post,
            });
            self.progress.step();
            if !goes_on {
                return Ok(End::Stopped);
            }
        }
        Ok(End::Done)
    }
}

/// True if a velocity has outgrown the numbers of the solvers, as far as they can be squared.
fn is_beyond_f32(world: &World) -> bool {
    let limit = f64::from(f32::MAX).sqrt();
    let mut velocities = world
        .bodies
        .iter()
        .flat_map(|body| [body.linear_velocity.amax(), body.angular_velocity.amax()]);
    velocities.any(|size| !size.is_finite() || size > limit)
}

/// Largest component of the distance between the two anchors of any joint `[m]`: the papers'
/// `max |g|`.
pub(crate) fn largest_anchor_error(world: &World) -> f64 {
    let errors = world.joints.iter().map(|joint| {
        let place = |body: u32, anchor: &Vec3| {
            let body: &Body = &world.bodies[body as usize];
            body.pose.point(anchor)
        };
        let a = place(joint.body_a, &joint.frame_a.position);
        let b = joint.body_b.map_or(joint.frame_b.position, |body| {
            place(body, &joint.frame_b.position)
        });
        (a - b).amax()
    });
    errors.fold(0.0, f64::max)
}
