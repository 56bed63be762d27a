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
const SUBSTEP: &str = wgsl!("shared/substep");
const RESIDUAL: &str = wgsl!("shared/residual");
const PROGRESS: &str = wgsl!("shared/progress");
const IMPULSE_MOMENTUM: &str = wgsl!("shared/impulse_momentum");

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

    /// Name of the file, of the entry point and of the CPU twin.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.shader().name
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
            Self::JointSweep => shader!("joint_sweep", JOINT),
            Self::JointSplit => shader!("joint_split", JOINT),
            Self::ContactSweep => shader!("contact_sweep", CONTACT),
            Self::ContactSplit => shader!("contact_split", CONTACT),
            Self::BodyGather => shader!("body_gather"),
            Self::HubGather => shader!("hub_gather"),
            Self::JointResidual => shader!("joint_residual", JOINT, RESIDUAL),
            Self::ContactResidual => shader!("contact_residual", CONTACT, RESIDUAL),
            Self::JointMomentum => shader!("joint_momentum", IMPULSE_MOMENTUM),
            Self::ContactMomentum => shader!("contact_momentum", IMPULSE_MOMENTUM),
            Self::BodyMomentum => shader!("body_momentum"),
            Self::JointProgress => shader!("joint_progress", PROGRESS),
            Self::ContactProgress => shader!("contact_progress", PROGRESS),
            Self::MomentumStep => {
                shader!("momentum_step", PROGRESS).with_constants(MOMENTUM_CONSTANTS)
            }
            Self::ResidualStep => shader!("residual_step").in_any_case(),
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
