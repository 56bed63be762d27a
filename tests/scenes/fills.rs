//! Fills and containers: as many bodies as asked for, where and as large as asked for, none
//! overlapping, the same for the same seed.

use drystone::math::{Pose, Vec3};
use drystone::scene::{Overrides, Scene};
use drystone::world::{Body, BodyKind, Shape};
use parry3d_f64::math::{Pose as ReferencePose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Capsule, Compound, Cuboid, SharedShape};
use std::path::Path;

/// A scene of the given tables.
fn scene(tables: &str) -> Scene {
    seeded(tables, 0)
}

fn seeded(tables: &str, seed: u64) -> Scene {
    let text = format!("name = \"fill\"\n[simulation]\ndt = 0.01\nsteps = 1\n{tables}");
    let overrides = Overrides {
        seed: Some(seed),
        ..Overrides::default()
    };
    Scene::parse(Path::new("fill.toml"), &text, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

fn dynamic(scene: &Scene) -> Vec<&Body> {
    let bodies = scene.world.bodies.iter();
    bodies.filter(|body| body.is_dynamic()).collect()
}

/// A shape about parry's y axis turned to z and lifted.
fn upright(lift: f64, shape: SharedShape) -> SharedShape {
    let turn = Rotation::from_scaled_axis(Vector::new(0.5 * std::f64::consts::PI, 0.0, 0.0));
    let pose = ReferencePose::from_parts(Vector::new(0.0, 0.0, lift), turn);
    SharedShape::new(Compound::new(vec![(pose, shape)]))
}

/// The shape for parry3d; nothing for a half-space or a mesh.
fn reference(shape: &Shape) -> Option<SharedShape> {
    Some(match shape {
        Shape::Sphere { radius } => SharedShape::new(Ball::new(*radius)),
        Shape::Box { half_extents: h } => SharedShape::new(Cuboid::new(Vector::new(h.x, h.y, h.z))),
        Shape::Capsule {
            half_length,
            radius,
        } => SharedShape::new(Capsule::new_z(*half_length, *radius)),
        Shape::Cylinder {
            half_length,
            radius,
        } => upright(0.0, SharedShape::cylinder(*half_length, *radius)),
        Shape::Cone { height, radius } => {
            upright(0.25 * height, SharedShape::cone(0.5 * height, *radius))
        }
        Shape::Polyhedron(solid) => {
            let points = solid.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z));
            SharedShape::convex_hull(&points.collect::<Vec<_>>())?
        }
        Shape::HalfSpace { .. } | Shape::Mesh(_) => return None,
        Shape::Compound { parts } => SharedShape::new(Compound::new(
            parts
                .iter()
                .map(|part| Some((reference_pose(&part.pose), reference(&part.shape)?)))
                .collect::<Option<Vec<_>>>()?,
        )),
    })
}

fn reference_pose(pose: &Pose) -> ReferencePose {
    let (at, turn) = (pose.position, pose.orientation.scaled_axis());
    ReferencePose::from_parts(
        Vector::new(at.x, at.y, at.z),
        Rotation::from_scaled_axis(Vector::new(turn.x, turn.y, turn.z)),
    )
}

/// Deepest overlap of any two bodies `[m]`, by parry3d, over all pairs.
fn deepest_overlap(scene: &Scene) -> f64 {
    let bodies: Vec<_> = scene
        .world
        .bodies
        .iter()
        .filter_map(|body| {
            let shape = reference(&body.shape)?;
            Some((
                shape,
                reference_pose(&body.pose),
                body.shape.aabb(&body.pose),
            ))
        })
        .collect();
    let mut deepest: f64 = 0.0;
    for (index, (a, pose_a, box_a)) in bodies.iter().enumerate() {
        for (b, pose_b, box_b) in &bodies[index + 1..] {
            if !box_a.overlaps(box_b) {
                continue;
            }
            let contact = query::contact(pose_a, &**a, pose_b, &**b, 0.0).unwrap();
            deepest = contact.map_or(deepest, |contact| deepest.max(-contact.dist));
        }
    }
    deepest
}

fn radius(body: &Body) -> f64 {
    match body.shape {
        Shape::Sphere { radius } => radius,
        _ => panic!("not a sphere"),
    }
}

/// Largest difference between an empirical distribution and a given one (Kolmogorov–Smirnov).
fn kolmogorov(mut values: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    values
        .iter()
        .enumerate()
        .map(|(k, &x)| {
            let f = distribution(x);
            (f - k as f64 / n).abs().max(((k + 1) as f64 / n - f).abs())
        })
        .fold(0.0, f64::max)
}

