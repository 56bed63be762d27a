//! A whole solve by clusters on the GPU: two dispatches a round, or one for all rounds of a problem
//! that is one cluster.

mod buffers;
mod kernel;
mod plan;
mod run;
mod words;

pub use kernel::ClusterKernel;
pub use words::ClusterBody;

use super::bounds::Bounds;
use super::device::GpuDevice;
use super::dispatch::Recorder;
use super::pipelines::Pipelines;
use super::traffic::Traffic;
use super::transfers::Transfers;
use crate::error::Result;
use crate::problem::ProblemRef;
use crate::problem::batches::Batches;
use crate::problem::clusters::Clusters;
use crate::solver::cluster::{self, ClusterPacker};
use crate::solver::cpu::ClusterRound;
use crate::solver::residual::{self, Partial};
use crate::solver::{Options, Report, Solution, Status};
use buffers::ClusterBuffers;
use plan::ClusterPlan;
use run::ClusterRun;
use std::time::Instant;
use words::take_impulses;

/// Kernels and arrays of solves by clusters, made for the first of them.
#[derive(Debug)]
pub(super) struct ClusterGpu {
    pipelines: Pipelines<ClusterKernel>,
    buffers: ClusterBuffers,
    packer: ClusterPacker,
}

impl ClusterGpu {
    pub(super) fn new(gpu: &GpuDevice) -> Result<Self> {
        Ok(Self {
            pipelines: Pipelines::new(gpu)?,
            buffers: ClusterBuffers::new(),
            packer: ClusterPacker::default(),
        })
    }

    /// Solves `problem` within `budget` bytes of device memory; see [`Solver::solve`](crate::solver::Solver::solve).
    pub(super) fn solve(
        &mut self,
        gpu: &GpuDevice,
        transfers: &mut Transfers,
        budget: u64,
        problem: &ProblemRef<'_>,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        let (mut batches, clusters, mut report) = self.packer.pack(problem, options);
        let packed = Instant::now();
        if let Err(error) = self.run(
            gpu,
            transfers,
            budget,
            &mut batches,
            &clusters,
            options,
            &mut report,
        ) {
            self.buffers.forget();
            return Err(error);
        }
        self.packer
            .finish(problem, options, batches, solution, &mut report, packed);
        Ok(report)
    }

    /// Uploads what has changed, sweeps until the options are content, and brings the solution into
    /// the batches.
    fn run(
        &mut self,
        gpu: &GpuDevice,
        transfers: &mut Transfers,
        budget: u64,
        batches: &mut Batches,
        clusters: &Clusters,
        options: &Options,
        report: &mut Report,
    ) -> Result<()> {
        let plan = ClusterPlan::new(batches, clusters, &Bounds::of(&gpu.limits))?;
        self.buffers
            .set(gpu, budget, batches, clusters, &plan.windows)?;
        let per_pass = plan.round(ClusterRound::Forward, 1).len();
        transfers.traffic = Traffic::of(batches, self.buffers.held(), per_pass);
        let bind_groups = self.bind(gpu, &plan)?;
        let mut run = ClusterRun {
            gpu,
            transfers,
            buffers: &mut self.buffers,
            plan: &plan,
            recorder: Recorder::new(gpu, &self.pipelines, bind_groups),
        };
        let mut partials = vec![Partial::default(); clusters.list.len()];
        let mut impulses = vec![[0.0; 4]; batches.block_count()];
        while report.iterations < options.iterations {
            let count = cluster::until_check(options, report.iterations);
            let passes = report.iterations..report.iterations + count;
            let (encoder, barriers) = run.passes(passes, batches.block_count())?;
            report.barriers += barriers;
            report.iterations += count;
            let last = report.iterations == options.iterations;
            let solution = last.then_some((&mut *batches, &mut impulses));
            run.residual(encoder, &mut partials, solution)?;
            (report.residual_rms, report.residual_max) =
                residual::finish([&partials, &[]], batches.block_count());
            report.status = Status::after(report, options);
            if report.status != Status::MaxIterations {
                if !last {
                    run.fetch(batches, &mut impulses)?;
                }
                break;
            }
        }
        take_impulses(batches, clusters, &impulses);
        self.buffers.learn(&impulses);
        Ok(())
    }

    /// Makes the bind groups of a plan over uploaded buffers.
    fn bind(&self, gpu: &GpuDevice, plan: &ClusterPlan) -> Result<Vec<wgpu::BindGroup>> {
        gpu.scoped("binding", || {
            plan.bound
                .iter()
                .map(|&(kernel, (first, end))| {
                    let windows = self.buffers.window_binding()?;
                    self.pipelines.bind(gpu, kernel, windows, |slot| {
                        self.buffers.binding(slot, &(first..end))
                    })
                })
                .collect()
        })
    }
}
