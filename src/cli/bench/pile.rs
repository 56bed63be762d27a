//! Piles of any size, and the velocity problem of their last step.

use drystone::Result;
use drystone::problem::Problem;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::path::Path;

/// What a pile is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Spheres,
    Boxes,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Spheres => "spheres",
            Self::Boxes => "boxes",
        }
    }

    /// Distance of neighbours before they fall `[m]`.
    fn spacing(self) -> f64 {
        match self {
            Self::Spheres => 1.15,
            Self::Boxes => 1.8,
        }
    }

    /// Steps until most bodies have landed.
    fn steps(self) -> u32 {
        match self {
            Self::Spheres => 60,
            Self::Boxes => 100,
        }
    }

    fn shape(self) -> &'static str {
        match self {
            Self::Spheres => {
                "shapes = [{ shape = { type = \"sphere\", radius = 0.5 } }]\n\
                 scale = { type = \"uniform\", min = 0.9, max = 1.1 }"
            }
            Self::Boxes => {
                "shapes = [{ shape = { type = \"box\", half_extents = [0.5, 0.5, 0.5] } }]\n\
                 random_orientation = true"
            }
        }
    }
}

/// A pile that has fallen, and the problem that its last step solved.
pub(super) struct Frozen {
    /// `pile_spheres_1000`.
    pub(super) name: String,
    /// Dynamic bodies.
    pub(super) bodies: u32,
    pub(super) problem: Problem,
    /// The velocity that gravity adds in a step `[m/s]`.
    pub(super) gh: f32,
    world: World,
    settings: Settings,
}

impl Frozen {
    /// Lets a pile fall, on the CPU.
    ///
    /// # Errors
    /// What building the scene or stepping it returns.
    pub(super) fn new(kind: Kind, count: u32) -> Result<Self> {
        let name = format!("pile_{}_{count}", kind.name());
        let scene = Scene::parse(
            Path::new(&name),
            &text(&name, kind, count),
            &Overrides::default(),
        )?;
        let settings = scene.settings;
        let gh = (scene.world.gravity.norm() * settings.time_step) as f32;
        let mut simulation = Simulation::new(scene.world, settings, Box::new(CpuSolver::new()))?;
        for _ in 0..kind.steps() {
            simulation.step()?;
        }
        Ok(Self {
            name,
            bodies: count,
            problem: simulation.velocity_problem().clone(),
            gh,
            world: simulation.world().clone(),
            settings,
        })
    }

    /// The pile as it is now, to be stepped on with another solver.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub(super) fn simulation(
        &self,
        solver: Box<dyn drystone::solver::Solver>,
    ) -> Result<Simulation> {
        Simulation::new(self.world.clone(), self.settings, solver)
    }
}

/// The scene, like those of `scenes/bench`: a jittered grid, about as wide as high, above the floor of a box.
fn text(name: &str, kind: Kind, count: u32) -> String {
    let spacing = kind.spacing();
    let columns = f64::from(count).cbrt().round().max(1.0);
    let layers = (f64::from(count) / (columns * columns)).ceil();
    let width = spacing * columns + 0.05;
    let half = 0.5 * width;
    let top = spacing * (layers + 1.0) + 0.05;
    let height = 1.3 * top + 2.0;
    format!(
        r#"name = "{name}"
[simulation]
dt = 0.016666666666666666
steps = 1
seed = 1
[solver]
method = "pgs"
iterations = 15
[stabilization]
method = "post"
iterations = 8
[[container]]
name = "box"
inner = [{width:?}, {width:?}, {height:?}]
thickness = 1.0
[[fill]]
name = "pile"
region = {{ type = "box", min = [-{half:?}, -{half:?}, 0.05], max = [{half:?}, {half:?}, {top:?}] }}
arrangement = "jittered"
spacing = {spacing:?}
jitter = 0.02
count = {count}
density = 1000.0
{}
"#,
        kind.shape()
    )
}
