//! Bringing results back through one staging buffer that is kept from solve to solve.

use super::buffers::DeviceArray;
use super::device::GpuDevice;
use crate::constants::STAGING_BYTES;
use crate::error::{Error, Result};
use std::sync::mpsc;

/// The staging buffer.
#[derive(Debug, Default)]
pub(super) struct Readback {
    staging: Option<wgpu::Buffer>,
}

/// An array to read and the place for its bytes, which has its length.
pub(super) type Wanted<'a> = (&'a DeviceArray, &'a mut [u8]);

/// A piece of an array on its way: which array, from which byte, how many, and where in the staging
/// buffer.
#[derive(Debug, Clone, Copy)]
struct Piece {
    array: usize,
    from: u64,
    bytes: u64,
    at: u64,
}

impl Readback {
    /// Submits what `encoder` has recorded, waits for it, and fetches the arrays.
    ///
    /// Arrays that together exceed [`STAGING_BYTES`] come in several transfers; if there is nothing
    /// to fetch, nothing is submitted.
    pub(super) fn read(
        &mut self,
        gpu: &GpuDevice,
        encoder: wgpu::CommandEncoder,
        wanted: &mut [Wanted<'_>],
    ) -> Result<()> {
        let most = STAGING_BYTES.min(gpu.limits.max_buffer_size);
        let mut encoder = Some(encoder);
        for pieces in transfers(wanted, most) {
            let recorded = encoder.take();
            let size = pieces.iter().map(|piece| piece.bytes).sum();
            let bytes = gpu.scoped("reading back", || {
                let mut encoder = recorded.unwrap_or_else(|| gpu.encoder());
                self.reserve(gpu, size);
                let staging = self.staging()?;
                for piece in &pieces {
                    encoder.copy_buffer_to_buffer(
                        wanted[piece.array].0.buffer()?,
                        piece.from,
                        staging,
                        piece.at,
                        piece.bytes,
                    );
                }
                map(gpu, encoder, staging, size)
            })?;
            for piece in &pieces {
                let (from, at, length) =
                    (piece.from as usize, piece.at as usize, piece.bytes as usize);
                wanted[piece.array].1[from..from + length].copy_from_slice(&bytes[at..at + length]);
            }
            drop(bytes);
            self.staging()?.unmap();
        }
        Ok(())
    }

    fn staging(&self) -> Result<&wgpu::Buffer> {
        self.staging
            .as_ref()
            .ok_or_else(|| Error::Device("there is no staging buffer".into()))
    }

    fn reserve(&mut self, gpu: &GpuDevice, size: u64) {
        if self.staging.as_ref().is_some_and(|old| old.size() >= size) {
            return;
        }
        let grown = self.staging.as_ref().map_or(0, |old| old.size() * 3 / 2);
        let size = size
            .max(grown.min(STAGING_BYTES))
            .next_multiple_of(wgpu::MAP_ALIGNMENT);
        self.staging = Some(gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }));
    }
}

/// Submits, waits and maps the first `size` bytes of the staging buffer.
fn map(
    gpu: &GpuDevice,
    encoder: wgpu::CommandEncoder,
    staging: &wgpu::Buffer,
    size: u64,
) -> Result<wgpu::BufferView> {
    let submission = gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = mpsc::channel();
    let slice = staging.slice(..size);
    slice.map_async(wgpu::MapMode::Read, move |outcome| {
        // Nobody listens any more if the wait has failed.
        let _ = sender.send(outcome);
    });
    gpu.wait(submission)?;
    match receiver.try_recv() {
        Ok(Ok(())) => slice
            .get_mapped_range()
            .map_err(|error| gpu.fail(&format!("mapping: {error}"))),
        Ok(Err(error)) => Err(gpu.fail(&format!("mapping: {error}"))),
        Err(_) => Err(gpu.fail("the staging buffer was never mapped")),
    }
}

/// Groups the arrays' bytes into transfers of at most `most` bytes; at least one transfer unless
/// there is nothing to read.
fn transfers(wanted: &[Wanted<'_>], most: u64) -> Vec<Vec<Piece>> {
    let mut transfers = Vec::new();
    let mut pieces = Vec::new();
    let mut at = 0;
    for (index, (_, place)) in wanted.iter().enumerate() {
        let length = place.len() as u64;
        let mut from = 0;
        while from < length {
            if at == most {
                transfers.push(std::mem::take(&mut pieces));
                at = 0;
            }
            let bytes = (length - from).min(most - at);
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
