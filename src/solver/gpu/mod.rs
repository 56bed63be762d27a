//! The GPU backend: WGSL kernels through wgpu, over the same batches as the CPU's.
//!
//! ```no_run
//! use drystone::problem::Problem;
//! use drystone::solver::gpu::{AdapterChoice, GpuSolver};
//! use drystone::solver::{Options, Solution, Solver};
//!
//! let mut solver = GpuSolver::new(&AdapterChoice::default())?;
//! let mut solution = Solution::default();
//! let report = solver.solve(&Problem::default(), &Options::default(), &mut solution)?;
//! # Ok::<(), drystone::Error>(())
//! ```

mod bounds;
mod buffers;
mod device;
mod layout;
mod packing;
mod passes;
mod plan;
mod readback;

pub use device::{AdapterChoice, AdapterSummary, list_adapters};
pub use layout::{Kernel, Window};

use super::cpu::{BodyMomentum, Sweep, VelocityChange};
use super::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use super::residual::{self, Partial};
use super::{Method, Options, Report, Solution, Solver, Status, pack};
use crate::constants::{
    SUBMISSIONS_IN_FLIGHT, SUBMIT_CONTACT_ITERATIONS, SUBMIT_DISPATCHES, WORKGROUP_SIZE,
};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::problem::batches::{Batches, BodyVelocity};
use buffers::Buffers;
use device::GpuDevice;
use layout::Layouts;
use passes::Passes;
use plan::Plan;
use readback::{Readback, Wanted};
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

