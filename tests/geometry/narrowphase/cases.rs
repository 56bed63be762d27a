//! Cases worked out by hand.

use super::{at, capsule, contacts, cuboid, deepest, half_space, sphere};
use approx::assert_abs_diff_eq;
use drystone::collide::ContactPoint;
use drystone::internals::constants::EDGES_ALONG_FACE;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{CompoundPart, Shape};
use std::f64::consts::FRAC_PI_2;

fn turned(x: f64, y: f64, z: f64, by: Vec3) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::from_scaled_axis(by))
}

fn assert_corners(
    contacts: &[ContactPoint],
    x: f64,
    y: f64,
    z: f64,
    normal: Vec3,
    separation: f64,
) {
    assert_eq!(contacts.len(), 4, "{contacts:?}");
    for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let corner = Vec3::new(sx * x, sy * y, z);
        assert!(
            contacts.iter().any(|c| (c.position - corner).norm() < 1e-9),
            "no point at {corner:?}: {contacts:?}"
        );
    }
    for contact in contacts {
        assert_abs_diff_eq!(contact.normal, normal, epsilon = 1e-12);
        assert_abs_diff_eq!(contact.separation, separation, epsilon = 1e-12);
    }
}

#[test]
fn flat_box_on_half_space_stands_on_its_corners() {
    let floor = half_space(Vec3::z(), 0.25);
    let cube = cuboid(0.5, 0.4, 0.3);
    let found = contacts(
        (&cube, at(0.0, 0.0, 0.54)),
        (&floor, at(0.0, 0.0, 0.0)),
        0.02,
    );
    assert_corners(&found, 0.5, 0.4, 0.245, Vec3::z(), -0.01);
    let found = contacts(
        (&floor, at(0.0, 0.0, 0.0)),
        (&cube, at(0.0, 0.0, 0.56)),
        0.02,
    );
    assert_corners(&found, 0.5, 0.4, 0.255, -Vec3::z(), 0.01);
    // Thin and deep: still the four lower corners.
    let slab = cuboid(0.5, 0.4, 0.01);
    let found = contacts(
        (&slab, at(0.0, 0.0, 0.1)),
        (&floor, at(0.0, 0.0, 0.0)),
        0.02,
    );
    assert_corners(&found, 0.5, 0.4, 0.17, Vec3::z(), -0.16);
}

#[test]
fn flat_box_on_box_stands_on_its_corners() {
    let small = cuboid(0.5, 0.4, 0.3);
    let large = cuboid(2.0, 3.0, 0.5);
    let found = contacts(
        (&small, at(0.0, 0.0, 0.81)),
        (&large, at(0.2, 0.1, 0.0)),
        0.02,
    );
    assert_corners(&found, 0.5, 0.4, 0.505, Vec3::z(), 0.01);
    let found = contacts(
        (&large, at(0.2, 0.1, 0.0)),
        (&small, at(0.0, 0.0, 0.79)),
        0.02,
    );
    assert_corners(&found, 0.5, 0.4, 0.495, -Vec3::z(), -0.01);
}

#[test]
fn aligned_cubes_keep_their_vertices_under_noise() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let stack = |x: f64, y: f64, tilt: f64| {
        let top = turned(x, y, 0.9999, Vec3::new(tilt, -tilt, tilt));
        contacts((&cube, at(0.0, 0.0, 0.0)), (&cube, top), 0.01)
    };
    let features = |found: &[ContactPoint]| found.iter().map(|c| c.feature).collect::<Vec<_>>();
    let expected = features(&stack(0.0, 0.0, 0.0));
    assert_eq!(expected.len(), 4);
    for (x, y, tilt) in [(1e-7, 0.0, 0.0), (-1e-7, 2e-7, 1e-7), (3e-7, -1e-6, -1e-6)] {
        assert_eq!(features(&stack(x, y, tilt)), expected);
    }
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let half_diagonal = 0.5_f64.sqrt();
    for gap in [-0.01, 0.01] {
        let below = turned(0.0, 0.0, 0.0, Vec3::x() * (0.5 * FRAC_PI_2));
        let above = turned(
            0.0,
            0.0,
            2.0 * half_diagonal + gap,
            Vec3::y() * (0.5 * FRAC_PI_2),
        );
        let found = contacts((&cube, below), (&cube, above), 0.02);
        assert_eq!(found.len(), 1);
        assert_abs_diff_eq!(found[0].normal, -Vec3::z(), epsilon = 1e-12);
        assert_abs_diff_eq!(found[0].separation, gap, epsilon = 1e-12);
        let middle = Vec3::new(0.0, 0.0, half_diagonal + 0.5 * gap);
        assert_abs_diff_eq!(found[0].position, middle, epsilon = 1e-12);
    }
}

