//! Cost of meshes beside a plane, and what the hopper and the drum of the repository do.
//!
//! `cargo bench --bench meshes`. Minutes.

#![allow(clippy::print_stdout, reason = "a bench prints")]
#![allow(clippy::unwrap_used, reason = "a bench that fails stops")]
#![allow(missing_docs, reason = "a program")]

#[path = "../tests/support/flows.rs"]
mod flows;
#[path = "support/processor.rs"]
mod processor;

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, TriangleMesh, World};
use std::sync::Arc;

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

/// 2,000 spheres of radius 5 cm above a floor.
fn spheres_above(floor: Shape) -> Simulation {
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
    Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap()
}

/// Steps of a floor before it is the next one's turn.
const TURN: u32 = 30;

/// Steps floors in turns, and prints the mean of what each took.
fn race(floors: &mut [(&str, Simulation)], name: &str, steps: u32) {
    let mut sums = vec![[0.0_f64; 4]; floors.len()];
    for _ in 0..steps / TURN {
        for ((_, simulation), sums) in floors.iter_mut().zip(&mut sums) {
            let before = processor::processor_time();
            for _ in 0..TURN {
                let report = simulation.step().unwrap();
                let stages = [report.timings.broad, report.timings.narrow];
                sums[1] += report.contacts as f64;
                for (sum, stage) in sums[2..].iter_mut().zip(stages) {
                    *sum += stage.as_secs_f64() * 1e3;
                }
            }
            sums[0] += (processor::processor_time() - before).as_secs_f64() * 1e3;
        }
    }
    let plane = sums[0][0];
    for ((floor, _), sums) in floors.iter().zip(&sums) {
        let [time, contacts, broad, narrow] = sums.map(|sum| sum / f64::from(steps));
        println!(
            "{name}, {floor}: {time:.2} ms ({:.2} times the plane); search for pairs {broad:.2}, for contacts {narrow:.2} ms by the clock; \
             {contacts:.0} contacts",
            sums[0] / plane
        );
    }
}

fn main() {
    // Threads that wait for each other compute too.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    alone.unwrap().install(compare_floors);
    let same = |text: String| text;
    let (rate, lost) = flows::discharge(flows::granular("hopper.toml", same), [500, 3300]);
    let expected = flows::beverloo(0.01, 0.08);
    println!("hopper: {rate:.0} spheres a second, {expected:.0} by Beverloo's law, {lost} lost");
    let (angle, outside) = flows::drum_angle(flows::granular("drum.toml", same), 3.4);
    println!("drum: {angle:.1} degrees, {outside} outside");
}

fn compare_floors() {
    let plane = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    println!("2,000 spheres of 5 cm, ms of processor time a step of 1/120 s on one thread:");
    let mut floors = [
        ("plane", spheres_above(plane)),
        ("49,928 triangles, level", spheres_above(ground(0.0))),
        (
            "49,928 triangles, hills of 2 cm",
            spheres_above(ground(0.01)),
        ),
    ];
    race(&mut floors, "falling", 60);
    race(&mut floors, "landing", 180);
    for _ in 0..3 {
        race(&mut floors, "lying", 120);
    }
}
