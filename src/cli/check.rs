//! `drystone check`.

use crate::args::CheckArgs;
use crate::console::{self, scientific};
use crate::failure::Failure;
use crate::plan;
use drystone::measure::Penetration;
use drystone::scene::Scene;
use drystone::solver::Options;
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, BodyKind, Joint, Shape};
use std::collections::BTreeMap;

/// Reads and builds a scene, looks at its first state, and reports.
pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut scene = plan::load(&args.scene, None, false)?;
    let simulation = Simulation::new(
        plan::take_world(&mut scene),
        scene.settings,
        Box::new(CpuSolver::new()),
    )
    .map_err(Failure::while_preparing)?;
    Ok(console::out(&report(&scene, &simulation))?)
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
        ("joints", joints(&simulation.world().joints)),
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
    ]);
    if let Some(event) = &settings.event {
        let otherwise = if event.velocity_steps {
            ", velocities and impulses where it cannot go on"
        } else {
            ""
        };
        rows.push((
            "stepper",
            format!("event, {:?} impacts{otherwise}", event.impacts).to_lowercase(),
        ));
    }
    if settings.event.is_none_or(|event| event.velocity_steps) {
        rows.extend([
            ("substeps", substeps(settings)),
            ("velocity solver", options(&settings.solver, "m/s")),
            ("stabilization", stabilization(&settings.stabilization)),
        ]);
    }
    rows.extend([
        (
            "friction",
            format!(
                "{:?}, {}",
                settings.friction_cone,
                settings.friction_law.name()
            ),
        ),
        ("probes", scene.probes.len().to_string()),
        ("expectations", scene.expectations.len().to_string()),
        ("loads", simulation.world().loads.len().to_string()),
        ("contacts at start", simulation.contacts().len().to_string()),
        (
            "overlaps at start",
            overlaps(&overlap).unwrap_or_else(|| "none".to_owned()),
        ),
    ]);
    let errors = simulation.joint_errors();
    if !simulation.world().joints.is_empty() {
        rows.push((
            "joint errors at start",
            format!(
                "{} m, {} rad between axes",
                scientific(errors.linear_max),
                scientific(errors.angular_max)
            ),
        ));
    }
    console::pairs(rows)
}

/// Bodies that overlap, if there are any.
pub(crate) fn overlaps(overlap: &Penetration) -> Option<String> {
    (overlap.count > 0).then(|| {
        format!(
            "{} contact points, {} m at most, {} m in the mean",
            overlap.count,
            scientific(overlap.max),
            scientific(overlap.mean)
        )
    })
}

/// How steps are divided.
fn substeps(settings: &Settings) -> String {
    match (settings.substeps, settings.stabilization.contacts) {
        (Some(0), _) => "none".to_owned(),
        (Some(count), _) => count.to_string(),
        (None, Scheme::Soft { .. }) => "as what the bodies do asks for".to_owned(),
        (None, _) => "none".to_owned(),
    }
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

/// The schemes, and the solver of the position pass if there is one.
fn stabilization(stabilization: &Stabilization) -> String {
    let (contacts, joints) = (stabilization.contacts, stabilization.joints);
    let schemes = if contacts == joints {
        contacts.to_string()
    } else {
        format!("{contacts} of contacts, {joints} of joints")
    };
    match stabilization.post() {
        Some(post) => format!("{schemes}: {}", options(&post.solver, "m")),
        None => schemes,
    }
}

/// `12: 10 ball, 2 hinge`.
fn joints(joints: &[Joint]) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for joint in joints {
        *kinds.entry(joint.kind.name()).or_default() += 1;
    }
    if kinds.is_empty() {
        return "none".to_owned();
    }
    let kinds = kinds
        .into_iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect::<Vec<_>>()
        .join(", ");
    format!("{}: {kinds}", joints.len())
}

/// `12: 10 dynamic, 1 fixed, 1 kinematic; 11 spheres, 1 half-space`.
fn bodies(bodies: &[Body]) -> String {
    let mut shapes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for body in bodies {
        let shape = match body.shape {
            Shape::Sphere { .. } => ("sphere", "spheres"),
            Shape::Box { .. } => ("box", "boxes"),
            Shape::Capsule { .. } => ("capsule", "capsules"),
            Shape::Cylinder { .. } => ("cylinder", "cylinders"),
            Shape::Cone { .. } => ("cone", "cones"),
            Shape::HalfSpace { .. } => ("half-space", "half-spaces"),
            Shape::Polyhedron(_) => ("polyhedron", "polyhedra"),
            Shape::Mesh(_) => ("mesh", "meshes"),
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
