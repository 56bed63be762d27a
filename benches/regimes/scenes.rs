//! Small worlds whose right outcome is known.

use drystone::math::{Pose, Quat, Vec3};
use drystone::scene::{Overrides, Scene};
use drystone::world::{Body, Material, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;

/// The right outcome of a regime.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Right {
    /// Stands: the highest body stays within this share of a side sideways, and ends at rest.
    Stands { sideways: f64 },
    /// Comes to rest.
    Rests,
    /// The centre of mass of the bed is thrown so high `[m]`, within a share of it.
    Throw { height: f64, within: f64 },
    /// Kinetic energy stays within a share of what it was.
    KeepsKinetic { within: f64 },
    /// Peaks of the first body's height over its height at rest `[m]`, within a share of them.
    Bounces { peaks: [f64; 2], within: f64 },
    /// Parts no faster than this `[m/s]`.
    Parts { speed: f64 },
}

/// A world, how long it is stepped, and what is right.
pub(crate) struct Regime {
    pub(crate) name: String,
    pub(crate) world: World,
    /// Length of a side or a diameter `[m]`.
    pub(crate) size: f64,
    /// `[s]`
    pub(crate) duration: f64,
    pub(crate) right: Right,
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::identity())
}

fn cube(side: f64) -> Shape {
    Shape::Box {
        half_extents: Vec3::repeat(0.5 * side),
    }
}

fn on_ground(gravity: f64) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -gravity));
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    add(&mut world, Body::fixed(ground, at(0.0, 0.0, 0.0)));
    world
}

fn add(world: &mut World, body: Body) {
    world.add(body).expect("room for a body");
}

fn dynamic(shape: Shape, pose: Pose, density: f64) -> Body {
    Body::dynamic(shape, pose, density).expect("a shape with a mass")
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

/// `masses` over that of the lowest cube, bottom first.
fn stack(name: &str, side: f64, masses: &[f64], duration: f64) -> Regime {
    let mut world = on_ground(9.81);
    for (layer, mass) in masses.iter().enumerate() {
        let pose = at(0.0, 0.0, (layer as f64 + 0.5) * side);
        add(&mut world, dynamic(cube(side), pose, 1000.0 * mass));
    }
    Regime {
        name: name.into(),
        world,
        size: side,
        duration,
        right: Right::Stands { sideways: 0.02 },
    }
}

fn towers(side: f64) -> Regime {
    let mut world = on_ground(9.81);
    for tower in 0..30 {
        let (x, y) = (f64::from(tower % 6), f64::from(tower / 6));
        for layer in 0..12 {
            let pose = at(
                1.3 * side * x,
                1.3 * side * y,
                (f64::from(layer) + 0.5) * side,
            );
            add(&mut world, dynamic(cube(side), pose, 1000.0));
        }
    }
    Regime {
        name: "30 towers of 12".into(),
        world,
        size: side,
        duration: 20.0,
        right: Right::Stands { sideways: 0.05 },
    }
}

fn wall(rows: u32, side: f64, duration: f64) -> Regime {
    let mut world = on_ground(9.81);
    for row in 0..rows {
        let count = rows - row;
        for k in 0..count {
            let x = (f64::from(k) - 0.5 * f64::from(count - 1)) * side * 1.01;
            add(
                &mut world,
                dynamic(
                    cube(side),
                    at(x, 0.0, (f64::from(row) + 0.5) * side),
                    1000.0,
                ),
            );
        }
    }
    Regime {
        name: format!("pyramid wall of {rows}"),
        world,
        size: side,
        duration,
        right: Right::Stands { sideways: 0.1 },
    }
}

/// Shapes of the bodies of a pile.
#[derive(Clone, Copy)]
enum Grain {
    Spheres,
    Boxes,
    Plates,
    Mixed,
    Rods,
}

fn pile(name: &str, count: u32, size: f64, friction: f64, grain: Grain) -> Regime {
    let mut world = on_ground(9.81);
    world.materials[0] = Material {
        friction,
        restitution: 0.0,
    };
    let across = (f64::from(count) / 3.0).cbrt().round().max(3.0) as u32;
    let pitch = 1.2 * size;
    let width = (f64::from(across) + 0.5) * pitch;
    walls(&mut world, width, width);
    let mut random = Pcg64::seed_from_u64(7);
    let layer = across * across;
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
        let turn = Quat::new_normalize(drystone_quaternion([
            number(),
            number(),
            number(),
            number(),
        ]));
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
        duration: 10.0,
        right: Right::Rests,
    }
}

fn drystone_quaternion(numbers: [f64; 4]) -> nalgebra::Quaternion<f64> {
    let [w, x, y, z] = numbers;
    nalgebra::Quaternion::new(w, x, y, z)
}

