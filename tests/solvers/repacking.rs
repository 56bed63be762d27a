//! Packing in place and kept mechanisms: the same bits as with new memory, whatever came before.

use crate::support::joints::add_random_joints;
use crate::support::problems::{Recipe, generator, random_problem};
use bytemuck::Pod;
use drystone::internals::batches::{Batches, Packed};
use drystone::internals::constants::KEPT_ORDERS;
use drystone::internals::direct;
use drystone::internals::direct::Mechanisms;
use drystone::internals::math;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, FrictionCone, JointRow, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};
use proptest::prelude::*;
use rand::RngExt;

/// A problem with joints, some of them hubs'.
fn jointed(seed: u64) -> Problem {
    let random = &mut generator(seed);
    let recipe = Recipe {
        movable: random.random_range(2..60),
        immovable: random.random_range(0..3),
        pairs: random.random_range(0..150),
        hub_pairs: random.random_range(0..40),
        cone: FrictionCone::Disk,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, seed);
    let (links, spokes) = (random.random_range(0..60), random.random_range(0..30));
    add_random_joints(&mut problem, 0, links, spokes, seed);
    problem
}

/// What differs between a packing and the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Numbers,
    RemoveContact,
    RepeatContact,
    MorePoints,
    FewerPoints,
    NoContacts,
    ExchangeContacts,
    RemoveRow,
    BoundRow,
    FixBody,
    FreeBody,
    AddBody,
    Colors,
    OtherProblem,
    Back,
}

const EDITS: [Edit; 15] = [
    Edit::Numbers,
    Edit::RemoveContact,
    Edit::RepeatContact,
    Edit::MorePoints,
    Edit::FewerPoints,
    Edit::NoContacts,
    Edit::ExchangeContacts,
    Edit::RemoveRow,
    Edit::BoundRow,
    Edit::FixBody,
    Edit::FreeBody,
    Edit::AddBody,
    Edit::Colors,
    Edit::OtherProblem,
    Edit::Back,
];

/// Other numbers for the same contacts and rows.
fn change_numbers(problem: &mut Problem, seed: u64) {
    let random = &mut generator(seed);
    for body in &mut problem.bodies {
        body.linear_velocity[0] += random.random_range(-1.0..1.0_f32);
        body.inverse_mass *= random.random_range(0.5..2.0_f32);
    }
    for contact in &mut problem.contacts {
        contact.bias = random.random_range(0.0..0.3);
        contact.impulse = [random.random_range(0.0..0.2), 0.01, -0.01];
        contact.friction = [0.0, 0.7][random.random_range(0..2)];
        contact.arm_a[1] += 0.1;
    }
    for row in &mut problem.joint_rows {
        row.bias += random.random_range(-0.1..0.1_f32);
        row.impulse = random.random_range(-0.1..0.1);
        row.angular_a[2] *= 1.1;
    }
}

/// Leaves out one of `every` so many contacts, but none that is the first of its pair.
fn remove_points(problem: &mut Problem, every: usize) {
    let mut last = None;
    let mut index = 0;
    problem.contacts.retain(|contact| {
        let pair = Some((contact.body_a, contact.body_b));
        index += 1;
        pair != std::mem::replace(&mut last, pair) || index % every != 0
    });
}

fn apply(edit: Edit, problem: &mut Problem, colors: &mut usize, first: &Problem, seed: u64) {
    let random = &mut generator(seed);
    let contacts = problem.contacts.len();
    let rows = problem.joint_rows.len();
    let body = random.random_range(0..problem.bodies.len());
    match edit {
        Edit::RemoveContact if contacts > 0 => {
            problem.contacts.remove(random.random_range(0..contacts));
        }
        Edit::RepeatContact if contacts > 0 => {
            let contact = problem.contacts[random.random_range(0..contacts)];
            let at = random.random_range(0..=contacts);
            problem.contacts.insert(at, contact);
        }
        Edit::MorePoints if contacts > 0 => {
            let at = random.random_range(0..contacts);
            problem.contacts.insert(at, problem.contacts[at]);
        }
        Edit::FewerPoints => remove_points(problem, random.random_range(1..4)),
        Edit::NoContacts => problem.contacts.clear(),
        Edit::ExchangeContacts if contacts > 0 => {
            let [a, b] = [0; 2].map(|_| random.random_range(0..contacts));
            problem.contacts.swap(a, b);
        }
        Edit::RemoveRow if rows > 0 => {
            problem.joint_rows.remove(random.random_range(0..rows));
        }
        Edit::BoundRow if rows > 0 => {
            let row = &mut problem.joint_rows[random.random_range(0..rows)];
            (row.lower, row.upper) = if row.is_equality() {
                (-0.1, 0.1)
            } else {
                (-JointRow::UNBOUNDED, JointRow::UNBOUNDED)
            };
        }
        Edit::FixBody => problem.bodies[body] = Body::immovable([0.1; 3], [0.0; 3]),
        Edit::FreeBody => {
            let inertia = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
            problem.bodies[body] = Body::dynamic(1.0, inertia, [0.2; 3], [0.0; 3]);
        }
        Edit::AddBody => problem.bodies.push(Body::immovable([0.0; 3], [0.0; 3])),
        Edit::Colors => *colors = random.random_range(0..16),
        Edit::OtherProblem => *problem = jointed(seed),
        Edit::Back => *problem = first.clone(),
        _ => change_numbers(problem, seed),
    }
}

