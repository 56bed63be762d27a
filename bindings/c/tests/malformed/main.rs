//! Calls without meaning: each gives an error, none a crash, and the solver goes on.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod call;

use call::{BODIES, CONTACTS, Call, ROWS, size_of_u32, solve, step};
use drystone_c::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::ffi::CStr;
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

fn odd<T>(pointer: *const T) -> *const T {
    pointer.wrapping_byte_add(1)
}

/// Not a number, or an infinite one.
fn wrong_number(random: &mut Pcg64Mcg) -> f32 {
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][random.random_range(0..3)]
}

/// Spoils a call, and makes it.
fn malformed(
    kind: u32,
    random: &mut Pcg64Mcg,
    solver: *mut ds_solver,
    warm: *mut ds_warm_start,
) -> ds_status {
    let mut call = Call::new(random);
    let (body, contact) = (
        random.random_range(1..BODIES),
        random.random_range(0..CONTACTS),
    );
    let in_step = random.random::<bool>();
    let problem = &mut call.problem;
    let beyond = random.random_range(BODIES as u32..u32::MAX);
    let huge = usize::MAX - random.random_range(0..1_000);
    let number = wrong_number(random);
    let mut solver = solver;
    match kind {
        0 => problem.bodies = null(),
        1 => problem.contacts = null(),
        2 => problem.struct_size = random.random_range(0..60),
        3 => problem.body_count = huge,
        4 => problem.contact_count = huge,
        5 => (problem.joint_row_count, problem.joint_rows) = (3, null()),
        6 => problem.friction_law = random.random_range(2..99),
        7 => problem.friction_directions = [1, 3, 5, 17, 1 << 30][random.random_range(0..5)],
        8 => {
            problem.contact_softness = if in_step {
                return foreign(&call, random);
            } else {
                number
            }
        }
        9 => problem.bodies = odd(problem.bodies),
        10 => problem.contacts = odd(problem.contacts),
        11 => call.bodies[body].linear_velocity[1] = number,
        12 => call.bodies[body].inverse_mass = [-1.0, number][random.random_range(0..2)],
        13 => call.bodies[body].inverse_inertia[3] = number,
        14 => call.contacts[contact].body_a = beyond,
        15 => call.contacts[contact].body_b = call.contacts[contact].body_a,
        16 => {
            call.contacts[contact].normal =
                [[0.0; 3], [0.0, 1.1, 0.0], [number; 3]][random.random_range(0..3)]
        }
        17 => call.contacts[contact].arm_b[2] = number,
        18 => call.contacts[contact].friction = [-0.5, number][random.random_range(0..2)],
        19 => call.contacts[contact].impulse[0] = number,
        20 => {
            call.rows[2].body_b = beyond;
            call.problem.joint_row_count = ROWS;
        }
        21 => {
            (call.rows[1].lower, call.rows[1].upper) = (1.0, -1.0);
            call.problem.joint_row_count = ROWS;
        }
        22 => call.solution.struct_size = 7,
        23 => return foreign(&call, random),
        24 => solver = null_mut(),
        25 => {
            (call.options.iterations, call.plan.substeps) = (0, 0);
        }
        26 => {
            (call.options.tolerance, call.plan.time_step) =
                (number, [0.0, -1.0, number][random.random_range(0..3)]);
        }
        27 => (call.options.method, call.plan.velocity.method) = (beyond, beyond),
        28 => (call.options.struct_size, call.plan.struct_size) = (0, 3),
        29 => call.solution.velocities = odd(call.solution.velocities).cast_mut(),
        30 => {
            if random.random() {
                call.gaps[contact] = number;
            } else {
                call.sizes[contact] = [0.5, number][random.random_range(0..2)];
                call.problem.sizes = call.sizes.as_ptr();
            }
            return step(solver, &mut call);
        }
        31 => {
            call.problem.increments = null();
            return step(solver, &mut call);
        }
        32 => {
            call.problem.gaps = null();
            return step(solver, &mut call);
        }
        33 => {
            call.increments[body].angular[1] = number;
            return step(solver, &mut call);
        }
        34 => {
            call.problem.joint_row_count = ROWS;
            return step(solver, &mut call);
        }
        59 => {
            // Of a contact whose two bodies move, or not a number.
            let velocity = [number, 1.0][random.random_range(0..2)];
            let compliances = [[number, -1.0][random.random_range(0..2)]; CONTACTS];
            if random.random() {
                call.problem.compliances = compliances.as_ptr();
                let takes = [solve, step][random.random_range(0..2)];
                return takes(solver, &mut call);
            }
            let velocities = [[velocity; 3]; CONTACTS];
            call.problem.surface_velocities = velocities.as_ptr();
            return solve(solver, &mut call);
        }
        61 => {
            // A length that is none, and one in a step, which has no rows.
            let lengths = [[number, -1.0][random.random_range(0..2)]; CONTACTS];
            let sound = [0.1; CONTACTS];
            return match random.random_range(0..3) {
                0 => {
                    problem.rolling_lengths = lengths.as_ptr();
                    solve(solver, &mut call)
                }
                1 => {
                    problem.spinning_lengths = lengths.as_ptr();
                    solve(solver, &mut call)
                }
                _ => {
                    problem.spinning_lengths = sound.as_ptr();
                    step(solver, &mut call)
                }
            };
        }
        60 => {
            // They overlap, are not aligned, or have more bytes than there are.
            let stride = [1, 60, 63, 66, 67, usize::MAX, isize::MAX as usize - 3];
            let stride = stride[random.random_range(0..stride.len())];
            match random.random_range(0..4) {
                0 => problem.body_stride = stride,
                1 => problem.contact_stride = stride,
                2 => (problem.joint_row_count, problem.joint_row_stride) = (ROWS, stride),
                _ => {
                    let (keys, contacts) = (call.keys.as_ptr(), call.contacts.as_mut_ptr());
                    // SAFETY: arrays are as long as their counts say.
                    return unsafe {
                        ds_warm_start_load_strided(
                            warm,
                            keys,
                            contacts,
                            stride,
                            CONTACTS,
                            null(),
                            null_mut(),
                        )
                    };
                }
            }
            return solve(solver, &mut call);
        }
        35 => {
            call.solution.total_impulses = call.impulses.as_mut_ptr();
            return solve(solver, &mut call);
        }
        _ => return other(kind, &mut call, random, solver, warm),
    }
    if in_step && !(20..=21).contains(&kind) {
        step(solver, &mut call)
    } else {
        solve(solver, &mut call)
    }
}

