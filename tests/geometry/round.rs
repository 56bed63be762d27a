//! Cylinders and cones: where they touch, beside parry3d.

use super::polyhedra::{any, contacts, direction, parry, placed, rotation};
use drystone::internals::collide::separation_of_round;
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, World};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query;
use parry3d_f64::shape as parry_shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Duration;

fn size(random: &mut Pcg64) -> f64 {
    0.3 + 0.7 * random.random::<f64>()
}

fn round(random: &mut Pcg64) -> Shape {
    let radius = size(random);
    if random.random_range(0..3) == 0 {
        let height = 2.0 * size(random);
        Shape::Cone { height, radius }
    } else {
        let half_length = size(random);
        Shape::Cylinder {
            half_length,
            radius,
        }
    }
}

fn other(random: &mut Pcg64) -> Shape {
    match random.random_range(0..5) {
        0 => Shape::Sphere {
            radius: size(random),
        },
        1 => Shape::Capsule {
            half_length: size(random),
            radius: 0.5 * size(random),
        },
        2 => Shape::Box {
            half_extents: Vec3::from_fn(|_, _| size(random)),
        },
        3 => Shape::Polyhedron(Arc::new(any(random))),
        _ => round(random),
    }
}

/// Parry's cylinders and cones are about y, and its cones about the middle of their height.
pub(crate) fn with_parry<T>(
    (shape, pose): (&Shape, &Pose),
    with: impl FnOnce(&ParryPose, &dyn parry_shape::Shape) -> T,
) -> T {
    let upright = |lift: f64| {
        let turn = Quat::from_axis_angle(&Vec3::x_axis(), 0.5 * PI);
        placed(&pose.compose(&Pose::new(Vec3::new(0.0, 0.0, lift), turn)))
    };
    match shape {
        Shape::Cylinder {
            half_length,
            radius,
        } => with(
            &upright(0.0),
            &parry_shape::Cylinder::new(*half_length, *radius),
        ),
        Shape::Cone { height, radius } => with(
            &upright(0.25 * height),
            &parry_shape::Cone::new(0.5 * height, *radius),
        ),
        Shape::Capsule {
            half_length,
            radius,
        } => with(
            &upright(0.0),
            &parry_shape::Capsule::new_y(*half_length, *radius),
        ),
        Shape::Sphere { radius } => with(&upright(0.0), &parry_shape::Ball::new(*radius)),
        Shape::Box { half_extents: h } => with(
            &placed(pose),
            &parry_shape::Cuboid::new(parry3d_f64::math::Vector::new(h.x, h.y, h.z)),
        ),
        Shape::Polyhedron(solid) => with(&placed(pose), &parry(solid)),
        _ => panic!("not compared"),
    }
}

/// Farthest point of a shape along a direction.
pub(crate) fn farthest((shape, pose): (&Shape, &Pose), direction: &Vec3) -> f64 {
    let local = pose.inverse_direction(direction);
    let across = local.x.hypot(local.y);
    let own = match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half_extents } => half_extents.dot(&local.abs()),
        Shape::Capsule {
            half_length,
            radius,
        } => half_length * local.z.abs() + radius,
        Shape::Cylinder {
            half_length,
            radius,
        } => half_length * local.z.abs() + radius * across,
        Shape::Cone { height, radius } => {
            (0.75 * height * local.z).max(radius * across - 0.25 * height * local.z)
        }
        Shape::Polyhedron(solid) => {
            let along = solid.vertices().iter().map(|v| local.dot(v));
            along.fold(f64::NEG_INFINITY, f64::max)
        }
        _ => panic!("not compared"),
    };
    direction.dot(&pose.position) + own
}

/// The best of directions by a measure: of many, and then of those nearer and nearer to it.
pub(crate) fn best_direction(along: impl Fn(&Vec3) -> f64, random: &mut Pcg64) -> (f64, Vec3) {
    let better = |best: (f64, Vec3), normal: Vec3| {
        let separation = along(&normal);
        if separation > best.0 {
            (separation, normal)
        } else {
            best
        }
    };
    let mut best = (f64::NEG_INFINITY, Vec3::z());
    for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
        best = better(better(best, axis), -axis);
    }
    for _ in 0..200 {
        best = better(best, direction(random));
    }
    for round in 0..25 {
        let spread = 0.3 * 0.4_f64.powi(round);
        for _ in 0..15 {
            let normal = (best.1 + direction(random) * spread).normalize();
            best = better(best, normal);
        }
    }
    best
}

