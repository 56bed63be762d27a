//! An array on the device, and what the host knows of its contents.

use super::device::GpuDevice;
use super::traffic::Subject;
use crate::constants::UPLOAD_CHUNK_BYTES;
use crate::error::{Error, Result};
use std::ops::Range;

/// An array on the device, in a buffer that is kept while it is large enough.
///
/// The host keeps a copy of what it believes to lie there, so that only what differs is uploaded.
#[derive(Debug)]
pub(super) struct DeviceArray {
    name: &'static str,
    subject: Subject,
    stride: u64,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
    length: u64,
    /// The first bytes of the buffer, as far as they are known.
    known: Vec<u8>,
    /// Ranges of `known` that the buffer does not have yet.
    stale: Vec<Range<usize>>,
}

impl DeviceArray {
    pub(super) fn new<T>(name: &'static str, subject: Subject) -> Self {
        Self::with_stride(name, subject, size_of::<T>() as u64)
    }

    /// An array of elements of `stride` bytes, at least 1.
    pub(super) fn with_stride(name: &'static str, subject: Subject, stride: u64) -> Self {
        use wgpu::BufferUsages as Usage;
        Self {
            name,
            subject,
            stride,
            usage: Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
            buffer: None,
            length: 0,
            known: Vec::new(),
            stale: Vec::new(),
        }
    }

    /// The same, for bindings of a uniform too.
    pub(super) fn and_uniform(mut self) -> Self {
        self.usage |= wgpu::BufferUsages::UNIFORM;
        self
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn subject(&self) -> Subject {
        self.subject
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Bytes of one element.
    pub(super) fn stride(&self) -> u64 {
        self.stride
    }

    pub(super) fn set_length(&mut self, length: usize) {
        self.length = length as u64;
    }

    /// Bytes of the buffer behind the array.
    pub(super) fn capacity(&self) -> u64 {
        self.buffer.as_ref().map_or(0, wgpu::Buffer::size)
    }

    /// Bytes in use.
    fn bytes(&self) -> u64 {
        self.length * self.stride
    }

    /// The buffer, once [`Self::reserve`] has been called.
    pub(super) fn buffer(&self) -> Result<&wgpu::Buffer> {
        self.buffer
            .as_ref()
            .ok_or_else(|| Error::Device(format!("buffer {} was never made", self.name)))
    }

    /// Bytes that its elements need; bindings must not be empty.
    pub(super) fn needed(&self) -> u64 {
        self.bytes().max(self.stride)
    }

    /// Makes room for its elements; what was in the array is lost if it grows. With `slack` it grows
    /// by half at least, without it takes exactly what it needs.
    pub(super) fn reserve(&mut self, gpu: &GpuDevice, slack: bool) -> Result<()> {
        let needed = self.needed();
        let limit = gpu.limits.max_buffer_size;
        if needed > limit {
            return Err(Error::Capacity {
                what: format!("one GPU buffer, for the {} [B]", self.name),
                needed,
                available: limit,
            });
        }
        let capacity = self.capacity();
        if needed == capacity || (slack && needed < capacity) {
            return Ok(());
        }
        let grown = if slack {
            needed.max(capacity + capacity / 2).min(limit)
        } else {
            needed
        };
        if let Some(old) = self.buffer.take() {
            old.destroy();
        }
        self.forget();
        let size = grown / self.stride * self.stride;
        let buffer = gpu.scoped("allocating", || {
            Ok(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.name),
                size,
                usage: self.usage,
                mapped_at_creation: false,
            }))
        })?;
        self.buffer = Some(buffer);
        Ok(())
    }

    /// Says what the array is to hold from its start on. What it is known to hold already is not
    /// uploaded again.
    pub(super) fn set<T: bytemuck::NoUninit>(&mut self, data: &[T]) {
        let per_chunk = (UPLOAD_CHUNK_BYTES / size_of::<T>()).max(1);
        let before = self.known.len();
        self.known.resize(size_of_val(data), 0);
        for (index, chunk) in data.chunks(per_chunk).enumerate() {
            let at = index * per_chunk * size_of::<T>();
            self.compare(before, at, bytemuck::cast_slice(chunk));
        }
    }

    /// The same of `count` elements that are made one after the other.
    pub(super) fn set_each<T: bytemuck::NoUninit>(
        &mut self,
        count: usize,
        element: impl Fn(usize) -> T,
    ) {
        let per_chunk = (UPLOAD_CHUNK_BYTES / size_of::<T>()).max(1);
        let before = self.known.len();
        self.known.resize(count * size_of::<T>(), 0);
        let mut chunk: Vec<T> = Vec::with_capacity(per_chunk);
        for first in (0..count).step_by(per_chunk) {
            chunk.clear();
            chunk.extend((first..count.min(first + per_chunk)).map(&element));
            self.compare(before, first * size_of::<T>(), bytemuck::cast_slice(&chunk));
        }
    }

    /// Marks some bytes as stale unless they are among the first `before` ones, which are known, and
    /// are what is known of them.
    fn compare(&mut self, before: usize, at: usize, bytes: &[u8]) {
        let range = at..at + bytes.len();
        if range.end <= before && self.known[range.clone()] == *bytes {
            return;
        }
        self.known[range.clone()].copy_from_slice(bytes);
        match self.stale.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.stale.push(range),
        }
    }

    /// What the array is known to hold, in bytes.
    pub(super) fn known(&self) -> &[u8] {
        &self.known
    }

    /// Says what the array has been found to hold.
    pub(super) fn learn<T: bytemuck::NoUninit>(&mut self, data: &[T]) {
        self.known.clear();
        self.known.extend_from_slice(bytemuck::cast_slice(data));
        self.stale.clear();
    }

    /// Nothing is known of its contents any more.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.stale.clear();
    }

    /// Where in the buffer something is to change, and the bytes to put there.
    pub(super) fn stale(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.stale
            .iter()
            .map(|range| (range.start as u64, &self.known[range.clone()]))
    }

    /// The changes are on their way.
    pub(super) fn sent(&mut self) {
        self.stale.clear();
    }

    /// The bytes of some elements as a binding; one element if there are none.
    pub(super) fn binding(&self, elements: &Range<u32>) -> Result<wgpu::BindingResource<'_>> {
        let length = u64::from(elements.end - elements.start).max(1);
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.buffer()?,
            offset: u64::from(elements.start) * self.stride,
            size: wgpu::BufferSize::new(length * self.stride),
        }))
    }

    /// The first `bytes` bytes as a binding.
    pub(super) fn head(&self, bytes: usize) -> Result<wgpu::BindingResource<'_>> {
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.buffer()?,
            offset: 0,
            size: wgpu::BufferSize::new(bytes as u64),
        }))
    }
}

/// Gives each array its length and makes room for it, within `budget` bytes in all.
pub(super) fn reserve_all(
    gpu: &GpuDevice,
    mut arrays: Vec<(&mut DeviceArray, usize)>,
    budget: u64,
) -> Result<()> {
    let (mut needed, mut roomy) = (0, 0);
    for (array, length) in &mut arrays {
        array.set_length(*length);
        needed += array.needed();
        roomy += array.needed().max(array.capacity());
    }
    if needed > budget {
        return Err(Error::Capacity {
            what: "GPU memory for the problem [B]".into(),
            needed,
            available: budget,
        });
    }
    let slack = roomy.saturating_add(roomy / 2) <= budget;
    for (array, _) in arrays {
        array.reserve(gpu, slack)?;
    }
    Ok(())
}
