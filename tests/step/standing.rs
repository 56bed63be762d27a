//! Piles that stand by friction alone stand from their first step on, although nothing is known of their loads.

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Material, Shape, World};

const G: f64 = 9.81;

/// Spheres in layers of 10, 6, 3 and 1 that touch, on a plane.
fn pyramid(diameter: f64, friction: f64) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials[0] = Material {
        friction,
        restitution: 0.0,
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(ground, Pose::identity())).unwrap();
    let along = [
        Vec3::x(),
        Vec3::new(0.5, 0.75_f64.sqrt(), 0.0),
        Vec3::new(0.5, 0.75_f64.sqrt() / 3.0, (2.0_f64 / 3.0).sqrt()),
    ];
    for layer in 0..4 {
        for row in 0..4 - layer {
            for place in 0..4 - layer - row {
                let [x, y, z] = [place, row, layer].map(f64::from);
                let at = along[0] * x + along[1] * y + along[2] * z + Vec3::z() * 0.5;
                let shape = Shape::Sphere {
                    radius: 0.5 * diameter,
                };
                let pose = Pose::new(at * diameter, Quat::identity());
                world
                    .add(Body::dynamic(shape, pose, 1000.0).unwrap())
                    .unwrap();
            }
        }
    }
    world
}

/// Height of the top over that at the start, after so many times `sqrt(d / g)`.
fn height_after(times: f64, diameter: f64, friction: f64, time_step: f64) -> f64 {
    let world = pyramid(diameter, friction);
    let top = world.bodies.len() - 1;
    let start = world.bodies[top].pose.position.z;
    let settings = Settings {
        time_step,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..(times * (diameter / G).sqrt() / time_step) as usize {
        simulation.step().unwrap();
    }
    simulation.world().bodies[top].pose.position.z / start
}

/// Solved to convergence it stands with a coefficient of friction of 0.7, and falls with 0.6.
#[test]
fn a_pyramid_of_spheres_stands() {
    for diameter in [0.05, 1.0, 20.0] {
        for rate in [30.0, 60.0, 240.0] {
            let height = height_after(20.0, diameter, 0.7, 1.0 / rate);
            assert!(
                (height - 1.0).abs() < 2e-3,
                "spheres of {diameter} m at 1/{rate} s: {height} of its height"
            );
        }
        let height = height_after(20.0, diameter, 0.6, 1.0 / 60.0);
        assert!(height < 0.7, "spheres of {diameter} m: {height}");
    }
}
