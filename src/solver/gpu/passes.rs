//! Which dispatches make a sweep and a residual, and how they are recorded.
//!
//! A dispatch sees whole arrays where they fit into one binding. Where they do not, the elements
//! that it treats are split into runs whose windows fit, one dispatch a run; so it is with more
//! workgroups than one dispatch may have. Neither changes a single operation on a number.

use super::buffers::{Buffers, Shown, window_stride};
use super::device::GpuDevice;
use super::layout::{Kernel, Layouts, Window};
use crate::constants::{MAX_LOOP_ITERATIONS, WORKGROUP_SIZE};
use crate::error::{Error, Result};
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock, SplitBody, SplitSlots};
use crate::solver::cpu::VelocityChange;
use crate::solver::residual::Partial;
use std::collections::BTreeMap;
use std::ops::Range;

/// One dispatch: a kernel, the bind group it sees, its window, its workgroups.
#[derive(Debug, Clone, Copy)]
struct Dispatch {
    kernel: Kernel,
    bind_group: usize,
    window: u32,
    workgroups: u32,
}

/// The dispatches of a packed problem.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What each dispatch treats; the contents of the window uniform.
    pub(super) windows: Vec<Window>,
    /// Number of partial residuals.
    pub(super) partial_count: usize,
    /// One pass over all contacts, colour after colour, then the remainder.
    sweep: Vec<Dispatch>,
    /// The residual of all contacts.
    residual: Vec<Dispatch>,
    /// Bind groups to be made, each once.
    shown: BTreeMap<(Kernel, Shown), usize>,
}

/// Bytes and workgroups that one dispatch may have.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    binding: u64,
    alignment: u64,
    workgroups: u32,
}

/// An array of which a dispatch sees a window: its length, and bytes of its elements.
#[derive(Debug, Clone, Copy)]
struct Array {
    length: u32,
    /// Bytes of the largest element among the arrays that share the window.
    largest: u64,
    /// Bytes of the smallest.
    smallest: u64,
}

impl Array {
    fn of<T>(length: usize) -> Self {
        let bytes = size_of::<T>() as u64;
        Self {
            length: length as u32,
            largest: bytes,
            smallest: bytes,
        }
    }
}

impl Bounds {
    /// The part of an array to bind for the elements `used`: all of it, or from the last aligned
    /// element before them.
    fn window(&self, array: &Array, used: &Range<u32>) -> (u32, u32) {
        if u64::from(array.length) * array.largest <= self.binding {
            return (0, array.length);
        }
        let unit = (self.alignment / array.smallest).max(1) as u32;
        (used.start / unit * unit, used.end)
    }

    /// Bytes of that part.
    fn bytes(&self, array: &Array, used: &Range<u32>) -> u64 {
        let (start, end) = self.window(array, used);
        u64::from(end - start) * array.largest
    }

