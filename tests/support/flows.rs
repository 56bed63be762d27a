//! How much runs out of the hopper and how steep the bed of the drum is, of `scenes/granular`.

use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::{Body, World};
use std::path::Path;

fn run(scene: Scene, mut look: impl FnMut(&World)) {
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    for _ in 0..scene.steps {
        simulation.step().unwrap();
        look(simulation.world());
    }
}

/// A scene of the folder, its text changed.
pub(crate) fn granular(name: &str, change: impl Fn(String) -> String) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes/granular")
        .join(name);
    let text = change(std::fs::read_to_string(&path).unwrap());
    Scene::parse(&path, &text, &Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The flow out of a hopper.
pub(crate) struct Discharge {
    /// Volume of the spheres over time `[m^3/s]`.
    pub(crate) rate: f64,
    /// Part of the bed's volume that spheres filled, in its middle and before it ran out.
    pub(crate) packing: f64,
    /// Spheres that have gone elsewhere than into the bin.
    pub(crate) lost: usize,
}

fn volume(body: &Body) -> f64 {
    let radius = body.shape.bounding_radius();
    4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
}

/// The flow out of a hopper between two numbers of spheres.
pub(crate) fn discharge(scene: Scene, between: [usize; 2]) -> Discharge {
    let (mut marks, mut packing, mut lost) = (Vec::new(), 0.0, 0);
    run(scene, |world| {
        let spheres = || world.bodies.iter().filter(|body| body.is_dynamic());
        let out = spheres().filter(|body| body.pose.position.z < 0.0);
        let (count, gone) = out.fold((0, 0.0), |(count, sum), body| {
            (count + 1, sum + volume(body))
        });
        if count == 0 {
            packing = packing_of(spheres());
        }
        if marks.len() < 2 && count >= between[marks.len()] {
            marks.push((world.time, gone));
        }
        let is_lost =
            |at: &drystone::math::Vec3| at.z < -0.41 || at.z > 0.0 && at.xy().norm() > 0.102;
        lost = spheres()
            .filter(|body| is_lost(&body.pose.position))
            .count();
    });
    let [begin, end] = marks[..] else {
        panic!("{} of two numbers of spheres ran out", marks.len());
    };
    Discharge {
        rate: (end.1 - begin.1) / (end.0 - begin.0),
        packing,
        lost,
    }
}

/// Part of a cylinder above the outlet, away from walls, that spheres with their centres in it fill.
fn packing_of<'a>(spheres: impl Iterator<Item = &'a Body>) -> f64 {
    let (low, high, width) = (0.04, 0.11, 0.06);
    let is_inside = |body: &&Body| {
        let at = body.pose.position;
        (low..high).contains(&at.z) && at.xy().norm() < width
    };
    let filled: f64 = spheres.filter(is_inside).map(volume).sum();
    filled / (std::f64::consts::PI * width * width * (high - low))
}

/// Volume of spheres of a diameter that runs out of an outlet `[m]` by Beverloo's law, from a bed of some packing `[m^3/s]`. C and k
/// are those of smooth grains.
pub(crate) fn beverloo(packing: f64, diameter: f64, outlet: f64) -> f64 {
    0.58 * packing * 9.81_f64.sqrt() * (outlet - 1.4 * diameter).powf(2.5)
}

/// Angle of the surface of a bed in a drum about y, from the middle of its highest spheres in slices along x `[degrees]`.
fn surface_angle(world: &World, radius: f64) -> f64 {
    let slices = 8;
    let half = 0.6 * radius;
    let mut tops: Vec<Vec<f64>> = vec![Vec::new(); slices];
    for body in world.bodies.iter().filter(|body| body.is_dynamic()) {
        let at = body.pose.position;
        let slice = (at.x + half) / (2.0 * half) * slices as f64;
        if (0.0..slices as f64).contains(&slice) {
            tops[slice as usize].push(at.z);
        }
    }
    let points: Vec<(f64, f64)> = tops
        .iter_mut()
        .enumerate()
        .filter(|(_, heights)| heights.len() >= 10)
        .map(|(slice, heights)| {
            heights.sort_by(f64::total_cmp);
            let x = (slice as f64 + 0.5) / slices as f64 * 2.0 * half - half;
            (x, heights[heights.len() - 1 - heights.len() / 20])
        })
        .collect();
    let count = points.len() as f64;
    let (mx, mz) = points
        .iter()
        .fold((0.0, 0.0), |(x, z), p| (x + p.0 / count, z + p.1 / count));
    let (sxx, sxz) = points.iter().fold((0.0, 0.0), |(a, b), p| {
        (a + (p.0 - mx) * (p.0 - mx), b + (p.0 - mx) * (p.1 - mz))
    });
    (sxz / sxx).atan().to_degrees().abs()
}

/// Mean angle of the surface of a drum's bed after some time `[s]`, and how many spheres are outside of the drum.
pub(crate) fn drum_angle(scene: Scene, after: f64) -> (f64, usize) {
    let (mut angles, mut lost) = (Vec::new(), 0);
    run(scene, |world| {
        if world.time > after {
            angles.push(surface_angle(world, 0.11));
        }
        let spheres = world.bodies.iter().filter(|body| body.is_dynamic());
        let outside = spheres.filter(|body| {
            let at = body.pose.position;
            at.x.hypot(at.z) > 0.11 || at.y.abs() > 0.07
        });
        lost = outside.count();
    });
    (angles.iter().sum::<f64>() / angles.len() as f64, lost)
}
