//! Bodies that stand, and bodies that fall one after the other.

use super::{Regime, Right, add, at, cube, dynamic, on_ground, unit_of_time};
use drystone::internals::math;
use drystone::math::{Pose, Vec3};
use drystone::world::{CompoundPart, Material, Polyhedron, Shape, World};

/// Cards of a house: side, breadth and thickness over the side, and how they lean `[rad]`.
const CARD: [f64; 3] = [1.0, 0.7, 0.03];
const CARD_LEAN: f64 = 0.35;
/// Distance of two tents of a house over the side of a card.
const TENT_PITCH: f64 = 0.82;

/// Breadth and thickness of a domino over its height: 48 x 24 x 7.5 mm.
const DOMINO: [f64; 2] = [0.5, 7.5 / 48.0];
/// Height `[m]` of the dominoes whose speeds are known.
const DOMINO_HEIGHT: f64 = 0.048;
const DOMINOES: u32 = 50;

fn standing(name: String, world: World, size: f64, duration: f64, sideways: f64) -> Regime {
    Regime {
        name,
        world,
        size,
        duration,
        right: Right::Stands { sideways },
        is_driven: false,
    }
}

/// `masses` over that of the lowest cube, bottom first.
pub(super) fn stack(name: &str, side: f64, masses: &[f64], duration: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
    for (layer, mass) in masses.iter().enumerate() {
        let pose = at(0.0, 0.0, (layer as f64 + 0.5) * side);
        add(&mut world, dynamic(cube(side), pose, 1000.0 * mass));
    }
    standing(name.into(), world, side, duration, 0.02)
}

/// A tower of flat bricks and a grain of a hundredth of their size beside it, which has no part in it.
pub(super) fn bricks_beside_a_grain(side: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
    let brick = Shape::Box {
        half_extents: side * Vec3::new(0.5, 0.5, 0.25),
    };
    for layer in 0..24 {
        let pose = at(0.0, 0.0, (0.5 * f64::from(layer) + 0.25) * side);
        add(&mut world, dynamic(brick.clone(), pose, 1000.0));
    }
    let radius = 0.005 * side;
    let grain = Shape::Sphere { radius };
    add(
        &mut world,
        dynamic(grain, at(3.0 * side, 0.0, radius), 1000.0),
    );
    let name = "24 bricks beside a grain".into();
    standing(name, world, side, 20.0, 0.02)
}

/// A tower of flat prisms of five and eight sides, each turned against the one below: most of their faces meet in more corners than
/// a manifold holds.
pub(super) fn prisms(side: f64) -> Regime {
    let mut world = on_ground(1.0, 0.0);
    let half_height = 0.3 * side;
    for layer in 0..12 {
        let sides = if layer % 3 == 2 { 8 } else { 5 };
        let solid = Polyhedron::prism(sides, 0.55 * side, half_height).expect("a prism");
        let height = f64::from(2 * layer + 1) * half_height;
        let turn = math::exp(&(Vec3::z() * (0.1 * f64::from(layer))));
        let pose = Pose::new(Vec3::new(0.0, 0.0, height), turn);
        add(
            &mut world,
            dynamic(Shape::Polyhedron(solid.into()), pose, 1000.0),
        );
    }
    standing("tower of 12 prisms".into(), world, side, 20.0, 0.02)
}

/// A table on four slender legs that carries ten times the mass of its top, off the middle.
pub(super) fn table(side: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
    let mut put = |half_extents: Vec3, [x, y, bottom]: [f64; 3]| {
        let shape = Shape::Box { half_extents };
        let pose = at(x, y, bottom + half_extents.z);
        add(&mut world, dynamic(shape, pose, 1000.0));
    };
    let height = 4.0 * side;
    for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let leg = side * Vec3::new(0.25, 0.25, 2.0);
        put(leg, [2.0 * side * x, 2.0 * side * y, 0.0]);
    }
    let top = side * Vec3::new(2.6, 2.6, 0.2);
    put(top, [0.0, 0.0, height]);
    let half = 0.5 * (80.0 * top.x * top.y * top.z).cbrt();
    let off = [-0.55 * side, -0.4 * side, height + 2.0 * top.z];
    put(Vec3::repeat(half), off);
    standing(
        "table under ten times its weight".into(),
        world,
        side,
        20.0,
        0.02,
    )
}

/// Plates a twentieth as thick as wide that lie on each other, edge over edge.
pub(super) fn plates(side: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
    let half_height = 0.025 * side;
    let plate = Shape::Box {
        half_extents: Vec3::new(0.5 * side, 0.5 * side, half_height),
    };
    for layer in 0..8 {
        let pose = at(0.0, 0.0, f64::from(2 * layer + 1) * half_height);
        add(&mut world, dynamic(plate.clone(), pose, 1000.0));
    }
    standing(
        "8 thin plates on each other".into(),
        world,
        side,
        20.0,
        0.02,
    )
}

