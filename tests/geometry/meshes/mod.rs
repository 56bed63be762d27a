//! Triangle meshes: what touches them, where, and that the way they are cut into triangles is not felt.

mod moving;
mod surfaces;
mod uneven;

use drystone::collide::{ContactModel, ContactPoint};
use drystone::internals::collide::{Limits, find_contacts};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{Body, Polyhedron, Shape, TriangleMesh, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

fn direction(random: &mut Pcg64) -> Vec3 {
    loop {
        let at = Vec3::from_fn(|_, _| 2.0 * random.random::<f64>() - 1.0);
        if (0.01..1.0).contains(&at.norm()) {
            return at.normalize();
        }
    }
}

fn rotation(random: &mut Pcg64) -> Quat {
    Quat::from_scaled_axis(direction(random) * (3.0 * random.random::<f64>()))
}

fn mesh(mesh: TriangleMesh) -> Shape {
    Shape::Mesh(Arc::new(mesh))
}

/// A level square of side 10 m about the origin, of 2 n^2 triangles whose inner corners are moved at random.
fn level(n: usize, random: &mut Pcg64) -> TriangleMesh {
    let side = 10.0 / n as f64;
    let vertices: Vec<Vec3> = (0..=n)
        .flat_map(|y| (0..=n).map(move |x| (x, y)))
        .map(|(x, y)| {
            let inner = x % n != 0 && y % n != 0;
            let off = if inner { 0.3 * side } else { 0.0 };
            Vec3::new(
                side * x as f64 - 5.0 + off * (2.0 * random.random::<f64>() - 1.0),
                side * y as f64 - 5.0 + off * (2.0 * random.random::<f64>() - 1.0),
                0.0,
            )
        })
        .collect();
    let corner = |x: usize, y: usize| (y * (n + 1) + x) as u32;
    let mut triangles = Vec::new();
    for y in 0..n {
        for x in 0..n {
            triangles.push([corner(x, y), corner(x + 1, y), corner(x + 1, y + 1)]);
            triangles.push([corner(x, y), corner(x + 1, y + 1), corner(x, y + 1)]);
        }
    }
    TriangleMesh::new(&vertices, &triangles).unwrap()
}

fn ground() -> Shape {
    Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    }
}

fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Sphere { .. } => "sphere",
        Shape::Capsule { .. } => "capsule",
        Shape::Box { .. } => "box",
        _ => "solid",
    }
}

fn movable() -> [Shape; 4] {
    [
        Shape::Sphere { radius: 0.3 },
        Shape::Capsule {
            half_length: 0.4,
            radius: 0.2,
        },
        Shape::Box {
            half_extents: Vec3::new(0.4, 0.3, 0.2),
        },
        Shape::Polyhedron(Arc::new(Polyhedron::regular(12, 0.4).unwrap())),
    ]
}

/// Contacts of two bodies at rest.
fn contacts(shapes: [Shape; 2], poses: [Pose; 2], margin: f64) -> Vec<ContactPoint> {
    let mut world = World::new(Vec3::zeros());
    for (shape, pose) in shapes.into_iter().zip(poses) {
        world.add(Body::fixed(shape, pose)).unwrap();
    }
    let mut found = Vec::new();
    let limits = Limits {
        margin,
        time_step: 0.0,
        lead: 0.0,
        model: ContactModel::Clipped,
    };
    find_contacts(&world, &[[0, 1]], limits, &mut found);
    found
}

fn least(contacts: &[ContactPoint]) -> f64 {
    let separations = contacts.iter().map(|contact| contact.separation);
    separations.fold(f64::INFINITY, f64::min)
}

/// True if a body has more corners within reach of the ground than a plane gives contacts.
fn chooses(shape: &Shape, pose: &Pose, reach: f64) -> bool {
    let (corners, most) = match shape {
        Shape::Box { half_extents } => {
            let corner =
                |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { -1.0 } else { 1.0 });
            let corners = (0..8).map(|k| corner(k).component_mul(half_extents));
            (corners.collect(), 4)
        }
        Shape::Polyhedron(solid) => (solid.vertices().to_vec(), 16),
        _ => (Vec::new(), 0),
    };
    let low = corners
        .iter()
        .filter(|corner: &&Vec3| pose.point(corner).z <= reach);
    low.count() > most
}

