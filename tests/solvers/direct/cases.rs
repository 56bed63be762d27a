//! Contacts, bounds, springs, the position problem, and what keeps its start.

use super::*;
use crate::support::problems::as_position_problem;

#[test]
fn it_takes_contacts_as_they_are() {
    let mut problem = chain(2, [0.0, 0.0, -1.0]);
    let mut contact = Contact {
        body_a: 1,
        body_b: 2,
        arm_a: [0.0, 0.0, -0.5 * LINK],
        arm_b: [0.0, 0.0, -2.0 * LINK],
        normal: [0.0, 0.0, 1.0],
        bias: 0.0,
        friction: 0.0,
        impulse: [0.0; 3],
    };
    // A lower joint bears what the ground does not.
    for carried in [0.0, 0.1] {
        contact.impulse[0] = carried;
        problem.contacts = vec![contact];
        let (batches, _, impulses) = started(&problem);
        let upper = 2.0 * FALL - carried;
        assert!((impulses[2] - f64::from(upper)).abs() < 1e-7, "{impulses}");
        assert!(largest_velocity(&batches) < 1e-7);
        assert_eq!(batches.contacts.impulses[0][0], carried);
    }
}

#[test]
fn the_position_problem_is_solved_likewise() {
    let mut problem = as_position_problem(&random_mechanism(30, 0, 7));
    for row in &mut problem.joint_rows {
        row.impulse = 0.0;
        row.bias *= 1e-2;
    }
    let expected = dense_solution(&problem);
    let (batches, start, impulses) = started(&problem);
    assert_eq!(start.rows as usize, expected.len());
    assert!((&impulses - &expected).amax() < 1e-6 * expected.amax());
    assert!(largest_velocity(&batches) < 1e-7);
}

#[test]
fn bits_depend_neither_on_threads_nor_on_colors() {
    let mut problem = random_mechanism(300, 10, 11);
    (0..20).for_each(|_| add_ragdoll(&mut problem));
    let run = |threads: usize, max_colors: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut batches = Batches::pack(&problem, max_colors, false);
        let start = pool.install(|| direct::start(&mut batches, 0.0));
        let mut impulses = vec![0_u32; problem.joint_rows.len()];
        for (&row, impulse) in batches.joints.source.iter().zip(&batches.joints.impulses) {
            impulses[row as usize] = impulse.to_bits();
        }
        let velocities: Vec<[u32; 3]> = batches
            .velocities
            .iter()
            .flat_map(|v| [v.linear, v.angular].map(|x| x.map(f32::to_bits)))
            .collect();
        (start, impulses, velocities)
    };
    let expected = run(1, MAX_COLORS);
    assert!(expected.0.rows > 1_500);
    for (threads, max_colors) in [(2, MAX_COLORS), (5, MAX_COLORS), (2, 0)] {
        assert!(
            run(threads, max_colors) == expected,
            "{threads} threads, {max_colors} colours"
        );
    }
}

#[test]
fn what_has_bounds_or_moves_nothing_is_left_alone() {
    let mut problem = chain(2, [0.0, 0.0, -1.0]);
    problem.bodies.push(Body::immovable([1.0; 3], [0.0; 3]));
    problem.joint_rows = vec![
        JointRow {
            lower: 0.0,
            impulse: 0.25,
            ..linear_row(0, 1, [1.0, 0.0, 0.0], [0.0; 3], [0.0; 3])
        },
        linear_row(2, 3, [1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]),
    ];
    let (batches, start, _) = started(&problem);
    assert_eq!(start, DirectStart::default());
    let before = Batches::pack(&problem, MAX_COLORS, true);
    assert_eq!(batches.joints.impulses, before.joints.impulses);
    assert_eq!(batches.velocities, before.velocities);
    assert_eq!(started(&Problem::default()).1, DirectStart::default());
}

#[test]
fn what_is_too_large_or_not_finite_keeps_its_start() {
    // Rods between any two of 60 bodies: no order of elimination helps.
    let mut dense = random_problem(
        &Recipe {
            pairs: 0,
            ..Recipe::default()
        },
        5,
    );
    let random = &mut generator(6);
    for a in 0..60 {
        for b in 0..a {
            let axis: math::V3 = std::array::from_fn(|_| random.random_range(0.1..1.0));
            let axis = math::scale(axis, 1.0 / math::dot(axis, axis).sqrt());
            let mut row = linear_row(a, b, axis, axis, [0.3, 0.0, 0.1]);
            row.softness = 0.1;
            row.impulse = 0.01;
            dense.joint_rows.push(row);
        }
    }
    // Impulses beyond f32.
    let mut heavy = chain(3, [0.0, 0.0, -1.0]);
    for body in &mut heavy.bodies[..3] {
        body.inverse_mass = 1e-30;
        body.inverse_inertia = [1e-30, 0.0, 0.0, 1e-30, 0.0, 1e-30];
        body.linear_velocity = [1e20; 3];
    }
    for (name, mut problem) in [("dense", dense), ("heavy", heavy)] {
        let healthy = problem.bodies.len() as u32;
        let (batches, start, _) = started(&problem);
        assert_eq!(start.rows, 0, "{name}");
        let before = Batches::pack(&problem, MAX_COLORS, true);
        assert_eq!(batches.joints.impulses, before.joints.impulses, "{name}");
        assert_eq!(batches.velocities, before.velocities, "{name}");
        // It is no reason to leave others unsolved.
        add_ragdoll(&mut problem);
        let (batches, start, _) = started(&problem);
        assert_eq!(start.rows, 41, "{name}");
        assert!(
            batches.velocities[healthy as usize..]
                .iter()
                .all(|v| v.linear[2].is_finite())
        );
    }
}

#[test]
fn springs_are_solved_with_their_softness() {
    let mut problem = chain(50, [0.6, 0.0, -0.8]);
    for (index, row) in problem.joint_rows.iter_mut().enumerate() {
        row.softness = [0.0, 0.3, 10.0][index % 3];
        row.bias = 0.1;
    }
    let expected = dense_solution(&problem);
    let (batches, _, impulses) = started(&problem);
    assert!((&impulses - &expected).amax() < 1e-6 * expected.amax());
    assert!(largest_velocity(&batches) < 1e-6);
}
