//! A scene, and its first steps.

use drystone::Error;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use std::path::Path;

/// Largest whole number that a scene may have here: counts multiply, and large scenes are slow whether or not they are right.
const MOST: u64 = 60;

/// Steps of a scene.
const STEPS: u64 = 3;

/// Most bodies of a scene that is run.
const MOST_BODIES: usize = 200;

/// True if no number of a scene makes it large.
#[must_use]
pub fn is_small(text: &str) -> bool {
    fn small(value: &toml::Value) -> bool {
        match value {
            toml::Value::Integer(number) => number.unsigned_abs() <= MOST,
            toml::Value::Float(number) => number.abs() <= MOST as f64 || number.fract() != 0.0,
            toml::Value::Array(values) => values.iter().all(small),
            toml::Value::Table(table) => table
                .iter()
                .all(|(key, value)| matches!(key.as_str(), "seed" | "steps") || small(value)),
            _ => true,
        }
    }
    // What is no TOML is small.
    text.parse::<toml::Table>()
        .map_or(true, |table| table.values().all(small))
}

/// Reads a scene and takes its first steps; true if it took them all.
///
/// # Panics
/// If a scene is refused without a place, or one that was read is refused.
pub fn run(path: &Path, text: &str) -> bool {
    let scene = match Scene::parse(path, text, &Overrides::default()) {
        Ok(scene) => scene,
        Err(Error::Scene(error)) => {
            let (line, column) = error.line_column();
            assert!(line >= 1 && column >= 1);
            drop(error.to_string());
            return false;
        }
        Err(other) => panic!("an error without a place: {other}"),
    };
    let resolved = scene.resolved_toml();
    if scene.world.bodies.len() > MOST_BODIES {
        return false;
    }
    let steps = scene.steps.min(STEPS);
    let mut simulation = Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new()))
        .unwrap_or_else(|error| panic!("a scene that was read is refused: {error}\n{resolved}"));
    for _ in 0..steps {
        if let Err(error) = simulation.step() {
            assert!(
                matches!(error, Error::NonFinite { .. } | Error::Event { .. }),
                "a step that fails: {error}"
            );
            return false;
        }
    }
    true
}
