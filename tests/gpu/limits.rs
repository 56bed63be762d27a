//! Problems above the limits of a device: the same bits, or an error that names what was exceeded.

use crate::crowd::Crowd;
use crate::support::adapter;
use crate::support::joints::{add_random_joints, linear_row};
use drystone::error::Error;
use drystone::internals::constants::WORKGROUP_SIZE;
use drystone::internals::residual::Partial;
use drystone::problem::{Body, Contact, Problem};
use drystone::solver::gpu::GpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};

/// The methods whose work can be split to the last block; a cluster is what one workgroup holds, and its
/// blocks are bound together. See `clusters.rs` for its limits.
const SPLITTABLE: [Method; 3] = [Method::GaussSeidel, Method::Jacobi, Method::Nesterov];

/// Bodies fit into 4 KiB; blocks, impulses, slots and changes do not by far.
fn crowd() -> Problem {
    Crowd {
        bodies: 100,
        hubs: 4,
        hub_contacts: 200,
        pairs: 600,
        ..Crowd::default()
    }
    .problem()
}

fn solve(
    solver: &mut GpuSolver,
    problem: &Problem,
    method: Method,
) -> Result<(f32, Solution), Error> {
    let options = Options {
        method,
        iterations: 10,
        ..Options::default()
    };
    let mut solution = Solution::default();
    let report = solver.solve(problem, &options, &mut solution)?;
    Ok((report.residual_rms, solution))
}

/// Solves with lowered limits and with the adapter's own, and compares all bits.
fn same_bits(problem: &Problem, methods: &[Method], lower: impl Fn(&mut wgpu::Limits)) {
    for &method in methods {
        let whole = solve(&mut adapter::solver(), problem, method).expect("a solve");
        let split = solve(&mut adapter::limited(&lower), problem, method).expect("a split solve");
        assert_eq!(whole, split, "{}", method.name());
    }
}

#[test]
fn what_exceeds_a_binding_is_split() {
    let problem = crowd();
    assert!(problem.contacts.len() > 1000);
    same_bits(&problem, &SPLITTABLE, |limits| {
        limits.max_storage_buffer_binding_size = 12 << 10;
    });
}

/// The crowd, with hubs of joints and of contacts, and more joints than bodies.
fn jointed() -> Problem {
    let mut problem = crowd();
    for seed in 0..3 {
        add_random_joints(&mut problem, 5, 100, 80, seed);
    }
    problem
}

#[test]
fn joints_that_exceed_a_binding_are_split() {
    let problem = jointed();
    assert!(64 * problem.joint_rows.len() > 5 * (12 << 10));
    same_bits(&problem, &SPLITTABLE, |limits| {
        limits.max_storage_buffer_binding_size = 12 << 10;
    });
    same_bits(&problem, &SPLITTABLE, |limits| {
        limits.max_storage_buffer_binding_size = 20 << 10;
        limits.max_compute_workgroups_per_dimension = 1;
        limits.min_storage_buffer_offset_alignment = 256;
        limits.min_uniform_buffer_offset_alignment = 256;
    });
}

#[test]
fn what_exceeds_a_dispatch_is_split() {
    // So many bodies that a colour has more groups than one workgroup.
    let problem = Crowd {
        bodies: 600,
        pairs: 1500,
        ..Crowd::default()
    }
    .problem();
    same_bits(&problem, &Method::ALL, |limits| {
        limits.max_compute_workgroups_per_dimension = 1;
    });
}

#[test]
fn both_at_once_and_a_coarse_alignment() {
    let problem = crowd();
    same_bits(&problem, &SPLITTABLE, |limits| {
        limits.max_storage_buffer_binding_size = 16 << 10;
        limits.max_compute_workgroups_per_dimension = 2;
        limits.min_storage_buffer_offset_alignment = 256;
        limits.min_uniform_buffer_offset_alignment = 256;
    });
}

