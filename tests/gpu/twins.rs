//! One dispatch of each kernel against one call of its CPU twin.

use crate::crowd::Crowd;
use crate::support::adapter;
use crate::support::joints::add_random_joints;
use drystone::internals::batches::{Batches, BodyVelocity};
use drystone::internals::cpu;
use drystone::internals::cpu::{BodyMomentum, Sweep, VelocityChange};
use drystone::internals::gpu::{Kernel, KernelCall, KernelData};
use drystone::internals::momentum::{
    ContactMemory, JointMemory, Momentum, MomentumRule, Progress, momentum_step,
};
use drystone::internals::residual;
use drystone::problem::{FrictionCone, FrictionLaw, Problem};

/// Largest difference, over the largest magnitude in the array, that rounding may make on an
/// adapter that contracts multiplications and additions. Lavapipe reaches 0.
const MAX_RELATIVE_DIFFERENCE: f64 = 1e-5;

/// A crowd of which many are linked, and more than a workgroup to one hub.
fn jointed(crowd: &Crowd) -> Problem {
    let mut problem = crowd.problem();
    add_random_joints(&mut problem, 0, 10, 0, crowd.seed);
    add_random_joints(&mut problem, 5, 200, 120, crowd.seed + 1);
    problem
}

fn crowds() -> Vec<Crowd> {
    let cones = [
        FrictionCone::Disk,
        FrictionCone::Pyramid { directions: 4 },
        FrictionCone::Pyramid { directions: 16 },
    ];
    let mut crowds: Vec<Crowd> = cones
        .into_iter()
        .enumerate()
        .map(|(seed, friction_cone)| Crowd {
            seed: seed as u64,
            friction_cone,
            ..Crowd::default()
        })
        .collect();
    crowds.push(Crowd {
        seed: 5,
        friction_law: FrictionLaw::Convex,
        ..Crowd::default()
    });
    crowds.push(Crowd {
        seed: 7,
        frictionless: true,
        ..Crowd::default()
    });
    crowds
}

/// What the CPU twin makes of the same data.
fn twin(batches: &Batches, call: KernelCall, data: &KernelData) -> KernelData {
    let mut data = data.clone();
    let KernelCall { color, sweep, .. } = call;
    let factor = data.momentum.factor;
    let remainders = [&batches.joints.remainder, &batches.contacts.remainder];
    match call.kernel {
        Kernel::ContactMasses => data.contact_blocks.clone_from(&batches.contacts.blocks),
        Kernel::BodyStart => cpu::body_start(&mut data.velocities),
        Kernel::JointSweep => {
            cpu::joint_sweep(
                batches,
                color,
                sweep,
                &mut data.velocities,
                &mut data.joint_impulses,
            );
        }
        Kernel::JointSplit => cpu::joint_split(
            batches,
            sweep,
            &data.velocities,
            &mut data.joint_impulses,
            &mut data.changes,
        ),
        Kernel::ContactSweep => {
            cpu::contact_sweep(
                batches,
                color,
                sweep,
                &mut data.velocities,
                &mut data.impulses,
            );
        }
        Kernel::ContactSplit => cpu::contact_split(
            batches,
            sweep,
            &data.velocities,
            &mut data.impulses,
            &mut data.changes,
        ),
        Kernel::BodyGather => {
            for remainder in remainders {
                cpu::body_gather(remainder, &data.changes, &mut data.velocities);
            }
        }
        Kernel::HubGather => {
            for remainder in remainders {
                cpu::hub_gather(remainder, &data.changes, &mut data.velocities);
            }
        }
        Kernel::JointResidual => cpu::joint_residual(
            batches,
            &data.velocities,
            &data.joint_impulses,
            &mut data.joint_partials,
        ),
        Kernel::ContactResidual => cpu::contact_residual(
            batches,
            &data.velocities,
            &data.impulses,
            &mut data.partials,
        ),
        Kernel::JointMomentum => {
            cpu::joint_momentum(factor, &mut data.joint_impulses, &mut data.joint_memory);
        }
        Kernel::ContactMomentum => {
            cpu::contact_momentum(factor, &mut data.impulses, &mut data.contact_memory);
        }
        Kernel::BodyMomentum => cpu::body_momentum(
            call.part,
            factor,
            &mut data.velocities,
            &mut data.body_memory,
        ),
        Kernel::JointProgress => cpu::joint_progress(
            batches,
            &data.joint_impulses,
            &data.joint_memory,
            &mut data.joint_sums,
        ),
        Kernel::ContactProgress => cpu::contact_progress(
            batches,
            &data.impulses,
            &data.contact_memory,
            &mut data.contact_sums,
        ),
        Kernel::MomentumStep => {
            data.momentum = momentum_step(data.momentum, &data.joint_sums, &data.contact_sums);
        }
        // Compared by whole steps.
        Kernel::SubstepGather
        | Kernel::SubstepControl
        | Kernel::SubstepBodies
        | Kernel::SubstepContacts
        | Kernel::SubstepScatter => {}
        Kernel::ResidualStep => {
            let total = residual::gather([&data.partials, &data.joint_partials]);
            data.control.check(total);
        }
    }
    data
}

