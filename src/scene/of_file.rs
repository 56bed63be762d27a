//! From a checked scene file to a scene.

use super::build::Builder;
use super::expect;
use super::generate::Filling;
use super::place::Place;
use super::probe;
use super::schema::SceneFile;
use super::settings::settings;
use super::vectors::{bounds, vector};
use super::{Camera, OutputSpec, Overrides, Scene};
use crate::error::Result;
use crate::measure::FieldGrid;
use std::path::Path;

/// Makes the scene of a file.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) for a mass that does not fit single precision, or a fill that does not fit its
/// region.
pub(super) fn scene(
    file: SceneFile,
    path: &Path,
    overrides: &Overrides,
    watch: &mut dyn FnMut(&Filling<'_>),
    root: &Place<'_>,
) -> Result<Scene> {
    let time_step = overrides.time_step.unwrap_or(file.simulation.dt);
    let steps = match (
        overrides.steps,
        file.simulation.duration,
        file.simulation.steps,
    ) {
        (Some(steps), _, _) => steps,
        (None, Some(duration), _) => (duration / time_step).round().max(1.0) as u64,
        (None, None, steps) => steps.unwrap_or(1),
    };
    let frames_every = file.output.frames_every.or_else(|| {
        let rate = file.output.frames_per_second?;
        Some((1.0 / (rate * time_step)).round().max(1.0) as u64)
    });
    let seed = overrides.seed.unwrap_or(file.simulation.seed);
    let mut builder = Builder::of_file(&file, seed, watch, root)?;
    builder.start(&file, root)?;
    let probes = probe::probes(&builder, &file.probes, &root.key("probe"))?;
    // A run that is cut short has not come to the end that the file means.
    let end = match (file.simulation.duration, file.simulation.steps) {
        (Some(duration), _) => duration,
        (None, steps) => steps.unwrap_or(1) as f64 * time_step,
    };
    let expectations = expect::expectations(&file, &probes, end, root)?;
    let world = builder.world;
    world.validate()?;
    let settings = settings(&file, overrides)?;
    Ok(Scene {
        name: file.name.clone(),
        description: file.description.clone(),
        path: Some(path.to_owned()),
        world,
        settings,
        steps,
        seed,
        probes,
        expectations,
        camera: file.camera.map(|given| Camera {
            eye: given.eye.as_ref().map(vector),
            target: given.target.as_ref().map(vector),
            field: given.field_of_view.map(f64::to_radians),
        }),
        output: OutputSpec {
            frames_every,
            metrics_every: file.output.metrics_every,
            checkpoint_every: file.output.checkpoint_every,
            fields: file.output.fields.as_ref().map(|given| {
                let within = bounds(&given.min, &given.max);
                FieldGrid::new(&within, given.side(), given.width)
            }),
        },
        file,
    })
}
