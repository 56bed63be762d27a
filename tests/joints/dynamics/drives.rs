//! Motors, limits, and joints that break.

use super::{G, ball, coordinate, rod, run, simulation, sliding_ball, world};
use drystone::internals::math;
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind, Motor};
use drystone::world::{Body, Load, Shape};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A motor against no load turns a hinge up at `max_force / inertia`, and then holds its speed.
#[test]
fn a_motor_reaches_its_speed_in_time() {
    let mut world = world(0.0);
    let rod = rod(Vec3::zeros());
    let inertia = rod.mass.inertia[(2, 2)];
    world.add(rod).unwrap();
    let (target, max_force) = (2.0, 0.05);
    let motor = Motor::Velocity { target, max_force };
    let hinge = Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
    world.add_joint(hinge.with_motor(motor)).unwrap();
    let needed = inertia * target / max_force;
    assert!(needed > 0.5 && needed < 2.0, "{needed}");
    run(&mut simulation(world, 0.01), 2.0 * needed, |world| {
        let expected = target.min(max_force / inertia * world.time);
        let rate = coordinate(world, 0).1;
        assert!((rate - expected).abs() < 1e-5, "{rate} at {}", world.time);
    });
}

/// A motor too weak for a weight slows its fall by what it has; one that is strong enough lifts it.
#[test]
fn a_motor_saturates() {
    for (max_force, acceleration) in [(4.0, 4.0 - G), (15.0, 15.0 - G)] {
        let world = sliding_ball(G, |slider| {
            slider.with_motor(Motor::Velocity {
                target: 3.0,
                max_force,
            })
        });
        run(&mut simulation(world, 0.01), 1.0, |world| {
            let expected = (acceleration * world.time).min(3.0);
            let rate = coordinate(world, 0).1;
            assert!((rate - expected).abs() < 1e-4, "{rate} at {}", world.time);
        });
    }
}

/// The weight of an arm turns it until the spring of the motor balances it.
#[test]
fn a_position_motor_holds_an_arm() {
    let arm = |max_force| {
        let mut world = world(G);
        world.add(rod(Vec3::x() * 0.3)).unwrap();
        let shoulder =
            Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), Vec3::y()).unwrap();
        let motor = Motor::Position {
            target: 0.0,
            stiffness: 40.0,
            damping: 4.0,
            max_force,
        };
        world.add_joint(shoulder.with_motor(motor)).unwrap();
        let mut largest = 0.0_f64;
        let mut simulation = simulation(world, 0.005);
        run(&mut simulation, 4.0, |world| {
            largest = largest.max(coordinate(world, 0).0);
        });
        (coordinate(simulation.world(), 0), largest)
    };
    let ((angle, rate), largest) = arm(f64::INFINITY);
    // Gravity turns about +y, by m g 0.3 cos(angle).
    assert!(
        (40.0 * angle - G * 0.3 * angle.cos()).abs() < 1e-3,
        "{angle}"
    );
    assert!(rate.abs() < 1e-4 && largest < 0.2, "{rate}, {largest}");
    // Weaker than the weight, it lets the arm down, against the whole of its force: until
    // `m g 0.3 sin(angle) = max_force angle`.
    let (_, largest) = arm(1.0);
    let work = G * 0.3 * largest.sin() - largest;
    assert!(largest > 2.0 && work.abs() < 0.05, "{largest}, {work} J");
}

#[test]
fn a_slider_stops_at_its_limits() {
    let world = sliding_ball(G, |slider| slider.with_limits(-0.4, 0.3));
    let h = 0.01;
    let mut simulation = simulation(world, h);
    run(&mut simulation, 1.0, |world| {
        let (value, rate) = coordinate(world, 0);
        assert!(value > -0.4 - 1e-6, "{value}");
        assert!(rate > -(2.0 * G * 0.4 + 1e-6).sqrt() - h * G);
    });
    let (value, rate) = coordinate(simulation.world(), 0);
    assert!(
        (value + 0.4).abs() < 1e-6 && rate.abs() < 1e-5,
        "{value}, {rate}"
    );
}