/// Tables of a top and four legs that stand on each other, each pair in sixteen points.
pub(super) fn tables(side: f64) -> Regime {
    let part = |half_extents: [f64; 3], [x, y, z]: [f64; 3]| CompoundPart {
        pose: at(x * side, y * side, z * side),
        shape: Shape::Box {
            half_extents: side * Vec3::from(half_extents),
        },
    };
    let mut parts = vec![part([0.5, 0.5, 0.05], [0.0, 0.0, 0.45])];
    for (x, y) in [(-0.4, -0.4), (-0.4, 0.4), (0.4, -0.4), (0.4, 0.4)] {
        parts.push(part([0.05, 0.05, 0.45], [x, y, -0.05]));
    }
    let table = Shape::Compound {
        parts: parts.into(),
    };
    let mut world = on_ground(0.5, 0.0);
    for layer in 0..6 {
        let pose = at(0.0, 0.0, (f64::from(layer) + 0.5) * side);
        add(&mut world, dynamic(table.clone(), pose, 1000.0));
    }
    standing("6 tables on each other".into(), world, side, 20.0, 0.02)
}

pub(super) fn towers(side: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
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
    standing("30 towers of 12".into(), world, side, 20.0, 0.05)
}

pub(super) fn wall(rows: u32, side: f64, duration: f64) -> Regime {
    let mut world = on_ground(0.5, 0.0);
    for row in 0..rows {
        let count = rows - row;
        for k in 0..count {
            let x = (f64::from(k) - 0.5 * f64::from(count - 1)) * side * 1.01;
            let pose = at(x, 0.0, (f64::from(row) + 0.5) * side);
            add(&mut world, dynamic(cube(side), pose, 1000.0));
        }
    }
    let name = format!("pyramid wall of {rows}");
    standing(name, world, side, duration, 0.1)
}

/// Two tents of two cards each, a card across them, and a tent on it. Friction holds cards that lean by less than
/// the angle whose tangent it is.
pub(super) fn card_house(side: f64) -> Regime {
    let mut world = on_ground(0.7, 0.0);
    let [long, broad, thick] = CARD.map(|length| length * side);
    let card = Shape::Box {
        half_extents: 0.5 * Vec3::new(thick, broad, long),
    };
    let (sin, cos) = CARD_LEAN.sin_cos();
    // The centre of a card whose lower edge is on the ground and whose upper edge is above the origin.
    let (off, up) = (
        0.5 * (thick * cos + long * sin),
        0.5 * (thick * sin + long * cos),
    );
    let mut tent = |x: f64, floor: f64| {
        for side in [-1.0, 1.0] {
            let lean = math::exp(&(Vec3::y() * (-side * CARD_LEAN)));
            let center = Vec3::new(x + side * off, 0.0, floor + up);
            let body = dynamic(card.clone(), Pose::new(center, lean), 700.0);
            add(&mut world, body);
        }
    };
    tent(-0.5 * TENT_PITCH * side, 0.0);
    tent(0.5 * TENT_PITCH * side, 0.0);
    tent(0.0, 2.0 * up + thick);
    let roof = Shape::Box {
        half_extents: 0.5 * Vec3::new(long, broad, thick),
    };
    let pose = at(0.0, 0.0, 2.0 * up + 0.5 * thick);
    add(&mut world, dynamic(roof, pose, 700.0));
    standing("card house".into(), world, side, 20.0, 0.02)
}

/// A row of dominoes of a height, `gap` apart over their height, the first of which is pushed: without friction
/// between them, and without slip on the ground. `speed` `[m/s]` is that of a height of 48 mm.
pub(super) fn dominoes(height: f64, gap: f64, speed: f64) -> Regime {
    // The geometric means are a hundredth and 1.
    let mut world = on_ground(100.0, 0.0);
    world.materials.push(Material {
        friction: 0.01,
        restitution: 0.0,
    });
    let [broad, thick] = DOMINO.map(|length| length * height);
    let shape = Shape::Box {
        half_extents: 0.5 * Vec3::new(thick, broad, height),
    };
    for k in 0..DOMINOES {
        let pose = at(f64::from(k) * (thick + gap * height), 0.0, 0.5 * height);
        let mut body = dynamic(shape.clone(), pose, 1000.0).of_material(1);
        if k == 0 {
            // About its front edge, five times what it takes to topple.
            body.angular_velocity = Vec3::y() / unit_of_time(height);
            let arm = Vec3::new(-0.5 * thick, 0.0, 0.5 * height);
            body.linear_velocity = body.angular_velocity.cross(&arm);
        }
        add(&mut world, body);
    }
    Regime {
        name: format!("dominoes {:.0} mm apart at 48", 48.0 * gap),
        world,
        size: height,
        duration: 30.0 * unit_of_time(height),
        right: Right::Topples {
            speed: speed * (height / DOMINO_HEIGHT).sqrt(),
            within: 0.1,
        },
        is_driven: false,
    }
}
