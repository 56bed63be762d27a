//! Impulses and loads that a host keeps from step to step.

use super::host::{GRAVITY, H, apart, cube};
use drystone::problem::{Contact, Problem};
use drystone::solver::substeps::SubstepPlan;
use drystone::solver::{ContactKey, Plan, Solution, WarmStart};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::HashMap;

#[test]
fn names_in_any_order_find_what_a_hash_map_finds() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let (mut warm, plan) = (
        WarmStart::default(),
        Plan::from(SubstepPlan::recommended(H, 0.5, GRAVITY)),
    );
    let mut map: HashMap<ContactKey, ([f32; 3], f32)> = HashMap::new();
    let mut keys: Vec<ContactKey> = (0..3_000)
        .map(|i| (((i % 700) << 32) | (i / 3), i << 40))
        .collect();
    for round in 0..12 {
        match round % 4 {
            1 => keys.shuffle(&mut random),
            2 => {
                for key in keys.iter_mut().step_by(7) {
                    *key = (random.random(), random.random());
                }
            }
            3 => keys.truncate(keys.len() - 100),
            _ => {}
        }
        let contacts = keys.iter().map(|_| {
            let normal = nalgebra::Vector3::from_fn(|_, _| random.random_range(-1.0..1.0_f32));
            let bodies = [0, 1];
            Contact::from_b_to_a(bodies, [[0.0; 3]; 2], normal.normalize().into(), 0.5)
        });
        let mut problem = Problem {
            contacts: contacts.collect(),
            ..Problem::default()
        };
        warm.load(&keys, &plan, &mut problem.contacts, &mut problem.loads)
            .unwrap();
        for ((key, contact), &load) in keys.iter().zip(&problem.contacts).zip(&problem.loads) {
            let (impulse, kept) = map.get(key).copied().unwrap_or_default();
            assert_eq!(contact.impulse, contact.impulse_of(impulse), "{round}");
            assert_eq!(load, kept);
        }
        let impulse = |_: &Contact| [random.random_range(0.0..2.0), 0.3, -0.1_f32];
        let impulses: Vec<_> = problem.contacts.iter().map(impulse).collect();
        let solution = Solution {
            total_impulses: impulses.clone(),
            impulses,
            ..Solution::default()
        };
        warm.store(&keys, &problem, &plan, &solution).unwrap();
        let Plan::Substeps(substeps) = &plan else {
            panic!("a plan in substeps")
        };
        let mut loads = problem.loads.clone();
        let h = f64::from(substeps.time_step);
        substeps
            .gap_law
            .renew_loads(&mut loads, &solution.impulses, &[], h);
        let contacts = problem.contacts.iter().zip(&solution.impulses).zip(loads);
        let values = contacts.map(|((c, &r), load)| (c.impulse_in_world(r), load));
        map = keys.iter().copied().zip(values).collect();
    }
    assert!(
        warm.load(
            &keys[1..],
            &plan,
            &mut cube(0.5, 0.0).contacts,
            &mut Vec::new()
        )
        .is_err()
    );
}

#[test]
fn impulses_of_longer_substeps_are_larger_by_their_loads() {
    let plan = |n| Plan::from(SubstepPlan::recommended_in(n, H, 0.5, GRAVITY));
    let (mut warm, keys) = (WarmStart::default(), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    let mut problem = cube(0.5, 0.0);
    let impulses = vec![[1.0, 0.5, 0.0]; 4];
    let solution = Solution {
        total_impulses: vec![[16.0, 8.0, 0.0]; 4],
        impulses,
        ..Solution::default()
    };
    let mut after = |steps: u32, problem: &mut Problem| {
        for _ in 0..steps {
            warm.store(&keys, problem, &plan(16), &solution).unwrap();
            warm.load(&keys, &plan(16), &mut problem.contacts, &mut problem.loads)
                .unwrap();
        }
        warm.load(&keys, &plan(8), &mut problem.contacts, &mut problem.loads)
            .unwrap();
        problem.contacts[2].impulse
    };
    // An impact is no load yet, and has left what it has left.
    let [normal, tangential, _] = after(1, &mut problem);
    assert!(normal < 1.5 && (tangential - 0.5 * normal).abs() < 1e-6);
    // What has pressed for a while is one.
    assert!(apart(after(200, &mut problem), [2.0, 1.0, 0.0]) < 1e-5);
}