/// Largest difference over the largest magnitude.
fn difference(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b
        .iter()
        .fold(0.0_f64, |max, &x| max.max(f64::from(x).abs()));
    let most = a.iter().zip(b).fold(0.0_f64, |max, (&x, &y)| {
        assert!(x.is_finite() && y.is_finite());
        max.max((f64::from(x) - f64::from(y)).abs())
    });
    if most == 0.0 { 0.0 } else { most / scale }
}

/// Largest relative difference between kernel and twin, over everything the kernel may write.
fn compare(gpu: &KernelData, cpu: &KernelData) -> f64 {
    let partials = |data: &KernelData| {
        let mut all: Vec<f32> = bytemuck::pod_collect_to_vec(&data.partials);
        all.extend(bytemuck::pod_collect_to_vec::<_, f32>(&data.joint_partials));
        all
    };
    let momentum = |data: &KernelData| {
        let Momentum {
            sequence,
            factor,
            restarts,
            rule,
        } = data.momentum;
        [sequence, factor, restarts as f32, rule as f32]
    };
    let residual = |data: &KernelData| [data.control.residual_rms, data.control.residual_max];
    let counts = |data: &KernelData| (data.control.done, data.control.iterations);
    assert_eq!(counts(gpu), counts(cpu));
    // Indices and padding read as numbers: 0, or tiny.
    let blocks =
        |data: &KernelData| -> Vec<f32> { bytemuck::pod_collect_to_vec(&data.contact_blocks) };
    [
        difference(&blocks(gpu), &blocks(cpu)),
        difference(&residual(gpu), &residual(cpu)),
        difference(&gpu.joint_impulses, &cpu.joint_impulses),
        difference(
            bytemuck::cast_slice::<BodyVelocity, f32>(&gpu.velocities),
            bytemuck::cast_slice(&cpu.velocities),
        ),
        difference(
            bytemuck::cast_slice::<[f32; 4], f32>(&gpu.impulses),
            bytemuck::cast_slice(&cpu.impulses),
        ),
        difference(
            bytemuck::cast_slice::<VelocityChange, f32>(&gpu.changes),
            bytemuck::cast_slice(&cpu.changes),
        ),
        difference(&partials(gpu), &partials(cpu)),
        difference(
            bytemuck::cast_slice::<ContactMemory, f32>(&gpu.contact_memory),
            bytemuck::cast_slice(&cpu.contact_memory),
        ),
        difference(
            bytemuck::cast_slice::<JointMemory, f32>(&gpu.joint_memory),
            bytemuck::cast_slice(&cpu.joint_memory),
        ),
        difference(
            bytemuck::cast_slice::<VelocityChange, f32>(&gpu.body_memory),
            bytemuck::cast_slice(&cpu.body_memory),
        ),
        difference(
            bytemuck::cast_slice::<Progress, f32>(&gpu.contact_sums),
            bytemuck::cast_slice(&cpu.contact_sums),
        ),
        difference(
            bytemuck::cast_slice::<Progress, f32>(&gpu.joint_sums),
            bytemuck::cast_slice(&cpu.joint_sums),
        ),
        difference(&momentum(gpu), &momentum(cpu)),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// The calls of one sweep, in which every kernel has its turn in every way.
fn calls(batches: &Batches) -> Vec<KernelCall> {
    let mut calls = Vec::new();
    let parts = [
        BodyMomentum::Whole,
        BodyMomentum::BeforeRebuild,
        BodyMomentum::AfterRebuild,
    ];
    let alone = |kernel: &Kernel| !kernel.name().starts_with("substep");
    for kernel in Kernel::ALL.iter().copied().filter(alone) {
        let colors = match kernel {
            Kernel::JointSweep => batches.joints.colors.len(),
            Kernel::ContactSweep => batches.contacts.colors.len(),
            _ => 1,
        };
        let (sweeps, parts) = match kernel {
            Kernel::JointSweep
            | Kernel::JointSplit
            | Kernel::ContactSweep
            | Kernel::ContactSplit => (&[Sweep::Update, Sweep::Rebuild][..], &parts[..1]),
            Kernel::BodyMomentum => (&[Sweep::Update][..], &parts[..]),
            _ => (&[Sweep::Update][..], &parts[..1]),
        };
        for &sweep in sweeps {
            for &part in parts {
                calls.extend((0..colors).map(|color| KernelCall {
                    kernel,
                    color,
                    sweep,
                    part,
                }));
            }
        }
    }
    // Last, for what follows momentum at once has made no progress.
    calls.sort_by_key(|call| {
        let momentum = [
            Kernel::JointMomentum,
            Kernel::ContactMomentum,
            Kernel::BodyMomentum,
        ];
        let ends = call.kernel == Kernel::BodyStart;
        (ends, momentum.contains(&call.kernel))
    });
    calls
}

/// Runs every kernel of two sweeps, each on what its CPU twin left, and returns the largest
/// difference and the number of comparisons.
fn compare_sweeps(max_colors: usize, kernels: &[Kernel]) -> (f64, usize) {
    let mut solver = adapter::solver();
    let mut worst = 0.0_f64;
    let mut comparisons = 0;
    for crowd in crowds() {
        let batches = Batches::pack(&jointed(&crowd), max_colors, true);
        let mut data = KernelData::start(&batches);
        for rule in [MomentumRule::Forward, MomentumRule::ForwardConvex] {
            data.momentum = Momentum::of(rule);
            for call in calls(&batches) {
                if call.kernel == Kernel::JointMomentum {
                    // As if momentum had been gathered before.
                    data.momentum.factor = 0.75;
                    data.momentum.sequence = 7.0;
                }
                let after = twin(&batches, call, &data);
                if kernels.contains(&call.kernel) {
                    let mut on_gpu = data.clone();
                    on_gpu.contact_blocks.clear();
                    solver
                        .run_kernel(&batches, call, &mut on_gpu)
                        .expect("a kernel that runs");
                    if call.kernel != Kernel::ContactMasses {
                        on_gpu.contact_blocks.clone_from(&after.contact_blocks);
                    }
                    if call.kernel != Kernel::ContactResidual {
                        on_gpu.partials.clone_from(&after.partials);
                    }
                    if call.kernel != Kernel::JointResidual {
                        on_gpu.joint_partials.clone_from(&after.joint_partials);
                    }
                    assert!(on_gpu != data, "{call:?} wrote nothing");
                    worst = worst.max(compare(&on_gpu, &after));
                    comparisons += 1;
                }
                data = after;
                data.contact_blocks.clear();
            }
        }
    }
    (worst, comparisons)
}

fn check(max_colors: usize, kernels: &[Kernel]) {
    let (worst, comparisons) = compare_sweeps(max_colors, kernels);
    assert!(comparisons >= crowds().len() * 2);
    assert!(worst <= MAX_RELATIVE_DIFFERENCE, "{worst:e}");
}

#[test]
fn contact_masses_does_what_its_twin_does() {
    check(12, &[Kernel::ContactMasses]);
    check(0, &[Kernel::ContactMasses]);
}

#[test]
fn body_start_does_what_its_twin_does() {
    check(12, &[Kernel::BodyStart]);
}

#[test]
fn joint_sweep_does_what_its_twin_does() {
    check(12, &[Kernel::JointSweep]);
}

#[test]
fn joint_split_does_what_its_twin_does() {
    check(12, &[Kernel::JointSplit]);
    check(0, &[Kernel::JointSplit]);
}

#[test]
fn joint_residual_does_what_its_twin_does() {
    check(12, &[Kernel::JointResidual]);
    check(0, &[Kernel::JointResidual]);
}

#[test]
fn contact_sweep_does_what_its_twin_does() {
    check(12, &[Kernel::ContactSweep]);
}

#[test]
fn contact_split_does_what_its_twin_does() {
    check(12, &[Kernel::ContactSplit]);
    check(0, &[Kernel::ContactSplit]);
}

#[test]
fn body_gather_does_what_its_twin_does() {
    check(12, &[Kernel::BodyGather]);
    check(0, &[Kernel::BodyGather]);
}

#[test]
fn hub_gather_does_what_its_twin_does() {
    check(12, &[Kernel::HubGather]);
    check(0, &[Kernel::HubGather]);
}

#[test]
fn contact_residual_does_what_its_twin_does() {
    check(12, &[Kernel::ContactResidual]);
    check(0, &[Kernel::ContactResidual]);
}

#[test]
fn residual_step_does_what_its_twin_does() {
    check(12, &[Kernel::ResidualStep]);
    check(0, &[Kernel::ResidualStep]);
}

#[test]
fn momentum_does_what_its_twins_do() {
    let kernels = [
        Kernel::JointMomentum,
        Kernel::ContactMomentum,
        Kernel::BodyMomentum,
        Kernel::JointProgress,
        Kernel::ContactProgress,
        Kernel::MomentumStep,
    ];
    check(12, &kernels);
    check(0, &kernels);
}

#[test]
fn lavapipe_agrees_in_every_bit() {
    let solver = adapter::solver();
    let summary = solver.adapter_summary();
    if !(summary.name.contains("llvmpipe") && summary.backend == "vulkan") {
        // Other drivers may fuse a multiplication and an addition, or divide by a root in one step.
        return;
    }
    let (worst, _) = compare_sweeps(12, Kernel::ALL);
    assert_eq!(worst, 0.0);
}
