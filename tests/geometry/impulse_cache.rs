//! Impulses carried over by pair and feature.

use drystone::collide::ContactPoint;
use drystone::internals::collide::ImpulseCache;
use drystone::internals::math::{narrow, tangents, widen};
use drystone::math::{Quat, Vec3};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn contact(a: u32, b: u32, feature: u64, normal: Vec3) -> ContactPoint {
    ContactPoint {
        bodies: [a, b],
        feature,
        position: Vec3::zeros(),
        normal,
        separation: 0.0,
    }
}

fn world_impulse(contact: &ContactPoint, impulse: [f32; 3]) -> Vec3 {
    let normal = narrow(&contact.normal);
    let (t1, t2) = tangents(normal);
    widen(normal) * f64::from(impulse[0])
        + widen(t1) * f64::from(impulse[1])
        + widen(t2) * f64::from(impulse[2])
}

fn load(cache: &ImpulseCache, contacts: &[ContactPoint]) -> Vec<[f32; 3]> {
    let mut impulses = vec![[9.0; 3]];
    cache.load(contacts, &mut impulses);
    impulses
}

fn normal() -> impl Strategy<Value = Vec3> {
    (-1.0..1.0, 0.0..6.3).prop_map(|(z, angle): (f64, f64)| {
        let flat = (1.0 - z * z).sqrt();
        Vec3::new(flat * angle.cos(), flat * angle.sin(), z)
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::with_cases(2000)
    })]

    #[test]
    fn a_turned_normal_keeps_the_force(
        normal in normal(),
        turn in [-0.3..0.3, -0.3..0.3, -0.3..0.3],
        impulse in [1.0_f32..10.0, -1.0_f32..1.0, -1.0_f32..1.0],
    ) {
        let before = contact(3, 5, 7, normal);
        let mut cache = ImpulseCache::default();
        cache.store(&[before], &[impulse]);
        for (found, given) in load(&cache, &[before])[0].iter().zip(impulse) {
            prop_assert!((found - given).abs() < 1e-5);
        }
        let after = contact(3, 5, 7, Quat::from_scaled_axis(turn.into()) * normal);
        let found = load(&cache, &[after])[0];
        let lost = world_impulse(&after, found) - world_impulse(&before, impulse);
        // All of it, unless it would have pulled.
        prop_assert!(found[0] >= 0.0);
        prop_assert!(found[0] == 0.0 || lost.norm() < 1e-5, "{lost:?}");
    }
}

#[test]
fn an_impulse_that_would_pull_loses_its_normal_part() {
    let mut cache = ImpulseCache::default();
    cache.store(&[contact(0, 1, 0, Vec3::z())], &[[2.0, 0.0, 0.0]]);
    assert_eq!(load(&cache, &[contact(0, 1, 0, -Vec3::z())])[0][0], 0.0);
}

#[test]
fn only_the_same_pair_and_feature_match() {
    let count = 20_000;
    let normal = Vec3::new(0.6, 0.0, 0.8);
    let contacts: Vec<_> = (0..count)
        .map(|i| contact(i / 8, i / 8 + 1 + i % 8 / 4, u64::from(i % 4) << 32, normal))
        .collect();
    let impulses: Vec<_> = (0..count).map(|i| [1.0 + i as f32, 0.0, 0.0]).collect();
    let mut cache = ImpulseCache::default();
    assert_eq!(load(&cache, &contacts), vec![[0.0; 3]; count as usize]);
    cache.store(&contacts, &impulses);
    // Every third contact has gone, and as many have come with other features or bodies.
    let mut changed = Vec::new();
    let mut expected = Vec::new();
    for (i, kept) in contacts.iter().enumerate() {
        if i % 3 == 0 {
            changed.push(contact(
                kept.bodies[0],
                kept.bodies[1],
                kept.feature | 1,
                normal,
            ));
            expected.push(0.0);
        } else {
            changed.push(*kept);
            expected.push(impulses[i][0]);
        }
    }
    let found = load(&cache, &changed);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found[0] - expected).abs() <= 1e-6 * expected);
    }
    // In any order, and from a cache that was filled in any order.
    let backward: Vec<_> = contacts.iter().rev().copied().collect();
    let mut reversed = load(&cache, &backward);
    reversed.reverse();
    assert_eq!(reversed, load(&cache, &contacts));
    let backward_impulses: Vec<_> = impulses.iter().rev().copied().collect();
    let mut other = ImpulseCache::default();
    other.store(&backward, &backward_impulses);
    assert_eq!(load(&other, &contacts), load(&cache, &contacts));
    // A second step forgets the first.
    cache.store(&contacts[..10], &impulses[..10]);
    assert!(load(&cache, &contacts)[10..].iter().all(|i| *i == [0.0; 3]));
}

#[test]
fn impulses_of_the_same_contacts_replace_the_last_ones() {
    let contacts: Vec<_> = (0..300)
        .map(|i| contact(i / 3, i / 3 + 1, u64::from(i % 3), Vec3::z()))
        .collect();
    let mut cache = ImpulseCache::default();
    for step in 1..4 {
        let impulses: Vec<_> = (0..300)
            .map(|i| [(step * 1000 + i) as f32, 0.0, 0.0])
            .collect();
        cache.store(&contacts, &impulses);
        assert_eq!(load(&cache, &contacts), impulses);
    }
    // One of another name, and fewer impulses than contacts.
    let mut others = contacts.clone();
    others[70].feature = 9;
    let impulses = [[5.0, 0.0, 0.0]; 200];
    cache.store(&others, &impulses);
    let found = load(&cache, &contacts);
    for (i, found) in found.iter().enumerate() {
        let expected = if i == 70 || i >= 200 { 0.0 } else { 5.0 };
        assert_eq!(found[0], expected, "contact {i}");
    }
}
