//! What holds for any two shapes in any poses.

use super::reference::{distance_to_point, separation};
use super::{KINDS, Scene, cuboid, deepest, random_scene, random_unit};
use drystone::collide::ContactPoint;
use drystone::internals::constants::{
    AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, CLIP_TOLERANCE, EDGES_ALONG_FACE,
};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::Shape;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Every pair of kinds that can touch: at most one half-space.
fn kinds() -> impl Strategy<Value = [usize; 2]> {
    (0..KINDS * KINDS - 1).prop_map(|i| [i / KINDS, i % KINDS])
}

fn is_box_box(scene: &Scene) -> bool {
    matches!(
        (&scene.a.0, &scene.b.0),
        (Shape::Box { .. }, Shape::Box { .. })
    )
}

fn smallest_half_extent(scene: &Scene) -> f64 {
    [&scene.a.0, &scene.b.0]
        .iter()
        .map(|shape| match shape {
            Shape::Box { half_extents } => half_extents.min(),
            _ => f64::INFINITY,
        })
        .fold(f64::INFINITY, f64::min)
}

/// How far the deepest point may be from the true separation. A box prefers its faces, by a stated
/// amount, where it overlaps another shape's core.
fn allowance(scene: &Scene, truth: f64) -> (f64, f64) {
    let size = smallest_half_extent(scene);
    let preference = if size.is_finite() && truth < 0.0 {
        1.1 * (AXIS_PREFERENCE_RELATIVE * truth.abs() + AXIS_PREFERENCE_ABSOLUTE * size)
    } else {
        0.0
    };
    // Of edges along a face, boxes prefer the face, which is deeper.
    let along = if is_box_box(scene) {
        (1.0 / EDGES_ALONG_FACE - 1.0) * -truth.min(0.0)
    } else {
        0.0
    };
    let clip = if is_box_box(scene) {
        CLIP_TOLERANCE * 2.0
    } else {
        0.0
    };
    (1e-6 + preference + clip + along, 1e-6 + preference)
}

fn moved(scene: &Scene, by: &Vec3) -> Scene {
    let mut scene = scene.clone();
    scene.a.1.position += by;
    scene
}

fn swapped(scene: &Scene) -> Scene {
    Scene {
        a: scene.b.clone(),
        b: scene.a.clone(),
    }
}