    /// Splits `all` into the longest runs of at most `most` elements whose largest window, in
    /// `bytes`, fits into a binding.
    fn split(
        &self,
        what: &str,
        all: &Range<u32>,
        most: u32,
        bytes: impl Fn(&Range<u32>) -> u64,
    ) -> Result<Vec<Range<u32>>> {
        let mut runs = Vec::new();
        let mut first = all.start;
        while first < all.end {
            // The largest end that fits is between `good`, which does, and `bad`, which does not.
            let fits = |end: u32| bytes(&(first..end)) <= self.binding;
            let end = all.end.min(first.saturating_add(most));
            let (mut good, mut bad) = (first, end);
            if fits(end) {
                good = end;
            }
            while bad - good > 1 {
                let middle = good + (bad - good) / 2;
                if fits(middle) {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            if good == first {
                return Err(Error::Capacity {
                    what: format!("one storage binding, for the {what} [B]"),
                    needed: bytes(&(first..first + 1)),
                    available: self.binding,
                });
            }
            runs.push(first..good);
            first = good;
        }
        Ok(runs)
    }

    /// Number of invocations of one dispatch.
    fn invocations(&self) -> u32 {
        self.workgroups.saturating_mul(WORKGROUP_SIZE)
    }
}

impl Plan {
    /// Plans a packed problem for a device.
    ///
    /// # Errors
    /// [`Error::Capacity`] if something that cannot be split exceeds a binding, or the work of one
    /// invocation its bound.
    pub(super) fn new(batches: &Batches, limits: &wgpu::Limits) -> Result<Self> {
        let bounds = Bounds {
            binding: limits.max_storage_buffer_binding_size,
            alignment: u64::from(limits.min_storage_buffer_offset_alignment),
            workgroups: limits.max_compute_workgroups_per_dimension,
        };
        check_unsplittable(batches, &bounds)?;
        let mut plan = Self::default();
        for color in 0..batches.colors.len() {
            plan.plan_color(batches, color, &bounds)?;
        }
        plan.plan_split(batches, &bounds)?;
        plan.plan_gather(batches, Kernel::BodyGather, &bounds)?;
        plan.plan_gather(batches, Kernel::HubGather, &bounds)?;
        plan.plan_residual(batches, &bounds)?;
        Ok(plan)
    }

    /// Only the dispatches of one kernel: of one colour if it is [`Kernel::ContactSweep`].
    pub(super) fn of_kernel(
        batches: &Batches,
        kernel: Kernel,
        color: usize,
        limits: &wgpu::Limits,
    ) -> Result<Self> {
        let mut plan = Self::new(batches, limits)?;
        let groups = batches.colors.get(color).cloned().unwrap_or(0..0);
        let windows = &plan.windows;
        plan.sweep.retain(|dispatch| {
            dispatch.kernel == kernel
                && (kernel != Kernel::ContactSweep
                    || groups.contains(&windows[dispatch.window as usize].first))
        });
        if kernel != Kernel::ContactResidual {
            plan.residual.clear();
        }
        Ok(plan)
    }

    /// Dispatches of one sweep.
    pub(super) fn sweep_dispatches(&self) -> usize {
        self.sweep.len()
    }

    fn plan_color(&mut self, batches: &Batches, color: usize, bounds: &Bounds) -> Result<()> {
        let starts = &batches.group_starts;
        let blocks = block_array(batches);
        let entries = Array::of::<u32>(starts.len());
        let blocks_of =
            |groups: &Range<u32>| starts[groups.start as usize]..starts[groups.end as usize];
        let runs = bounds.split(
            "contacts of one pair of bodies",
            &batches.colors[color],
            bounds.invocations(),
            |groups| {
                bounds
                    .bytes(&blocks, &blocks_of(groups))
                    .max(bounds.bytes(&entries, &(groups.start..groups.end + 1)))
            },
        )?;
        for groups in runs {
            let shown = Shown {
                blocks: bounds.window(&blocks, &blocks_of(&groups)),
                entries: bounds.window(&entries, &(groups.start..groups.end + 1)),
                slots: (0, 0),
            };
            let window = Window {
                entry_base: shown.entries.0,
                ..Window::default()
            };
            self.add(Kernel::ContactSweep, groups, shown, window);
        }
        Ok(())
    }

    fn plan_split(&mut self, batches: &Batches, bounds: &Bounds) -> Result<()> {
        let remainder = &batches.remainder;
        let start = remainder.blocks.start;
        let blocks = block_array(batches);
        let entries = Array::of::<SplitSlots>(remainder.slots.len());
        let slots = slot_array(batches);
        let entries_of = |run: &Range<u32>| run.start - start..run.end - start;
        let runs = bounds.split(
            "contacts of the remainder",
            &remainder.blocks,
            bounds.invocations(),
            |run| {
                bounds
                    .bytes(&blocks, run)
                    .max(bounds.bytes(&entries, &entries_of(run)))
            },
        )?;
        let all_slots = 0..remainder.slot_count;
        let slot_runs = bounds.split("velocity changes", &all_slots, u32::MAX, |run| {
            bounds.bytes(&slots, run)
        })?;
        for run in runs {
            for (index, slot_run) in slot_runs.iter().enumerate() {
                let shown = Shown {
                    blocks: bounds.window(&blocks, &run),
                    entries: bounds.window(&entries, &entries_of(&run)),
                    slots: bounds.window(&slots, slot_run),
                };
                let window = Window {
                    entry_base: start + shown.entries.0,
                    keeps_impulses: u32::from(index + 1 == slot_runs.len()),
                    ..Window::default()
                };
                self.add(Kernel::ContactSplit, run.clone(), shown, window);
            }
        }
        Ok(())
    }

    fn plan_gather(&mut self, batches: &Batches, kernel: Kernel, bounds: &Bounds) -> Result<()> {
        let (list, most) = match kernel {
            Kernel::HubGather => (&batches.remainder.hubs, bounds.workgroups),
            _ => (&batches.remainder.bodies, bounds.invocations()),
        };
        let entries = Array::of::<SplitBody>(list.len());
        let slots = slot_array(batches);
        let slots_of = |run: &Range<u32>| match &list[run.start as usize..run.end as usize] {
            [first, .., last] => first.first_slot..last.first_slot + last.slot_count,
            [only] => only.first_slot..only.first_slot + only.slot_count,
            [] => 0..0,
        };
        let all = 0..entries.length;
        let runs = bounds.split("velocity changes of one body", &all, most, |run| {
            bounds
                .bytes(&entries, run)
                .max(bounds.bytes(&slots, &slots_of(run)))
        })?;
        for run in runs {
            let shown = Shown {
                blocks: (0, 0),
                entries: bounds.window(&entries, &run),
                slots: bounds.window(&slots, &slots_of(&run)),
            };
            let window = Window {
                entry_base: shown.entries.0,
                ..Window::default()
            };
            self.add(kernel, run, shown, window);
        }
        Ok(())
    }

    fn plan_residual(&mut self, batches: &Batches, bounds: &Bounds) -> Result<()> {
        let blocks = block_array(batches);
        self.partial_count = batches.blocks.len().div_ceil(WORKGROUP_SIZE as usize);
        let entries = Array::of::<Partial>(self.partial_count);
        let blocks_of = |groups: &Range<u32>| {
            groups.start * WORKGROUP_SIZE..(groups.end * WORKGROUP_SIZE).min(blocks.length)
        };
        let all = 0..entries.length;
        let runs = bounds.split(
            "contacts of one workgroup",
            &all,
            bounds.workgroups,
            |groups| {
                bounds
                    .bytes(&entries, groups)
                    .max(bounds.bytes(&blocks, &blocks_of(groups)))
            },
        )?;
        for groups in runs {
            let shown = Shown {
                blocks: bounds.window(&blocks, &blocks_of(&groups)),
                entries: bounds.window(&entries, &groups),
                slots: (0, 0),
            };
            let window = Window {
                entry_base: shown.entries.0,
                ..Window::default()
            };
            self.add(Kernel::ContactResidual, blocks_of(&groups), shown, window);
        }
        Ok(())
    }

    /// Adds a dispatch over `elements` that sees `shown`.
    fn add(&mut self, kernel: Kernel, elements: Range<u32>, shown: Shown, window: Window) {
        let workgroups = match kernel {
            Kernel::HubGather => elements.len() as u32,
            _ => (elements.len() as u32).div_ceil(WORKGROUP_SIZE),
        };
        self.windows.push(Window {
            first: elements.start,
            end: elements.end,
            block_base: shown.blocks.0,
            slot_base: shown.slots.0,
            slot_end: shown.slots.1,
            ..window
        });
        let next = self.shown.len();
        let dispatch = Dispatch {
            kernel,
            bind_group: *self.shown.entry((kernel, shown)).or_insert(next),
            window: self.windows.len() as u32 - 1,
            workgroups,
        };
        match kernel {
            Kernel::ContactResidual => self.residual.push(dispatch),
            _ => self.sweep.push(dispatch),
        }
    }
}

fn block_array(batches: &Batches) -> Array {
    Array {
        // Impulses share the window of their blocks.
        smallest: size_of::<[f32; 4]>() as u64,
        ..Array::of::<ContactBlock>(batches.blocks.len())
    }
}

fn slot_array(batches: &Batches) -> Array {
    Array::of::<VelocityChange>(batches.remainder.slot_count as usize)
}

/// Checks what no number of dispatches can split.
fn check_unsplittable(batches: &Batches, bounds: &Bounds) -> Result<()> {
    let bodies = size_of_val(batches.velocities.as_slice()) as u64;
    if bodies > bounds.binding {
        return Err(Error::Capacity {
            what: format!(
                "one storage binding, for the velocities [B] ({} a body)",
                size_of::<BodyVelocity>()
            ),
            needed: bodies,
            available: bounds.binding,
        });
    }
    let edges = u64::from(batches.friction.directions);
    let longest_group = batches
        .group_starts
        .windows(2)
        .map(|pair| u64::from(pair[1] - pair[0]))
        .max()
        .unwrap_or(0);
    let largest_hub = batches
        .remainder
        .hubs
        .iter()
        .map(|hub| u64::from(hub.slot_count.div_ceil(WORKGROUP_SIZE)))
        .max()
        .unwrap_or(0);
    for (what, needed) in [
        (
            "loop iterations of one GPU invocation, for the contacts of one pair of bodies",
            longest_group * (1 + edges),
        ),
        (
            "loop iterations of one GPU invocation, for the contacts of one hub",
            largest_hub + u64::from(WORKGROUP_SIZE.ilog2()),
        ),
    ] {
        if needed > MAX_LOOP_ITERATIONS {
            return Err(Error::Capacity {
                what: what.to_owned(),
                needed,
                available: MAX_LOOP_ITERATIONS,
            });
        }
    }
    Ok(())
}

/// A plan with its bind groups: ready to be recorded any number of times.
#[derive(Debug)]
pub(super) struct Passes<'a> {
    plan: &'a Plan,
    layouts: &'a Layouts,
    bind_groups: Vec<wgpu::BindGroup>,
    window_stride: u32,
}

impl<'a> Passes<'a> {
    /// Makes the bind groups of a plan over uploaded buffers.
    pub(super) fn new(
        gpu: &GpuDevice,
        layouts: &'a Layouts,
        buffers: &Buffers,
        plan: &'a Plan,
    ) -> Result<Self> {
        let mut order: Vec<_> = plan.shown.iter().collect();
        order.sort_by_key(|&(_, &index)| index);
        let bind_groups = gpu.scoped("binding", || {
            order
                .into_iter()
                .map(|((kernel, shown), _)| bind(gpu, layouts, buffers, *kernel, shown))
                .collect()
        })?;
        Ok(Self {
            plan,
            layouts,
            bind_groups,
            window_stride: window_stride(gpu),
        })
    }