/// Every [`Method`] on a GPU.
///
/// Buffers grow with the problems and are kept. What exceeds one binding or one dispatch of the
/// device is split; what cannot be split is an [`Error::Capacity`]. After the device is lost every
/// call is an [`Error::Device`].
#[derive(Debug)]
pub struct GpuSolver {
    gpu: GpuDevice,
    layouts: Layouts,
    buffers: Buffers,
    readback: Readback,
}

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
    /// Partial residuals of contacts, one a workgroup; only written.
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
    /// A call in a forward sweep, of the first colour.
    #[must_use]
    pub fn of(kernel: Kernel) -> Self {
        Self {
            kernel,
            color: 0,
            sweep: Sweep::Forward,
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
    /// Opens an adapter: the one named, or else the first hardware adapter. A software adapter is
    /// taken only when asked for by name or allowed.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] if there is none such, naming those that there are; [`Error::Device`] if
    /// it does not open; [`Error::Capacity`] if its limits are too low for the kernels.
    pub fn new(choice: &AdapterChoice) -> Result<Self> {
        Self::with_limits(choice, |_| {})
    }

    /// Like [`Self::new`], with the adapter's limits changed by `lower` before the device is opened.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_limits(
        choice: &AdapterChoice,
        lower: impl FnOnce(&mut wgpu::Limits),
    ) -> Result<Self> {
        Self::on(GpuDevice::open(choice, lower)?)
    }

    /// Takes the device of a host engine, with the limits it was opened with. Work is submitted to
    /// `queue`, and the host's device-lost callback is left alone.
    ///
    /// # Errors
    /// [`Error::Capacity`] if the device's limits are too low for the kernels, [`Error::Device`] if
    /// they do not compile there.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::on(GpuDevice::adopt(device, queue)?)
    }

    fn on(gpu: GpuDevice) -> Result<Self> {
        Ok(Self {
            layouts: Layouts::new(&gpu)?,
            gpu,
            buffers: Buffers::new(),
            readback: Readback::default(),
        })
    }

    /// Bounds the memory on the device `[B]`; a problem that needs more is an [`Error::Capacity`].
    ///
    /// Some drivers promise memory that they do not have, and are then ended by the system.
    pub fn set_memory_budget(&mut self, bytes: u64) {
        self.buffers.budget = bytes;
    }

    /// The device, as a host would share it.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.gpu.device
    }

    /// The adapter it runs on, with the limits that its device was opened with.
    #[must_use]
    pub fn adapter_summary(&self) -> &AdapterSummary {
        &self.gpu.summary
    }

    /// Runs one kernel over a packed problem, to compare it with its CPU twin. The gathers add up the
    /// slots of the joints' remainder and then those of the contacts'.
    ///
    /// # Errors
    /// As [`Solver::solve`]; [`Error::Invalid`] if the lengths of `data` are not those of the
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
        let buffers = &mut self.buffers;
        buffers.upload(&self.gpu, &batches, &plan)?;
        buffers.upload_changes(&self.gpu, &data.changes)?;
        buffers.upload_memory(&self.gpu, data)?;
        let passes = Passes::new(&self.gpu, &self.layouts, buffers, &plan)?;
        let encoder = self.gpu.scoped(call.kernel.name(), || {
            let mut encoder = self.gpu.encoder();
            passes.record_call(&mut encoder);
            Ok(encoder)
        })?;
        data.partials = vec![Partial::default(); plan.contact_partials];
        data.joint_partials = vec![Partial::default(); plan.joint_partials];
        let mut wanted = [
            (
                &buffers.velocities,
                bytemuck::cast_slice_mut(&mut data.velocities),
            ),
            (
                &buffers.contacts.impulses,
                bytemuck::cast_slice_mut(&mut data.impulses),
            ),
            (
                &buffers.joints.impulses,
                bytemuck::cast_slice_mut(&mut data.joint_impulses),
            ),
            (
                &buffers.changes,
                bytemuck::cast_slice_mut(&mut data.changes),
            ),
            (
                &buffers.contacts.partials,
                bytemuck::cast_slice_mut(&mut data.partials),
            ),
            (
                &buffers.joints.partials,
                bytemuck::cast_slice_mut(&mut data.joint_partials),
            ),
            (
                &buffers.contacts.memory,
                bytemuck::cast_slice_mut(&mut data.contact_memory),
            ),
            (
                &buffers.joints.memory,
                bytemuck::cast_slice_mut(&mut data.joint_memory),
            ),
            (
                &buffers.body_memory,
                bytemuck::cast_slice_mut(&mut data.body_memory),
            ),
            (
                &buffers.contacts.sums,
                bytemuck::cast_slice_mut(&mut data.contact_sums),
            ),
            (
                &buffers.joints.sums,
                bytemuck::cast_slice_mut(&mut data.joint_sums),
            ),
            (
                &buffers.momentum,
                bytemuck::bytes_of_mut(&mut data.momentum),
            ),
        ];
        self.readback.read(&self.gpu, encoder, &mut wanted)
    }
}

impl Solver for GpuSolver {
    fn backend(&self) -> &'static str {
        "gpu"
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.summary.name.clone())
    }

    fn solve(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        options.validate()?;
        problem.validate()?;
        self.gpu.check()?;
        let (mut batches, mut report) = pack(problem, options);
        let packed = Instant::now();
        let plan = Plan::new(&batches, options.method.is_accelerated(), &self.gpu.limits)?;
        self.buffers.upload(&self.gpu, &batches, &plan)?;
        let passes = Passes::new(&self.gpu, &self.layouts, &self.buffers, &plan)?;
        let mut run = Run {
            gpu: &self.gpu,
            buffers: &self.buffers,
            readback: &mut self.readback,
            passes,
            iterations_per_submit: iterations_per_submit(&batches, &plan),
            contact_partials: vec![Partial::default(); plan.contact_partials],
            joint_partials: vec![Partial::default(); plan.joint_partials],
            block_count: batches.block_count(),
            in_flight: VecDeque::new(),
        };
        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            let passes = report.iterations..report.iterations + count;
            run.sweep(options.method, passes)?;
            report.iterations += count;
            let last = report.iterations == options.iterations;
            (report.residual_rms, report.residual_max) =
                run.residual(last.then_some(&mut batches))?;
            report.status = Status::after(&report, options);
            if report.status != Status::MaxIterations {
                if !last {
                    run.fetch(&mut batches)?;
                }
                break;
            }
        }
        solution.take_from(problem, &batches);
        if !solution.is_finite() {
            report.status = Status::NonFinite;
        }
        report.solve_time = packed.elapsed();
        Ok(report)
    }
}