const GRID: &str = r#"
[[fill]]
name = "bed"
region = { type = "box", min = [-2, -2, 0], max = [2, 2, 3] }
shapes = [{ shape = { type = "box", half_extents = [0.5, 0.5, 0.5] } }]
density = 1000
"#;

#[test]
fn a_grid_fills_its_region_layer_by_layer() {
    let full = scene(GRID);
    assert_eq!(dynamic(&full).len(), 4 * 4 * 3);
    assert!(deepest_overlap(&full) < 1e-9);
    let some = scene(&format!("{GRID}count = 17"));
    let heights: Vec<f64> = dynamic(&some).iter().map(|b| b.pose.position.z).collect();
    assert_eq!(heights[..16], [0.5; 16]);
    assert_eq!(heights[16], 1.5);
    assert_eq!(dynamic(&some)[0].pose.position, Vec3::new(-1.5, -1.5, 0.5));
    // 1 t each.
    assert!(
        dynamic(&some)
            .iter()
            .all(|b| (b.mass.mass - 1000.0).abs() < 1e-9)
    );
}

#[test]
fn places_that_are_taken_are_left_out() {
    let blocked = scene(&format!(
        r#"
[[body]]
name = "post"
shape = {{ type = "capsule", radius = 0.2, half_length = 2 }}
position = [0.5, 0.5, 2]
density = 1000
{GRID}"#
    ));
    // The post stands in one column of three places and reaches no other.
    assert_eq!(dynamic(&blocked).len(), 1 + 4 * 4 * 3 - 3);
    assert!(deepest_overlap(&blocked) < 1e-9);
}

