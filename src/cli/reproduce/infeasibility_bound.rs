//! The bound on the infeasibility: `I <= C |v|^2 h^2`, so that what does not move has none.
//!
//! Source: Hart's thesis talk, main result and its consequences.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate;
use crate::args::ExperimentBackend;
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::math::{Pose, Quat, Vec3};
use drystone::measure::infeasibility;
use drystone::scene::Scene;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, World};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "infeasibility_bound",
    title: "Infeasibility is at most C |v|^2 h^2, and none where nothing moves",
    source: "Hart, thesis talk, main result (I <= C |v|^2 h^2) and its consequences",
    run: reproduce,
};

/// Steps per second.
const PER_SECOND: [f64; 4] = [50.0, 100.0, 200.0, 400.0];
/// Speeds below which the bound is rounding `[m/s]`.
const SLOW: f64 = 0.1;

fn reproduce(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for name in ["plank_on_prism", "dice3", "setup6"] {
        let scene = simulate::scene(name)?;
        let mut constants = Vec::new();
        context.progress.part(name, PER_SECOND.len() as u64);
        for per_second in PER_SECOND {
            let h = 1.0 / per_second;
            let run = bound(&scene, h)?;
            constants.push(run.constant);
            outcome_points(name, h, &run, &mut series);
            context.progress.step();
        }
        let largest = constants.iter().copied().fold(0.0, f64::max);
        outcome.published_row(
            format!("main result, {name}: the constant C, largest of four steps, h = 1/50 to 1/400 s, over that of 1/50 s"),
            "",
            "one C for all h",
            Expected::at_most(2.0),
            largest / constants[0],
        );
    }
    at_rest(&mut outcome)?;
    outcome.note(
        "|v| is the largest speed of any point of a body. Steps slower than 0.1 m/s are left out of the constant: there the solver's tolerance is \
         larger than the bound.",
    );
    if context.backend != ExperimentBackend::Cpu {
        outcome.note("Run by sweeps on the CPU, whatever the backend.");
    }
    outcome.plots.push(Plot {
        name: "bound",
        title: "Largest infeasibility over |v|^2 h^2".into(),
        x: Axis::logarithmic("h [s]"),
        y: Axis::logarithmic("max I / (|v|² h²) [1/m²]"),
        series,
        seen: "The constant does not grow as the step shrinks.".into(),
    });
    Ok(outcome)
}

struct Run {
    /// Largest I over the square of what the fastest point moves by in the step before `[1/m^2]`.
    constant: f64,
}

fn outcome_points(name: &str, h: f64, run: &Run, series: &mut Vec<Series>) {
    match series.iter_mut().find(|series| series.label == name) {
        Some(series) => series.points.push((h, run.constant)),
        None => series.push(Series::new(name, vec![(h, run.constant)])),
    }
}

fn settings(scene: &Scene, h: f64) -> Settings {
    Settings {
        time_step: h,
        substeps: Some(0),
        stabilization: Stabilization::both(Scheme::Gamma { gamma: 1.0 }),
        ..scene.settings
    }
}

fn bound(scene: &Scene, h: f64) -> Result<Run> {
    let mut simulation = Simulation::new(
        scene.world.clone(),
        settings(scene, h),
        Box::new(CpuSolver::new()),
    )?;
    let steps = (scene.steps as f64 * scene.settings.time_step / h).round() as u64;
    let mut constant: f64 = 0.0;
    for _ in 0..steps {
        simulation.step()?;
        let speed = fastest(simulation.world());
        if speed > SLOW {
            let moved = speed * h;
            constant = constant.max(infeasibility(simulation.world()) / (moved * moved));
        }
    }
    Ok(Run { constant })
}

/// Largest speed of a point of any dynamic body `[m/s]`.
fn fastest(world: &World) -> f64 {
    let of = |body: &Body| {
        body.linear_velocity.norm() + body.angular_velocity.norm() * body.shape.bounding_radius()
    };
    let dynamic = world.bodies.iter().filter(|body| body.is_dynamic());
    dynamic.map(of).fold(0.0, f64::max)
}

/// Boxes on each other that start at rest, and boxes that start in each other.
fn at_rest(outcome: &mut Outcome) -> Result<()> {
    for (name, overlap) in [
        (
            "consequences of the theorem, five boxes that touch and rest: largest infeasibility in 1 s",
            0.0,
        ),
        (
            "the same, started 1 mm in each other: infeasibility once nothing moves",
            1e-3,
        ),
    ] {
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        let cuboid = |half: f64| Shape::Box {
            half_extents: Vec3::repeat(half),
        };
        let at = |z: f64| Pose::new(Vec3::z() * z, Quat::identity());
        world.add(Body::fixed(cuboid(2.0), at(-2.0)))?;
        for k in 0..5 {
            let height = 0.5 + f64::from(k) - overlap * f64::from(k + 1);
            world.add(Body::dynamic_with_mass(cuboid(0.5), at(height), 1.0)?)?;
        }
        let settings = Settings {
            time_step: 0.01,
            substeps: Some(0),
            stabilization: Stabilization::both(Scheme::Gamma { gamma: 1.0 }),
            friction_cone: drystone::problem::FrictionCone::Pyramid { directions: 4 },
            ..Settings::post_stabilized()
        };
        let mut simulation = Simulation::new(world, settings, Box::new(LemkeSolver::new()))?;
        let (mut worst, mut last): (f64, f64) = (0.0, 0.0);
        for _ in 0..100 {
            simulation.step()?;
            last = infeasibility(simulation.world());
            worst = worst.max(last);
        }
        outcome.published_row(
            name,
            "",
            "0 for v = 0",
            Expected::at_most(1e-9),
            if overlap == 0.0 { worst } else { last },
        );
    }
    Ok(())
}
