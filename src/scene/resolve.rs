//! A scene written out as a file again.

use super::Scene;
use super::schema::{self, SceneFile, SchemeName, SchemeTable, SchemeType};
use crate::stabilize::{Baumgarte, Scheme};

/// The scene with every default and override written out.
pub(super) fn toml(scene: &Scene) -> String {
    let mut file: SceneFile = scene.file.clone();
    file.simulation.dt = scene.settings.time_step;
    file.simulation.substeps = scene.settings.substeps;
    file.simulation.steps = Some(scene.steps);
    file.simulation.duration = None;
    file.simulation.seed = scene.seed;
    // The event stepper takes no settings of solvers unless it may leave steps to them.
    if scene
        .settings
        .event
        .is_none_or(|event| event.velocity_steps)
    {
        write_solvers(scene, &mut file);
    }
    file.output.frames_every = scene.output.frames_every;
    file.output.frames_per_second = None;
    if let Some(fields) = &mut file.output.fields {
        fields.spacing = Some(fields.side());
    }
    for (index, fill) in file.fills.iter_mut().enumerate() {
        fill.seed.get_or_insert(index as u64);
    }
    for (index, instance) in file.instances.iter_mut().enumerate() {
        instance.seed.get_or_insert(index as u64);
    }
    for (given, made) in file.expects.iter_mut().zip(&scene.expectations) {
        given.until = Some(made.until);
    }
    // Serialization fails only for values that TOML cannot hold; the types have none but whole
    // numbers above 2^63, which were refused on reading.
    ::toml::to_string(&file).unwrap_or_default()
}

/// The solvers and schemes of the velocity and position problems.
fn write_solvers(scene: &Scene, file: &mut SceneFile) {
    let options = &scene.settings.solver;
    file.solver.method = options.method;
    file.solver.iterations = Some(options.iterations);
    file.solver.tolerance = options.tolerance;
    file.solver.friction = scene.settings.friction_cone;
    file.solver.direct_joints = options.direct_joints;
    if let Some(post) = scene.settings.stabilization.post() {
        file.stabilization.solver = Some(post.solver.method);
        file.stabilization.iterations = post.solver.iterations;
    }
    let schemes = &scene.settings.stabilization;
    file.stabilization.method = None;
    file.stabilization.contacts = Some(scheme(schemes.contacts));
    file.stabilization.joints = Some(scheme(schemes.joints));
}

/// A scheme as a file writes it.
fn scheme(scheme: Scheme) -> schema::Scheme {
    let name = |name| schema::Scheme::Named(name);
    let mut table = SchemeTable::default();
    match scheme {
        Scheme::None => return name(SchemeName::None),
        Scheme::Post => return name(SchemeName::Post),
        Scheme::Implicit => return name(SchemeName::Implicit),
        Scheme::Baumgarte(Baumgarte::Velocity { kappa }) => table.kappa = Some(kappa),
        Scheme::Baumgarte(Baumgarte::Acceleration { alpha, beta }) => {
            (table.alpha, table.beta) = (Some(alpha), Some(beta));
        }
        Scheme::Gamma { gamma } => {
            table.kind = SchemeType::Gamma;
            table.gamma = Some(gamma);
        }
        Scheme::Soft { softness } => {
            table.kind = SchemeType::Soft;
            table.softness = Some(softness);
        }
    }
    schema::Scheme::Table(table)
}