#[test]
fn shapes_that_lie_along_each_other_leave_by_the_shortest_way() {
    let mut random = Pcg64::seed_from_u64(15);
    let mut overlapping = 0;
    for case in 0..20_000 {
        let (p, q) = (round(&mut random), other(&mut random));
        let noise = [0.0, 1e-12, 1e-9, 1e-6, 1e-3][random.random_range(0..5)];
        let mut pose = || {
            let turn = Quat::from_axis_angle(
                &[Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][random.random_range(0..3)],
                0.5 * PI * f64::from(random.random_range(0..4)),
            );
            let noise = Quat::from_scaled_axis(direction(&mut random) * noise);
            let mut place = direction(&mut random) * (1.4 * random.random::<f64>());
            for axis in 0..3 {
                if random.random_range(0..2) == 0 {
                    place[axis] = 0.0;
                }
            }
            Pose::new(place, noise * turn)
        };
        let (pose_p, pose_q) = (pose(), pose());
        let (p, q) = ((&p, &pose_p), (&q, &pose_q));
        let found = separation_of_round(p, q).unwrap();
        let along = |normal: &Vec3| -farthest(p, &-normal) - farthest(q, normal);
        let best = best_direction(along, &mut random);
        let size = p.0.bounding_radius() + q.0.bounding_radius();
        // One that is swallowed by the other finds a way out that is nearly the shortest.
        let inner = p.0.inner_radius().min(q.0.inner_radius());
        let tolerance = if found > -inner { 1e-6 } else { 1e-3 };
        overlapping += usize::from(found < 0.0);
        assert!(
            best.0 <= found + tolerance * size,
            "{case}: {found} {best:?} {p:?} {q:?}"
        );
    }
    assert!(overlapping > 10_000, "{overlapping}");
}

#[test]
fn separations_are_those_of_parry_and_of_the_best_direction() {
    let mut random = Pcg64::seed_from_u64(11);
    let (mut apart, mut overlapping) = (0, 0);
    for case in 0..10_000 {
        let (p, q) = (round(&mut random), other(&mut random));
        let pose_p = Pose::new(direction(&mut random) * 0.3, rotation(&mut random));
        let away = direction(&mut random) * (0.2 + 2.0 * random.random::<f64>());
        let pose_q = Pose::new(pose_p.position + away, rotation(&mut random));
        let (p, q) = ((&p, &pose_p), (&q, &pose_q));
        let found = separation_of_round(p, q).unwrap();
        let turned = separation_of_round(q, p).unwrap();
        let size = p.0.bounding_radius() + q.0.bounding_radius();
        assert!(
            (found - turned).abs() <= 1e-6 * size,
            "{case}: {found} {turned} {p:?} {q:?}"
        );
        let along = |normal: &Vec3| -farthest(p, &-normal) - farthest(q, normal);
        if found > 0.0 {
            apart += 1;
            let expected = with_parry(p, |pose_p, shape_p| {
                with_parry(q, |pose_q, shape_q| {
                    query::distance(pose_p, shape_p, pose_q, shape_q)
                        .unwrap()
                        .distance
                })
            });
            if (found - expected).abs() > 1e-6 * size {
                // Parry's search ended early: points are no nearer than the shapes along any direction, as that of the gradient.
                assert!(found < expected, "{case}: {found} {expected}");
                let shifted = |shift: Vec3| {
                    let pose = Pose::new(p.1.position + shift, p.1.orientation);
                    separation_of_round((p.0, &pose), q).unwrap()
                };
                let normal = Vec3::from_fn(|axis, _| {
                    let step = Vec3::ith(axis, 1e-5 * size);
                    shifted(step) - shifted(-step)
                });
                let least = along(&normal.normalize());
                assert!(found - least <= 1e-6 * size, "{case}: {found} {least}");
            }
        } else {
            overlapping += 1;
            let best = best_direction(along, &mut random);
            // The separation found is that along some direction; no other does better.
            assert!(
                best.0 <= found + 1e-6 * size,
                "{case}: {found} {best:?} {p:?} {q:?}"
            );
        }
    }
    assert!(
        apart > 2_000 && overlapping > 2_000,
        "{apart} {overlapping}"
    );
}

