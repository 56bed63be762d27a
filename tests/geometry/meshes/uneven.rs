//! Bodies that stand on uneven ground come to rest: on points of several triangles, and of several faces.

use super::{contacts, direction, least, mesh};
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Polyhedron, Shape, TriangleMesh, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

/// A ground of 2 n^2 triangles about the origin, whose heights are given by places in cells.
fn field(n: u32, cell: f64, height: impl Fn(f64, f64) -> f64) -> Shape {
    let place = |k: u32| f64::from(k) - 0.5 * f64::from(n);
    let heights: Vec<Vec<f64>> = (0..=n)
        .map(|y| (0..=n).map(|x| cell * height(place(x), place(y))).collect())
        .collect();
    mesh(TriangleMesh::height_field(&heights, [cell, cell]).unwrap())
}

/// Drops bodies of some extent, and returns their largest speed over that of a fall through it, and how deep the deepest contact
/// is over the extent, after `seconds`.
fn drop_on(floor: Shape, bodies: Vec<Body>, extent: f64, (h, seconds): (f64, f64)) -> (f64, f64) {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    world.add(Body::fixed(floor, Pose::identity())).unwrap();
    for body in bodies {
        world.add(body).unwrap();
    }
    let settings = Settings {
        time_step: h,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..(seconds / h) as u32 {
        simulation.step().unwrap();
    }
    let bodies = simulation.world().bodies.iter();
    let speeds =
        bodies.map(|body| body.linear_velocity.norm() + extent * body.angular_velocity.norm());
    let fall = (9.81 * extent).sqrt();
    (
        speeds.fold(0.0, f64::max) / fall,
        simulation.penetration().max / extent,
    )
}

#[test]
fn a_box_rests_on_a_saddle_a_ridge_and_in_a_valley() {
    for size in [0.005, 0.05, 1.0] {
        let grounds = [
            field(40, size, |x, y| 0.004 * (x * x - y * y)),
            field(2, 20.0 * size, |x, _| -0.2 * x.abs()),
            field(2, 20.0 * size, |x, _| 0.2 * x.abs()),
            field(40, size, |x, y| 0.004 * (x * x + y * y)),
        ];
        for (kind, floor) in grounds.into_iter().enumerate() {
            let shape = Shape::Box {
                half_extents: Vec3::new(0.9, 0.8, 0.7) * size,
            };
            let turn = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9));
            let pose = Pose::new(Vec3::z() * (2.0 * size), turn);
            let body = Body::dynamic(shape, pose, 1000.0).unwrap();
            let (speed, depth) = drop_on(floor, vec![body], size, (1.0 / 120.0, 5.0));
            assert!(speed < 1e-6, "ground {kind} of {size} m: {speed:e}");
            assert!(depth < 5e-3, "ground {kind} of {size} m: {depth:e}");
        }
    }
}

#[test]
fn boxes_and_rocks_rest_on_hills() {
    let mut random = Pcg64::seed_from_u64(8);
    let size = 0.05;
    let points: Vec<Vec3> = (0..20)
        .map(|_| direction(&mut random).component_mul(&Vec3::new(1.0, 0.9, 0.8)) * size)
        .collect();
    let rock = Polyhedron::hull(&points).unwrap().centered();
    let shapes = [
        Shape::Box {
            half_extents: Vec3::new(0.9, 0.8, 0.7) * size,
        },
        Shape::Polyhedron(Arc::new(rock)),
    ];
    // Triangles smaller than the bodies, as large, and larger.
    for cell in [0.3, 1.0, 3.0] {
        for shape in &shapes {
            let floor = field(60, cell * size, |x, y| {
                0.2 * ((0.7 * x).sin() + (0.9 * y).cos())
            });
            let bodies = (0..16_i32).map(|k| {
                let at = Vec3::new(f64::from(k % 4) - 1.5, f64::from(k / 4) - 1.5, 1.0);
                let turn = direction(&mut random) * (3.0 * random.random::<f64>());
                let pose = Pose::new(at * (3.0 * size), Quat::from_scaled_axis(turn));
                Body::dynamic(shape.clone(), pose, 1000.0).unwrap()
            });
            let bodies = bodies.collect();
            let (speed, depth) = drop_on(floor, bodies, size, (1.0 / 120.0, 4.0));
            assert!(speed < 1e-6, "triangles of {cell}: {speed:e}");
            assert!(depth < 5e-3, "triangles of {cell}: {depth:e}");
        }
    }
}

#[test]
fn a_ridge_holds_what_is_deep_on_it() {
    for depth in [1e-4, 1e-3, 1e-2] {
        for slope in [0.05, 0.15, 0.3] {
            let floor = field(2, 1.0, |x, _| -slope * x.abs());
            let shape = Shape::Box {
                half_extents: Vec3::new(0.3, 0.3, 0.05),
            };
            let pose = Pose::new(Vec3::z() * (0.05 - depth), Quat::identity());
            let deepest = least(&contacts([shape, floor], [pose, Pose::identity()], 0.01));
            assert!(
                (deepest + depth).abs() < 0.1 * depth,
                "depth {depth}, slope {slope}: {deepest:e}"
            );
        }
    }
}
