//! Hart's ratio metric: its gradient, its bounds and its events.

use crate::cases::cases;
use crate::polyhedra::{any, direction, rotation};
use drystone::collide::{EventLimits, Features, events, ratio_metric};
use drystone::internals::collide::separation;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::Polyhedron;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn cube(side: f64) -> Polyhedron {
    let half = 0.5 * side;
    let corner = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { -half } else { half });
    let corners: Vec<Vec3> = (0..8).map(corner).collect();
    Polyhedron::hull(&corners).unwrap()
}

struct Pair {
    solids: [Polyhedron; 2],
    poses: [Pose; 2],
}

impl Pair {
    fn random(random: &mut Pcg64) -> Self {
        let solids = [any(random).centered(), any(random).centered()];
        let first = Pose::new(direction(random) * 0.3, rotation(random));
        let away = direction(random) * (0.3 + 1.7 * random.random::<f64>());
        let second = Pose::new(first.position + away, rotation(random));
        Self {
            solids,
            poses: [first, second],
        }
    }

    /// The ratio is proportional to the distance of the centres, which are those of the poses.
    fn touch(&mut self) {
        let away = self.poses[1].position - self.poses[0].position;
        let ratio = 1.0 / (1.0 - self.rho(self.poses.each_ref()));
        self.poses[1].position = self.poses[0].position + away / ratio;
    }

    fn rho(&self, poses: [&Pose; 2]) -> f64 {
        ratio_metric(self.refs(), poses).unwrap().depth()
    }

    fn refs(&self) -> [&Polyhedron; 2] {
        self.solids.each_ref()
    }
}