fn truth(scene: &Scene) -> f64 {
    let (a, b) = ((&scene.a.0, &scene.a.1), (&scene.b.0, &scene.b.1));
    if matches!(a.0, Shape::HalfSpace { .. }) {
        separation(b, a)
    } else {
        separation(a, b)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::with_cases(40_000)
    })]

    #[test]
    fn deepest_point_has_the_separation_of_the_shapes(seed: u64, kinds in kinds()) {
        let scene = random_scene(seed, kinds);
        let contacts = scene.contacts(10.0);
        prop_assert!(!contacts.is_empty());
        let (truth, found) = (truth(&scene), deepest(&contacts).separation);
        let (below, above) = allowance(&scene, truth);
        prop_assert!(
            (truth - below..=truth + above).contains(&found),
            "{found} instead of {truth}: {scene:?}"
        );
    }

    #[test]
    fn separation_grows_along_the_normal(seed: u64, kinds in kinds()) {
        let scene = random_scene(seed, kinds);
        let before = deepest(&scene.contacts(10.0));
        prop_assert!((before.normal.norm() - 1.0).abs() < 1e-12);
        let step = 1e-4;
        let after = moved(&scene, &(before.normal * step)).contacts(10.0);
        let Some(after) = after.iter().find(|c| c.feature == before.feature) else {
            // Another axis has become the best one, at most by as much as the step.
            let jump = deepest(&after).separation - before.separation;
            prop_assert!(jump.abs() < 10.0 * step + allowance(&scene, before.separation).0);
            return Ok(());
        };
        let growth = after.separation - before.separation;
        prop_assert!((growth - step).abs() < 1e-9, "{growth}: {scene:?}");
    }

    #[test]
    fn swapping_the_bodies_turns_the_normal(seed: u64, kinds in kinds()) {
        let scene = random_scene(seed, kinds);
        let here = scene.contacts(10.0);
        let there = swapped(&scene).contacts(10.0);
        let (a, b) = (deepest(&here), deepest(&there));
        if is_box_box(&scene) {
            // Either box may lend the reference face; what the solver gains is the same.
            let (below, above) = allowance(&scene, a.separation);
            prop_assert!((a.separation - b.separation).abs() <= below + above);
            return Ok(());
        }
        prop_assert!((a.separation - b.separation).abs() < 1e-9);
        if here.len() == 1 && there.len() == 1 {
            // A tie of two directions may be broken by rounding.
            let same = (a.normal + b.normal).norm() < 1e-6;
            prop_assert!(same || a.separation < 0.0, "{:?} {:?}", a.normal, b.normal);
        }
    }

    #[test]
    fn points_lie_midway_between_the_shapes(seed: u64, kinds in kinds()) {
        let scene = random_scene(seed, kinds);
        let contacts = scene.contacts(0.3);
        // Deeper than the shapes are thick, the middle is outside of both.
        if contacts.is_empty() || deepest(&contacts).separation < -0.1 {
            return Ok(());
        }
        for contact in &contacts {
            for (shape, pose) in [&scene.a, &scene.b] {
                let apart = distance_to_point(shape, pose, &contact.position);
                let most = 0.5 * contact.separation.abs() + allowance(&scene, contact.separation).0;
                prop_assert!(apart <= most, "{apart} {contact:?}: {scene:?}");
            }
        }
    }

    #[test]
    fn manifolds_are_small_sorted_and_named_once(seed: u64, kinds in kinds()) {
        let contacts = random_scene(seed, kinds).contacts(10.0);
        prop_assert!(contacts.len() <= 8);
        prop_assert!(contacts.windows(2).all(|pair| pair[0].feature < pair[1].feature));
        prop_assert!(contacts.iter().all(|c| c.bodies == [0, 1]));
    }

    #[test]
    fn gaps_keep_their_digits_far_away(seed: u64, kinds in kinds()) {
        // Powers of two: the far positions are exact up to a last digit of 2^-39 m.
        let mut near = random_scene(seed, kinds);
        let grid = 2.0_f64.powi(-38);
        for pose in [&mut near.a.1, &mut near.b.1] {
            pose.position = pose.position.map(|x| (x / grid).round() * grid);
        }
        let mut far = near.clone();
        for pose in [&mut far.a.1, &mut far.b.1] {
            pose.position += Vec3::new(8192.0, -8192.0, 4096.0);
        }
        let (near, far) = (near.contacts(0.5), far.contacts(0.5));
        prop_assert_eq!(near.len(), far.len());
        for (x, y) in near.iter().zip(&far) {
            prop_assert!((x.separation - y.separation).abs() < 1e-9);
            prop_assert_eq!(x.feature, y.feature);
        }
    }
}

#[test]
fn boxes_at_rest_on_each_other_keep_their_features() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let mut same = 0;
    for _ in 0..2000 {
        let place = Vec3::from_fn(|_, _| rng.random_range(-0.3..0.3));
        let twist = Quat::from_scaled_axis(Vec3::z() * rng.random_range(-1.5..1.5));
        let mut resting = |noise: f64| {
            let shift = random_unit(&mut rng) * noise;
            let turn = Quat::from_scaled_axis(random_unit(&mut rng) * noise) * twist;
            let top = Vec3::new(place.x, place.y, 0.4999) + shift;
            Scene {
                a: (cuboid(0.5, 0.4, 0.3), Pose::identity()),
                b: (cuboid(0.45, 0.5, 0.2), Pose::new(top, turn)),
            }
            .contacts(0.01)
        };
        let [before, after] = [resting(0.0), resting(1e-7)];
        let features = |contacts: &[ContactPoint]| -> Vec<u64> {
            contacts.iter().map(|contact| contact.feature).collect()
        };
        assert_eq!(before.len(), 4);
        same += usize::from(features(&before) == features(&after));
    }
    // Of all placements few are so near a tie that noise decides which four points are kept.
    assert!(same >= 1980, "{same} of 2000");
}
