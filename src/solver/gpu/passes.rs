//! Recording the dispatches of a plan.

use super::buffers::{Buffers, Shown, window_stride};
use super::device::GpuDevice;
use super::layout::{Kernel, Layouts};
use super::plan::{Dispatch, Plan};
use crate::error::Result;
use crate::solver::cpu::Sweep;
use crate::solver::{Method, Start};
use std::ops::Range;

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

    /// Records the passes `range` of a method in one compute pass.
    pub(super) fn record_passes(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        method: Method,
        range: Range<u32>,
    ) {
        let mut recording = begin(encoder, "sweep");
        let plan = self.plan;
        for done in range {
            let pass = method.pass(done);
            match pass.start {
                Some(_) if done == 0 => self.record(&mut recording, &plan.start),
                Some(Start { rebuild: true }) => {
                    self.record(&mut recording, &plan.before_rebuild);
                    self.record(&mut recording, &plan.rebuild);
                    self.record(&mut recording, &plan.after_rebuild);
                }
                Some(Start { rebuild: false }) => self.record(&mut recording, &plan.momentum),
                None => {}
            }
            match pass.sweep {
                Sweep::Reverse => self.record(&mut recording, &plan.reverse),
                _ => self.record(&mut recording, &plan.forward),
            }
            if pass.end {
                self.record(&mut recording, &plan.judge);
            }
        }
    }

    /// Records the one call of a plan made for it.
    pub(super) fn record_call(&self, encoder: &mut wgpu::CommandEncoder) {
        self.record(&mut begin(encoder, "kernel"), &self.plan.forward);
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
