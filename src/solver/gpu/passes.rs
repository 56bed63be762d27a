//! Recording the dispatches of a plan.

use super::buffers::{Buffers, Shown, Start as Velocities, window_stride};
use super::device::GpuDevice;
use super::layout::{CONTROL_BINDING, Kernel, Layouts};
use super::plan::{Dispatch, Plan};
use crate::error::Result;
use crate::solver::cpu::Sweep;
use crate::solver::{Options, Start};
use std::cell::Cell;
use std::ops::Range;

/// A plan with its bind groups: ready to be recorded any number of times.
#[derive(Debug)]
pub(super) struct Passes<'a> {
    pub(super) plan: &'a Plan,
    layouts: &'a Layouts,
    bind_groups: Vec<wgpu::BindGroup>,
    window_stride: u32,
    dispatches: Cell<u64>,
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
            dispatches: Cell::new(0),
        })
    }

    /// Records the passes `range` over all joints and contacts, and the looks at the residual that fall
    /// into them.
    pub(super) fn record_passes(
        &self,
        recording: &mut wgpu::ComputePass<'_>,
        options: &Options,
        range: Range<u32>,
    ) {
        let plan = self.plan;
        for done in range {
            let pass = options.method.pass(done);
            match pass.start {
                Some(_) if done == 0 => self.record(recording, &plan.start),
                Some(Start { rebuild: true }) => {
                    self.record(recording, &plan.before_rebuild);
                    self.record(recording, &plan.rebuild);
                    self.record(recording, &plan.after_rebuild);
                }
                Some(Start { rebuild: false }) => self.record(recording, &plan.momentum),
                None => {}
            }
            match pass.sweep {
                Sweep::Reverse => self.record(recording, &plan.reverse),
                _ => self.record(recording, &plan.forward),
            }
            if pass.end {
                self.record(recording, &plan.judge);
            }
            if options.until_check(done) == 1 {
                self.record(recording, &plan.residual);
            }
        }
    }

    /// Records what comes before the first pass: the contacts' blocks, and the velocities at the start
    /// as far as the device makes them.
    pub(super) fn record_start(&self, recording: &mut wgpu::ComputePass<'_>, start: Velocities) {
        let plan = self.plan;
        self.record(recording, &plan.prepare);
        if start != Velocities::Uploaded {
            self.record(recording, &plan.clear);
        }
        if start == Velocities::Rebuilt {
            self.record(recording, &plan.rebuild);
        }
    }

    /// Records the one call of a plan made for it, behind the making of the contacts' blocks.
    pub(super) fn record_call(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut recording = begin(encoder);
        self.record(&mut recording, &self.plan.prepare);
        self.record(&mut recording, &self.plan.forward);
    }

    /// Dispatches recorded so far.
    pub(super) fn dispatches(&self) -> u64 {
        self.dispatches.get()
    }

    /// Records dispatches as they are.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>, dispatches: &[Dispatch]) {
        self.dispatches
            .set(self.dispatches.get() + dispatches.len() as u64);
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

/// Begins the one compute pass of a submission: more of them would cost more than their dispatches.
pub(super) fn begin(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some("sweeps"),
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
    if kernel.heeds_control() {
        entries.push(wgpu::BindGroupEntry {
            binding: CONTROL_BINDING,
            resource: buffers.control_binding()?,
        });
    }
    Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(kernel.name()),
        layout: layouts.bind_group_layout(kernel),
        entries: &entries,
    }))
}
