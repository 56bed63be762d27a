//! Bodies that move on meshes, and meshes that move.

use super::{ground, least, level, mesh, movable};
use drystone::collide::{ContactModel, ContactPoint};
use drystone::internals::collide::{Detector, Limits, find_contacts};
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Motion, Shape, TriangleMesh, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn step(world: World, h: f64, steps: usize, mut look: impl FnMut(&World)) -> World {
    let settings = Settings {
        time_step: h,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
        look(simulation.world());
    }
    simulation.world().clone()
}

#[test]
fn bodies_move_on_a_level_mesh_as_on_a_plane() {
    let mut random = Pcg64::seed_from_u64(4);
    let floor = mesh(level(60, &mut random));
    let worlds = [floor, ground()].map(|floor| {
        let mut random = Pcg64::seed_from_u64(5);
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        world.add(Body::fixed(floor, Pose::identity())).unwrap();
        for k in 0..16_i32 {
            for shape in movable().into_iter().take(2) {
                let at = Vec3::new(
                    f64::from(k % 4) - 1.5,
                    f64::from(k / 4) - 1.5,
                    if matches!(shape, Shape::Sphere { .. }) {
                        0.35
                    } else {
                        1.2
                    },
                );
                let body = Body::dynamic(shape, Pose::new(at, Quat::identity()), 1000.0).unwrap();
                let push = Vec3::new(random.random(), random.random(), 0.0);
                world.add(body.moving(push, Vec3::zeros())).unwrap();
            }
        }
        step(world, 1.0 / 120.0, 20, |_| {})
    });
    for (one, other) in worlds[0].bodies.iter().zip(&worlds[1].bodies) {
        let off = (one.pose.position - other.pose.position).norm();
        assert!(off < 1e-5, "{off}");
    }
}

/// A body that slides over a floor from a speed along x, with friction `mu`: speed and place from step to step.
fn slide(shape: Shape, floor: Shape, height: f64, mu: f64, speed: f64) -> Vec<(Vec3, Vec3)> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    world.materials[0].friction = mu;
    world.add(Body::fixed(floor, Pose::identity())).unwrap();
    let start = Vec3::new(-4.0, 0.313, height);
    let body = Body::dynamic(shape, Pose::new(start, Quat::identity()), 1000.0).unwrap();
    world
        .add(body.moving(Vec3::x() * speed, Vec3::zeros()))
        .unwrap();
    let mut seen = Vec::new();
    step(world, 1.0 / 240.0, 480, |world| {
        let body = &world.bodies[1];
        seen.push((body.pose.position, body.linear_velocity));
    });
    seen
}

#[test]
fn a_box_slides_over_10_000_triangles_as_over_a_plane() {
    let mut random = Pcg64::seed_from_u64(6);
    let floor = mesh(level(71, &mut random));
    let (mu, speed) = (0.1, 3.5);
    for shape in &movable()[2..] {
        let height = match shape {
            Shape::Box { half_extents } => half_extents.z,
            Shape::Polyhedron(solid) => solid.inner_radius(),
            _ => 0.0,
        };
        // A dodecahedron stands on a face only once it is turned.
        if matches!(shape, Shape::Polyhedron(_)) {
            continue;
        }
        for floor in [floor.clone(), ground()] {
            let seen = slide(shape.clone(), floor, height, mu, speed);
            for (at, velocity) in &seen {
                let gone = at.x + 4.0;
                let expected = speed * speed - 2.0 * mu * 9.81 * gone;
                if expected > 0.5 {
                    let off = (velocity.x * velocity.x - expected).abs() / (speed * speed);
                    assert!(off < 5e-3, "{off} at {at:?}");
                }
                assert!((at.z - height).abs() < 2e-4, "{at:?}");
                assert!(velocity.z.abs() < 2e-3, "{velocity:?}");
                assert!((at.y - 0.313).abs() < 1e-3, "{at:?}");
            }
        }
    }
}

#[test]
fn a_ball_rolls_over_10_000_triangles_without_a_bump() {
    let mut random = Pcg64::seed_from_u64(7);
    let floor = mesh(level(71, &mut random));
    let shapes = [
        Shape::Sphere { radius: 0.3 },
        // On its side, along y: it rolls as a cylinder does.
        Shape::Capsule {
            half_length: 0.4,
            radius: 0.2,
        },
    ];
    for shape in shapes {
        let radius = shape.inner_radius();
        let start = Pose::new(
            Vec3::new(-3.0, 0.2, radius),
            Quat::from_scaled_axis(Vec3::x() * std::f64::consts::FRAC_PI_2),
        );
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        world
            .add(Body::fixed(floor.clone(), Pose::identity()))
            .unwrap();
        let body = Body::dynamic(shape.clone(), start, 1000.0).unwrap();
        let spin = Vec3::y() * (2.0 / radius);
        world.add(body.moving(Vec3::x() * 2.0, spin)).unwrap();
        step(world, 1.0 / 240.0, 600, |world| {
            let body = &world.bodies[1];
            assert!((body.linear_velocity.x - 2.0).abs() < 5e-3, "{body:?}");
            assert!(body.linear_velocity.z.abs() < 2e-3, "{body:?}");
            assert!((body.pose.position.z - radius).abs() < 2e-4, "{body:?}");
        });
    }
}