/// The bound is met at full speed: nothing goes through, and nothing bounces.
#[test]
fn a_hinge_stops_at_its_limits() {
    let mut world = world(0.0);
    world.add(rod(Vec3::x() * 0.3)).unwrap();
    world.bodies[0].angular_velocity = Vec3::z() * 5.0;
    world.bodies[0].linear_velocity = Vec3::y() * 1.5;
    let hinge = Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
    // Across the half turn, so that the angle jumps on its way.
    world.add_joint(hinge.with_limits(-1.0, PI + 0.5)).unwrap();
    let mut simulation = simulation(world, 0.013);
    let mut largest = 0.0_f64;
    run(&mut simulation, 1.5, |world| {
        let value = coordinate(world, 0).0;
        largest = largest.max(value.rem_euclid(TAU));
        assert!(value.rem_euclid(TAU) < PI + 0.5 + 1e-5, "{value}");
    });
    assert!(largest > PI + 0.499, "{largest}");
    assert!(coordinate(simulation.world(), 0).1.abs() < 1e-4);
}

/// Boxes on a flap that lies on the limit of its hinge stay and come to rest, as if the hinge could not turn. A sweep found a part of the limit's impulse,
/// and the flap hopped by 0.01 of `sqrt(g L)` for ever.
#[test]
fn what_lies_on_a_limit_comes_to_rest() {
    for (size, h, boxes, density) in [
        (1.0, 1.0 / 60.0, 1, 1e3),
        (1.0, 1.0 / 60.0, 4, 1e3),
        (1.0, 1.0 / 30.0, 2, 1e3),
        (1.0, 1.0 / 240.0, 2, 1e4),
        (0.05, 1.0 / 60.0, 1, 1e3),
        (0.05, 1.0 / 60.0, 3, 1e4),
        (20.0, 1.0 / 60.0, 4, 1e3),
    ] {
        let shape = |x, y, z| Shape::Box {
            half_extents: Vec3::new(x, y, z) * size,
        };
        let at = |x, z| Pose::new(Vec3::new(x, 0.0, z) * size, Quat::identity());
        let mut world = world(G);
        let flap = Body::dynamic(shape(1.0, 0.8, 0.05), at(1.0, 0.0), 500.0);
        world.add(flap.unwrap()).unwrap();
        for level in 0..boxes {
            let pose = at(1.4, 0.3 + 0.5 * f64::from(level));
            let body = Body::dynamic(shape(0.35, 0.35, 0.25), pose, density);
            world.add(body.unwrap()).unwrap();
        }
        let hinge = Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), -Vec3::y());
        world
            .add_joint(hinge.unwrap().with_limits(0.0, 1.5))
            .unwrap();
        let start = world.clone();
        let settings = Settings {
            time_step: h,
            ..Settings::default()
        };
        let solver = Box::new(CpuSolver::new());
        let mut simulation = Simulation::new(world, settings, solver).unwrap();
        run(&mut simulation, 5.0 * size.sqrt(), |_| {});
        for (body, before) in simulation.world().bodies.iter().zip(&start.bodies) {
            let speed = body.linear_velocity.norm() / (G * size).sqrt();
            let moved = (body.pose.position - before.pose.position).norm() / size;
            assert!(
                speed < 1e-6 && moved < 2e-3,
                "{boxes} boxes of {size} m, {h} s: {speed}, {moved}"
            );
        }
    }
}

