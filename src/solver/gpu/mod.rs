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
//!
//! # One submission, one wait
//!
//! A solve is one command buffer: uploads, all passes with their looks at the residual, and the way
//! back. The device adds up the residual and decides when to stop (`residual_step`); every kernel that
//! finds the solve done returns at once. Reports equal those of the CPU. Only a solve that would keep
//! the device busy for too long is split, and even then the host waits for nothing but the results; a
//! look at the control record of an earlier submission, without waiting, spares the rest of a solve that
//! has reached its tolerance. A step in substeps is one submission and one wait too, but for what
//! [`in_substeps`] has to do.
//! [`GpuSolver::traffic`] counts all of it.
//!
//! # Bytes a contact
//!
//! The host keeps a copy of what lies on the device, and uploads what differs, in pieces of
//! `UPLOAD_CHUNK_BYTES`. Effective masses are computed on the
//! device, and so are the velocities that the impulses at the start amount to, unless there are hubs or
//! joints solved at once. In a step in substeps the host packs no contact and sorts none: it writes their
//! numbers as they come in the problem straight into mapped memory, and the device brings them to where their
//! blocks are, and impulses back.
//!
//! | | bytes | when |
//! |---|---|---|
//! | up | 48: normal, both arms, free velocity | every solve but a step in substeps |
//! | up | 16: impulse | likewise, if it is not the one that the last solve returned |
//! | up | 4: friction | likewise, if it changes |
//! | up | 96: all of these and what gaps and velocities follow from | a step in substeps, and then nothing for any substep |
//! | up | 8 bodies, at most 4 order; 4 more order of a step in substeps | if they change |
//! | up, a body | 32 inertia, 32 velocity and mass | if inertia or mass change; velocity if the host has to compute it |
//! | moved on the device, an iteration | 112 streamed and at most 192 for two bodies | the floor of a general contact is 100 and 192 |
//! | kept on the device | 160, of it 60 as uploaded; 32 more with momentum, 204 more with substeps | |
//! | back | 16 impulse; in substeps 24, with the sum over the step | every solve |
//! | back, a body | 32 velocity; in substeps 64, with the displacement | every solve |
//!
//! A joint row's block, 64 bytes and 8 for its residual, is made in f64 on the host and uploaded.

// The device, and the kernels compiled for it.
mod device;
mod kernel;
mod pipelines;
mod shader;
mod window;

// Which dispatches a packed problem takes.
mod binding_range;
mod bounds;
mod dispatch;
mod packing;
mod plan;

// What lies on the device.
mod array;
mod buffers;
mod packed_arrays;
mod start_velocities;

// A solve: what has changed goes up, passes are recorded, results come back.
mod passes;
mod readback;
mod run;
mod traffic;
mod transfers;
mod upload;

// A solve by clusters, a step in substeps, and one kernel by itself.
mod cluster;
mod kernel_call;
mod kernel_data;
mod substeps;

pub use device::{AdapterChoice, AdapterSummary, list_adapters};
pub use traffic::{Bytes, Traffic};

/// Kernels, each by itself: for tests.
pub(crate) mod kernels {
    pub use super::cluster::{ClusterBody, ClusterKernel};
    pub use super::device::{choose as adapter, choose_for as adapter_for, instance_of};
    pub use super::kernel::{Kernel, KernelCall};
    pub use super::kernel_data::KernelData;
    pub use super::window::Window;
}

use super::in_substeps::in_substeps;
use super::residual::Control;
use super::substeps::SubstepReport;
use super::{Method, Options, Packer, Plan as SolvePlan, Report, Solution, Solver, Status};
use crate::constants::{SUBMIT_CONTACT_ITERATIONS, SUBMIT_DISPATCHES};
use crate::error::Result;
use crate::problem::batches::Batches;
use crate::problem::{AsProblem, ProblemRef};
use buffers::Buffers;
use cluster::ClusterGpu;
use device::GpuDevice;
use passes::Passes;
use pipelines::Pipelines;
use plan::Plan;
use run::Run;
use start_velocities::StartVelocities;
use std::time::Instant;
use transfers::Transfers;

/// Every [`Method`] on a GPU.
///
/// Buffers grow with the problems and are kept. What exceeds one binding or one dispatch of the
/// device is split; what cannot be split is an [`Error::Capacity`](crate::Error::Capacity). After the device is lost every
/// call is an [`Error::Device`](crate::Error::Device).
#[derive(Debug)]
pub struct GpuSolver {
    gpu: GpuDevice,
    pipelines: Pipelines,
    buffers: Buffers,
    transfers: Transfers,
    packer: Packer,
    clusters: Option<ClusterGpu>,
}

impl Solver for GpuSolver {
    fn backend(&self) -> &'static str {
        "gpu"
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.summary.name.clone())
    }

    /// The host's part of a solve is shared by this library's loops.
    fn works_on_threads(&self, _: &Options) -> bool {
        true
    }

    /// A step in substeps is wholly on the device, with one wait, unless it is of a kind that the device does not know: then it is
    /// one solve after the other.
    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &SolvePlan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        let problem = &problem.as_problem();
        match plan {
            SolvePlan::Once(options) => Ok(self.solve_once(problem, options, solution)?.into()),
            SolvePlan::Substeps(plan)
                if plan.has_one_packing()
                    && !problem.is_compliant()
                    && self.has_states(problem) =>
            {
                self.run_substeps(problem, plan, solution)
            }
            SolvePlan::Substeps(plan) => in_substeps(self, problem, plan, solution),
        }
    }
}

