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
use drystone::world::{Body, Polyhedron, Shape, TriangleMesh, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

/// Bounding radius of all bodies `[m]`.
const RADIUS: f64 = 0.05;

/// Cells of a ground along each side: 2 * 158^2 = 49,928 triangles.
const CELLS: u32 = 158;

/// A ground of cells of some width, level or with hills that are as long whatever the cells are.
fn ground(cell: f64, hill: f64) -> Shape {
    let place = |k: u32| cell * (f64::from(k) - 0.5 * f64::from(CELLS));
    let height = |x: f64, y: f64| hill * ((14.0 * x).sin() + (18.0 * y).cos());
    let heights: Vec<Vec<f64>> = (0..=CELLS)
        .map(|y| (0..=CELLS).map(|x| height(place(x), place(y))).collect())
        .collect();
    Shape::Mesh(Arc::new(
        TriangleMesh::height_field(&heights, [cell, cell]).unwrap(),
    ))
}

/// The bodies that fall on the floors.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Spheres,
    Boxes,
    /// Hulls of 20 points.
    Rocks,
}

/// Bodies of a kind in four layers above a floor, `side` by `side` in each.
fn bodies_above(floor: Shape, kind: Kind, side: u32) -> Simulation {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    world.add(Body::fixed(floor, Pose::identity())).unwrap();
    let mut random = Pcg64::seed_from_u64(1);
    for k in 0..4 * side * side {
        let layer = f64::from(k / (side * side));
        let [x, y] = [k % side, k / side % side].map(|k| f64::from(k) - 0.5 * f64::from(side - 1));
        let mut any = || random.random_range(-1.0..1.0);
        let at = Vec3::new(2.4 * x + 0.2 * layer, 2.4 * y, 2.2 + 2.4 * layer) * RADIUS;
        let turned = Quat::from_scaled_axis(Vec3::new(any(), any(), any()) * 3.0);
        let shape = match kind {
            Kind::Spheres => Shape::Sphere { radius: RADIUS },
            Kind::Boxes => Shape::Box {
                half_extents: Vec3::new(0.65, 0.58, 0.49) * RADIUS,
            },
            Kind::Rocks => {
                let mut point = || Vec3::new(any(), any(), any()).normalize();
                let points: Vec<Vec3> = (0..20)
                    .map(|_| point().component_mul(&Vec3::new(1.0, 0.9, 0.8)) * RADIUS)
                    .collect();
                Shape::Polyhedron(Arc::new(Polyhedron::hull(&points).unwrap()))
            }
        };
        let body = Body::dynamic(shape, Pose::new(at, turned), 1000.0);
        world.add(body.unwrap()).unwrap();
    }
    let settings = Settings {
        time_step: 1.0 / 120.0,
        ..Settings::default()
    };
    Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap()
}

/// Steps of a floor before it is the next one's turn.
const TURN: u32 = 10;

/// Steps floors in turns, and prints the mean of what each took.
fn race(floors: &mut [(String, Simulation)], name: &str, steps: u32) {
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
    for friction in ["0.1", "0.2", "0.3", "0.5"] {
        let change =
            |text: String| text.replace("friction = 0.2", &format!("friction = {friction}"));
        let out = flows::discharge(flows::granular("hopper.toml", change), [500, 3300]);
        let law = flows::beverloo(out.packing, 0.01, 0.08);
        println!(
            "hopper, mu = {friction}: {:.3} of Beverloo's law from a packing of {:.3}, {} lost",
            out.rate / law,
            out.packing,
            out.lost
        );
    }
    let (angle, outside) = flows::drum_angle(flows::granular("drum.toml", |text| text), 3.4);
    println!("drum: {angle:.1} degrees, {outside} outside");
}

fn compare_floors() {
    println!("bodies of 5 cm, ms of processor time a step of 1/120 s on one thread:");
    for kind in [Kind::Spheres, Kind::Boxes, Kind::Rocks] {
        // Fine cells make a small ground.
        for (cells, side) in [(&[0.1][..], 5), (&[0.5, 2.0, 10.0][..], 22)] {
            let plane = Shape::HalfSpace {
                normal: Vec3::z(),
                offset: 0.0,
            };
            let mut floors = vec![("plane".to_owned(), bodies_above(plane, kind, side))];
            for (name, hill) in [("level", 0.0), ("hills", 0.2 * RADIUS)] {
                for cell in cells {
                    let floor = ground(cell * 2.0 * RADIUS, hill);
                    let name = format!("{name}, cells of {cell} diameters");
                    floors.push((name, bodies_above(floor, kind, side)));
                }
            }
            let name = format!("{} {kind:?}", 4 * side * side);
            race(&mut floors, &format!("{name} falling"), 60);
            race(&mut floors, &format!("{name} coming to rest"), 180);
            race(&mut floors, &format!("{name} lying"), 120);
        }
    }
}
