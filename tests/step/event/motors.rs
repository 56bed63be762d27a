//! Motors towards a velocity in the event stepper, beside closed forms.

use super::{G, cuboid, ground, run, world};
use drystone::event::{EventSettings, EventStepper};
use drystone::math::{Mat3, Vec3};
use drystone::world::joint::{Joint, JointKind, Motor};
use drystone::world::{Load, World};

const MASS: f64 = 2.0;

/// A block on a slider of the world along an axis, driven towards a speed.
fn driven(axis: Vec3, target: f64, max_force: f64) -> World {
    let mut world = world(0.0, 0.0);
    let block = world.add(cuboid([0.1, 0.1, 0.1], [0.0; 3], MASS)).unwrap();
    let kind = JointKind::Slider;
    let joint = Joint::at(kind, &world, block, None, Vec3::zeros(), axis).unwrap();
    let motor = Motor::Velocity { target, max_force };
    world.add_joint(joint.with_motor(motor)).unwrap();
    world
}

fn after(mut world: World, steps: u32) -> (Vec3, Vec3) {
    let settings = EventSettings::for_world(&world, 0.01);
    run(&mut world, settings, 0.01, steps);
    (
        world.bodies[0].pose.position,
        world.bodies[0].linear_velocity,
    )
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn a_motor_speeds_up_with_its_full_force_and_then_keeps_its_velocity() {
    for target in [0.7, -0.7_f64] {
        // It is there after 0.1867 s, within a step.
        let (force, time) = (7.5, 1.0);
        let (at, speed) = after(driven(Vec3::x(), target, force), 100);
        let reached = MASS * target.abs() / force;
        assert_near(speed.x, target);
        assert_near(at.x, target * (time - 0.5 * reached));
    }
}

#[test]
fn a_motor_lifts_with_what_it_has_beyond_the_weight_or_is_pulled_down() {
    for force in [30.0, 15.0] {
        let (target, time) = (1.0, 0.5);
        let (at, speed) = after(driven(Vec3::z(), target, force), 50);
        let up = force / MASS - G;
        let (expected_speed, height) = if up > 0.0 {
            let reached = (target / up).min(time);
            let rest = time - reached;
            (
                target.min(up * time),
                0.5 * up * reached * reached + target * rest,
            )
        } else {
            (up * time, 0.5 * up * time * time)
        };
        assert_near(speed.z, expected_speed);
        assert_near(at.z, height);
    }
}

/// A brake holds up to its force, is pulled on by what is more, and stops the block again.
#[test]
fn a_brake_gives_way_to_a_load_above_its_force_and_stops_when_that_ends() {
    let brake = 12.0;
    for pull in [11.9, 20.0] {
        let mut world = driven(Vec3::x(), 0.0, brake);
        world.loads.push(Load {
            body: 0,
            point: Vec3::zeros(),
            force: Vec3::x() * pull,
            torque: Vec3::zeros(),
            from: 0.105,
            until: 0.3,
            frequency: 0.0,
        });
        let (at, speed) = after(world, 100);
        let gained = ((pull - brake) / MASS).max(0.0);
        let fastest = gained * (0.3 - 0.105);
        let stopping = fastest / (brake / MASS);
        assert_near(speed.x, 0.0);
        assert_near(at.x, 0.5 * fastest * (0.3 - 0.105 + stopping));
    }
}

#[test]
fn a_motor_turns_a_wheel_up_to_its_speed() {
    let mut world = world(0.0, 0.0);
    let wheel = world.add(cuboid([0.3, 0.1, 0.3], [0.0; 3], MASS)).unwrap();
    let kind = JointKind::Hinge;
    let joint = Joint::at(kind, &world, wheel, None, Vec3::zeros(), Vec3::y()).unwrap();
    let (target, max_force) = (3.0, 0.5);
    let motor = Motor::Velocity { target, max_force };
    world.add_joint(joint.with_motor(motor)).unwrap();
    let inertia: Mat3 = world.bodies[0].world_inertia();
    let settings = EventSettings::for_world(&world, 0.01);
    run(&mut world, settings, 0.01, 100);
    let reached = target * inertia[(1, 1)] / max_force;
    assert!((0.2..0.8).contains(&reached), "{reached}");
    let spin = world.bodies[0].angular_velocity.y;
    assert!((spin - target).abs() < 1e-9, "{spin}");
    let angle = world.bodies[0].pose.orientation.scaled_axis().y;
    let expected = target * (1.0 - 0.5 * reached);
    assert!((angle - expected).abs() < 1e-7, "{angle} {expected}");
}

/// Lowered by a motor, a block is pressed on the ground with the motor's force beside its weight.
#[test]
fn a_motor_lowers_a_block_and_presses_it_on_the_ground() {
    let (target, force) = (-0.5, 5.0);
    let mut world = driven(Vec3::z(), target, force);
    let mut floor = ground();
    floor.pose.position.z = -0.3;
    world.add(floor).unwrap();
    let settings = EventSettings::for_world(&world, 0.01);
    let mut stepper = EventStepper::new(&world, settings).unwrap();
    let mut collisions = Vec::new();
    for _ in 0..100 {
        collisions.extend(stepper.step(&mut world, 0.01).unwrap().collisions);
    }
    // The weight is more than the motor holds back: it falls faster than that, held back by all its force.
    let pull = G - force / MASS;
    let reached = -target / (G + force / MASS);
    let gone = 0.5 * -target * reached;
    let rest = (0.2 - gone) * 2.0 * pull + target * target;
    let expected = reached + (rest.sqrt() + target) / pull;
    assert_near(collisions[0], expected);
    let forces = stepper.contact_forces(&world, 0.01).unwrap();
    let sum: f64 = forces.iter().map(|contact| contact.force.z.abs()).sum();
    assert!((sum - (MASS * G + force)).abs() < 1e-7, "{sum}");
}
