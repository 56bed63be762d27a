//! Buffers that grow with the problems and are kept from solve to solve.

use super::KernelData;
use super::device::GpuDevice;
use super::layout::{Slot, Window};
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::problem::batches::{
    Batches, BodyInertia, BodyVelocity, ContactBlock, JointBlock, JointScale, Packed, SplitBody,
    SplitSlots,
};
use crate::solver::cpu::VelocityChange;
use crate::solver::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use crate::solver::residual::Partial;
use std::ops::Range;

/// An array on the device, in a buffer that is kept while it is large enough.
#[derive(Debug)]
pub(super) struct DeviceArray {
    name: &'static str,
    stride: u64,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
    length: u64,
}

impl DeviceArray {
    fn new<T>(name: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self {
            name,
            stride: size_of::<T>() as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            buffer: None,
            length: 0,
        }
    }

    /// Bytes of the buffer behind the array.
    fn capacity(&self) -> u64 {
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
    fn needed(&self) -> u64 {
        self.bytes().max(self.stride)
    }

    /// Makes room for its elements; what was in the array is lost if it grows. With `slack` it grows
    /// by half at least, without it takes exactly what it needs.
    fn reserve(&mut self, gpu: &GpuDevice, slack: bool) -> Result<()> {
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

    /// Overwrites the array from its start.
    fn write<T: bytemuck::Pod>(&self, gpu: &GpuDevice, data: &[T]) -> Result<()> {
        if !data.is_empty() {
            gpu.queue
                .write_buffer(self.buffer()?, 0, bytemuck::cast_slice(data));
        }
        Ok(())
    }

    /// The bytes of some elements as a binding; one element if there are none.
    fn binding(&self, elements: &Range<u32>) -> Result<wgpu::BindingResource<'_>> {
        let length = u64::from(elements.end - elements.start).max(1);
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.buffer()?,
            offset: u64::from(elements.start) * self.stride,
            size: wgpu::BufferSize::new(length * self.stride),
        }))
    }
}

/// Which of two alike sets of arrays a dispatch treats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Joints,
    Contacts,
}

/// The ranges of elements that a bind group shows to its kernel. Bodies are always shown whole,
/// because contacts and joints refer to any of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shown {
    /// Whose blocks, and what belongs to them.
    pub(super) side: Side,
    /// Blocks and impulses.
    pub(super) blocks: (u32, u32),
    /// Group starts.
    pub(super) starts: (u32, u32),
    /// Pairs of slots, entries of a list, or partials.
    pub(super) entries: (u32, u32),
    /// Changes.
    pub(super) slots: (u32, u32),
}

impl Shown {
    /// Nothing yet of one of the sides.
    pub(super) fn of(side: Side) -> Self {
        Self {
            side,
            blocks: (0, 0),
            starts: (0, 0),
            entries: (0, 0),
            slots: (0, 0),
        }
    }
}

/// What the joints and the contacts each have.
#[derive(Debug)]
pub(super) struct PackedArrays {
    blocks: DeviceArray,
    group_starts: DeviceArray,
    split_slots: DeviceArray,
    split_bodies: DeviceArray,
    hubs: DeviceArray,
    pub(super) impulses: DeviceArray,
    pub(super) partials: DeviceArray,
    pub(super) memory: DeviceArray,
    pub(super) sums: DeviceArray,
}

