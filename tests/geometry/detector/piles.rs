//! Piles that settle: what a simulation is stepped with is what a search from nothing finds.

use super::{ALLOWANCE, LIMITS, by_pair, crowd, deepest, drift, of_pair};
use drystone::collide::ContactModel;
use drystone::internals::collide::{Detector, Limits, find_contacts};
use drystone::internals::constants::{KEPT_MOTION_PER_RADIUS, MARGIN_PER_RADIUS};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::Shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::path::Path;

const SCENE: &str = r#"
name = "boxes"
[simulation]
dt = 0.016666666666666666
steps = 1
[stabilization]
iterations = 15
[[container]]
name = "box"
inner = [4, 4, 12]
thickness = 1.0
[[fill]]
region = { type = "box", min = [-2, -2, 0.1], max = [2, 2, 8] }
arrangement = "random"
count = 60
density = 1000
random_orientation = true
shapes = [
    { shape = { type = "box", half_extents = [0.3, 0.25, 0.2] }, fraction = 3 },
    { shape = { type = "capsule", radius = 0.2, half_length = 0.2 }, fraction = 1 },
    { shape = { type = "sphere", radius = 0.25 }, fraction = 1 },
]
"#;

#[test]
fn a_settling_pile_misses_nothing() {
    let scene = Scene::parse(Path::new("boxes.toml"), SCENE, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    let smallest = simulation.world().smallest_radius();
    let limits = Limits {
        margin: MARGIN_PER_RADIUS * smallest,
        time_step: simulation.settings().time_step,
        lead: 0.0,
        model: ContactModel::Clipped,
    };
    let all: Vec<[u32; 2]> = {
        let count = simulation.world().bodies.len() as u32;
        (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| [a, b]))
            .collect()
    };
    // Beside that of the simulation, which looks where bodies are halfway through a part.
    let mut detector = Detector::new();
    let mut fresh = Vec::new();
    let (mut sum, mut count) = (0.0, 0);
    for step in 0..400 {
        simulation.step().unwrap();
        let world = simulation.world();
        find_contacts(world, &all, limits, &mut fresh);
        detector.find_pairs(world, limits, 0.0).unwrap();
        detector.find_contacts(world, limits);
        for expected in by_pair(&fresh) {
            let pair = expected[0].bodies;
            let expected = deepest(expected);
            let found = deepest(of_pair(detector.contacts(), pair));
            let [a, b] = pair.map(|index| world.bodies[index as usize].shape.bounding_radius());
            let tolerance = KEPT_MOTION_PER_RADIUS * a.min(b);
            if expected < limits.margin - tolerance {
                let off = (found - expected).abs();
                assert!(
                    off <= tolerance + 0.02 * expected.abs(),
                    "step {step}, {pair:?}: {found} instead of {expected}"
                );
                sum += off;
                count += 1;
            }
        }
    }
    assert!(count > 20_000, "{count} pairs touched");
    let mean = sum / f64::from(count);
    assert!(mean < 2e-5, "{mean} off on average");
}

#[test]
fn a_pile_at_rest_keeps_its_pairs_and_contacts() {
    let scene = Scene::parse(Path::new("boxes.toml"), SCENE, &Overrides::default()).unwrap();
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..400 {
        simulation.step().unwrap();
    }
    let names = |simulation: &Simulation| -> Vec<([u32; 2], u64)> {
        let contacts = simulation.contacts().iter();
        contacts
            .map(|contact| (contact.bodies, contact.feature))
            .collect()
    };
    let (mut gone, mut seen) = (0, 0);
    for _ in 0..50 {
        let before = names(&simulation);
        simulation.step().unwrap();
        let now = names(&simulation);
        gone += before.iter().filter(|name| !now.contains(name)).count();
        seen += before.len();
    }
    assert!(
        seen >= 10_000 && gone * 200 < seen,
        "{gone} of {seen} contacts are gone after a step"
    );
}

/// So many bodies that several threads share the work.
#[test]
fn contacts_are_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut rng = Pcg64Mcg::seed_from_u64(1);
            let mut world = crowd(&mut rng, 20_000, 8.0);
            for body in &mut world.bodies {
                if let Shape::Sphere { radius } = &mut body.shape {
                    *radius = rng.random_range(0.2..0.4);
                }
            }
            let mut detector = Detector::new();
            let mut all = Vec::new();
            for _ in 0..6 {
                detector.find_pairs(&world, LIMITS, ALLOWANCE).unwrap();
                detector.find_contacts(&world, LIMITS);
                all.push(detector.contacts().to_vec());
                drift(&mut world, &mut rng, 0.1);
            }
            all
        })
    };
    let one = run(1);
    assert!(one[0].len() > 50_000, "{} contacts", one[0].len());
    assert_eq!(one, run(3));
}
