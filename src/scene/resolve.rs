//! A scene written out as a file again.

use super::Scene;
use super::schema::{Method, SceneFile};

/// The scene with every default and override written out.
pub(super) fn toml(scene: &Scene) -> String {
    let mut file: SceneFile = scene.file.clone();
    file.simulation.dt = scene.settings.time_step;
    file.simulation.steps = Some(scene.steps);
    file.simulation.duration = None;
    file.simulation.seed = scene.seed;
    let options = &scene.settings.solver;
    file.solver.method = options.method.into();
    file.solver.iterations = options.iterations;
    file.solver.tolerance = options.tolerance;
    if let Some(post) = scene.settings.stabilization.post() {
        file.stabilization.solver = Some(Method::from(post.solver.method));
    }
    file.output.frames_every = scene.output.frames_every;
    file.output.frames_per_second = None;
    for (index, fill) in file.fills.iter_mut().enumerate() {
        fill.seed.get_or_insert(index as u64);
    }
    // Serialization fails only for values that TOML cannot hold; the types have none but whole
    // numbers above 2^63, which were refused on reading.
    ::toml::to_string(&file).unwrap_or_default()
}
