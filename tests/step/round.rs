//! Cylinders, cones and capsules at default settings: they stand, lie, roll and topple as they should.

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Material, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::{FRAC_PI_2, PI};

/// A world with a ground of some friction: a plane, or the top of a box.
fn world(friction: f64, on_a_plane: bool, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    world.materials[0] = Material {
        friction,
        restitution: 0.0,
    };
    let (shape, height) = if on_a_plane {
        let normal = Vec3::z();
        (
            Shape::HalfSpace {
                normal,
                offset: 0.0,
            },
            0.0,
        )
    } else {
        let half_extents = Vec3::new(20.0, 20.0, 0.5);
        (Shape::Box { half_extents }, -0.5)
    };
    let pose = Pose::new(Vec3::new(0.0, 0.0, height), Quat::identity());
    world.add(Body::fixed(shape, pose)).unwrap();
    world
}

fn run(world: World, steps: usize) -> World {
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(world, Settings::default(), solver).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    simulation.world().clone()
}

const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

#[test]
fn what_stands_stays_and_comes_to_rest() {
    let cylinder = Shape::Cylinder {
        half_length: 0.05,
        radius: 0.03,
    };
    let coin = Shape::Cylinder {
        half_length: 0.01,
        radius: 0.06,
    };
    let cone = Shape::Cone {
        height: 0.12,
        radius: 0.05,
    };
    for on_a_plane in [true, false] {
        // Shapes from below, with the distances of their centres from the bottom and from the top.
        for stack in [
            vec![(&cylinder, 0.05, 0.05); 5],
            vec![(&coin, 0.01, 0.01); 10],
            vec![
                (&coin, 0.01, 0.01),
                (&cylinder, 0.05, 0.05),
                (&cone, 0.03, 0.09),
            ],
        ] {
            let mut world = world(0.5, on_a_plane, DOWN);
            let mut height = 0.0;
            for (level, (shape, below, above)) in stack.iter().enumerate() {
                let turn = Quat::from_axis_angle(&Vec3::z_axis(), level as f64);
                let pose = Pose::new(Vec3::new(0.0, 0.0, height + below), turn);
                let body = Body::dynamic((*shape).clone(), pose, 800.0).unwrap();
                world.add(body).unwrap();
                height += below + above;
            }
            let start = world.clone();
            let end = run(world, 600);
            for (before, after) in start.bodies.iter().zip(&end.bodies).skip(1) {
                let moved = (before.pose.position - after.pose.position).norm();
                let speeds = [after.linear_velocity.norm(), after.angular_velocity.norm()];
                let case = format!(
                    "{} bodies, {on_a_plane}: {moved} m, {speeds:?}",
                    stack.len()
                );
                assert!(moved < 1e-3, "{case}");
                assert!(speeds[0] < 1e-6 && speeds[1] < 1e-4, "{case}");
            }
        }
    }
}

/// Each a little beside the one below, they went on swaying on four points that began where they lean.
#[test]
fn towers_of_cylinders_come_to_rest() {
    for (half_length, radius, count) in [(0.05, 0.03, 5), (0.05, 0.05, 10), (0.5, 1.0, 10)] {
        let mut world = world(0.5, false, DOWN);
        for level in 0..count {
            let aside = 0.05 * radius * (f64::from(level * 7 % 5) - 2.0);
            let height = half_length * (2.0 * f64::from(level) + 1.0);
            let turn = Quat::from_axis_angle(&Vec3::z_axis(), f64::from(level));
            let pose = Pose::new(Vec3::new(aside, 0.0, height), turn);
            let shape = Shape::Cylinder {
                half_length,
                radius,
            };
            world
                .add(Body::dynamic(shape, pose, 800.0).unwrap())
                .unwrap();
        }
        let start = world.clone();
        let end = run(world, 900);
        for (before, after) in start.bodies.iter().zip(&end.bodies).skip(1) {
            let moved = (before.pose.position - after.pose.position).norm() / radius;
            let speed = after.linear_velocity.norm() + radius * after.angular_velocity.norm();
            let speed = speed / (9.81 * radius).sqrt();
            let case = format!("{count} of {half_length} m and {radius} m: {moved}, {speed}");
            assert!(moved < 0.02 && speed < 1e-3, "{case}");
        }
    }
}