/// Handles that are none: any number, a stack address, a warm start, a solver that was destroyed.
fn foreign(call: &Call, random: &mut Pcg64Mcg) -> ds_status {
    let (mut gone, mut warm) = (null_mut(), null_mut());
    // SAFETY: pointers to pointers.
    unsafe {
        assert_eq!(ds_create(1, &mut gone), ds_status::DS_OK);
        assert_eq!(ds_warm_start_create(&mut warm), ds_status::DS_OK);
    }
    assert_eq!(ds_destroy(gone), ds_status::DS_OK);
    let foreign: [*mut ds_solver; 4] = [
        without_provenance_mut(random.random::<u64>() as usize | 1 << 60),
        std::ptr::from_ref(call).cast_mut().cast(),
        warm.cast(),
        gone,
    ];
    let solver = foreign[random.random_range(0..4)];
    let mut solution = call.solution;
    // SAFETY: nothing is behind a handle that is none.
    let status = unsafe {
        ds_solve(
            solver,
            &call.problem,
            &call.options,
            &mut solution,
            null_mut(),
        )
    };
    assert_eq!(status, ds_status::DS_HANDLE);
    assert_eq!(ds_destroy(solver), ds_status::DS_HANDLE);
    assert_eq!(ds_warm_start_destroy(warm), ds_status::DS_OK);
    status
}

