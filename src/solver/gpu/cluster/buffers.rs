//! What lies on the device for a solve by clusters.

use super::words::{self, ClusterBody};
use crate::error::{Error, Result};
use crate::problem::FrictionTable;
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock};
use crate::problem::clusters::Clusters;
use crate::solver::cpu::VelocityChange;
use crate::solver::gpu::array::{DeviceArray, reserve_all, unbound};
use crate::solver::gpu::bounds::{Array, Bounds};
use crate::solver::gpu::device::GpuDevice;
use crate::solver::gpu::traffic::{Bytes, Subject};
use crate::solver::gpu::window::{Window, spread, window_stride};
use crate::solver::momentum::{ContactMemory, Momentum, MomentumRule, Progress};
use crate::solver::residual::Partial;
use std::ops::Range;

/// The arrays, kept from solve to solve.
#[derive(Debug)]
pub(super) struct ClusterBuffers {
    pub(super) windows: DeviceArray,
    friction: DeviceArray,
    blocks: DeviceArray,
    pub(super) impulses: DeviceArray,
    memory: DeviceArray,
    words: DeviceArray,
    pub(super) velocities: DeviceArray,
    bodies: DeviceArray,
    slots: DeviceArray,
    progress: DeviceArray,
    pub(super) partials: DeviceArray,
}

impl ClusterBuffers {
    pub(super) fn new() -> Self {
        use Subject::{Bodies, Contacts, Rest};
        Self {
            // One entry per offset that a dynamic uniform may have.
            windows: DeviceArray::new::<u32>("windows of clusters", Rest).and_uniform(),
            friction: DeviceArray::new::<FrictionTable>("friction", Rest).and_uniform(),
            blocks: DeviceArray::new::<ContactBlock>("blocks of clusters", Contacts),
            impulses: DeviceArray::new::<[f32; 4]>("impulses of clusters", Contacts),
            memory: DeviceArray::new::<ContactMemory>("last impulses of clusters", Contacts),
            words: DeviceArray::new::<u32>("lists of clusters", Rest),
            velocities: DeviceArray::new::<BodyVelocity>("velocities", Bodies),
            bodies: DeviceArray::new::<ClusterBody>("bodies of clusters", Bodies),
            slots: DeviceArray::new::<VelocityChange>("copies of bodies", Bodies),
            progress: DeviceArray::new::<Progress>("progress of clusters", Rest),
            partials: DeviceArray::new::<Partial>("partial residuals of clusters", Rest),
        }
    }

    /// Makes room for a packed problem, and says what is to lie there.
    pub(super) fn set(
        &mut self,
        gpu: &GpuDevice,
        budget: u64,
        batches: &Batches,
        clusters: &Clusters,
        windows: &[Window],
    ) -> Result<()> {
        let stride = window_stride(gpu);
        let index_words = words::words_of(clusters);
        let blocks = batches.block_count();
        let count = clusters.list.len();
        let arrays = vec![
            (&mut self.windows, spread(windows, stride as usize).len()),
            (&mut self.friction, 1),
            (&mut self.blocks, blocks),
            (&mut self.impulses, blocks),
            (&mut self.memory, blocks),
            (&mut self.words, index_words.len()),
            (&mut self.velocities, batches.velocities.len()),
            (&mut self.bodies, batches.velocities.len()),
            (&mut self.slots, clusters.copies.len()),
            // The momentum comes first, and the binding must hold one sum.
            (&mut self.progress, 1 + count.max(1)),
            (&mut self.partials, count),
        ];
        reserve_all(gpu, arrays, budget)?;
        let bounds = Bounds::of(&gpu.limits);
        for array in [
            &self.words,
            &self.velocities,
            &self.bodies,
            &self.slots,
            &self.progress,
        ] {
            if array.needed() > bounds.binding {
                return Err(Error::Capacity {
                    what: format!("one storage binding, for the {} [B]", array.name()),
                    needed: array.needed(),
                    available: bounds.binding,
                });
            }
        }
        self.set_windows(windows, stride);
        self.friction.set(std::slice::from_ref(&batches.friction));
        self.blocks.set(&words::blocks_of(batches, clusters));
        self.impulses.set(&words::impulses_of(batches, clusters));
        self.words.set(&index_words);
        self.velocities.set(&batches.velocities);
        self.bodies.set(&words::bodies_of(batches));
        self.progress.set(&[Momentum::of(MomentumRule::Symmetric)]);
        Ok(())
    }

    /// Says what dispatches are to do.
    pub(super) fn set_windows(&mut self, windows: &[Window], stride: u32) {
        self.windows.set(&spread(windows, stride as usize));
    }

    /// Says what a solve has left on the device.
    pub(super) fn learn(&mut self, impulses: &[[f32; 4]]) {
        self.impulses.learn(impulses);
        for array in [&mut self.velocities, &mut self.bodies, &mut self.progress] {
            array.forget();
        }
    }

    /// Nothing is known of what lies on the device: a solve did not come to its end.
    pub(super) fn forget(&mut self) {
        for array in self.all() {
            array.forget();
        }
    }

    /// Bytes in use, by what they describe; joint rows are in one array with contacts.
    pub(super) fn held(&mut self) -> Bytes {
        let mut held = Bytes::default();
        for array in self.all() {
            held.add(array.subject(), array.length() * array.stride());
        }
        held
    }

    /// Every array.
    pub(super) fn all(&mut self) -> [&mut DeviceArray; 11] {
        [
            &mut self.windows,
            &mut self.friction,
            &mut self.blocks,
            &mut self.impulses,
            &mut self.memory,
            &mut self.words,
            &mut self.velocities,
            &mut self.bodies,
            &mut self.slots,
            &mut self.progress,
            &mut self.partials,
        ]
    }

    /// Blocks, with what shares their window.
    pub(super) fn blocks_array(batches: &Batches) -> Array {
        Array {
            length: batches.block_count() as u32,
            largest: size_of::<ContactBlock>() as u64,
            smallest: size_of::<[f32; 4]>() as u64,
        }
    }

    /// The buffer behind one of a kernel's variables, of the blocks those of `blocks`.
    pub(super) fn binding(
        &self,
        variable: &str,
        blocks: &Range<u32>,
    ) -> Result<wgpu::BindingResource<'_>> {
        let whole = |array: &DeviceArray| 0..array.length() as u32;
        match variable {
            "friction" => self.friction.binding(&(0..1)),
            "blocks" => self.blocks.binding(blocks),
            "impulses" => self.impulses.binding(blocks),
            "memory" => self.memory.binding(blocks),
            "partials" => self.partials.binding(&whole(&self.partials)),
            "words" => self.words.binding(&whole(&self.words)),
            "velocities" => self.velocities.binding(&whole(&self.velocities)),
            "bodies" => self.bodies.binding(&whole(&self.bodies)),
            "changes" => self.slots.binding(&whole(&self.slots)),
            "progress" => self.progress.binding(&whole(&self.progress)),
            _ => Err(unbound(variable)),
        }
    }

    /// The window uniform, of which a dispatch sees one entry.
    pub(super) fn window_binding(&self) -> Result<wgpu::BindingResource<'_>> {
        self.windows.head(size_of::<Window>())
    }
}
