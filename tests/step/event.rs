//! The event stepper: times of collision, impulses, resting forces, sliding, joints, and where it has to stop.

mod balls;
mod breaking;
mod motors;
mod resting;
mod round;

use drystone::Error;
use drystone::event::{EventOptions, EventSettings, EventStepper, Feedback, Impacts, TimeSearch};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::solver::reference::LemkeSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, MassProperties, Material, Polyhedron, Shape, TriangleMesh, World};
use std::sync::Arc;

const G: f64 = 9.81;

fn world(friction: f64, restitution: f64) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials = vec![Material {
        friction,
        restitution,
    }];
    world
}

fn ground() -> Body {
    let shape = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    Body::fixed(shape, Pose::identity())
}

fn cuboid(half: [f64; 3], at: [f64; 3], mass: f64) -> Body {
    let shape = Shape::Box {
        half_extents: half.into(),
    };
    Body::dynamic_with_mass(shape, Pose::new(at.into(), Quat::identity()), mass).unwrap()
}

/// Vertical forces between two bodies at rest, whichever is first, summed up `[N]`.
fn weights_between(world: &World) -> impl Fn([u32; 2]) -> f64 + use<> {
    let settings = EventSettings::for_world(world, 0.01);
    let stepper = EventStepper::new(world, settings).unwrap();
    let forces = stepper.contact_forces(world, 0.01).unwrap();
    move |[a, b]| {
        let between = forces
            .iter()
            .filter(|force| force.bodies == [a, b] || force.bodies == [b, a]);
        between.map(|force| force.force.z.abs()).sum()
    }
}

fn run(world: &mut World, settings: EventSettings, h: f64, steps: u32) -> Vec<f64> {
    let mut stepper = EventStepper::new(world, settings).unwrap();
    let mut collisions = Vec::new();
    for _ in 0..steps {
        collisions.extend(stepper.step(world, h).unwrap().collisions);
    }
    collisions
}

fn tumbling_box() -> World {
    let mut world = world(0.0, 0.0);
    world.add(ground()).unwrap();
    let mut body = cuboid([0.2, 0.1, 0.05], [0.0, 0.0, 1.0], 1.0);
    body.mass =
        MassProperties::new(1.0, Mat3::from_diagonal(&Vec3::new(0.01, 0.02, 0.03))).unwrap();
    body.angular_velocity = Vec3::new(1.0, 2.0, 0.5);
    world.add(body).unwrap();
    world
}

#[test]
fn the_time_of_a_collision_is_found_by_halving_and_faster_by_a_predictor() {
    let mut trials = Vec::new();
    for search in [TimeSearch::Bisection, TimeSearch::Predictor] {
        let mut world = tumbling_box();
        let settings = EventSettings {
            search,
            gap_tolerance: 1e-9,
            ..EventSettings::for_world(&world, 0.01)
        };
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let mut sum = 0;
        let first = loop {
            let report = stepper.step(&mut world, 0.01).unwrap();
            sum += report.trials;
            if let Some(first) = report.collisions.first() {
                break *first;
            }
        };
        assert!((first - 0.402_380_399_4).abs() < 1e-8, "{first}");
        trials.push(sum);
    }
    assert!(trials[1] * 2 < trials[0], "{trials:?}");
}