/// The other functions.
fn other(
    kind: u32,
    call: &mut Call,
    random: &mut Pcg64Mcg,
    solver: *mut ds_solver,
    warm: *mut ds_warm_start,
) -> ds_status {
    let number = f64::from(wrong_number(random));
    // SAFETY: arrays are as long as the counts that get past the checks say.
    unsafe {
        match kind {
            36 => ds_create(
                random.random_range(DS_MAX_THREADS + 1..u32::MAX),
                &mut null_mut(),
            ),
            37 => ds_create(1, null_mut()),
            38 => ds_plan_recommended(
                &mut call.plan,
                0,
                [number, 0.0, -1.0][random.random_range(0..3)],
                0.5,
                9.81,
            ),
            39 => ds_plan_recommended(
                &mut call.plan,
                0,
                0.01,
                [number, 0.0][random.random_range(0..2)],
                9.81,
            ),
            40 => ds_plan_recommended(null_mut(), 0, 0.01, 0.5, 9.81),
            41 => ds_islands(&call.problem, null_mut(), null_mut()),
            42 => ds_tangents(
                [0.0, 2.0, 0.0].as_ptr(),
                [0.0; 3].as_mut_ptr(),
                [0.0; 3].as_mut_ptr(),
            ),
            43 if random.random() => {
                ds_tangents(null(), [0.0; 3].as_mut_ptr(), [0.0; 3].as_mut_ptr())
            }
            43 => tangents_of(call, random),
            44 => ds_warm_start_load(
                warm,
                null(),
                call.contacts.as_mut_ptr(),
                CONTACTS,
                null(),
                null_mut(),
            ),
            45 => ds_warm_start_load(
                warm,
                call.keys.as_ptr(),
                null_mut(),
                CONTACTS,
                null(),
                call.loads.as_mut_ptr(),
            ),
            46 => ds_warm_start_load(
                solver.cast(),
                call.keys.as_ptr(),
                call.contacts.as_mut_ptr(),
                CONTACTS,
                null(),
                null_mut(),
            ),
            47 => {
                // The solver has solved a problem of other contacts.
                call.problem.contact_count = CONTACTS - 1;
                assert_eq!(solve(solver, call), ds_status::DS_OK);
                call.problem.contact_count = CONTACTS;
                ds_warm_start_store(warm, call.keys.as_ptr(), &call.problem, null(), solver)
            }
            48 => {
                let bad = [f32::NAN; 3];
                let mut body = call.bodies[1];
                ds_body_from_local(
                    &mut body,
                    number as f32,
                    bad.as_ptr(),
                    [0.0, 0.0, 0.0, 1.0].as_ptr(),
                    bad.as_ptr(),
                    bad.as_ptr(),
                )
            }
            _ => delassus(random),
        }
    }
}

/// Tangents of contacts of which one has no unit normal, or which begin at odd places, or that are none.
fn tangents_of(call: &mut Call, random: &mut Pcg64Mcg) -> ds_status {
    let mut found = [[[0.0; 3]; 2]; CONTACTS];
    let (mut from, mut to, mut stride) = (call.contacts.as_ptr(), found.as_mut_ptr(), 0);
    match random.random_range(0..4) {
        0 => call.contacts[random.random_range(0..CONTACTS)].normal[1] = wrong_number(random),
        1 => from = null(),
        2 => to = null_mut(),
        _ => stride = random.random_range(1..64),
    }
    // SAFETY: arrays are as long as the count that gets past the checks says.
    unsafe { ds_tangents_of(from, stride, CONTACTS, to) }
}