#[test]
fn a_moving_mesh_carries_what_lies_on_it() {
    let tray = mesh(level(9, &mut Pcg64::seed_from_u64(8)));
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let motion = Motion::Constant {
        linear: Vec3::new(0.5, 0.0, 0.2),
        angular: Vec3::zeros(),
    };
    world
        .add(Body::kinematic(tray, Pose::identity(), motion))
        .unwrap();
    for (k, shape) in (0..).zip(movable()) {
        let at = Vec3::new(f64::from(k) - 1.5, 0.0, 0.41);
        let turn = Quat::from_scaled_axis(Vec3::x() * std::f64::consts::FRAC_PI_2);
        let body = Body::dynamic(shape, Pose::new(at, turn), 1000.0).unwrap();
        world.add(body).unwrap();
    }
    let world = step(world, 1.0 / 120.0, 240, |_| {});
    // Round shapes roll.
    for body in &world.bodies[3..] {
        let off = body.linear_velocity - Vec3::new(0.5, 0.0, 0.2);
        assert!(off.norm() < 0.02, "{body:?}");
    }
    for body in &world.bodies[1..] {
        assert!(body.pose.position.z > 0.4 + 0.15, "{body:?}");
    }
}

/// Height of a ground at a place.
type Height = fn(f64, f64) -> f64;

#[test]
fn a_ball_on_its_way_touches_what_it_touches_anew() {
    // Level, hills, a rough ground, stairs; cells of a tenth of the ball to ten times its radius.
    let grounds: [(Height, bool); 4] = [
        (|_, _| 0.0, false),
        (|x, y| 0.2 * ((2.1 * x).sin() + (1.7 * y).cos()), false),
        (|x, y| 0.1 * (12.9898 * x + 78.233 * y).sin(), true),
        (|x, _| 0.4 * (0.5 * x).floor(), false),
    ];
    let (h, margin) = (0.01, 0.02);
    let mut compared = 0;
    for (height, is_rough) in grounds {
        for cell in [0.1, 0.5, 2.0, 10.0] {
            let count = (20.0_f64 / cell).round().min(200.0) as u32;
            let place = |k: u32| cell * (f64::from(k) - 0.5 * f64::from(count));
            let field: Vec<Vec<f64>> = (0..=count)
                .map(|y| (0..=count).map(|x| height(place(x), place(y))).collect())
                .collect();
            let field = TriangleMesh::height_field(&field, [cell, cell]).unwrap();
            let mut world = World::new(Vec3::zeros());
            world
                .add(Body::fixed(mesh(field), Pose::identity()))
                .unwrap();
            let ball = Shape::Sphere { radius: 1.0 };
            let ball = Body::dynamic(ball, Pose::identity(), 1.0).unwrap();
            world.add(ball).unwrap();
            let limits = Limits {
                margin,
                time_step: h,
                lead: 0.0,
                model: ContactModel::Clipped,
            };
            let (mut detector, mut anew) = (Detector::new(), Vec::new());
            for step in 0..800_u32 {
                let t = h * f64::from(step);
                // Fast at first, then slower and slower; at times below the ground.
                let way = 6.0 * (1.0 - (-t).exp());
                let [x, y] = [way * (3.0 * way).cos(), way * (2.0 * way).sin()];
                let up = 0.9 + 0.15 * (1.3 * t).sin() - 1.2 * f64::from(u32::from(step % 200 < 20));
                let at = Vec3::new(x, y, height(x, y) + up);
                let body = &mut world.bodies[1];
                body.linear_velocity = (at - body.pose.position) / h;
                body.pose.position = at;
                detector.find_pairs(&world, limits, 0.0).unwrap();
                detector.find_contacts(&world, limits);
                find_contacts(&world, &[[0, 1]], limits, &mut anew);
                let near = |contacts: &[ContactPoint]| -> Vec<ContactPoint> {
                    let within = contacts.iter().filter(|it| it.separation <= margin);
                    within.copied().collect()
                };
                let [known, new] = [near(detector.contacts()), near(&anew)];
                // Of many peaks few stand for all, and which ones depends on those beyond the margin.
                if !is_rough {
                    assert_eq!(known, new, "cell {cell}, step {step}");
                }
                assert_eq!(least(&known), least(&new), "cell {cell}, step {step}");
                compared += near(&anew).len();
            }
        }
    }
    assert!(compared > 8_000, "{compared}");
}
