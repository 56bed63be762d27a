//! Scenes of the tests and of the table: 1 m bodies of 1,000 kg/m^3, y up.

use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rapier3d::prelude::*;

/// A scene, the same at every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// 1,000 cubes, turned at random, fall into a fence.
    Boxes,
    /// 500 hulls of random points likewise.
    Hulls,
    /// A wall of bricks, 30 rows.
    Wall,
    /// 1,000 balls fall into a bowl that is a mesh of triangles.
    Mesh,
}

impl Scene {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Boxes, Self::Hulls, Self::Wall, Self::Mesh];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Boxes => "1,000 boxes in a fence",
            Self::Hulls => "500 hulls in a fence",
            Self::Wall => "wall of 30 rows",
            Self::Mesh => "1,000 spheres on a mesh",
        }
    }

    /// A world with the scene; bodies that move are inserted last.
    #[must_use]
    pub fn world(self) -> PhysicsWorld {
        let mut world = PhysicsWorld::default();
        let mut random = Pcg64Mcg::seed_from_u64(5);
        match self {
            Self::Boxes => {
                fence(&mut world, 10.0);
                pour(&mut world, &mut random, 10, 1.95, |_| {
                    ColliderBuilder::cuboid(0.5, 0.5, 0.5)
                });
            }
            Self::Hulls => {
                fence(&mut world, 7.0);
                pour(&mut world, &mut random, 5, 1.32, hull);
            }
            Self::Wall => {
                ground(&mut world, 40.0);
                wall(&mut world, 30, 12);
            }
            Self::Mesh => {
                bowl(&mut world);
                pour(&mut world, &mut random, 10, 1.25, |_| {
                    ColliderBuilder::ball(0.5)
                });
            }
        }
        world
    }
}

fn insert(world: &mut PhysicsWorld, body: RigidBodyBuilder, collider: ColliderBuilder) {
    world.insert(
        body.can_sleep(false),
        collider.density(1000.0).friction(0.5),
    );
}

/// Its upper side is at height 0.
fn ground(world: &mut PhysicsWorld, half: f32) {
    let place = RigidBodyBuilder::fixed().translation(Vector::new(0.0, -1.0, 0.0));
    insert(world, place, ColliderBuilder::cuboid(half, 1.0, half));
}

fn fence(world: &mut PhysicsWorld, half: f32) {
    ground(world, half + 2.0);
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let place = Vector::new(x, 0.0, z) * (half + 1.0) + Vector::Y * 13.0;
        let extents = [1.0 + (half + 1.0) * z.abs(), 1.0 + (half + 1.0) * x.abs()];
        let side = ColliderBuilder::cuboid(extents[0], 14.0, extents[1]);
        insert(world, RigidBodyBuilder::fixed().translation(place), side);
    }
}

/// Layers of 10 x 10 bodies, so far apart that none overlap.
fn pour(
    world: &mut PhysicsWorld,
    random: &mut Pcg64Mcg,
    layers: u32,
    spacing: f32,
    mut shape: impl FnMut(&mut Pcg64Mcg) -> ColliderBuilder,
) {
    for layer in 0..layers {
        for at in 0..100 {
            let mut shift = || random.random_range(-0.1..0.1_f32);
            let place = Vector::new(
                ((at % 10) as f32 - 4.5) * spacing + shift(),
                3.0 + layer as f32 * spacing + shift(),
                ((at / 10) as f32 - 4.5) * spacing + shift(),
            );
            let mut angle = || random.random_range(-3.0..3.0_f32);
            let turn = Vector::new(angle(), angle(), angle());
            let body = RigidBodyBuilder::dynamic()
                .translation(place)
                .rotation(turn);
            let collider = shape(random);
            insert(world, body, collider);
        }
    }
}

fn hull(random: &mut Pcg64Mcg) -> ColliderBuilder {
    let mut x = || random.random_range(-1.0..1.0_f32);
    // On a ball, so that all of them are corners.
    let points: Vec<Vector> = (0..14)
        .map(|_| Vector::new(x(), x(), x()).normalize_or(Vector::X) * 0.55)
        .collect();
    ColliderBuilder::convex_hull(&points).unwrap_or_else(|| ColliderBuilder::ball(0.5))
}