/// What presses on a limit and is drawn away leaves it as if it had never been there.
#[test]
fn a_limit_lets_go() {
    let mut world = world(G);
    world.add(rod(Vec3::x() * 0.3)).unwrap();
    let hinge = Joint::at(JointKind::Hinge, &world, 0, None, Vec3::zeros(), -Vec3::y()).unwrap();
    world.add_joint(hinge.with_limits(0.0, 1.5)).unwrap();
    // Lies on its limit, then is lifted by twice its weight.
    world.loads.push(Load {
        body: 0,
        force: Vec3::z() * (2.0 * G),
        torque: Vec3::zeros(),
        point: Vec3::zeros(),
        from: 0.5,
        until: f64::INFINITY,
        frequency: 0.0,
    });
    let settings = Settings {
        time_step: 1.0 / 60.0,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
    run(&mut simulation, 0.5, |world| {
        let (angle, _) = coordinate(world, 0);
        assert!(angle.abs() < 1e-5, "{angle} at {}", world.time);
    });
    run(&mut simulation, 0.2, |_| {});
    let (angle, rate) = coordinate(simulation.world(), 0);
    // m g r / (I + m r^2) of a rod of 0.6 m, nearly level.
    let inertia = (0.36 + 0.0036) / 12.0 + 0.09;
    let expected = G * 0.3 / inertia * 0.2;
    assert!(
        (rate - expected).abs() < 0.08 * expected && angle > 0.0,
        "{rate} {expected}"
    );
}

/// A limited ball joint stops a swing at its cone.
#[test]
fn a_ball_joint_stops_at_its_cone() {
    let mut world = world(G);
    let mut rod = rod(Vec3::z() * 0.3);
    rod.pose.orientation = math::exp(&(-Vec3::y() * FRAC_PI_2));
    rod.angular_velocity = Vec3::new(0.4, 0.2, 0.0);
    rod.linear_velocity = rod.angular_velocity.cross(&(Vec3::z() * 0.3));
    world.add(rod).unwrap();
    let joint = Joint::at(JointKind::Ball, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
    world.add_joint(joint.with_limits(0.0, 0.6)).unwrap();
    let mut largest = 0.0_f64;
    let mut simulation = simulation(world, 0.005);
    run(&mut simulation, 3.0, |world| {
        largest = largest.max(coordinate(world, 0).0);
    });
    assert!(largest > 0.599 && largest < 0.601, "{largest}");
}

/// A hanging weight pulls with m g; a cantilever turns with m g times its reach.
#[test]
fn a_joint_breaks_at_its_load_and_not_below() {
    let hangs = |share: f64| {
        let mut world = world(G);
        world.add(ball(-Vec3::z() * 0.5)).unwrap();
        let hook = Joint::at(JointKind::Ball, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
        world
            .add_joint(hook.breaking_at(share * G, f64::INFINITY))
            .unwrap();
        let mut simulation = simulation(world, 0.01);
        run(&mut simulation, 0.5, |_| {});
        !simulation.world().joints[0].broken
    };
    assert!(hangs(1.001));
    assert!(!hangs(0.999));
    let holds = |share: f64| {
        let mut world = world(G);
        world.add(rod(Vec3::x() * 0.3)).unwrap();
        let clamp = Joint::at(JointKind::Fixed, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
        world
            .add_joint(clamp.breaking_at(f64::INFINITY, share * G * 0.3))
            .unwrap();
        let mut simulation = simulation(world, 0.01);
        run(&mut simulation, 0.5, |_| {});
        let world = simulation.world();
        // What broke falls freely.
        assert_eq!(
            world.joints[0].broken,
            world.bodies[0].linear_velocity.z < -4.0
        );
        !world.joints[0].broken
    };
    assert!(holds(1.001));
    assert!(!holds(0.999));
}

/// A motor that presses against a limit of its own joint loads neither body.
#[test]
fn a_joint_does_not_break_by_its_own_motor() {
    let world = sliding_ball(0.0, |slider| {
        let motor = Motor::Velocity {
            target: 1.0,
            max_force: 50.0,
        };
        slider
            .with_limits(-0.1, 0.0)
            .with_motor(motor)
            .breaking_at(1.0, 1.0)
    });
    let mut simulation = simulation(world, 0.01);
    run(&mut simulation, 0.2, |_| {});
    let world = simulation.world();
    assert!(!world.joints[0].broken);
    assert!(coordinate(world, 0).0.abs() < 1e-6);
}