/// A friction problem of two contacts, one thing of which is wrong.
fn delassus(random: &mut Pcg64Mcg) -> ds_status {
    let (mut rows, mut columns) = ([0_u32, 2, 4], [0_u32, 1, 0, 1]);
    let mut blocks = [0.0_f64; 36];
    for block in [0, 3] {
        for i in 0..3 {
            blocks[9 * block + 4 * i] = 1.0;
        }
    }
    let (mut b, mut mu, mut impulses) = ([-1.0_f64; 6], [0.5_f64; 2], [0.0_f64; 6]);
    let number = f64::from(wrong_number(random));
    let mut problem = ds_delassus {
        struct_size: size_of_u32::<ds_delassus>(),
        friction_law: 0,
        contact_count: 2,
        block_count: 4,
        row_starts: null(),
        columns: null(),
        blocks: null(),
        free_velocities: null(),
        friction: null(),
        compliance: null(),
    };
    let mut options = ds_delassus_options {
        struct_size: size_of_u32::<ds_delassus_options>(),
        iterations: 0,
        check_every: 0,
        accelerated: 1,
        tolerance: 0.0,
    };
    let kind = random.random_range(0..14);
    match kind {
        0 => rows[1] = [5, u32::MAX][random.random_range(0..2)],
        1 => rows[2] = 3,
        2 => rows[0] = 1,
        3 => columns[1] = random.random_range(2..u32::MAX),
        4 => columns = [1, 0, 0, 1],
        5 => blocks[random.random_range(0..36)] = number,
        6 => b[3] = number,
        7 => mu[1] = [-1.0, number][random.random_range(0..2)],
        8 => impulses[5] = number,
        9 => problem.contact_count = usize::MAX,
        10 => options.tolerance = [-1.0, number][random.random_range(0..2)],
        13 => problem.friction_law = random.random_range(2..99),
        _ => {}
    }
    let to = if kind == 11 {
        null_mut()
    } else {
        impulses.as_mut_ptr()
    };
    problem.row_starts = rows.as_ptr();
    problem.columns = columns.as_ptr();
    problem.free_velocities = b.as_ptr();
    problem.friction = mu.as_ptr();
    if kind != 12 {
        problem.blocks = blocks.as_ptr();
    }
    // SAFETY: arrays are as long as the counts that get past the checks say.
    unsafe { ds_solve_delassus(&problem, &options, to, null_mut()) }
}

#[test]
fn malformed_calls_are_errors() {
    let mut random = Pcg64Mcg::seed_from_u64(11);
    let (mut solver, mut warm) = (null_mut(), null_mut());
    // SAFETY: pointers to pointers.
    unsafe {
        assert_eq!(ds_create(2, &mut solver), ds_status::DS_OK);
        assert_eq!(ds_warm_start_create(&mut warm), ds_status::DS_OK);
    }
    for round in 0..620_u32 {
        let kind = round % 62;
        let status = malformed(kind, &mut random, solver, warm);
        assert_ne!(status, ds_status::DS_OK, "call {kind}, round {round}");
        assert_ne!(status, ds_status::DS_PANIC, "call {kind}, round {round}");
        // SAFETY: a text that ends.
        let message = unsafe { CStr::from_ptr(ds_message()) };
        assert!(message.to_str().unwrap().len() > 5, "call {kind}");
        let mut sound = Call::new(&mut random);
        assert_eq!(solve(solver, &mut sound), ds_status::DS_OK);
        assert_eq!(step(solver, &mut sound), ds_status::DS_OK);
    }
    assert_eq!(ds_warm_start_destroy(warm), ds_status::DS_OK);
    assert_eq!(ds_destroy(solver), ds_status::DS_OK);
}

#[test]
fn two_threads_may_not_use_a_solver_at_a_time() {
    let mut solver = null_mut();
    // SAFETY: a pointer to a pointer.
    unsafe { assert_eq!(ds_create(1, &mut solver), ds_status::DS_OK) };
    let (address, busy, done) = (solver.addr(), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (busy, done) = (&busy, &done);
            scope.spawn(move || {
                let mut random = Pcg64Mcg::seed_from_u64(seed);
                let mut call = Call::new(&mut random);
                call.options.iterations = 500;
                for _ in 0..2_000 {
                    match solve(without_provenance_mut(address), &mut call) {
                        ds_status::DS_OK => done.fetch_add(1, Ordering::Relaxed),
                        ds_status::DS_BUSY => busy.fetch_add(1, Ordering::Relaxed),
                        status => panic!("{status:?}"),
                    };
                    if busy.load(Ordering::Relaxed) > 0 && done.load(Ordering::Relaxed) > 10 {
                        break;
                    }
                }
            });
        }
    });
    assert!(busy.into_inner() > 0 && done.into_inner() > 0);
    assert_eq!(ds_destroy(solver), ds_status::DS_OK);
}