#[test]
fn a_box_dropped_on_its_face_rebounds_to_the_square_of_its_restitution() {
    for impacts in [Impacts::Simultaneous, Impacts::Sequential] {
        for restitution in [0.0, 0.5, 1.0] {
            let mut world = world(0.0, restitution);
            world.add(ground()).unwrap();
            let body = world
                .add(cuboid([0.1, 0.1, 0.1], [0.0, 0.0, 1.1], 2.0))
                .unwrap();
            let settings = EventSettings {
                impacts,
                ..EventSettings::for_world(&world, 0.01)
            };
            let mut stepper = EventStepper::new(&world, settings).unwrap();
            let fall = (2.0 / G).sqrt();
            let mut is_hit = false;
            let mut highest: f64 = 0.0;
            for _ in 0..80 {
                let report = stepper.step(&mut world, 0.01).unwrap();
                if let (false, Some(at)) = (is_hit, report.collisions.first()) {
                    assert!((at - fall).abs() < 1e-8, "{at} {fall}");
                    is_hit = true;
                }
                let body = &world.bodies[body as usize];
                if is_hit {
                    let rising = body.linear_velocity.z.max(0.0);
                    highest = highest.max(body.pose.position.z - 0.1 + rising * rising / (2.0 * G));
                }
            }
            // Sequential impacts on four corners turn the box: only together they give the height.
            if impacts == Impacts::Simultaneous {
                let expected = restitution * restitution;
                assert!(
                    (highest - expected).abs() < 1e-6,
                    "{restitution}: {highest}"
                );
            }
        }
    }
}

#[test]
fn ten_cubes_rest_on_each_other_for_five_seconds() {
    let mut world = world(0.5, 0.0);
    world.add(ground()).unwrap();
    for k in 0..10 {
        world
            .add(cuboid([0.5; 3], [0.0, 0.0, 0.5 + f64::from(k)], 1.0))
            .unwrap();
    }
    let settings = EventSettings::for_world(&world, 1.0 / 60.0);
    let before = world.clone();
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    for _ in 0..300 {
        let report = stepper.step(&mut world, 1.0 / 60.0).unwrap();
        assert_eq!(report.resting, 40);
    }
    for (body, before) in world.bodies.iter().zip(&before.bodies) {
        assert!((body.pose.position - before.pose.position).norm() < 1e-9);
        assert!(body.linear_velocity.norm() < 1e-9);
    }
    // Each interface carries what is above it.
    let forces = stepper.contact_forces(&world, 1.0 / 60.0).unwrap();
    for interface in 0..10 {
        let between = |force: &&drystone::event::ContactForce| {
            let mut bodies = force.bodies;
            bodies.sort_unstable();
            bodies == [interface, interface + 1]
        };
        let sum: f64 = forces
            .iter()
            .filter(between)
            .map(|force| force.force.z.abs())
            .sum();
        let weight = G * f64::from(10 - interface);
        assert!(
            (sum - weight).abs() < 1e-9 * weight,
            "{interface}: {sum} {weight}"
        );
    }
}

/// Rounding turns the light cube by next to nothing under the heavy one, so that friction is needed.
#[test]
fn cubes_of_unequal_masses_rest_on_each_other() {
    for masses in [&[1.0, 1e3][..], &[1.0, 10.0, 100.0, 1e3, 1.0]] {
        let mut world = world(0.5, 0.0);
        world.add(ground()).unwrap();
        for (k, mass) in (0..).zip(masses) {
            let at = [0.0, 0.0, 0.5 + f64::from(k)];
            world.add(cuboid([0.5; 3], at, *mass)).unwrap();
        }
        let before = world.clone();
        let mut stepper =
            EventStepper::new(&world, EventSettings::for_world(&world, 0.01)).unwrap();
        for step in 0..200 {
            let report = stepper.step(&mut world, 0.01);
            assert!(report.is_ok(), "{masses:?}, step {step}: {report:?}");
        }
        for (body, before) in world.bodies.iter().zip(&before.bodies) {
            assert!((body.pose.position - before.pose.position).norm() < 1e-9);
            assert!(body.linear_velocity.norm() < 1e-9);
        }
    }
}

