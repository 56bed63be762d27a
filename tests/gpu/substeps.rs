//! Whole steps in substeps on the device: against the reference, and against the CPU twins.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use crate::crowd::Crowd;
use crate::support::adapter;
use drystone::internals::batches::{Batches, Remainder};
use drystone::internals::cpu;
use drystone::internals::cpu::{Sweep, VelocityChange};
use drystone::internals::records::{
    BodyState, ContactStep, ContactTotal, GivenContact, PassKind, SubstepParams,
};
use drystone::problem::{Contact, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::gpu::GpuSolver;
use drystone::solver::reference::in_substeps;
use drystone::solver::substeps::{GapLaw, PositionPlan, SubstepPlan, SubstepReport};
use drystone::solver::{Method, Options, Solution, Solver, Status, Velocity};

/// A crowd under gravity, with some gaps open and some shut, some of which bounce, and hubs.
fn step_problem() -> Problem {
    step_of(&Crowd::default())
}

fn step_of(crowd: &Crowd) -> Problem {
    let problem = crowd.problem();
    let bodies = problem.bodies.iter();
    let increments = bodies.map(|body| Velocity {
        linear: [0.0, 0.0, if body.is_movable() { -0.0981 } else { 0.0 }],
        angular: [0.0; 3],
    });
    let contacts = 0..problem.contacts.len();
    let gaps = contacts.clone().map(|at| 2e-4 * (at % 11) as f32 - 8e-4);
    let restitutions = contacts.map(|at| if at % 5 == 0 { 0.3 } else { 0.0 });
    Problem {
        increments: increments.collect(),
        gaps: gaps.collect(),
        restitutions: restitutions.collect(),
        loads: (0..problem.contacts.len())
            .map(|at| 0.3 * (at % 7) as f32)
            .collect(),
        sizes: (0..problem.contacts.len())
            .map(|at| 1.0 + 2.0 * (at % 4) as f32)
            .collect(),
        ..problem
    }
}

/// The same without what jumps where a gap closes, bounces among it: a rounding there is a different answer, not an error.
fn continuous(given: Problem, plan: &mut SubstepPlan) -> Problem {
    plan.gap_law.memory = 0.0;
    Problem {
        restitutions: Vec::new(),
        ..given
    }
}

fn plan(method: Method, position: bool) -> SubstepPlan {
    let options = Options {
        method,
        iterations: 6,
        direct_joints: false,
        ..Options::default()
    };
    SubstepPlan {
        substeps: 3,
        time_step: 0.01,
        gap_law: GapLaw {
            rate: 30.0,
            memory: 0.05,
            max_push: 5e-3,
            softness: 0.0,
            held: 3e-4,
            held_load: 2e-3,
            load_time: 0.0,
            slop: 1e-4,
            spared: 5e-5,
            touching: 1e-4,
        },
        restitution_threshold: 0.05,
        calm_change: 0.0,
        velocity: options,
        position: position.then_some(PositionPlan {
            options: Options {
                iterations: 4,
                ..options
            },
            max_correction: 5e-4,
            max_turn: 1e-3,
        }),
    }
}

/// Share of a contact in the stiffness of its pair.
fn share_of(contacts: &[Contact], at: usize) -> f32 {
    let pair = |c: &Contact| [c.body_a, c.body_b];
    let runs = contacts.chunk_by(|p, q| pair(p) == pair(q));
    let mut lengths = runs.flat_map(|run| vec![run.len(); run.len()]);
    4.0 / 4.0_f32.max(lengths.nth(at).unwrap() as f32)
}

/// What the device does, by the kernels' CPU twins; for methods without momentum and without tolerance.
fn twin(given: &Problem, plan: &SubstepPlan) -> Solution {
    let colors = plan.velocity.method.max_colors();
    let problem = given;
    let mut batches = Batches::pack(problem, colors, plan.velocity.warm_start);
    // Velocities of one problem each, with no bias: what the bodies' start and the forces give.
    let free = |velocity: &dyn Fn(usize) -> Velocity| {
        let mut problem = problem.clone();
        for (at, body) in problem.bodies.iter_mut().enumerate() {
            body.linear_velocity = velocity(at).linear;
            body.angular_velocity = velocity(at).angular;
        }
        problem.contacts.iter_mut().for_each(|c| c.bias = 0.0);
        Batches::pack(&problem, colors, false)
    };
    let start = free(&|at| Velocity {
        linear: problem.bodies[at].linear_velocity,
        angular: problem.bodies[at].angular_velocity,
    });
    let increment = free(&|at| given.increments[at]);
    let contact_steps: Vec<_> = (0..batches.contacts.blocks.len())
        .map(|at| {
            let source = batches.contacts.source[at] as usize;
            ContactStep {
                start: start.contacts.blocks[at].free_velocity,
                gap: given.gaps[source],
                increment: increment.contacts.blocks[at].free_velocity,
                restitution: given.restitutions[source],
                load: given.loads[source],
                root_size: given.sizes[source].sqrt(),
                share: share_of(&given.contacts, source),
                ..ContactStep::default()
            }
        })
        .collect();
    let frictions: Vec<_> = batches.contacts.blocks.iter().map(|b| b.friction).collect();
    let mut states = vec![BodyState::default(); batches.velocities.len()];
    let mut contact_totals = vec![ContactTotal::default(); contact_steps.len()];
    cpu::substep_bodies(
        None,
        &SubstepParams::default(),
        &mut batches.velocities,
        &mut states,
    );
    let mut substep = 0;
    for between in plan.lcps().into_iter().chain([plan.end()]) {
        let lcp = match between.next {
            Some(PassKind::Velocity) => {
                substep += 1;
                SubstepParams::velocity(plan, substep, 0)
            }
            Some(PassKind::Position) => {
                SubstepParams::position(plan, plan.position.as_ref().unwrap(), substep, 0)
            }
            None => SubstepParams::velocity(plan, substep, 0),
        };
        cpu::substep_contacts(
            between,
            &lcp,
            &contact_steps,
            &frictions,
            &states,
            &mut batches.contacts.blocks,
            &mut batches.contacts.impulses,
            &mut contact_totals,
        );
        if between.next == Some(PassKind::Velocity) && plan.velocity.warm_start {
            sweep(&mut batches, Sweep::Rebuild);
        }
        if between.next.is_some() {
            for _ in 0..lcp.iteration_limit {
                sweep(&mut batches, Sweep::Update);
            }
            cpu::substep_bodies(between.next, &lcp, &mut batches.velocities, &mut states);
        }
    }
    let mut solution = Solution::default();
    solution.changes.extend(states.iter().map(|state| Velocity {
        linear: state.gained_linear,
        angular: state.gained_angular,
    }));
    solution.impulses.resize(contact_totals.len(), [0.0; 3]);
    solution
        .total_impulses
        .resize(contact_totals.len(), [0.0; 3]);
    for (&source, total) in batches.contacts.source.iter().zip(&contact_totals) {
        solution.impulses[source as usize].copy_from_slice(&total.kept[..3]);
        solution.total_impulses[source as usize].copy_from_slice(&total.total[..3]);
    }
    solution.displacements.extend(states.iter().map(|state| {
        drystone::solver::substeps::Displacement {
            linear: state.moved_linear,
            angular: state.moved_angular,
        }
    }));
    solution
}

/// One pass of the twins over all joints and contacts.
fn sweep(batches: &mut Batches, sweep: Sweep) {
    let gather = |remainder: &Remainder, changes: &[VelocityChange], velocities: &mut Vec<_>| {
        cpu::body_gather(remainder, changes, velocities);
        cpu::hub_gather(remainder, changes, velocities);
    };
    let mut changes = vec![VelocityChange::default(); batches.slot_count() as usize];
    let mut velocities = batches.velocities.clone();
    let mut impulses = batches.joints.impulses.clone();
    for color in 0..batches.joints.colors.len() {
        cpu::joint_sweep(batches, color, sweep, &mut velocities, &mut impulses);
    }
    cpu::joint_split(batches, sweep, &velocities, &mut impulses, &mut changes);
    gather(&batches.joints.remainder, &changes, &mut velocities);
    batches.joints.impulses = impulses;
    let mut impulses = batches.contacts.impulses.clone();
    for color in 0..batches.contacts.colors.len() {
        cpu::contact_sweep(batches, color, sweep, &mut velocities, &mut impulses);
    }
    cpu::contact_split(batches, sweep, &velocities, &mut impulses, &mut changes);
    gather(&batches.contacts.remainder, &changes, &mut velocities);
    batches.contacts.impulses = impulses;
    batches.velocities = velocities;
}

fn on_device(
    gpu: &mut GpuSolver,
    given: &Problem,
    plan: &SubstepPlan,
) -> (SubstepReport, Solution) {
    let mut solution = Solution::default();
    let report = gpu.attempt(given, &(*plan).into(), &mut solution).unwrap();
    (report, solution)
}

/// Largest difference, over the largest magnitude.
fn difference<T: Copy>(a: &[T], b: &[T], numbers: impl Fn(&T) -> Vec<f32>) -> f32 {
    assert_eq!(a.len(), b.len());
    let (a, b): (Vec<_>, Vec<_>) = (
        a.iter().flat_map(&numbers).collect(),
        b.iter().flat_map(&numbers).collect(),
    );
    let largest = b.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
    let most = a
        .iter()
        .zip(&b)
        .fold(0.0_f32, |max, (x, y)| max.max((x - y).abs()));
    if most == 0.0 { 0.0 } else { most / largest }
}

fn differences(a: &Solution, b: &Solution) -> [f32; 4] {
    let twist = |linear: [f32; 3], angular: [f32; 3]| [linear, angular].concat();
    [
        difference(&a.changes, &b.changes, |v| twist(v.linear, v.angular)),
        difference(&a.displacements, &b.displacements, |d| {
            twist(d.linear, d.angular)
        }),
        difference(&a.impulses, &b.impulses, |r| r.to_vec()),
        difference(&a.total_impulses, &b.total_impulses, |r| r.to_vec()),
    ]
}

#[test]
fn a_step_does_what_the_twins_do() {
    let mut gpu = adapter::solver();
    let summary = gpu.adapter_summary();
    let exact = summary.name.contains("llvmpipe") && summary.backend == "vulkan";
    let most = if exact { 0.0 } else { 1e-4 };
    let mut worst = 0.0;
    let mut given = step_problem();
    for method in [Method::GaussSeidel, Method::Jacobi] {
        for position in [false, true] {
            let mut plan = plan(method, position);
            plan.gap_law.softness = 0.05;
            given.contact_softness = 0.05;
            for (warm_start, calm_change) in [(true, 0.0), (false, 0.0), (true, 0.02)] {
                plan.velocity.warm_start = warm_start;
                plan.calm_change = calm_change;
                given.calm_change = calm_change;
                let (_, solution) = on_device(&mut gpu, &given, &plan);
                let expected = twin(&given, &plan);
                let all_visits = Problem {
                    calm_change: 0.0,
                    ..given.clone()
                };
                let is_left = method == Method::GaussSeidel && calm_change > 0.0;
                assert_eq!(is_left, expected != twin(&all_visits, &plan));
                assert!(expected.changes.iter().any(|v| v.linear != [0.0; 3]));
                let off = differences(&solution, &expected);
                println!(
                    "{} {position} {warm_start} {calm_change}: {off:?}",
                    method.name()
                );
                worst = off.into_iter().fold(worst, f32::max);
            }
        }
    }
    assert!(worst <= most, "{worst:e}");
}

#[test]
fn a_step_agrees_with_one_solve_after_the_other() {
    let mut gpu = adapter::solver();
    for method in [Method::GaussSeidel, Method::Jacobi, Method::Nesterov] {
        for position in [false, true] {
            let mut plan = plan(method, position);
            let given = continuous(step_problem(), &mut plan);
            let (report, solution) = on_device(&mut gpu, &given, &plan);
            let mut expected = Solution::default();
            let mut cpu = CpuSolver::new();
            let reference = in_substeps(&mut cpu, &given, &plan, &mut expected).unwrap();
            let off = differences(&solution, &expected);
            println!("{} {position}: {off:?}", method.name());
            assert!(off.iter().all(|&off| off <= 1e-4), "{off:?}");
            let residual = report.velocity.residual_rms / reference.velocity.residual_rms;
            assert!((residual - 1.0).abs() <= 0.01, "{residual}");
            let worst = report.worst_residual_max / reference.worst_residual_max;
            assert!((worst - 1.0).abs() <= 0.01, "{worst}");
            assert_eq!(report.velocity.iterations, reference.velocity.iterations);
            assert_eq!(report.velocity.colors, reference.velocity.colors);
            assert_eq!(report.position.is_some(), reference.position.is_some());
            if let (Some(ours), Some(theirs)) = (report.position, reference.position) {
                assert_eq!(ours.iterations, theirs.iterations);
                let residual = ours.residual_rms / theirs.residual_rms;
                assert!((residual - 1.0).abs() <= 0.01, "{residual}");
            }
        }
    }
}

#[test]
fn soft_contacts_agree_with_one_solve_after_the_other() {
    // Without hubs, whose contacts have a response of their own where a hub's mass is split.
    let mut given = step_of(&Crowd {
        hubs: 0,
        ..Crowd::default()
    });
    let mut plan = plan(Method::GaussSeidel, false);
    let mut gpu = adapter::solver();
    for softness in [0.0, 0.05] {
        plan.gap_law.memory = 0.0;
        plan.gap_law.softness = softness;
        given.contact_softness = softness;
        let (_, solution) = on_device(&mut gpu, &given, &plan);
        let mut on_cpu = Solution::default();
        CpuSolver::new()
            .step(&given, &plan.into(), &mut on_cpu)
            .unwrap();
        let mut expected = Solution::default();
        in_substeps(&mut CpuSolver::new(), &given, &plan, &mut expected).unwrap();
        for seen in [solution, on_cpu] {
            let off = differences(&seen, &expected);
            assert!(off.iter().all(|&off| off <= 1e-4), "{off:?}");
        }
    }
}

#[test]
fn each_part_of_a_step_stops_at_its_own_tolerance() {
    let mut plan = plan(Method::GaussSeidel, true);
    let given = continuous(step_problem(), &mut plan);
    plan.velocity.iterations = 60;
    plan.velocity.check_every = 4;
    let mut rough = Solution::default();
    plan.velocity.tolerance = 1e-30;
    let rough = in_substeps(&mut CpuSolver::new(), &given, &plan, &mut rough).unwrap();
    // A residual that is reached some passes before the last, in every substep.
    plan.velocity.tolerance = 1.5 * rough.worst_residual_rms;
    let (report, solution) = on_device(&mut adapter::solver(), &given, &plan);
    let mut expected = Solution::default();
    let reference = in_substeps(&mut CpuSolver::new(), &given, &plan, &mut expected).unwrap();
    assert_eq!(reference.velocity.status, Status::Converged);
    assert_eq!(report.velocity.status, Status::Converged);
    assert_eq!(report.velocity.iterations, reference.velocity.iterations);
    assert!(report.velocity.iterations < 3 * 60);
    let off = differences(&solution, &expected);
    assert!(off.iter().all(|&off| off <= 1e-4), "{off:?}");
}

#[test]
fn a_step_is_one_submission_and_one_wait() {
    let mut gpu = adapter::solver();
    let mut given = step_problem();
    let plan = plan(Method::GaussSeidel, true);
    let (_, solution) = on_device(&mut gpu, &given, &plan);
    for (contact, &impulse) in given.contacts.iter_mut().zip(&solution.impulses) {
        contact.impulse = impulse;
        contact.arm_a = contact.arm_a.map(|x| x + 1e-4);
    }
    given.gaps.iter_mut().for_each(|gap| *gap += 1e-6);
    let (_, solution) = on_device(&mut gpu, &given, &plan);
    let traffic = *gpu.traffic();
    assert_eq!((traffic.submits, traffic.waits, traffic.holds), (1, 1, 0));
    // Geometry once a step, and what gaps follow from; not once for each of the six LCPs.
    assert_eq!(traffic.up.contacts, 96 * traffic.contacts);
    assert_eq!(traffic.up.bodies, 0);
    assert_eq!(traffic.back.contacts, 24 * traffic.contacts);
    assert_eq!(traffic.back.bodies, 64 * traffic.bodies);

    // And nothing of a step before shows in the next, nor in a solve.
    let (_, fresh) = on_device(&mut adapter::solver(), &given, &plan);
    assert_eq!(differences(&solution, &fresh), [0.0; 4]);
    let options = Options::default();
    let mut after = drystone::solver::Solution::default();
    gpu.solve(&given, &options, &mut after).unwrap();
    let mut alone = drystone::solver::Solution::default();
    adapter::solver()
        .solve(&given, &options, &mut alone)
        .unwrap();
    assert!(after == alone);
}

#[test]
fn a_step_whose_contacts_exceed_a_binding_is_split() {
    let given = step_problem();
    let plan = plan(Method::GaussSeidel, true);
    // Bodies are never split; in a binding that is too small for them the step is one solve after the other.
    let binding = (size_of::<BodyState>() * given.bodies.len()).next_multiple_of(256);
    assert!(size_of::<GivenContact>() * given.contacts.len() > 2 * binding);
    let whole = on_device(&mut adapter::solver(), &given, &plan).1;
    for is_coarse in [false, true] {
        let mut limited = adapter::limited(|limits| {
            limits.max_storage_buffer_binding_size = binding as u64;
            if is_coarse {
                limits.min_storage_buffer_offset_alignment = 256;
                limits.min_uniform_buffer_offset_alignment = 256;
            }
        });
        // Twice: the second step finds what the first has left.
        for _ in 0..2 {
            let split = on_device(&mut limited, &given, &plan).1;
            assert_eq!(limited.traffic().submits, 1);
            assert_eq!(differences(&whole, &split), [0.0; 4]);
        }
    }
}

#[test]
fn a_long_step_is_several_submissions_and_one_wait() {
    let mut gpu = adapter::solver();
    let mut plan = plan(Method::GaussSeidel, true);
    let given = continuous(step_problem(), &mut plan);
    let (_, short) = on_device(&mut gpu, &given, &plan);
    plan.substeps = 40;
    plan.velocity.iterations = 20;
    let (report, long) = on_device(&mut gpu, &given, &plan);
    assert_eq!(report.velocity.iterations, 800);
    assert!(gpu.traffic().submits > 2);
    assert_eq!(gpu.traffic().waits, 1);
    assert_ne!(short.displacements, long.displacements);
    let mut expected = Solution::default();
    in_substeps(&mut CpuSolver::new(), &given, &plan, &mut expected).unwrap();
    let off = differences(&long, &expected);
    assert!(off.iter().all(|&off| off <= 1e-3), "{off:?}");
}

#[test]
fn empty_steps_are_steps() {
    let given = Problem::default();
    let plan = plan(Method::GaussSeidel, true);
    let (report, solution) = on_device(&mut adapter::solver(), &given, &plan);
    assert!(solution.changes.is_empty());
    assert_eq!(report.velocity.residual_rms, 0.0);
    let falling = Problem {
        bodies: Crowd::default().problem().bodies,
        increments: vec![Velocity::default(); Crowd::default().problem().bodies.len()],
        ..Problem::default()
    };
    let (_, solution) = on_device(&mut adapter::solver(), &falling, &plan);
    assert!(solution.changes.iter().all(|v| *v == Velocity::default()));
}

#[test]
fn overflow_in_a_step_is_reported() {
    let mut given = step_problem();
    given.bodies[20].linear_velocity = [3e38; 3];
    given.bodies[21].linear_velocity = [-3e38; 3];
    for contact in &mut given.contacts {
        contact.arm_a = contact.arm_a.map(|x| 1e10 * x);
    }
    let plan = plan(Method::GaussSeidel, true);
    let (report, _) = on_device(&mut adapter::solver(), &given, &plan);
    assert_eq!(report.velocity.status, Status::NonFinite);
}
