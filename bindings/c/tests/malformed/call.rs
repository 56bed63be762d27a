//! A sound problem, and calls that solve it.

use drystone_c::*;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use std::mem::zeroed;
use std::ptr::{null, null_mut};

pub(crate) const BODIES: usize = 12;
pub(crate) const CONTACTS: usize = 30;
pub(crate) const ROWS: usize = 4;

/// A sound problem and everything a call needs, to be spoilt.
pub(crate) struct Call {
    pub(crate) bodies: Vec<ds_body>,
    pub(crate) contacts: Vec<ds_contact>,
    pub(crate) rows: Vec<ds_joint_row>,
    pub(crate) increments: Vec<ds_velocity>,
    pub(crate) gaps: Vec<f32>,
    pub(crate) velocities: Vec<ds_velocity>,
    pub(crate) impulses: Vec<[f32; 3]>,
    pub(crate) keys: Vec<ds_key>,
    pub(crate) loads: Vec<f32>,
    pub(crate) sizes: Vec<f32>,
    pub(crate) problem: ds_problem,
    pub(crate) plan: ds_plan,
    pub(crate) options: ds_options,
    pub(crate) solution: ds_solution,
}

pub(crate) fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

impl Call {
    /// # Panics
    /// If a sound call is not.
    pub(crate) fn new(random: &mut Pcg64Mcg) -> Box<Self> {
        let mut number = || random.random_range(-1.0..1.0_f32);
        let mut vector = || [number(), number(), number()];
        let bodies = (0..BODIES).map(|body| ds_body {
            linear_velocity: vector(),
            inverse_mass: if body == 0 { 0.0 } else { 1.0 },
            angular_velocity: vector(),
            padding: 0.0,
            inverse_inertia: [[0.0; 6], [6.0, 0.0, 0.0, 6.0, 0.0, 6.0]][usize::from(body > 0)],
            padding_2: [0.0; 2],
        });
        let bodies: Vec<_> = bodies.collect();
        let contacts = (0..CONTACTS).map(|contact| ds_contact {
            body_a: (contact % BODIES) as u32,
            body_b: ((contact * 5 + 1) % BODIES) as u32,
            arm_a: vector(),
            arm_b: vector(),
            normal: [0.0, 0.6, 0.8],
            bias: 0.1,
            friction: 0.5,
            impulse: [0.0; 3],
        });
        let mut contacts: Vec<_> = contacts.collect();
        for contact in &mut contacts {
            if contact.body_a == contact.body_b {
                contact.body_b = (contact.body_a + 1) % BODIES as u32;
            }
        }
        let rows = (0..ROWS).map(|row| ds_joint_row {
            body_a: row as u32,
            body_b: row as u32 + 1,
            linear: [1.0, 0.0, 0.0],
            angular_a: vector(),
            angular_b: vector(),
            bias: 0.0,
            softness: 0.0,
            lower: -f32::MAX,
            upper: f32::MAX,
            impulse: 0.0,
        });
        let rows: Vec<_> = rows.collect();
        let increments = (0..BODIES).map(|_| ds_velocity {
            linear: vector(),
            angular: [0.0; 3],
        });
        let increments: Vec<_> = increments.collect();
        // SAFETY: numbers and pointers, of which zero bits are values.
        let (mut plan, mut options, solution): (ds_plan, ds_options, ds_solution) =
            unsafe { (zeroed(), zeroed(), zeroed()) };
        plan.struct_size = size_of_u32::<ds_plan>();
        options.struct_size = size_of_u32::<ds_options>();
        // SAFETY: they are what they are called.
        unsafe {
            assert_eq!(
                ds_plan_recommended(&mut plan, 4, 0.01, 0.5, 9.81),
                ds_status::DS_OK
            );
            assert_eq!(ds_options_default(&mut options), ds_status::DS_OK);
        }
        let mut call = Box::new(Self {
            bodies,
            contacts,
            rows,
            increments,
            gaps: vec![0.01; CONTACTS],
            velocities: vec![
                ds_velocity {
                    linear: [0.0; 3],
                    angular: [0.0; 3]
                };
                BODIES
            ],
            impulses: vec![[0.0; 3]; CONTACTS],
            keys: (0..CONTACTS as u64)
                .map(|key| ds_key {
                    first: 1,
                    second: key,
                })
                .collect(),
            loads: vec![0.0; CONTACTS],
            sizes: vec![1.0; CONTACTS],
            // SAFETY: as above.
            problem: unsafe { zeroed() },
            plan,
            options,
            solution,
        });
        call.problem = ds_problem {
            struct_size: size_of_u32::<ds_problem>(),
            friction_directions: 0,
            friction_law: 0,
            contact_softness: 0.0,
            body_count: BODIES,
            contact_count: CONTACTS,
            joint_row_count: 0,
            bodies: call.bodies.as_ptr(),
            contacts: call.contacts.as_ptr(),
            joint_rows: call.rows.as_ptr(),
            surface_velocities: null(),
            increments: call.increments.as_ptr(),
            gaps: call.gaps.as_ptr(),
            restitutions: null(),
            loads: null(),
            sizes: null(),
            compliances: null(),
            rolling_lengths: null(),
            spinning_lengths: null(),
            body_stride: 0,
            contact_stride: 0,
            joint_row_stride: 0,
        };
        call.solution.struct_size = size_of_u32::<ds_solution>();
        call.solution.velocities = call.velocities.as_mut_ptr();
        call.solution.impulses = call.impulses.as_mut_ptr();
        call
    }
}

pub(crate) fn solve(solver: *mut ds_solver, call: &mut Call) -> ds_status {
    // SAFETY: arrays are as long as the counts that get past the checks say.
    unsafe {
        ds_solve(
            solver,
            &call.problem,
            &call.options,
            &mut call.solution,
            null_mut(),
        )
    }
}

pub(crate) fn step(solver: *mut ds_solver, call: &mut Call) -> ds_status {
    // SAFETY: as above.
    unsafe {
        ds_step(
            solver,
            &call.problem,
            &call.plan,
            &mut call.solution,
            null_mut(),
        )
    }
}
