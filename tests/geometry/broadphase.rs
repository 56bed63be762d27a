//! The broadphase against its brute-force twin.

use drystone::Error;
use drystone::collide::PairSearch;
use drystone::internals::collide::{Broadphase, brute_force_pairs};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::world::{
    Body, BodyKind, CollisionGroups, CompoundPart, MassProperties, Shape, World,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn body(kind: BodyKind, shape: Shape, position: Vec3, orientation: Quat) -> Body {
    Body {
        name: None,
        kind,
        pose: Pose::new(position, orientation),
        linear_velocity: Vec3::zeros(),
        angular_velocity: Vec3::zeros(),
        mass: MassProperties {
            mass: 1.0,
            inverse_mass: 1.0,
            inertia: Mat3::identity(),
            inverse_inertia: Mat3::identity(),
        },
        shape,
        center: Vec3::zeros(),
        material: 0,
        groups: CollisionGroups::ALL,
        motion: None,
    }
}

fn sphere(radius: f64, position: Vec3) -> Body {
    let shape = Shape::Sphere { radius };
    body(BodyKind::Dynamic, shape, position, Quat::identity())
}

fn half_space(normal: Vec3, offset: f64) -> Body {
    let shape = Shape::HalfSpace { normal, offset };
    body(BodyKind::Fixed, shape, Vec3::zeros(), Quat::identity())
}

fn world(bodies: Vec<Body>) -> World {
    World {
        bodies,
        materials: Vec::new(),
        ..World::new(Vec3::zeros())
    }
}

fn find(world: &World, reach: &[f64]) -> Vec<[u32; 2]> {
    let mut pairs = vec![[7, 7]];
    Broadphase::new()
        .find_pairs(world, reach, &mut pairs)
        .expect("all poses are finite");
    pairs
}

fn unit(rng: &mut Pcg64Mcg) -> Vec3 {
    let z: f64 = rng.random_range(-1.0..1.0);
    let angle: f64 = rng.random_range(0.0..std::f64::consts::TAU);
    let flat = (1.0 - z * z).sqrt();
    Vec3::new(flat * angle.cos(), flat * angle.sin(), z)
}

/// Bodies of every kind with sizes over three decades, gathered in clusters at `spread` from each
/// other, so that there are pairs to be found at any distance from the origin.
fn crowd(seed: u64, count: usize, spread: f64) -> (World, Vec<f64>) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let centers: Vec<Vec3> = (0..3)
        .map(|_| unit(&mut rng) * spread * rng.random_range(0.0..1.0))
        .collect();
    let mut bodies: Vec<Body> = Vec::new();
    for _ in 0..count {
        let size = 10.0_f64.powf(rng.random_range(-3.0..0.0));
        let at = centers[rng.random_range(0..3)] + unit(&mut rng) * rng.random_range(0.0..2.0);
        let turn = Quat::from_scaled_axis(unit(&mut rng) * rng.random_range(0.0..3.0));
        let shape = match rng.random_range(0..20) {
            0 => Shape::HalfSpace {
                normal: if rng.random_bool(0.5) {
                    Vec3::z()
                } else {
                    unit(&mut rng)
                },
                offset: rng.random_range(-1.0..1.0),
            },
            1 => Shape::Box {
                half_extents: Vec3::new(300.0, 200.0, 0.1),
            },
            2..8 => Shape::Box {
                half_extents: Vec3::new(size, 0.3 * size, 2.0 * size),
            },
            8..12 => Shape::Capsule {
                half_length: 2.0 * size,
                radius: 0.2 * size,
            },
            12 => Shape::Compound {
                parts: [0.0, 0.5]
                    .map(|x| CompoundPart {
                        pose: Pose::new(Vec3::new(x, 0.0, 0.0), Quat::identity()),
                        shape: if x > 0.0 && size > 0.1 {
                            Shape::HalfSpace {
                                normal: Vec3::y(),
                                offset: size,
                            }
                        } else {
                            Shape::Sphere { radius: size }
                        },
                    })
                    .to_vec()
                    .into(),
            },
            _ => Shape::Sphere { radius: size },
        };
        let movable = !matches!(shape, Shape::HalfSpace { .. });
        let kind = match rng.random_range(0..8) {
            0 => BodyKind::Fixed,
            1 => BodyKind::Kinematic,
            _ if movable => BodyKind::Dynamic,
            _ => BodyKind::Fixed,
        };
        let mut new = body(kind, shape, at, turn);
        if rng.random_bool(0.2) {
            new.groups = CollisionGroups {
                member: 1 << rng.random_range(0..3),
                collides_with: rng.random_range(0..8),
            };
        }
        if rng.random_bool(0.1)
            && let Some(last) = bodies.last()
        {
            new.pose = last.pose;
        }
        bodies.push(new);
    }
    let reach = bodies
        .iter()
        .map(|_| {
            if rng.random_bool(0.02) {
                f64::INFINITY
            } else {
                rng.random_range(0.0..0.05)
            }
        })
        .collect();
    (world(bodies), reach)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn finds_what_brute_force_finds(
        seed: u64,
        count in 0_usize..250,
        decades in 0.0_f64..12.0,
    ) {
        let (world, reach) = crowd(seed, count, 10.0_f64.powf(decades));
        let expected = brute_force_pairs(&world, &reach);
        prop_assert!(count < 100 || !expected.is_empty());
        prop_assert_eq!(find(&world, &reach), expected);
    }

    #[test]
    fn finds_touching_neighbors_of_a_lattice(seed: u64, far in -1e7_f64..1e7) {
        // Equal bodies whose boxes touch exactly or nearly: the cells' edges run along the boxes'.
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let pitch: f64 = 10.0_f64.powf(rng.random_range(-3.0..1.0));
        let corner = unit(&mut rng) * far;
        let mut bodies = Vec::new();
        for cell in 0..216 {
            let at = Vec3::new(
                f64::from(cell % 6),
                f64::from(cell / 6 % 6),
                f64::from(cell / 36),
            );
            bodies.push(sphere(0.5 * pitch, corner + at * pitch));
        }
        let world = world(bodies);
        let reach = vec![0.0; 216];
        prop_assert_eq!(find(&world, &reach), brute_force_pairs(&world, &reach));
    }
}