impl PackedArrays {
    /// Empty arrays; the names are those of errors.
    fn new<Block, Impulse, Memory>(names: [&'static str; 9]) -> Self {
        let usage = wgpu::BufferUsages::STORAGE;
        let [
            blocks,
            group_starts,
            split_slots,
            split_bodies,
            hubs,
            impulses,
            partials,
            memory,
            sums,
        ] = names;
        Self {
            blocks: DeviceArray::new::<Block>(blocks, usage),
            group_starts: DeviceArray::new::<u32>(group_starts, usage),
            split_slots: DeviceArray::new::<SplitSlots>(split_slots, usage),
            split_bodies: DeviceArray::new::<SplitBody>(split_bodies, usage),
            hubs: DeviceArray::new::<SplitBody>(hubs, usage),
            impulses: DeviceArray::new::<Impulse>(impulses, usage),
            partials: DeviceArray::new::<Partial>(partials, usage),
            memory: DeviceArray::new::<Memory>(memory, usage),
            sums: DeviceArray::new::<Progress>(sums, usage),
        }
    }

    /// The arrays, with the lengths that they are to have.
    fn with_lengths<Block, Impulse>(
        &mut self,
        packed: &Packed<Block, Impulse>,
        partial_count: usize,
        accelerated: bool,
    ) -> [(&mut DeviceArray, usize); 9] {
        let remembered = |count| if accelerated { count } else { 0 };
        let remainder = &packed.remainder;
        [
            (&mut self.blocks, packed.blocks.len()),
            (&mut self.group_starts, packed.group_starts.len()),
            (&mut self.split_slots, remainder.slots.len()),
            (&mut self.split_bodies, remainder.bodies.len()),
            (&mut self.hubs, remainder.hubs.len()),
            (&mut self.impulses, packed.impulses.len()),
            (&mut self.partials, partial_count),
            (&mut self.memory, remembered(packed.blocks.len())),
            (&mut self.sums, remembered(partial_count)),
        ]
    }

    fn write<Block: bytemuck::Pod, Impulse: bytemuck::Pod>(
        &self,
        gpu: &GpuDevice,
        packed: &Packed<Block, Impulse>,
    ) -> Result<()> {
        self.blocks.write(gpu, &packed.blocks)?;
        self.group_starts.write(gpu, &packed.group_starts)?;
        self.split_slots.write(gpu, &packed.remainder.slots)?;
        self.split_bodies.write(gpu, &packed.remainder.bodies)?;
        self.hubs.write(gpu, &packed.remainder.hubs)?;
        self.impulses.write(gpu, &packed.impulses)
    }
}

/// Everything that lies on the device.
#[derive(Debug)]
pub(super) struct Buffers {
    windows: DeviceArray,
    friction: DeviceArray,
    pub(super) contacts: PackedArrays,
    pub(super) joints: PackedArrays,
    joint_scales: DeviceArray,
    pub(super) velocities: DeviceArray,
    inertias: DeviceArray,
    pub(super) changes: DeviceArray,
    pub(super) body_memory: DeviceArray,
    pub(super) momentum: DeviceArray,
    /// Most bytes that all arrays may take together.
    pub(super) budget: u64,
}

impl Buffers {
    pub(super) fn new() -> Self {
        use wgpu::BufferUsages as Usage;
        Self {
            windows: DeviceArray {
                // One entry per offset that a dynamic uniform may have.
                stride: 1,
                ..DeviceArray::new::<u8>("windows", Usage::UNIFORM)
            },
            friction: DeviceArray::new::<crate::problem::FrictionTable>("friction", Usage::UNIFORM),
            contacts: PackedArrays::new::<ContactBlock, [f32; 4], ContactMemory>([
                "contact blocks",
                "groups of contacts",
                "slots of contacts",
                "bodies of split contacts",
                "hubs of split contacts",
                "contact impulses",
                "partial residuals of contacts",
                "last contact impulses",
                "progress of contacts",
            ]),
            joints: PackedArrays::new::<JointBlock, f32, JointMemory>([
                "joint blocks",
                "groups of joint rows",
                "slots of joints",
                "bodies of split joints",
                "hubs of split joints",
                "joint impulses",
                "partial residuals of joints",
                "last joint impulses",
                "progress of joints",
            ]),
            joint_scales: DeviceArray::new::<JointScale>("joint scales", Usage::STORAGE),
            velocities: DeviceArray::new::<BodyVelocity>("velocities", Usage::STORAGE),
            inertias: DeviceArray::new::<BodyInertia>("inertias", Usage::STORAGE),
            changes: DeviceArray::new::<VelocityChange>("velocity changes", Usage::STORAGE),
            body_memory: DeviceArray::new::<VelocityChange>("last velocities", Usage::STORAGE),
            momentum: DeviceArray::new::<Momentum>("momentum", Usage::STORAGE),
            budget: u64::MAX,
        }
    }

    /// Makes room for a packed problem and copies it to the device.
    pub(super) fn upload(&mut self, gpu: &GpuDevice, batches: &Batches, plan: &Plan) -> Result<()> {
        let windows = spread(&plan.windows, window_stride(gpu) as usize);
        let budget = self.budget;
        let bodies_remembered = if plan.accelerated {
            batches.velocities.len()
        } else {
            0
        };
        let mut arrays = vec![(&mut self.windows, windows.len()), (&mut self.friction, 1)];
        let contacts = &mut self.contacts;
        arrays.extend(contacts.with_lengths(
            &batches.contacts,
            plan.contact_partials,
            plan.accelerated,
        ));
        let joints = &mut self.joints;
        arrays.extend(joints.with_lengths(&batches.joints, plan.joint_partials, plan.accelerated));
        arrays.extend([
            (&mut self.joint_scales, batches.joint_scales.len()),
            (&mut self.velocities, batches.velocities.len()),
            (&mut self.inertias, batches.inertias.len()),
            (&mut self.changes, batches.slot_count() as usize),
            (&mut self.body_memory, bodies_remembered),
            (&mut self.momentum, 1),
        ]);
        reserve_all(gpu, arrays, budget)?;
        gpu.scoped("uploading", || {
            self.windows.write(gpu, &windows)?;
            self.friction
                .write(gpu, std::slice::from_ref(&batches.friction))?;
            self.contacts.write(gpu, &batches.contacts)?;
            self.joints.write(gpu, &batches.joints)?;
            self.joint_scales.write(gpu, &batches.joint_scales)?;
            self.inertias.write(gpu, &batches.inertias)?;
            self.momentum.write(gpu, &[Momentum::default()])?;
            self.velocities.write(gpu, &batches.velocities)
        })
    }

