//! Bodies that rock or roll back and forth gain no energy: no part of a step works on levers of another time.

use drystone::math::{Pose, Quat, Vec3};
use drystone::measure::{self, Energy};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, CompoundPart, Material, Shape, World};
use std::f64::consts::{FRAC_PI_2, TAU};

const G: f64 = 9.81;

fn empty(friction: f64) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials[0] = Material {
        friction,
        restitution: 0.0,
    };
    world
}

fn lying() -> Quat {
    Quat::from_axis_angle(&Vec3::x_axis(), FRAC_PI_2)
}

/// A roller with a weight at its rim, on a plane, that starts with an angular velocity.
fn loaded_roller(size: f64) -> World {
    let mut world = empty(0.8);
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(ground, Pose::identity())).unwrap();
    let ball = |radius: f64, height: f64| CompoundPart {
        shape: Shape::Sphere {
            radius: radius * size,
        },
        pose: Pose::new(Vec3::z() * (height * size), Quat::identity()),
    };
    let shape = Shape::Compound {
        parts: vec![ball(0.5, 0.0), ball(0.2, -0.29)].into(),
    };
    let mut body = Body::dynamic(shape, Pose::identity(), 1000.0).unwrap();
    // The pose is that of the centre of mass: the large ball has to touch the ground.
    let lowest = body.shape.aabb(&body.pose).min.z;
    body.pose.position.z -= lowest;
    let spin = Vec3::y() * (0.6 * (G / size).sqrt());
    let velocity = spin.cross(&(Vec3::z() * body.pose.position.z));
    world.add(body.moving(velocity, spin)).unwrap();
    world
}

/// A plank across a cylinder, that starts with an angular velocity.
fn plank(size: f64) -> World {
    let mut world = empty(0.8);
    let cylinder = Shape::Cylinder {
        radius: size,
        half_length: 2.0 * size,
    };
    let pose = Pose::new(Vec3::zeros(), lying());
    world.add(Body::fixed(cylinder, pose)).unwrap();
    let plank = Shape::Box {
        half_extents: Vec3::new(1.5, 0.4, 0.1) * size,
    };
    let pose = Pose::new(Vec3::z() * (1.1 * size), Quat::identity());
    let body = Body::dynamic(plank, pose, 1000.0).unwrap();
    let spin = Vec3::y() * (0.3 * (G / size).sqrt());
    let velocity = spin.cross(&(Vec3::z() * (0.1 * size)));
    world.add(body.moving(velocity, spin)).unwrap();
    world
}

/// The same roller where nothing holds its lowest point.
fn slippery(size: f64) -> World {
    let mut world = loaded_roller(size);
    world.materials[0].friction = 0.0;
    world
}

/// Adds something far away that turns so fast, 2 rad in a step of length `h`, that contacts are looked for eight times in a step. It weighs nothing that counts.
fn add_spinner(world: &mut World, size: f64, h: f64) {
    let cube = Shape::Box {
        half_extents: Vec3::repeat(0.5 * size),
    };
    let pose = Pose::new(Vec3::z() * 1e5, Quat::identity());
    let body = Body::dynamic(cube, pose, 1e-12).unwrap();
    let spin = Vec3::z() * (2.0 / h);
    world.add(body.moving(Vec3::zeros(), spin)).unwrap();
}

/// Swings for some six periods, and returns the largest kinetic energy of the first and the last fourth of the time, and the most by which the energy
/// was above that of the start, over that kinetic energy.
fn swing(world: World, size: f64, h: f64) -> [f64; 3] {
    let settings = Settings {
        time_step: h,
        ..Settings::default()
    };
    let sum = |energy: Energy| energy.kinetic + energy.potential;
    let start = sum(measure::energy(&world));
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    let steps = (6.0 * TAU * (size / G).sqrt() / h).round() as usize;
    let (mut first, mut last, mut gain) = (0.0_f64, 0.0_f64, 0.0_f64);
    for step in 0..steps {
        let energy = simulation.step().unwrap().energy;
        gain = gain.max(sum(energy) - start);
        if step < steps / 4 {
            first = first.max(energy.kinetic);
        } else if step >= steps - steps / 4 {
            last = last.max(energy.kinetic);
        }
    }
    [first, last, gain / first]
}

