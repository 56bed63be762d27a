//! Bodies that spin, thin ones too, whose moments of inertia differ by thousands: freely they keep energy and momentum, and what hits them gives them none.

use drystone::math::{Pose, Quat, Vec3};
use drystone::measure;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, CompoundPart, Material, Shape, World};
use std::f64::consts::FRAC_PI_4;

const G: f64 = 9.81;

fn simulation(world: World, time_step: f64) -> Simulation {
    let settings = Settings {
        time_step,
        ..Settings::default()
    };
    Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap()
}

/// A box whose body axes are no principal axes.
fn askew(half_extents: Vec3) -> Shape {
    let turn = Quat::from_scaled_axis(Vec3::new(0.4, 0.3, 0.2));
    Shape::Compound {
        parts: vec![CompoundPart {
            shape: Shape::Box { half_extents },
            pose: Pose::new(Vec3::zeros(), turn),
        }]
        .into(),
    }
}

/// Boxes flip about their middle axis on the way.
#[test]
fn what_spins_freely_keeps_energy_and_momentum() {
    let half_extents = Vec3::new(0.1, 0.3, 0.6);
    let bar = Vec3::new(0.01, 0.02, 0.5);
    let shapes = [
        Shape::Capsule {
            radius: 0.002,
            half_length: 0.5,
        },
        Shape::Cylinder {
            radius: 0.05,
            half_length: 0.5,
        },
        Shape::Cylinder {
            radius: 0.5,
            half_length: 0.01,
        },
        Shape::Box { half_extents },
        Shape::Box { half_extents: bar },
        askew(half_extents),
        askew(bar),
    ];
    let spins = [[5.0, 1.0, 165.0], [60.0, 20.0, 165.0], [0.1, 20.0, 0.1]];
    for (shape, spin) in shapes
        .iter()
        .flat_map(|shape| spins.map(|spin| (shape, spin)))
    {
        for rate in [30.0, 60.0, 240.0] {
            let mut world = World::new(Vec3::zeros());
            let orientation = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.7));
            let pose = Pose::new(Vec3::zeros(), orientation);
            let body = Body::dynamic(shape.clone(), pose, 1000.0).unwrap();
            let spin = orientation * Vec3::from(spin);
            world.add(body.moving(Vec3::zeros(), spin)).unwrap();
            let energy = measure::energy(&world).kinetic;
            let momentum = |world: &World| {
                let body = &world.bodies[0];
                body.world_inertia() * body.angular_velocity
            };
            let start = momentum(&world);
            let mut simulation = simulation(world, 1.0 / rate);
            for _ in 0..300 {
                let report = simulation.step().unwrap();
                let error = report.energy.kinetic / energy - 1.0;
                assert!(
                    error.abs() < 1e-5,
                    "{shape:?} at {spin:?} rad/s, 1/{rate} s: energy off by {error}"
                );
            }
            let off = (momentum(simulation.world()) - start).norm() / start.norm();
            assert!(off < 1e-10, "{shape:?}, 1/{rate} s: momentum off by {off}");
        }
    }
}

/// A box that spins about its middle axis flips as often in steps of any length.
#[test]
fn a_box_flips_as_often_as_it_should() {
    let flips = |rate: f64| {
        let mut world = World::new(Vec3::zeros());
        let half_extents = Vec3::new(0.1, 0.3, 0.6);
        let body = Body::dynamic(Shape::Box { half_extents }, Pose::identity(), 1000.0).unwrap();
        let spin = Vec3::new(0.2, 20.0, 0.2);
        world.add(body.moving(Vec3::zeros(), spin)).unwrap();
        let mut simulation = simulation(world, 1.0 / rate);
        let (mut flips, mut sign) = (0, 1.0);
        for _ in 0..(10.0 * rate) as usize {
            simulation.step().unwrap();
            let body = &simulation.world().bodies[0];
            let about = (body.pose.orientation.inverse() * body.angular_velocity).y;
            if about * sign < -10.0 {
                (flips, sign) = (flips + 1, -sign);
            }
        }
        flips
    };
    let exact = flips(4000.0);
    assert!(exact > 8, "{exact} flips");
    for rate in [30.0, 60.0, 240.0] {
        assert_eq!(flips(rate), exact, "at 1/{rate} s");
    }
}

/// Straws that fall on each other roll and spin about themselves, up to hundreds of turns a second.
#[test]
fn rods_that_fall_gain_no_energy() {
    let size = 1.0;
    let shape = Shape::Capsule {
        radius: 0.01 * size,
        half_length: 0.49 * size,
    };
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials[0] = Material {
        friction: 0.4,
        restitution: 0.0,
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(ground, Pose::identity())).unwrap();
    for rod in 0..40 {
        let number = f64::from(rod);
        let [x, y] = [7.0, 11.0].map(|step| 0.2 * (step * number).sin());
        let turn = Vec3::new((3.0 * number).sin(), (5.0 * number).cos(), FRAC_PI_4) * 1.5;
        let pose = Pose::new(
            Vec3::new(x, y, 0.6 + 0.25 * number) * size,
            Quat::from_scaled_axis(turn),
        );
        let body = Body::dynamic(shape.clone(), pose, 1000.0).unwrap();
        world.add(body).unwrap();
    }
    let weight = world.bodies[1].mass.mass * G * size;
    for rate in [60.0, 240.0] {
        let mut simulation = simulation(world.clone(), 1.0 / rate);
        let (mut last, mut gained) = (f64::INFINITY, 0.0);
        for _ in 0..(12.0 * (size / G).sqrt() * rate) as usize {
            let energy = simulation.step().unwrap().energy;
            let total = energy.kinetic + energy.potential;
            gained += (total - last).max(0.0);
            last = total;
        }
        let share = gained / weight;
        assert!(share < 0.3, "1/{rate} s: {share} weights times a length");
    }
}
