//! Crowds: piles, packings, beds and gases.

use super::{GRAVITY, Regime, Right, add, at, cube, dynamic, on_ground};
use drystone::math::{Pose, Quat, Vec3};
use drystone::scene::{Overrides, Scene};
use drystone::world::{Body, Material, Polyhedron, Shape, World};
use nalgebra::Quaternion;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;
use std::sync::Arc;

/// Breadth of the box of a packing over the mean diameter, and its spheres.
const PACKING_WIDTH: f64 = 14.0;
const PACKING_COUNT: u32 = 4000;

/// Height of the shaken bed's centre of mass in the mean `[m]`, as `--only shaken --methods post --steps 2400` has it; the
/// default with as many steps has 5.2 mm.
const THROW: f64 = 0.005_27;

/// 10 s, and above 1 m as much longer as everything falls more slowly. Without friction it takes longer: 500 spheres of 1 m
/// have an rms velocity of 0.019 `sqrt(g d)` after 10 s by the papers' step, converged.
fn settling_time(size: f64, friction: f64) -> f64 {
    let time: f64 = if friction > 0.0 { 10.0 } else { 32.0 };
    time.max(10.0 / size.sqrt()) * size.sqrt()
}

/// Walls of a box open at the top, inner sides `x` by `y`.
fn walls(world: &mut World, x: f64, y: f64) {
    for (normal, half) in [
        (Vec3::x(), x),
        (-Vec3::x(), x),
        (Vec3::y(), y),
        (-Vec3::y(), y),
    ] {
        let wall = Shape::HalfSpace {
            normal,
            offset: -0.5 * half,
        };
        add(world, Body::fixed(wall, at(0.0, 0.0, 0.0)));
    }
}

/// Shapes of the bodies of a pile.
#[derive(Clone, Copy)]
pub(super) enum Grain {
    Spheres,
    Boxes,
    Plates,
    Mixed,
    Rods,
    Cylinders,
    /// Hulls of 32 points, three of them in turns.
    Rocks,
}

/// The hull of 32 random points on an ellipsoid.
fn rock(radii: &Vec3, random: &mut Pcg64) -> Shape {
    let mut number = || random.random_range(-1.0..1.0_f64);
    let points: Vec<Vec3> = (0..32)
        .map(|_| {
            let way = loop {
                let way = Vec3::new(number(), number(), number());
                if (0.1..1.0).contains(&way.norm()) {
                    break way.normalize();
                }
            };
            way.component_mul(radii)
        })
        .collect();
    let solid = Polyhedron::hull(&points).expect("points in general position");
    Shape::Polyhedron(Arc::new(solid.centered()))
}

pub(super) fn pile(name: &str, count: u32, size: f64, friction: f64, grain: Grain) -> Regime {
    let mut world = on_ground(friction, 0.0);
    let across = (f64::from(count) / 3.0).cbrt().round().max(3.0) as u32;
    let pitch = 1.2 * size;
    let width = (f64::from(across) + 0.5) * pitch;
    walls(&mut world, width, width);
    let mut random = Pcg64::seed_from_u64(7);
    let layer = across * across;
    // From numbers of their own: places are those of other piles.
    let mut of_rocks = Pcg64::seed_from_u64(32);
    let rocks: Vec<Shape> = [[1.0, 0.8, 0.7], [0.8, 0.8, 0.8], [1.0, 0.7, 0.7]]
        .iter()
        .map(|radii| rock(&(Vec3::from(*radii) * (0.5 * size)), &mut of_rocks))
        .collect();
    for k in 0..count {
        let (i, j) = ((k % layer) % across, (k % layer) / across);
        let level = k / layer;
        let mut jitter = || random.random_range(-0.05..0.05) * size;
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(across - 1)) * pitch;
        let position = Vec3::new(
            place(i) + jitter(),
            place(j) + jitter(),
            (f64::from(level) + 0.6) * pitch,
        );
        let mut number = || random.random_range(-1.0..1.0_f64);
        let turn = Quat::new_normalize(Quaternion::new(number(), number(), number(), number()));
        let r = 0.5 * size;
        let shape = match grain {
            Grain::Spheres => Shape::Sphere { radius: r },
            Grain::Boxes => cube(size * 0.6),
            Grain::Plates => Shape::Box {
                half_extents: Vec3::new(0.75 * r, 0.75 * r, 0.06 * r),
            },
            Grain::Mixed if k % 3 == 0 => Shape::Sphere { radius: r },
            Grain::Mixed if k % 3 == 1 => Shape::Sphere { radius: 0.25 * r },
            Grain::Mixed => cube(0.5 * size),
            Grain::Rods => Shape::Capsule {
                half_length: 0.8 * r,
                radius: 0.2 * r,
            },
            Grain::Cylinders => Shape::Cylinder {
                half_length: 0.7 * r,
                radius: 0.4 * r,
            },
            Grain::Rocks => rocks[k as usize % rocks.len()].clone(),
        };
        let orientation = match grain {
            Grain::Spheres => Quat::identity(),
            _ => turn,
        };
        let body = dynamic(shape, Pose::new(position, orientation), 1000.0);
        add(&mut world, body);
    }
    Regime {
        name: name.into(),
        world,
        size,
        duration: settling_time(size, friction),
        right: Right::Rests,
        is_driven: false,
    }
}

