//! What no force changes: energy never grows, and what bodies do to each other keeps momentum.

use crate::support::chains::{chain, free_chain, precise};
use drystone::math::{Pose, Quat, Vec3};
use drystone::measure::{energy, momentum};
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::stabilize::Scheme;
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Material, Shape, World};

const SCHEMES: [(&str, Scheme); 3] = [
    ("none", Scheme::None),
    ("post", Scheme::Post),
    ("implicit", Scheme::Implicit),
];

fn solvers() -> [(&'static str, Box<dyn Solver>); 2] {
    [
        ("cpu", Box::new(CpuSolver::new())),
        ("lemke", Box::new(LemkeSolver::new())),
    ]
}

/// Six rods on joints that spin, each about another axis, and drift.
fn spinning_chain(kind: JointKind) -> World {
    let mut world = free_chain(6, kind);
    for (link, body) in world.bodies.iter_mut().enumerate() {
        let at = link as f64;
        body.linear_velocity = Vec3::new(0.0, 4.0 * body.pose.position.x, 0.3);
        body.angular_velocity = Vec3::new(3.0 * (at + 1.0).sin(), 5.0 * (2.0 * at).cos(), 4.0 + at);
    }
    world
}

/// The largest growth of kinetic energy in a step, and of all steps, over the energy after the first
/// one, which makes the velocities agree with the joints.
fn growth(world: World, h: f64, scheme: Scheme, solver: Box<dyn Solver>) -> [f64; 2] {
    let mut simulation = Simulation::new(world, precise(h, scheme), solver).unwrap();
    let first = simulation.step().unwrap().energy.kinetic;
    let (mut last, mut most) = (first, [f64::NEG_INFINITY; 2]);
    for _ in 0..(2.0 / h) as u32 {
        let now = simulation.step().unwrap().energy.kinetic;
        most[0] = most[0].max((now - last) / first);
        most[1] = most[1].max(now / first - 1.0);
        last = now;
    }
    most
}

/// Without a push in the velocities energy falls from step to step. The implicit scheme's push takes
/// some back: to third order in h, and never more than was lost before.
#[test]
fn energy_of_a_free_chain_never_grows() {
    for kind in [JointKind::Ball, JointKind::Hinge] {
        for (name, scheme) in SCHEMES {
            for (backend, solver) in solvers() {
                let what = format!("{kind:?}, {name}, {backend}");
                let [step, all] = growth(spinning_chain(kind.clone()), 0.01, scheme, solver);
                assert!(all < 0.0, "{what}: {all:e} of the energy gained");
                let most = if scheme == Scheme::Implicit {
                    1e-5
                } else {
                    0.0
                };
                assert!(
                    step <= most,
                    "{what}: {step:e} of the energy gained in a step"
                );
            }
        }
    }
}

#[test]
fn implicit_push_shrinks_with_the_step() {
    let step = |h: f64| {
        let world = spinning_chain(JointKind::Ball);
        growth(world, h, Scheme::Implicit, Box::new(CpuSolver::new()))[0]
    };
    let (coarse, fine) = (step(0.01), step(0.001));
    assert!(fine < 5e-3 * coarse, "{coarse:e} to {fine:e}");
}

/// Bodies that fall to the floor: jointed rods, apart from each other, and a stack.
fn falling_bodies() -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let floor = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(floor, Pose::identity())).unwrap();
    for chain in 0..3 {
        let turn = Quat::from_scaled_axis(Vec3::new(0.1 * f64::from(chain), -0.2, 0.0));
        for link in 0..4 {
            let along = turn * Vec3::new(0.2 * f64::from(link), 0.0, 0.0);
            let start = Vec3::new(0.0, f64::from(chain), 0.3 + 0.1 * f64::from(chain));
            let shape = Shape::Capsule {
                half_length: 0.06,
                radius: 0.03,
            };
            let body = Body::dynamic_with_mass(shape, Pose::new(start + along, turn), 1.0).unwrap();
            let body = world.add(body).unwrap();
            if link > 0 {
                let anchor = world.bodies[body as usize]
                    .pose
                    .point(&Vec3::new(-0.1, 0.0, 0.0));
                let kind = [JointKind::Ball, JointKind::Hinge][link as usize % 2].clone();
                let joint = Joint::at(kind, &world, body, Some(body - 1), anchor, Vec3::y());
                world
                    .add_joint(joint.unwrap().with_limits(-1.0, 1.0))
                    .unwrap();
            }
        }
    }
    for level in 0..3 {
        let shape = Shape::Box {
            half_extents: Vec3::repeat(0.1),
        };
        let center = Vec3::new(0.0, -1.0, 0.12 + 0.21 * f64::from(level));
        let pose = Pose::new(center, Quat::identity());
        world
            .add(Body::dynamic_with_mass(shape, pose, 1.0).unwrap())
            .unwrap();
    }
    world
}