    /// Overwrites the changes; a solve never needs to.
    pub(super) fn upload_changes(&self, gpu: &GpuDevice, changes: &[VelocityChange]) -> Result<()> {
        gpu.scoped("uploading", || self.changes.write(gpu, changes))
    }

    /// Overwrites what an accelerated solve carries from sweep to sweep; a solve never needs to.
    pub(super) fn upload_memory(&self, gpu: &GpuDevice, data: &KernelData) -> Result<()> {
        gpu.scoped("uploading", || {
            self.contacts.memory.write(gpu, &data.contact_memory)?;
            self.joints.memory.write(gpu, &data.joint_memory)?;
            self.body_memory.write(gpu, &data.body_memory)?;
            self.contacts.sums.write(gpu, &data.contact_sums)?;
            self.joints.sums.write(gpu, &data.joint_sums)?;
            self.momentum.write(gpu, &[data.momentum])
        })
    }

    /// The window uniform, of which a dispatch sees one entry.
    pub(super) fn window_binding(&self) -> Result<wgpu::BindingResource<'_>> {
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.windows.buffer()?,
            offset: 0,
            size: wgpu::BufferSize::new(size_of::<Window>() as u64),
        }))
    }

    /// What a kernel sees at one of its bindings.
    pub(super) fn binding(&self, slot: Slot, shown: &Shown) -> Result<wgpu::BindingResource<'_>> {
        let whole = |array: &DeviceArray| 0..array.length as u32;
        let range = |(start, end)| start..end;
        let packed = match shown.side {
            Side::Joints => &self.joints,
            Side::Contacts => &self.contacts,
        };
        match slot {
            Slot::Friction => self.friction.binding(&(0..1)),
            Slot::Blocks => packed.blocks.binding(&range(shown.blocks)),
            Slot::Impulses { .. } => packed.impulses.binding(&range(shown.blocks)),
            Slot::Scales => self.joint_scales.binding(&range(shown.blocks)),
            Slot::GroupStarts => packed.group_starts.binding(&range(shown.starts)),
            Slot::SplitSlots => packed.split_slots.binding(&range(shown.entries)),
            Slot::SplitBodies => packed.split_bodies.binding(&range(shown.entries)),
            Slot::Hubs => packed.hubs.binding(&range(shown.entries)),
            Slot::Partials => packed.partials.binding(&range(shown.entries)),
            Slot::Sums => packed.sums.binding(&range(shown.entries)),
            Slot::Memory { .. } => packed.memory.binding(&range(shown.blocks)),
            Slot::BodyMemory => self.body_memory.binding(&whole(&self.body_memory)),
            Slot::Momentum { .. } => self.momentum.binding(&(0..1)),
            Slot::JointSums => self.joints.sums.binding(&whole(&self.joints.sums)),
            Slot::ContactSums => self.contacts.sums.binding(&whole(&self.contacts.sums)),
            Slot::Changes { .. } => self.changes.binding(&range(shown.slots)),
            Slot::Velocities { .. } => self.velocities.binding(&whole(&self.velocities)),
            Slot::Inertias => self.inertias.binding(&whole(&self.inertias)),
        }
    }
}

/// Gives each array its length and makes room for it, within `budget` bytes in all.
fn reserve_all(
    gpu: &GpuDevice,
    mut arrays: Vec<(&mut DeviceArray, usize)>,
    budget: u64,
) -> Result<()> {
    let (mut needed, mut roomy) = (0, 0);
    for (array, length) in &mut arrays {
        array.length = *length as u64;
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

/// Bytes from one entry of the window uniform to the next.
pub(super) fn window_stride(gpu: &GpuDevice) -> u32 {
    (size_of::<Window>() as u32).next_multiple_of(gpu.limits.min_uniform_buffer_offset_alignment)
}

/// The windows, each at a multiple of `stride` bytes.
fn spread(windows: &[Window], stride: usize) -> Vec<u8> {
    let mut bytes = vec![0; windows.len().max(1) * stride];
    for (window, place) in windows.iter().zip(bytes.chunks_exact_mut(stride)) {
        place[..size_of::<Window>()].copy_from_slice(bytemuck::bytes_of(window));
    }
    bytes
}
