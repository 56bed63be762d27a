//! Bodies that joints hold together.

use super::{GRAVITY, Regime, Right, add, at, falling, unit_of_time};
use drystone::internals::math;
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::scene::{Overrides, Scene};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, MassProperties, Shape, World};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};
use std::path::Path;

/// Length `[m]` of a plank of the bridge, and about that of a limb of a doll.
const PART: f64 = 0.3;

fn mechanism(name: &str, world: World, size: f64, duration: f64, right: Right) -> Regime {
    Regime {
        name: name.into(),
        world,
        size,
        duration,
        right,
        is_driven: false,
    }
}

fn with_mass(shape: Shape, pose: Pose, mass: f64) -> Body {
    Body::dynamic_with_mass(shape, pose, mass).expect("a shape with a mass")
}

fn join(world: &mut World, kind: JointKind, (a, b): (u32, Option<u32>), anchor: Vec3, axis: Vec3) {
    let joint = Joint::at(kind, world, a, b, anchor, axis).expect("an axis with a direction");
    world.add_joint(joint).expect("room for a joint");
}

/// Two boxes of three times its weight each on the free half of a flap, which lies on the limit of its hinge.
pub(super) fn flap(size: f64) -> Regime {
    let shape = |x, y, z| Shape::Box {
        half_extents: Vec3::new(x, y, z) * size,
    };
    let mut world = falling();
    let weight = size.powi(3);
    let flap = with_mass(shape(1.0, 0.8, 0.05), at(size, 0.0, 0.0), weight);
    let flap = add(&mut world, flap);
    for level in [0.3, 0.8] {
        let pose = at(1.4 * size, 0.0, level * size);
        add(
            &mut world,
            with_mass(shape(0.35, 0.35, 0.25), pose, 3.0 * weight),
        );
    }
    let kind = JointKind::Hinge;
    let hinge = Joint::at(kind, &world, flap, None, Vec3::zeros(), -Vec3::y());
    let hinge = hinge.expect("an axis with a direction");
    world
        .add_joint(hinge.with_limits(0.0, FRAC_PI_2))
        .expect("room for a joint");
    let duration = 10.0 * size.sqrt();
    mechanism("2 boxes on a flap", world, size, duration, Right::Rests)
}

/// A rod on a hinge, let go at 1 rad: 10 s of one that is 1 m long.
pub(super) fn pendulum(length: f64) -> Regime {
    let mut world = falling();
    let shape = Shape::Box {
        half_extents: Vec3::new(0.5, 0.05, 0.05) * length,
    };
    let turned = math::exp(&(Vec3::y() * (FRAC_PI_2 + 1.0)));
    let pose = Pose::new(turned * (Vec3::x() * 0.5 * length), turned);
    let rod = add(&mut world, with_mass(shape, pose, length.powi(3)));
    join(
        &mut world,
        JointKind::Hinge,
        (rod, None),
        Vec3::zeros(),
        Vec3::y(),
    );
    let right = Right::Swings {
        angle: 1.0,
        within: 0.05,
    };
    mechanism("pendulum", world, length, 10.0 * length.sqrt(), right)
}

/// A top whose centre is 0.1 sides from its tip, in steady precession: 5 s of one with a side of 1 m.
pub(super) fn heavy_top(size: f64) -> Regime {
    // In units of its mass, 0.1 sides, and the time of a size of 1 m.
    let (l, i1, i3, tilt) = (0.1, 0.02, 0.004, FRAC_PI_6);
    let slower = size.sqrt().recip();
    let (spin, precession) = (200.0 * slower, 1.260_658 * slower);
    let axes = math::exp(&(Vec3::y() * tilt));
    let axis = axes * Vec3::z();
    let shape = Shape::Sphere { radius: 0.1 * size };
    let mut top = with_mass(shape, Pose::new(axis * (l * size), axes), size.powi(3));
    let across = i1 - l * l;
    let inertia = Mat3::from_diagonal(&Vec3::new(across, across, i3)) * size.powi(5);
    top.mass = MassProperties::new(size.powi(3), inertia).expect("a positive inertia");
    top.angular_velocity = axis * (spin - precession * tilt.cos()) + Vec3::z() * precession;
    top.linear_velocity = top.angular_velocity.cross(&top.pose.position);
    let mut world = falling();
    let top = add(&mut world, top);
    join(
        &mut world,
        JointKind::Ball,
        (top, None),
        Vec3::zeros(),
        Vec3::z(),
    );
    let right = Right::Precesses {
        rate: precession,
        within: 0.02,
        tilt,
        tilt_within: 0.5_f64.to_radians(),
    };
    mechanism("heavy top", world, size, 5.0 * size.sqrt(), right)
}

