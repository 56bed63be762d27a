//! drystone's host for Rapier on worlds of Rapier's.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use drystone_rapier::scenes::{Scene, State};
use drystone_rapier::{Error, Host, Settings};
use rapier3d::prelude::*;

fn run(scene: Scene, settings: Settings, steps: u32) -> (PhysicsWorld, State) {
    let (mut host, mut world) = (Host::new(settings), scene.world());
    for _ in 0..steps {
        host.step(&mut world).unwrap();
    }
    host.publish(&mut world);
    let state = State::of(scene, &world);
    (world, state)
}

#[test]
fn scenes_begin_without_overlaps() {
    for scene in Scene::ALL {
        let state = State::of(scene, &scene.world());
        assert!(state.worst_penetration < 1e-5, "{scene:?} {state:?}");
        assert!(state.moved == 0.0 && state.lost == 0);
    }
}

#[test]
fn piles_come_to_rest() {
    for scene in [Scene::Boxes, Scene::Hulls, Scene::Mesh] {
        for recycle in [0.0, 0.05] {
            let settings = Settings {
                recycle,
                ..Settings::default()
            };
            // Boxes fall 20 m and tumble for long.
            let steps = if scene == Scene::Boxes { 800 } else { 400 };
            let (_, state) = run(scene, settings, steps);
            assert_eq!(state.lost, 0, "{scene:?} {recycle} {state:?}");
            assert!(
                state.worst_penetration < 0.02,
                "{scene:?} {recycle} {state:?}"
            );
            assert!(
                state.mean_penetration < 0.002,
                "{scene:?} {recycle} {state:?}"
            );
            // Balls roll in their bowl for long: 520 kg at 0.1 m/s have 2.6 J.
            let bound = if scene == Scene::Mesh { 20.0 } else { 2.0 };
            assert!(
                state.kinetic_energy < bound,
                "{scene:?} {recycle} {state:?}"
            );
        }
    }
}

#[test]
fn a_wall_stands() {
    for recycle in [0.0, 0.05] {
        let settings = Settings {
            recycle,
            ..Settings::default()
        };
        let (_, state) = run(Scene::Wall, settings, 300);
        assert!(state.moved < 0.05, "{recycle} {state:?}");
        assert!(state.worst_penetration < 0.005, "{recycle} {state:?}");
    }
}

fn empty() -> PhysicsWorld {
    PhysicsWorld {
        gravity: Vector::ZERO,
        ..PhysicsWorld::default()
    }
}

/// Linear and angular momentum.
fn momentum(world: &PhysicsWorld) -> [Vector; 2] {
    world
        .bodies
        .iter()
        .fold([Vector::ZERO; 2], |[linear, angular], (_, body)| {
            let push = body.linvel() * body.mass();
            let place = body.position().rotation;
            let mass = body.mass_properties().local_mprops;
            let axes = place * mass.principal_inertia_local_frame;
            let spin = axes * (mass.principal_inertia() * (axes.inverse() * body.angvel()));
            [
                linear + push,
                angular + body.center_of_mass().cross(push) + spin,
            ]
        })
}

#[test]
fn a_collision_keeps_momentum() {
    let mut world = empty();
    // The second one's centre of mass is not its origin.
    let ball = ColliderBuilder::ball(0.5).density(3.0);
    let boxes = ColliderBuilder::cuboid(0.4, 0.6, 0.5).translation(Vector::new(0.3, 0.0, 0.1));
    let first = RigidBodyBuilder::dynamic().linvel(Vector::new(3.0, 0.2, 0.0));
    let second = RigidBodyBuilder::dynamic()
        .translation(Vector::new(2.0, 0.35, 0.1))
        .gyroscopic_forces_enabled(true);
    world.insert(first, ball);
    let (other, _) = world.insert(second, boxes);
    let before = momentum(&world);
    let mut host = Host::default();
    let mut touched = 0;
    for _ in 0..60 {
        host.step(&mut world).unwrap();
        touched += host.contact_count();
    }
    assert!(touched > 0);
    assert!(world.bodies[other].linvel().x > 0.5);
    assert!(world.bodies[other].angvel().length() > 0.1);
    let after = momentum(&world);
    assert!(
        (after[0] - before[0]).length() < 1e-4 * before[0].length(),
        "{before:?} {after:?}"
    );
    // A free body's spin is integrated to the first order in the step.
    assert!(
        (after[1] - before[1]).length() < 0.02 * before[0].length(),
        "{before:?} {after:?}"
    );
}

