//! Capsules, cylinders and cones in the event stepper.

use super::{G, cuboid, ground, run, weights_between, world};
use drystone::event::{EventSettings, EventStepper};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{Body, Shape, World};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

pub(super) fn capsule(half_length: f64, radius: f64) -> Shape {
    Shape::Capsule {
        half_length,
        radius,
    }
}

pub(super) fn cylinder(half_length: f64, radius: f64) -> Shape {
    Shape::Cylinder {
        half_length,
        radius,
    }
}

pub(super) fn cone(height: f64, radius: f64) -> Shape {
    Shape::Cone { height, radius }
}

/// A body of a shape, turned by a rotation vector.
pub(super) fn solid(shape: Shape, at: Vec3, turned: Vec3, mass: f64) -> Body {
    let pose = Pose::new(at, Quat::from_scaled_axis(turned));
    Body::dynamic_with_mass(shape, pose, mass).unwrap()
}

fn slab(half: Vec3, pose: Pose) -> Body {
    Body::fixed(Shape::Box { half_extents: half }, pose)
}

fn energy(world: &World) -> f64 {
    let of = |body: &Body| {
        let (v, w) = (&body.linear_velocity, &body.angular_velocity);
        let inertia = body.pose.orientation.to_rotation_matrix();
        let local = inertia.inverse() * w;
        let turning = 0.5 * local.dot(&(body.mass.inertia * local));
        0.5 * body.mass.mass * v.norm_squared() + turning
            - body.mass.mass * world.gravity.dot(&body.pose.position)
    };
    world
        .bodies
        .iter()
        .filter(|body| body.is_dynamic())
        .map(of)
        .sum()
}

/// Angle between the axis of a cone and the ground that it lies on with its side.
fn lying(height: f64, radius: f64) -> f64 {
    (radius / height).atan()
}

/// A cone on its side on the ground, its apex at the origin and its axis above the x axis.
fn cone_on_its_side(height: f64, radius: f64, mass: f64) -> Body {
    let axis = lying(height, radius);
    // Its z axis points from the base to the apex, thus along -x and downwards.
    let center = Vec3::new(axis.cos(), 0.0, axis.sin()) * (0.75 * height);
    solid(
        cone(height, radius),
        center,
        Vec3::y() * -(FRAC_PI_2 + axis),
        mass,
    )
}

#[test]
fn capsules_and_cylinders_roll_down_slopes() {
    let angle = 15.0_f64.to_radians();
    for shape in [capsule(0.3, 0.1), cylinder(0.3, 0.1)] {
        for on_box in [false, true] {
            for friction in [0.4, 0.0] {
                let mut world = world(friction, 0.0);
                let tilt = Quat::from_scaled_axis(Vec3::y() * angle);
                let up = tilt * Vec3::z();
                if on_box {
                    let pose = Pose::new(up * -0.2, tilt);
                    world.add(slab(Vec3::new(4.0, 0.2, 0.2), pose)).unwrap();
                } else {
                    let plane = Shape::HalfSpace {
                        normal: up,
                        offset: 0.0,
                    };
                    world.add(Body::fixed(plane, Pose::identity())).unwrap();
                }
                let body = solid(shape.clone(), up * 0.1, Vec3::x() * FRAC_PI_2, 2.0);
                let about = body.mass.inertia[(2, 2)] / (2.0 * 0.1 * 0.1);
                world.add(body).unwrap();
                let settings = EventSettings::for_world(&world, 0.01);
                run(&mut world, settings, 0.01, 100);
                let share = if friction > 0.0 {
                    1.0 / (1.0 + about)
                } else {
                    1.0
                };
                let body = &world.bodies[1];
                let speed = body.linear_velocity.dot(&(tilt * Vec3::x()));
                let expected = share * G * angle.sin();
                assert!(
                    (speed - expected).abs() < 1e-6,
                    "{shape:?} {on_box} {friction}: {speed} {expected}"
                );
                assert!((up.dot(&body.pose.position) - 0.1).abs() < 1e-7);
                assert!(body.pose.position.y.abs() < 1e-9);
            }
        }
    }
}