/// Two spheres that a joint holds apart, spinning about their centre of mass: 2 s at 5 rad/s if they are 1 m apart.
pub(super) fn dumbbell(length: f64) -> Regime {
    let mut world = World::new(Vec3::zeros());
    let spin = Vec3::z() * (5.0 / length.sqrt());
    for x in [-0.5, 0.5] {
        let pose = at(x * length, 0.0, 0.0);
        let shape = Shape::Sphere {
            radius: 0.1 * length,
        };
        let body = with_mass(shape, pose, length.powi(3));
        let velocity = spin.cross(&pose.position);
        add(&mut world, body.moving(velocity, spin));
    }
    join(
        &mut world,
        JointKind::Fixed,
        (0, Some(1)),
        Vec3::zeros(),
        Vec3::z(),
    );
    let right = Right::KeepsSpin { within: 0.01 };
    mechanism("free dumbbell", world, length, 2.0 * length.sqrt(), right)
}

/// Twenty links in a level row, the first of which hangs from the world, let go.
pub(super) fn hanging_chain(link: f64) -> Regime {
    let mut world = falling();
    let mut before = None;
    for k in 0..20 {
        let start = Vec3::x() * (f64::from(k) * link);
        let shape = Shape::Box {
            half_extents: Vec3::new(0.5, 0.1, 0.1) * link,
        };
        let pose = Pose::new(start + Vec3::x() * (0.5 * link), Quat::identity());
        let mut body = with_mass(shape, pose, link.powi(3));
        body.groups.collides_with = 0;
        let body = add(&mut world, body);
        join(
            &mut world,
            JointKind::Ball,
            (body, before),
            start,
            Vec3::z(),
        );
        before = Some(body);
    }
    let duration = 100.0 * unit_of_time(link);
    mechanism("hanging chain", world, link, duration, Right::GainsNothing)
}

/// A ball a thousand times as heavy as each of the twelve links that it hangs from, let go level with where they hang: it falls through the chain, again and again, and
/// the chain stops it.
pub(super) fn wrecking_ball(link: f64) -> Regime {
    let mut world = falling();
    let rod = Shape::Capsule {
        radius: 0.1 * link,
        half_length: 0.4 * link,
    };
    let level = math::exp(&(Vec3::y() * FRAC_PI_2));
    let mut before = None;
    for k in 0..=12 {
        let start = Vec3::x() * (f64::from(k) * link);
        let (shape, middle, mass) = if k < 12 {
            (rod.clone(), 0.5 * link, 1.0)
        } else {
            let radius = 2.0 * link;
            (Shape::Sphere { radius }, radius, 1000.0)
        };
        let pose = Pose::new(start + Vec3::x() * middle, level);
        let mut body = with_mass(shape, pose, mass * link.powi(3));
        body.groups.collides_with = 0;
        let body = add(&mut world, body);
        let joined = (body, before);
        join(&mut world, JointKind::Ball, joined, start, Vec3::z());
        before = Some(body);
    }
    let duration = 70.0 * unit_of_time(link);
    mechanism("wrecking ball", world, link, duration, Right::GainsNothing)
}

/// `scenes/joints/rope_bridge`.
pub(super) fn rope_bridge(size: f64) -> Regime {
    let text = include_str!("../../../scenes/joints/rope_bridge.toml");
    let world = of_size(text, size);
    let duration = 6.0 * (size / PART).sqrt();
    mechanism("rope bridge", world, size, duration, Right::GainsNothing)
}

/// Twelve of the dolls of `scenes/joints/ragdoll_pile`.
pub(super) fn dolls(size: f64) -> Regime {
    let text = include_str!("../../../scenes/joints/ragdoll_pile.toml");
    // Without probes, which name dolls that are left out.
    let text = text.split("[[probe]]").next().unwrap_or(text);
    let fewer = text.replace("count = [5, 4, 10]", "count = [2, 2, 3]");
    assert_ne!(fewer, text, "the scene's count of dolls");
    let world = of_size(&fewer, size);
    let duration = 6.0 * (size / PART).sqrt();
    mechanism("12 dolls", world, size, duration, Right::GainsNothing)
}

/// The world of a scene whose parts are [`PART`] long, made larger or smaller so that they are `size` long.
fn of_size(text: &str, size: f64) -> World {
    let scene = Scene::parse(Path::new("scenes/joints"), text, &Overrides::default());
    let mut world = scene.expect("a scene of this repository").world;
    assert!((world.gravity.norm() - GRAVITY).abs() < 1e-9);
    let factor = size / PART;
    for body in &mut world.bodies {
        body.pose.position *= factor;
        body.linear_velocity *= factor.sqrt();
        body.angular_velocity /= factor.sqrt();
        if body.is_dynamic() {
            let (mass, inertia) = (body.mass.mass, body.mass.inertia);
            body.mass = MassProperties::new(mass * factor.powi(3), inertia * factor.powi(5))
                .expect("a mass that fits single precision");
        }
        body.shape = body.shape.scaled(factor);
    }
    for joint in &mut world.joints {
        joint.frame_a.position *= factor;
        joint.frame_b.position *= factor;
    }
    world
}
