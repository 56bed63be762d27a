//! Carrying what has changed to the device, through staging buffers that are kept from solve to
//! solve.

use super::array::DeviceArray;
use super::device::GpuDevice;
use super::traffic::Bytes;
use crate::constants::{COPIED_BYTES_PER_THREAD, STAGING_BYTES};
use crate::error::Result;
use crate::parallel;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The staging buffers: as many as one solve has needed so far.
#[derive(Debug, Default)]
pub(super) struct Upload {
    staging: Vec<Staging>,
    /// How many of them hold what has been recorded and not yet been recycled.
    used: usize,
}

/// A buffer that the host writes and the device copies from.
#[derive(Debug)]
struct Staging {
    buffer: wgpu::Buffer,
    /// Set once the host may write.
    mapped: Arc<AtomicBool>,
}

/// Some bytes on their way: of which array, to which byte of it, and where in the staging buffer.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    array: &'a DeviceArray,
    to: u64,
    bytes: &'a [u8],
    at: usize,
}

impl Upload {
    /// Records copies of everything that is stale in `arrays`, and counts it. To be followed by
    /// [`Self::recycle`] once they are submitted.
    pub(super) fn record(
        &mut self,
        gpu: &GpuDevice,
        encoder: &mut wgpu::CommandEncoder,
        arrays: &mut [&mut DeviceArray],
        sent: &mut Bytes,
    ) -> Result<()> {
        self.used = 0;
        for array in &mut *arrays {
            array.settle();
        }
        let most = STAGING_BYTES.min(gpu.limits.max_buffer_size) as usize;
        for pieces in transfers(arrays, most) {
            let size = pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>() as u64;
            let staging = self.next(gpu, size);
            let mut place = staging
                .slice(..size)
                .get_mapped_range_mut()
                .map_err(|error| gpu.fail(&format!("mapping: {error}")))?;
            copy(&pieces, place.slice(..));
            drop(place);
            staging.unmap();
            for piece in &pieces {
                let bytes = piece.bytes.len() as u64;
                let to = piece.array.buffer()?;
                encoder.copy_buffer_to_buffer(staging, piece.at as u64, to, piece.to, bytes);
                sent.add(piece.array.subject(), bytes);
            }
        }
        for array in arrays {
            array.sent();
        }
        Ok(())
    }

    /// Records the copy of all elements of an array, after [`Self::record`]: they are made in the staging
    /// buffers, without a copy on the host. A thread makes `least` of them at least.
    pub(super) fn record_whole<const BYTES: usize>(
        &mut self,
        gpu: &GpuDevice,
        encoder: &mut wgpu::CommandEncoder,
        array: &DeviceArray,
        least: usize,
        element: impl Fn(usize) -> [u8; BYTES] + Sync,
    ) -> Result<()> {
        let stride = BYTES as u64;
        let most = STAGING_BYTES.min(gpu.limits.max_buffer_size) / stride;
        let mut first = 0;
        while first < array.length() {
            let count = most.min(array.length() - first);
            let staging = self.next(gpu, count * stride);
            let mut place = staging
                .slice(..count * stride)
                .get_mapped_range_mut()
                .map_err(|error| gpu.fail(&format!("mapping: {error}")))?;
            make(place.slice(..), first as usize, least, &element);
            drop(place);
            staging.unmap();
            let to = (array.buffer()?, first * stride);
            encoder.copy_buffer_to_buffer(staging, 0, to.0, to.1, count * stride);
            first += count;
        }
        Ok(())
    }

    /// Has the staging buffers given back to the host as soon as the copies are done. Does nothing
    /// unless something has been recorded since the last time.
    pub(super) fn recycle(&mut self) {
        for staging in &self.staging[..std::mem::take(&mut self.used)] {
            let mapped = Arc::clone(&staging.mapped);
            staging
                .buffer
                .slice(..)
                .map_async(wgpu::MapMode::Write, move |outcome| {
                    mapped.store(outcome.is_ok(), Ordering::Release);
                });
        }
    }

