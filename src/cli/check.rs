//! `drystone check`.

use crate::args::CheckArgs;
use crate::console::{self, scientific};
use crate::failure::Failure;
use crate::plan;
use drystone::scene::Scene;
use drystone::solver::Options;
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::{Body, BodyKind, Shape};
use std::collections::BTreeMap;

/// Reads and builds a scene, looks at its first state, and reports.
pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut scene = plan::load(&args.scene, None)?;
    let simulation = Simulation::new(
        plan::take_world(&mut scene),
        scene.settings,
        Box::new(CpuSolver::new()),
    )
    .map_err(Failure::while_preparing)?;
    console::out(&report(&scene, &simulation))
}

fn report(scene: &Scene, simulation: &Simulation) -> String {
    let settings = &scene.settings;
    let overlap = simulation.penetration();
    let mut rows = vec![("scene", scene.name.clone())];
    if let Some(line) = scene.description.lines().find(|l| !l.trim().is_empty()) {
        rows.push(("description", line.trim().to_owned()));
    }
    rows.extend([
        ("bodies", bodies(&simulation.world().bodies)),
        (
            "steps",
            format!(
                "{} of {} s ({} s)",
                scene.steps,
                settings.time_step,
                scene.steps as f64 * settings.time_step
            ),
        ),
        ("seed", scene.seed.to_string()),
        ("velocity solver", options(&settings.solver, "m/s")),
        (
            "stabilization",
            match settings.stabilization.post() {
                Some(post) => format!("post: {}", options(&post.solver, "m")),
                None => format!("{:?}", settings.stabilization.contacts).to_lowercase(),
            },
        ),
        ("friction", format!("{:?}", settings.friction_cone)),
        ("probes", scene.probes.len().to_string()),
        ("contacts at start", simulation.contacts().len().to_string()),
        (
            "overlaps at start",
            if overlap.count == 0 {
                "none".to_owned()
            } else {
                format!(
                    "{} contact points, {} m at most, {} m in the mean",
                    overlap.count,
                    scientific(overlap.max),
                    scientific(overlap.mean)
                )
            },
        ),
    ]);
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(name, value)| vec![name.to_owned(), value])
        .collect();
    console::table(&rows, &[])
}

fn options(options: &Options, unit: &str) -> String {
    let until = if options.tolerance > 0.0 {
        format!(", until {} {unit}", options.tolerance)
    } else {
        String::new()
    };
    format!(
        "{}, {} iterations{until}",
        options.method.name(),
        options.iterations
    )
}

/// `12: 10 dynamic, 1 fixed, 1 kinematic; 11 spheres, 1 half-space`.
fn bodies(bodies: &[Body]) -> String {
    let mut shapes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for body in bodies {
        let shape = match body.shape {
            Shape::Sphere { .. } => ("sphere", "spheres"),
            Shape::Box { .. } => ("box", "boxes"),
            Shape::Capsule { .. } => ("capsule", "capsules"),
            Shape::HalfSpace { .. } => ("half-space", "half-spaces"),
            Shape::Compound { .. } => ("compound", "compounds"),
        };
        *shapes.entry(shape).or_default() += 1;
    }
    let kinds = [
        (BodyKind::Dynamic, "dynamic"),
        (BodyKind::Fixed, "fixed"),
        (BodyKind::Kinematic, "kinematic"),
    ]
    .into_iter()
    .map(|(kind, name)| (bodies.iter().filter(|b| b.kind == kind).count(), name))
    .filter(|&(count, _)| count > 0)
    .map(|(count, name)| format!("{count} {name}"))
    .collect::<Vec<_>>()
    .join(", ");
    let shapes = shapes
        .into_iter()
        .map(|((one, many), count)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect::<Vec<_>>()
        .join(", ");
    format!("{}: {kinds}; {shapes}", bodies.len())
}