#[test]
fn plates_that_nearly_lie_on_each_other_touch_along_a_face() {
    let plate = cuboid(0.375, 0.375, 0.03);
    let tilt = 0.05_f64;
    // A raised edge crosses a lowered one.
    for depth in [0.001, 0.01, 0.02] {
        let rise = 2.0 * (0.03 * tilt.cos() + 0.375 * tilt.sin());
        let below = turned(0.0, 0.0, 0.0, Vec3::x() * tilt);
        let above = turned(0.0, 0.0, rise - depth, Vec3::y() * tilt);
        let found = contacts((&plate, below), (&plate, above), 0.1);
        assert!(found.len() >= 3, "{found:?}");
        let normal = -(below.orientation * Vec3::z());
        for point in &found {
            assert_abs_diff_eq!(point.normal, normal, epsilon = 1e-12);
        }
        let deepest = -deepest(&found).separation;
        assert!(
            (0.999..1.0 / EDGES_ALONG_FACE).contains(&(deepest / depth)),
            "{deepest} of {depth}"
        );
    }
}

#[test]
fn cubes_apart_along_a_diagonal_have_their_true_distance() {
    let cube = cuboid(0.5, 0.5, 0.5);
    // Parallel edges, then corners.
    for away in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 1.0)] {
        let pose = Pose::new(away * 1.003, Quat::identity());
        let found = contacts((&cube, at(0.0, 0.0, 0.0)), (&cube, pose), 0.02);
        let nearest = deepest(&found);
        assert_abs_diff_eq!(nearest.separation, 0.003 * away.norm(), epsilon = 1e-9);
        assert_abs_diff_eq!(nearest.normal, -away.normalize(), epsilon = 1e-9);
    }
}

#[test]
fn sphere_inside_a_box_leaves_through_the_nearest_face() {
    let found = contacts(
        (&sphere(0.1), at(0.3, -0.1, 0.05)),
        (&cuboid(0.5, 1.0, 1.0), at(0.0, 0.0, 0.0)),
        0.0,
    );
    assert_eq!(found.len(), 1);
    assert_abs_diff_eq!(found[0].normal, Vec3::x(), epsilon = 1e-12);
    assert_abs_diff_eq!(found[0].separation, -0.3, epsilon = 1e-12);
    assert_abs_diff_eq!(
        found[0].position,
        Vec3::new(0.35, -0.1, 0.05),
        epsilon = 1e-12
    );
}

