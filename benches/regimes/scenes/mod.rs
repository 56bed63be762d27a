//! Small worlds whose right outcome is known.

mod grains;
mod mechanisms;
mod stacks;

use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{Body, Material, Shape, World};
use grains::Grain;

/// `[m/s^2]`
const GRAVITY: f64 = 9.81;

/// The right outcome of a regime.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Right {
    /// Stands: the highest body stays within this share of a side sideways, and ends at rest.
    Stands { sideways: f64 },
    /// Comes to rest, pressed in little.
    Rests,
    /// Comes to rest and fills this share of the space far from walls.
    Packs { fraction: f64, within: f64 },
    /// The centre of mass of a shaken bed is so high above its place at rest in the mean `[m]`, within a share of it.
    Throw { height: f64, within: f64 },
    /// Kinetic energy stays within a share of what it was.
    KeepsKinetic { within: f64 },
    /// Kinetic energy falls as `(1 + t / tau)^power`.
    Cools { power: f64, within: f64 },
    /// Peaks of the first body's height over its height at rest, over its diameter, within a share of them.
    Bounces { peaks: [f64; 2], within: f64 },
    /// Parts no faster than this `[m/s]`.
    Parts { speed: f64 },
    /// A wave of falling runs through the bodies so fast `[m/s]`, within a share of it.
    Topples { speed: f64, within: f64 },
    /// Swings about the origin by this angle from the vertical to the end `[rad]`, within a share of it.
    Swings { angle: f64, within: f64 },
    /// Precesses about the vertical at this rate `[rad/s]`, within a share of it, and at this angle `[rad]`.
    Precesses {
        rate: f64,
        within: f64,
        tilt: f64,
        tilt_within: f64,
    },
    /// Angular momentum stays within a share of what it was.
    KeepsSpin { within: f64 },
    /// Nothing but that it gains no energy.
    GainsNothing,
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
    /// Energy is put in: by a floor that moves, or by an overlap at the start.
    pub(crate) is_driven: bool,
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::identity())
}

fn cube(side: f64) -> Shape {
    Shape::Box {
        half_extents: Vec3::repeat(0.5 * side),
    }
}

fn falling() -> World {
    World::new(Vec3::new(0.0, 0.0, -GRAVITY))
}

fn on_ground(friction: f64, restitution: f64) -> World {
    let mut world = falling();
    world.materials[0] = Material {
        friction,
        restitution,
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    add(&mut world, Body::fixed(ground, at(0.0, 0.0, 0.0)));
    world
}

fn add(world: &mut World, body: Body) -> u32 {
    world.add(body).expect("room for a body")
}

fn dynamic(shape: Shape, pose: Pose, density: f64) -> Body {
    Body::dynamic(shape, pose, density).expect("a shape with a mass")
}

/// `sqrt(size / g)` `[s]`: the unit of time of all that falls.
fn unit_of_time(size: f64) -> f64 {
    (size / GRAVITY).sqrt()
}

/// All of them at a size `[m]`; the shaken bed has a size of its own.
pub(crate) fn all(size: f64) -> Vec<Regime> {
    let mut regimes = Vec::new();
    for count in [8, 12, 15, 20, 30, 50] {
        let name = format!("stack of {count}");
        regimes.push(stacks::stack(&name, size, &vec![1.0; count], 60.0));
    }
    regimes.push(stacks::stack("2, top x 1000", size, &[1.0, 1000.0], 30.0));
    let mut six = vec![1.0; 6];
    six[5] = 100.0;
    regimes.push(stacks::stack("6, top x 100", size, &six, 30.0));
    let mut ten = vec![1.0; 10];
    ten[9] = 30.0;
    regimes.push(stacks::stack("10, top x 30", size, &ten, 30.0));
    regimes.push(stacks::bricks_beside_a_grain(size));
    regimes.push(stacks::prisms(size));
    regimes.push(stacks::table(size));
    regimes.push(stacks::plates(size));
    regimes.push(stacks::tables(size));
    regimes.push(stacks::towers(size));
    regimes.push(stacks::wall(20, size, 20.0));
    regimes.push(stacks::card_house(size));
    for (gap, speed) in [(1, 1.40), (2, 1.24), (3, 1.16)] {
        regimes.push(stacks::dominoes(size, f64::from(gap) / 6.0, speed));
    }
    for (name, count, friction, grain) in [
        ("500 spheres", 500, 0.5, Grain::Spheres),
        ("500 spheres, mu = 0", 500, 0.0, Grain::Spheres),
        ("500 boxes", 500, 0.5, Grain::Boxes),
        ("200 plates", 200, 0.5, Grain::Plates),
        ("400 mixed 1:4", 400, 0.5, Grain::Mixed),
        ("300 rods", 300, 0.5, Grain::Rods),
        ("400 cylinders", 400, 0.5, Grain::Cylinders),
        ("500 rocks", 500, 0.5, Grain::Rocks),
        ("2000 rocks", 2000, 0.5, Grain::Rocks),
    ] {
        regimes.push(grains::pile(name, count, size, friction, grain));
    }
    for ratio in [600.0, 6000.0] {
        regimes.push(grains::heavy_on_spheres(size, ratio));
    }
    for (friction, fraction, within) in
        [(0.0, 0.639, 0.01), (0.3, 0.593, 0.015), (0.5, 0.585, 0.015)]
    {
        regimes.push(grains::packing(size, friction, fraction, within));
    }
    regimes.push(grains::overlapping(size));
    let sphere = Shape::Sphere { radius: 0.5 * size };
    regimes.push(grains::bounce("bounce, e = 0.5", 0.5, sphere, size));
    regimes.push(grains::bounce(
        "bounce of a cube, e = 0.7",
        0.7,
        cube(size),
        size,
    ));
    regimes.push(grains::gas(size));
    regimes.push(grains::cooling_gas(size));
    regimes.push(mechanisms::flap(size));
    regimes.push(mechanisms::pendulum(size));
    regimes.push(mechanisms::heavy_top(size));
    regimes.push(mechanisms::dumbbell(size));
    regimes.push(mechanisms::hanging_chain(size));
    regimes.push(mechanisms::wrecking_ball(size));
    regimes.push(mechanisms::rope_bridge(size));
    regimes.push(mechanisms::dolls(size));
    regimes.push(grains::shaken_bed());
    regimes
}