#[test]
fn same_pairs_for_any_number_of_threads() {
    let (world, reach) = crowd(5, 7_000, 3.0);
    let run = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| find(&world, &reach))
    };
    let one = run(1);
    assert!(one.len() > 100_000);
    assert!(one.is_sorted());
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn one_huge_body_among_many_small_ones_is_found() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut bodies: Vec<Body> = (0..16_000)
        .map(|_| sphere(0.01, Vec3::from_fn(|_, _| rng.random_range(-1.0..1.0))))
        .collect();
    bodies.push(sphere(0.9, Vec3::zeros()));
    let world = world(bodies);
    let reach = vec![0.0; 16_001];
    assert_eq!(find(&world, &reach), brute_force_pairs(&world, &reach));
}

#[test]
fn half_spaces_pair_only_with_bodies_in_reach() {
    let bodies = vec![
        half_space(Vec3::z(), 0.0),
        sphere(0.5, Vec3::new(1e6, 0.0, 0.6)),
        sphere(0.5, Vec3::new(0.0, 0.0, 0.8)),
        sphere(0.5, Vec3::new(0.0, 50.0, -40.0)),
    ];
    let world = world(bodies);
    assert_eq!(find(&world, &[0.1, 0.1, 0.1, 0.1]), [[0, 1], [0, 3]]);
    assert_eq!(find(&world, &[0.0, 0.0, 0.0, 0.0]), [[0, 3]]);
}

#[test]
fn buffers_are_reused_without_a_trace() {
    let mut broadphase = Broadphase::new();
    let mut pairs = Vec::new();
    for (seed, count) in [(1, 3000), (2, 40), (3, 0), (4, 5000)] {
        let (world, reach) = crowd(seed, count, 2.0);
        broadphase.find_pairs(&world, &reach, &mut pairs).unwrap();
        assert_eq!(pairs, brute_force_pairs(&world, &reach));
    }
}