#[test]
fn a_sphere_far_below_a_half_space_is_that_deep() {
    let floor = half_space(Vec3::z(), 0.0);
    let found = contacts(
        (&sphere(0.1), at(2.0, 1.0, -7.0)),
        (&floor, at(0.0, 0.0, 0.0)),
        0.0,
    );
    assert_abs_diff_eq!(found[0].separation, -7.1, epsilon = 1e-12);
    assert_abs_diff_eq!(
        found[0].position,
        Vec3::new(2.0, 1.0, -3.55),
        epsilon = 1e-12
    );
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_their_overlap() {
    let (long, short) = (capsule(1.0, 0.2), capsule(0.5, 0.1));
    let found = contacts(
        (&long, at(0.0, 0.0, 0.0)),
        (&short, at(0.29, 0.0, 0.7)),
        0.02,
    );
    assert_eq!(found.len(), 2);
    let mut heights = [found[0].position.z, found[1].position.z];
    heights.sort_by(f64::total_cmp);
    assert_abs_diff_eq!(heights[0], 0.2, epsilon = 1e-12);
    assert_abs_diff_eq!(heights[1], 1.0, epsilon = 1e-12);
    for contact in found {
        assert_abs_diff_eq!(contact.separation, -0.01, epsilon = 1e-12);
        assert_abs_diff_eq!(contact.normal, -Vec3::x(), epsilon = 1e-12);
    }
}

#[test]
fn capsules_lie_on_two_points() {
    let lying = turned(0.0, 0.0, 0.19, Vec3::y() * FRAC_PI_2);
    let log = capsule(1.0, 0.2);
    let floor = half_space(Vec3::z(), 0.0);
    let table = cuboid(0.5, 0.5, 0.3);
    for (shape, pose, ends) in [
        (&floor, at(0.0, 0.0, 0.0), 1.0),
        (&table, at(0.0, 0.0, -0.3), 0.5),
    ] {
        let found = contacts((&log, lying), (shape, pose), 0.02);
        assert_eq!(found.len(), 2, "{found:?}");
        for contact in &found {
            assert_abs_diff_eq!(contact.separation, -0.01, epsilon = 1e-12);
            assert_abs_diff_eq!(contact.normal, Vec3::z(), epsilon = 1e-12);
            assert_abs_diff_eq!(contact.position.x.abs(), ends, epsilon = 1e-9);
        }
        assert!(found[0].position.x * found[1].position.x < 0.0);
    }
    // Along an edge of the table.
    let beside = turned(0.0, 0.6, 0.1, Vec3::y() * FRAC_PI_2);
    let found = contacts((&log, beside), (&table, at(0.0, 0.0, -0.3)), 0.02);
    assert_eq!(found.len(), 2, "{found:?}");
    for contact in &found {
        assert_abs_diff_eq!(contact.separation, 0.02_f64.sqrt() - 0.2, epsilon = 1e-9);
        assert_abs_diff_eq!(contact.position.x.abs(), 0.5, epsilon = 1e-9);
    }
}

#[test]
fn capsules_that_cross_at_a_small_angle_touch_over_a_stretch() {
    let log = capsule(1.0, 0.2);
    let crossing = |angle: f64| {
        let above = turned(0.38, 0.0, 0.0, Vec3::x() * angle);
        contacts((&log, above), (&log, at(0.0, 0.0, 0.0)), 0.1)
    };
    for angle in [0.12_f64, 0.2] {
        let found = crossing(angle);
        assert_eq!(found.len(), 3, "{angle}: {found:?}");
        for end in [-1.0, 1.0] {
            // The ends of the first one's segment, which lie over the second one's.
            let apart = 0.38_f64.hypot(angle.sin() * angle.cos()) - 0.4;
            let is_end = |point: &&ContactPoint| {
                (point.separation - apart).abs() < 1e-12 && point.position.z * end > 0.9
            };
            assert_eq!(found.iter().filter(is_end).count(), 1, "{angle}: {found:?}");
        }
        assert_abs_diff_eq!(deepest(&found).separation, -0.02, epsilon = 1e-12);
    }
    assert_eq!(crossing(0.6).len(), 1);
}

#[test]
fn a_cylinder_along_an_edge_lies_on_all_of_it() {
    let roller = Shape::Cylinder {
        radius: 0.2,
        half_length: 1.0,
    };
    let table = cuboid(0.5, 0.5, 0.3);
    for lean in [0.2_f64, 0.7, 0.75, 1.0, 1.3] {
        // Its axis is that far from the edge.
        let (y, z) = (0.5 + 0.19 * lean.sin(), 0.3 + 0.19 * lean.cos());
        let pose = turned(0.0, y, z, Vec3::y() * FRAC_PI_2);
        let found = contacts((&roller, pose), (&table, at(0.0, 0.0, 0.0)), 0.02);
        let ends = [-0.5, 0.5].map(|x| {
            let edge = Vec3::new(x, 0.5, 0.3);
            let is_there = |point: &&ContactPoint| (point.position - edge).norm() < 0.03;
            found.iter().filter(is_there).count()
        });
        assert_eq!(ends, [1, 1], "{lean}: {found:?}");
    }
}

#[test]
fn shapes_in_the_same_place_part_in_some_direction() {
    let shapes = [
        sphere(0.5),
        cuboid(0.5, 0.5, 0.5),
        capsule(0.5, 0.3),
        capsule(0.0, 0.3),
    ];
    for a in &shapes {
        for b in &shapes {
            let found = contacts((a, at(1.0, 2.0, 3.0)), (b, at(1.0, 2.0, 3.0)), 0.0);
            assert!(!found.is_empty(), "{a:?} {b:?}");
            for contact in found {
                assert!((contact.normal.norm() - 1.0).abs() < 1e-12, "{a:?} {b:?}");
                assert!(contact.separation < -0.5, "{a:?} {b:?} {contact:?}");
                assert!(contact.position.iter().all(|x| x.is_finite()));
            }
        }
    }
}

#[test]
fn compounds_name_their_parts() {
    let part = |x: f64, shape: Shape| CompoundPart {
        pose: at(x, 0.0, 0.0),
        shape,
    };
    let dumbbell = Shape::Compound {
        parts: [
            part(-1.0, sphere(0.5)),
            part(0.0, cuboid(1.0, 0.1, 0.1)),
            part(1.0, sphere(0.5)),
        ]
        .to_vec()
        .into(),
    };
    let basin = Shape::Compound {
        parts: [
            part(0.0, half_space(Vec3::z(), 0.0)),
            part(0.0, half_space(Vec3::x(), -1.45)),
        ]
        .to_vec()
        .into(),
    };
    let found = contacts(
        (&dumbbell, at(0.0, 0.0, 0.45)),
        (&basin, at(0.0, 0.0, 0.0)),
        0.0,
    );
    let names: Vec<(u64, u64)> = found
        .iter()
        .map(|c| (c.feature >> 48, c.feature >> 32 & 0xffff))
        .collect();
    assert_eq!(names, [(0, 0), (0, 1), (2, 0)]);
    assert_abs_diff_eq!(
        found[2].position,
        Vec3::new(1.0, 0.0, -0.025),
        epsilon = 1e-12
    );
    // The other way round, and against a body that is no compound.
    let found = contacts(
        (&basin, at(0.0, 0.0, 0.0)),
        (&dumbbell, at(0.0, 0.0, 0.45)),
        0.0,
    );
    let names: Vec<u64> = found.iter().map(|c| c.feature >> 32).collect();
    assert_eq!(names, [0, 2, 1 << 16]);
    assert!(
        found
            .iter()
            .all(|c| c.separation < 0.0 && c.normal.min() == -1.0)
    );
    let found = contacts(
        (&sphere(0.2), at(0.0, 0.0, 0.29)),
        (&dumbbell, at(0.0, 0.0, 0.0)),
        0.0,
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].feature >> 32, 1);
}