#[test]
fn energy_of_falling_bodies_never_grows() {
    for (name, scheme) in SCHEMES {
        let mut settings = precise(1.0 / 240.0, scheme);
        settings.solver.tolerance = 1e-7;
        settings.stabilization.post.solver.tolerance = 1e-10;
        let world = falling_bodies();
        let total = |world: &World| energy(world).kinetic + energy(world).potential;
        let start = total(&world);
        let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        let mut last = start;
        for step in 0..360 {
            simulation.step().unwrap();
            let now = total(simulation.world());
            let gained = (now - last) / start;
            assert!(gained <= 1e-6, "{name}: {gained:e} gained in step {step}");
            last = now;
        }
        assert!(last < 0.5 * start, "{name}: {start} J to {last} J");
    }
}

/// A hanging chain swings up to where it came from, and no higher.
///
/// A semi-implicit step puts velocities half a step ahead of positions. What it keeps of a body in a
/// field is the energy with the one at the other's time, `T + U + (h/2) sum m g . v`; `T + U` itself
/// swings about it by the last term, 4 mJ here.
#[test]
fn energy_of_a_swinging_chain_never_grows() {
    let h = 1e-3;
    for (name, scheme) in SCHEMES {
        let world = chain(6, 9.81, JointKind::Hinge);
        let mut simulation =
            Simulation::new(world, precise(h, scheme), Box::new(CpuSolver::new())).unwrap();
        let mut most = f64::NEG_INFINITY;
        for _ in 0..600 {
            let energy = simulation.step().unwrap().energy;
            let world = simulation.world();
            let lag = 0.5 * h * momentum(world).linear.dot(&world.gravity);
            most = most.max(energy.kinetic + energy.potential + lag);
        }
        assert!(most < 1e-9, "{name}: {most:e} J above the start");
    }
}

/// Change of linear and angular momentum in a second, relative.
fn momentum_changes(h: f64, scheme: Scheme, solver: Box<dyn Solver>) -> [f64; 2] {
    let world = spinning_chain(JointKind::Ball);
    let start = momentum(&world);
    let mut simulation = Simulation::new(world, precise(h, scheme), solver).unwrap();
    for _ in 0..(1.0 / h) as u32 {
        simulation.step().unwrap();
    }
    let end = momentum(simulation.world());
    [
        (end.linear - start.linear).norm() / start.linear.norm(),
        (end.angular - start.angular).norm() / start.angular.norm(),
    ]
}

#[test]
fn joints_keep_linear_momentum() {
    for (name, scheme) in SCHEMES {
        for (backend, solver) in solvers() {
            let [linear, _] = momentum_changes(0.01, scheme, solver);
            assert!(linear < 1e-6, "{name}, {backend}: {linear:e}");
        }
    }
}

/// The impulses of joints that hold keep angular momentum too: what each step of a chain that the
/// position pass keeps together changes before that pass, added up over a second.
#[test]
fn impulses_of_joints_keep_angular_momentum() {
    let h = 0.01;
    let world = spinning_chain(JointKind::Ball);
    let scale = momentum(&world).angular.norm();
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(world, precise(h, Scheme::Post), solver).unwrap();
    let mut change = Vec3::zeros();
    for _ in 0..100 {
        let world = simulation.world().clone();
        let before = momentum(&world).angular;
        let solver = Box::new(CpuSolver::new());
        let mut alone = Simulation::new(world, precise(h, Scheme::None), solver).unwrap();
        alone.step().unwrap();
        change += momentum(alone.world()).angular - before;
        simulation.step().unwrap();
    }
    let change = change.norm() / scale;
    assert!(change < 1e-6, "{change:e}");
}

/// Impulses at two anchors that have come apart make a couple, so angular momentum is kept as well as
/// the anchors are together: to 1e-6 by the implicit scheme in short steps. The position pass moves
/// bodies and not their velocities, which costs angular momentum to first order.
#[test]
fn joints_keep_angular_momentum_as_well_as_they_hold() {
    let angular = |h, scheme| momentum_changes(h, scheme, Box::new(CpuSolver::new()))[1];
    let implicit = angular(1e-3, Scheme::Implicit);
    assert!(implicit < 1e-6, "implicit: {implicit:e}");
    for (name, scheme) in SCHEMES {
        let (coarse, fine) = (angular(4e-3, scheme), angular(1e-3, scheme));
        assert!(fine < 0.35 * coarse, "{name}: {coarse:e} to {fine:e}");
    }
}

