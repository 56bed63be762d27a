//! drystone's plugin in apps of Avian's.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use avian3d::collision::contact_types::ContactGraph;
use avian3d::prelude::*;
use bevy::ecs::error::{BevyError, ErrorContext};
use bevy::prelude::*;
use drystone::problem::AsProblem;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::substeps::SubstepReport;
use drystone::solver::{Plan, Solution, Solver};
use drystone_avian::scenes::{Scene, State, headless};
use drystone_avian::{DrystonePlugin, Host};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const G: f32 = 9.81;

/// An app of bodies, at the end of Bevy's first update, in which nothing moves.
fn app(build: impl FnOnce(&mut App)) -> App {
    let mut app = headless();
    app.add_plugins(DrystonePlugin::default());
    build(&mut app);
    app.finish();
    app.cleanup();
    app.update();
    app
}

fn steps(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

fn get<T: Component + Clone>(app: &App, body: Entity) -> T {
    app.world().get::<T>(body).unwrap().clone()
}

fn host(app: &App) -> &Host {
    app.world().resource::<Host>()
}

/// Its upper side is at height 0.
fn floor(app: &mut App) -> Entity {
    let shape = Collider::cuboid(40.0, 2.0, 40.0);
    let place = Transform::from_xyz(0.0, -1.0, 0.0);
    app.world_mut()
        .spawn((RigidBody::Static, shape, place))
        .id()
}

fn ball(app: &mut App, x: f32, y: f32) -> Entity {
    let place = Transform::from_xyz(x, y, 0.0);
    app.world_mut()
        .spawn((RigidBody::Dynamic, Collider::sphere(0.5), place))
        .id()
}

fn cube(app: &mut App, x: f32, y: f32) -> Entity {
    let place = Transform::from_xyz(x, y, 0.0);
    let shape = Collider::cuboid(1.0, 1.0, 1.0);
    app.world_mut()
        .spawn((RigidBody::Dynamic, shape, place))
        .id()
}

fn run(scene: Scene, count: usize) -> (App, State) {
    let mut app = app(|app| scene.build(app));
    steps(&mut app, count);
    let state = State::of(scene, &mut app);
    (app, state)
}

#[test]
fn scenes_begin_without_overlaps() {
    for scene in Scene::ALL {
        let (_, state) = run(scene, 0);
        assert!(state.worst_penetration < 1e-5, "{scene:?} {state:?}");
        assert!(state.moved == 0.0 && state.lost == 0, "{scene:?} {state:?}");
    }
}

#[test]
fn a_pile_comes_to_rest_and_sleeps() {
    let (app, state) = run(Scene::Boxes, 800);
    assert_eq!(state.lost, 0, "{state:?}");
    assert!(state.kinetic_energy < 0.01, "{state:?}");
    assert!(state.mean_penetration < 0.0005, "{state:?}");
    // Contacts of bodies that have moved by up to 0.01 are kept.
    assert!(state.worst_penetration < 0.01, "{state:?}");
    assert_eq!(host(&app).left_to_avian(), 0);
    assert!(host(&app).report().is_some());
}

#[test]
fn a_pyramid_stands() {
    let (_, state) = run(Scene::Pyramid, 300);
    assert!(state.moved < 0.01, "{state:?}");
    assert!(state.worst_penetration < 0.001, "{state:?}");
}

#[test]
fn marbles_stay_between_their_panes() {
    // Nothing stops a marble that rolls: what moved on at the same energy from step 500 fell between 550 and 600.
    let (app, state) = run(Scene::MoveMarbles, 800);
    assert!(state.lost == 0 && state.moved < 60.0, "{state:?}");
    assert!(state.kinetic_energy < 0.1, "{state:?}");
    assert!(state.mean_penetration < 0.002, "{state:?}");
    assert_eq!(host(&app).left_to_avian(), 0);
}

/// Linear and angular momentum.
fn momentum(app: &App, bodies: [Entity; 2]) -> [Vec3; 2] {
    let of_body = |body: Entity| {
        let turn = get::<Rotation>(app, body).0;
        let center = get::<Position>(app, body).0 + turn * get::<ComputedCenterOfMass>(app, body).0;
        let push = get::<LinearVelocity>(app, body).0 * get::<ComputedMass>(app, body).value();
        let inertia = get::<ComputedAngularInertia>(app, body).tensor();
        let spin = turn * (inertia * (turn.inverse() * get::<AngularVelocity>(app, body).0));
        [push, center.cross(push) + spin]
    };
    let [a, b] = bodies.map(of_body);
    [a[0] + b[0], a[1] + b[1]]
}

#[test]
fn a_collision_keeps_momentum() {
    let mut bodies = [Entity::PLACEHOLDER; 2];
    let mut app = app(|app| {
        app.insert_resource(Gravity::ZERO);
        bodies[0] = ball(app, 0.0, 0.0);
        let speed = LinearVelocity(Vec3::new(3.0, 0.2, 0.0));
        app.world_mut().entity_mut(bodies[0]).insert(speed);
        // Its centre of mass is not its origin, and it tumbles.
        let shape = Collider::cuboid(0.8, 1.2, 1.0);
        let shape = Collider::compound(vec![(Vec3::new(0.3, 0.0, 0.1), Quat::IDENTITY, shape)]);
        let place = Transform::from_xyz(2.0, 0.35, 0.1);
        bodies[1] = app
            .world_mut()
            .spawn((RigidBody::Dynamic, shape, place))
            .id();
    });
    let before = momentum(&app, bodies);
    let mut touched = 0;
    for _ in 0..60 {
        app.update();
        touched += host(&app).contact_count();
    }
    assert!(touched > 0);
    assert!(get::<LinearVelocity>(&app, bodies[1]).x > 0.5);
    assert!(get::<AngularVelocity>(&app, bodies[1]).length() > 0.1);
    let after = momentum(&app, bodies);
    let size = before[0].length();
    assert!(
        (after[0] - before[0]).length() < 1e-4 * size,
        "{before:?} {after:?}"
    );
    // A free body's spin is integrated to the first order in the step.
    assert!(
        (after[1] - before[1]).length() < 0.02 * size,
        "{before:?} {after:?}"
    );
}

#[test]
fn friction_holds_and_lets_slide_on_inclines_as_coulomb_says() {
    for degrees in [20.0_f32, 25.0, 30.0, 40.0] {
        let angle = degrees.to_radians();
        let mut block = Entity::PLACEHOLDER;
        let mut app = app(|app| {
            floor(app);
            // Gravity is turned in place of the ground.
            app.insert_resource(Gravity(G * Vec3::new(angle.sin(), -angle.cos(), 0.0)));
            block = cube(app, -10.0, 0.5);
            app.world_mut()
                .entity_mut(block)
                .insert(LinearVelocity(Vec3::X * 1e-3));
        });
        steps(&mut app, 60);
        let velocity = get::<LinearVelocity>(&app, block).x;
        // Avian's default coefficient is 0.5, which holds up to 26.6 degrees.
        let slides = G * (angle.sin() - 0.5 * angle.cos()).max(0.0);
        assert!(
            (velocity - slides).abs() < 0.02 * slides + 1e-3,
            "{degrees} {velocity} {slides}"
        );
    }
}

#[test]
fn a_box_rests_and_tells_its_weight() {
    let mut block = Entity::PLACEHOLDER;
    let mut app = app(|app| {
        floor(app);
        block = cube(app, 3.0, 0.5);
        app.world_mut().entity_mut(block).insert(SleepingDisabled);
    });
    steps(&mut app, 120);
    let place = get::<Position>(&app, block).0;
    assert!(
        (place - Vec3::new(3.0, 0.5, 0.0)).length() < 2e-3,
        "{place}"
    );
    assert!(get::<LinearVelocity>(&app, block).length() < 1e-4);
    let pairs = app
        .world()
        .resource::<ContactGraph>()
        .iter_active_touching();
    let pushes = pairs.map(ContactPair::total_normal_impulse_magnitude);
    let weight = pushes.sum::<f32>() * 60.0;
    assert!((weight - G).abs() < 0.02 * G, "{weight}");
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    let mut bouncing = Entity::PLACEHOLDER;
    let mut app = app(|app| {
        let ground = floor(app);
        bouncing = ball(app, 0.0, 2.5);
        for body in [ground, bouncing] {
            app.world_mut()
                .entity_mut(body)
                .insert(Restitution::new(0.8));
        }
    });
    let (mut has_bounced, mut top) = (false, 0.0_f32);
    for _ in 0..100 {
        app.update();
        has_bounced |= get::<LinearVelocity>(&app, bouncing).y > 0.1;
        if has_bounced {
            top = top.max(get::<Position>(&app, bouncing).y - 0.5);
        }
    }
    assert!((top - 0.64 * 2.0).abs() < 0.06, "{top}");
}

#[test]
fn platforms_carry_what_is_on_them_with_and_without_a_joint_elsewhere() {
    for with_joint in [false, true] {
        let [mut platform, mut block] = [Entity::PLACEHOLDER; 2];
        let mut app = app(|app| {
            let shape = Collider::cuboid(6.0, 2.0, 6.0);
            let place = Transform::from_xyz(0.0, -1.0, 0.0);
            let speed = LinearVelocity(Vec3::X);
            let below = (
                RigidBody::Kinematic,
                shape,
                place,
                speed,
                Friction::new(0.8),
            );
            platform = app.world_mut().spawn(below).id();
            block = cube(app, 0.0, 0.5);
            app.world_mut().entity_mut(block).insert(Friction::new(0.8));
            if with_joint {
                let [a, b] = [ball(app, 0.0, 20.0), ball(app, 0.0, 18.8)];
                app.world_mut()
                    .spawn(DistanceJoint::new(a, b).with_limits(0.0, 1.2));
            }
        });
        steps(&mut app, 90);
        assert_eq!(host(&app).left_to_avian(), if with_joint { 2 } else { 0 });
        assert!(host(&app).contact_count() > 0);
        let [below, above] = [platform, block].map(|body| get::<Position>(&app, body).x);
        assert!((below - 1.5).abs() < 1e-3, "{with_joint} {below}");
        assert!(above > 1.35 && above < 1.5, "{with_joint} {above}");
        assert!((get::<LinearVelocity>(&app, block).x - 1.0).abs() < 1e-2);
    }
}

#[test]
fn sensors_and_other_layers_let_bodies_through() {
    let [mut through, mut by_layer, mut held] = [Entity::PLACEHOLDER; 3];
    let mut app = app(|app| {
        let slab = |app: &mut App, x: f32| {
            let shape = Collider::cuboid(2.0, 0.5, 2.0);
            app.world_mut()
                .spawn((RigidBody::Static, shape, Transform::from_xyz(x, 0.0, 0.0)))
                .id()
        };
        let [sensor, other, plain] = [-5.0, 0.0, 5.0].map(|x| slab(app, x));
        through = ball(app, -5.0, 1.0);
        by_layer = ball(app, 0.0, 1.0);
        held = ball(app, 5.0, 1.0);
        let layers = |layer: u32, with: u32| CollisionLayers::from_bits(layer, with);
        let mut world = |body: Entity, layers: CollisionLayers| {
            app.world_mut().entity_mut(body).insert(layers);
        };
        world(other, layers(2, 2));
        world(by_layer, layers(4, 4));
        world(plain, layers(4, 4));
        world(held, layers(4, 4));
        app.world_mut().entity_mut(sensor).insert(Sensor);
    });
    steps(&mut app, 90);
    let [sensed, layered, rests] =
        [through, by_layer, held].map(|body| get::<Position>(&app, body).y);
    // 1.5 s of free fall are 11 m.
    assert!(sensed < -9.0 && layered < -9.0, "{sensed} {layered}");
    assert!((rests - 0.75).abs() < 2e-3, "{rests}");
}

#[test]
fn forces_damping_and_gravity_scale_act_as_in_avian() {
    let end = |by_drystone: bool| {
        let mut bodies = [Entity::PLACEHOLDER; 4];
        let mut app = headless();
        if by_drystone {
            app.add_plugins(DrystonePlugin::default());
        }
        for (at, body) in bodies.iter_mut().enumerate() {
            *body = if at == 3 {
                let shape = Collider::cuboid(1.0, 0.5, 0.2);
                let place = Transform::from_xyz(9.0, 0.0, 0.0);
                app.world_mut()
                    .spawn((RigidBody::Dynamic, shape, place))
                    .id()
            } else {
                ball(&mut app, 3.0 * at as f32, 0.0)
            };
        }
        let mut insert = |at: usize, what: &dyn Fn(&mut EntityWorldMut)| {
            what(&mut app.world_mut().entity_mut(bodies[at]));
        };
        insert(0, &|body| {
            body.insert((ConstantForce::new(0.0, 0.0, 4.0), GravityScale(0.0)));
        });
        insert(1, &|body| {
            let speeds = (LinearVelocity(Vec3::Y * 2.0), AngularVelocity(Vec3::X));
            let damping = (LinearDamping(1.0), AngularDamping(0.5));
            body.insert((speeds, damping, GravityScale(0.0)));
        });
        insert(2, &|body| {
            let local = ConstantLocalForce::new(1.0, 0.0, 0.0);
            body.insert((local, AngularVelocity(Vec3::Z)));
        });
        // It tumbles by its gyroscopic torque, about axes that are not locked.
        insert(3, &|body| {
            body.insert(AngularVelocity(Vec3::new(0.1, 5.0, 0.1)));
        });
        app.finish();
        app.cleanup();
        steps(&mut app, 61);
        bodies.map(|body| {
            [
                get::<LinearVelocity>(&app, body).0,
                get::<AngularVelocity>(&app, body).0,
                get::<Position>(&app, body).0,
            ]
        })
    };
    let [ours, avians] = [end(true), end(false)];
    for (at, (ours, avians)) in ours.iter().zip(&avians).enumerate() {
        // Positions follow from the velocities in the mean of a step, turning ones to the first order.
        for (quantity, bound) in [(0, 1e-3), (1, 0.02), (2, 0.05)] {
            let difference = (ours[quantity] - avians[quantity]).length();
            assert!(
                difference < bound * avians[quantity].length().max(1.0),
                "{at} {quantity} {ours:?} {avians:?}"
            );
        }
    }
    let turned = avians[3][1] - Vec3::new(0.1, 5.0, 0.1);
    assert!(turned.length() > 0.1, "it does not tumble: {turned}");
}

#[test]
fn what_hangs_together_with_a_joint_is_avians_to_the_bit() {
    let end = |by_drystone: bool| {
        let mut app = headless();
        if by_drystone {
            app.add_plugins(DrystonePlugin::default());
        }
        Scene::Chain.build(&mut app);
        // Balls below it are its own in the end.
        app.world_mut().spawn((
            RigidBody::Static,
            Collider::cuboid(90.0, 2.0, 9.0),
            Transform::from_xyz(0.0, -15.0, 0.0),
        ));
        app.finish();
        app.cleanup();
        steps(&mut app, 120);
        let mut poses = app.world_mut().query::<(&Position, &LinearVelocity)>();
        let poses = poses.iter(app.world());
        poses
            .map(|(place, velocity)| (place.0, velocity.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(end(true), end(false));
}

#[test]
fn bodies_that_avian_has_to_move_are_left_to_it_with_their_pile() {
    type Change = fn(&mut EntityWorldMut);
    let changes: [(&str, Change); 7] = [
        ("dominance", |body| {
            body.insert(Dominance(3));
        }),
        ("locked", |body| {
            body.insert(LockedAxes::new().lock_translation_x());
        }),
        ("speed", |body| {
            body.insert(MaxLinearSpeed(9.0));
        }),
        ("spin", |body| {
            body.insert(MaxAngularSpeed(9.0));
        }),
        ("velocity", |body| {
            body.insert(CustomVelocityIntegration);
        }),
        ("position", |body| {
            body.insert(CustomPositionIntegration);
        }),
        ("nothing", |_| {}),
    ];
    for (what, change) in changes {
        let [mut bottom, mut free] = [Entity::PLACEHOLDER; 2];
        let mut app = app(|app| {
            floor(app);
            bottom = cube(app, 0.0, 0.5);
            cube(app, 0.0, 1.5);
            free = cube(app, 5.0, 0.5);
            change(&mut app.world_mut().entity_mut(bottom));
        });
        steps(&mut app, 20);
        let left = if what == "nothing" { 0 } else { 2 };
        assert_eq!(host(&app).left_to_avian(), left, "{what}");
        assert!(host(&app).contact_count() > 0, "{what}");
        for (body, x) in [(bottom, 0.0), (free, 5.0)] {
            let place = get::<Position>(&app, body).0;
            let moved = (place - Vec3::new(x, 0.5, 0.0)).length();
            assert!(moved < 5e-3, "{what} {place}");
        }
    }
}

#[test]
fn locked_rotations_and_sleepers_that_are_hit() {
    let [mut upright, mut sleeper, mut stone] = [Entity::PLACEHOLDER; 3];
    let mut app = app(|app| {
        floor(app);
        upright = cube(app, 0.0, 0.5);
        let locks = (LockedAxes::ROTATION_LOCKED, LinearVelocity(Vec3::X * 4.0));
        app.world_mut().entity_mut(upright).insert(locks);
        sleeper = cube(app, 8.0, 0.5);
        stone = ball(app, 8.0, 40.0);
    });
    steps(&mut app, 60);
    assert_eq!(get::<Rotation>(&app, upright).0, Quat::IDENTITY);
    assert_eq!(host(&app).left_to_avian(), 0);
    steps(&mut app, 60);
    assert!(app.world().get::<Sleeping>(sleeper).is_some());
    steps(&mut app, 50);
    assert!(app.world().get::<Sleeping>(sleeper).is_none());
    let [below, above] = [sleeper, stone].map(|body| get::<Position>(&app, body).y);
    assert!(below > 0.3 && above > below + 0.3, "{below} {above}");
}

#[test]
fn bodies_that_come_and_go_are_followed() {
    let mut first = Entity::PLACEHOLDER;
    let mut app = app(|app| {
        floor(app);
        first = ball(app, 0.0, 0.5);
    });
    steps(&mut app, 10);
    app.world_mut().despawn(first);
    let second = ball(&mut app, 4.0, 0.5);
    steps(&mut app, 10);
    let place = get::<Position>(&app, second).0;
    assert!(
        (place - Vec3::new(4.0, 0.5, 0.0)).length() < 2e-3,
        "{place}"
    );
    app.world_mut()
        .get_mut::<Transform>(second)
        .unwrap()
        .translation = Vec3::new(-3.0, 5.0, 0.0);
    app.update();
    let place = get::<Position>(&app, second).0;
    assert!(place.x == -3.0 && (place.y - 5.0).abs() < 0.01, "{place}");
}

#[test]
fn steps_repeat_themselves_for_any_number_of_threads() {
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let (mut app, _) = run(Scene::Boxes, 150);
            let mut poses = app.world_mut().query::<(&Position, &Rotation)>();
            let poses = poses.iter(app.world());
            poses.map(|(p, r)| (p.0, r.0)).collect::<Vec<_>>()
        })
    };
    let one = bits(1);
    assert!(one == bits(1) && one == bits(2));
}

/// drystone's solver on the CPU, counted.
struct Counted(CpuSolver, Arc<AtomicUsize>);

impl Solver for Counted {
    fn backend(&self) -> &'static str {
        "counted"
    }

    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> drystone::Result<SubstepReport> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.attempt(problem, plan, solution)
    }
}

