//! Deep overlaps in steps of several substeps: pushed apart, and not thrown apart.
use drystone::internals::constants::{SUBSTEP_PUSH, SUBSTEP_PUSH_DEPTH_PER_RADIUS};
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, World};

/// Two cubes of 1 m without gravity, one 0.4 m inside the other: how fast they part in the first step `[m/s]`.
fn parting_speed(substeps: u32, contacts: Scheme) -> f64 {
    let mut world = World::new(Vec3::zeros());
    for x in [0.0, 0.6] {
        let shape = Shape::Box {
            half_extents: Vec3::repeat(0.5),
        };
        let pose = Pose::new(Vec3::new(x, 0.0, 0.0), Quat::identity());
        let body = Body::dynamic_with_mass(shape, pose, 1000.0).unwrap();
        world.add(body).unwrap();
    }
    let settings = Settings {
        substeps: Some(substeps),
        stabilization: Stabilization {
            contacts,
            ..Stabilization::both(Scheme::Post)
        },
        ..Settings::post_stabilized()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    simulation.step().unwrap();
    let [a, b] = [0, 1].map(|body| simulation.world().bodies[body].linear_velocity.x);
    b - a
}

#[test]
fn bodies_part_no_faster_in_more_substeps() {
    let radius = 0.75_f64.sqrt();
    let gamma = 0.3;
    for (share, scheme) in [
        (SUBSTEP_PUSH, Scheme::Post),
        (gamma, Scheme::Gamma { gamma }),
    ] {
        let fastest =
            share * SUBSTEP_PUSH_DEPTH_PER_RADIUS * radius / Settings::post_stabilized().time_step;
        for substeps in [1, 2, 4, 8, 16] {
            let speed = parting_speed(substeps, scheme);
            assert!(
                (speed - fastest).abs() < 1e-3 * fastest,
                "{substeps} substeps, {scheme:?}: {speed} m/s, expected {fastest} m/s"
            );
        }
    }
}
