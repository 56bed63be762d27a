//! Margins, approach speeds, threads, and order.

use super::{at, body, cuboid, half_space, random_scene, random_unit, sphere, world};
use drystone::collide::ContactModel;
use drystone::collide::ContactPoint;
use drystone::internals::collide::{Limits, find_contacts};
use drystone::math::Vec3;
use drystone::world::World;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn run(world: &World, pairs: &[[u32; 2]], limits: Limits) -> Vec<ContactPoint> {
    let mut contacts = Vec::new();
    find_contacts(world, pairs, limits, &mut contacts);
    contacts
}

const LIMITS: Limits = Limits {
    margin: 0.01,
    time_step: 0.1,
    lead: 0.0,
    model: ContactModel::Clipped,
};

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::with_cases(20_000)
    })]

    #[test]
    fn points_are_kept_by_their_closing_speed(seed: u64, kinds in [0..3_usize, 0..4_usize]) {
        let scene = random_scene(seed, kinds);
        let mut rng = Pcg64Mcg::seed_from_u64(seed ^ 1);
        let mut world = world(vec![body(scene.a.0, scene.a.1), body(scene.b.0, scene.b.1)]);
        for body in &mut world.bodies {
            body.linear_velocity = random_unit(&mut rng) * rng.random_range(0.0..3.0);
            body.angular_velocity = random_unit(&mut rng) * rng.random_range(0.0..3.0);
        }
        let limit_of = |contact: &ContactPoint| {
            let [a, b] = [(0, -1.0), (1, 1.0)].map(|(i, toward)| {
                toward * world.bodies[i].velocity_at(&contact.position).dot(&contact.normal)
            });
            let closing = [a + b, a, b, 0.0].into_iter().fold(f64::NEG_INFINITY, f64::max);
            LIMITS.margin + LIMITS.time_step * closing
        };
        let found = run(&world, &[[0, 1]], LIMITS);
        for contact in &found {
            prop_assert!(contact.separation <= limit_of(contact) + 1e-12);
        }
        // With no more than four candidates none is left out: all within the limit are found.
        let all = run(&world, &[[0, 1]], Limits { margin: 10.0, ..LIMITS });
        if all.len() < 4 {
            for contact in all.iter().filter(|c| c.separation < limit_of(c) - 1e-12) {
                prop_assert!(found.contains(contact), "{contact:?} not in {found:?}");
            }
        }
    }
}

#[test]
fn speculative_points_follow_the_approach() {
    let mut world = world(vec![
        body(sphere(0.5), at(0.0, 0.0, 0.0)),
        body(sphere(0.5), at(0.0, 0.0, 1.5)),
    ]);
    assert!(run(&world, &[[0, 1]], LIMITS).is_empty());
    world.bodies[1].linear_velocity = Vec3::new(0.0, 0.0, -4.89);
    assert!(run(&world, &[[0, 1]], LIMITS).is_empty());
    world.bodies[1].linear_velocity = Vec3::new(0.0, 0.0, -4.91);
    assert_eq!(run(&world, &[[0, 1]], LIMITS).len(), 1);
    world.bodies[1].linear_velocity = Vec3::new(0.0, 0.0, 4.91);
    assert!(run(&world, &[[0, 1]], LIMITS).is_empty());
}

#[test]
fn a_spinning_bar_meets_a_turning_floor() {
    // Only the bar's falling end comes near; the floor itself may turn, with no bound on its arm.
    let mut world = world(vec![
        body(half_space(Vec3::z(), 0.0), at(100.0, 0.0, 0.0)),
        body(cuboid(1.0, 0.1, 0.1), at(0.0, 0.0, 0.4)),
    ]);
    world.bodies[1].angular_velocity = Vec3::new(0.0, 4.0, 0.0);
    let found = run(&world, &[[0, 1]], LIMITS);
    assert_eq!(found.len(), 2);
    assert!(
        found
            .iter()
            .all(|c| c.position.x > 0.9 && c.normal == -Vec3::z())
    );
    world.bodies[1].angular_velocity = Vec3::zeros();
    world.bodies[0].angular_velocity = Vec3::new(0.0, 0.04, 0.0);
    assert_eq!(run(&world, &[[0, 1]], LIMITS).len(), 4);
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let mut bodies = Vec::new();
    let mut pairs = Vec::new();
    for seed in 0..6000_u64 {
        let scene = random_scene(seed, [seed as usize % 3, seed as usize / 3 % 4]);
        pairs.push([bodies.len() as u32, bodies.len() as u32 + 1]);
        bodies.push(body(scene.a.0, scene.a.1));
        bodies.push(body(scene.b.0, scene.b.1));
    }
    let world = world(bodies);
    let with = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| run(&world, &pairs, LIMITS))
    };
    let one = with(1);
    assert!(one.len() > 3000);
    assert!(one.is_sorted_by_key(|c| (c.bodies, c.feature)));
    assert_eq!(one, with(2));
    assert_eq!(one, with(8));
}
