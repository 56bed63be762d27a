//! The arrays that the joints and the contacts each have.

use super::array::DeviceArray;
use super::plan::Plan;
use super::traffic::Subject;
use crate::problem::batches::{Packed, SplitBody, SplitSlots};
use crate::solver::momentum::Progress;
use crate::solver::residual::Partial;

/// What the joints and the contacts each have.
#[derive(Debug)]
pub(super) struct PackedArrays {
    pub(super) blocks: DeviceArray,
    pub(super) group_starts: DeviceArray,
    pub(super) split_slots: DeviceArray,
    pub(super) split_bodies: DeviceArray,
    pub(super) hubs: DeviceArray,
    pub(super) impulses: DeviceArray,
    pub(super) partials: DeviceArray,
    pub(super) memory: DeviceArray,
    pub(super) sums: DeviceArray,
    /// What a step in substeps starts from.
    pub(super) steps: DeviceArray,
    /// What it keeps of the impulses.
    pub(super) totals: DeviceArray,
}

impl PackedArrays {
    /// Empty arrays; the names are those of errors.
    pub(super) fn new<Block, Impulse, Memory, Step, Total>(
        subject: Subject,
        names: [&'static str; 11],
    ) -> Self {
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
            steps,
            totals,
        ] = names;
        Self {
            blocks: DeviceArray::new::<Block>(blocks, subject),
            group_starts: DeviceArray::new::<u32>(group_starts, subject),
            split_slots: DeviceArray::new::<SplitSlots>(split_slots, subject),
            split_bodies: DeviceArray::new::<SplitBody>(split_bodies, subject),
            hubs: DeviceArray::new::<SplitBody>(hubs, subject),
            impulses: DeviceArray::new::<Impulse>(impulses, subject),
            partials: DeviceArray::new::<Partial>(partials, subject),
            memory: DeviceArray::new::<Memory>(memory, subject),
            sums: DeviceArray::new::<Progress>(sums, subject),
            steps: DeviceArray::new::<Step>(steps, subject),
            totals: DeviceArray::new::<Total>(totals, subject),
        }
    }

    /// The arrays, with the lengths that they are to have.
    pub(super) fn with_lengths<Block, Impulse>(
        &mut self,
        packed: &Packed<Block, Impulse>,
        partial_count: usize,
        plan: &Plan,
    ) -> [(&mut DeviceArray, usize); 11] {
        let remembered = |count| match plan.momentum_rule {
            Some(_) => count,
            None => 0,
        };
        let stepped = if plan.lcps.is_empty() {
            0
        } else {
            packed.blocks.len()
        };
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
            (&mut self.steps, stepped),
            (&mut self.totals, stepped),
        ]
    }

    pub(super) fn set<Block, Impulse: bytemuck::Pod>(&mut self, packed: &Packed<Block, Impulse>) {
        self.group_starts.set(&packed.group_starts);
        self.split_slots.set(&packed.remainder.slots);
        self.split_bodies.set(&packed.remainder.bodies);
        self.hubs.set(&packed.remainder.hubs);
        self.impulses.set(&packed.impulses);
    }

    pub(super) fn all(&mut self) -> [&mut DeviceArray; 11] {
        [
            &mut self.blocks,
            &mut self.group_starts,
            &mut self.split_slots,
            &mut self.split_bodies,
            &mut self.hubs,
            &mut self.impulses,
            &mut self.partials,
            &mut self.memory,
            &mut self.sums,
            &mut self.steps,
            &mut self.totals,
        ]
    }
}
