//! One solve on the device: what is submitted when, and what the host waits for.
//!
//! All passes go into one submission, uploads before them and the way back behind them, and the host
//! waits once, for the results. The device decides when to stop: a look at the residual every
//! `check_every` passes sets a flag, and every kernel that finds it set returns at once.
//!
//! What is recorded behind the flag costs its launches: a microsecond or two each, 14 a pass of a pile.
//! A submission is bounded by [`SUBMIT_DISPATCHES`](crate::constants::SUBMIT_DISPATCHES) and by the
//! watchdog's [`SUBMIT_CONTACT_ITERATIONS`](crate::constants::SUBMIT_CONTACT_ITERATIONS), so that no
//! more than a few milliseconds are lost behind it. Longer solves take several submissions, each with
//! a copy of the control record behind it. Before recording the next one the host looks, without
//! waiting, whether a copy has arrived that says that all is done; so a solve whose limit is far above
//! what it needs leaves at most [`SUBMISSIONS_IN_FLIGHT`](crate::constants::SUBMISSIONS_IN_FLIGHT)
//! submissions of empty launches. Asking for an
//! indirect dispatch instead would skip the work behind the flag, not the launches, and costs each
//! dispatch a validation.

use super::buffers::Buffers;
use super::device::GpuDevice;
use super::dispatch::begin_pass;
use super::passes::Passes;
use super::readback::Wanted;
use super::start_velocities::StartVelocities;
use super::transfers::Transfers;
use crate::error::Result;
use crate::problem::batches::Batches;
use crate::solver::Options;
use crate::solver::residual::Control;

/// A solve in progress.
pub(super) struct Run<'a> {
    pub(super) gpu: &'a GpuDevice,
    pub(super) transfers: &'a mut Transfers,
    pub(super) buffers: &'a mut Buffers,
    pub(super) passes: Passes<'a>,
    pub(super) start: StartVelocities,
    pub(super) iterations_per_submit: u32,
}

impl Run<'_> {
    /// Uploads, sweeps, and brings velocities and impulses back.
    pub(super) fn solve(mut self, options: &Options, batches: &mut Batches) -> Result<Control> {
        let encoder = self.sweep(options)?;
        let mut control = Control::default();
        let buffers = &*self.buffers;
        let Batches {
            velocities,
            contacts,
            joints,
            ..
        } = batches;
        let mut wanted = [
            Wanted::copy(&buffers.control, std::slice::from_mut(&mut control)),
            Wanted::copy(&buffers.velocities, velocities),
            Wanted::copy(&buffers.contacts.impulses, &mut contacts.impulses),
            Wanted::copy(&buffers.joints.impulses, &mut joints.impulses),
        ];
        self.transfers.read(self.gpu, encoder, &mut wanted)?;
        drop(wanted);
        self.transfers.traffic.dispatches = self.passes.dispatches();
        Ok(control)
    }

    /// Submits all passes but those that fit into the last submission, which is returned.
    fn sweep(&mut self, options: &Options) -> Result<wgpu::CommandEncoder> {
        let looks = options.tolerance > 0.0;
        let mut done = 0;
        self.transfers.readback.forget_looks();
        loop {
            let end = options.iterations.min(done + self.iterations_per_submit);
            let last = end == options.iterations;
            let encoder = self.gpu.scoped("sweeping", || {
                let mut encoder = self.gpu.encoder();
                if done == 0 {
                    self.transfers
                        .upload(self.gpu, &mut encoder, &mut self.buffers.all())?;
                }
                let mut recording = begin_pass(&mut encoder, "sweeps");
                if done == 0 {
                    self.passes.record_start(&mut recording, self.start);
                }
                self.passes
                    .record_passes(&mut recording, options, done..end);
                drop(recording);
                if looks && !last {
                    self.transfers.readback.record_look(
                        self.gpu,
                        &mut encoder,
                        &self.buffers.control,
                    )?;
                }
                Ok(encoder)
            })?;
            done = end;
            if last {
                return Ok(encoder);
            }
            self.transfers.submit(self.gpu, encoder);
            if looks {
                self.transfers.readback.await_look();
            }
            self.transfers.hold(self.gpu)?;
            if looks
                && self
                    .transfers
                    .readback
                    .look(self.gpu)?
                    .is_some_and(|c| c.done != 0)
            {
                let left = (options.iterations - done).div_ceil(self.iterations_per_submit);
                self.transfers.traffic.spared_submits = left;
                return self.gpu.scoped("reading back", || Ok(self.gpu.encoder()));
            }
        }
    }
}
