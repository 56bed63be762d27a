//! Ten thousand pairs of boxes, tetrahedra, rocks and cylinders, apart, touching and overlapping: how far they are apart, beside parry3d.

use crate::cases::cases;
use crate::polyhedra::{direction, exhaustive, rotation};
use crate::round::{best_direction, farthest, with_parry};
use drystone::internals::collide::{separation, separation_of_round};
use drystone::math::{Pose, Vec3};
use drystone::world::{Polyhedron, Shape};
use parry3d_f64::query;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

/// The hull of random points on an ellipsoid.
fn rock(points: usize, axes: Vec3, random: &mut Pcg64) -> Polyhedron {
    loop {
        let points: Vec<Vec3> = (0..points)
            .map(|_| direction(random).component_mul(&axes))
            .collect();
        if let Ok(solid) = Polyhedron::hull(&points) {
            return solid;
        }
    }
}

/// A shape of about 1 m, the number of its kind, and the same as a polyhedron if it is one.
fn any(random: &mut Pcg64) -> (usize, Shape, Option<Polyhedron>) {
    let half = Vec3::from_fn(|_, _| 0.2 + 0.8 * random.random::<f64>());
    let kind = random.random_range(0..4);
    let solid = match kind {
        0 => {
            let corner = |k: usize| {
                Vec3::from_fn(|axis, _| half[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
            };
            Polyhedron::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
        }
        1 => rock(4, half, random),
        2 => {
            let points = random.random_range(5..35);
            rock(points, half, random)
        }
        _ => {
            let shape = Shape::Cylinder {
                half_length: half.z,
                radius: half.x,
            };
            return (kind, shape, None);
        }
    };
    let shape = if kind == 0 {
        Shape::Box { half_extents: half }
    } else {
        Shape::Polyhedron(Arc::new(solid.clone()))
    };
    (kind, shape, Some(solid))
}

fn scaled(shape: &Shape, size: f64) -> Shape {
    match shape {
        Shape::Box { half_extents } => Shape::Box {
            half_extents: half_extents * size,
        },
        Shape::Polyhedron(solid) => Shape::Polyhedron(Arc::new(solid.scaled(size))),
        Shape::Cylinder {
            half_length,
            radius,
        } => Shape::Cylinder {
            half_length: half_length * size,
            radius: radius * size,
        },
        other => panic!("{other:?}"),
    }
}

/// Where the second of two bodies is: apart, touching to a millionth to a hundredth of a metre on either side, or overlapping.
fn beside(
    case: usize,
    first: &Pose,
    separation: impl Fn(&Pose) -> f64,
    random: &mut Pcg64,
) -> Pose {
    let (out, turn) = (direction(random), rotation(random));
    let at = |distance: f64| Pose::new(first.position + out * distance, turn);
    let (mut low, mut high) = (0.0, 5.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if separation(&at(middle)) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    let part = random.random::<f64>();
    at(match case % 3 {
        0 => high + 2.0 * part,
        1 => {
            let shift = 10_f64.powf(-6.0 + 4.0 * part);
            high + if random.random() { shift } else { -shift }
        }
        _ => high * (0.2 + 0.8 * part),
    })
}

/// Sizes from 1 mm to 100 m; parry3d, whose tolerances are lengths, is asked at 1 m.
#[test]
fn separations_are_those_of_parry() {
    const TOLERANCE: f64 = 1e-6;
    let mut random = Pcg64::seed_from_u64(61);
    let (mut kinds, mut disputed) = ([[0_usize; 2]; 4], [0_usize; 2]);
    for case in 0..cases(2_500) {
        let (kind_p, p, solid_p) = any(&mut random);
        let (kind_q, q, solid_q) = any(&mut random);
        let pose_p = Pose::new(direction(&mut random), rotation(&mut random));
        let solids = solid_p.as_ref().zip(solid_q.as_ref());
        let apart = |pose_q: &Pose| match solids {
            Some((p, q)) => separation((p, &pose_p), (q, pose_q)),
            None => separation_of_round((&p, &pose_p), (&q, pose_q)).unwrap(),
        };
        let pose_q = beside(case, &pose_p, apart, &mut random);
        let size = 10_f64.powf(-3.0 + 5.0 * random.random::<f64>());
        let of_size = |pose: &Pose| Pose::new(pose.position * size, pose.orientation);
        let (large_p, large_q) = (of_size(&pose_p), of_size(&pose_q));
        let found = match solids {
            Some((p, q)) => separation((&p.scaled(size), &large_p), (&q.scaled(size), &large_q)),
            None => {
                let (p, q) = (scaled(&p, size), scaled(&q, size));
                separation_of_round((&p, &large_p), (&q, &large_q)).unwrap()
            }
        } / size;
        let (placed_p, placed_q) = ((&p, &pose_p), (&q, &pose_q));
        let by_parry = with_parry(placed_p, |pose_p, shape_p| {
            with_parry(placed_q, |pose_q, shape_q| {
                let contact = query::contact(pose_p, shape_p, pose_q, shape_q, 10.0).unwrap();
                contact.map_or(f64::NAN, |contact| contact.dist)
            })
        });
        let is_overlap = found < 0.0;
        for kind in [kind_p, kind_q] {
            kinds[kind][usize::from(is_overlap)] += 1;
        }
        if (found - by_parry).abs() <= TOLERANCE {
            continue;
        }
        // Parry's search ended early, or found a longer way out: the separation found is that along some direction, and none does better.
        disputed[usize::from(is_overlap)] += 1;
        let what = format!("{case}: {found} {by_parry}, size {size}, {p:?} {q:?}");
        if let Some((p, q)) = solids
            && is_overlap
        {
            let best = exhaustive(p, &pose_p, q, &pose_q);
            assert!((best - found).abs() <= TOLERANCE, "{what}: {best}");
            continue;
        }
        let along = |normal: &Vec3| -farthest(placed_p, &-normal) - farthest(placed_q, normal);
        let best = best_direction(along, &mut random).0;
        assert!(best <= found + TOLERANCE, "{what}: {best}");
        if !is_overlap {
            let normal = Vec3::from_fn(|axis, _| {
                let moved = |by: f64| {
                    let to = pose_q.position - Vec3::ith(axis, by);
                    apart(&Pose::new(to, pose_q.orientation))
                };
                moved(1e-5) - moved(-1e-5)
            });
            let least = along(&normal.normalize());
            assert!(found - least <= TOLERANCE, "{what}: {least}");
        }
    }
    assert!(
        kinds.iter().flatten().all(|&count| count > 350),
        "{kinds:?}"
    );
    assert!(disputed.iter().sum::<usize>() < cases(75), "{disputed:?}");
}
