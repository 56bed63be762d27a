//! Resting forces of the event stepper beside those of a converged velocity step.

use super::round::{capsule, cone, cylinder, solid};
use super::{G, cuboid, ground, world};
use drystone::event::{EventSettings, EventStepper};
use drystone::math::{Pose, Quat, Vec3, tangents};
use drystone::problem::FrictionCone;
use drystone::solver::reference::LemkeSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, BodyKind, Polyhedron, Shape, World};
use std::f64::consts::FRAC_PI_2;
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

/// The same with capsules, cylinders and cones: on end, on their sides, on a slope, stacked, across each other, in a groove, between walls, below a
/// plank.
fn round_scenes() -> Vec<World> {
    let quarter = Vec3::x() * FRAC_PI_2;
    let with = |friction: f64, bodies: Vec<Body>| {
        let mut world = world(friction, 0.0);
        world.add(ground()).unwrap();
        for body in bodies {
            world.add(body).unwrap();
        }
        world
    };
    let upright = Vec3::zeros();
    let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let mut slope = with(
        0.6,
        vec![solid(cylinder(0.2, 0.2), at(0.0, 0.0, 0.2), upright, 2.0)],
    );
    slope.gravity = Vec3::new(0.2, 0.1, -0.97) * G;
    let fixed_box = |x: f64| {
        let half_extents = Vec3::repeat(0.5);
        let pose = Pose::new(Vec3::new(x, 0.0, 0.5), Quat::identity());
        Body::fixed(Shape::Box { half_extents }, pose)
    };
    // Between two edges, along them and with its end beyond one of them.
    let height = (0.1_f64.powi(2) - 0.05_f64.powi(2)).sqrt();
    let groove = |shape: Shape| {
        let body = solid(shape, at(0.0, 0.0, 1.0 + height), quarter, 2.0);
        with(0.0, vec![fixed_box(-0.55), fixed_box(0.55), body])
    };
    let log = |shape: Shape, x: f64| {
        let mut log = solid(shape, at(x, 0.0, 0.15), quarter, 1.0);
        log.kind = BodyKind::Fixed;
        log
    };
    let across = |shape: Shape| solid(shape, at(0.1, 0.0, 0.4), Vec3::y() * FRAC_PI_2, 2.0);
    // Two logs that lie next to each other on a box, and a third one between walls above them.
    let logs = || {
        let rise = (0.2_f64.powi(2) - 0.11_f64.powi(2)).sqrt();
        with(
            0.0,
            vec![
                fixed_box(-0.71),
                fixed_box(0.71),
                solid(capsule(0.3, 0.1), at(-0.11, 0.0, 0.1), quarter, 1.0),
                solid(capsule(0.3, 0.1), at(0.11, 0.0, 0.1), quarter, 2.0),
                solid(capsule(0.3, 0.1), at(0.0, 0.05, 0.1 + rise), quarter, 1.5),
            ],
        )
    };
    vec![
        with(
            0.5,
            vec![solid(cylinder(0.3, 0.1), at(0.0, 0.0, 0.3), upright, 2.0)],
        ),
        with(
            0.5,
            vec![solid(cylinder(0.3, 0.1), at(0.0, 0.0, 0.1), quarter, 2.0)],
        ),
        with(
            0.5,
            vec![solid(cone(0.4, 0.2), at(0.0, 0.0, 0.1), upright, 2.0)],
        ),
        with(
            0.5,
            vec![solid(capsule(0.3, 0.1), at(0.0, 0.0, 0.1), quarter, 2.0)],
        ),
        slope,
        with(
            0.5,
            vec![
                solid(cylinder(0.2, 0.3), at(0.0, 0.0, 0.2), upright, 3.0),
                solid(cylinder(0.1, 0.2), at(0.05, 0.02, 0.5), upright, 1.0),
                solid(cone(0.4, 0.15), at(0.05, 0.0, 0.7), upright, 2.0),
            ],
        ),
        with(
            0.5,
            vec![
                cuboid([0.3, 0.3, 0.2], [0.0, 0.0, 0.2], 1.0),
                solid(cylinder(0.2, 0.2), at(0.25, 0.1, 0.6), upright, 1.0),
            ],
        ),
        with(
            0.5,
            vec![
                solid(cylinder(0.3, 0.1), at(-0.4, 0.0, 0.1), quarter, 1.0),
                solid(capsule(0.3, 0.1), at(0.4, 0.0, 0.1), quarter, 1.0),
                cuboid([0.6, 0.2, 0.05], [0.1, 0.0, 0.25], 3.0),
                solid(cone(0.4, 0.1), at(0.2, 0.0, 0.4), upright, 1.0),
            ],
        ),
        with(
            0.0,
            vec![
                log(capsule(0.5, 0.15), -0.3),
                log(capsule(0.5, 0.15), 0.25),
                across(capsule(0.4, 0.1)),
            ],
        ),
        with(
            0.0,
            vec![
                log(cylinder(0.5, 0.15), -0.3),
                log(cylinder(0.5, 0.15), 0.25),
                across(cylinder(0.5, 0.1)),
            ],
        ),
        groove(capsule(0.6, 0.1)),
        groove(cylinder(0.4, 0.1)),
        groove(cylinder(0.6, 0.1)),
        logs(),
    ]
}

#[test]
fn resting_forces_are_those_of_a_converged_velocity_step() {
    let h = 1e-3;
    let scenes = static_scenes().into_iter().chain(round_scenes());
    for (number, world) in scenes.enumerate() {
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
