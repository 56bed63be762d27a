//! Balls on boxes and polyhedra in the event stepper, and motors that are springs.

use super::{G, cuboid, ground, run, weights_between, world};
use drystone::event::{EventSettings, EventStepper};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::joint::{Joint, JointKind, Motor};
use drystone::world::{Body, Polyhedron, Shape, World};
use std::sync::Arc;

fn ball(radius: f64, at: Vec3, mass: f64) -> Body {
    let pose = Pose::new(at, Quat::identity());
    Body::dynamic_with_mass(Shape::Sphere { radius }, pose, mass).unwrap()
}

fn fixed_box(half: [f64; 3], pose: Pose) -> Body {
    let shape = Shape::Box {
        half_extents: half.into(),
    };
    Body::fixed(shape, pose)
}

#[test]
fn a_ball_rolls_down_a_box_and_slips_where_it_is_smooth() {
    let angle = 20.0_f64.to_radians();
    for (friction, share) in [(0.5, 5.0 / 7.0), (0.0, 1.0)] {
        let mut world = world(friction, 0.0);
        let tilt = Quat::from_scaled_axis(Vec3::y() * angle);
        let up = tilt * Vec3::z();
        let slab = Pose::new(up * -0.2, tilt);
        world.add(fixed_box([3.0, 1.0, 0.2], slab)).unwrap();
        world.add(ball(0.1, up * 0.1, 2.0)).unwrap();
        let settings = EventSettings::for_world(&world, 0.01);
        run(&mut world, settings, 0.01, 100);
        let body = &world.bodies[1];
        let speed = body.linear_velocity.dot(&(tilt * Vec3::x()));
        let expected = share * G * angle.sin();
        assert!((speed - expected).abs() < 1e-6, "{speed} {expected}");
        assert!((up.dot(&body.pose.position) - 0.1).abs() < 1e-7);
    }
}

/// Slides without friction about an edge, its centre on a circle, as far as the edge still carries it: to the cosine of
/// `2/3 + v^2 / (3 g r)` from the vertical. From there on its horizontal speed does not change.
#[test]
fn a_ball_leaves_an_edge_where_its_weight_no_longer_presses_it_on() {
    let (radius, start) = (0.1, 0.05);
    let mut world = world(0.0, 0.0);
    world
        .add(fixed_box(
            [1.0, 1.0, 1.0],
            Pose::new(Vec3::new(-1.0, 0.0, -1.0), Quat::identity()),
        ))
        .unwrap();
    let mut body = ball(radius, Vec3::new(-0.01, 0.0, radius), 1.0);
    body.linear_velocity.x = start;
    world.add(body).unwrap();
    let settings = EventSettings::for_world(&world, 1e-3);
    run(&mut world, settings, 1e-3, 800);
    let cosine = 2.0 / 3.0 + start * start / (3.0 * G * radius);
    let speed = (start * start + 2.0 * G * radius * (1.0 - cosine)).sqrt();
    let body = &world.bodies[1];
    assert!(body.pose.position.z < -0.1, "{}", body.pose.position);
    let found = body.linear_velocity.x;
    assert!(
        (found - speed * cosine).abs() < 2e-4 * speed,
        "{found} {}",
        speed * cosine
    );
}

