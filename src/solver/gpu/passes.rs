//! Recording the passes of a plan.

use super::buffers::Buffers;
use super::device::GpuDevice;
use super::dispatch::{Dispatch, Recorder, begin_pass};
use super::pipelines::Pipelines;
use super::plan::Plan;
use super::start_velocities::StartVelocities;
use crate::error::Result;
use crate::solver::{Options, Start};
use std::ops::Range;

/// A plan with its bind groups: ready to be recorded any number of times.
#[derive(Debug)]
pub(super) struct Passes<'a> {
    plan: &'a Plan,
    recorder: Recorder<'a>,
}

impl<'a> Passes<'a> {
    /// Makes the bind groups of a plan over uploaded buffers.
    pub(super) fn new(
        gpu: &GpuDevice,
        pipelines: &'a Pipelines,
        buffers: &Buffers,
        plan: &'a Plan,
    ) -> Result<Self> {
        let mut order: Vec<_> = plan.bound.iter().collect();
        order.sort_by_key(|&(_, &index)| index);
        let bind_groups = gpu.scoped("binding", || {
            order
                .into_iter()
                .map(|((kernel, bound), _)| {
                    let windows = buffers.window_binding()?;
                    pipelines.bind(gpu, *kernel, windows, |slot| buffers.binding(slot, bound))
                })
                .collect()
        })?;
        Ok(Self {
            plan,
            recorder: Recorder::new(gpu, pipelines, bind_groups),
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
            let start = options.method.start_of_pass(done);
            match start {
                Some(_) if done == 0 => self.record(recording, &plan.start),
                Some(Start { rebuild: true }) => {
                    self.record(recording, &plan.before_rebuild);
                    self.record(recording, &plan.rebuild);
                    self.record(recording, &plan.after_rebuild);
                }
                Some(Start { rebuild: false }) => self.record(recording, &plan.momentum),
                None => {}
            }
            self.record(recording, &plan.sweep);
            if start.is_some() {
                self.record(recording, &plan.judge);
            }
            if options.until_check(done) == 1 {
                self.record(recording, &plan.residual);
            }
        }
    }

    /// Records what comes before the first pass: the contacts' blocks, and the velocities at the start
    /// as far as the device makes them.
    pub(super) fn record_start(
        &self,
        recording: &mut wgpu::ComputePass<'_>,
        start: StartVelocities,
    ) {
        let plan = self.plan;
        self.record(recording, &plan.prepare);
        if start != StartVelocities::Uploaded {
            self.record(recording, &plan.clear);
        }
        if start == StartVelocities::Rebuilt {
            self.record(recording, &plan.rebuild);
        }
    }

    /// Records the one call of a plan made for it, behind the making of the contacts' blocks.
    pub(super) fn record_call(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut recording = begin_pass(encoder, "sweeps");
        self.record(&mut recording, &self.plan.prepare);
        self.record(&mut recording, &self.plan.sweep);
    }

    /// Records dispatches as they are.
    pub(super) fn record(&self, recording: &mut wgpu::ComputePass<'_>, dispatches: &[Dispatch]) {
        self.recorder.record(recording, dispatches);
    }

    /// Number of dispatches recorded so far.
    pub(super) fn dispatches(&self) -> u64 {
        self.recorder.recorded()
    }
}