#[test]
fn a_jittered_grid_stays_within_its_jitter() {
    let scene = scene(
        r#"
[[fill]]
region = { type = "box", min = [0, 0, 0], max = [12, 12, 12] }
arrangement = "jittered"
spacing = 1.2
jitter = 0.1
count = 900
shapes = [{ shape = { type = "sphere", radius = 0.5 } }]
density = 1000
"#,
    );
    let bodies = dynamic(&scene);
    assert_eq!(bodies.len(), 900);
    assert!(deepest_overlap(&scene) == 0.0);
    let offsets: Vec<Vec3> = bodies
        .iter()
        .enumerate()
        .map(|(k, body)| {
            let site = Vec3::new((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64);
            body.pose.position - (site * 1.2).add_scalar(0.6)
        })
        .collect();
    for axis in 0..3 {
        let values: Vec<f64> = offsets.iter().map(|v| v[axis]).collect();
        assert!(values.iter().all(|x| x.abs() <= 0.1 + 1e-12));
        // Uniform, at a significance of 1e-3.
        let distance = kolmogorov(values, |x| (x + 0.1) / 0.2);
        assert!(distance < 1.95 / 30.0, "{distance}");
    }
}

const RANDOM: &str = r#"
[[body]]
name = "hub"
shape = { type = "sphere", radius = 1.5 }
density = 1000

[[container]]
name = "box"
inner = [8, 8, 8]
position = [0, 0, -4]

[[fill]]
region = { type = "box", min = [-4, -4, -4], max = [4, 4, 4] }
arrangement = "random"
count = 300
shapes = [
    { shape = { type = "sphere", radius = 0.3 }, fraction = 2 },
    { shape = { type = "box", half_extents = [0.4, 0.1, 0.2] } },
    { shape = { type = "capsule", radius = 0.1, half_length = 0.3 } },
]
scale = { type = "uniform", min = 0.8, max = 1.2 }
random_orientation = true
density = 1000
max_speed = 2

[[fill]]
region = { type = "box", min = [-4, -4, -4], max = [4, 4, 4] }
arrangement = "random"
count = 40
shapes = [{ shape = { type = "compound", parts = [
    { shape = { type = "sphere", radius = 0.2 } },
    { shape = { type = "box", half_extents = [0.3, 0.1, 0.1] }, position = [0.4, 0, 0] },
] } }]
random_orientation = true
density = 1000
"#;

#[test]
fn random_fills_overlap_nothing() {
    let scene = scene(RANDOM);
    let bodies = dynamic(&scene);
    assert_eq!(bodies.len(), 1 + 300 + 40);
    assert!(
        deepest_overlap(&scene) < 1e-9,
        "{}",
        deepest_overlap(&scene)
    );
    for body in &bodies {
        let bounds = body.shape.aabb(&body.pose);
        assert!(bounds.min.min() >= -4.0 && bounds.max.max() <= 4.0);
    }
    // Half of the mixed ones are spheres, within four standard deviations.
    let spheres = bodies[1..301]
        .iter()
        .filter(|body| matches!(body.shape, Shape::Sphere { .. }))
        .count();
    assert!(spheres.abs_diff(150) <= 35, "{spheres}");
    let speeds: Vec<f64> = bodies[1..301]
        .iter()
        .map(|body| body.linear_velocity.norm())
        .collect();
    // Uniform in a ball: the share below v grows as v^3.
    let distance = kolmogorov(speeds, |v| (v / 2.0).powi(3));
    assert!(distance < 1.95 / 300.0_f64.sqrt(), "{distance}");
}

#[test]
fn a_seed_gives_the_same_bodies_again_and_another_seed_others() {
    let (first, again, other) = (seeded(RANDOM, 5), seeded(RANDOM, 5), seeded(RANDOM, 6));
    assert_eq!(first.world, again.world);
    let moved = |a: &Scene, b: &Scene| {
        let pairs = a.world.bodies.iter().zip(&b.world.bodies);
        pairs.filter(|(a, b)| a.pose != b.pose).count()
    };
    assert_eq!(moved(&first, &other), 340);
    // A fill's own seed is a stream of its own: it moves that fill only.
    let numbered = RANDOM.replacen("count = 300", "count = 300\nseed = 77", 1);
    let last = |scene: &Scene| scene.world.bodies[2].pose;
    assert_ne!(last(&seeded(&numbered, 5)), last(&first));
}

#[test]
fn round_regions_hold_their_bodies() {
    for (region, arrangement) in [
        ("sphere", "grid"),
        ("sphere", "random"),
        ("cylinder", "jittered\"\njitter = \"x"),
        ("cylinder", "random"),
    ] {
        let shape = if region == "sphere" {
            r#"{ type = "sphere", center = [1, 2, 3], radius = 2 }"#
        } else {
            r#"{ type = "cylinder", base = [1, 2, 3], radius = 2, height = 1.5 }"#
        };
        let arrangement = arrangement.replace("\"x", "0.05 #");
        let scene = scene(&format!(
            r#"
[[fill]]
region = {shape}
arrangement = "{arrangement}"
shapes = [{{ shape = {{ type = "sphere", radius = 0.2 }} }}]
density = 1000
"#
        ));
        let bodies = dynamic(&scene);
        assert!(
            bodies.len() > 30,
            "{region} {arrangement}: {}",
            bodies.len()
        );
        assert!(deepest_overlap(&scene) < 1e-9);
        for body in bodies {
            let offset = body.pose.position - Vec3::new(1.0, 2.0, 3.0);
            if region == "sphere" {
                assert!(offset.norm() <= 1.8 + 1e-9);
            } else {
                assert!(offset.xy().norm() <= 1.8 + 1e-9);
                assert!(offset.z >= 0.2 - 1e-9 && offset.z <= 1.3 + 1e-9);
            }
        }
    }
}

/// Radii of 2,000 spheres of 1 m, scaled.
fn radii(scale: &str) -> Vec<f64> {
    let scene = scene(&format!(
        r#"
[[fill]]
region = {{ type = "box", min = [0, 0, 0], max = [80, 80, 80] }}
count = 2000
spacing = 5
shapes = [{{ shape = {{ type = "sphere", radius = 1 }} }}]
scale = {scale}
density = 1000
"#
    ));
    dynamic(&scene).iter().map(|body| radius(body)).collect()
}

#[test]
fn sizes_follow_their_distributions() {
    // Kolmogorov–Smirnov at a significance of 1e-3.
    let limit = 1.95 / 2000.0_f64.sqrt();

    let fixed = radii(r#"{ type = "fixed", value = 0.7 }"#);
    assert!(fixed.iter().all(|&r| r == 0.7));

    let uniform = radii(r#"{ type = "uniform", min = 0.5, max = 1.5 }"#);
    assert!(uniform.iter().all(|r| (0.5..=1.5).contains(r)));
    let distance = kolmogorov(uniform, |r| r - 0.5);
    assert!(distance < limit, "{distance}");

    // Truncated at one standard deviation, which holds 0.6827 of the whole.
    let normal = radii(r#"{ type = "normal", mean = 1, sd = 0.2, min = 0.8, max = 1.2 }"#);
    assert!(normal.iter().all(|r| (0.8..=1.2).contains(r)));
    let n = normal.len() as f64;
    let mean = normal.iter().sum::<f64>() / n;
    let variance = normal.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n;
    // Its variance is sd^2 (1 - 2 phi(1) / 0.6827) = 0.2911 sd^2.
    assert!((mean - 1.0).abs() < 4.0 * 0.1079 / n.sqrt(), "{mean}");
    assert!((variance / 0.04 / 0.2911 - 1.0).abs() < 0.1, "{variance}");

    let listed = radii(r#"{ type = "list", values = [0.5, 1, 2], weights = [1, 0, 3] }"#);
    let small = listed.iter().filter(|&&r| r == 0.5).count();
    let large = listed.iter().filter(|&&r| r == 2.0).count();
    assert_eq!(small + large, 2000);
    // 500 +- 19.4.
    assert!(small.abs_diff(500) < 78, "{small}");
}

#[test]
fn random_orientations_are_uniform() {
    let scene = scene(
        r#"
[[fill]]
region = { type = "box", min = [0, 0, 0], max = [40, 40, 40] }
count = 2000
shapes = [{ shape = { type = "box", half_extents = [0.5, 0.5, 0.5] } }]
random_orientation = true
density = 1000
"#,
    );
    assert_eq!(deepest_overlap(&scene), 0.0);
    // Each component of a turned axis is uniform from -1 to 1 (Archimedes).
    for (of, along) in [(0, 0), (0, 1), (1, 2), (2, 0), (2, 2)] {
        let values = dynamic(&scene)
            .iter()
            .map(|body| body.pose.orientation.to_rotation_matrix()[(along, of)])
            .collect();
        let distance = kolmogorov(values, |x| 0.5 * (x + 1.0));
        assert!(
            distance < 1.95 / 2000.0_f64.sqrt(),
            "{of} {along} {distance}"
        );
    }
}

#[test]
fn containers_are_as_wide_as_they_say() {
    let parts = |tables: &str| {
        let scene = scene(tables);
        let bodies = scene.world.bodies.clone();
        (scene, bodies)
    };
    let closed = r#"
[[container]]
name = "box"
inner = [2, 3, 4]
position = [1, 1, 1]
thickness = 0.5
closed = true
"#;
    let (_, bodies) = parts(closed);
    assert_eq!(bodies.len(), 1);
    assert_eq!(bodies[0].kind, BodyKind::Fixed);
    let bounds = bodies[0].shape.aabb(&bodies[0].pose);
    assert_eq!(bounds.min, Vec3::new(-0.5, -1.0, 0.5));
    assert_eq!(bounds.max, Vec3::new(2.5, 3.0, 5.5));
    // A unit grid fills it to the last place, inside and nowhere else.
    for walls in ["boxes", "half_spaces"] {
        let scene = scene(&format!(
            r#"{closed}walls = "{walls}"
[[fill]]
region = {{ type = "box", min = [-4, -3.5, -4], max = [6, 5.5, 10] }}
spacing = 1
shapes = [{{ shape = {{ type = "box", half_extents = [0.5, 0.5, 0.5] }} }}]
density = 1000
"#
        ));
        let inside = dynamic(&scene)
            .iter()
            .filter(|body| (body.pose.position - Vec3::new(1.0, 1.0, 3.0)).amax() < 2.0)
            .count();
        assert_eq!(inside, 2 * 3 * 4, "{walls}");
        if walls == "half_spaces" {
            assert_eq!(dynamic(&scene).len(), 24, "a half-space has no outside");
        }
    }

    let two = r#"
[materials.smooth]
friction = 0

[[container]]
name = "box"
inner = [1, 1, 1]
wall_material = "smooth"
motion = { type = "sinusoidal", amplitude = [0, 0, 0.1], frequency = 5 }
"#;
    let (scene, bodies) = parts(two);
    assert_eq!(bodies.len(), 2);
    assert!(bodies.iter().all(|body| body.kind == BodyKind::Kinematic));
    assert_eq!(bodies[0].motion, bodies[1].motion);
    assert_eq!(scene.world.find("box_walls"), Some(1));
    let friction = |body: &Body| scene.world.materials[body.material as usize].friction;
    assert_eq!((friction(&bodies[0]), friction(&bodies[1])), (0.5, 0.0));
    // Its upper face is where the container is.
    let floor = bodies[0].shape.aabb(&bodies[0].pose);
    assert!(floor.max.z.abs() < 1e-12, "{}", floor.max.z);
}

#[test]
fn a_quarter_of_a_million_bodies_are_placed_at_random_in_seconds() {
    let start = std::time::Instant::now();
    let scene = scene(
        r#"
[[fill]]
region = { type = "box", min = [0, 0, 0], max = [100, 100, 100] }
arrangement = "random"
count = 256000
shapes = [{ shape = { type = "sphere", radius = 0.5 } }]
density = 1000

[[fill]]
region = { type = "box", min = [0, 0, 0], max = [100, 100, 100] }
arrangement = "random"
count = 20000
shapes = [{ shape = { type = "sphere", radius = 0.2 } }]
density = 1000
"#,
    );
    assert_eq!(scene.world.bodies.len(), 276_000);
    // Were every body compared with every other, it would take hours.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
