//! An array on the device, and what the host knows of its contents.

use super::device::GpuDevice;
use super::traffic::Subject;
use crate::constants::{COPIED_BYTES_PER_THREAD, UPDATED_CHUNKS_PER_THREAD, UPLOAD_CHUNK_BYTES};
use crate::error::{Error, Result};
use crate::parallel::{Chunked, SharedSlice, Slices, for_chunks};
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
    /// Which chunks the buffer does not have yet either, and the bytes of a chunk.
    changed: Vec<bool>,
    chunk: usize,
    /// Number of the order that `known` depends on and on nothing else, or 0.
    order: u64,
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
            changed: Vec::new(),
            chunk: 0,
            order: 0,
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
    pub(super) fn set<T: bytemuck::NoUninit + Sync>(&mut self, data: &[T]) {
        let per_chunk = per_chunk::<T>();
        let slices = (self.update::<T>(data.len()), Chunked(data, per_chunk));
        for_chunks(slices, UPDATED_CHUNKS_PER_THREAD, |_, (mut to, data)| {
            for (at, chunk) in data.chunks(per_chunk).enumerate() {
                to.put(at, chunk);
            }
        });
    }

    /// The same of what depends on nothing but an order with this number, which no other order has; see
    /// [`Packed::order`](crate::problem::batches::Packed::order). 0 is the number of none.
    pub(super) fn set_ordered<T: bytemuck::NoUninit + Sync>(&mut self, order: u64, data: &[T]) {
        if !self.is_of(order) {
            self.set(data);
            self.order = order;
        }
    }

    /// True if the array is to hold what [`Self::set_ordered`] was given with this order.
    pub(super) fn is_of(&self, order: u64) -> bool {
        order != 0 && self.order == order
    }

    /// Like [`Self::set_ordered`] for `count` elements that are made one by one.
    pub(super) fn set_each<T: bytemuck::NoUninit + Sync>(
        &mut self,
        order: u64,
        count: usize,
        element: impl Fn(usize) -> T + Sync,
    ) {
        if self.is_of(order) {
            return;
        }
        let per_chunk = per_chunk::<T>();
        let update = self.update::<T>(count);
        for_chunks(update, UPDATED_CHUNKS_PER_THREAD, |first, mut to| {
            let mut chunk = Vec::with_capacity(per_chunk);
            for at in 0..to.chunk_count() {
                let start = (first + at) * per_chunk;
                chunk.clear();
                chunk.extend((start..count.min(start + per_chunk)).map(&element));
                to.put(at, &chunk);
            }
        });
        self.order = order;
    }

    /// Begins to replace all that the array is to hold by `count` elements; a loop that is shared among threads
    /// puts them in.
    fn update<T>(&mut self, count: usize) -> Update<'_> {
        let per_chunk = per_chunk::<T>();
        self.settle();
        self.order = 0;
        let before = self.known.len();
        self.known.resize(count * size_of::<T>(), 0);
        self.changed.resize(count.div_ceil(per_chunk), false);
        self.chunk = per_chunk * size_of::<T>();
        Update {
            known: SharedSlice::new(&mut self.known),
            changed: SharedSlice::new(&mut self.changed),
            before,
            chunk: self.chunk,
        }
    }

    /// Makes ranges of the chunks that the last update has changed.
    pub(super) fn settle(&mut self) {
        for (index, changed) in self.changed.drain(..).enumerate() {
            if changed {
                let start = index * self.chunk;
                let range = start..self.known.len().min(start + self.chunk);
                match self.stale.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => self.stale.push(range),
                }
            }
        }
    }

    /// What the array is known to hold, in bytes.
    pub(super) fn known(&self) -> &[u8] {
        &self.known
    }

    /// Says what the array has been found to hold.
    pub(super) fn learn<T: bytemuck::NoUninit>(&mut self, data: &[T]) {
        let bytes = bytemuck::cast_slice(data);
        self.sent();
        self.order = 0;
        self.known.resize(bytes.len(), 0);
        copy_bytes(&mut self.known, bytes);
    }

    /// Nothing is known of its contents any more.
    pub(super) fn forget(&mut self) {
        self.sent();
        self.order = 0;
        self.known.clear();
    }

    /// Where in the buffer something is to change, and the bytes to put there; [`Self::settle`] precedes.
    pub(super) fn stale(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.stale
            .iter()
            .map(|range| (range.start as u64, &self.known[range.clone()]))
    }

    /// The changes are on their way.
    pub(super) fn sent(&mut self) {
        self.stale.clear();
        self.changed.clear();
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

/// Elements that are compared and uploaded together.
fn per_chunk<T>() -> usize {
    (UPLOAD_CHUNK_BYTES / size_of::<T>()).max(1)
}

/// An array whose elements are being replaced, chunk by chunk.
struct Update<'a> {
    known: SharedSlice<'a, u8>,
    changed: SharedSlice<'a, bool>,
    /// Bytes that were known before.
    before: usize,
    /// Bytes of a chunk.
    chunk: usize,
}

/// Some of the chunks.
struct UpdatePart<'a> {
    known: &'a mut [u8],
    changed: &'a mut [bool],
    before: usize,
    chunk: usize,
}

impl<'a> Slices for Update<'a> {
    type Part = UpdatePart<'a>;

    /// Number of chunks.
    fn length(&self) -> usize {
        self.changed.len()
    }

    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn part(&self, range: Range<usize>) -> UpdatePart<'a> {
        let start = range.start * self.chunk;
        let bytes = start..self.known.len().min(range.end * self.chunk);
        // SAFETY: ranges of chunks that do not overlap have no bytes in common.
        let known = unsafe { self.known.range(bytes) };
        // SAFETY: the caller's promise.
        let changed = unsafe { self.changed.range(range) };
        UpdatePart {
            known,
            changed,
            before: self.before.saturating_sub(start),
            chunk: self.chunk,
        }
    }
}

impl UpdatePart<'_> {
    /// How many chunks it has.
    fn chunk_count(&self) -> usize {
        self.changed.len()
    }

    /// Says what a chunk is to hold, counted from the first of the part.
    fn put<T: bytemuck::NoUninit>(&mut self, index: usize, elements: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let start = index * self.chunk;
        let end = start + bytes.len();
        let known = &mut self.known[start..end];
        if end > self.before || known != bytes {
            known.copy_from_slice(bytes);
            self.changed[index] = true;
        }
    }
}

/// Copies bytes, as far as the shorter slice reaches.
pub(super) fn copy_bytes(to: &mut [u8], from: &[u8]) {
    let slices = (SharedSlice::new(to), from);
    for_chunks(slices, COPIED_BYTES_PER_THREAD, |_, (to, from)| {
        to.copy_from_slice(from);
    });
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

/// A shader declares a variable that no array belongs to.
pub(super) fn unbound(variable: &str) -> Error {
    Error::Device(format!("a shader's `{variable}` has no array"))
}