#[test]
fn group_starts_and_partial_residuals_are_split_too() {
    // Few bodies with many contacts: 200 movable ones, each touching 12 immovable ones in 31 points.
    let crowd = Crowd::default().problem();
    let contact = crowd.contacts[0];
    let bodies = crowd.bodies;
    let (movable, immovable) = (200, 12);
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3]); immovable],
        ..Problem::default()
    };
    problem.bodies.extend(&bodies[10..10 + movable]);
    for (body_b, body_a) in (0..immovable).flat_map(|b| (0..movable).map(move |a| (b, a))) {
        for point in 0..31 {
            problem.contacts.push(Contact {
                body_a: (immovable + body_a) as u32,
                body_b: body_b as u32,
                arm_a: [0.01 * point as f32, 0.3, -0.02 * body_b as f32],
                ..contact
            });
        }
    }
    let binding = 8 << 10;
    assert!(32 * problem.bodies.len() <= binding);
    assert!(4 * movable * immovable > binding);
    assert!(size_of::<Partial>() * problem.contacts.len() / WORKGROUP_SIZE as usize > binding);
    same_bits(&problem, &[Method::GaussSeidel], |limits| {
        limits.max_storage_buffer_binding_size = binding as u64;
    });
}

/// The error of a solve that cannot be split.
fn refused(lower: impl FnOnce(&mut wgpu::Limits)) -> String {
    let mut solver = adapter::limited(lower);
    match solve(&mut solver, &crowd(), Method::GaussSeidel) {
        Err(
            error @ Error::Capacity {
                needed, available, ..
            },
        ) if needed > available => error.to_string(),
        other => panic!("{other:?} where a capacity error was expected"),
    }
}

#[test]
fn what_cannot_be_split_is_named() {
    let velocities = refused(|limits| limits.max_storage_buffer_binding_size = 1 << 10);
    assert!(velocities.contains("velocities"), "{velocities}");
    let hub = refused(|limits| limits.max_storage_buffer_binding_size = 4 << 10);
    assert!(hub.contains("velocity changes"), "{hub}");
    let blocks = refused(|limits| {
        limits.max_storage_buffer_binding_size = 64 << 10;
        limits.max_buffer_size = 64 << 10;
    });
    assert!(blocks.contains("contact blocks"), "{blocks}");
}

#[test]
fn a_memory_budget_is_kept() {
    let mut solver = adapter::solver();
    let free = solve(&mut solver, &crowd(), Method::GaussSeidel).expect("room enough");
    solver.set_memory_budget(100_000);
    let error = solve(&mut solver, &crowd(), Method::GaussSeidel).unwrap_err();
    let Error::Capacity { needed, .. } = error else {
        panic!("{error}");
    };
    // Exactly enough is enough, although the buffers kept so far may be larger.
    solver.set_memory_budget(needed);
    let tight = solve(&mut solver, &crowd(), Method::GaussSeidel).expect("just enough room");
    assert_eq!(free, tight);
    solver.set_memory_budget(needed - 1);
    assert!(solve(&mut solver, &crowd(), Method::GaussSeidel).is_err());
}

#[test]
fn more_contacts_of_one_pair_than_an_invocation_may_loop_over_are_refused() {
    let mut problem = crowd();
    let contact = problem.contacts[0];
    problem.contacts.clear();
    problem.contacts.resize(70_000, contact);
    let error = solve(&mut adapter::solver(), &problem, Method::GaussSeidel).unwrap_err();
    assert!(error.to_string().contains("loop iterations"), "{error}");
}

#[test]
fn more_rows_of_one_pair_than_an_invocation_may_loop_over_are_refused() {
    let mut problem = crowd();
    let row = linear_row(10, 11, [1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]);
    problem.joint_rows.resize(70_000, row);
    for method in Method::ALL {
        let error = solve(&mut adapter::solver(), &problem, method).unwrap_err();
        assert!(error.to_string().contains("joint rows"), "{error}");
    }
}

#[test]
fn a_device_below_the_kernels_needs_is_refused() {
    let error = GpuSolver::with_limits(&adapter::choice(), |limits| {
        limits.max_storage_buffers_per_shader_stage = 6;
    })
    .unwrap_err();
    assert!(error.to_string().contains("storage buffers"), "{error}");
}
