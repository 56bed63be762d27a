//! The position pass on joints: it removes their errors and leaves velocities alone.

use crate::support::backends::backends;
use crate::support::chains::{chain, free_chain, precise};
use drystone::collide::ContactModel;
use drystone::internals::collide::{Detector, Limits, find_contacts};
use drystone::internals::stabilize::PositionPass;
use drystone::math::{Pose, Quat, Vec3};
use drystone::measure;
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Shape, World};

fn run_pass(
    world: &mut World,
    pairs: &[[u32; 2]],
    stabilization: &Stabilization,
    solver: &mut dyn Solver,
) {
    let mut detector = Detector::of_pairs(world, pairs);
    PositionPass::new(world.smallest_radius())
        .run(stabilization, world, &mut detector, 0.01, solver)
        .unwrap();
}

/// The error after a solve is of second order in the one before it.
#[test]
fn pass_corrects_joints_quadratically() {
    for kind in [JointKind::Hinge, JointKind::Fixed, JointKind::Universal] {
        let mut solvers = backends();
        solvers.push(("lemke", Box::new(LemkeSolver::new())));
        for (name, mut solver) in solvers {
            let mut world = free_chain(4, kind.clone());
            for (link, body) in world.bodies.iter_mut().enumerate() {
                let off = 1e-3 * (3.0 * link as f64 + 1.0).sin();
                body.displace(
                    &Vec3::new(off, -off, 0.5 * off),
                    &Vec3::new(2.0, 5.0, 9.0).scale(off),
                );
            }
            let mut stabilization = precise(0.01, Scheme::Post).stabilization;
            stabilization.post.max_correction = Some(1.0);
            let error = |world: &World| measure::joint_errors(world).linear_max;
            let mut errors = vec![error(&world)];
            for _ in 0..3 {
                run_pass(&mut world, &[], &stabilization, &mut *solver);
                errors.push(error(&world));
            }
            assert!(errors[0] > 1e-3, "{name}: nothing was wrong");
            for pair in errors.windows(2) {
                let most = 20.0 * pair[0] * pair[0] + 1e-12;
                assert!(pair[1] <= most, "{kind:?}, {name}: {errors:?}");
            }
        }
    }
}

/// A joint torn apart by ten times the size of its bodies, and turned by 150 degrees.
#[test]
fn pass_brings_back_what_is_far_away() {
    let mut world = free_chain(2, JointKind::Fixed);
    world.bodies[1].displace(&Vec3::new(0.3, 1.0, -0.5), &Vec3::new(1.5, -1.5, 1.5));
    let mut stabilization = precise(0.01, Scheme::Post).stabilization;
    stabilization.post.max_correction = Some(10.0);
    stabilization.post.steps = 30;
    run_pass(&mut world, &[], &stabilization, &mut CpuSolver::new());
    let errors = measure::joint_errors(&world);
    assert!(
        errors.linear_max < 1e-9 && errors.angular_max < 1e-9,
        "{errors:?}"
    );
}

#[test]
fn correction_of_joints_is_bounded() {
    let mut world = free_chain(2, JointKind::Fixed);
    world.bodies[1].displace(&Vec3::new(0.05, 0.0, 0.0), &Vec3::new(0.0, 0.0, 0.4));
    let mut stabilization = Stabilization::both(Scheme::Post);
    stabilization.post.max_correction = Some(1e-4);
    let radius = world.smallest_radius();
    let mut pass = PositionPass::new(radius);
    let mut detector = Detector::of_pairs(&world, &[]);
    pass.run(
        &stabilization,
        &mut world,
        &mut detector,
        0.01,
        &mut CpuSolver::new(),
    )
    .unwrap();
    for row in &pass.problem().joint_rows {
        let most = if row.is_angular() {
            1e-4 / radius
        } else {
            1e-4
        };
        assert!(f64::from(row.bias.abs()) <= most * (1.0 + 1e-6), "{row:?}");
    }
}

#[test]
fn pass_keeps_kinetic_energy_of_any_body() {
    let mut world = free_chain(2, JointKind::Fixed);
    for body in &mut world.bodies {
        body.angular_velocity = Vec3::new(3.0, -2.0, 1.0);
    }
    world.bodies[1].displace(&Vec3::new(2e-3, 1e-3, 0.0), &Vec3::new(0.0, 0.05, 0.1));
    let before = measure::energy(&world).kinetic;
    let stabilization = precise(0.01, Scheme::Post).stabilization;
    run_pass(&mut world, &[], &stabilization, &mut CpuSolver::new());
    let after = measure::energy(&world).kinetic;
    assert!((after / before - 1.0).abs() < 1e-12, "{before} to {after}");
}