#[test]
fn a_cylinder_rolls_down_a_slope() {
    // A solid cylinder: a = 2/3 g sin(angle).
    let angle = 0.3_f64;
    for on_a_plane in [true, false] {
        let gravity = Vec3::new(9.81 * angle.sin(), 0.0, -9.81 * angle.cos());
        let mut world = world(0.6, on_a_plane, gravity);
        let shape = Shape::Cylinder {
            half_length: 0.1,
            radius: 0.05,
        };
        let lying = Quat::from_axis_angle(&Vec3::x_axis(), 0.5 * PI);
        let pose = Pose::new(Vec3::new(-10.0, 0.0, 0.05), lying);
        world
            .add(Body::dynamic(shape, pose, 1000.0).unwrap())
            .unwrap();
        let end = run(world, 120);
        let body = &end.bodies[1];
        let expected = 2.0 / 3.0 * 9.81 * angle.sin() * 2.0;
        let speed = body.linear_velocity.x;
        assert!((speed / expected - 1.0).abs() < 0.01, "{speed} {expected}");
        assert!((body.angular_velocity.y * 0.05 / speed - 1.0).abs() < 0.01);
        assert!(body.linear_velocity.y.abs() < 1e-3 && body.pose.position.y.abs() < 1e-3);
    }
}

#[test]
fn what_rolls_fast_needs_no_more_searches_than_what_rests() {
    let (radius, speed) = (0.04, 2.0);
    let shapes = [
        Shape::Cylinder {
            half_length: 0.04,
            radius,
        },
        Shape::Capsule {
            half_length: 0.04,
            radius,
        },
    ];
    for (shape, on_a_plane) in shapes
        .iter()
        .flat_map(|shape| [(shape, true), (shape, false)])
    {
        let mut world = world(0.5, on_a_plane, DOWN);
        let across = Quat::from_scaled_axis(Vec3::x() * 0.5 * PI);
        let body = Body::dynamic(shape.clone(), Pose::new(Vec3::z() * radius, across), 1000.0);
        let body = body.unwrap().moving(Vec3::x() * speed, Vec3::zeros());
        let inertia = body.mass.inertia[(2, 2)] / body.mass.mass;
        let index = world.add(body).unwrap();
        let solver = Box::new(CpuSolver::new());
        let mut simulation = Simulation::new(world, Settings::default(), solver).unwrap();
        let mut updates = 0;
        for step in 0..240 {
            let report = simulation.step().unwrap();
            if step >= 60 {
                updates += report.contact_updates;
            }
        }
        // It slides until it rolls, which takes a part of its speed; then it turns by half a radian a step and more.
        let rolling = speed / (1.0 + inertia / (radius * radius));
        let body = &simulation.world().bodies[index as usize];
        let spin = body.angular_velocity.norm();
        let says = format!("{shape:?} {on_a_plane} {body:?}");
        assert!(
            (body.linear_velocity.norm() - rolling).abs() < 1e-3 * rolling,
            "{says}"
        );
        assert!((spin * radius - rolling).abs() < 1e-3 * rolling, "{says}");
        assert_eq!(updates, 180, "{says}");
    }
}

#[test]
fn what_spins_about_an_axis_that_its_inertia_is_not_symmetric_about_is_searched_for() {
    let cylinder = Shape::Cylinder {
        half_length: 0.04,
        radius: 0.04,
    };
    let body = Body::dynamic(cylinder, Pose::identity(), 1000.0).unwrap();
    let mut lopsided = body.clone();
    lopsided.mass.inertia[(0, 0)] *= 1.5;
    lopsided.mass.inverse_inertia[(0, 0)] /= 1.5;
    let updates = [body, lopsided].map(|body| {
        let mut world = World::new(Vec3::zeros());
        let spin = Vec3::z() * 50.0;
        world.add(body.moving(Vec3::zeros(), spin)).unwrap();
        let solver = Box::new(CpuSolver::new());
        let mut simulation = Simulation::new(world, Settings::default(), solver).unwrap();
        simulation.step().unwrap().contact_updates
    });
    assert_eq!(updates, [1, 16]);
}

#[test]
fn a_cylinder_topples_beyond_the_angle_of_its_diagonal() {
    let (half_length, radius) = (0.1, 0.03);
    let critical = f64::atan2(radius, half_length);
    for (share, stands) in [(0.9, true), (1.1, false)] {
        let angle: f64 = share * critical;
        let gravity = Vec3::new(9.81 * angle.sin(), 0.0, -9.81 * angle.cos());
        let mut world = world(1.0, true, gravity);
        let shape = Shape::Cylinder {
            half_length,
            radius,
        };
        let pose = Pose::new(
            Vec3::new(0.0, 0.0, half_length),
            Quat::from_axis_angle(&Vec3::z_axis(), 0.4),
        );
        world
            .add(Body::dynamic(shape, pose, 1000.0).unwrap())
            .unwrap();
        let end = run(world, 240);
        let axis = end.bodies[1].pose.direction(&Vec3::z());
        assert_eq!(axis.z > 0.99, stands, "{share}: {axis}");
    }
}