#[test]
fn bodies_that_are_not_finite_are_named() {
    let poses = [
        Pose::new(Vec3::new(0.0, f64::NAN, 0.0), Quat::identity()),
        Pose::new(Vec3::new(f64::INFINITY, 0.0, 0.0), Quat::identity()),
    ];
    for pose in poses {
        let mut world = world(vec![sphere(1.0, Vec3::zeros()), sphere(1.0, Vec3::zeros())]);
        world.bodies[1].pose = pose;
        world.bodies[1].name = Some("marble".into());
        let mut pairs = Vec::new();
        let error = Broadphase::new()
            .find_pairs(&world, &[0.1, 0.1], &mut pairs)
            .unwrap_err();
        assert!(matches!(error, Error::NonFinite { .. }), "{error}");
        assert!(error.to_string().contains("body 1 (marble)"), "{error}");
    }
}

/// Bodies of sizes over two decades, slow and fast ones, on a half-space and around a huge box.
fn mixed_world(kind: u32, random: &mut Pcg64Mcg) -> World {
    let mut vector = |size: f64| Vec3::from_fn(|_, _| size * (2.0 * random.random::<f64>() - 1.0));
    let mut bodies = vec![half_space(Vec3::z(), -5.0)];
    for index in 0..300 {
        let position = vector(5.0);
        let size = 10.0_f64.powf(vector(1.0).x) * 0.1;
        let shape = match (kind, index % 3) {
            (0, _) => Shape::Sphere { radius: size },
            (1, 0) => Shape::Box {
                half_extents: Vec3::new(size, 0.05, 2.0 * size),
            },
            (_, 1) => Shape::Capsule {
                half_length: size,
                radius: 0.05,
            },
            _ => Shape::Sphere { radius: 0.1 },
        };
        let kind = if index % 10 == 0 {
            BodyKind::Fixed
        } else {
            BodyKind::Dynamic
        };
        bodies.push(body(
            kind,
            shape,
            position,
            Quat::from_scaled_axis(vector(2.0)),
        ));
    }
    if kind == 2 {
        let shape = Shape::Box {
            half_extents: Vec3::new(4.0, 4.0, 0.1),
        };
        bodies.push(body(
            BodyKind::Fixed,
            shape,
            Vec3::zeros(),
            Quat::identity(),
        ));
    }
    world(bodies)
}

#[test]
fn sweep_and_grid_find_the_same_pairs_as_bodies_move() {
    let mut random = Pcg64Mcg::seed_from_u64(11);
    for kind in 0..3 {
        let mut world = mixed_world(kind, &mut random);
        let speeds: Vec<(Vec3, Vec3)> = (0..world.bodies.len())
            .map(|index| {
                let mut vector =
                    |size: f64| Vec3::from_fn(|_, _| size * (2.0 * random.random::<f64>() - 1.0));
                // A few are fast, and some rest.
                let speed = [0.0, 0.01, 0.01, 0.01, 0.5][index % 5];
                (vector(speed), vector(0.05))
            })
            .collect();
        let mut sweep = Broadphase::by(PairSearch::Sweep);
        let mut grid = Broadphase::new();
        let (mut by_sweep, mut by_grid) = (Vec::new(), Vec::new());
        let (mut changes, mut exchanges) = (0, 0);
        for step in 0..500 {
            for (body, (linear, angular)) in world.bodies.iter_mut().zip(&speeds).skip(1) {
                body.displace(linear, angular);
                if body.pose.position.norm() > 6.0 {
                    body.pose.position *= -0.9;
                }
            }
            if step == 250 {
                world.bodies[7].kind = BodyKind::Fixed;
                world.bodies[8].groups.collides_with = 0;
            }
            let reach = vec![0.02; world.bodies.len()];
            let before = by_grid.clone();
            sweep.find_pairs(&world, &reach, &mut by_sweep).unwrap();
            grid.find_pairs(&world, &reach, &mut by_grid).unwrap();
            assert_eq!(by_sweep, by_grid, "world {kind}, step {step}");
            changes += usize::from(before != by_grid);
            exchanges += sweep.exchanges();
        }
        assert!(changes > 400 && exchanges > 1_000, "{changes} {exchanges}");
    }
}