#[test]
fn a_cube_sticks_on_a_slope_below_its_friction_and_slides_above() {
    for degrees in [20.0_f64, 25.0, 28.0, 40.0] {
        let mut world = world(0.5, 0.0);
        let angle = degrees.to_radians();
        world.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * G;
        world.add(ground()).unwrap();
        let cube = world.add(cuboid([0.5; 3], [0.0, 0.0, 0.5], 1.0)).unwrap();
        let settings = EventSettings::for_world(&world, 0.01);
        run(&mut world, settings, 0.01, 100);
        let acceleration = (G * (angle.sin() - 0.5 * angle.cos())).max(0.0);
        let body = &world.bodies[cube as usize];
        let moved = body.pose.position - Vec3::new(0.0, 0.0, 0.5);
        // From sticking to sliding along a pyramid's direction, then against the slip.
        let tolerance = 1e-6 + 1e-3 * acceleration;
        assert!(
            (moved.x - 0.5 * acceleration).abs() < tolerance,
            "{degrees}: {moved}"
        );
        assert!(
            moved.y.abs() < 1e-9 && moved.z.abs() < 1e-8,
            "{degrees}: {moved}"
        );
    }
}

#[test]
fn sliding_stops_where_and_when_it_should() {
    let mut world = world(0.3, 0.0);
    world.add(ground()).unwrap();
    let flat = cuboid([0.5, 0.5, 0.1], [0.0, 0.0, 0.1], 1.0);
    let velocity = Vec3::new(1.6, 1.2, 0.0);
    let cube = world.add(flat.moving(velocity, Vec3::zeros())).unwrap();
    let settings = EventSettings::for_world(&world, 0.01);
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    let mut stops = 0;
    for _ in 0..100 {
        stops += stepper.step(&mut world, 0.01).unwrap().stops;
    }
    let body = &world.bodies[cube as usize];
    let way = 4.0 / (2.0 * 0.3 * G);
    let expected = Vec3::new(0.8 * way, 0.6 * way, 0.1);
    assert!(
        (body.pose.position - expected).norm() < 1e-6,
        "{} {expected}",
        body.pose.position
    );
    assert!(body.linear_velocity.norm() < 1e-6);
    assert!(stops >= 1);
}

#[test]
fn a_pendulum_keeps_its_energy_and_its_joint() {
    let mut world = world(0.0, 0.0);
    let rod = world
        .add(cuboid([0.5, 0.05, 0.05], [0.5, 0.0, 0.0], 1.0))
        .unwrap();
    let joint = Joint::at(
        JointKind::Hinge,
        &world,
        rod,
        None,
        Vec3::zeros(),
        Vec3::y(),
    )
    .unwrap();
    world.add_joint(joint).unwrap();
    let settings = EventSettings::for_world(&world, 0.01);
    let energy = |world: &World| {
        let body = &world.bodies[0];
        let spin = body.angular_velocity;
        0.5 * body.linear_velocity.norm_squared()
            + 0.5 * spin.dot(&(body.world_inertia() * spin))
            + G * body.pose.position.z
    };
    let before = energy(&world);
    run(&mut world, settings, 0.01, 1_000);
    assert!(
        (energy(&world) - before).abs() < 1e-4,
        "{}",
        energy(&world) - before
    );
    let body = &world.bodies[0];
    assert!(body.pose.point(&Vec3::new(-0.5, 0.0, 0.0)).norm() < 1e-6);
}

