//! The position pass on piles: it removes penetrations, bounded, and leaves velocities alone.

use crate::support::backends::backends;
use drystone::collide::ContactModel;
use drystone::internals::collide::{Broadphase, Detector, Limits, find_contacts};
use drystone::internals::stabilize::PositionPass;
use drystone::measure;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::path::Path;

/// A scene, to be stepped as Cline and Pai do.
fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes")
        .join(name);
    let mut scene = Scene::load(&path, &Overrides::default()).unwrap();
    scene.settings = Settings {
        time_step: scene.settings.time_step,
        ..Settings::post_stabilized()
    };
    scene
}

/// Mean penetration over the last second of a run of 1,000 boxes that fall for five.
fn mean_penetration(stabilization: Option<Stabilization>) -> f64 {
    let mut scene = scene("bench/pile_boxes_1k.toml");
    if let Some(stabilization) = stabilization {
        scene.settings.stabilization = stabilization;
    }
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    let mut sum = 0.0;
    for step in 0..300 {
        let report = simulation.step().unwrap();
        if step >= 240 {
            assert!(report.contacts > 3_000, "the pile has not formed");
            sum += report.penetration.mean / 60.0;
        }
    }
    sum
}

#[test]
fn box_pile_penetrates_a_tenth_at_most() {
    let without = mean_penetration(Some(Stabilization::none()));
    let with = mean_penetration(None);
    assert!(with <= 0.1 * without, "{with} m with, {without} m without");
}

/// A settling pile without stabilization, and its candidate pairs.
fn overlapping_pile() -> (World, Vec<[u32; 2]>) {
    let mut scene = scene("bench/pile_spheres_1k.toml");
    scene.settings.stabilization = Stabilization::none();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..120 {
        simulation.step().unwrap();
    }
    let world = simulation.world().clone();
    let mut pairs = Vec::new();
    let reach = vec![0.1; world.bodies.len()];
    Broadphase::new()
        .find_pairs(&world, &reach, &mut pairs)
        .unwrap();
    (world, pairs)
}

#[test]
fn pass_moves_bodies_and_keeps_velocities() {
    let (start, pairs) = overlapping_pile();
    for (name, mut solver) in backends() {
        let mut world = start.clone();
        let mut stabilization = Stabilization::both(Scheme::Post);
        stabilization.post.steps = 4;
        stabilization.post.solver.iterations = 200;
        let mut pass = PositionPass::new(world.smallest_radius());
        let mut detector = Detector::of_pairs(&world, &pairs);
        let report = pass
            .run(
                &stabilization,
                &mut world,
                &mut detector,
                0.01,
                &mut *solver,
            )
            .unwrap();
        assert!(report.residual_max.is_finite());

        let overlap = |world: &World| {
            let mut contacts = Vec::new();
            let limits = Limits {
                margin: 0.01,
                time_step: 0.0,
                lead: 0.0,
                model: ContactModel::Clipped,
            };
            find_contacts(world, &pairs, limits, &mut contacts);
            measure::penetration(&contacts)
        };
        let (before, after) = (overlap(&start), overlap(&world));
        assert!(before.max > 1e-3, "{name}: nothing overlapped: {before:?}");
        assert!(
            after.max < 0.02 * before.max,
            "{name}: {before:?} to {after:?}"
        );
        let energy = |world: &World| measure::energy(world).kinetic.to_bits();
        assert_eq!(
            energy(&start),
            energy(&world),
            "{name}: spheres gain kinetic energy"
        );
        for (old, new) in start.bodies.iter().zip(&world.bodies) {
            assert_eq!(old.linear_velocity, new.linear_velocity, "{name}");
            assert_eq!(old.angular_velocity, new.angular_velocity, "{name}");
        }
    }
}

#[test]
fn correction_is_bounded() {
    let (start, pairs) = overlapping_pile();
    let mut world = start.clone();
    let mut stabilization = Stabilization::both(Scheme::Post);
    stabilization.post.max_correction = Some(1e-5);
    let mut pass = PositionPass::new(world.smallest_radius());
    pass.run(
        &stabilization,
        &mut world,
        &mut Detector::of_pairs(&start, &pairs),
        0.01,
        &mut CpuSolver::new(),
    )
    .unwrap();
    let deepest = pass
        .problem()
        .contacts
        .iter()
        .fold(0.0_f32, |d, c| d.min(c.bias));
    assert_eq!(deepest, -1e-5);
}