fn floor(world: &mut PhysicsWorld, material: ColliderBuilder) {
    let place = RigidBodyBuilder::fixed().translation(Vector::Y * -1.0);
    world.insert(place, material);
}

fn slab() -> ColliderBuilder {
    ColliderBuilder::cuboid(20.0, 1.0, 20.0)
}

#[test]
fn a_box_rests_and_a_pushed_one_slides_as_far_as_it_has_to() {
    let mut world = PhysicsWorld::default();
    floor(&mut world, slab().friction(0.5));
    let block = || ColliderBuilder::cuboid(0.5, 0.5, 0.5).friction(0.5);
    let at = |x: f32| RigidBodyBuilder::dynamic().translation(Vector::new(x, 0.5, 0.0));
    let (still, _) = world.insert(at(-5.0), block());
    let (pushed, _) = world.insert(at(0.0).linvel(Vector::X * 3.0), block());
    let mut host = Host::default();
    for _ in 0..180 {
        host.step(&mut world).unwrap();
    }
    let place = world.bodies[still].translation();
    assert!(
        (place - Vector::new(-5.0, 0.5, 0.0)).length() < 2e-3,
        "{place}"
    );
    assert!(world.bodies[still].linvel().length() < 1e-4);
    let way = world.bodies[pushed].translation().x;
    assert!((way - 9.0 / (2.0 * 0.5 * 9.81)).abs() < 0.03, "{way}");
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    let mut world = PhysicsWorld::default();
    floor(&mut world, slab().restitution(0.8));
    let ball = ColliderBuilder::ball(0.5).restitution(0.8);
    let (ball, _) = world.insert(
        RigidBodyBuilder::dynamic().translation(Vector::Y * 2.5),
        ball,
    );
    let mut host = Host::default();
    let (mut has_bounced, mut top) = (false, 0.0_f32);
    for _ in 0..100 {
        host.step(&mut world).unwrap();
        let body = &world.bodies[ball];
        has_bounced |= body.linvel().y > 0.1;
        if has_bounced {
            top = top.max(body.translation().y - 0.5);
        }
    }
    assert!((top - 0.64 * 2.0).abs() < 0.06, "{top}");
}

#[test]
fn platforms_carry_what_is_on_them() {
    for by_velocity in [true, false] {
        let mut world = PhysicsWorld::default();
        let platform = if by_velocity {
            RigidBodyBuilder::kinematic_velocity_based().linvel(Vector::X)
        } else {
            RigidBodyBuilder::kinematic_position_based()
        };
        let (platform, _) = world.insert(
            platform.translation(Vector::Y * -1.0),
            ColliderBuilder::cuboid(3.0, 1.0, 3.0).friction(0.8),
        );
        let block = ColliderBuilder::cuboid(0.3, 0.3, 0.3).friction(0.8);
        let start = RigidBodyBuilder::dynamic().translation(Vector::Y * 0.3);
        let (block, _) = world.insert(start, block);
        let mut host = Host::default();
        for step in 1..=120 {
            if !by_velocity {
                let next = Vector::new(step as f32 / 60.0, -1.0, 0.0);
                world.bodies[platform].set_next_kinematic_translation(next);
            }
            host.step(&mut world).unwrap();
        }
        let [below, above] = [platform, block].map(|body| world.bodies[body].translation().x);
        assert!((below - 2.0).abs() < 1e-3, "{below}");
        assert!(above > 1.85 && above < 2.0, "{by_velocity} {above}");
        assert!((world.bodies[block].linvel().x - 1.0).abs() < 1e-2);
    }
}

#[test]
fn forces_damping_and_gravity_scale_act() {
    let mut world = PhysicsWorld::default();
    let ball = || ColliderBuilder::ball(0.5).mass(2.0);
    let at = |x: f32| RigidBodyBuilder::dynamic().translation(Vector::X * x);
    let (floating, _) = world.insert(at(0.0).gravity_scale(0.0), ball());
    let (damped, _) = world.insert(at(3.0).linear_damping(1.0).gravity_scale(0.0), ball());
    let (falling, _) = world.insert(at(6.0), ball());
    world.bodies[floating].add_force(Vector::Z * 4.0, true);
    world.bodies[damped].set_linvel(Vector::Y * 2.0, true);
    let mut host = Host::default();
    for _ in 0..60 {
        host.step(&mut world).unwrap();
    }
    let velocity = |body: RigidBodyHandle| world.bodies[body].linvel();
    assert!((velocity(floating).z - 2.0).abs() < 1e-4);
    assert!((velocity(damped).y - 2.0 * (1.0_f32 + 1.0 / 60.0).powi(-60)).abs() < 1e-4);
    assert!((velocity(falling).y + 9.81).abs() < 1e-3);
    // Within the error of a step's trapezoid: it falls by g / 2.
    assert!((world.bodies[falling].translation().y + 0.5 * 9.81).abs() < 0.1);
}