#[test]
fn what_stands_or_lies_stays_and_carries_its_weight() {
    let (height, radius) = (0.4, 0.15);
    let (h, mass) = (0.01, 3.0);
    let quarter = Vec3::x() * FRAC_PI_2;
    let bodies = [
        (
            "cylinder on its end",
            solid(cylinder(0.3, 0.1), Vec3::z() * 0.3, Vec3::zeros(), mass),
        ),
        (
            "cylinder on its side",
            solid(cylinder(0.3, 0.1), Vec3::z() * 0.1, quarter, mass),
        ),
        (
            "capsule on its side",
            solid(capsule(0.3, 0.1), Vec3::z() * 0.1, quarter, mass),
        ),
        (
            "capsule on its end",
            solid(capsule(0.3, 0.1), Vec3::z() * 0.4, Vec3::zeros(), mass),
        ),
        (
            "cone on its base",
            solid(cone(height, radius), Vec3::z() * 0.1, Vec3::zeros(), mass),
        ),
        ("cone on its side", cone_on_its_side(height, radius, mass)),
        (
            "cone on its apex",
            solid(cone(height, radius), Vec3::z() * 0.3, Vec3::x() * PI, mass),
        ),
    ];
    for (name, body) in bodies {
        for friction in [0.0, 0.5] {
            for support in ["half-space", "box", "cylinder"] {
                let mut world = world(friction, 0.0);
                world
                    .add(match support {
                        "half-space" => ground(),
                        "box" => {
                            let below = Pose::new(Vec3::z() * -0.5, Quat::identity());
                            slab(Vec3::new(1.0, 1.2, 0.5), below)
                        }
                        _ => {
                            let below = Pose::new(Vec3::z() * -0.5, Quat::identity());
                            Body::fixed(cylinder(0.5, 1.0), below)
                        }
                    })
                    .unwrap();
                world.add(body.clone()).unwrap();
                let settings = EventSettings::for_world(&world, h);
                let mut stepper = EventStepper::new(&world, settings).unwrap();
                let forces = stepper.contact_forces(&world, h).unwrap();
                let sum: Vec3 = forces
                    .iter()
                    .map(|force| {
                        if force.bodies[0] == 1 {
                            force.force
                        } else {
                            -force.force
                        }
                    })
                    .sum();
                let off = (sum - Vec3::z() * (mass * G)).norm();
                assert!(
                    off < 1e-9 * mass * G,
                    "{name} on a {support}, {friction}: {sum}"
                );
                // A body on a point falls at once but for its symmetry.
                let steps = if name.ends_with("apex") || name == "capsule on its end" {
                    5
                } else {
                    100
                };
                for _ in 0..steps {
                    stepper.step(&mut world, h).unwrap();
                }
                let after = &world.bodies[1];
                let moved = (after.pose.position - body.pose.position).norm();
                assert!(moved < 1e-9, "{name} on a {support}, {friction}: {moved}");
                let turned = after.pose.orientation.angle_to(&body.pose.orientation);
                assert!(turned < 1e-7, "{name} on a {support}, {friction}: {turned}");
            }
        }
    }
}

#[test]
fn they_bounce_to_the_square_of_their_restitution() {
    let drop = 0.5;
    let quarter = Vec3::x() * FRAC_PI_2;
    let bodies = [
        ("capsule, upright", capsule(0.2, 0.1), 0.3, Vec3::zeros()),
        ("capsule, level", capsule(0.2, 0.1), 0.1, quarter),
        ("cylinder, upright", cylinder(0.2, 0.1), 0.2, Vec3::zeros()),
        ("cylinder, level", cylinder(0.2, 0.1), 0.1, quarter),
        ("cone, upright", cone(0.4, 0.2), 0.1, Vec3::zeros()),
        ("cone, on its apex", cone(0.4, 0.2), 0.3, Vec3::x() * PI),
    ];
    for (name, shape, height, turned) in bodies {
        for (restitution, on_box) in [(0.5, false), (0.8, true)] {
            let mut world = world(0.0, restitution);
            if on_box {
                let below = Pose::new(Vec3::z() * -0.5, Quat::identity());
                world.add(slab(Vec3::repeat(0.5), below)).unwrap();
            } else {
                world.add(ground()).unwrap();
            }
            world
                .add(solid(
                    shape.clone(),
                    Vec3::z() * (height + drop),
                    turned,
                    1.5,
                ))
                .unwrap();
            let settings = EventSettings::for_world(&world, 0.01);
            let mut stepper = EventStepper::new(&world, settings).unwrap();
            let fall = (2.0 * drop / G).sqrt();
            let mut collisions = Vec::new();
            let mut highest: f64 = 0.0;
            for _ in 0..50 {
                collisions.extend(stepper.step(&mut world, 0.01).unwrap().collisions);
                let body = &world.bodies[1];
                if collisions.len() == 1 {
                    let speed = body.linear_velocity.z;
                    let rise = body.pose.position.z - height + 0.5 * speed * speed / G;
                    highest = highest.max(rise);
                }
            }
            assert!(
                (collisions[0] - fall).abs() < 1e-7,
                "{name}: {collisions:?} {fall}"
            );
            let expected = restitution * restitution * drop;
            assert!(
                (highest - expected).abs() < 1e-6,
                "{name}: {highest} {expected}"
            );
        }
    }
}