#[test]
fn manifolds_hold_the_deepest_point() {
    let mut random = Pcg64::seed_from_u64(13);
    let mut touching = 0;
    for case in 0..4_000 {
        let (p, q) = (round(&mut random), other(&mut random));
        let pose_p = Pose::new(Vec3::zeros(), rotation(&mut random));
        let (out, turn) = (direction(&mut random), rotation(&mut random));
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            let pose = Pose::new(out * middle, turn);
            if separation_of_round((&p, &pose_p), (&q, &pose)).unwrap() > 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        let shift = 0.04 * random.random::<f64>() - 0.02;
        let pose_q = Pose::new(out * (high + shift), turn);
        let expected = separation_of_round((&p, &pose_p), (&q, &pose_q)).unwrap();
        if expected > 0.029 {
            continue;
        }
        touching += 1;
        for (shapes, poses) in [
            ([p.clone(), q.clone()], [pose_p, pose_q]),
            ([q.clone(), p.clone()], [pose_q, pose_p]),
        ] {
            let found = contacts(shapes, poses, 0.03);
            let least = found
                .iter()
                .map(|c| c.separation)
                .fold(f64::INFINITY, f64::min);
            let slack = 2e-4 + 0.011 * expected.abs();
            assert!(
                (least - expected).abs() <= slack,
                "{case}: {least} {expected} {p:?} {pose_p:?} {q:?} {pose_q:?} {found:?}"
            );
            for contact in &found {
                assert!((contact.normal.norm() - 1.0).abs() < 1e-9, "{case}");
                // From the second body to the first.
                let apart = poses[0].position - poses[1].position;
                assert!(contact.normal.dot(&apart) > -0.7, "{case}");
            }
            let mut features: Vec<u64> = found.iter().map(|c| c.feature).collect();
            features.dedup();
            assert_eq!(features.len(), found.len(), "{case}: {features:x?}");
        }
    }
    assert!(touching > 3_000, "{touching}");
}

#[test]
fn flat_contacts_have_the_points_that_carry_them() {
    let cylinder = Shape::Cylinder {
        half_length: 0.5,
        radius: 0.3,
    };
    let block = Shape::Box {
        half_extents: Vec3::new(2.0, 2.0, 0.5),
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.5,
    };
    let standing = Quat::identity();
    let lying = Quat::from_axis_angle(&Vec3::x_axis(), 0.5 * PI);
    for below in [block, ground] {
        for (turn, height, count, reach) in [(standing, 0.5, 4, 0.3), (lying, 0.3, 2, 0.5)] {
            let pose = Pose::new(Vec3::new(0.2, 0.1, 0.5 + height - 1e-4), turn);
            let found = contacts(
                [cylinder.clone(), below.clone()],
                [pose, Pose::identity()],
                0.01,
            );
            assert_eq!(found.len(), count, "{below:?} {turn}");
            for contact in &found {
                assert!((contact.separation + 1e-4).abs() < 1e-12);
                assert!((contact.normal - Vec3::z()).norm() < 1e-12);
                let arm = contact.position - pose.position;
                assert!((arm.x.hypot(arm.y) - reach).abs() < 1e-12, "{arm}");
            }
            let middle = found.iter().map(|c| c.position).sum::<Vec3>() / count as f64;
            assert!((middle - pose.position).xy().norm() < 1e-12);
        }
    }
    // Two side by side share a line, and two that cross a point.
    let beside = Pose::new(Vec3::new(0.6 - 1e-4, 0.0, 0.2), standing);
    let pair = [cylinder.clone(), cylinder.clone()];
    let found = contacts(pair.clone(), [Pose::identity(), beside], 0.01);
    let heights: Vec<f64> = found.iter().map(|c| c.position.z).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        (heights[0] + 0.3).abs() < 1e-9 && (heights[1] - 0.5).abs() < 1e-9,
        "{heights:?}"
    );
    let across = Pose::new(Vec3::new(0.6 - 1e-4, 0.0, 0.0), lying);
    assert_eq!(contacts(pair, [Pose::identity(), across], 0.01).len(), 1);
}