#[test]
fn heaps_of_cylinders_and_discs_come_to_rest_without_working_into_each_other() {
    // Cylinders as long as wide, and discs, dropped in a box in steps of 1/30 s.
    for (half_length, radius) in [(0.127, 0.132), (0.02, 0.15)] {
        let mut world = world(0.5, true, DOWN);
        for (axis, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
            let mut normal = Vec3::zeros();
            normal[axis] = -side;
            let wall = Shape::HalfSpace {
                normal,
                offset: -0.8,
            };
            world.add(Body::fixed(wall, Pose::identity())).unwrap();
        }
        let mut random = Pcg64::seed_from_u64(7);
        for at in 0..64 {
            let [x, y, z] = [at % 4, at / 4 % 4, at / 16].map(f64::from);
            let place = Vec3::new(0.4 * x - 0.6, 0.4 * y - 0.6, 0.4 * z + 0.4);
            let turn = Vec3::from_fn(|_, _| random.random_range(-2.0..2.0));
            let pose = Pose::new(place, Quat::from_scaled_axis(turn));
            let shape = Shape::Cylinder {
                half_length,
                radius,
            };
            world
                .add(Body::dynamic(shape, pose, 1000.0).unwrap())
                .unwrap();
        }
        let settings = Settings {
            time_step: 1.0 / 30.0,
            ..Settings::default()
        };
        let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        for _ in 0..300 {
            simulation.step().unwrap();
        }
        let depth = simulation.penetration().max;
        let least = half_length.min(radius);
        assert!(depth < 0.1 * least, "{half_length}: {depth} m deep");
    }
}

/// Two fixed bodies side by side, so far apart in the middle, one of them turned about the vertical, and one on them in the direction between theirs; as it is after 10 s.
fn on_two(
    fixed: (&Shape, Quat),
    (apart, turn): (f64, f64),
    on_them: &Shape,
    material: Material,
) -> Body {
    let mut world = world(material.friction, false, Vec3::new(0.0, 0.0, -9.81));
    world.materials[0] = material;
    let lying = Quat::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2);
    let turned = |angle: f64| Quat::from_axis_angle(&Vec3::z_axis(), angle);
    for (side, angle) in [(0.5, turn), (-0.5, 0.0)] {
        let pose = Pose::new(Vec3::y() * (side * apart), turned(angle) * fixed.1);
        world.add(Body::fixed(fixed.0.clone(), pose)).unwrap();
    }
    let pose = Pose::new(Vec3::z() * 0.03, turned(0.5 * turn) * lying);
    let body = Body::dynamic(on_them.clone(), pose, 1000.0).unwrap();
    world.add(body).unwrap();
    run(world, 600).bodies.pop().unwrap()
}

/// The normals of its contacts are no farther from across it than friction holds.
#[test]
fn a_capsule_lies_in_a_groove_of_two_that_are_not_parallel() {
    let lying = Quat::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2);
    let capsule = Shape::Capsule {
        radius: 0.015,
        half_length: 0.015,
    };
    for (apart, turn) in [(0.04, 0.16), (0.05, 0.12), (0.05, 0.16)] {
        for restitution in [0.0, 0.5] {
            let material = Material {
                friction: 0.1,
                restitution,
            };
            let body = on_two((&capsule, lying), (apart, turn), &capsule, material);
            let height = (0.03_f64.powi(2) - 0.25 * apart * apart).sqrt();
            let sunk = height - body.pose.position.z;
            assert!(
                sunk.abs() < 0.002,
                "{apart} m apart, {turn} rad, e = {restitution}: {sunk} m"
            );
        }
    }
}

#[test]
fn a_cylinder_on_two_rails_comes_to_rest() {
    let rail = Shape::Box {
        half_extents: Vec3::new(0.025, 0.015, 0.015),
    };
    let cylinder = Shape::Cylinder {
        radius: 0.015,
        half_length: 0.025,
    };
    for (apart, turn) in [(0.04, 0.0), (0.05, 0.0), (0.04, 0.1), (0.05, 0.1)] {
        for restitution in [0.0, 0.5] {
            let material = Material {
                friction: 0.5,
                restitution,
            };
            let body = on_two(
                (&rail, Quat::identity()),
                (apart, turn),
                &cylinder,
                material,
            );
            let (speed, spin) = (body.linear_velocity.norm(), body.angular_velocity.norm());
            let motion = speed.max(0.015 * spin);
            assert!(
                motion < 1e-3,
                "{apart} m apart, {turn} rad, e = {restitution}: {motion} m/s"
            );
            assert!(body.pose.position.z > 0.02, "{}", body.pose.position);
        }
    }
}