/// Of plates and needles too: the plane between the two proves that they grow by no less, the
/// point where they touch by no more.
#[test]
fn thin_solids_grow_as_their_plane_and_their_point_prove() {
    let mut random = Pcg64::seed_from_u64(26);
    let thin = |random: &mut Pcg64| match random.random_range(0..3) {
        0 => {
            let half = Vec3::new(0.8, 0.6, 0.005 + 0.03 * random.random::<f64>());
            let corner = |k: usize| {
                Vec3::from_fn(|axis, _| half[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
            };
            Polyhedron::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
        }
        1 => Polyhedron::prism(random.random_range(3..8), 0.02, 1.0).unwrap(),
        _ => any(random),
    };
    for case in 0..3_000 {
        let solids = [thin(&mut random).centered(), thin(&mut random).centered()];
        let first = Pose::new(direction(&mut random) * 0.3, rotation(&mut random));
        let away = direction(&mut random) * (0.05 + 1.5 * random.random::<f64>());
        let second = Pose::new(first.position + away, rotation(&mut random));
        let poses = [&first, &second];
        let found = ratio_metric(solids.each_ref(), poses).unwrap();
        let centers: [Vec3; 2] = std::array::from_fn(|k| poses[k].point(&solids[k].center()));
        let reach = |k: usize, along: Vec3| {
            let of = |v: &Vec3| along.dot(&(poses[k].point(v) - centers[k]));
            solids[k].vertices().iter().map(of).fold(0.0, f64::max)
        };
        let outward = -found.normal;
        let least =
            outward.dot(&(centers[1] - centers[0])) / (reach(0, outward) + reach(1, -outward));
        let needed = |k: usize| {
            let at = poses[k].inverse_point(&found.point) - solids[k].center();
            let of = |face: &drystone::world::Face| {
                face.normal.dot(&at) / (face.offset - face.normal.dot(&solids[k].center()))
            };
            solids[k].faces().iter().map(of).fold(0.0, f64::max)
        };
        let most = needed(0).max(needed(1));
        assert!(
            (found.ratio - least).abs() <= 1e-10 * least && (most - least).abs() <= 1e-10 * least,
            "{case}: {least} {} {most}",
            found.ratio
        );
    }
}

#[test]
fn the_gradient_is_that_of_finite_differences() {
    let mut random = Pcg64::seed_from_u64(22);
    let step = 1e-6;
    for case in 0..cases(1_500) {
        let mut pair = Pair::random(&mut random);
        if case % 3 == 0 {
            pair.touch();
        }
        let gradient = ratio_metric(pair.refs(), pair.poses.each_ref())
            .unwrap()
            .gradient();
        for of in 0..2 {
            for axis in 0..3 {
                let along = Vec3::ith(axis, step);
                let moved = |by: f64| {
                    let mut poses = pair.poses;
                    poses[of].position += along * by;
                    pair.rho(poses.each_ref())
                };
                let turned = |by: f64| {
                    let mut poses = pair.poses;
                    poses[of].orientation =
                        Quat::from_scaled_axis(along * by) * poses[of].orientation;
                    pair.rho(poses.each_ref())
                };
                let (linear, angular) = gradient[of];
                for (name, found, low, high) in [
                    ("moved", linear[axis], moved(-1.0), moved(1.0)),
                    ("turned", angular[axis], turned(-1.0), turned(1.0)),
                ] {
                    let expected = (high - low) / (2.0 * step);
                    assert!(
                        (found - expected).abs() <= 1e-6 * (1.0 + expected.abs()),
                        "{case}: {of} {name} along {axis}: {found} {expected}"
                    );
                }
            }
        }
    }
}

/// Distance of the origin from the hull of `P - Q` with the centres at the origin: the deepest that the two can be in each other.
fn inner_radius_of_difference(pair: &Pair) -> f64 {
    let mut poses = pair.poses;
    poses[1].position = poses[0].position;
    let [p, q] = pair.refs();
    -separation((p, &poses[0]), (q, &poses[1]))
}

#[test]
fn rho_is_equivalent_to_the_distance_and_the_depth() {
    let mut random = Pcg64::seed_from_u64(23);
    let (mut apart, mut overlapping) = (0, 0);
    for case in 0..2_000 {
        let pair = Pair::random(&mut random);
        let rho = pair.rho(pair.poses.each_ref());
        let [p, q] = pair.refs();
        let s = separation((p, &pair.poses[0]), (q, &pair.poses[1]));
        let distance = (pair.poses[1].position - pair.poses[0].position).norm();
        let deepest = inner_radius_of_difference(&pair);
        let slack = 1e-12;
        if s > 0.0 {
            apart += 1;
            assert!(s / distance <= rho + slack, "{case}: {s} {distance} {rho}");
            assert!(rho <= s / deepest + slack, "{case}: {s} {deepest} {rho}");
        } else {
            // As printed the lower bound fails: what is left of the depth takes the place of the deepest.
            overlapping += 1;
            let left = deepest + s;
            assert!(rho <= s / distance + slack, "{case}: {s} {distance} {rho}");
            assert!(
                left <= 0.0 || s / left <= rho + slack,
                "{case}: {s} {left} {rho}"
            );
        }
    }
    assert!(apart > 300 && overlapping > 300, "{apart} {overlapping}");
}

#[test]
fn boxes_along_each_other_have_the_metric_of_their_halves() {
    let [a, b] = [cube(1.0), cube(0.5)];
    for distance in [0.5, 0.75, 1.0, 2.0] {
        let poses = [
            Pose::identity(),
            Pose::new(Vec3::x() * distance, Quat::identity()),
        ];
        let found = ratio_metric([&a, &b], poses.each_ref()).unwrap();
        let expected = 1.0 - 0.75 / distance;
        assert!((found.depth() - expected).abs() < 1e-14);
        assert!((found.gap() - (distance - 0.75)).abs() < 1e-14);
    }
    let same = Pose::identity();
    assert!(ratio_metric([&a, &b], [&same, &same]).is_err());
}

const TOUCHING: EventLimits = EventLimits {
    active: 1e-9,
    near: 1e-9,
    lateral: 1e-9,
    merge: 1e-4,
};

fn kinds(found: &[drystone::collide::Event]) -> [usize; 3] {
    let mut kinds = [0; 3];
    for event in found {
        kinds[match event.features {
            Features::CornerOfFirst { .. } => 0,
            Features::CornerOfSecond { .. } => 1,
            Features::Edges(_) => 2,
        }] += 1;
    }
    kinds
}

#[test]
fn a_cube_on_a_table_has_four_corners_and_beyond_its_edge_two_pairs_of_edges() {
    let [small, table] = [cube(1.0), cube(10.0)];
    let at = |x: f64| {
        [
            Pose::new(Vec3::new(x, 0.3, 5.5), Quat::identity()),
            Pose::identity(),
        ]
    };
    let found = events([&small, &table], at(0.0).each_ref(), &TOUCHING).unwrap();
    assert_eq!(kinds(&found), [4, 0, 0]);
    let found = events([&small, &table], at(4.8).each_ref(), &TOUCHING).unwrap();
    assert_eq!(kinds(&found), [2, 0, 2]);
    for event in &found {
        assert!((event.normal - Vec3::z()).norm() < 1e-12);
        assert!(event.gap.abs() < 1e-12);
        assert!((event.point.z - 5.0).abs() < 1e-12);
        assert!(event.point.x < 5.0 + 1e-9);
    }
}

/// Area of the hull of points in a plane.
fn area(points: &[[f64; 2]]) -> f64 {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |o: [f64; 2], a: [f64; 2], b: [f64; 2]| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    };
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while chain.len() > 1
                && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    let sides = hull.iter().zip(hull.iter().cycle().skip(1));
    0.5 * sides.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}

/// Area of a convex polygon clipped by the sides of another, both counter-clockwise.
fn clipped(mut polygon: Vec<[f64; 2]>, window: &[[f64; 2]]) -> f64 {
    for (a, b) in window.iter().zip(window.iter().cycle().skip(1)) {
        let beyond = |p: &[f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let mut kept = Vec::new();
        for (p, q) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            let (at_p, at_q) = (beyond(p), beyond(q));
            if at_p >= 0.0 {
                kept.push(*p);
            }
            if (at_p >= 0.0) != (at_q >= 0.0) {
                let part = at_p / (at_p - at_q);
                kept.push([p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])]);
            }
        }
        polygon = kept;
    }
    if polygon.len() < 3 {
        0.0
    } else {
        area(&polygon)
    }
}

