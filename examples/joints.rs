//! Joints: a door with limits and a motor, and a rope of balls that hangs from its edge.
//! `cargo run --release --no-default-features --example joints`

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind, Motor};
use drystone::world::{Body, Shape, World};

fn main() -> drystone::Result<()> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let at = |x: f64, z: f64| Pose::new(Vec3::new(x, 0.0, z), Quat::identity());
    let leaf = Shape::Box {
        half_extents: Vec3::new(0.5, 0.02, 1.0), // m
    };
    let door = world.add(Body::dynamic_with_mass(leaf, at(0.5, 1.0), 20.0)?)?; // kg
    let motor = Motor::Velocity {
        target: 1.0,     // rad/s
        max_force: 50.0, // N m
    };
    let hinge = Joint::at(
        JointKind::Hinge,
        &world,
        door,
        None,
        Vec3::zeros(),
        Vec3::z(),
    )?;
    world.add_joint(hinge.with_limits(0.0, 1.2).with_motor(motor))?;
    let mut above = door;
    for link in 0..8 {
        let top = at(1.0, -0.1 * f64::from(link));
        let ball = Shape::Sphere { radius: 0.04 };
        let center = at(1.0, top.position.z - 0.05);
        let body = world.add(Body::dynamic_with_mass(ball, center, 0.2)?)?;
        world.add_joint(Joint::at_frame(
            JointKind::Ball,
            &world,
            body,
            Some(above),
            &top,
        )?)?;
        above = body;
    }
    let mut simulation = Simulation::new(world, Settings::default(), Box::new(CpuSolver::new()))?;
    for _ in 0..240 {
        let report = simulation.step()?;
        assert!(report.joints.linear_max < 1e-3); // m
    }
    let world = simulation.world();
    let angle = world.joints[0].coordinate(&world.bodies);
    assert!(angle.is_some_and(|angle| (angle.value - 1.2).abs() < 0.01)); // rad, at its limit
    Ok(())
}

#[test]
fn runs() -> drystone::Result<()> {
    main()
}