/// A scene of a size `[m]`.
type OfSize = fn(f64) -> World;

#[test]
fn what_rocks_gains_no_energy() {
    let scenes: [(&str, OfSize); 3] = [
        ("loaded roller", loaded_roller),
        ("plank", plank),
        ("without friction", slippery),
    ];
    for (name, scene) in scenes {
        for size in [0.05, 1.0] {
            for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
                let [first, last, gain] = swing(scene(size), size, h);
                let about = format!("{name}, {size} m, {h:.4} s: {first:e}, {last:e}, {gain}");
                assert!(gain < 0.01, "{about}");
                assert!(last < 1.02 * first, "{about}");
            }
        }
    }
}

/// Contacts of bodies that move slowly stand for many parts of a step in which those of others are looked for in each: they are found where they are midway
/// through these parts, or they would be pushed where they were.
#[test]
fn what_rocks_beside_a_spinner_is_seldom_looked_for_and_gains_no_energy() {
    for size in [0.05, 1.0] {
        for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
            let mut world = plank(size);
            add_spinner(&mut world, size, h);
            let [first, last, _] = swing(world.clone(), size, h);
            let about = format!("{size} m, {h:.4} s: {first:e}, {last:e}");
            assert!(last < 1.02 * first, "{about}");
            let settings = Settings {
                time_step: h,
                ..Settings::default()
            };
            let mut simulation =
                Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
            let steps = 60;
            let (mut updates, mut searched) = (0, 0);
            for _ in 0..steps {
                let report = simulation.step().unwrap();
                updates += report.contact_updates;
                searched += report.witnesses.searched;
            }
            assert_eq!(updates, 8 * steps, "{about}");
            // It moves too far for one search where the step is long for its size.
            assert!(searched <= 3 * u64::from(steps), "{about}: {searched}");
        }
    }
}

/// Points on a wheel that turned with it would push ahead of its lowest point before they get there, more than behind it afterwards.
#[test]
fn what_rolls_beside_a_spinner_keeps_its_speed() {
    for (size, speed, h) in [
        (0.3, 1.0, 1.0 / 60.0),
        (0.3, 0.3, 1.0 / 60.0),
        (0.3, 3.0, 1.0 / 240.0),
        (0.05, 0.3, 1.0 / 120.0),
    ] {
        let mut world = empty(0.8);
        let ground = Shape::Box {
            half_extents: Vec3::new(20.0, 20.0, 1.0),
        };
        let pose = Pose::new(-Vec3::z(), Quat::identity());
        world.add(Body::fixed(ground, pose)).unwrap();
        let wheel = Shape::Cylinder {
            half_length: 0.3 * size,
            radius: size,
        };
        let body = Body::dynamic(wheel, Pose::new(Vec3::z() * size, lying()), 500.0).unwrap();
        let rolling = body.moving(Vec3::x() * speed, Vec3::y() * (speed / size));
        let wheel = world.add(rolling).unwrap();
        add_spinner(&mut world, size, h);
        let settings = Settings {
            time_step: h,
            ..Settings::default()
        };
        let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        let steps = (4.0 / h).round() as u64;
        let mut searched = 0;
        for _ in 0..steps {
            searched += simulation.step().unwrap().witnesses.searched;
        }
        let velocity = simulation.world().bodies[wheel as usize].linear_velocity;
        let about = format!("{size} m, {speed} m/s, {h:.4} s: {velocity:?}, {searched} searches");
        assert!((velocity.x / speed - 1.0).abs() < 2e-3, "{about}");
        assert!(searched <= 4 * steps, "{about}");
    }
}
