//! Resting forces of the event stepper beside those of a converged velocity step.

use super::{G, cuboid, ground, world};
use drystone::event::{EventSettings, EventStepper};
use drystone::math::{Pose, Quat, Vec3, tangents};
use drystone::problem::FrictionCone;
use drystone::solver::reference::LemkeSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Polyhedron, Shape, World};
use std::sync::Arc;

/// Static scenes whose interfaces carry what balance alone says: stacks, a plank on two edges, a leaning pile, a cube beyond a rim, slopes, a
/// pressed block, unequal masses, a plank on balls on blocks, a ball between two edges.
fn static_scenes() -> Vec<World> {
    let stack = |count: u32, friction: f64, mass: fn(u32) -> f64| {
        let mut world = world(friction, 0.0);
        world.add(ground()).unwrap();
        for k in 0..count {
            world
                .add(cuboid([0.5; 3], [0.0, 0.0, 0.5 + f64::from(k)], mass(k)))
                .unwrap();
        }
        world
    };
    let with = |friction: f64, bodies: &[([f64; 3], [f64; 3], f64)]| {
        let mut world = world(friction, 0.0);
        world.add(ground()).unwrap();
        for (half, at, mass) in bodies {
            world.add(cuboid(*half, *at, *mass)).unwrap();
        }
        world
    };
    let slope = |degrees: f64, count: u32| {
        let angle = degrees.to_radians();
        let mut world = stack(count, 0.6, |_| 1.0);
        world.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * G;
        world
    };
    let mut pressed = stack(2, 0.3, |_| 1.0);
    pressed.loads.push(drystone::world::Load {
        body: 2,
        point: Vec3::zeros(),
        force: Vec3::new(1.0, 0.5, -30.0),
        torque: Vec3::zeros(),
        from: 0.0,
        until: f64::INFINITY,
        frequency: 0.0,
    });
    let cube = [0.5; 3];
    // On two edges, whose shares follow from the plank's balance.
    let mut bridge = world(0.5, 0.0);
    for x in [-1.0, 1.0] {
        let prism = Polyhedron::prism(3, 0.3, 0.5).unwrap();
        let axis = Vec3::new(1.0, -1.0, 1.0).normalize();
        let turned = Quat::from_scaled_axis(axis * (2.0 * std::f64::consts::PI / 3.0));
        let pose = Pose::new(Vec3::new(x, 0.0, 0.0), turned);
        bridge
            .add(Body::fixed(Shape::Polyhedron(Arc::new(prism)), pose))
            .unwrap();
    }
    bridge
        .add(cuboid([1.5, 0.3, 0.1], [0.2, 0.0, 0.4], 3.0))
        .unwrap();
    let ball = |at: [f64; 3], mass: f64| {
        let pose = Pose::new(at.into(), Quat::identity());
        Body::dynamic_with_mass(Shape::Sphere { radius: 0.2 }, pose, mass).unwrap()
    };
    let mut on_balls = with(
        0.5,
        &[
            ([0.3; 3], [-0.5, 0.0, 0.3], 1.0),
            ([0.3; 3], [0.5, 0.0, 0.3], 2.0),
            ([0.9, 0.3, 0.1], [0.1, 0.0, 1.1], 3.0),
        ],
    );
    for x in [-0.5, 0.5] {
        on_balls.add(ball([x, 0.0, 0.8], 1.5)).unwrap();
    }
    // Between the edges of two blocks.
    let mut groove = world(0.0, 0.0);
    for x in [-0.55, 0.55] {
        let shape = Shape::Box {
            half_extents: cube.into(),
        };
        let pose = Pose::new(Vec3::new(x, 0.0, -0.5), Quat::identity());
        groove.add(Body::fixed(shape, pose)).unwrap();
    }
    let height = (0.2_f64.powi(2) - 0.05_f64.powi(2)).sqrt();
    groove.add(ball([0.0, 0.0, height], 2.0)).unwrap();
    vec![
        stack(1, 0.5, |_| 1.0),
        stack(3, 0.5, |_| 1.0),
        stack(5, 0.0, |_| 2.0),
        stack(4, 0.5, |k| [1.0, 100.0, 0.1, 10.0][k as usize]),
        bridge,
        with(
            0.5,
            &[
                (cube, [0.0, 0.0, 0.5], 1.0),
                (cube, [0.2, 0.1, 1.5], 1.0),
                (cube, [0.1, 0.3, 2.5], 2.0),
            ],
        ),
        with(
            0.5,
            &[
                ([2.0, 2.0, 0.5], [0.0, 0.0, 0.5], 5.0),
                (cube, [1.8, 0.3, 1.5], 1.0),
            ],
        ),
        slope(15.0, 1),
        slope(10.0, 3),
        pressed,
        on_balls,
        groove,
    ]
}

#[test]
fn resting_forces_are_those_of_a_converged_velocity_step() {
    let h = 1e-3;
    for (number, world) in static_scenes().into_iter().enumerate() {
        let settings = EventSettings::for_world(&world, h);
        let stepper = EventStepper::new(&world, settings).unwrap();
        // Sums over each interface: single forces are not unique.
        let mut sums: std::collections::BTreeMap<[u32; 2], (Vec3, Vec3)> = Default::default();
        for force in stepper.contact_forces(&world, h).unwrap() {
            let sum = sums.entry({
                let mut pair = force.bodies;
                pair.sort_unstable();
                pair
            });
            let on_first = if force.bodies[0] < force.bodies[1] {
                1.0
            } else {
                -1.0
            };
            sum.or_default().0 += force.force * on_first;
        }
        let settings = Settings {
            time_step: h,
            substeps: Some(0),
            stabilization: Stabilization::both(Scheme::None),
            friction_cone: FrictionCone::Pyramid { directions: 8 },
            ..Settings::default()
        };
        let mut run = Simulation::new(world, settings, Box::new(LemkeSolver::new())).unwrap();
        run.step().unwrap();
        let problem = run.velocity_problem();
        for (contact, impulse) in problem.contacts.iter().zip(run.impulses()) {
            let normal = contact.normal;
            let (first, second) = tangents(normal);
            let force = (0..3).map(|axis| {
                let sum = normal[axis] * impulse[0]
                    + first[axis] * impulse[1]
                    + second[axis] * impulse[2];
                f64::from(sum) / h
            });
            let force = Vec3::from_iterator(force);
            let mut pair = [contact.body_a, contact.body_b];
            let on_first = if pair[0] < pair[1] { 1.0 } else { -1.0 };
            pair.sort_unstable();
            sums.entry(pair).or_default().1 += force * on_first;
        }
        assert!(!sums.is_empty());
        let largest = sums
            .values()
            .map(|(event, _)| event.norm())
            .fold(0.0, f64::max);
        for (pair, (event, velocity)) in &sums {
            let off = (event - velocity).norm();
            assert!(
                off <= 1e-6 * largest,
                "scene {number}, {pair:?}: {event} {velocity}"
            );
        }
    }
}