#[test]
fn a_level_mesh_is_touched_as_a_plane() {
    let mut random = Pcg64::seed_from_u64(1);
    let mut touching = 0;
    for n in [1, 7, 40] {
        let floor = mesh(level(n, &mut random));
        for case in 0..400 {
            for shape in movable() {
                let at = Vec3::new(
                    6.0 * random.random::<f64>() - 3.0,
                    6.0 * random.random::<f64>() - 3.0,
                    0.1 + 0.5 * random.random::<f64>(),
                );
                let turn = if case % 4 == 0 {
                    Quat::from_scaled_axis(Vec3::z() * random.random::<f64>())
                } else {
                    rotation(&mut random)
                };
                let pose = Pose::new(at, turn);
                let expected = contacts([shape.clone(), ground()], [pose, Pose::identity()], 0.03);
                // An end of a capsule that is as deep as it is wide is on the other side.
                if least(&expected) < -0.4 {
                    continue;
                }
                for swapped in [false, true] {
                    let found = if swapped {
                        contacts(
                            [floor.clone(), shape.clone()],
                            [Pose::identity(), pose],
                            0.03,
                        )
                    } else {
                        contacts(
                            [shape.clone(), floor.clone()],
                            [pose, Pose::identity()],
                            0.03,
                        )
                    };
                    let up = if swapped { -Vec3::z() } else { Vec3::z() };
                    assert_eq!(
                        found.is_empty(),
                        expected.is_empty(),
                        "{n} {case} {}",
                        kind(&shape)
                    );
                    if expected.is_empty() {
                        continue;
                    }
                    touching += 1;
                    assert!(
                        (least(&found) - least(&expected)).abs() < 1e-12,
                        "{n} {case} {}\n{found:?}\n{expected:?}",
                        kind(&shape)
                    );
                    for contact in &found {
                        assert!((contact.normal - up).norm() < 1e-9, "{contact:?}");
                        // Every point is one of the plane's, unless that chose among many.
                        let near = |other: &ContactPoint| {
                            (other.position - contact.position).norm() < 1e-9
                        };
                        let is_one = expected.iter().any(near);
                        assert!(
                            is_one || chooses(&shape, &pose, 0.03),
                            "{n} {case} {}\n{found:?}\n{expected:?}",
                            kind(&shape)
                        );
                    }
                    let is_round = matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. });
                    if is_round {
                        assert_eq!(found.len(), expected.len(), "{n} {case} {}", kind(&shape));
                    }
                    let mut names: Vec<u64> = found.iter().map(|c| c.feature).collect();
                    names.dedup();
                    assert_eq!(names.len(), found.len());
                }
            }
        }
    }
    assert!(touching > 2_000, "{touching}");
}

/// A cube of half side 0.5 m as a closed surface, each face cut into 2 n^2 triangles.
fn cube(n: usize) -> TriangleMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let first = vertices.len();
            for v in 0..=n {
                for u in 0..=n {
                    let mut at = Vec3::zeros();
                    at[axis] = 0.5 * side;
                    at[(axis + 1) % 3] = (u as f64 / n as f64 - 0.5) * side;
                    at[(axis + 2) % 3] = v as f64 / n as f64 - 0.5;
                    vertices.push(at);
                }
            }
            let corner = |u: usize, v: usize| (first + v * (n + 1) + u) as u32;
            for v in 0..n {
                for u in 0..n {
                    triangles.push([corner(u, v), corner(u + 1, v), corner(u + 1, v + 1)]);
                    triangles.push([corner(u, v), corner(u + 1, v + 1), corner(u, v + 1)]);
                }
            }
        }
    }
    TriangleMesh::new(&vertices, &triangles).unwrap()
}