/// Everything of one side, as bytes and lists.
fn contents<Block: Pod, Impulse: Pod>(
    packed: &Packed<Block, Impulse>,
) -> impl PartialEq + use<Block, Impulse> {
    let bytes = |bytes: &[u8]| bytes.to_vec();
    let remainder = &packed.remainder;
    (
        bytes(bytemuck::cast_slice(&packed.blocks)),
        bytes(bytemuck::cast_slice(&packed.impulses)),
        packed.source.clone(),
        packed.group_starts.clone(),
        packed.colors.clone(),
        (remainder.elements.clone(), remainder.slot_count),
        bytes(bytemuck::cast_slice(&remainder.slots)),
        bytes(bytemuck::cast_slice(&remainder.bodies)),
        bytes(bytemuck::cast_slice(&remainder.hubs)),
    )
}

fn same_bits(a: &Batches, b: &Batches) -> bool {
    let bodies = |batches: &Batches| {
        let inertias: &[u8] = bytemuck::cast_slice(&batches.inertias);
        let scales: &[u8] = bytemuck::cast_slice(&batches.joint_scales);
        let velocities: &[u8] = bytemuck::cast_slice(&batches.velocities);
        [inertias, scales, velocities].map(<[u8]>::to_vec)
    };
    contents(&a.contacts) == contents(&b.contacts)
        && contents(&a.joints) == contents(&b.joints)
        && bodies(a) == bodies(b)
        && a.friction == b.friction
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn packing_in_place_gives_the_bits_of_new_memory(
        seed in any::<u64>(),
        edits in prop::collection::vec((prop::sample::select(&EDITS[..]), any::<u64>()), 1..10),
        warm_start in any::<bool>(),
    ) {
        let first = jointed(seed);
        let mut problem = first.clone();
        let mut colors = 12;
        let mut batches = Batches::pack(&problem, colors, warm_start);
        let mut mechanisms = Mechanisms::default();
        for (edit, seed) in edits {
            let before = [batches.contacts.order, batches.joints.order];
            apply(edit, &mut problem, &mut colors, &first, seed);
            problem.validate().unwrap();
            batches.repack(&problem, colors, warm_start);
            let mut expected = Batches::pack(&problem, colors, warm_start);
            prop_assert!(same_bits(&batches, &expected), "after {edit:?}");
            if edit == Edit::Numbers {
                prop_assert_eq!(before, [batches.contacts.order, batches.joints.order]);
            }

            let start = mechanisms.start(&mut batches, 1e-3);
            prop_assert_eq!(start, direct::start(&mut expected, 1e-3));
            prop_assert!(same_bits(&batches, &expected), "direct start after {edit:?}");
        }
    }

    #[test]
    fn a_solver_gives_the_bits_of_a_new_one(seeds in prop::collection::vec(any::<u64>(), 2..5)) {
        let problems: Vec<Problem> = seeds.iter().map(|&seed| jointed(seed % 7)).collect();
        let mut kept = CpuSolver::new();
        for (index, problem) in problems.iter().cycle().take(9).enumerate() {
            let options = Options {
                method: Method::ALL[index % Method::ALL.len()],
                iterations: 3,
                ..Options::default()
            };
            let (mut with, mut without) = (Solution::default(), Solution::default());
            kept.solve(problem, &options, &mut with).unwrap();
            CpuSolver::new().solve(problem, &options, &mut without).unwrap();
            prop_assert_eq!(with, without);
        }
    }
}