    /// The next staging buffer, with room for `size` bytes and mapped.
    fn next(&mut self, gpu: &GpuDevice, size: u64) -> &wgpu::Buffer {
        let index = self.used;
        self.used += 1;
        let old = self.staging.get(index);
        let fits = old.is_some_and(|old| {
            // One that a failed solve left behind is not waited for.
            old.buffer.size() >= size && old.mapped.load(Ordering::Acquire)
        });
        if !fits {
            let grown = old.map_or(0, |old| old.buffer.size() * 3 / 2);
            let made = Staging::new(gpu, size.max(grown.min(STAGING_BYTES)));
            match self.staging.get_mut(index) {
                Some(place) => *place = made,
                None => self.staging.push(made),
            }
        }
        let staging = &self.staging[index];
        staging.mapped.store(false, Ordering::Release);
        &staging.buffer
    }
}

impl Staging {
    fn new(gpu: &GpuDevice, size: u64) -> Self {
        Self {
            buffer: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("upload"),
                size: size.next_multiple_of(wgpu::MAP_ALIGNMENT),
                usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            }),
            mapped: Arc::new(AtomicBool::new(true)),
        }
    }
}

/// Makes elements in a staging buffer, the first with number `first`.
fn make<const BYTES: usize>(
    place: wgpu::WriteOnly<'_, [u8]>,
    first: usize,
    least: usize,
    element: &(impl Fn(usize) -> [u8; BYTES] + Sync),
) {
    let mut rest = place.into_chunks::<BYTES>().0;
    let mut rooms = Vec::new();
    while !rest.is_empty() {
        let first = first + rooms.len() * least;
        if let Some(to) = rest.split_off(..least.min(rest.len())) {
            rooms.push(Room { to, first });
        }
    }
    parallel::for_each(&mut rooms, 1, |_, room| {
        let to = std::mem::take(&mut room.to);
        let numbers = room.first..room.first + to.len();
        to.write_iter(numbers.map(element));
    });
}

/// Room for some elements in a staging buffer, and the number of the first.
struct Room<'a, const BYTES: usize> {
    to: wgpu::WriteOnly<'a, [[u8; BYTES]]>,
    first: usize,
}

#[allow(unsafe_code, reason = "wgpu says so of everything but slices")]
// SAFETY: any thread may write bytes that nobody else may.
unsafe impl<const BYTES: usize> Send for Room<'_, BYTES> {}

/// Some bytes, and their place in a staging buffer.
struct Part<'a> {
    to: wgpu::WriteOnly<'a, [u8]>,
    from: &'a [u8],
}

#[allow(unsafe_code, reason = "wgpu says so of everything but slices")]
// SAFETY: any thread may write bytes that nobody else may.
unsafe impl Send for Part<'_> {}

/// Copies pieces, which come in order and without gaps, into a staging buffer.
fn copy(pieces: &[Piece<'_>], mut place: wgpu::WriteOnly<'_, [u8]>) {
    let mut parts = Vec::new();
    for piece in pieces {
        for from in piece.bytes.chunks(COPIED_BYTES_PER_THREAD) {
            if let Some(to) = place.split_off(..from.len()) {
                parts.push(Part { to, from });
            }
        }
    }
    parallel::for_each(&mut parts, 1, |_, part| part.to.copy_from_slice(part.from));
}

/// Groups what is stale into transfers of at most `most` bytes.
fn transfers<'a>(arrays: &'a [&mut DeviceArray], most: usize) -> Vec<Vec<Piece<'a>>> {
    let mut transfers = Vec::new();
    let mut pieces = Vec::new();
    let mut at = 0;
    for array in arrays {
        for (mut to, mut bytes) in array.stale() {
            while !bytes.is_empty() {
                if at == most {
                    transfers.push(std::mem::take(&mut pieces));
                    at = 0;
                }
                let (now, later) = bytes.split_at(bytes.len().min(most - at));
                pieces.push(Piece {
                    array,
                    to,
                    bytes: now,
                    at,
                });
                at += now.len();
                to += now.len() as u64;
                bytes = later;
            }
        }
    }
    if !pieces.is_empty() {
        transfers.push(pieces);
    }
    transfers
}