    /// Records `iterations` sweeps in one compute pass.
    pub(super) fn record_sweeps(&self, encoder: &mut wgpu::CommandEncoder, iterations: u32) {
        let mut pass = begin(encoder, "sweep");
        for _ in 0..iterations {
            self.record(&mut pass, &self.plan.sweep);
        }
    }

    /// Records the residual of all contacts.
    pub(super) fn record_residual(&self, encoder: &mut wgpu::CommandEncoder) {
        self.record(&mut begin(encoder, "residual"), &self.plan.residual);
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>, dispatches: &[Dispatch]) {
        let mut current = None;
        for dispatch in dispatches {
            if current != Some(dispatch.kernel) {
                pass.set_pipeline(self.layouts.pipeline(dispatch.kernel));
                current = Some(dispatch.kernel);
            }
            pass.set_bind_group(
                0,
                &self.bind_groups[dispatch.bind_group],
                &[dispatch.window * self.window_stride],
            );
            pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
        }
    }
}

fn begin<'e>(encoder: &'e mut wgpu::CommandEncoder, label: &str) -> wgpu::ComputePass<'e> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: None,
    })
}

fn bind(
    gpu: &GpuDevice,
    layouts: &Layouts,
    buffers: &Buffers,
    kernel: Kernel,
    shown: &Shown,
) -> Result<wgpu::BindGroup> {
    let mut entries = vec![wgpu::BindGroupEntry {
        binding: 0,
        resource: buffers.window_binding()?,
    }];
    for &(binding, slot) in kernel.slots() {
        entries.push(wgpu::BindGroupEntry {
            binding,
            resource: buffers.binding(slot, shown)?,
        });
    }
    Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(kernel.name()),
        layout: layouts.bind_group_layout(kernel),
        entries: &entries,
    }))
}