#[test]
fn what_spins_fast_alone_keeps_energy_and_momentum() {
    let shape = Shape::Box {
        half_extents: Vec3::new(0.1, 0.05, 0.02),
    };
    let body = Body::dynamic(shape, Pose::identity(), 1000.0).unwrap();
    let mut world = World::new(Vec3::zeros());
    // Three radians a step.
    let spin = Vec3::new(50.0, 60.0, 50.0);
    world.add(body.moving(Vec3::zeros(), spin)).unwrap();
    let settings = Settings {
        time_step: 1.0 / 30.0,
        ..Settings::default()
    };
    let start = (energy(&world).kinetic, momentum(&world).angular);
    let mut run = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..300 {
        let report = run.step().unwrap();
        assert!(report.contact_updates >= 3);
    }
    let end = (energy(run.world()).kinetic, momentum(run.world()).angular);
    assert!((end.0 / start.0 - 1.0).abs() < 0.05, "{start:?} {end:?}");
    assert!(
        (end.1 - start.1).norm() < 1e-6 * start.1.norm(),
        "{start:?} {end:?}"
    );
}

/// A ball meets the first of a row of four whose gaps close within the substep of the impact: the speed goes down the row and
/// leaves it with the last.
#[test]
fn an_impact_passes_through_a_row_of_elastic_balls() {
    for gap in [1e-4, 1e-3, 5e-3] {
        let mut world = World::new(Vec3::zeros());
        world.materials[0] = Material {
            friction: 0.0,
            restitution: 1.0,
        };
        let radius = 0.05;
        for k in 0..5 {
            let x = f64::from(k) * (2.0 * radius + gap) - if k == 0 { 0.1 } else { 0.0 };
            let pose = Pose::new(Vec3::x() * x, Quat::identity());
            world
                .add(Body::dynamic_with_mass(Shape::Sphere { radius }, pose, 1.0).unwrap())
                .unwrap();
        }
        world.bodies[0].linear_velocity = 2.0 * Vec3::x();
        let settings = Settings {
            time_step: 1.0 / 60.0,
            ..Settings::default()
        };
        let mut run = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        for _ in 0..30 {
            run.step().unwrap();
        }
        let speeds: Vec<f64> = (run.world().bodies.iter())
            .map(|body| body.linear_velocity.x)
            .collect();
        // What overlaps within a substep parts at 0.015 diameters a second.
        for (speed, expected) in speeds.iter().zip([0.0, 0.0, 0.0, 0.0, 2.0]) {
            assert!(
                (speed - expected).abs() < 0.03 * radius,
                "gaps of {gap} m: {speeds:?}"
            );
        }
    }
}

/// The same where the row lies on the ground and its balls touch.
#[test]
fn an_impact_passes_through_elastic_balls_that_touch() {
    for size in [0.05, 1.0] {
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        world.materials[0] = Material {
            friction: 0.0,
            restitution: 1.0,
        };
        let ground = Shape::HalfSpace {
            normal: Vec3::z(),
            offset: 0.0,
        };
        let pose = Pose::new(Vec3::zeros(), Quat::identity());
        world.add(Body::fixed(ground, pose)).unwrap();
        let radius = 0.5 * size;
        for place in [0.0, 1.0, 2.0, 3.0, 4.0, -2.0] {
            let pose = Pose::new(Vec3::new(place * size, 0.0, radius), Quat::identity());
            let ball = Body::dynamic(Shape::Sphere { radius }, pose, 1000.0).unwrap();
            world.add(ball).unwrap();
        }
        let speed = 2.0 * (9.81 * size).sqrt();
        world.bodies[6].linear_velocity = speed * Vec3::x();
        let settings = Settings {
            time_step: 1.0 / 60.0,
            ..Settings::default()
        };
        let mut run = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        for _ in 0..60 {
            run.step().unwrap();
        }
        let speeds: Vec<f64> = (run.world().bodies[1..].iter())
            .map(|body| body.linear_velocity.x / speed)
            .collect();
        for (now, expected) in speeds.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0, 0.0]) {
            assert!((now - expected).abs() < 0.01, "{size} m: {speeds:?}");
        }
    }
}