impl GpuSolver {
    fn solve_once(
        &mut self,
        problem: &ProblemRef<'_>,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        options.validate()?;
        problem.validate()?;
        self.gpu.check()?;
        self.transfers.begin();
        if options.method == Method::Cluster {
            return self.solve_clusters(problem, options, solution);
        }
        let (mut batches, mut report) = self.packer.pack(problem, options);
        let packed = Instant::now();
        let rule = options.method.momentum(problem.is_convex());
        let plan = Plan::new(&batches, rule, &self.gpu.limits)?;
        let start = StartVelocities::of(&batches, report.direct_rows);
        let control = self.run(&plan, start, options, &mut batches)?;
        control.report(&mut report, options);
        report.barriers = options.method.barriers(&batches, report.iterations);
        let mechanisms = &mut self.packer.mechanisms;
        super::end_with_joints(mechanisms, &mut batches, options, &mut report);
        solution.take_from(problem, &batches);
        self.packer.keep(batches);
        if !solution.is_finite() {
            report.status = Status::NonFinite;
        }
        report.solve_time = packed.elapsed();
        Ok(report)
    }

    /// Uploads what has changed, sweeps, and brings the solution into `batches`.
    fn run(
        &mut self,
        plan: &Plan,
        start: StartVelocities,
        options: &Options,
        batches: &mut Batches,
    ) -> Result<Control> {
        let control = Control::start(options, batches.block_count());
        let found = self
            .buffers
            .set(&self.gpu, batches, plan, start, &control)
            .and_then(|()| self.ready(plan, start, batches)?.solve(options, batches));
        self.transfers.upload.recycle();
        match &found {
            Ok(_) => self.buffers.learn(batches),
            Err(_) => self.buffers.forget(),
        }
        found
    }

    /// A solve whose problem has its place on the device, ready to be recorded.
    fn ready<'a>(
        &'a mut self,
        plan: &'a Plan,
        start: StartVelocities,
        batches: &Batches,
    ) -> Result<Run<'a>> {
        self.transfers.traffic = Traffic::of(batches, self.buffers.held(), plan.sweep.len());
        Ok(Run {
            passes: Passes::new(&self.gpu, &self.pipelines, &self.buffers, plan)?,
            gpu: &self.gpu,
            transfers: &mut self.transfers,
            buffers: &mut self.buffers,
            start,
            iterations_per_submit: iterations_per_submit(batches, plan),
        })
    }

    /// Solves by clusters; their kernels are compiled for the first such solve.
    fn solve_clusters(
        &mut self,
        problem: &ProblemRef<'_>,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        let clusters = match &mut self.clusters {
            Some(clusters) => clusters,
            none => none.insert(ClusterGpu::new(&self.gpu)?),
        };
        let budget = self.buffers.budget;
        clusters.solve(
            &self.gpu,
            &mut self.transfers,
            budget,
            problem,
            options,
            solution,
        )
    }
}

/// Sweeps that keep one submission below its bounds of contacts, joint rows counted too, and
/// dispatches.
fn iterations_per_submit(batches: &Batches, plan: &Plan) -> u32 {
    let by_contacts = SUBMIT_CONTACT_ITERATIONS / batches.block_count().max(1) as u64;
    let by_dispatches = SUBMIT_DISPATCHES / plan.pass_dispatches().max(1) as u64;
    by_contacts.min(by_dispatches).max(1) as u32
}

impl GpuSolver {
    /// Opens an adapter: the one named, or else the first hardware adapter. A software adapter is
    /// taken only when asked for by name or allowed.
    ///
    /// # Errors
    /// [`Error::NoAdapter`](crate::Error::NoAdapter) if there is none such, naming those that there are; [`Error::Device`](crate::Error::Device) if
    /// it does not open; [`Error::Capacity`](crate::Error::Capacity) if its limits are too low for the kernels.
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
    /// [`Error::Capacity`](crate::Error::Capacity) if the device's limits are too low for the kernels, [`Error::Device`](crate::Error::Device) if
    /// they do not compile there.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::on(GpuDevice::adopt(device, queue)?)
    }

    fn on(gpu: GpuDevice) -> Result<Self> {
        Ok(Self {
            pipelines: Pipelines::new(&gpu)?,
            gpu,
            buffers: Buffers::new(),
            transfers: Transfers::default(),
            packer: Packer::default(),
            clusters: None,
        })
    }

    /// Bounds the memory on the device `[B]`; a problem that needs more is an [`Error::Capacity`](crate::Error::Capacity).
    ///
    /// Some drivers promise memory that they do not have, and are then ended by the system.
    pub fn set_memory_budget(&mut self, bytes: u64) {
        self.buffers.budget = bytes;
    }

    /// What the last solve moved to and from the device, and how often it was asked.
    #[must_use]
    pub fn traffic(&self) -> &Traffic {
        &self.transfers.traffic
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
}