#[test]
fn elastic_bounces_without_friction_keep_the_energy() {
    let shapes = [capsule(0.2, 0.1), cylinder(0.2, 0.1), cone(0.4, 0.2)];
    for (index, shape) in shapes.into_iter().enumerate() {
        for on_box in [false, true] {
            let mut world = world(0.0, 1.0);
            if on_box {
                let below = Pose::new(Vec3::z() * -0.5, Quat::identity());
                world.add(slab(Vec3::new(4.0, 4.0, 0.5), below)).unwrap();
            } else {
                world.add(ground()).unwrap();
            }
            let mut body = solid(
                shape.clone(),
                Vec3::z() * 0.6,
                Vec3::new(0.7, 0.3, 0.2),
                1.0,
            );
            body.linear_velocity = Vec3::new(0.3, -0.2, 0.0);
            body.angular_velocity = Vec3::new(2.0, 3.0, -1.0);
            world.add(body).unwrap();
            let before = energy(&world);
            let settings = EventSettings::for_world(&world, 0.002);
            let hits = run(&mut world, settings, 0.002, 750).len();
            let off = energy(&world) - before;
            assert!(hits > 3, "{index}: {hits}");
            assert!(
                off.abs() < 1e-6 * before,
                "{index} {on_box}: {off} of {before} after {hits}"
            );
        }
    }
}

/// A cone rolls on its side about its apex, which stays: its centre goes round at a constant rate, and nothing is lost.
#[test]
fn a_cone_rolls_about_its_apex() {
    let (height, radius, rate) = (0.4, 0.15, 0.8);
    let mut world = world(2.0, 0.0);
    world.add(ground()).unwrap();
    let mut body = cone_on_its_side(height, radius, 1.0);
    let tilt = lying(height, radius);
    // The generator on the ground, along x, is at rest: the body turns about it.
    body.angular_velocity = Vec3::x() * (-rate / tilt.tan());
    body.linear_velocity = body.angular_velocity.cross(&body.pose.position);
    let way = body.linear_velocity.y.signum();
    world.add(body).unwrap();
    let before = energy(&world);
    let settings = EventSettings::for_world(&world, 0.005);
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    let apex = Vec3::z() * (0.75 * height);
    for step in 1..=400 {
        stepper.step(&mut world, 0.005).unwrap();
        let body = &world.bodies[1];
        let at = body.pose.point(&apex);
        assert!(at.norm() < 1e-6, "{step}: {at}");
        let angle = body.pose.position.y.atan2(body.pose.position.x);
        let expected = (way * rate * 0.005 * f64::from(step) + PI).rem_euclid(TAU) - PI;
        assert!(
            (angle - expected).abs() < 1e-5,
            "{step}: {angle} {expected}"
        );
    }
    let off = energy(&world) - before;
    assert!(off.abs() < 1e-6 * before, "{off} of {before}");
}

/// Upright on a slope a cylinder falls over where its centre is beyond the rim of its foot, and not before.
#[test]
fn a_cylinder_on_a_slope_falls_over_beyond_its_rim() {
    let (half, radius) = (0.3, 0.1_f64);
    let limit = (radius / half).atan();
    for toward in [0.0_f64, 0.3, 0.39] {
        for (share, falls) in [(0.98, false), (1.02, true)] {
            let angle = share * limit;
            let mut world = world(1.0, 0.0);
            let down = Vec3::new(toward.cos(), toward.sin(), 0.0);
            world.gravity = (down * angle.sin() - Vec3::z() * angle.cos()) * G;
            world.add(ground()).unwrap();
            world
                .add(solid(
                    cylinder(half, radius),
                    Vec3::z() * half,
                    Vec3::zeros(),
                    1.0,
                ))
                .unwrap();
            let settings = EventSettings::for_world(&world, 0.01);
            run(&mut world, settings, 0.01, 100);
            let axis = world.bodies[1].pose.direction(&Vec3::z());
            let tilt = axis.z.clamp(-1.0, 1.0).acos();
            if falls {
                assert!(tilt > 0.05, "{toward} {share}: {tilt}");
            } else {
                assert!(tilt < 1e-6, "{toward} {share}: {tilt}");
            }
        }
    }
}

