//! Colouring and packing: what the parallel sweeps take for granted.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use drystone::problem::batches::{Batches, NO_SLOT};
use drystone::problem::{FrictionCone, Problem};
use proptest::prelude::*;
use std::collections::HashSet;
use support::{Recipe, random_problem};

fn problems() -> impl Strategy<Value = Problem> {
    (
        1_u32..80,
        0_u32..4,
        0_u32..300,
        1_u32..=4,
        0_u32..120,
        any::<u64>(),
    )
        .prop_map(|(movable, immovable, pairs, points, hub_pairs, seed)| {
            let recipe = Recipe {
                movable: movable + 1,
                immovable,
                pairs,
                points,
                hub_pairs,
                cone: FrictionCone::Disk,
                friction: 0.5,
            };
            random_problem(&recipe, seed)
        })
}

/// The movable bodies of a block.
fn movable(problem: &Problem, contact: u32) -> impl Iterator<Item = u32> {
    let contact = &problem.contacts[contact as usize];
    [contact.body_a, contact.body_b]
        .into_iter()
        .filter(|&body| problem.bodies[body as usize].is_movable())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_two_groups_of_a_color_share_a_movable_body(
        problem in problems(), max_colors in 0_usize..16,
    ) {
        let batches = Batches::pack(&problem, max_colors, true);
        prop_assert!(batches.colors.len() <= max_colors);
        for color in &batches.colors {
            let mut seen = HashSet::new();
            for group in color.clone() {
                let first = batches.group_starts[group as usize];
                let end = batches.group_starts[group as usize + 1];
                prop_assert!(first < end, "empty group");
                let pair = |block: u32| {
                    let block = &batches.blocks[block as usize];
                    (block.body_a, block.body_b)
                };
                prop_assert!((first..end).all(|block| pair(block) == pair(first)));
                for body in movable(&problem, batches.source[first as usize]) {
                    prop_assert!(seen.insert(body), "body {} twice in a colour", body);
                }
            }
        }
    }

    #[test]
    fn every_contact_is_in_exactly_one_place(problem in problems(), max_colors in 0_usize..16) {
        let batches = Batches::pack(&problem, max_colors, false);
        let mut places = batches.source.clone();
        places.sort_unstable();
        prop_assert!(places.iter().copied().eq(0..problem.contacts.len() as u32));
        // Colours and remainder cover the blocks without gap or overlap.
        let mut end = 0;
        for color in 0..batches.colors.len() {
            let range = batches.color_blocks(color);
            prop_assert_eq!(range.start, end);
            end = range.end;
        }
        prop_assert_eq!(batches.remainder.blocks.clone(), end..problem.contacts.len() as u32);
    }

    #[test]
    fn slots_of_the_remainder_belong_to_one_contact_and_body(
        problem in problems(), max_colors in 0_usize..4,
    ) {
        let batches = Batches::pack(&problem, max_colors, false);
        let remainder = &batches.remainder;
        let mut owner = vec![None; remainder.slot_count as usize];
        let mut listed = HashSet::new();
        for body in remainder.bodies.iter().chain(&remainder.hubs) {
            prop_assert!(listed.insert(body.body));
            for slot in body.first_slot..body.first_slot + body.slot_count {
                prop_assert!(owner[slot as usize].replace((body.body, body.slot_count)).is_none());
            }
        }
        let mut taken = HashSet::new();
        for (slots, block) in remainder.slots.iter().zip(remainder.blocks.clone()) {
            let block = &batches.blocks[block as usize];
            for (slot, body, copies) in [
                (slots.slot_a, block.body_a, slots.copies_a),
                (slots.slot_b, block.body_b, slots.copies_b),
            ] {
                if slot == NO_SLOT {
                    prop_assert!(!problem.bodies[body as usize].is_movable());
                } else {
                    prop_assert!(taken.insert(slot));
                    let (owner, count) = owner[slot as usize].unwrap();
                    prop_assert_eq!((owner, count as f32), (body, copies));
                }
            }
        }
        prop_assert_eq!(taken.len(), remainder.slot_count as usize);
    }
}

#[test]
fn a_hub_opens_no_colors() {
    let recipe = Recipe {
        movable: 2_000,
        pairs: 4_000,
        points: 1,
        ..Recipe::default()
    };
    let without = Batches::pack(&random_problem(&recipe, 1), 16, false);
    let with_hub = Recipe {
        hub_pairs: 1_500,
        ..recipe
    };
    let with = Batches::pack(&random_problem(&with_hub, 1), 16, false);
    assert!(without.remainder.blocks.is_empty());
    assert!(with.colors.len().abs_diff(without.colors.len()) <= 1);
    assert!(with.batch_count() <= without.batch_count() + 2);
    assert!(with.remainder.blocks.len() > 1_000);
}