#[test]
fn an_error_of_a_constraint_decays_like_an_oscillator() {
    for zeta in [0.5, 1.0, 2.0] {
        for is_contact in [false, true] {
            let mut world = world(0.0, 0.0);
            world.add(ground()).unwrap();
            let start = if is_contact { 0.1 - 1e-3 } else { 1e-3 };
            let body = world.add(cuboid([0.1; 3], [0.0, 0.0, start], 1.0)).unwrap();
            if !is_contact {
                world.gravity = Vec3::zeros();
                world.bodies[1].groups.collides_with = 0;
                let joint = Joint::between(
                    JointKind::Ball,
                    body,
                    Pose::identity(),
                    None,
                    Pose::identity(),
                );
                world.add_joint(joint).unwrap();
            }
            let omega = 20.0;
            let settings = EventSettings {
                contact_distance: 2e-3,
                resting_speed: 1.0,
                feedback: Feedback::oscillator(omega, zeta),
                ..EventSettings::for_world(&world, 0.001)
            };
            let mut stepper = EventStepper::new(&world, settings).unwrap();
            for step in 1..=200 {
                stepper.step(&mut world, 0.001).unwrap();
                let t = 0.001 * f64::from(step);
                let shape = if zeta < 1.0 {
                    let damped = omega * (1.0_f64 - zeta * zeta).sqrt();
                    let part = zeta * omega / damped;
                    (-zeta * omega * t).exp() * ((damped * t).cos() + part * (damped * t).sin())
                } else if zeta == 1.0 {
                    (-omega * t).exp() * (1.0 + omega * t)
                } else {
                    let root = omega * (zeta * zeta - 1.0_f64).sqrt();
                    let (slow, fast) = (zeta * omega - root, zeta * omega + root);
                    (fast * (-slow * t).exp() - slow * (-fast * t).exp()) / (fast - slow)
                };
                let z = world.bodies[body as usize].pose.position.z;
                let error = if is_contact { z - 0.1 } else { z };
                let expected = shape * if is_contact { -1e-3 } else { 1e-3 };
                // A contact that is past its overshoot may part: it is held while it would be pulled back.
                assert!(
                    (error - expected).abs() < 1e-8,
                    "{zeta} {is_contact} {t}: {error} {expected}"
                );
            }
        }
    }
}