#[test]
fn bounds_hold_the_shape_and_touch_it() {
    let mut random = Pcg64::seed_from_u64(14);
    for _ in 0..2_000 {
        let shape = round(&mut random);
        let pose = Pose::new(direction(&mut random), rotation(&mut random));
        let aabb = shape.aabb(&pose);
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            let top = farthest((&shape, &pose), &axis);
            let bottom = -farthest((&shape, &pose), &-axis);
            assert!((aabb.max.dot(&axis) - top).abs() < 1e-12);
            assert!((aabb.min.dot(&axis) - bottom).abs() < 1e-12);
        }
        let reach =
            (0..2_000).map(|_| farthest((&shape, &Pose::identity()), &direction(&mut random)));
        let reach = reach.fold(0.0, f64::max);
        assert!(reach <= shape.bounding_radius() + 1e-12);
        assert!(reach >= 0.98 * shape.bounding_radius());
    }
}

#[test]
fn sides_that_cross_at_a_small_angle_touch_at_both_ends() {
    let lying = |angle: f64| {
        Quat::from_axis_angle(&Vec3::z_axis(), angle)
            * Quat::from_axis_angle(&Vec3::y_axis(), 0.5 * PI)
    };
    let (radius, half_length) = (0.5, 1.0);
    let cylinder = Shape::Cylinder {
        half_length,
        radius,
    };
    for angle in [0.0, 0.01, 0.03, 0.1, 0.3] {
        for depth in [0.01_f64, 0.2] {
            let apart = 2.0 * radius - depth;
            let below = Pose::new(Vec3::zeros(), lying(0.0));
            let above = Pose::new(Vec3::new(0.0, 0.0, apart), lying(angle));
            let points = contacts([cylinder.clone(), cylinder.clone()], [above, below], 0.01);
            let case = format!("{angle} {depth}: {points:?}");
            // A turn of the axes moves them apart by this at the ends.
            let ends: Vec<_> = points.iter().filter(|p| p.position.x.abs() > 0.2).collect();
            assert!(ends.len() >= 2, "{case}");
            assert!(ends.iter().any(|p| p.position.x > 0.2), "{case}");
            assert!(ends.iter().any(|p| p.position.x < -0.2), "{case}");
            for point in ends {
                let aside = point.position.x * angle.tan();
                let separation = apart.hypot(aside) - 2.0 * radius;
                assert!((point.separation - separation).abs() < 5e-3, "{case}");
                assert!(point.separation < 0.006, "{case}");
            }
            let deepest = points.iter().map(|p| p.separation).fold(0.0, f64::min);
            assert!((deepest + depth).abs() < 1e-3, "{case}");
        }
    }
}

/// Two discs that touch at their rims, one lower than the other by its thickness. In some directions the search for the way out of their overlap, of 1e-7 m,
/// kept triangles that rounding had folded, and their number grew with every vertex: it took 48 s.
#[test]
fn rims_that_barely_overlap_are_found_at_once() {
    let pose = |at: [f64; 3], turn: [f64; 4]| {
        let turn = nalgebra::Quaternion::from(turn);
        Pose::new(Vec3::from(at), Quat::new_unchecked(turn))
    };
    let disc = Shape::Cylinder {
        half_length: 0.15,
        radius: 0.5,
    };
    let mut world = World::new(Vec3::zeros());
    for pose in [
        pose(
            [
                -1.7000513181804917,
                -1.9996848319759806,
                0.44977883696235893,
            ],
            [
                6.961231527474959e-6,
                -2.5945000931696743e-5,
                -0.9166012005638073,
                -0.3998027493694675,
            ],
        ),
        pose(
            [-0.7000526619732751, -2.000003327739419, 0.14987547261629655],
            [
                1.8364772222738143e-5,
                1.2385890156606907e-5,
                -0.9904188050850096,
                -0.13809630713131543,
            ],
        ),
    ] {
        world
            .add(Body::dynamic(disc.clone(), pose, 1000.0).unwrap())
            .unwrap();
    }
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let solver = Box::new(CpuSolver::new());
        let simulation = Simulation::new(world, Settings::default(), solver).unwrap();
        send.send(simulation.penetration().max).unwrap();
    });
    let deepest = receive.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(deepest < 1e-3, "{deepest}");
}