/// Sweeps that keep one submission below its bounds of contacts, joint rows counted too, and
/// dispatches.
fn iterations_per_submit(batches: &Batches, plan: &Plan) -> u32 {
    let by_contacts = SUBMIT_CONTACT_ITERATIONS / batches.block_count().max(1) as u64;
    let by_dispatches = SUBMIT_DISPATCHES / plan.pass_dispatches().max(1) as u64;
    by_contacts.min(by_dispatches).max(1) as u32
}

/// A solve in progress.
struct Run<'a> {
    gpu: &'a GpuDevice,
    buffers: &'a Buffers,
    readback: &'a mut Readback,
    passes: Passes<'a>,
    iterations_per_submit: u32,
    contact_partials: Vec<Partial>,
    joint_partials: Vec<Partial>,
    block_count: usize,
    in_flight: VecDeque<wgpu::SubmissionIndex>,
}

impl Run<'_> {
    /// Submits some passes over all joints and contacts.
    fn sweep(&mut self, method: Method, mut passes: Range<u32>) -> Result<()> {
        while !passes.is_empty() {
            let next = passes.end.min(passes.start + self.iterations_per_submit);
            let submitted = passes.start..next;
            passes.start = next;
            let submission = self.gpu.scoped("sweeping", || {
                let mut encoder = self.gpu.encoder();
                self.passes
                    .record_passes(&mut encoder, method, submitted.clone());
                Ok(self.gpu.queue.submit([encoder.finish()]))
            })?;
            self.in_flight.push_back(submission);
            if self.in_flight.len() > SUBMISSIONS_IN_FLIGHT
                && let Some(oldest) = self.in_flight.pop_front()
            {
                self.gpu.wait(oldest)?;
            }
        }
        Ok(())
    }

    /// Root mean square and maximum of the residual. Where the solution is wanted too, it comes with
    /// the same transfer.
    fn residual(&mut self, solution: Option<&mut Batches>) -> Result<(f32, f32)> {
        let gpu = self.gpu;
        let encoder = gpu.scoped("measuring the residual", || {
            let mut encoder = gpu.encoder();
            self.passes.record_residual(&mut encoder);
            Ok(encoder)
        })?;
        let mut wanted: Vec<Wanted<'_>> = vec![
            (
                &self.buffers.contacts.partials,
                bytemuck::cast_slice_mut(&mut self.contact_partials),
            ),
            (
                &self.buffers.joints.partials,
                bytemuck::cast_slice_mut(&mut self.joint_partials),
            ),
        ];
        if let Some(batches) = solution {
            wanted.extend(solution_of(self.buffers, batches));
        }
        self.readback.read(gpu, encoder, &mut wanted)?;
        self.in_flight.clear();
        Ok(residual::finish(
            [&self.contact_partials, &self.joint_partials],
            self.block_count,
        ))
    }

    /// Brings velocities and impulses back.
    fn fetch(&mut self, batches: &mut Batches) -> Result<()> {
        let encoder = self.gpu.scoped("reading back", || Ok(self.gpu.encoder()))?;
        let mut wanted = solution_of(self.buffers, batches);
        self.readback.read(self.gpu, encoder, &mut wanted)
    }
}

fn solution_of<'a>(buffers: &'a Buffers, batches: &'a mut Batches) -> [Wanted<'a>; 3] {
    [
        (
            &buffers.velocities,
            bytemuck::cast_slice_mut(&mut batches.velocities),
        ),
        (
            &buffers.contacts.impulses,
            bytemuck::cast_slice_mut(&mut batches.contacts.impulses),
        ),
        (
            &buffers.joints.impulses,
            bytemuck::cast_slice_mut(&mut batches.joints.impulses),
        ),
    ]
}
