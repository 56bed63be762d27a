//! Data of a kernel that runs by itself.

use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock};
use crate::solver::cpu::VelocityChange;
use crate::solver::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use crate::solver::residual::{Control, Partial};

/// Data of one kernel; see [`GpuSolver::run_kernel`](super::GpuSolver::run_kernel).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelData {
    /// Changes of velocity, shape `[body_count]`.
    pub velocities: Vec<BodyVelocity>,
    /// Impulses of the contacts, in the order of their blocks.
    pub impulses: Vec<[f32; 4]>,
    /// Impulses of the joint rows, in the order of their blocks.
    pub joint_impulses: Vec<f32>,
    /// Changes of a remainder, shape `[slot_count]`.
    pub changes: Vec<VelocityChange>,
    /// Partial residuals of contacts, one a workgroup.
    pub partials: Vec<Partial>,
    /// Partial residuals of joint rows, likewise.
    pub joint_partials: Vec<Partial>,
    /// Last impulses of the contacts, in the order of their blocks.
    pub contact_memory: Vec<ContactMemory>,
    /// Last impulses of the joint rows, likewise.
    pub joint_memory: Vec<JointMemory>,
    /// Last velocities, shape `[body_count]`.
    pub body_memory: Vec<VelocityChange>,
    /// Progress of the contacts, one sum a workgroup.
    pub contact_sums: Vec<Progress>,
    /// Progress of the joint rows, likewise.
    pub joint_sums: Vec<Progress>,
    /// True if momentum goes on.
    pub momentum: Momentum,
    /// True if the solve does.
    pub control: Control,
    /// Blocks of the contacts, which every call makes anew; only written.
    pub contact_blocks: Vec<ContactBlock>,
}

impl KernelData {
    /// The start of a packed problem, with no changes yet.
    #[must_use]
    pub fn start(batches: &Batches) -> Self {
        let sums =
            |blocks: usize| vec![Progress::default(); blocks.div_ceil(WORKGROUP_SIZE as usize)];
        Self {
            velocities: batches.velocities.clone(),
            impulses: batches.contacts.impulses.clone(),
            joint_impulses: batches.joints.impulses.clone(),
            changes: vec![VelocityChange::default(); batches.slot_count() as usize],
            partials: Vec::new(),
            joint_partials: Vec::new(),
            contact_memory: vec![ContactMemory::default(); batches.contacts.blocks.len()],
            joint_memory: vec![JointMemory::default(); batches.joints.blocks.len()],
            body_memory: vec![VelocityChange::default(); batches.velocities.len()],
            contact_sums: sums(batches.contacts.blocks.len()),
            joint_sums: sums(batches.joints.blocks.len()),
            momentum: Momentum::default(),
            control: Control {
                check_every: 1,
                iteration_limit: u32::MAX,
                block_count: batches.block_count() as u32,
                ..Control::default()
            },
            contact_blocks: Vec::new(),
        }
    }

    pub(super) fn lengths(&self) -> [usize; 9] {
        [
            self.contact_memory.len(),
            self.joint_memory.len(),
            self.body_memory.len(),
            self.contact_sums.len(),
            self.joint_sums.len(),
            self.velocities.len(),
            self.impulses.len(),
            self.joint_impulses.len(),
            self.changes.len(),
        ]
    }
}
