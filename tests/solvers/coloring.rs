//! Colouring and packing: what the parallel sweeps take for granted.

use crate::support::joints::add_random_joints;
use crate::support::problems::{Recipe, random_problem};
use drystone::internals::batches::{Batches, NO_SLOT};
use drystone::problem::{FrictionCone, Problem};
use proptest::prelude::*;
use std::collections::HashSet;

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
        prop_assert!(batches.contacts.colors.len() <= max_colors);
        for color in &batches.contacts.colors {
            let mut seen = HashSet::new();
            for group in color.clone() {
                let first = batches.contacts.group_starts[group as usize];
                let end = batches.contacts.group_starts[group as usize + 1];
                prop_assert!(first < end, "empty group");
                let pair = |block: u32| {
                    let block = &batches.contacts.blocks[block as usize];
                    (block.body_a, block.body_b)
                };
                prop_assert!((first..end).all(|block| pair(block) == pair(first)));
                for body in movable(&problem, batches.contacts.source[first as usize]) {
                    prop_assert!(seen.insert(body), "body {} twice in a colour", body);
                }
            }
        }
    }

    #[test]
    fn every_contact_is_in_exactly_one_place(problem in problems(), max_colors in 0_usize..16) {
        let batches = Batches::pack(&problem, max_colors, false);
        let mut places = batches.contacts.source.clone();
        places.sort_unstable();
        prop_assert!(places.iter().copied().eq(0..problem.contacts.len() as u32));
        // Colours and remainder cover the blocks without gap or overlap.
        let mut end = 0;
        for color in 0..batches.contacts.colors.len() {
            let range = batches.contacts.blocks_of(&batches.contacts.colors[color]);
            prop_assert_eq!(range.start, end);
            end = range.end;
        }
        prop_assert_eq!(batches.contacts.remainder.elements.clone(), end..problem.contacts.len() as u32);
    }

    #[test]
    fn slots_of_the_remainder_belong_to_one_contact_and_body(
        problem in problems(), max_colors in 0_usize..4,
    ) {
        let batches = Batches::pack(&problem, max_colors, false);
        let remainder = &batches.contacts.remainder;
        let mut owner = vec![None; remainder.slot_count as usize];
        let mut listed = HashSet::new();
        for body in remainder.bodies.iter().chain(&remainder.hubs) {
            prop_assert!(listed.insert(body.body));
            for slot in body.first_slot..body.first_slot + body.slot_count {
                prop_assert!(owner[slot as usize].replace((body.body, body.slot_count)).is_none());
            }
        }
        let mut taken = HashSet::new();
        for (slots, block) in remainder.slots.iter().zip(remainder.elements.clone()) {
            let block = &batches.contacts.blocks[block as usize];
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn joints_are_colored_and_split_group_by_group(
        mut problem in problems(), links in 0_u32..120, spokes in 0_u32..100,
        seed in any::<u64>(), max_colors in 0_usize..16,
    ) {
        add_random_joints(&mut problem, 0, links, spokes, seed);
        let rows = &problem.joint_rows;
        let batches = Batches::pack(&problem, max_colors, true);
        let joints = &batches.joints;
        prop_assert!(joints.colors.len() <= max_colors);
        // Every row is somewhere once, and the rows of a joint stand together in their order.
        let mut places = joints.source.clone();
        places.sort_unstable();
        prop_assert!(places.iter().copied().eq(0..rows.len() as u32));
        prop_assert_eq!(joints.group_starts[0], 0);
        prop_assert_eq!(*joints.group_starts.last().unwrap() as usize, rows.len());
        for group in joints.group_starts.windows(2) {
            let members = &joints.source[group[0] as usize..group[1] as usize];
            prop_assert!(members.windows(2).all(|pair| pair[0] + 1 == pair[1]));
            let pair = |row: u32| (rows[row as usize].body_a, rows[row as usize].body_b);
            prop_assert!(members.iter().all(|&row| pair(row) == pair(members[0])));
        }
        // No movable body is twice in a colour.
        let movable = |group: u32| {
            let block = &joints.blocks[joints.group_starts[group as usize] as usize];
            [block.body_a, block.body_b]
                .into_iter()
                .filter(|&body| problem.bodies[body as usize].is_movable())
        };
        let mut next = 0;
        for color in &joints.colors {
            prop_assert_eq!(color.start, next);
            next = color.end;
            let mut seen = HashSet::new();
            for body in color.clone().flat_map(movable) {
                prop_assert!(seen.insert(body), "body {} twice in a colour", body);
            }
        }
        // The remainder has the other groups, each with one slot for each movable body.
        let remainder = &joints.remainder;
        prop_assert_eq!(
            remainder.elements.clone(),
            next..joints.group_starts.len() as u32 - 1
        );
        let mut copies = std::collections::HashMap::new();
        for body in remainder.elements.clone().flat_map(movable) {
            *copies.entry(body).or_insert(0_u32) += 1;
        }
        let mut taken = HashSet::new();
        for (slots, group) in remainder.slots.iter().zip(remainder.elements.clone()) {
            let block = &joints.blocks[joints.group_starts[group as usize] as usize];
            for (slot, body, count) in [
                (slots.slot_a, block.body_a, slots.copies_a),
                (slots.slot_b, block.body_b, slots.copies_b),
            ] {
                let expected = copies.get(&body).copied();
                prop_assert_eq!(slot == NO_SLOT, expected.is_none());
                prop_assert_eq!(count, expected.unwrap_or(1) as f32);
                prop_assert!(slot == NO_SLOT || taken.insert(slot));
            }
        }
        prop_assert_eq!(taken.len(), remainder.slot_count as usize);
        let listed = remainder.bodies.iter().chain(&remainder.hubs);
        let listed: std::collections::HashMap<_, _> =
            listed.map(|body| (body.body, body.slot_count)).collect();
        prop_assert_eq!(listed, copies);
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
    assert!(without.contacts.remainder.elements.is_empty());
    assert!(
        with.contacts
            .colors
            .len()
            .abs_diff(without.contacts.colors.len())
            <= 1
    );
    // A colour more, and the remainder.
    assert!(with.contacts.colors.len() <= without.contacts.colors.len() + 1);
    assert!(with.contacts.remainder.elements.len() > 1_000);
}
