//! Thin plates that fall onto each other in a heap, which is to come to rest.

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Polyhedron, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

/// Of 20 plates that were dropped some time ago, those that move, and the largest number of contacts of two of them.
fn heap(shape: &Shape, size: f64, time_step: f64, seed: u64) -> (usize, usize) {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(ground, Pose::identity())).unwrap();
    for k in 0..20 {
        let [x, y, layer] = [k % 2, k / 2 % 2, k / 4].map(f64::from);
        let aside = Vec3::from_fn(|_, _| 0.3 * random.random::<f64>());
        let at = Vec3::new(x, y, 1.2 + 0.5 * layer + 0.2 * (x + 2.0 * y)) + aside;
        let turn = Vec3::new(
            random.random_range(-0.5..0.5),
            random.random_range(-0.5..0.5),
            random.random_range(0.0..6.0),
        );
        let pose = Pose::new(at * size, Quat::from_scaled_axis(turn));
        let plate = Body::dynamic(shape.clone(), pose, 1000.0).unwrap();
        world.add(plate).unwrap();
    }
    let settings = Settings {
        time_step,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    // In units of the time that a fall of a radius takes.
    let unit = (size / 9.81).sqrt();
    let steps = (100.0 * unit / time_step) as usize;
    let mut fastest = [0.0_f64; 21];
    let mut most = 0;
    for step in 0..steps {
        simulation.step().unwrap();
        if step * 10 > steps * 9 {
            for (fastest, body) in fastest.iter_mut().zip(&simulation.world().bodies) {
                let speed = body.linear_velocity.norm() + size * body.angular_velocity.norm();
                *fastest = fastest.max(speed * unit / size);
            }
        }
    }
    let contacts = simulation.contacts();
    for pair in contacts.chunk_by(|one, other| one.bodies == other.bodies) {
        most = most.max(pair.len());
    }
    let moving = fastest.iter().filter(|&&speed| speed > 1e-3).count();
    (moving, most)
}

#[test]
fn plates_of_many_corners_come_to_rest() {
    for sides in [8, 16] {
        for (size, time_step) in [(0.05, 1.0 / 60.0), (1.0, 1.0 / 30.0)] {
            let plate = Polyhedron::prism(sides, size, 0.05 * size).unwrap();
            let plate = Shape::Polyhedron(Arc::new(plate));
            for seed in 1..=3 {
                let (moving, most) = heap(&plate, size, time_step, seed);
                let what = format!("{sides} sides, {size} m, seed {seed}");
                assert_eq!(moving, 0, "{what}");
                assert!((5..=8).contains(&most), "{what}: {most}");
            }
        }
    }
}