/// A box of some times the mass of a sphere dropped onto a bed of spheres.
pub(super) fn heavy_on_spheres(size: f64, ratio: f64) -> Regime {
    let name = format!("box x {ratio} on 500 spheres");
    let mut regime = pile(&name, 500, size, 0.5, Grain::Spheres);
    let width = 5.0 * size;
    let sphere = std::f64::consts::FRAC_PI_6 * size.powi(3);
    let density = ratio * 1000.0 * sphere / (0.5 * width.powi(3));
    let block = Shape::Box {
        half_extents: Vec3::new(0.5 * width, 0.5 * width, 0.25 * width),
    };
    add(
        &mut regime.world,
        dynamic(block, at(0.0, 0.0, 20.0 * size), density),
    );
    regime
}

/// Spheres of mean diameter `size`, 10 % more or less, poured into a box.
pub(super) fn packing(size: f64, friction: f64, fraction: f64, within: f64) -> Regime {
    let mut world = on_ground(friction, 0.0);
    let width = PACKING_WIDTH * size;
    walls(&mut world, width, width);
    let mut random = Pcg64::seed_from_u64(3);
    let pitch = 1.25 * size;
    let across = (width / pitch) as u32;
    for k in 0..PACKING_COUNT {
        let (i, j) = (k % across, k / across % across);
        let mut jitter = || random.random_range(-0.05..0.05) * size;
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(across - 1)) * pitch;
        let level = (f64::from(k / (across * across)) + 0.6) * pitch;
        let pose = at(place(i) + jitter(), place(j) + jitter(), level + jitter());
        let radius = 0.5 * size * random.random_range(0.9..1.1);
        add(&mut world, dynamic(Shape::Sphere { radius }, pose, 2500.0));
    }
    Regime {
        name: format!("packing, mu = {friction}"),
        world,
        size,
        duration: settling_time(size, friction),
        right: Right::Packs { fraction, within },
        is_driven: false,
    }
}

/// The bed of the Brazil nut, shaken at Gamma = 3 and 10 Hz.
pub(super) fn shaken_bed() -> Regime {
    let file = Path::new("scenes/granular/brazil_nut.toml");
    let text = include_str!("../../../scenes/granular/brazil_nut.toml");
    let scene = Scene::parse(file, text, &Overrides::default()).expect("a scene");
    Regime {
        name: "shaken bed".into(),
        world: scene.world,
        size: 0.005,
        duration: 10.5,
        right: Right::Throw {
            height: THROW,
            within: 0.1,
        },
        is_driven: true,
    }
}

/// 512 frictionless spheres of a diameter in a cube of 16, at random velocities up to `sqrt(g d)` along each axis.
fn spheres_without_gravity(d: f64, restitution: f64) -> World {
    let mut world = World::new(Vec3::zeros());
    world.materials[0] = Material {
        friction: 0.0,
        restitution,
    };
    // The walls take no energy.
    world.materials.push(Material {
        friction: 0.0,
        restitution: 1.0,
    });
    let offset = -8.0 * d;
    for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
        for normal in [axis, -axis] {
            let wall = Shape::HalfSpace { normal, offset };
            add(
                &mut world,
                Body::fixed(wall, at(0.0, 0.0, 0.0)).of_material(1),
            );
        }
    }
    let mut random = Pcg64::seed_from_u64(11);
    let fastest = (GRAVITY * d).sqrt();
    for k in 0..512_u32 {
        let place = |i: u32| (f64::from(i) - 3.5) * 2.0 * d;
        let pose = at(place(k % 8), place(k / 8 % 8), place(k / 64));
        let mut v = || random.random_range(-1.0..1.0_f64) * fastest;
        let velocity = Vec3::new(v(), v(), v());
        let body = dynamic(Shape::Sphere { radius: 0.5 * d }, pose, 1000.0);
        add(&mut world, body.moving(velocity, Vec3::zeros()));
    }
    world
}

/// 5 s of spheres of 0.1 m.
pub(super) fn gas(size: f64) -> Regime {
    Regime {
        name: "elastic gas".into(),
        world: spheres_without_gravity(size, 1.0),
        size,
        duration: 5.0 * (size / 0.1).sqrt(),
        right: Right::KeepsKinetic { within: 0.02 },
        is_driven: false,
    }
}

/// Haff's law. 60 s of spheres of 0.1 m, which is a dozen times its tau.
pub(super) fn cooling_gas(size: f64) -> Regime {
    Regime {
        name: "gas, e = 0.9".into(),
        world: spheres_without_gravity(size, 0.9),
        size,
        duration: 60.0 * (size / 0.1).sqrt(),
        right: Right::Cools {
            power: -2.0,
            within: 0.1,
        },
        is_driven: false,
    }
}

/// Let fall from ten times the diameter or side.
pub(super) fn bounce(name: &str, restitution: f64, shape: Shape, size: f64) -> Regime {
    let mut world = on_ground(0.5, restitution);
    add(
        &mut world,
        dynamic(shape, at(0.0, 0.0, 10.5 * size), 1000.0),
    );
    let e2 = restitution * restitution;
    Regime {
        name: name.into(),
        world,
        size,
        duration: 2.0 * (size / 0.1).sqrt(),
        right: Right::Bounces {
            peaks: [10.0 * e2, 10.0 * e2 * e2],
            within: 0.03,
        },
        is_driven: false,
    }
}

pub(super) fn overlapping(size: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
    for k in 0..100_u32 {
        let place = |i: u32| f64::from(i) * 0.1 * size;
        let position = (place(k % 5), place(k / 5 % 5), place(k / 25));
        let pose = at(position.0, position.1, position.2 + 0.5 * size);
        let radius = 0.5 * size;
        add(&mut world, dynamic(Shape::Sphere { radius }, pose, 1000.0));
    }
    Regime {
        name: "spheres overlapping by 90 %".into(),
        world,
        size,
        duration: 4.0,
        right: Right::Parts {
            speed: 3.0 * (GRAVITY * size).sqrt(),
        },
        is_driven: true,
    }
}
