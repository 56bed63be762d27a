//! The ways to the device and back, and what has gone along them.

use super::array::DeviceArray;
use super::device::GpuDevice;
use super::readback::{Readback, Wanted};
use super::traffic::Traffic;
use super::upload::Upload;
use crate::constants::SUBMISSIONS_IN_FLIGHT;
use crate::error::Result;
use std::collections::VecDeque;

/// Uploads, submissions and readback, kept from solve to solve and counted.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    pub(super) upload: Upload,
    pub(super) readback: Readback,
    pub(super) traffic: Traffic,
    /// Submissions that may not be done yet, the oldest first.
    in_flight: VecDeque<wgpu::SubmissionIndex>,
}

impl Transfers {
    /// Begins another solve, of which nothing is counted yet.
    pub(super) fn begin(&mut self) {
        self.traffic = Traffic::default();
        self.in_flight.clear();
    }

    /// Records copies of everything that is stale in `arrays`; [`Upload::recycle`] follows.
    pub(super) fn upload(
        &mut self,
        gpu: &GpuDevice,
        encoder: &mut wgpu::CommandEncoder,
        arrays: &mut [&mut DeviceArray],
    ) -> Result<()> {
        self.upload
            .record(gpu, encoder, arrays, &mut self.traffic.up)
    }

    /// Records the copy of a whole array, whose elements are made where they are copied from; after
    /// [`Self::upload`]. A thread makes `least` of them at least.
    pub(super) fn upload_whole<const BYTES: usize>(
        &mut self,
        gpu: &GpuDevice,
        encoder: &mut wgpu::CommandEncoder,
        array: &DeviceArray,
        least: usize,
        element: impl Fn(usize) -> [u8; BYTES] + Sync,
    ) -> Result<()> {
        self.upload
            .record_whole(gpu, encoder, array, least, element)?;
        let sent = array.length() * array.stride();
        self.traffic.up.add(array.subject(), sent);
        Ok(())
    }

    /// Submits a part of a solve that has more to come; [`Self::hold`] follows.
    pub(super) fn submit(&mut self, gpu: &GpuDevice, encoder: wgpu::CommandEncoder) {
        self.in_flight
            .push_back(gpu.queue.submit([encoder.finish()]));
        self.traffic.submits += 1;
    }

    /// Waits for the oldest submission if more than [`SUBMISSIONS_IN_FLIGHT`] may not be done.
    pub(super) fn hold(&mut self, gpu: &GpuDevice) -> Result<()> {
        if self.in_flight.len() > SUBMISSIONS_IN_FLIGHT
            && let Some(oldest) = self.in_flight.pop_front()
        {
            gpu.wait(oldest)?;
            self.traffic.holds += 1;
        }
        Ok(())
    }

    /// Submits what `encoder` has recorded, waits for it and all before it, and fetches the arrays.
    pub(super) fn read(
        &mut self,
        gpu: &GpuDevice,
        encoder: wgpu::CommandEncoder,
        wanted: &mut [Wanted<'_>],
    ) -> Result<()> {
        self.in_flight.clear();
        self.readback.read(gpu, encoder, wanted, &mut self.traffic)
    }
}
