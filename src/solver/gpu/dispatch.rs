//! Dispatches, and recording them.

use super::device::GpuDevice;
use super::kernel::Kernel;
use super::pipelines::Pipelines;
use super::shader::ShaderSet;
use super::window::window_stride;
use std::cell::Cell;

/// One dispatch: a kernel, the bind group it sees, its window, its workgroups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dispatch<Set = Kernel> {
    pub(super) kernel: Set,
    pub(super) bind_group: usize,
    pub(super) window: u32,
    pub(super) workgroups: u32,
}

/// Records the dispatches of a plan, any number of times.
#[derive(Debug)]
pub(super) struct Recorder<'a, Set: ShaderSet = Kernel> {
    pipelines: &'a Pipelines<Set>,
    bind_groups: Vec<wgpu::BindGroup>,
    window_stride: u32,
    recorded: Cell<u64>,
}

impl<'a, Set: ShaderSet> Recorder<'a, Set> {
    /// Takes the bind groups that the dispatches refer to.
    pub(super) fn new(
        gpu: &GpuDevice,
        pipelines: &'a Pipelines<Set>,
        bind_groups: Vec<wgpu::BindGroup>,
    ) -> Self {
        Self {
            pipelines,
            bind_groups,
            window_stride: window_stride(gpu),
            recorded: Cell::new(0),
        }
    }

    /// Records dispatches as they are.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>, dispatches: &[Dispatch<Set>]) {
        let count = dispatches.len() as u64;
        self.recorded.set(self.recorded.get() + count);
        let mut current = None;
        for dispatch in dispatches {
            if current != Some(dispatch.kernel) {
                pass.set_pipeline(self.pipelines.pipeline(dispatch.kernel));
                current = Some(dispatch.kernel);
            }
            pass.set_bind_group(
                0,
                &self.bind_groups[dispatch.bind_group],
                &[dispatch.window * self.window_stride],
            );
            pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
        }
    }

    /// Number of dispatches recorded so far.
    pub(super) fn recorded(&self) -> u64 {
        self.recorded.get()
    }
}

/// Begins the one compute pass of a submission: more of them would cost more than their dispatches.
pub(super) fn begin_pass<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    label: &str,
) -> wgpu::ComputePass<'e> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: None,
    })
}