#[test]
fn a_cube_of_triangles_is_touched_as_a_box() {
    let mut random = Pcg64::seed_from_u64(2);
    let cuboid = Shape::Box {
        half_extents: Vec3::repeat(0.5),
    };
    let (mut touching, mut deeper, mut missed) = (0, Vec::new(), Vec::new());
    for n in [1, 4] {
        let solid = cube(n);
        assert!(solid.is_closed());
        let solid = mesh(solid);
        for case in 0..500 {
            for shape in movable() {
                let out = direction(&mut random);
                let turn = rotation(&mut random);
                let own = Pose::new(direction(&mut random), rotation(&mut random));
                let separation = |distance: f64| {
                    let at = own.compose(&Pose::new(out * distance, turn));
                    let found = contacts([cuboid.clone(), shape.clone()], [own, at], 0.2);
                    (at, least(&found))
                };
                // Just touching, some gap or depth to either side.
                let (mut low, mut high) = (0.0, 2.0);
                for _ in 0..40 {
                    let middle = 0.5 * (low + high);
                    if separation(middle).1 > 0.0 {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                let (at, expected) = separation(high + 0.04 * random.random::<f64>() - 0.02);
                if expected > 0.019 {
                    continue;
                }
                touching += 1;
                let found = contacts([solid.clone(), shape.clone()], [own, at], 0.03);
                let depth = least(&found);
                // Solids that face each other at corners only, and are apart, may have no point there yet.
                if expected > 0.0
                    && matches!(shape, Shape::Box { .. } | Shape::Polyhedron(_))
                    && depth > expected
                {
                    continue;
                }
                let slack = 1e-3 + 0.03 * expected.abs();
                // Shapes that overlap touch.
                assert!(
                    expected > 0.0 || depth <= 0.0,
                    "{n} {case} {}",
                    kind(&shape)
                );
                if depth > expected + slack {
                    missed.push(format!("{n} {case} {}: {depth} {expected}", kind(&shape)));
                } else if depth < expected - slack {
                    deeper.push(format!("{n} {case} {}: {depth} {expected}", kind(&shape)));
                }
            }
        }
    }
    assert!(touching > 2_000, "{touching}");
    // Where three faces meet, the way out may be one that is a little longer, at a point that is less deep.
    assert!(
        missed.len() < touching / 1000,
        "{} of {touching}\n{}",
        missed.len(),
        missed.join("\n")
    );
    // Beside a ridge a body may be pushed out of both faces.
    assert!(
        deeper.len() < touching / 100,
        "{} of {touching}\n{}",
        deeper.len(),
        deeper.join("\n")
    );
}

#[test]
fn spheres_touch_where_the_surface_is_nearest() {
    let mut random = Pcg64::seed_from_u64(3);
    let heights: Vec<Vec<f64>> = (0..40)
        .map(|_| (0..40).map(|_| 0.3 * random.random::<f64>()).collect())
        .collect();
    let field = TriangleMesh::height_field(&heights, [0.25, 0.25]).unwrap();
    let triangles: Vec<[Vec3; 3]> = field
        .triangles()
        .iter()
        .map(|corners| corners.map(|at| field.vertices()[at as usize]))
        .collect();
    let shape = mesh(field);
    let mut touching = 0;
    for case in 0..2_000 {
        let radius = 0.05 + 0.4 * random.random::<f64>();
        let at = Vec3::new(
            8.0 * random.random::<f64>() - 4.0,
            8.0 * random.random::<f64>() - 4.0,
            0.3 + radius * random.random::<f64>(),
        );
        let own = Pose::new(direction(&mut random), rotation(&mut random));
        let there = own.compose(&Pose::new(at, Quat::identity()));
        let ball = Shape::Sphere { radius };
        let found = contacts([ball, shape.clone()], [there, own], 0.02);
        // No edge is longer than half a metre, so that the others are out of reach.
        let distance = triangles
            .iter()
            .filter(|corners| (corners[0] - at).norm() < radius + 0.52)
            .map(|corners| distance_by_search(corners, &at))
            .fold(f64::INFINITY, f64::min);
        if distance - radius > 0.019 {
            continue;
        }
        touching += 1;
        assert!(
            (least(&found) - (distance - radius)).abs() < 1e-6,
            "{case}: {found:?} {distance} {radius}"
        );
        assert!(found.len() <= 16);
    }
    assert!(touching > 500, "{touching}");
}

/// Distance of a point from a triangle, by dividing it again and again.
fn distance_by_search(corners: &[Vec3; 3], point: &Vec3) -> f64 {
    let [a, b, c] = corners;
    let on = |s: f64, t: f64| a + (b - a) * s + (c - a) * t;
    let (mut best, mut s0, mut t0, mut step) = (f64::INFINITY, 0.5, 0.25, 0.5);
    while step > 1e-9 {
        let (mut s1, mut t1) = (s0, t0);
        for i in -2..=2 {
            for j in -2..=2 {
                let s = (s0 + 0.5 * step * f64::from(i)).clamp(0.0, 1.0);
                let t = (t0 + 0.5 * step * f64::from(j)).clamp(0.0, 1.0 - s);
                let distance = (on(s, t) - point).norm();
                if distance < best {
                    (best, s1, t1) = (distance, s, t);
                }
            }
        }
        if (s1, t1) == (s0, t0) {
            step *= 0.5;
        }
        (s0, t0) = (s1, t1);
    }
    best
}

#[test]
fn what_has_gone_through_is_pushed_back_to_the_front() {
    let floor =
        mesh(TriangleMesh::height_field(&[vec![0.0; 3], vec![0.0; 3]], [1.0, 1.0]).unwrap());
    let ball = Shape::Sphere { radius: 0.1 };
    for (height, expected) in [
        (0.05, Some(-0.05)),
        (-0.05, Some(-0.15)),
        (-0.099, Some(-0.199)),
        // All of it is behind.
        (-0.11, None),
    ] {
        let at = Pose::new(Vec3::new(0.2, 0.1, height), Quat::identity());
        let found = contacts([ball.clone(), floor.clone()], [at, Pose::identity()], 0.01);
        let depth = found.first().map(|contact| contact.separation);
        assert_eq!(depth.is_some(), expected.is_some(), "{height}");
        if let (Some(depth), Some(expected)) = (depth, expected) {
            assert!((depth - expected).abs() < 1e-12, "{height}: {found:?}");
            assert_eq!(found.len(), 1);
            assert!((found[0].normal - Vec3::z()).norm() < 1e-12);
        }
    }
}
