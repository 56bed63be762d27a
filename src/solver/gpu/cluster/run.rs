//! One solve by clusters on the device: what is submitted when, and what the host waits for.

use super::buffers::ClusterBuffers;
use super::kernel::ClusterKernel;
use super::plan::ClusterPlan;
use crate::constants::{SUBMIT_CONTACT_ITERATIONS, SUBMIT_DISPATCHES};
use crate::error::Result;
use crate::problem::batches::Batches;
use crate::solver::cluster;
use crate::solver::gpu::device::GpuDevice;
use crate::solver::gpu::dispatch::{Recorder, begin_pass};
use crate::solver::gpu::readback::Wanted;
use crate::solver::gpu::transfers::Transfers;
use crate::solver::gpu::window::{Window, window_stride};
use crate::solver::residual::Partial;
use std::ops::Range;

/// A solve in progress.
pub(super) struct ClusterRun<'a> {
    pub(super) gpu: &'a GpuDevice,
    pub(super) transfers: &'a mut Transfers,
    pub(super) buffers: &'a mut ClusterBuffers,
    pub(super) plan: &'a ClusterPlan,
    pub(super) recorder: Recorder<'a, ClusterKernel>,
}

impl ClusterRun<'_> {
    /// Submits some passes over all joints and contacts but those that fit into the last submission,
    /// which is returned; and how many dispatches wait for the ones before them.
    pub(super) fn passes(
        &mut self,
        passes: Range<u32>,
        blocks: usize,
    ) -> Result<(wgpu::CommandEncoder, u32)> {
        let by_contacts = (SUBMIT_CONTACT_ITERATIONS / blocks.max(1) as u64).max(2) as u32;
        let by_dispatches = match self.plan.solve {
            Some(_) => self.plan.passes_per_solve,
            // A round is two passes, and with its share of rebuilding less than three dispatches.
            None => (SUBMIT_DISPATCHES / 3) as u32,
        };
        let most = by_contacts.min(by_dispatches).max(2) & !1;
        let mut barriers = 0;
        let mut rest = passes;
        loop {
            let next = rest.end.min(rest.start.saturating_add(most));
            let now = rest.start..next;
            rest.start = next;
            barriers += cluster::barriers(&now, self.plan.solve.is_some());
            let encoder = self.record_passes(&now)?;
            if rest.is_empty() {
                return Ok((encoder, barriers));
            }
            self.submit(encoder)?;
        }
    }

    /// Records uploads of what has changed, and some passes.
    fn record_passes(&mut self, passes: &Range<u32>) -> Result<wgpu::CommandEncoder> {
        if let Some(solve) = &self.plan.solve {
            // Passes start at an even number, so that only the last sweep of all is not symmetric.
            let mut windows = self.plan.windows.clone();
            windows[solve.window as usize] = Window {
                first: passes.start,
                end: passes.end,
                ..Window::default()
            };
            self.buffers.set_windows(&windows, window_stride(self.gpu));
        }
        let gpu = self.gpu;
        gpu.scoped("sweeping", || {
            let mut encoder = gpu.encoder();
            self.transfers
                .upload(gpu, &mut encoder, &mut self.buffers.all())?;
            let mut pass = begin_pass(&mut encoder, "clusters");
            if let Some(solve) = &self.plan.solve {
                self.recorder.record(&mut pass, std::slice::from_ref(solve));
            } else {
                let mut done = passes.start;
                for round in cluster::rounds(passes.start, passes.len() as u32) {
                    self.recorder
                        .record(&mut pass, self.plan.round(round, done));
                    done += round.passes();
                }
            }
            drop(pass);
            Ok(encoder)
        })
    }

    fn submit(&mut self, encoder: wgpu::CommandEncoder) -> Result<()> {
        let gpu = self.gpu;
        gpu.scoped("sweeping", || {
            self.transfers.submit(gpu, encoder);
            Ok(())
        })?;
        self.transfers.upload.recycle();
        self.transfers.hold(gpu)
    }

    /// Measures the residual of every cluster behind what `encoder` holds, and brings the solution with
    /// it where it is wanted.
    pub(super) fn residual(
        &mut self,
        mut encoder: wgpu::CommandEncoder,
        partials: &mut [Partial],
        solution: Option<(&mut Batches, &mut Vec<[f32; 4]>)>,
    ) -> Result<()> {
        let encoder = self.gpu.scoped("measuring the residual", || {
            let mut pass = begin_pass(&mut encoder, "residual");
            self.recorder.record(&mut pass, &self.plan.residual);
            drop(pass);
            Ok(encoder)
        })?;
        let mut wanted = vec![Wanted::copy(&self.buffers.partials, partials)];
        if let Some((batches, impulses)) = solution {
            wanted.extend(solution_of(self.buffers, batches, impulses));
        }
        let read = self.transfers.read(self.gpu, encoder, &mut wanted);
        self.transfers.traffic.dispatches = self.recorder.recorded();
        self.transfers.upload.recycle();
        read
    }

    /// Brings velocities and impulses back.
    pub(super) fn fetch(&mut self, batches: &mut Batches, impulses: &mut [[f32; 4]]) -> Result<()> {
        let gpu = self.gpu;
        let encoder = gpu.scoped("reading back", || Ok(gpu.encoder()))?;
        let mut wanted = solution_of(self.buffers, batches, impulses);
        self.transfers.read(gpu, encoder, &mut wanted)
    }
}

fn solution_of<'a>(
    buffers: &'a ClusterBuffers,
    batches: &'a mut Batches,
    impulses: &'a mut [[f32; 4]],
) -> [Wanted<'a>; 2] {
    [
        Wanted::copy(&buffers.velocities, &mut batches.velocities),
        Wanted::copy(&buffers.impulses, impulses),
    ]
}