/// A rod that hangs from the world by its upper end, and leans into a wall with the lower one; both
/// are wrong.
fn rod_in_a_wall() -> World {
    let mut world = World::new(Vec3::zeros());
    let wall = Shape::HalfSpace {
        normal: Vec3::y(),
        offset: 0.0,
    };
    let rod = Shape::Capsule {
        half_length: 0.2,
        radius: 0.05,
    };
    let turn = Quat::from_scaled_axis(Vec3::new(-0.1, 0.0, 0.0));
    let pose = Pose::new(turn * Vec3::new(0.0, 0.0, -0.2), turn);
    let mut rod = Body::dynamic_with_mass(rod, pose, 1.0).unwrap();
    rod.pose.position += Vec3::new(0.003, 0.088, 0.001);
    world.add(rod).unwrap();
    world.add(Body::fixed(wall, Pose::identity())).unwrap();
    let frame_a = Pose::new(Vec3::new(0.0, 0.0, 0.2), Quat::identity());
    let frame_b = Pose::new(Vec3::new(0.0, 0.09, 0.0), Quat::identity());
    world
        .add_joint(Joint::between(JointKind::Ball, 0, frame_a, None, frame_b))
        .unwrap();
    world
}

/// What a scheme other than `Post` looks after is not corrected, and not made worse beyond what the
/// linear problem does not see.
#[test]
fn pass_corrects_one_sort_without_harm_to_the_other() {
    let overlap = |world: &World| {
        let mut contacts = Vec::new();
        let limits = Limits {
            margin: 0.1,
            time_step: 0.0,
            lead: 0.0,
            model: ContactModel::Clipped,
        };
        find_contacts(world, &[[0, 1]], limits, &mut contacts);
        measure::penetration(&contacts).max
    };
    let error = |world: &World| measure::joint_errors(world).linear_max;
    let start = rod_in_a_wall();
    let before = [error(&start), overlap(&start)];
    assert!(before[0] > 3e-3 && before[1] > 1e-3, "{before:?}");
    for (contacts, joints) in [
        (Scheme::Post, Scheme::Post),
        (Scheme::Post, Scheme::None),
        (Scheme::None, Scheme::Post),
        (Scheme::None, Scheme::None),
    ] {
        let mut stabilization = Stabilization {
            contacts,
            joints,
            ..precise(0.01, Scheme::Post).stabilization
        };
        stabilization.post.max_correction = Some(1.0);
        stabilization.post.steps = 4;
        for mut solver in [
            Box::new(CpuSolver::new()) as Box<dyn Solver>,
            Box::new(LemkeSolver::new()),
        ] {
            let mut world = start.clone();
            run_pass(&mut world, &[[0, 1]], &stabilization, &mut *solver);
            let after = [error(&world), overlap(&world)];
            let what = format!("{contacts:?}, {joints:?}, {}: {after:?}", solver.backend());
            let close = |at: usize| (after[at] - before[at]).abs() < 1e-4;
            if joints == Scheme::Post {
                assert!(after[0] < 1e-8, "{what}");
            } else {
                assert!(close(0), "{what} for {before:?}");
            }
            if contacts == Scheme::Post {
                assert!(after[1] < 1e-8, "{what}");
            } else {
                assert!(after[1] < before[1] + 1e-4, "{what} for {before:?}");
            }
        }
    }
}

#[test]
fn pass_corrects_a_violated_limit() {
    for mut solver in [
        Box::new(CpuSolver::new()) as Box<dyn Solver>,
        Box::new(LemkeSolver::new()),
    ] {
        let mut world = chain(1, 0.0, JointKind::Hinge);
        world.joints[0] = world.joints[0].clone().with_limits(-0.5, 0.3);
        let turn = Quat::from_scaled_axis(Vec3::new(0.0, 0.0, 0.32));
        world.bodies[0].pose = Pose::new(turn * world.bodies[0].pose.position, turn);
        let before = measure::joint_errors(&world).limit_angular_max;
        let mut stabilization = precise(0.01, Scheme::Post).stabilization;
        stabilization.post.steps = 3;
        run_pass(&mut world, &[], &stabilization, &mut *solver);
        let after = measure::joint_errors(&world);
        assert!((before - 0.02).abs() < 1e-9, "{before}");
        assert!(after.limit_angular_max < 1e-7, "{after:?}");
        assert!(after.linear_max < 1e-7, "{after:?}");
    }
}
