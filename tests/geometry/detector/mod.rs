//! The detector, which remembers, against a search that starts from nothing.

mod falling;
mod manifolds;
mod pairs;
mod piles;

use drystone::collide::ContactModel;
use drystone::collide::ContactPoint;
use drystone::internals::collide::{Limits, brute_force_pairs, find_contacts};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::world::{
    Body, BodyKind, CollisionGroups, CompoundPart, MassProperties, Shape, World,
};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

const LIMITS: Limits = Limits {
    margin: 0.01,
    time_step: 0.01,
    lead: 0.0,
    model: ContactModel::Clipped,
};

/// How far two bodies can be moved toward each other beside their velocities `[m]`.
const ALLOWANCE: f64 = 0.02;

fn body(kind: BodyKind, shape: Shape, pose: Pose) -> Body {
    Body {
        name: None,
        kind,
        pose,
        linear_velocity: Vec3::zeros(),
        angular_velocity: Vec3::zeros(),
        mass: MassProperties {
            mass: 1.0,
            inverse_mass: 1.0,
            inertia: Mat3::identity(),
            inverse_inertia: Mat3::identity(),
        },
        shape,
        center: Vec3::zeros(),
        material: 0,
        groups: CollisionGroups::ALL,
        motion: None,
    }
}

fn unit(rng: &mut Pcg64Mcg) -> Vec3 {
    let z: f64 = rng.random_range(-1.0..1.0);
    let angle: f64 = rng.random_range(0.0..std::f64::consts::TAU);
    let flat = (1.0 - z * z).sqrt();
    Vec3::new(flat * angle.cos(), flat * angle.sin(), z)
}

fn random_shape(rng: &mut Pcg64Mcg, size: f64) -> Shape {
    match rng.random_range(0..10) {
        0..3 => Shape::Sphere { radius: size },
        3..7 => Shape::Box {
            half_extents: Vec3::from_fn(|_, _| size * rng.random_range(0.3..1.0)),
        },
        7..9 => Shape::Capsule {
            half_length: size,
            radius: 0.4 * size,
        },
        _ => Shape::Compound {
            parts: [-0.5, 0.5]
                .map(|x| CompoundPart {
                    pose: Pose::new(Vec3::new(x * size, 0.0, 0.0), Quat::identity()),
                    shape: if x < 0.0 {
                        Shape::Sphere { radius: 0.5 * size }
                    } else {
                        Shape::Box {
                            half_extents: Vec3::repeat(0.4 * size),
                        }
                    },
                })
                .to_vec()
                .into(),
        },
    }
}

/// Bodies of all kinds, so close that many touch, on the floor and in a container, one of which may be
/// shaken.
fn crowd(rng: &mut Pcg64Mcg, count: usize, span: f64) -> World {
    let floor = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    let walls = Shape::Compound {
        parts: [-1.0, 1.0]
            .map(|side| CompoundPart {
                pose: Pose::new(Vec3::new(side * (span + 0.5), 0.0, 0.0), Quat::identity()),
                shape: Shape::Box {
                    half_extents: Vec3::new(0.5, 2.0 * span, 2.0 * span),
                },
            })
            .to_vec()
            .into(),
    };
    let mut bodies = vec![
        body(BodyKind::Kinematic, floor, Pose::identity()),
        body(BodyKind::Kinematic, walls, Pose::identity()),
    ];
    for _ in 0..count {
        let place = Vec3::from_fn(|_, _| rng.random_range(-span..span)) + Vec3::z() * span;
        let turn = Quat::from_scaled_axis(unit(rng) * rng.random_range(0.0..3.0));
        let size = rng.random_range(0.2..0.5);
        let shape = random_shape(rng, size);
        let mut made = body(BodyKind::Dynamic, shape, Pose::new(place, turn));
        if rng.random_range(0..10) == 0 {
            made.groups = CollisionGroups {
                member: 2,
                collides_with: 1,
            };
        }
        bodies.push(made);
    }
    World {
        bodies,
        materials: Vec::new(),
        ..World::new(Vec3::new(0.0, 0.0, -9.81))
    }
}

/// Moves every body that is not fixed by its velocity, and changes the velocities a little.
fn drift(world: &mut World, rng: &mut Pcg64Mcg, speed: f64) {
    let h = LIMITS.time_step;
    for body in &mut world.bodies {
        let (linear, angular) = (body.linear_velocity, body.angular_velocity);
        body.displace(&(linear * h), &(angular * h));
        let small = if body.shape.bounding_radius().is_finite() {
            speed
        } else {
            0.05 * speed
        };
        body.linear_velocity = 0.9 * linear + unit(rng) * (0.3 * small);
        body.angular_velocity = 0.9 * angular + unit(rng) * (0.3 * small);
    }
}

/// What a body's box is grown by where nothing is remembered `[m]`.
fn reach(world: &World) -> Vec<f64> {
    let (h, fall) = (LIMITS.time_step, world.gravity.norm() * LIMITS.time_step);
    let bodies = world.bodies.iter();
    bodies
        .map(|body| {
            let radius = body.shape.bounding_radius();
            let spin = if radius.is_finite() {
                body.angular_velocity.norm() * radius
            } else {
                0.0
            };
            let fall = if body.is_dynamic() { fall } else { 0.0 };
            0.5 * (LIMITS.margin + ALLOWANCE) + h * (body.linear_velocity.norm() + spin + fall)
        })
        .collect()
}

fn fresh_contacts(world: &World, limits: Limits) -> Vec<ContactPoint> {
    let pairs = brute_force_pairs(world, &reach(world));
    let mut contacts = Vec::new();
    find_contacts(world, &pairs, limits, &mut contacts);
    contacts
}

/// Contacts of each pair together: all slices of a list in order of pairs.
fn by_pair(contacts: &[ContactPoint]) -> Vec<&[ContactPoint]> {
    contacts.chunk_by(|x, y| x.bodies == y.bodies).collect()
}

fn deepest(contacts: &[ContactPoint]) -> f64 {
    contacts.iter().fold(f64::INFINITY, |least, contact| {
        least.min(contact.separation)
    })
}

/// The contacts of one pair in a list that is sorted by pairs.
fn of_pair(contacts: &[ContactPoint], pair: [u32; 2]) -> &[ContactPoint] {
    let first = contacts.partition_point(|contact| contact.bodies < pair);
    let end = contacts.partition_point(|contact| contact.bodies <= pair);
    &contacts[first..end]
}
