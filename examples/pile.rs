//! A pile: a world of bodies, and steps until it rests.
//! `cargo run --release --no-default-features --example pile`

#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, World};

fn main() -> drystone::Result<()> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let floor = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(floor, Pose::identity()))?;
    for k in 0..60 {
        // Ten layers of six boxes, each layer turned against the one below.
        let (layer, place) = (f64::from(k / 6), k % 6);
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), 0.5 * layer);
        let (x, y) = (f64::from(place % 3 - 1), f64::from(place / 3));
        let across = turn * Vec3::new(0.22 * x, 0.18 * (y - 0.5), 0.0);
        let brick = Shape::Box {
            half_extents: Vec3::new(0.1, 0.08, 0.05), // m
        };
        let frame = Pose::new(across + Vec3::z() * (0.06 + 0.12 * layer), turn);
        world.add(Body::dynamic(brick, frame, 2500.0)?)?; // kg/m^3
    }
    let mut simulation = Simulation::new(world, Settings::default(), Box::new(CpuSolver::new()))?;
    for _ in 0..240 {
        let report = simulation.step()?;
        if report.step % 40 == 0 {
            println!(
                "{:.2} s: {} contacts, {:.1e} J, {:.1e} m deep, residual {:.1e} m/s",
                report.time,
                report.contacts,
                report.energy.kinetic,
                report.penetration.max,
                report.velocity.residual_rms,
            );
        }
    }
    assert!(simulation.penetration().max < 2e-3); // m
    Ok(())
}

#[test]
fn runs() -> drystone::Result<()> {
    main()
}