/// A cone on a plank on two cylinders that lie: each carries what the levers say.
#[test]
fn loads_go_through_rims_edges_and_sides() {
    let quarter = Vec3::x() * FRAC_PI_2;
    let mut world = world(0.5, 0.0);
    world.add(ground()).unwrap();
    for x in [-0.5, 0.5] {
        world
            .add(solid(
                cylinder(0.3, 0.1),
                Vec3::new(x, 0.0, 0.1),
                quarter,
                2.0,
            ))
            .unwrap();
    }
    world
        .add(cuboid([0.8, 0.2, 0.05], [0.1, 0.0, 0.25], 4.0))
        .unwrap();
    world
        .add(solid(
            cone(0.2, 0.1),
            Vec3::new(0.1, 0.0, 0.35),
            Vec3::zeros(),
            1.0,
        ))
        .unwrap();
    let on = weights_between(&world);
    for (below, share) in [(1, 0.4), (2, 0.6)] {
        assert!(
            (on([below, 3]) - share * 5.0 * G).abs() < 1e-6,
            "{}",
            on([below, 3])
        );
        assert!((on([0, below]) - share * 5.0 * G - 2.0 * G).abs() < 1e-6);
    }
    assert!((on([3, 4]) - G).abs() < 1e-6);
}

/// Upright at the edge of a box: what has its centre beyond it falls over, its foot on the edge and without loss.
#[test]
fn what_hangs_over_turns_about_the_edge() {
    for (shape, half) in [(cylinder(0.2, 0.1), 0.2), (cone(0.4, 0.1), 0.1)] {
        for (beyond, falls) in [(-0.01, false), (0.01, true)] {
            let mut world = world(0.8, 0.0);
            let below = Pose::new(Vec3::new(-0.5, 0.0, -0.5), Quat::identity());
            world.add(slab(Vec3::repeat(0.5), below)).unwrap();
            world
                .add(solid(
                    shape.clone(),
                    Vec3::new(beyond, 0.0, half),
                    Vec3::zeros(),
                    1.0,
                ))
                .unwrap();
            let settings = EventSettings::for_world(&world, 0.005);
            let before = energy(&world);
            run(&mut world, settings, 0.005, 60);
            let body = &world.bodies[1];
            let tilt = body.pose.direction(&Vec3::z()).z.clamp(-1.0, 1.0).acos();
            if falls {
                // About the edge, without loss.
                assert!(tilt > 0.05 && body.pose.position.x > beyond, "{tilt}");
                let off = energy(&world) - before;
                assert!(off.abs() < 1e-5 * before.abs(), "{off} of {before}");
            } else {
                assert!(tilt < 1e-6, "{beyond}: {tilt}");
            }
        }
    }
}

/// Without friction, between two edges and across two sides: each carries what statics says.
#[test]
fn cylinders_press_on_edges_and_sides_along_their_radii() {
    let quarter = Vec3::x() * FRAC_PI_2;
    let fixed = |x: f64| {
        let pose = Pose::new(Vec3::new(x, 0.0, -0.5), Quat::identity());
        slab(Vec3::repeat(0.5), pose)
    };
    let forces = |world: &World| {
        let settings = EventSettings::for_world(world, 0.01);
        let stepper = EventStepper::new(world, settings).unwrap();
        let forces = stepper.contact_forces(world, 0.01).unwrap();
        let on = |below: u32| -> Vec3 {
            let of = forces.iter().filter(|force| force.bodies.contains(&below));
            of.map(|force| {
                if force.bodies[0] == below {
                    -force.force
                } else {
                    force.force
                }
            })
            .sum()
        };
        [on(0), on(1)]
    };
    // Edges at half a radius from the middle.
    let mut groove = world(0.0, 0.0);
    groove.add(fixed(-0.55)).unwrap();
    groove.add(fixed(0.55)).unwrap();
    let height = (0.1_f64.powi(2) - 0.05_f64.powi(2)).sqrt();
    groove
        .add(solid(cylinder(0.3, 0.1), Vec3::z() * height, quarter, 2.0))
        .unwrap();
    for (force, side) in forces(&groove).iter().zip([1.0, -1.0]) {
        let expected = Vec3::new(side * 0.05 / height, 0.0, 1.0) * G;
        assert!((force - expected).norm() < 1e-8, "{force} {expected}");
    }
    // A beam that is a cylinder, across two.
    let mut crossed = world(0.0, 0.0);
    for x in [-0.3, 0.25] {
        let pose = Pose::new(Vec3::x() * x, Quat::from_scaled_axis(quarter));
        crossed.add(Body::fixed(cylinder(0.5, 0.15), pose)).unwrap();
    }
    let at = Vec3::new(0.1, 0.0, 0.25);
    let along = Vec3::new(0.0, FRAC_PI_2, 0.0);
    crossed
        .add(solid(cylinder(0.4, 0.1), at, along, 2.0))
        .unwrap();
    for (force, share) in forces(&crossed).iter().zip([0.15 / 0.55, 0.4 / 0.55]) {
        let expected = Vec3::z() * (share * 2.0 * G);
        assert!((force - expected).norm() < 1e-8, "{force} {expected}");
    }
}
