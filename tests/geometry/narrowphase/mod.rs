//! Contact points of all pairs of shapes: against an independent computation, by properties that
//! hold for any pose, and in cases worked out by hand.

mod cases;
mod limits;
mod properties;
mod reference;

use drystone::collide::ContactModel;
use drystone::collide::ContactPoint;
use drystone::internals::collide::{Limits, find_contacts};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::world::{Body, BodyKind, CollisionGroups, MassProperties, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn body(shape: Shape, pose: Pose) -> Body {
    Body {
        name: None,
        kind: BodyKind::Dynamic,
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

fn world(bodies: Vec<Body>) -> World {
    World {
        gravity: Vec3::zeros(),
        bodies,
        materials: Vec::new(),
        ..World::new(Vec3::zeros())
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::identity())
}

fn sphere(radius: f64) -> Shape {
    Shape::Sphere { radius }
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box {
        half_extents: Vec3::new(x, y, z),
    }
}

fn capsule(half_length: f64, radius: f64) -> Shape {
    Shape::Capsule {
        half_length,
        radius,
    }
}

fn half_space(normal: Vec3, offset: f64) -> Shape {
    Shape::HalfSpace { normal, offset }
}

/// Contacts of two bodies at rest whose separation is at most `margin`.
fn contacts(a: (&Shape, Pose), b: (&Shape, Pose), margin: f64) -> Vec<ContactPoint> {
    let world = world(vec![body(a.0.clone(), a.1), body(b.0.clone(), b.1)]);
    let limits = Limits {
        margin,
        time_step: 0.0,
        lead: 0.0,
        model: ContactModel::Clipped,
    };
    let mut contacts = Vec::new();
    find_contacts(&world, &[[0, 1]], limits, &mut contacts);
    contacts
}

fn deepest(contacts: &[ContactPoint]) -> ContactPoint {
    *contacts
        .iter()
        .min_by(|a, b| a.separation.total_cmp(&b.separation))
        .expect("there are contacts")
}

/// Two shapes and their poses.
#[derive(Debug, Clone)]
struct Scene {
    a: (Shape, Pose),
    b: (Shape, Pose),
}

impl Scene {
    fn contacts(&self, margin: f64) -> Vec<ContactPoint> {
        contacts((&self.a.0, self.a.1), (&self.b.0, self.b.1), margin)
    }
}

const KINDS: usize = 4;

fn random_unit(rng: &mut Pcg64Mcg) -> Vec3 {
    loop {
        let v = Vec3::from_fn(|_, _| rng.random_range(-1.0..1.0));
        if (0.1..1.0).contains(&v.norm()) {
            return v.normalize();
        }
    }
}

fn random_shape(rng: &mut Pcg64Mcg, kind: usize) -> Shape {
    let mut size = || 10.0_f64.powf(rng.random_range(-0.7..0.3));
    match kind {
        0 => sphere(size()),
        1 => cuboid(size(), size(), size()),
        2 => capsule(size(), 0.5 * size()),
        _ => half_space(random_unit(rng), rng.random_range(-0.5..0.5)),
    }
}

/// A pair of shapes of these kinds, from deep in each other to well apart. Every third pair has its
/// axes parallel or nearly so.
fn random_scene(seed: u64, kinds: [usize; 2]) -> Scene {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let [a, b] = kinds.map(|kind| random_shape(&mut rng, kind));
    let bounded = |shape: &Shape| {
        let radius = shape.bounding_radius();
        if radius.is_finite() { radius } else { 0.0 }
    };
    let reach = bounded(&a) + bounded(&b);
    let turn_a = Quat::from_scaled_axis(random_unit(&mut rng) * rng.random_range(0.0..3.0));
    let turn_b = match rng.random_range(0..6) {
        0 => turn_a,
        1 => turn_a * Quat::from_scaled_axis(random_unit(&mut rng) * 1e-5),
        _ => Quat::from_scaled_axis(random_unit(&mut rng) * rng.random_range(0.0..3.0)),
    };
    let position = random_unit(&mut rng) * rng.random_range(-3.0..3.0);
    let offset = random_unit(&mut rng) * (reach * rng.random_range(0.0..1.1));
    Scene {
        a: (a, Pose::new(position, turn_a)),
        b: (b, Pose::new(position + offset, turn_b)),
    }
}
