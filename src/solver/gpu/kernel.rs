//! The kernels: their names and their sources. What they bind is what these declare.

use super::shader::{Shader, ShaderSet, shader, wgsl};
use super::slot::Slot;
use crate::constants::{
    FREE_APPROACH, MOMENTUM_COSINE, MOMENTUM_COSINE_CONVEX, MOMENTUM_COSINE_FORWARD, MOMENTUM_KEPT,
};
use crate::solver::cpu::{BodyMomentum, Sweep};

/// A kernel; each has a twin of the same name in [`cpu`](crate::solver::cpu).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kernel {
    /// Blocks of contacts, effective masses included, out of what is uploaded of them.
    ContactMasses,
    /// Sets velocities to nothing.
    BodyStart,
    /// Gauss–Seidel over the joints of one colour.
    JointSweep,
    /// Mass-split Jacobi over the joints of the remainder.
    JointSplit,
    /// Gauss–Seidel over the contacts of one colour.
    ContactSweep,
    /// Mass-split Jacobi over the contacts of the remainder.
    ContactSplit,
    /// Sums the changes of bodies with few slots.
    BodyGather,
    /// Sums the changes of hubs.
    HubGather,
    /// Natural-map residual of the joint rows, summed over workgroups.
    JointResidual,
    /// Natural-map residual of the contacts, summed over workgroups.
    ContactResidual,
    /// Repeats a part of the last change of joint rows' impulses.
    JointMomentum,
    /// The same of contacts' impulses.
    ContactMomentum,
    /// The same of bodies' velocities.
    BodyMomentum,
    /// How joint rows' impulses went on in a sweep, summed over workgroups.
    JointProgress,
    /// The same of contacts' impulses.
    ContactProgress,
    /// Whether momentum goes on.
    MomentumStep,
    /// The residual of all, and whether the solve is done.
    ResidualStep,
    /// Between two LCPs of a step: how the one ended, and when the next is to stop.
    SubstepControl,
    /// After an LCP of a step: velocities and displacements.
    SubstepBodies,
    /// The same of contacts.
    SubstepContacts,
}

const CONTACT: &str = wgsl!("shared/contact");
const JOINT: &str = wgsl!("shared/joint");
const CONTACT_BLOCK: &str = wgsl!("shared/contact_block");
const JOINT_BLOCK: &str = wgsl!("shared/joint_block");
const CONTACT_SPLIT: &str = wgsl!("shared/contact_split");
const JOINT_SPLIT: &str = wgsl!("shared/joint_split");
const JOINT_STEP: &str = wgsl!("shared/joint_step");
const CONTACT_RESIDUAL: &str = wgsl!("shared/contact_residual");
const JOINT_RESIDUAL: &str = wgsl!("shared/joint_residual");
const CONTACT_PROGRESS: &str = wgsl!("shared/contact_progress");
const JOINT_PROGRESS: &str = wgsl!("shared/joint_progress");
const CHANGES: &str = wgsl!("shared/changes");
const MOMENTUM: &str = wgsl!("shared/momentum");
const PROGRESS: &str = wgsl!("shared/progress");
const RESIDUAL: &str = wgsl!("shared/residual");
const SUBSTEP: &str = wgsl!("shared/substep");
const SUM: &str = wgsl!("shared/sum");

/// What the judgement of momentum declares beside what all kernels do.
const MOMENTUM_CONSTANTS: &[(&str, f64)] = &[
    ("MOMENTUM_COSINE", MOMENTUM_COSINE as f64),
    ("MOMENTUM_COSINE_FORWARD", MOMENTUM_COSINE_FORWARD as f64),
    ("MOMENTUM_COSINE_CONVEX", MOMENTUM_COSINE_CONVEX as f64),
    ("MOMENTUM_KEPT", MOMENTUM_KEPT as f64),
];

impl Kernel {
    /// All kernels, in the order of a sweep.
    pub const ALL: [Self; 20] = [
        Self::ContactMasses,
        Self::BodyStart,
        Self::JointSweep,
        Self::JointSplit,
        Self::ContactSweep,
        Self::ContactSplit,
        Self::BodyGather,
        Self::HubGather,
        Self::JointResidual,
        Self::ContactResidual,
        Self::JointMomentum,
        Self::ContactMomentum,
        Self::BodyMomentum,
        Self::JointProgress,
        Self::ContactProgress,
        Self::MomentumStep,
        Self::ResidualStep,
        Self::SubstepControl,
        Self::SubstepBodies,
        Self::SubstepContacts,
    ];

