//! Bringing results back through staging buffers that are kept from solve to solve.

use super::array::{DeviceArray, copy_bytes};
use super::device::GpuDevice;
use super::traffic::Traffic;
use crate::constants::{STAGING_BYTES, SUBMISSIONS_IN_FLIGHT};
use crate::error::{Error, Result};
use crate::solver::residual::Control;
use std::sync::mpsc;

/// The staging buffers.
#[derive(Debug, Default)]
pub(super) struct Readback {
    /// Two for results: the device fills one while the host empties the other.
    staging: [Option<wgpu::Buffer>; 2],
    /// Some for copies of the control record, in turn.
    looks: [Option<wgpu::Buffer>; LOOKS],
    next_look: usize,
    /// Copies on their way: which buffer, and whether it can be read.
    awaited: Vec<(usize, Mapped)>,
}

/// Copies of the control record that may be on their way together.
const LOOKS: usize = SUBMISSIONS_IN_FLIGHT + 2;

/// Says whether a buffer has been mapped.
type Mapped = mpsc::Receiver<std::result::Result<(), wgpu::BufferAsyncError>>;

/// The first bytes of an array to read, and who takes them.
pub(super) struct Wanted<'a> {
    array: &'a DeviceArray,
    bytes: usize,
    take: Box<Take<'a>>,
}

/// Takes some whole elements of an array, which come in order: from which byte on, and the bytes.
type Take<'a> = dyn FnMut(usize, &[u8]) + 'a;

impl<'a> Wanted<'a> {
    /// Copies an array into a place, which has at most its length.
    pub(super) fn copy<T: bytemuck::Pod>(array: &'a DeviceArray, place: &'a mut [T]) -> Self {
        let place: &mut [u8] = bytemuck::cast_slice_mut(place);
        Self {
            array,
            bytes: place.len(),
            take: Box::new(|from, bytes| copy_bytes(&mut place[from..], bytes)),
        }
    }

    /// Hands the first `count` elements of an array to `take`, with the number of the first of them.
    pub(super) fn each<T: bytemuck::AnyBitPattern>(
        array: &'a DeviceArray,
        count: usize,
        mut take: impl FnMut(usize, &[T]) + 'a,
    ) -> Self {
        Self {
            array,
            bytes: count * size_of::<T>(),
            take: Box::new(move |from, bytes| {
                take(from / size_of::<T>(), bytemuck::cast_slice(bytes));
            }),
        }
    }
}

/// A piece of an array on its way: which array, from which byte, how many, and where in the staging
/// buffer.
#[derive(Debug, Clone, Copy)]
struct Piece {
    array: usize,
    from: u64,
    bytes: u64,
    at: u64,
}

/// A transfer that the device has been asked for.
struct Transfer {
    submission: wgpu::SubmissionIndex,
    mapped: Mapped,
    size: u64,
}

