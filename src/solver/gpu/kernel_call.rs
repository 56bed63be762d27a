//! Running one kernel by itself, to compare it with its CPU twin.

use super::GpuSolver;
use super::kernel::KernelCall;
use super::kernel_data::KernelData;
use super::passes::Passes;
use super::plan::Plan;
use super::readback::Wanted;
use super::start_velocities::StartVelocities;
use super::traffic::{Bytes, Traffic};
use crate::error::{Error, Result};
use crate::problem::batches::{Batches, ContactBlock};
use crate::solver::residual::Partial;
use bytemuck::Zeroable;

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
            Wanted::copy(&buffers.velocities, &mut data.velocities),
            Wanted::copy(&buffers.contacts.impulses, &mut data.impulses),
            Wanted::copy(&buffers.joints.impulses, &mut data.joint_impulses),
            Wanted::copy(&buffers.changes, &mut data.changes),
            Wanted::copy(&buffers.contacts.partials, &mut data.partials),
            Wanted::copy(&buffers.joints.partials, &mut data.joint_partials),
            Wanted::copy(&buffers.contacts.memory, &mut data.contact_memory),
            Wanted::copy(&buffers.joints.memory, &mut data.joint_memory),
            Wanted::copy(&buffers.body_memory, &mut data.body_memory),
            Wanted::copy(&buffers.contacts.sums, &mut data.contact_sums),
            Wanted::copy(&buffers.joints.sums, &mut data.joint_sums),
            Wanted::copy(&buffers.momentum, std::slice::from_mut(&mut data.momentum)),
            Wanted::copy(&buffers.contacts.blocks, &mut data.contact_blocks),
            Wanted::copy(&buffers.control, std::slice::from_mut(&mut data.control)),
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
