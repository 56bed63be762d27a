//! Cost of meshes beside a plane, and what the hopper and the drum of the repository do.
//!
//! `cargo bench --bench meshes`. Minutes.

#![allow(clippy::print_stdout, reason = "a bench prints")]
#![allow(clippy::unwrap_used, reason = "a bench that fails stops")]
#![allow(missing_docs, reason = "a program")]

#[path = "../tests/support/flows.rs"]
mod flows;

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, TriangleMesh, World};
use std::sync::Arc;
use std::time::Instant;

/// A ground of 2 * 158^2 = 49,928 triangles, level or with hills.
fn ground(hill: f64) -> Shape {
    let heights: Vec<Vec<f64>> = (0..159)
        .map(|y| {
            (0..159)
                .map(|x| hill * ((0.7 * f64::from(x)).sin() + (0.9 * f64::from(y)).cos()))
                .collect()
        })
        .collect();
    Shape::Mesh(Arc::new(
        TriangleMesh::height_field(&heights, [0.05, 0.05]).unwrap(),
    ))
}

/// Mean time of a step in which 2,000 spheres of radius 5 cm fall on a floor, and of one in which they lie there `[ms]`.
fn times(floor: Shape) -> [f64; 2] {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    world.add(Body::fixed(floor, Pose::identity())).unwrap();
    for k in 0..2000_u32 {
        let [x, y, z] = [k % 25, k / 25 % 20, k / 500].map(f64::from);
        let at = Vec3::new(
            0.12 * (x - 12.0) + 0.01 * z,
            0.12 * (y - 10.0),
            0.1 + 0.12 * z,
        );
        let shape = Shape::Sphere { radius: 0.05 };
        let pose = Pose::new(at, Quat::identity());
        world
            .add(Body::dynamic(shape, pose, 1000.0).unwrap())
            .unwrap();
    }
    let settings = Settings {
        time_step: 1.0 / 120.0,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    let mut mean = |steps: u32| {
        let start = Instant::now();
        for _ in 0..steps {
            simulation.step().unwrap();
        }
        start.elapsed().as_secs_f64() * 1e3 / f64::from(steps)
    };
    let falling = mean(60);
    mean(180);
    [falling, mean(120)]
}

fn main() {
    let plane = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    println!("2,000 spheres of 5 cm, ms a step of 1/120 s (falling, lying):");
    for round in 0..3 {
        for (name, floor) in [
            ("plane", plane.clone()),
            ("49,928 triangles, level", ground(0.0)),
            ("49,928 triangles, hills of 2 cm", ground(0.01)),
        ] {
            let [falling, lying] = times(floor);
            println!("{round} {name}: {falling:.2} {lying:.2}");
        }
    }
    let same = |text: String| text;
    let (rate, lost) = flows::discharge(flows::granular("hopper.toml", same), [500, 3300]);
    let expected = flows::beverloo(0.01, 0.08);
    println!("hopper: {rate:.0} spheres a second, {expected:.0} by Beverloo's law, {lost} lost");
    let (angle, outside) = flows::drum_angle(flows::granular("drum.toml", same), 3.4);
    println!("drum: {angle:.1} degrees, {outside} outside");
}
