//! Runs that run away: what explains energy, and what does not.

use drystone::math::{Pose, Quat, Vec3};
use drystone::measure::{Energy, Penetration, Runaway, RunawayWatch, energy};
use drystone::world::{Body, Motion, Shape, World};

fn ball(height: f64) -> Body {
    let pose = Pose::new(Vec3::new(0.0, 0.0, height), Quat::identity());
    Body::dynamic(Shape::Sphere { radius: 0.5 }, pose, 1000.0).unwrap()
}

fn world() -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -10.0));
    world.add(ball(5.0)).unwrap();
    world
}

fn with_kinetic(world: &World, kinetic: f64) -> Energy {
    Energy {
        kinetic,
        ..energy(world)
    }
}

#[test]
fn falling_explains_speed_and_nothing_explains_more() {
    let mut world = world();
    let start = energy(&world);
    let mut watch = RunawayWatch::new(&world, start, &Penetration::default());
    let none = Penetration::default();
    world.bodies[0].pose.position.z = 1.0;
    let fallen = start.potential - energy(&world).potential;
    assert_eq!(
        watch.step(&world, with_kinetic(&world, fallen), &none, 0.01),
        None
    );
    let found = watch.step(&world, with_kinetic(&world, 3.0 * fallen), &none, 0.01);
    assert!(
        matches!(found, Some(Runaway::Energy { energy, bound }) if energy > bound),
        "{found:?}"
    );
}

#[test]
fn what_moves_explains_what_it_throws() {
    let mut world = world();
    let shape = Shape::Box {
        half_extents: Vec3::repeat(1.0),
    };
    let motion = Motion::Constant {
        linear: Vec3::new(0.0, 0.0, 10.0),
        angular: Vec3::zeros(),
    };
    world
        .add(Body::kinematic(shape, Pose::identity(), motion))
        .unwrap();
    world.bodies[1].linear_velocity = Vec3::new(0.0, 0.0, 10.0);
    let none = Penetration::default();
    let mass = world.bodies[0].mass.mass;
    let mut watch = RunawayWatch::new(&world, energy(&world), &none);
    // Hit at 10 m/s it leaves at up to 20 m/s; at 200 m/s it has been hit by nothing in sight.
    for (speed, is_explained) in [(20.0, true), (200.0, false)] {
        let now = with_kinetic(&world, 0.5 * mass * speed * speed);
        assert_eq!(
            watch.step(&world, now, &none, 0.01).is_none(),
            is_explained,
            "{speed} m/s"
        );
    }
}

#[test]
fn overlaps_of_the_start_are_not_what_ran_away() {
    let world = world();
    let deep = |max: f64| Penetration {
        max,
        mean: max,
        count: 1,
    };
    let mut watch = RunawayWatch::new(&world, energy(&world), &deep(0.8));
    assert_eq!(watch.step(&world, energy(&world), &deep(1.5), 0.01), None);
    let found = watch.step(&world, energy(&world), &deep(1.7), 0.01);
    assert_eq!(
        found,
        Some(Runaway::Penetration {
            depth: 1.7,
            bound: 1.6
        })
    );
}
