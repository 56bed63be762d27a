//! Bodies that stand on uneven ground come to rest: on points of several triangles, and of several faces.

use super::{contacts, direction, least, mesh};
use crate::cases::cases;
use drystone::internals::collide::separation;
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

#[test]
fn corners_below_the_crease_of_a_gentle_valley_bear() {
    // Parallel to one slope, with two corners straight below the crease: these are above no triangle by its normal.
    for slope in [0.02_f64, 0.05, 0.08] {
        for depth in [1e-5, 1e-4, 1e-3, 1e-2] {
            let floor = field(8, 1.0, |x, _| slope * x.abs());
            let half = Vec3::new(0.3, 0.3, 0.2);
            let turn = Quat::from_scaled_axis(Vec3::new(0.0, -slope.atan(), 0.0));
            let below = Vec3::new(0.0, 0.0, -depth);
            let center = below + turn * Vec3::new(half.x, 0.0, half.z);
            let shape = Shape::Box { half_extents: half };
            let poses = [Pose::new(center, turn), Pose::identity()];
            let found = contacts([shape, floor], poses, 0.01);
            for side in [-1.0, 1.0] {
                let corner = Vec3::new(0.0, side * half.y, -depth);
                let near = found
                    .iter()
                    .filter(|point| (point.position - corner).norm() < 2.0 * depth)
                    .map(|point| point.separation);
                let deepest = near.fold(f64::INFINITY, f64::min);
                assert!(
                    (deepest + depth).abs() < 0.01 * depth,
                    "slope {slope}, depth {depth}: {deepest:e}"
                );
            }
        }
    }
}

/// The solid below a triangle, as deep as its longest side.
fn prism(corners: [Vec3; 3]) -> Polyhedron {
    let [a, b, c] = corners;
    let down = Vec3::z() * (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let vertices = [a, b, c, a - down, b - down, c - down];
    let faces = [
        vec![0, 1, 2],
        vec![5, 4, 3],
        vec![0, 3, 4, 1],
        vec![1, 4, 5, 2],
        vec![2, 5, 3, 0],
    ];
    Polyhedron::new(&vertices, &faces).unwrap()
}

#[test]
fn a_body_is_as_near_to_hills_as_to_the_nearest_of_their_triangles() {
    let mut random = Pcg64::seed_from_u64(4);
    let size = 0.5;
    for (cell, steepness) in [(0.2, 0.3), (0.5, 0.1), (0.5, 0.5), (2.0, 0.3)] {
        let floor = field((8.0 / cell) as u32, cell, |x, y| {
            let [x, y] = [x, y].map(|at| at * cell);
            steepness * ((1.4 * x).sin() + (1.8 * y).cos()) / cell
        });
        let Shape::Mesh(hills) = &floor else {
            unreachable!()
        };
        let corners = |triangle: &[u32; 3]| triangle.map(|at| hills.vertices()[at as usize]);
        for case in 0..cases(8) {
            let points: Vec<Vec3> = if case % 2 == 0 {
                let corner =
                    |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { -0.5 } else { 0.4 });
                (0..8).map(|k| corner(k) * size).collect()
            } else {
                (0..20).map(|_| direction(&mut random) * size).collect()
            };
            let body = Polyhedron::hull(&points).unwrap().centered();
            let reach = body.bounding_radius();
            let at = direction(&mut random);
            let mut pose = Pose::new(
                Vec3::new(at.x, at.y, 3.0),
                Quat::from_scaled_axis(direction(&mut random) * (3.0 * random.random::<f64>())),
            );
            let near: Vec<Polyhedron> = hills
                .triangles()
                .iter()
                .map(corners)
                .filter(|corners| {
                    let far = corners.map(|at| (at - pose.position).xy().norm());
                    far.into_iter().fold(f64::INFINITY, f64::min) < 1.5 * (reach + cell)
                })
                .map(prism)
                .collect();
            let distance = |pose: &Pose| {
                let of_each = near
                    .iter()
                    .map(|prism| separation((&body, pose), (prism, &Pose::identity())));
                of_each.fold(f64::INFINITY, f64::min)
            };
            let gap = 10.0_f64.powf(-1.0 - 2.0 * random.random::<f64>()) * size;
            for _ in 0..40 {
                pose.position.z += gap - distance(&pose);
            }
            let gap = distance(&pose);
            let shapes = [Shape::Polyhedron(Arc::new(body.clone())), floor.clone()];
            let found = least(&contacts(shapes, [pose, Pose::identity()], 2.0 * gap));
            // Along the normal of a triangle that bears the body, which is within 12 degrees of the shortest way, and no shorter than this.
            assert!(
                found > gap * (1.0 - 1e-6) && found < 1.03 * gap,
                "case {case}, cells of {cell}, steepness {steepness}: {found} for {gap}"
            );
        }
    }
}
