//! Scenes of the tests and of the table, y up, without a window.

use avian3d::collision::contact_types::ContactGraph;
use avian3d::prelude::*;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::time::Duration;

/// Length of a step `[s]`, as Bevy's clock has it.
pub const STEP: Duration = Duration::from_nanos(16_666_667);

/// An app that steps Avian once in each update, by 1/60 s. Call `finish` when all plugins are in.
pub fn headless() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, PhysicsPlugins::default()))
        .insert_resource(Time::<Fixed>::from_duration(STEP))
        .insert_resource(TimeUpdateStrategy::ManualDuration(STEP));
    app
}

/// A scene, the same at every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// 1,000 cubes of 1 m, turned at random, fall into a fence.
    Boxes,
    /// A wall of cubes, 30 in the lowest row and one less in each above.
    Pyramid,
    /// 1,024 balls between two panes, as in Avian's example of this name: pushed to the left and to the right by turns, then left alone.
    MoveMarbles,
    /// 100 balls that hang from each other by spherical joints, as in Avian's example, their upper end moved to and fro.
    Chain,
}

/// A body that is pushed by turns.
#[derive(Component)]
struct Pushed;

/// The upper end of a chain.
#[derive(Component)]
struct Hand;

/// Mark of the bodies that are counted, with their place in the order of setting down.
#[derive(Component)]
struct Loose(u32);

impl Scene {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Boxes, Self::Pyramid, Self::MoveMarbles, Self::Chain];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Boxes => "boxes",
            Self::Pyramid => "pyramid",
            Self::MoveMarbles => "move_marbles",
            Self::Chain => "chain",
        }
    }

    /// Title in tables.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Boxes => "1,000 boxes in a fence",
            Self::Pyramid => "pyramid of 30 rows",
            Self::MoveMarbles => "`move_marbles`",
            Self::Chain => "chain of 100",
        }
    }

    /// Fills a world with the scene, and adds to the app what moves it.
    pub fn build(self, app: &mut App) {
        let world = app.world_mut();
        match self {
            Self::Boxes => {
                fence(world, 10.0);
                boxes(world);
            }
            Self::Pyramid => {
                ground(world, 40.0);
                pyramid(world, 30);
            }
            Self::MoveMarbles => {
                marbles(world);
                app.add_systems(FixedUpdate, push);
            }
            Self::Chain => {
                chain(world);
                app.add_systems(FixedUpdate, shake);
            }
        }
    }
}

fn fixed(world: &mut World, place: Vec3, extents: Vec3) {
    let shape = Collider::cuboid(extents.x, extents.y, extents.z);
    world.spawn((RigidBody::Static, shape, Transform::from_translation(place)));
}

/// Its upper side is at height 0.
fn ground(world: &mut World, half: f32) {
    let extents = Vec3::new(2.0 * half, 2.0, 2.0 * half);
    fixed(world, Vec3::NEG_Y, extents);
}

fn fence(world: &mut World, half: f32) {
    ground(world, half + 2.0);
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let place = Vec3::new(x, 0.0, z) * (half + 1.0) + Vec3::Y * 13.0;
        let along = 2.0 * half + 2.0;
        fixed(
            world,
            place,
            Vec3::new(2.0 + along * f32::abs(z), 28.0, 2.0 + along * f32::abs(x)),
        );
    }
}

fn loose(world: &mut World, number: u32, shape: Collider, place: Transform) -> Entity {
    // 1,000 kg/m^3, as water has.
    let body = (RigidBody::Dynamic, shape, ColliderDensity(1000.0));
    world.spawn((body, place, Loose(number))).id()
}

fn boxes(world: &mut World) {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    for number in 0..1000 {
        let (layer, at) = (number / 100, number % 100);
        let mut shift = || random.random_range(-0.1..0.1_f32);
        let place = Vec3::new(
            ((at % 10) as f32 - 4.5) * 1.95 + shift(),
            3.0 + layer as f32 * 1.95 + shift(),
            ((at / 10) as f32 - 4.5) * 1.95 + shift(),
        );
        let mut angle = || random.random_range(-3.0..3.0_f32);
        let turn = Quat::from_scaled_axis(Vec3::new(angle(), angle(), angle()));
        let place = Transform::from_translation(place).with_rotation(turn);
        loose(world, number, Collider::cuboid(1.0, 1.0, 1.0), place);
    }
}

fn pyramid(world: &mut World, rows: u32) {
    let mut number = 0;
    for row in 0..rows {
        let count = rows - row;
        for at in 0..count {
            let place = Transform::from_xyz(
                (at as f32 - 0.5 * (count - 1) as f32) * 1.05,
                0.5 + row as f32,
                0.0,
            );
            loose(world, number, Collider::cuboid(1.0, 1.0, 1.0), place);
            number += 1;
        }
    }
}

