//! A step in substeps means what it says: repeated small solves on the geometry of its start.

mod by_hand;
mod joints;
mod push;
mod steps;

use drystone::math::Vec3;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use std::path::Path;

fn parse(text: &str) -> Scene {
    Scene::parse(Path::new("test.toml"), text, &Overrides::default()).unwrap()
}

fn simulation(mut scene: Scene, change: impl FnOnce(&mut Scene)) -> Simulation {
    change(&mut scene);
    Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap()
}

fn load(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.toml"));
    Scene::load(&path, &Overrides::default()).unwrap()
}

fn positions(run: &Simulation) -> Vec<Vec3> {
    run.world().bodies.iter().map(|b| b.pose.position).collect()
}
