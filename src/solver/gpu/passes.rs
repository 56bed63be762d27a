//! Recording the dispatches of a plan.

use super::buffers::{Buffers, Shown, window_stride};
use super::device::GpuDevice;
use super::layout::{Kernel, Layouts};
use super::plan::{Dispatch, Plan};
use crate::error::Result;

/// A plan with its bind groups: ready to be recorded any number of times.
#[derive(Debug)]
pub(super) struct Passes<'a> {
    plan: &'a Plan,
    layouts: &'a Layouts,
    bind_groups: Vec<wgpu::BindGroup>,
    window_stride: u32,
}

impl<'a> Passes<'a> {
    /// Makes the bind groups of a plan over uploaded buffers.
    pub(super) fn new(
        gpu: &GpuDevice,
        layouts: &'a Layouts,
        buffers: &Buffers,
        plan: &'a Plan,
    ) -> Result<Self> {
        let mut order: Vec<_> = plan.shown.iter().collect();
        order.sort_by_key(|&(_, &index)| index);
        let bind_groups = gpu.scoped("binding", || {
            order
                .into_iter()
                .map(|((kernel, shown), _)| bind(gpu, layouts, buffers, *kernel, shown))
                .collect()
        })?;
        Ok(Self {
            plan,
            layouts,
            bind_groups,
            window_stride: window_stride(gpu),
        })
    }

    /// Records `iterations` sweeps in one compute pass.
    pub(super) fn record_sweeps(&self, encoder: &mut wgpu::CommandEncoder, iterations: u32) {
        let mut pass = begin(encoder, "sweep");
        for _ in 0..iterations {
            self.record(&mut pass, &self.plan.sweep);
        }
    }

    /// Records the residual of all contacts.
    pub(super) fn record_residual(&self, encoder: &mut wgpu::CommandEncoder) {
        self.record(&mut begin(encoder, "residual"), &self.plan.residual);
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>, dispatches: &[Dispatch]) {
        let mut current = None;
        for dispatch in dispatches {
            if current != Some(dispatch.kernel) {
                pass.set_pipeline(self.layouts.pipeline(dispatch.kernel));
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
}

fn begin<'e>(encoder: &'e mut wgpu::CommandEncoder, label: &str) -> wgpu::ComputePass<'e> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: None,
    })
}

fn bind(
    gpu: &GpuDevice,
    layouts: &Layouts,
    buffers: &Buffers,
    kernel: Kernel,
    shown: &Shown,
) -> Result<wgpu::BindGroup> {
    let mut entries = vec![wgpu::BindGroupEntry {
        binding: 0,
        resource: buffers.window_binding()?,
    }];
    for &(binding, slot) in kernel.slots() {
        entries.push(wgpu::BindGroupEntry {
            binding,
            resource: buffers.binding(slot, shown)?,
        });
    }
    Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(kernel.name()),
        layout: layouts.bind_group_layout(kernel),
        entries: &entries,
    }))
}