/// The lengths of Avian's example in metres, its 20 pixels to one; the third dimension is 2 % wider than a ball.
fn marbles(world: &mut World) {
    world.insert_resource(Gravity(Vec3::NEG_Y * 49.05));
    let radius = 0.25;
    for side in [-1.0, 1.0] {
        fixed(world, Vec3::Y * 15.0 * side, Vec3::new(50.0, 2.5, 4.0));
        fixed(world, Vec3::X * 23.75 * side, Vec3::new(2.5, 27.5, 4.0));
        let pane = Vec3::Z * side * (1.02 * radius + 0.5);
        fixed(world, pane, Vec3::new(50.0, 30.0, 1.0));
    }
    for number in 0..1024 {
        let [x, y] = [number % 32, number / 32].map(|at| (at as f32 - 16.0) * 2.5 * radius);
        let ball = loose(
            world,
            number,
            Collider::sphere(radius),
            Transform::from_xyz(x, y, 0.0),
        );
        world.entity_mut(ball).insert(Pushed);
    }
}

/// For 4 s, each to one side.
fn push(time: Res<Time>, mut marbles: Query<&mut LinearVelocity, With<Pushed>>) {
    let now = time.elapsed_secs();
    if now < 4.0 {
        let side = if now % 2.0 < 1.0 { 1.0 } else { -1.0 };
        for mut velocity in &mut marbles {
            velocity.x += 25.0 * side * time.delta_secs();
        }
    }
}

fn chain(world: &mut World) {
    world.insert_resource(Gravity(Vec3::NEG_Y * 19.62));
    world.insert_resource(SubstepCount(80));
    let radius = 0.06;
    let mut last = world.spawn((RigidBody::Kinematic, Hand)).id();
    for number in 1..100 {
        let mass = MassPropertiesBundle::from_shape(&Sphere::new(radius), 1.0);
        let place = Transform::from_xyz(0.0, -2.2 * radius * number as f32, 0.0);
        let next = world.spawn((RigidBody::Dynamic, mass, place, Loose(number)));
        let next = next.id();
        world.spawn(
            SphericalJoint::new(last, next)
                .with_local_anchor1(Vec3::NEG_Y * radius * 1.1)
                .with_local_anchor2(Vec3::Y * radius * 1.1)
                .with_point_compliance(0.00001),
        );
        last = next;
    }
}

/// For 4 s.
fn shake(time: Res<Time>, mut hands: Query<&mut LinearVelocity, With<Hand>>) {
    let now = time.elapsed_secs();
    for mut velocity in &mut hands {
        velocity.x = if now < 4.0 {
            4.0 * (3.0 * now).sin()
        } else {
            0.0
        };
    }
}

/// The state of a scene, from its poses and velocities alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// Of the contact points that overlap, found afresh: the mean `[m]`.
    pub mean_penetration: f64,
    /// The deepest `[m]`.
    pub worst_penetration: f64,
    /// `[J]` a body that moves, by its momentum alone.
    pub kinetic_energy: f64,
    /// Largest distance from where a body was at the start `[m]`.
    pub moved: f32,
    /// Bodies that are far away or not a number.
    pub lost: usize,
}

impl State {
    /// Of an app that was this scene at the start.
    #[must_use]
    pub fn of(scene: Scene, app: &mut App) -> Self {
        let mut fresh = headless();
        scene.build(&mut fresh);
        fresh.insert_resource(Gravity::ZERO);
        fresh.insert_resource(NarrowPhaseConfig {
            recycle_distance: 0.0,
            ..default()
        });
        fresh.finish();
        fresh.cleanup();
        let mut found =
            app.world_mut()
                .query::<(&Loose, &Position, &Rotation, &LinearVelocity, &ComputedMass)>();
        let mut poses: Vec<(u32, Transform)> = Vec::new();
        let (mut energy, mut lost) = (0.0, 0);
        for (number, position, rotation, velocity, mass) in found.iter(app.world()) {
            energy += 0.5 * f64::from(mass.value()) * f64::from(velocity.length_squared());
            if position.is_finite() && position.length() < 100.0 {
                let place = Transform::from_translation(position.0).with_rotation(rotation.0);
                poses.push((number.0, place));
            } else {
                lost += 1;
            }
        }
        poses.sort_unstable_by_key(|pose| pose.0);
        let mut places = fresh.world_mut().query::<(&Loose, &mut Transform)>();
        let mut moved = 0.0_f32;
        for (number, mut place) in places.iter_mut(fresh.world_mut()) {
            if let Ok(at) = poses.binary_search_by_key(&number.0, |pose| pose.0) {
                let now = poses[at].1;
                moved = moved.max(now.translation.distance(place.translation));
                *place = now;
            }
        }
        let (mut sum, mut worst, mut overlaps) = (0.0, 0.0_f64, 0);
        // Contacts are found before anything moves; Bevy's clock stands still in the first update.
        fresh.update();
        fresh.update();
        let graph = fresh.world().resource::<ContactGraph>();
        let manifolds = graph.iter_active().flat_map(|pair| &pair.manifolds);
        for point in manifolds.flat_map(|manifold| &manifold.points) {
            if point.penetration > 0.0 {
                let depth = f64::from(point.penetration);
                (sum, worst, overlaps) = (sum + depth, worst.max(depth), overlaps + 1);
            }
        }
        Self {
            mean_penetration: sum / f64::from(overlaps.max(1)),
            worst_penetration: worst,
            kinetic_energy: energy / (poses.len() + lost).max(1) as f64,
            moved,
            lost,
        }
    }
}