impl Readback {
    /// Submits what `encoder` has recorded, waits for it, and fetches the arrays.
    ///
    /// Arrays that together exceed [`STAGING_BYTES`] come in several transfers, the first two with the
    /// same submission, the others while the host copies the one before.
    pub(super) fn read(
        &mut self,
        gpu: &GpuDevice,
        encoder: wgpu::CommandEncoder,
        wanted: &mut [Wanted<'_>],
        traffic: &mut Traffic,
    ) -> Result<()> {
        let most = STAGING_BYTES.min(gpu.limits.max_buffer_size);
        let transfers = transfers(wanted, most);
        let mut asked: Vec<Transfer> = Vec::new();
        let mut next = 0;
        let mut encoder = Some(encoder);
        for (index, pieces) in transfers.iter().enumerate() {
            // The buffers of the transfers up to the one after this are free.
            let free = transfers.len().min(index + 2);
            if next < free {
                let recorded = encoder.take();
                let first = recorded.is_some();
                let range = if first { 0..free } else { next..free };
                self.ask(gpu, recorded, wanted, &transfers, range.clone(), &mut asked)?;
                next = range.end;
                traffic.submits += 1;
            }
            let transfer = &asked[index];
            let staging = self.staging(index)?;
            let ready = match transfer.mapped.try_recv() {
                Ok(outcome) => outcome,
                Err(_) => {
                    traffic.waits += 1;
                    gpu.wait(transfer.submission.clone())?;
                    transfer
                        .mapped
                        .try_recv()
                        .map_err(|_| gpu.fail("the staging buffer was never mapped"))?
                }
            };
            ready.map_err(|error| gpu.fail(&format!("mapping: {error}")))?;
            let bytes = staging
                .slice(..transfer.size)
                .get_mapped_range()
                .map_err(|error| gpu.fail(&format!("mapping: {error}")))?;
            for piece in pieces {
                let (at, length) = (piece.at as usize, piece.bytes as usize);
                let Wanted { array, take, .. } = &mut wanted[piece.array];
                take(piece.from as usize, &bytes[at..at + length]);
                traffic.back.add(array.subject(), piece.bytes);
            }
            drop(bytes);
            staging.unmap();
        }
        Ok(())
    }

    /// Submits the copies of some transfers, behind what `recorded` holds.
    fn ask(
        &mut self,
        gpu: &GpuDevice,
        recorded: Option<wgpu::CommandEncoder>,
        wanted: &[Wanted<'_>],
        transfers: &[Vec<Piece>],
        range: std::ops::Range<usize>,
        asked: &mut Vec<Transfer>,
    ) -> Result<()> {
        let size = |index: usize| transfers[index].iter().map(|piece| piece.bytes).sum();
        gpu.scoped("reading back", || {
            let mut encoder = recorded.unwrap_or_else(|| gpu.encoder());
            for index in range.clone() {
                self.reserve(gpu, index, size(index));
                let staging = self.staging(index)?;
                for piece in &transfers[index] {
                    encoder.copy_buffer_to_buffer(
                        wanted[piece.array].array.buffer()?,
                        piece.from,
                        staging,
                        piece.at,
                        piece.bytes,
                    );
                }
            }
            let submission = gpu.queue.submit([encoder.finish()]);
            for index in range {
                asked.push(Transfer {
                    submission: submission.clone(),
                    mapped: map(self.staging(index)?, size(index)),
                    size: size(index),
                });
            }
            Ok(())
        })
    }

    /// The staging buffer of a transfer.
    fn staging(&self, transfer: usize) -> Result<&wgpu::Buffer> {
        self.staging[transfer % 2]
            .as_ref()
            .ok_or_else(|| Error::Device("there is no staging buffer".into()))
    }

    fn reserve(&mut self, gpu: &GpuDevice, transfer: usize, size: u64) {
        let staging = &mut self.staging[transfer % 2];
        if staging.as_ref().is_some_and(|old| old.size() >= size) {
            return;
        }
        let grown = staging.as_ref().map_or(0, |old| old.size() * 3 / 2);
        let size = size.max(grown.min(STAGING_BYTES));
        *staging = Some(make(gpu, size));
    }

    /// No copy of the control record is awaited any more.
    pub(super) fn forget_looks(&mut self) {
        for (index, _) in self.awaited.drain(..) {
            self.looks[index] = None;
        }
    }

    /// Records a copy of the control record, to be followed by [`Self::await_look`] once it is
    /// submitted.
    pub(super) fn record_look(
        &mut self,
        gpu: &GpuDevice,
        encoder: &mut wgpu::CommandEncoder,
        control: &DeviceArray,
    ) -> Result<()> {
        let bytes = size_of::<Control>() as u64;
        let place = self.looks[self.next_look].get_or_insert_with(|| make(gpu, bytes));
        encoder.copy_buffer_to_buffer(control.buffer()?, 0, place, 0, bytes);
        Ok(())
    }

    /// Has the copy last recorded shown to the host as soon as it is there.
    pub(super) fn await_look(&mut self) {
        if let Some(buffer) = &self.looks[self.next_look] {
            let mapped = map(buffer, size_of::<Control>() as u64);
            self.awaited.push((self.next_look, mapped));
            self.next_look = (self.next_look + 1) % LOOKS;
        }
    }

    /// The newest copy of the control record that has arrived; never waits.
    pub(super) fn look(&mut self, gpu: &GpuDevice) -> Result<Option<Control>> {
        gpu.check()?;
        let mut newest = None;
        while let Some((index, mapped)) = self.awaited.first() {
            let Ok(outcome) = mapped.try_recv() else {
                break;
            };
            outcome.map_err(|error| gpu.fail(&format!("mapping: {error}")))?;
            if let Some(buffer) = &self.looks[*index] {
                let bytes = buffer
                    .slice(..)
                    .get_mapped_range()
                    .map_err(|error| gpu.fail(&format!("mapping: {error}")))?;
                newest = Some(bytemuck::pod_read_unaligned(&bytes[..size_of::<Control>()]));
                drop(bytes);
                buffer.unmap();
            }
            self.awaited.remove(0);
        }
        Ok(newest)
    }
}

fn make(gpu: &GpuDevice, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("staging"),
        size: size.next_multiple_of(wgpu::MAP_ALIGNMENT),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Asks for the first `size` bytes of a staging buffer, once what is submitted is done.
fn map(staging: &wgpu::Buffer, size: u64) -> Mapped {
    let (sender, receiver) = mpsc::channel();
    staging
        .slice(..size)
        .map_async(wgpu::MapMode::Read, move |outcome| {
            // Nobody listens any more if the wait has failed.
            let _ = sender.send(outcome);
        });
    receiver
}

/// Groups the arrays' elements into transfers of at most `most` bytes.
fn transfers(wanted: &[Wanted<'_>], most: u64) -> Vec<Vec<Piece>> {
    let mut transfers = Vec::new();
    let mut pieces = Vec::new();
    let mut at = 0;
    for (index, Wanted { array, bytes, .. }) in wanted.iter().enumerate() {
        let length = *bytes as u64;
        let mut from = 0;
        while from < length {
            let room = (most - at) / array.stride() * array.stride();
            if room == 0 {
                transfers.push(std::mem::take(&mut pieces));
                at = 0;
                continue;
            }
            let bytes = (length - from).min(room);
            pieces.push(Piece {
                array: index,
                from,
                bytes,
                at,
            });
            from += bytes;
            at += bytes;
        }
    }
    if !pieces.is_empty() {
        transfers.push(pieces);
    }
    transfers
}