    /// Name of the CPU twin.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.shader().name
    }

    /// Name of the file and of the entry point.
    #[must_use]
    pub fn entry(self) -> &'static str {
        self.shader().entry
    }

    /// The whole WGSL module: shared parts, then the kernel.
    #[must_use]
    pub fn source(self) -> String {
        self.shader().source()
    }
}

impl ShaderSet for Kernel {
    type Slot = Slot;

    const ALL: &'static [Self] = &Self::ALL;

    fn index(self) -> usize {
        self as usize
    }

    fn slot(variable: &str) -> Option<Slot> {
        Slot::named(variable)
    }

    fn shader(self) -> Shader {
        match self {
            Self::ContactMasses => shader!("contact_masses"),
            Self::BodyStart => shader!("body_start"),
            Self::JointSweep => {
                shader!("block_sweep", JOINT, JOINT_BLOCK, JOINT_STEP).named("joint_sweep")
            }
            Self::JointSplit => shader!("block_split", JOINT, JOINT_BLOCK, JOINT_STEP, JOINT_SPLIT)
                .named("joint_split"),
            Self::ContactSweep => {
                shader!("block_sweep", CONTACT, CONTACT_BLOCK).named("contact_sweep")
            }
            Self::ContactSplit => {
                shader!("block_split", CONTACT, CONTACT_BLOCK, CONTACT_SPLIT).named("contact_split")
            }
            Self::BodyGather => shader!("body_gather", CHANGES),
            Self::HubGather => shader!("hub_gather", CHANGES),
            Self::JointResidual => shader!(
                "block_residual",
                JOINT,
                JOINT_BLOCK,
                JOINT_RESIDUAL,
                RESIDUAL,
                SUM
            )
            .named("joint_residual"),
            Self::ContactResidual => shader!(
                "block_residual",
                CONTACT,
                CONTACT_BLOCK,
                CONTACT_RESIDUAL,
                RESIDUAL,
                SUM
            )
            .named("contact_residual"),
            Self::JointMomentum => shader!("block_momentum", JOINT_BLOCK).named("joint_momentum"),
            Self::ContactMomentum => {
                shader!("block_momentum", CONTACT_BLOCK).named("contact_momentum")
            }
            Self::BodyMomentum => shader!("body_momentum"),
            Self::JointProgress => {
                shader!("block_progress", JOINT_BLOCK, PROGRESS, JOINT_PROGRESS, SUM)
                    .named("joint_progress")
            }
            Self::ContactProgress => shader!(
                "block_progress",
                CONTACT_BLOCK,
                PROGRESS,
                CONTACT_PROGRESS,
                SUM
            )
            .named("contact_progress"),
            Self::MomentumStep => {
                shader!("momentum_step", PROGRESS, SUM, MOMENTUM).with_constants(MOMENTUM_CONSTANTS)
            }
            Self::ResidualStep => shader!("residual_step", RESIDUAL, SUM).in_any_case(),
            Self::SubstepControl => shader!("substep_control", SUBSTEP).in_any_case(),
            Self::SubstepBodies => shader!("substep_bodies", SUBSTEP).in_any_case(),
            Self::SubstepContacts => shader!("substep_contacts", SUBSTEP)
                .in_any_case()
                .with_constants(&[("FREE_APPROACH", FREE_APPROACH as f64)]),
        }
    }
}

/// One call of a kernel; see [`GpuSolver::run_kernel`](super::GpuSolver::run_kernel).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelCall {
    /// The kernel.
    pub kernel: Kernel,
    /// The colour, for [`Kernel::JointSweep`] and [`Kernel::ContactSweep`].
    pub color: usize,
    /// Kind of the pass, for these two and the splits.
    pub sweep: Sweep,
    /// Which part to do, for [`Kernel::BodyMomentum`].
    pub part: BodyMomentum,
}

impl KernelCall {
    /// A call in a sweep that updates impulses, of the first colour.
    #[must_use]
    pub fn of(kernel: Kernel) -> Self {
        Self {
            kernel,
            color: 0,
            sweep: Sweep::Update,
            part: BodyMomentum::Whole,
        }
    }
}