/// Sixteen contacts are packed at once, and fewer one by one.
#[test]
fn a_block_is_the_same_alone_and_among_others() {
    for seed in 0..20 {
        let problem = jointed(seed);
        let batches = Batches::pack(&problem, 64, true);
        assert!(batches.contacts.remainder.elements.is_empty());
        let contacts = &batches.contacts;
        for (place, &index) in contacts.source.iter().enumerate() {
            let alone = Problem {
                contacts: vec![problem.contacts[index as usize]],
                ..problem.clone()
            };
            let alone = Batches::pack(&alone, 64, true);
            let block = |batches: &Batches, at: usize| {
                bytemuck::bytes_of(&batches.contacts.blocks[at]).to_vec()
            };
            assert_eq!(block(&alone, 0), block(&batches, place));
            assert_eq!(alone.contacts.impulses[0], contacts.impulses[place]);
        }
    }
}

/// The impulses at the start, one after the other, in f64.
#[test]
fn velocities_are_what_the_impulses_add() {
    for seed in 0..20 {
        let mut problem = jointed(seed);
        problem.joint_rows.clear();
        let batches = Batches::pack(&problem, 12, true);
        let mut expected = vec![[[0.0_f64; 3]; 2]; problem.bodies.len()];
        for contact in &problem.contacts {
            let (t1, t2) = math::tangents(contact.normal);
            let total: Vec3 = [contact.normal, t1, t2]
                .into_iter()
                .zip(contact.impulse)
                .map(|(direction, size)| math::widen(direction) * f64::from(size))
                .sum();
            for (body, arm, sign) in [
                (contact.body_a, contact.arm_a, 1.0),
                (contact.body_b, contact.arm_b, -1.0),
            ] {
                let [linear, angular] = &mut expected[body as usize];
                let body = &problem.bodies[body as usize];
                let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
                let inverse = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                let turn = inverse * math::widen(arm).cross(&total) * sign;
                for axis in 0..3 {
                    linear[axis] += sign * total[axis] * f64::from(body.inverse_mass);
                    angular[axis] += turn[axis];
                }
            }
        }
        for (velocity, [linear, angular]) in batches.velocities.iter().zip(&expected) {
            for axis in 0..3 {
                assert!((f64::from(velocity.linear[axis]) - linear[axis]).abs() < 1e-4);
                assert!((f64::from(velocity.angular[axis]) - angular[axis]).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn orders_are_kept_as_long_as_they_fit() {
    let mut problems: Vec<Problem> = (0..KEPT_ORDERS as u64).map(jointed).collect();
    let mut batches = Batches::default();
    let mut orders = Vec::new();
    for problem in &problems {
        batches.repack(problem, 12, true);
        orders.push([batches.contacts.order, batches.joints.order]);
    }
    for (problem, order) in problems.iter_mut().zip(&orders) {
        change_numbers(problem, 1);
        batches.repack(problem, 12, true);
        assert_eq!(*order, [batches.contacts.order, batches.joints.order]);
    }
    // A contact less is another order, and leaves the joints alone.
    let last = problems.last_mut().unwrap();
    last.contacts.pop().unwrap();
    batches.repack(last, 12, true);
    let [contacts, joints] = orders[KEPT_ORDERS - 1];
    assert_ne!(batches.contacts.order, contacts);
    assert_eq!(batches.joints.order, joints);
    // Fewer colours, or another movable body, are others for both.
    let before = [batches.contacts.order, batches.joints.order];
    batches.repack(last, 3, true);
    assert_ne!(batches.contacts.order, before[0]);
    assert_ne!(batches.joints.order, before[1]);
    last.bodies[0] = Body::immovable([0.0; 3], [0.0; 3]);
    let before = [batches.contacts.order, batches.joints.order];
    batches.repack(last, 3, true);
    assert_ne!(batches.contacts.order, before[0]);
    assert_ne!(batches.joints.order, before[1]);
}

/// Pairs that stay the same with other numbers of points keep their colours, whichever of the orders that
/// are kept they come from; what comes of it is what new memory gives.
#[test]
fn points_come_and_go_to_the_same_bits() {
    for seed in 0..20 {
        let mut problems: Vec<Problem> = (0..KEPT_ORDERS as u64)
            .map(|at| jointed(seed + 100 * at))
            .collect();
        let mut batches = Batches::default();
        for problem in &problems {
            batches.repack(problem, 12, true);
        }
        // Each is the one that was used least recently, and then the one used last.
        for every in [2, 3] {
            for problem in &mut problems {
                for _ in 0..2 {
                    let before = problem.contacts.len();
                    remove_points(problem, every);
                    batches.repack(problem, 12, true);
                    let expected = Batches::pack(problem, 12, true);
                    assert!(same_bits(&batches, &expected), "{before} contacts before");
                }
            }
        }
    }
}
