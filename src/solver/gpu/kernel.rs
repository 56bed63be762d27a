//! The kernels: their names and their sources. What they bind is what these declare.

use super::shader::{kernels, shader};
use crate::constants::{
    FREE_APPROACH, MOMENTUM_COSINE, MOMENTUM_COSINE_CONVEX, MOMENTUM_COSINE_FORWARD, MOMENTUM_KEPT,
    PARTING_HARDNESS,
};
use crate::solver::cpu::{BodyMomentum, Sweep};

/// What the judgement of momentum declares beside what all kernels do.
const MOMENTUM_CONSTANTS: &[(&str, f64)] = &[
    ("MOMENTUM_COSINE", MOMENTUM_COSINE as f64),
    ("MOMENTUM_COSINE_FORWARD", MOMENTUM_COSINE_FORWARD as f64),
    ("MOMENTUM_COSINE_CONVEX", MOMENTUM_COSINE_CONVEX as f64),
    ("MOMENTUM_KEPT", MOMENTUM_KEPT as f64),
];

kernels! {
    /// A kernel, in the order of a sweep; each that computes something has a twin of the same name in [`cpu`](crate::solver::cpu).
    Kernel {
        /// Blocks of contacts, effective masses included, out of what is uploaded of them.
        ContactMasses => shader!("contact_masses", "contact_point"),
        /// Sets velocities to nothing.
        BodyStart => shader!("body_start"),
        /// Gauss–Seidel over the joints of one colour.
        JointSweep => shader!("block_sweep", "joint", "joint_block", "joint_step").named("joint_sweep"),
        /// Mass-split Jacobi over the joints of the remainder.
        JointSplit => shader!("block_split", "joint", "joint_block", "joint_step", "joint_split")
            .named("joint_split"),
        /// Gauss–Seidel over the contacts of one colour.
        ContactSweep => shader!("block_sweep", "contact", "contact_block").named("contact_sweep"),
        /// Mass-split Jacobi over the contacts of the remainder.
        ContactSplit => shader!("block_split", "contact", "contact_block", "contact_split")
            .named("contact_split"),
        /// Sums the changes of bodies with few slots.
        BodyGather => shader!("body_gather", "changes"),
        /// Sums the changes of hubs.
        HubGather => shader!("hub_gather", "changes"),
        /// Natural-map residual of the joint rows, summed over workgroups.
        JointResidual => shader!("block_residual", "joint", "joint_block", "joint_residual", "residual", "sum")
            .named("joint_residual"),
        /// Natural-map residual of the contacts, summed over workgroups.
        ContactResidual => shader!("block_residual", "contact", "contact_block", "contact_residual", "residual", "sum")
            .named("contact_residual"),
        /// Repeats a part of the last change of joint rows' impulses.
        JointMomentum => shader!("block_momentum", "joint_block").named("joint_momentum"),
        /// The same of contacts' impulses.
        ContactMomentum => shader!("block_momentum", "contact_block").named("contact_momentum"),
        /// The same of bodies' velocities.
        BodyMomentum => shader!("body_momentum"),
        /// How joint rows' impulses went on in a sweep, summed over workgroups.
        JointProgress => shader!("block_progress", "joint_block", "progress", "joint_progress", "sum")
            .named("joint_progress"),
        /// The same of contacts' impulses.
        ContactProgress => shader!("block_progress", "contact_block", "progress", "contact_progress", "sum")
            .named("contact_progress"),
        /// Whether momentum goes on.
        MomentumStep => shader!("momentum_step", "progress", "sum", "momentum")
            .with_constants(MOMENTUM_CONSTANTS),
        /// The residual of all, and whether the solve is done.
        ResidualStep => shader!("residual_step", "residual", "sum").in_any_case(),
        /// Before a step: what is given of contacts, in the order of the blocks.
        SubstepGather => shader!("substep_gather", "substep", "contact_point").in_any_case(),
        /// Between two LCPs of a step: how the one ended, and when the next is to stop.
        SubstepControl => shader!("substep_control", "substep").in_any_case(),
        /// After an LCP of a step: velocities and displacements.
        SubstepBodies => shader!("substep_bodies", "substep").in_any_case(),
        /// The same of contacts.
        SubstepContacts => shader!("substep_contacts", "substep")
            .in_any_case()
            .with_constants(&[
                ("FREE_APPROACH", FREE_APPROACH as f64),
                ("PARTING_HARDNESS", PARTING_HARDNESS as f64),
            ]),
        /// After a step: the contacts' impulses in the order of the problem.
        SubstepScatter => shader!("substep_scatter", "substep").in_any_case(),
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
