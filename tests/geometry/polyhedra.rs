//! Convex polyhedra: hulls, moments, and where they touch, beside parry3d.

use crate::cases::cases;
use drystone::collide::ContactModel;
use drystone::internals::collide::{Limits, find_contacts, separation};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::world::{Body, MassProperties, Polyhedron, Shape, World};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::ConvexPolyhedron;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::TAU;
use std::sync::Arc;

pub(crate) fn direction(random: &mut Pcg64) -> Vec3 {
    loop {
        let at = Vec3::from_fn(|_, _| 2.0 * random.random::<f64>() - 1.0);
        if (0.01..1.0).contains(&at.norm()) {
            return at.normalize();
        }
    }
}

pub(crate) fn rotation(random: &mut Pcg64) -> Quat {
    Quat::from_scaled_axis(direction(random) * (3.0 * random.random::<f64>()))
}

/// A hull of points on an ellipsoid.
fn rock(points: usize, random: &mut Pcg64) -> Polyhedron {
    let axes = Vec3::from_fn(|_, _| 0.4 + 0.6 * random.random::<f64>());
    let points: Vec<Vec3> = (0..points)
        .map(|_| direction(random).component_mul(&axes))
        .collect();
    Polyhedron::hull(&points).unwrap()
}

pub(crate) fn any(random: &mut Pcg64) -> Polyhedron {
    match random.random_range(0..6) {
        0 => Polyhedron::regular([4, 6, 8, 12, 20][random.random_range(0..5)], 0.7).unwrap(),
        1 => {
            let corner = Vec3::from_fn(|_, _| 0.2 + 0.8 * random.random::<f64>());
            let corners: Vec<Vec3> = (0..8)
                .map(|k| {
                    Vec3::from_fn(|axis, _| {
                        corner[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 }
                    })
                })
                .collect();
            Polyhedron::hull(&corners).unwrap()
        }
        2 => Polyhedron::prism(random.random_range(3..33), 0.5, 0.6).unwrap(),
        _ => rock(random.random_range(4..34), random),
    }
}