#[test]
fn the_region_of_contact_is_the_hull_of_the_events() {
    let mut random = Pcg64::seed_from_u64(24);
    let mut with_edges = 0;
    for case in 0..400 {
        let sides = [random.random_range(3..9), random.random_range(3..9)];
        let prism = |n: u32| Polyhedron::prism(n, 0.5, 0.6).unwrap().centered();
        let [low, high] = sides.map(prism);
        let angle = random.random::<f64>() * 6.0;
        let beside = Vec3::new(
            0.6 * (random.random::<f64>() - 0.5),
            0.6 * (random.random::<f64>() - 0.5),
            0.0,
        );
        let top = |solid: &Polyhedron| solid.vertices().iter().map(|v| v.z).fold(0.0, f64::max);
        let up = Vec3::z() * (top(&low) + top(&high));
        let poses = [
            Pose::identity(),
            Pose::new(beside + up, Quat::from_scaled_axis(Vec3::z() * angle)),
        ];
        let limits = EventLimits {
            merge: 1e-7,
            ..TOUCHING
        };
        let found = events([&low, &high], poses.each_ref(), &limits).unwrap();
        let points: Vec<[f64; 2]> = found.iter().map(|e| [e.point.x, e.point.y]).collect();
        let face = |solid: &Polyhedron, pose: &Pose, z: f64| -> Vec<[f64; 2]> {
            let mut of_face: Vec<[f64; 2]> = solid
                .vertices()
                .iter()
                .filter(|v| v.z * z > 0.0)
                .map(|v| pose.point(v))
                .map(|v| [v.x, v.y])
                .collect();
            let center = of_face
                .iter()
                .fold([0.0; 2], |c, p| [c[0] + p[0], c[1] + p[1]]);
            let center = center.map(|c| c / of_face.len() as f64);
            let around = |p: &[f64; 2]| (p[1] - center[1]).atan2(p[0] - center[0]);
            of_face.sort_by(|a, b| around(a).total_cmp(&around(b)));
            of_face
        };
        let expected = clipped(face(&high, &poses[1], -1.0), &face(&low, &poses[0], 1.0));
        assert!(
            (area(&points) - expected).abs() < 1e-9,
            "{case}: {} {expected}",
            area(&points)
        );
        with_edges += usize::from(kinds(&found)[2] > 0);
    }
    assert!(with_edges > 100, "{with_edges}");
}

#[test]
fn a_pair_has_events_exactly_where_it_is_active() {
    let mut random = Pcg64::seed_from_u64(25);
    let (mut empty, mut active) = (0, 0);
    for case in 0..2_000 {
        let pair = Pair::random(&mut random);
        let rho = pair.rho(pair.poses.each_ref());
        let limits = EventLimits {
            active: 0.1,
            near: 0.02,
            lateral: 1e-3,
            merge: 1e-4,
        };
        let found = events(pair.refs(), pair.poses.each_ref(), &limits).unwrap();
        assert_eq!(found.is_empty(), rho > limits.active, "{case}: {rho}");
        for event in &found {
            assert!((event.component - rho).abs() <= limits.near);
        }
        empty += usize::from(found.is_empty());
        active += usize::from(!found.is_empty());
    }
    assert!(empty > 200 && active > 200, "{empty} {active}");
}