/// Bricks of 1 m x 0.5 m x 0.5 m without a gap between rows.
fn wall(world: &mut PhysicsWorld, rows: u32, columns: u32) {
    for row in 0..rows {
        // No brick hangs over the end of the row below.
        for column in 0..columns - row % 2 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.505 };
            let place = Vector::new(column as f32 * 1.01 + shift, 0.25 + 0.5 * row as f32, 0.0);
            let brick = RigidBodyBuilder::dynamic().translation(place);
            insert(world, brick, ColliderBuilder::cuboid(0.5, 0.25, 0.25));
        }
    }
}

/// A paraboloid with waves, 40 x 40 squares of two triangles.
fn bowl(world: &mut PhysicsWorld) {
    let (count, size) = (40_u32, 0.75_f32);
    let half = 0.5 * count as f32 * size;
    let place = |x: u32, z: u32| {
        let (x, z) = (x as f32 * size - half, z as f32 * size - half);
        let waves = 0.15 * (1.3 * x).sin() * (1.1 * z).cos();
        Vector::new(x, 0.04 * (x * x + z * z) + waves - 0.5, z)
    };
    let points = (0..=count)
        .flat_map(|x| (0..=count).map(move |z| (x, z)))
        .map(|(x, z)| place(x, z))
        .collect();
    let mut triangles = Vec::new();
    for x in 0..count {
        for z in 0..count {
            let corner = x * (count + 1) + z;
            let [a, b, c, d] = [corner, corner + 1, corner + count + 1, corner + count + 2];
            triangles.push([a, b, c]);
            triangles.push([c, b, d]);
        }
    }
    match ColliderBuilder::trimesh_with_flags(points, triangles, TriMeshFlags::FIX_INTERNAL_EDGES) {
        Ok(mesh) => insert(world, RigidBodyBuilder::fixed(), mesh),
        Err(why) => unreachable!("the bowl is a mesh: {why}"),
    }
}

/// The state of a world, from its poses and velocities alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// Of the contact points that overlap, found afresh: the mean `[m]`.
    pub mean_penetration: f64,
    /// The deepest `[m]`.
    pub worst_penetration: f64,
    /// `[J]` a body that moves.
    pub kinetic_energy: f64,
    /// Largest distance from where a body was at the start `[m]`.
    pub moved: f32,
    /// Bodies that are below the ground or not a number.
    pub lost: usize,
}

impl State {
    /// Of a world that was this scene at the start.
    #[must_use]
    pub fn of(scene: Scene, world: &PhysicsWorld) -> Self {
        let mut fresh = scene.world();
        let (mut moved, mut lost, mut energy, mut count) = (0.0_f32, 0, 0.0, 0);
        for (handle, body) in world.bodies.iter() {
            if !body.is_dynamic() {
                continue;
            }
            count += 1;
            energy += f64::from(body.kinetic_energy());
            let Some(copy) = fresh.bodies.get_mut(handle) else {
                continue;
            };
            let at = body.translation();
            if at.is_finite() && at.y > -3.0 {
                moved = moved.max((at - copy.translation()).length());
                copy.set_position(*body.position(), false);
            } else {
                lost += 1;
            }
        }
        let (mut sum, mut worst, mut overlaps) = (0.0, 0.0_f64, 0);
        fresh.detect_collisions(&(), &());
        let manifolds = fresh
            .narrow_phase
            .contact_pairs()
            .flat_map(|p| p.manifolds());
        for point in manifolds.flat_map(|manifold| &manifold.points) {
            if point.dist < 0.0 {
                let depth = -f64::from(point.dist);
                (sum, worst, overlaps) = (sum + depth, worst.max(depth), overlaps + 1);
            }
        }
        Self {
            mean_penetration: sum / f64::from(overlaps.max(1)),
            worst_penetration: worst,
            kinetic_energy: energy / f64::from(count.max(1)),
            moved,
            lost,
        }
    }
}