/// A heavy box lowered onto a bed of spheres.
fn heavy_on_spheres(size: f64) -> Regime {
    let mut regime = pile("heavy box on 500 spheres", 500, size, 0.5, Grain::Spheres);
    let width = 5.0 * size;
    let block = Shape::Box {
        half_extents: Vec3::new(0.5 * width, 0.5 * width, 0.25 * width),
    };
    add(
        &mut regime.world,
        dynamic(block, at(0.0, 0.0, 20.0 * size), 5000.0),
    );
    regime
}

/// The bed of the Brazil nut, shaken at Gamma = 3 and 10 Hz.
fn shaken_bed() -> Regime {
    let file = Path::new("scenes/granular/brazil_nut.toml");
    let text = include_str!("../../scenes/granular/brazil_nut.toml");
    let scene = Scene::parse(file, text, &Overrides::default()).expect("a scene");
    Regime {
        name: "shaken bed".into(),
        world: scene.world,
        size: 0.005,
        duration: 3.0,
        right: Right::Throw {
            height: 0.0124,
            within: 0.1,
        },
    }
}

fn gas() -> Regime {
    let mut world = World::new(Vec3::zeros());
    world.materials[0] = Material {
        friction: 0.0,
        restitution: 1.0,
    };
    let d = 0.1;
    let side = 8.0 * 2.0 * d;
    for (normal, _) in [
        (Vec3::x(), 0),
        (-Vec3::x(), 0),
        (Vec3::y(), 0),
        (-Vec3::y(), 0),
        (Vec3::z(), 0),
        (-Vec3::z(), 0),
    ] {
        let offset = -0.5 * side;
        let wall = Shape::HalfSpace { normal, offset };
        add(&mut world, Body::fixed(wall, at(0.0, 0.0, 0.0)));
    }
    let mut random = Pcg64::seed_from_u64(11);
    for k in 0..512_u32 {
        let place = |i: u32| (f64::from(i) - 3.5) * 2.0 * d;
        let pose = at(place(k % 8), place(k / 8 % 8), place(k / 64));
        let mut v = || random.random_range(-1.0..1.0_f64);
        let velocity = Vec3::new(v(), v(), v());
        let body = dynamic(Shape::Sphere { radius: 0.5 * d }, pose, 1000.0);
        add(&mut world, body.moving(velocity, Vec3::zeros()));
    }
    Regime {
        name: "elastic gas".into(),
        world,
        size: d,
        duration: 5.0,
        right: Right::KeepsKinetic { within: 0.02 },
    }
}

fn bounce(name: &str, restitution: f64, shape: Shape, rest: f64) -> Regime {
    let mut world = on_ground(9.81);
    world.materials[0] = Material {
        friction: 0.5,
        restitution,
    };
    add(&mut world, dynamic(shape, at(0.0, 0.0, 1.0 + rest), 1000.0));
    let e2 = restitution * restitution;
    Regime {
        name: name.into(),
        world,
        size: 2.0 * rest,
        duration: 2.0,
        right: Right::Bounces {
            peaks: [e2, e2 * e2],
            within: 0.03,
        },
    }
}

fn overlapping(size: f64) -> Regime {
    let mut world = on_ground(9.81);
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
            speed: 3.0 * (9.81 * size).sqrt(),
        },
    }
}

/// All of them at a size `[m]`; some have a size of their own.
pub(crate) fn all(size: f64) -> Vec<Regime> {
    let mut regimes = Vec::new();
    for count in [8, 12, 15, 20, 30, 50] {
        let name = format!("stack of {count}");
        regimes.push(stack(&name, size, &vec![1.0; count], 60.0));
    }
    regimes.push(stack("2, top x 1000", size, &[1.0, 1000.0], 30.0));
    let mut six = vec![1.0; 6];
    six[5] = 100.0;
    regimes.push(stack("6, top x 100", size, &six, 30.0));
    let mut ten = vec![1.0; 10];
    ten[9] = 30.0;
    regimes.push(stack("10, top x 30", size, &ten, 30.0));
    regimes.push(towers(size));
    regimes.push(wall(20, size, 20.0));
    regimes.push(pile("500 spheres", 500, size, 0.5, Grain::Spheres));
    regimes.push(pile("500 spheres, mu = 0", 500, size, 0.0, Grain::Spheres));
    regimes.push(pile("500 boxes", 500, size, 0.5, Grain::Boxes));
    regimes.push(pile("200 plates", 200, size, 0.5, Grain::Plates));
    regimes.push(pile("400 mixed 1:4", 400, size, 0.5, Grain::Mixed));
    regimes.push(pile("300 rods", 300, size, 0.5, Grain::Rods));
    regimes.push(heavy_on_spheres(size));
    regimes.push(overlapping(size));
    regimes.push(bounce(
        "bounce, e = 0.5",
        0.5,
        Shape::Sphere { radius: 0.05 },
        0.05,
    ));
    regimes.push(bounce("bounce of a cube, e = 0.7", 0.7, cube(0.1), 0.05));
    regimes.push(gas());
    regimes.push(shaken_bed());
    regimes
}