pub(crate) fn parry(solid: &Polyhedron) -> ConvexPolyhedron {
    let points: Vec<Vector> = solid
        .vertices()
        .iter()
        .map(|v| Vector::new(v.x, v.y, v.z))
        .collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

pub(crate) fn placed(pose: &Pose) -> ParryPose {
    let Pose {
        position: p,
        orientation,
    } = pose;
    let q = orientation.quaternion();
    ParryPose::from_parts(
        Vector::new(p.x, p.y, p.z),
        Rotation::from_xyzw(q.i, q.j, q.k, q.w),
    )
}

/// How far the vertices of Q must be moved so that none is below any plane that separates: the depth by all axes.
pub(crate) fn exhaustive(p: &Polyhedron, pose_p: &Pose, q: &Polyhedron, pose_q: &Pose) -> f64 {
    let points = |solid: &Polyhedron, pose: &Pose| -> Vec<Vec3> {
        solid.vertices().iter().map(|v| pose.point(v)).collect()
    };
    let (of_p, of_q) = (points(p, pose_p), points(q, pose_q));
    let edges = |solid: &Polyhedron, points: &[Vec3]| -> Vec<Vec3> {
        let ends = solid
            .edges()
            .iter()
            .map(|edge| edge.vertices.map(|at| points[at as usize]));
        ends.map(|[from, to]| (to - from).normalize()).collect()
    };
    let mut axes: Vec<Vec3> = p
        .faces()
        .iter()
        .map(|f| pose_p.direction(&f.normal))
        .collect();
    axes.extend(q.faces().iter().map(|f| -pose_q.direction(&f.normal)));
    let edges_q = edges(q, &of_q);
    for a in edges(p, &of_p) {
        let across = edges_q
            .iter()
            .filter_map(|b| a.cross(b).try_normalize(1e-6));
        axes.extend(across.flat_map(|axis| [axis, -axis]));
    }
    let along = |axis: &Vec3| {
        let top = of_p
            .iter()
            .map(|v| axis.dot(v))
            .fold(f64::NEG_INFINITY, f64::max);
        let bottom = of_q
            .iter()
            .map(|v| axis.dot(v))
            .fold(f64::INFINITY, f64::min);
        bottom - top
    };
    axes.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn separations_are_those_of_parry_and_of_all_axes() {
    let mut random = Pcg64::seed_from_u64(3);
    let (mut apart, mut overlapping) = (0, 0);
    for case in 0..cases(3_000) {
        let (p, q) = (any(&mut random), any(&mut random));
        let pose_p = Pose::new(direction(&mut random) * 0.3, rotation(&mut random));
        let away = direction(&mut random) * (0.3 + 1.7 * random.random::<f64>());
        let pose_q = Pose::new(pose_p.position + away, rotation(&mut random));
        let found = separation((&p, &pose_p), (&q, &pose_q));
        if found > 0.0 {
            apart += 1;
            let (shape_p, shape_q) = (parry(&p), parry(&q));
            let [pose_a, pose_b] = [placed(&pose_p), placed(&pose_q)];
            let found_by_parry = query::distance(&pose_a, &shape_p, &pose_b, &shape_q);
            let expected = found_by_parry.unwrap().distance;
            assert!(
                (found - expected).abs() <= 1e-6,
                "{case}: {found} {expected}"
            );
        } else {
            overlapping += 1;
            let expected = exhaustive(&p, &pose_p, &q, &pose_q);
            assert!(
                (found - expected).abs() <= 1e-9,
                "{case}: {found} {expected}"
            );
        }
        let turned = separation((&q, &pose_q), (&p, &pose_p));
        assert!((found - turned).abs() <= 1e-9, "{case}: {found} {turned}");
    }
    assert!(apart > 600 && overlapping > 600, "{apart} {overlapping}");
}

/// Contacts of two bodies at rest.
pub(crate) fn contacts(
    shapes: [Shape; 2],
    poses: [Pose; 2],
    margin: f64,
) -> Vec<drystone::collide::ContactPoint> {
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

#[test]
fn manifolds_hold_the_deepest_point() {
    let mut random = Pcg64::seed_from_u64(5);
    let mut touching = 0;
    for case in 0..cases(1_300) {
        let (p, q) = (any(&mut random), any(&mut random));
        let pose_p = Pose::new(Vec3::zeros(), rotation(&mut random));
        let (out, turn) = (direction(&mut random), rotation(&mut random));
        // Just touching, some gap or depth to either side.
        let (mut low, mut high) = (0.0, 3.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let pose = Pose::new(out * middle, turn);
            if separation((&p, &pose_p), (&q, &pose)) > 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        let shift = 0.04 * random.random::<f64>() - 0.02;
        let pose_q = Pose::new(out * (high + shift), turn);
        let expected = separation((&p, &pose_p), (&q, &pose_q));
        // Beyond the margin there is no contact.
        if expected > 0.029 {
            continue;
        }
        let shapes = [
            Shape::Polyhedron(Arc::new(p)),
            Shape::Polyhedron(Arc::new(q)),
        ];
        let found = contacts(shapes, [pose_p, pose_q], 0.03);
        let least = found
            .iter()
            .map(|c| c.separation)
            .fold(f64::INFINITY, f64::min);
        assert!(
            (1..=16).contains(&found.len()),
            "{case}: {expected} {found:?}"
        );
        touching += 1;
        // Faces are preferred that do nearly as well, and bear in place of edges that cross along them.
        let slack = 1e-4 + 0.021 * expected.abs();
        assert!(
            (least - expected).abs() <= slack,
            "{case}: {least} {expected} {found:?}"
        );
        for contact in &found {
            assert!((contact.normal.norm() - 1.0).abs() < 1e-9, "{case}");
            assert!(contact.separation <= 0.03 + 1e-12, "{case}");
        }
        let mut features: Vec<u64> = found.iter().map(|c| c.feature).collect();
        features.dedup();
        assert_eq!(features.len(), found.len(), "{case}: {features:x?}");
    }
    assert!(touching > 1_000);
}

/// Sides of a plate about z that was turned about it: normals and distances from the axis. A plane has none.
fn sides(plate: &Shape, twist: f64) -> Vec<(Vec3, f64)> {
    let (count, distance, first) = match plate {
        Shape::Box { half_extents } => (4, half_extents.x, 0.0),
        Shape::Polyhedron(prism) => {
            let half = TAU / prism.vertices().len() as f64;
            (prism.vertices().len() / 2, 0.5 * half.cos(), half)
        }
        _ => return Vec::new(),
    };
    let angle = |k: usize| twist + first + TAU * k as f64 / count as f64;
    let normals = (0..count).map(angle);
    normals
        .map(|angle| (Vec3::new(angle.cos(), angle.sin(), 0.0), distance))
        .collect()
}

/// Corners of the polygon within all sides.
fn corners_within(sides: &[(Vec3, f64)]) -> Vec<Vec3> {
    let mut corners = Vec::new();
    for (index, (a, of_a)) in sides.iter().enumerate() {
        for (b, of_b) in &sides[..index] {
            let sine = a.cross(b).z;
            if sine.abs() > 1e-9 {
                let at = Vec3::new(of_a * b.y - of_b * a.y, of_b * a.x - of_a * b.x, 0.0) / sine;
                if sides
                    .iter()
                    .all(|(n, distance)| n.dot(&at) <= distance + 1e-9)
                {
                    corners.push(at);
                }
            }
        }
    }
    corners
}

fn level(at: &Vec3) -> Vec3 {
    Vec3::new(at.x, at.y, 0.0)
}

fn nearest_on_line(point: &Vec3, from: &Vec3, to: &Vec3) -> Vec3 {
    let along = to - from;
    let squared = along.norm_squared();
    let part = if squared > 0.0 {
        (along.dot(&(point - from)) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    from + along * part
}

#[test]
fn a_plate_stands_on_the_corners_that_it_leans_on() {
    let prism = |sides: u32| {
        let plate = Polyhedron::prism(sides, 0.5, 0.02).unwrap();
        Shape::Polyhedron(Arc::new(plate))
    };
    let square = Shape::Box {
        half_extents: Vec3::new(0.4, 0.4, 0.02),
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.02,
    };
    for (case, [plate, below]) in [
        [prism(5), prism(5)],
        [prism(8), prism(8)],
        [prism(24), prism(24)],
        [prism(5), square],
        [prism(5), ground.clone()],
        [prism(8), ground],
    ]
    .into_iter()
    .enumerate()
    {
        for k in 0..90 {
            let angle = 4.0_f64.to_radians() * f64::from(k);
            let lowest = Vec3::new(angle.cos(), angle.sin(), 0.0);
            for twist in [0.0, 0.3, 0.785] {
                // By so little that four corners that span the face would stay.
                let lean = Quat::from_scaled_axis(Vec3::z().cross(&lowest) * 1e-4);
                let turn = lean * Quat::from_scaled_axis(Vec3::z() * twist);
                let poses = [Pose::new(Vec3::z() * 0.04, turn), Pose::identity()];
                let found = contacts([plate.clone(), below.clone()], poses, 0.01);
                let what = format!("case {case}, turned by {twist}, leaning to {angle}");
                assert!((4..=16).contains(&found.len()), "{what}: {found:?}");
                let all = [sides(&plate, twist), sides(&below, 0.0)].concat();
                let corners = corners_within(&all);
                // A corner that was left out is no lower than what is nearest to it among those found and the lines between them.
                let points: Vec<Vec3> = found.iter().map(|one| level(&one.position)).collect();
                for corner in &corners {
                    let lines = points
                        .iter()
                        .flat_map(|from| points.iter().map(move |to| (from, to)));
                    let nearest = lines
                        .map(|(from, to)| nearest_on_line(corner, from, to))
                        .min_by(|a, b| (a - corner).norm().total_cmp(&(b - corner).norm()));
                    let lower = nearest.map_or(1.0, |at| (corner - at).dot(&lowest));
                    // Eight cannot stand for all of many.
                    let slack = if corners.len() > 8 { 4e-2 } else { 2e-3 };
                    assert!(lower < slack, "{what}: {lower} at {corner:?} of {points:?}");
                }
            }
        }
    }
}

#[test]
fn a_cube_as_a_polyhedron_touches_as_a_box() {
    let mut random = Pcg64::seed_from_u64(8);
    let half_extents = Vec3::new(0.5, 0.5, 0.5);
    let cube = Shape::Polyhedron(Arc::new(Polyhedron::regular(6, 0.75_f64.sqrt()).unwrap()));
    let cuboid = Shape::Box { half_extents };
    let mut compared = 0;
    for case in 0..3_000 {
        let poses = [
            Pose::new(Vec3::zeros(), rotation(&mut random)),
            Pose::new(
                direction(&mut random) * (0.9 + 0.7 * random.random::<f64>()),
                rotation(&mut random),
            ),
        ];
        let others = [
            Shape::Sphere { radius: 0.4 },
            Shape::Capsule {
                half_length: 0.3,
                radius: 0.3,
            },
            cuboid.clone(),
        ];
        for other in others {
            let expected = contacts([cuboid.clone(), other.clone()], poses, 0.05);
            for found in [
                contacts([cube.clone(), other.clone()], poses, 0.05),
                contacts([other.clone(), cube.clone()], [poses[1], poses[0]], 0.05),
            ] {
                let least = |list: &[drystone::collide::ContactPoint]| {
                    list.iter()
                        .map(|c| c.separation)
                        .fold(f64::INFINITY, f64::min)
                };
                let (a, b) = (least(&expected), least(&found));
                if a.is_infinite() && b.is_infinite() {
                    continue;
                }
                // A sphere or capsule whose core is deep inside leaves by another way.
                if !matches!(other, Shape::Box { .. }) && a.min(b) < -0.25 {
                    continue;
                }
                compared += 1;
                let slack = 1e-3 + 0.03 * a.abs();
                assert!(
                    (a - b).abs() <= slack,
                    "{case}: {a} {b} {other:?}\n{expected:?}\n{found:?}"
                );
            }
        }
        let ground = Shape::HalfSpace {
            normal: Vec3::z(),
            offset: 0.0,
        };
        let high = [
            Pose::new(
                Vec3::new(0.3, -0.2, 0.5 + 0.4 * random.random::<f64>()),
                poses[0].orientation,
            ),
            Pose::identity(),
        ];
        let expected = contacts([cuboid.clone(), ground.clone()], high, 0.05);
        let found = contacts([cube.clone(), ground], high, 0.05);
        assert_eq!(expected.len(), found.len(), "{case}");
        let least = |list: &[drystone::collide::ContactPoint]| {
            list.iter()
                .map(|c| c.separation)
                .fold(f64::INFINITY, f64::min)
        };
        if !found.is_empty() {
            assert!((least(&expected) - least(&found)).abs() < 1e-12);
        }
    }
    assert!(compared > 5_000, "{compared}");
}

#[test]
fn moments_are_those_of_known_solids() {
    let cube = Polyhedron::regular(6, 3.0_f64.sqrt()).unwrap();
    assert_eq!(
        (
            cube.vertices().len(),
            cube.faces().len(),
            cube.edges().len()
        ),
        (8, 6, 12)
    );
    assert!((cube.volume() - 8.0).abs() < 1e-12);
    let (mass, center) = MassProperties::from_density(
        &Shape::Polyhedron(Arc::new(cube.moved(&Vec3::new(3.0, -2.0, 1.0)))),
        2.0,
    )
    .unwrap();
    assert!((center - Vec3::new(3.0, -2.0, 1.0)).norm() < 1e-12);
    assert!((mass.mass - 16.0).abs() < 1e-11);
    assert!(
        (mass.inertia - Mat3::identity() * (16.0 * 8.0 / 12.0))
            .abs()
            .max()
            < 1e-11
    );
    // Volumes by radius R of the vertices: tetrahedron 8 R^3 / (9 sqrt 3), octahedron 4 R^3 / 3; V - E + F = 2.
    for (faces, volume) in [
        (4, 8.0 / (9.0 * 3.0_f64.sqrt())),
        (8, 4.0 / 3.0),
        (12, 2.785_163_863_1),
        (20, 2.536_150_710_1),
    ] {
        let solid = Polyhedron::regular(faces, 1.0).unwrap();
        assert_eq!(solid.faces().len(), faces as usize);
        assert_eq!(
            solid.vertices().len() + faces as usize,
            solid.edges().len() + 2
        );
        assert!(
            (solid.volume() - volume).abs() < 1e-9,
            "{faces}: {}",
            solid.volume()
        );
        assert!((solid.scaled(2.0).volume() - 8.0 * volume).abs() < 1e-8);
    }
    let prism = Polyhedron::prism(64, 0.5, 1.0).unwrap();
    assert_eq!((prism.faces().len(), prism.vertices().len()), (66, 128));
}

#[test]
fn what_is_no_convex_solid_is_refused() {
    let corners: Vec<Vec3> = (0..8)
        .map(|k: u32| Vec3::from_fn(|axis, _| f64::from(k >> axis & 1)))
        .collect();
    let cube: Vec<Vec<u32>> = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ]
    .iter()
    .map(|face: &[u32; 4]| face.to_vec())
    .collect();
    assert!(Polyhedron::new(&corners, &cube).is_ok());
    let refused = |vertices: &[Vec3], faces: &[Vec<u32>], why: &str| {
        let message = Polyhedron::new(vertices, faces).unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    };
    refused(&corners, &cube[..5], "open");
    let turned: Vec<Vec<u32>> = cube
        .iter()
        .map(|face| face.iter().rev().copied().collect())
        .collect();
    refused(&corners, &turned, "inward");
    let mut one_turned = cube.clone();
    one_turned[2].reverse();
    refused(&corners, &one_turned, "same side");
    let mut dented = corners.clone();
    dented[7] = Vec3::new(0.2, 0.2, 0.2);
    assert!(Polyhedron::new(&dented, &cube).is_err());
    // In the middle it is beyond none of the planes of the other corners.
    dented[7] = Vec3::repeat(0.5);
    refused(&dented, &cube, "it is not flat");
    let mut wrong = corners.clone();
    wrong[3].x = f64::NAN;
    refused(&wrong, &cube, "vertex 3 is not finite");
    let mut missing = cube.clone();
    missing[1][0] = 9;
    refused(&corners, &missing, "face 1: it has vertex 9 of 8");
    for points in [&corners[..3], &corners[..4], &[corners[0]; 9][..]] {
        assert!(Polyhedron::hull(points).is_err());
    }
    assert!(Polyhedron::hull(&[Vec3::repeat(f64::INFINITY); 5]).is_err());
    assert!(Polyhedron::regular(7, 1.0).is_err());
    assert!(Polyhedron::regular(4, 0.0).is_err());
    assert!(Polyhedron::prism(2, 1.0, 1.0).is_err());
}

#[test]
fn hulls_of_any_points_hold_them() {
    let mut random = Pcg64::seed_from_u64(11);
    for case in 0..2_000 {
        let grid = case % 3 == 0;
        let size = 10.0_f64.powi(random.random_range(-4..5));
        let count = random.random_range(4..60);
        let points: Vec<Vec3> = (0..count)
            .map(|_| {
                let at = Vec3::from_fn(|_, _| random.random::<f64>());
                // On a grid many points lie in one plane or line.
                (if grid {
                    at.map(|x| (4.0 * x).round())
                } else {
                    at
                }) * size
            })
            .collect();
        let Ok(solid) = Polyhedron::hull(&points) else {
            assert!(grid || count < 6, "{case}");
            continue;
        };
        assert_eq!(
            solid.vertices().len() + solid.faces().len(),
            solid.edges().len() + 2,
            "{case}"
        );
        for point in &points {
            for face in solid.faces() {
                let beyond = face.normal.dot(point) - face.offset;
                assert!(beyond <= 1e-5 * size * 4.0, "{case}: {beyond}");
            }
        }
    }
}