#[test]
fn a_ball_bounces_off_faces_edges_and_corners() {
    // A cube on its face, on an edge, and an octahedron on a corner, below a ball that falls on what is highest.
    let half = std::f64::consts::FRAC_PI_4;
    let cube = |tilt: Vec3, height: f64| {
        let pose = Pose::new(Vec3::new(0.0, 0.0, -height), Quat::from_scaled_axis(tilt));
        fixed_box([0.5; 3], pose)
    };
    let octahedron = Polyhedron::regular(8, 1.0).unwrap();
    let top = octahedron
        .vertices()
        .iter()
        .map(|v| v.z)
        .fold(0.0, f64::max);
    let below = Pose::new(Vec3::new(0.0, 0.0, -top), Quat::identity());
    for (name, body) in [
        ("face", cube(Vec3::zeros(), 0.5)),
        ("edge", cube(Vec3::x() * half, 0.5_f64.sqrt())),
        (
            "corner",
            Body::fixed(Shape::Polyhedron(Arc::new(octahedron)), below),
        ),
    ] {
        let restitution = 0.5;
        let mut world = world(0.0, restitution);
        world.add(body).unwrap();
        world.add(ball(0.1, Vec3::new(0.0, 0.0, 0.6), 1.0)).unwrap();
        let settings = EventSettings::for_world(&world, 0.01);
        let mut stepper = EventStepper::new(&world, settings).unwrap();
        let mut collisions = Vec::new();
        let mut highest = 0.0_f64;
        for _ in 0..60 {
            collisions.extend(stepper.step(&mut world, 0.01).unwrap().collisions);
            let body = &world.bodies[1];
            if !collisions.is_empty() && collisions.len() < 2 {
                // Of a parabola by any of its points.
                let rise = 0.5 * body.linear_velocity.z * body.linear_velocity.z.abs() / G;
                highest = highest.max(body.pose.position.z - 0.1 + rise.abs());
            }
        }
        let fall = (2.0 * 0.5 / G).sqrt();
        assert!(
            (collisions[0] - fall).abs() < 1e-6,
            "{name}: {collisions:?}"
        );
        let expected = restitution * restitution * 0.5;
        assert!((highest - expected).abs() < 1e-6, "{name}: {highest}");
        assert!(world.bodies[1].pose.position.xy().norm() < 1e-9);
    }
}

#[test]
fn balls_and_boxes_in_a_pile_carry_their_weight() {
    let mut world = world(0.5, 0.0);
    world.add(ground()).unwrap();
    for x in [-0.4, 0.4] {
        world.add(cuboid([0.2; 3], [x, 0.0, 0.2], 1.0)).unwrap();
        world.add(ball(0.2, Vec3::new(x, 0.0, 0.6), 2.0)).unwrap();
    }
    world
        .add(cuboid([0.7, 0.3, 0.1], [0.1, 0.0, 0.9], 4.0))
        .unwrap();
    let on = weights_between(&world);
    // The plank's centre is 0.1 m off the middle between its balls.
    let shares = [0.3 / 0.8, 0.5 / 0.8].map(|share| share * 4.0 * G);
    for (k, share) in shares.into_iter().enumerate() {
        let [block, ball] = [1 + 2 * k as u32, 2 + 2 * k as u32];
        assert!((on([ball, 5]) - share).abs() < 1e-6, "{}", on([ball, 5]));
        assert!((on([block, ball]) - share - 2.0 * G).abs() < 1e-6);
        assert!((on([0, block]) - share - 3.0 * G).abs() < 1e-6);
    }
}

#[test]
fn a_motor_towards_an_angle_is_a_spring_and_damper() {
    let mut world = World::new(Vec3::zeros());
    let rod = world
        .add(cuboid([0.5, 0.05, 0.05], [0.5, 0.0, 0.0], 1.0))
        .unwrap();
    let mut joint = Joint::at(
        JointKind::Hinge,
        &world,
        rod,
        None,
        Vec3::zeros(),
        Vec3::y(),
    )
    .unwrap();
    let (target, stiffness, damping) = (0.4, 3.0, 0.5);
    joint.motor = Some(Motor::Position {
        target,
        stiffness,
        damping,
        max_force: f64::INFINITY,
    });
    world.add_joint(joint).unwrap();
    let body = &world.bodies[rod as usize];
    let inertia = body.world_inertia()[(1, 1)] + 0.25;
    let settings = EventSettings::for_world(&world, 0.005);
    run(&mut world, settings, 0.005, 200);
    let (decay, t) = (0.5 * damping / inertia, 1.0);
    let omega = (stiffness / inertia - decay * decay).sqrt();
    let swing = (omega * t).cos() + decay / omega * (omega * t).sin();
    let expected = target * (1.0 - (-decay * t).exp() * swing);
    let along = world.bodies[rod as usize].pose.orientation * Vec3::x();
    let found = (-along.z).atan2(along.x);
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}