#[test]
fn bodies_that_come_and_go_are_followed() {
    let mut world = PhysicsWorld::default();
    floor(&mut world, slab());
    let ball = |x: f32| {
        let place = RigidBodyBuilder::dynamic().translation(Vector::new(x, 0.5, 0.0));
        (place, ColliderBuilder::ball(0.5))
    };
    let (body, collider) = ball(0.0);
    let (first, _) = world.insert(body, collider);
    let mut host = Host::new(Settings {
        recycle: 0.05,
        ..Settings::default()
    });
    for _ in 0..10 {
        host.step(&mut world).unwrap();
    }
    world.remove_body(first);
    // It gets the number of the one that has gone.
    let (body, collider) = ball(4.0);
    let (second, _) = world.insert(body, collider);
    assert_eq!(first.into_raw_parts().0, second.into_raw_parts().0);
    for _ in 0..10 {
        host.step(&mut world).unwrap();
    }
    let place = host.pose(&world, second).unwrap().translation;
    assert!(
        (place - Vector::new(4.0, 0.5, 0.0)).length() < 2e-3,
        "{place}"
    );
    assert!(host.pose(&world, first).is_none());
    // Somebody else's poses count.
    world.bodies[second].set_translation(Vector::new(-3.0, 5.0, 0.0), true);
    host.step(&mut world).unwrap();
    let place = host.pose(&world, second).unwrap().translation;
    assert!(place.x == -3.0 && (place.y - 5.0).abs() < 0.01, "{place}");
}

#[test]
fn steps_repeat_themselves_for_any_number_of_threads() {
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let (world, _) = run(Scene::Hulls, Settings::default(), 60);
            let poses = world.bodies.iter().map(|(_, body)| *body.position());
            poses.collect::<Vec<Pose>>()
        })
    };
    let one = bits(1);
    assert!(one == bits(1) && one == bits(2));
}

#[test]
fn what_is_not_supported_is_refused_before_anything_moves() {
    let build = |change: &dyn Fn(&mut PhysicsWorld, [RigidBodyHandle; 2])| {
        let mut world = PhysicsWorld::default();
        let ball = || ColliderBuilder::ball(0.5);
        let (a, _) = world.insert(RigidBodyBuilder::dynamic(), ball());
        let above = RigidBodyBuilder::dynamic().translation(Vector::Y * 0.9);
        let (b, _) = world.insert(above, ball());
        change(&mut world, [a, b]);
        let before: Vec<Pose> = world
            .bodies
            .iter()
            .map(|(_, body)| *body.position())
            .collect();
        let why = Host::default().step(&mut world).unwrap_err();
        let after: Vec<Pose> = world
            .bodies
            .iter()
            .map(|(_, body)| *body.position())
            .collect();
        assert_eq!(before, after);
        assert!(matches!(why, Error::Unsupported { .. }), "{why}");
        why.to_string()
    };
    let joint = build(&|world, [a, b]| {
        world.insert_impulse_joint(a, b, SphericalJointBuilder::new());
    });
    assert!(joint.contains("joints"), "{joint}");
    let locked = build(&|world, [a, _]| {
        world.bodies[a].set_locked_axes(LockedAxes::TRANSLATION_LOCKED_X, true);
    });
    assert!(locked.contains("locked axes"), "{locked}");
    let dominance = build(&|world, [a, _]| world.bodies[a].set_dominance_group(3));
    assert!(dominance.contains("dominance"), "{dominance}");
}

#[test]
fn numbers_that_are_not_finite_are_an_error() {
    let mut world = PhysicsWorld::default();
    let ball = RigidBodyBuilder::dynamic().linvel(Vector::X * f32::NAN);
    world.insert(ball, ColliderBuilder::ball(0.5));
    let why = Host::default().step(&mut world).unwrap_err();
    assert!(matches!(why, Error::Solver(_)), "{why}");
}
