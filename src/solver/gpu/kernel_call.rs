//! Running one kernel by itself, to compare it with its CPU twin.

use super::GpuSolver;
use super::kernel::Kernel;
use super::passes::Passes;
use super::plan::Plan;
use super::readback::Wanted;
use super::start_velocities::StartVelocities;
use super::traffic::{Bytes, Traffic};
use crate::constants::WORKGROUP_SIZE;
use crate::error::{Error, Result};
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock};
use crate::solver::cpu::{BodyMomentum, Sweep, VelocityChange};
use crate::solver::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use crate::solver::residual::{Control, Partial};
use bytemuck::Zeroable;

/// What one kernel reads and writes; see [`GpuSolver::run_kernel`].
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
    /// Whether momentum goes on.
    pub momentum: Momentum,
    /// Whether the solve does.
    pub control: Control,
    /// Blocks of the contacts, which every call makes anew; only written.
    pub contact_blocks: Vec<ContactBlock>,
}

/// One call of a kernel; see [`GpuSolver::run_kernel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelCall {
    /// The kernel.
    pub kernel: Kernel,
    /// The colour, for [`Kernel::JointSweep`] and [`Kernel::ContactSweep`].
    pub color: usize,
    /// What the pass does, for these two and the splits.
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

    fn lengths(&self) -> [usize; 9] {
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

impl GpuSolver {
    /// Runs one kernel over a packed problem, to compare it with its CPU twin. The gathers add up the
    /// slots of the joints' remainder and then those of the contacts'.
    ///
    /// # Errors
    /// As [`Solver::solve`](crate::solver::Solver::solve); [`Error::Invalid`] if the lengths of `data` are not those of the
    /// problem.
    pub fn run_kernel(
        &mut self,
        batches: &Batches,
        call: KernelCall,
        data: &mut KernelData,
    ) -> Result<()> {
        if data.lengths() != KernelData::start(batches).lengths() {
            return Err(Error::invalid(
                "kernel data",
                "its lengths are not those of the packed problem",
            ));
        }
        self.gpu.check()?;
        let plan = Plan::of_call(batches, call, &self.gpu.limits)?;
        let mut batches = batches.clone();
        batches.velocities.clone_from(&data.velocities);
        batches.contacts.impulses.clone_from(&data.impulses);
        batches.joints.impulses.clone_from(&data.joint_impulses);
        data.partials
            .resize(plan.contact_partials, Partial::default());
        data.joint_partials
            .resize(plan.joint_partials, Partial::default());
        data.contact_blocks
            .resize(batches.contacts.blocks.len(), ContactBlock::zeroed());
        let buffers = &mut self.buffers;
        buffers.forget();
        let start = StartVelocities::Uploaded;
        buffers.set(&self.gpu, &batches, &plan, start, &data.control)?;
        buffers.set_data(data);
        let passes = Passes::new(&self.gpu, &self.pipelines, buffers, &plan)?;
        let upload = &mut self.transfers.upload;
        let encoder = self.gpu.scoped(call.kernel.name(), || {
            let mut encoder = self.gpu.encoder();
            upload.record(
                &self.gpu,
                &mut encoder,
                &mut buffers.all(),
                &mut Bytes::default(),
            )?;
            passes.record_call(&mut encoder);
            Ok(encoder)
        })?;
        let mut wanted = [
            Wanted::copy(
                &buffers.velocities,
                bytemuck::cast_slice_mut(&mut data.velocities),
            ),
            Wanted::copy(
                &buffers.contacts.impulses,
                bytemuck::cast_slice_mut(&mut data.impulses),
            ),
            Wanted::copy(
                &buffers.joints.impulses,
                bytemuck::cast_slice_mut(&mut data.joint_impulses),
            ),
            Wanted::copy(
                &buffers.changes,
                bytemuck::cast_slice_mut(&mut data.changes),
            ),
            Wanted::copy(
                &buffers.contacts.partials,
                bytemuck::cast_slice_mut(&mut data.partials),
            ),
            Wanted::copy(
                &buffers.joints.partials,
                bytemuck::cast_slice_mut(&mut data.joint_partials),
            ),
            Wanted::copy(
                &buffers.contacts.memory,
                bytemuck::cast_slice_mut(&mut data.contact_memory),
            ),
            Wanted::copy(
                &buffers.joints.memory,
                bytemuck::cast_slice_mut(&mut data.joint_memory),
            ),
            Wanted::copy(
                &buffers.body_memory,
                bytemuck::cast_slice_mut(&mut data.body_memory),
            ),
            Wanted::copy(
                &buffers.contacts.sums,
                bytemuck::cast_slice_mut(&mut data.contact_sums),
            ),
            Wanted::copy(
                &buffers.joints.sums,
                bytemuck::cast_slice_mut(&mut data.joint_sums),
            ),
            Wanted::copy(
                &buffers.momentum,
                bytemuck::bytes_of_mut(&mut data.momentum),
            ),
            Wanted::copy(
                &buffers.contacts.blocks,
                bytemuck::cast_slice_mut(&mut data.contact_blocks),
            ),
            Wanted::copy(&buffers.control, bytemuck::bytes_of_mut(&mut data.control)),
        ];
        let mut traffic = Traffic::default();
        let read = self
            .transfers
            .readback
            .read(&self.gpu, encoder, &mut wanted, &mut traffic);
        drop(wanted);
        upload.recycle();
        // A solve is to find nothing of this.
        buffers.forget();
        read
    }
}