#[test]
fn sliding_friction_without_forces_is_named_and_changes_nothing() {
    // Painlevé's rod: a corner of a slender box slides ahead of its centre.
    let angle = 2.0_f64.atan();
    let mut world = world(2.0, 0.0);
    world.add(ground()).unwrap();
    let mass = MassProperties::new(1.0, Mat3::from_diagonal(&Vec3::repeat(1.0 / 3.0))).unwrap();
    let rod = Polyhedron::hull(&[
        Vec3::new(-1.0, 0.0, 0.0),
        Vec3::new(1.0, 0.001, 0.001),
        Vec3::new(1.0, -0.001, 0.001),
        Vec3::new(1.0, 0.0, -0.001),
    ])
    .unwrap();
    let turned = Quat::from_scaled_axis(Vec3::y() * -angle);
    let mut body = Body::dynamic_with_mass(
        Shape::Polyhedron(Arc::new(rod)),
        Pose::new(Vec3::zeros(), turned),
        1.0,
    )
    .unwrap();
    body.mass = mass;
    let tip = match &body.shape {
        Shape::Polyhedron(solid) => solid
            .vertices()
            .iter()
            .map(|v| body.pose.direction(v))
            .min_by(|a, b| a.z.total_cmp(&b.z))
            .unwrap(),
        _ => Vec3::zeros(),
    };
    body.pose.position = Vec3::new(0.0, 0.0, -tip.z);
    body.linear_velocity = Vec3::new(tip.x.signum() * 2.0, 0.0, 0.0);
    for friction in [0.1, 2.0] {
        let mut world = world.clone();
        world.materials[0].friction = friction;
        world.add(body.clone().named("rod")).unwrap();
        let before = world.clone();
        let settings = EventSettings::for_world(&world, 1e-3);
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let result = stepper.step(&mut world, 1e-3);
        // With much friction the tip is driven into the ground: no force keeps it out.
        if let Err(error) = result {
            assert!(friction > 1.0);
            assert!(matches!(error, Error::Event { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains("t = 0 s") && text.contains("rod"), "{text}");
            assert_eq!(world, before);
        } else {
            assert!(friction < 1.0);
        }
    }
}

#[test]
fn collisions_without_end_are_named() {
    let mut world = world(0.0, 0.5);
    world.add(ground()).unwrap();
    let ball = Body::dynamic_with_mass(
        Shape::Sphere { radius: 0.1 },
        Pose::new(Vec3::new(0.0, 0.0, 0.2), Quat::identity()),
        1.0,
    )
    .unwrap();
    world.add(ball.named("ball")).unwrap();
    let settings = EventSettings {
        resting_speed: 0.0,
        max_events: 40,
        ..EventSettings::for_world(&world, 0.01)
    };
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    let error = (0..100).find_map(|_| stepper.step(&mut world, 0.01).err());
    let text = error.unwrap().to_string();
    // All bounces are over at sqrt(2 h / g) (1 + e) / (1 - e).
    let end = (2.0_f64 * 0.1 / G).sqrt() * 3.0;
    assert!(
        text.contains("ball") && text.contains(&format!("{:.3}", end)[..4]),
        "{text} {end}"
    );
}

#[test]
fn momentum_goes_through_a_row_of_balls() {
    for impacts in [Impacts::Simultaneous, Impacts::Sequential] {
        let mut world = world(0.0, 1.0);
        world.gravity = Vec3::zeros();
        for k in 0..5 {
            let x = if k == 0 { -0.5 } else { 0.2 * f64::from(k) };
            let pose = Pose::new(Vec3::new(x, 0.0, 0.0), Quat::identity());
            world
                .add(Body::dynamic_with_mass(Shape::Sphere { radius: 0.1 }, pose, 1.0).unwrap())
                .unwrap();
        }
        world.bodies[0].linear_velocity = Vec3::x();
        let settings = EventSettings {
            impacts,
            ..EventSettings::for_world(&world, 0.01)
        };
        run(&mut world, settings, 0.01, 100);
        let speeds: Vec<f64> = world
            .bodies
            .iter()
            .map(|body| body.linear_velocity.x)
            .collect();
        let momentum: f64 = speeds.iter().sum();
        let energy: f64 = speeds.iter().map(|v| v * v).sum();
        assert!(
            (momentum - 1.0).abs() < 1e-9 && (energy - 1.0).abs() < 1e-9,
            "{speeds:?}"
        );
        if impacts == Impacts::Sequential {
            assert!((speeds[4] - 1.0).abs() < 1e-9, "{speeds:?}");
        }
    }
}

#[test]
fn what_it_does_not_know_is_refused() {
    let mut world = world(0.0, 0.0);
    world.add(ground()).unwrap();
    let triangle = [[0, 1, 2]];
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    let mesh = Shape::Mesh(Arc::new(TriangleMesh::new(&corners, &triangle).unwrap()));
    world
        .add(Body::fixed(mesh, Pose::identity()).named("hill"))
        .unwrap();
    world.add(cuboid([0.1; 3], [0.0; 3], 1.0)).unwrap();
    let settings = EventSettings::for_world(&world, 0.01);
    let text = EventStepper::new(&world, settings).unwrap_err().to_string();
    assert!(text.contains("hill"), "{text}");
    let settings = EventSettings {
        gap_tolerance: f64::NAN,
        ..settings
    };
    assert!(EventStepper::new(&world, settings).is_err());
}

#[test]
fn a_world_that_is_changed_between_steps_is_taken_up() {
    let angle = 20.0_f64.to_radians();
    let mut world = world(0.6, 0.0);
    world.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * G;
    world.add(ground()).unwrap();
    world.add(cuboid([0.5; 3], [0.0, 0.0, 0.5], 1.0)).unwrap();
    let settings = Settings {
        time_step: 0.01,
        event: Some(EventOptions::default()),
        ..Settings::default()
    };
    let mut run = Simulation::new(world, settings, Box::new(LemkeSolver::new())).unwrap();
    for _ in 0..20 {
        run.step().unwrap();
    }
    assert!(run.world().bodies[1].linear_velocity.norm() < 1e-6);
    run.world_mut().materials[0].friction = 0.0;
    for _ in 0..100 {
        run.step().unwrap();
    }
    let speed = run.world().bodies[1].linear_velocity.x;
    assert!((speed - G * angle.sin()).abs() < 1e-6, "{speed}");
}
