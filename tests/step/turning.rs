//! Bodies that lie and roll on a surface that turns.

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Material, Motion, Shape, World};
use std::f64::consts::TAU;

const G: f64 = 9.81;

/// A round table that turns at `spin` `[rad/s]`, its top at height 0.
fn turntable(radius: f64, friction: f64, spin: f64) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials[0] = Material {
        friction,
        restitution: 0.0,
    };
    let half_length = 0.1 * radius;
    let pose = Pose::new(-Vec3::z() * half_length, Quat::identity());
    let motion = Motion::Constant {
        linear: Vec3::zeros(),
        angular: Vec3::z() * spin,
    };
    let table = Shape::Cylinder {
        radius,
        half_length,
    };
    world.add(Body::kinematic(table, pose, motion)).unwrap();
    world
}

fn after(world: World, h: f64, time: f64) -> World {
    let settings = Settings {
        time_step: h,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..(time / h).round() as u64 {
        simulation.step().unwrap();
    }
    simulation.world().clone()
}

/// Friction holds a box on its circle up to `w^2 r = mu g`.
#[test]
fn boxes_stay_where_friction_holds_them() {
    let friction = 0.5;
    for size in [0.05, 1.0] {
        for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
            let distance = 3.0 * size;
            let spin = (0.8 * friction * G / distance).sqrt();
            let mut world = turntable(6.0 * size, friction, spin);
            let pose = Pose::new(Vec3::new(distance, 0.0, 0.5 * size), Quat::identity());
            let cube = Shape::Box {
                half_extents: Vec3::repeat(0.5 * size),
            };
            let cube = Body::dynamic(cube, pose, 1000.0).unwrap();
            let velocity = Vec3::y() * (spin * distance);
            world.add(cube.moving(velocity, Vec3::z() * spin)).unwrap();
            let world = after(world, h, 10.0);
            let place = world.bodies[1].pose.position;
            let now = place.x.hypot(place.y);
            // The error left is of the third order of the turn in a step, 0.17 rad at most here: 0.0152 of the distance, and 0.0020 at half of it.
            let within = 4.0 * (spin * h).powi(3) + 2e-4;
            assert!(
                (now / distance - 1.0).abs() < within,
                "{size} m, {h} s: {now} for {distance}"
            );
        }
    }
}

/// A ball that rolls on a turntable goes around a circle at 2/7 of its spin, wherever it is: with I = 2/5 m r^2, `dv/dt = 2/7 w x v`.
#[test]
fn a_ball_rolls_in_a_circle_at_two_sevenths_of_the_spin() {
    let (spin, radius, speed) = (2.0, 0.25, 0.5);
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let mut world = turntable(12.0, 1.0, spin);
        let start = Vec3::new(2.0, 0.0, radius);
        let pose = Pose::new(start, Quat::identity());
        let ball = Body::dynamic(Shape::Sphere { radius }, pose, 1000.0).unwrap();
        let rolls = Vec3::x() * ((spin * start.x - speed) / radius);
        world.add(ball.moving(Vec3::y() * speed, rolls)).unwrap();
        let period = TAU / (2.0 / 7.0 * spin);
        let half = after(world, h, 0.5 * period).bodies[1].pose.position;
        let across = start - Vec3::x() * (2.0 * speed / (2.0 / 7.0 * spin));
        assert!(
            (half - across).norm() < 0.01,
            "{h} s: {half:?} for {across:?}"
        );
    }
}