#[test]
fn another_solver_does_the_work() {
    let count = Arc::new(AtomicUsize::new(0));
    let mut app = app(|app| {
        floor(app);
        cube(app, 0.0, 0.5);
    });
    let mut there = app.world_mut().resource_mut::<Host>();
    there.set_solver(Counted(CpuSolver::new(), Arc::clone(&count)));
    steps(&mut app, 10);
    assert_eq!(count.load(Ordering::Relaxed), 10);
    assert!(host(&app).contact_count() > 0);
}

static TOLD: Mutex<String> = Mutex::new(String::new());

fn tell(why: BevyError, _: ErrorContext) {
    *TOLD.lock().unwrap() = why.to_string();
}

#[test]
fn numbers_without_meaning_are_an_error_before_anything_moves() {
    let mut odd = Entity::PLACEHOLDER;
    let mut app = app(|app| {
        app.set_error_handler(tell);
        floor(app);
        odd = ball(app, 0.0, 0.5);
        let odd = &mut app.world_mut().entity_mut(odd);
        odd.insert((Friction::new(f32::NAN), AngularVelocity(Vec3::X)));
    });
    steps(&mut app, 3);
    let told = TOLD.lock().unwrap();
    assert!(told.contains("contact 0"), "{told}");
    assert_eq!(get::<Position>(&app, odd).0, Vec3::new(0.0, 0.5, 0.0));
}
