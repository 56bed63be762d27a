//! The arrays that the joints and the contacts each have.

use super::array::DeviceArray;
use super::plan::Plan;
use super::traffic::Subject;
use crate::problem::batches::{ContactBlock, JointBlock, Packed, SplitBody, SplitSlots};
use crate::solver::momentum::{ContactMemory, JointMemory, Progress};
use crate::solver::residual::Partial;
use crate::solver::substeps::records::{ContactStep, ContactTotal};

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
    /// Those of the contacts; empty, and with the names that errors give them.
    pub(super) fn contacts() -> Self {
        let subject = Subject::Contacts;
        Self {
            blocks: DeviceArray::new::<ContactBlock>("contact blocks", subject),
            group_starts: DeviceArray::new::<u32>("groups of contacts", subject),
            split_slots: DeviceArray::new::<SplitSlots>("slots of contacts", subject),
            split_bodies: DeviceArray::new::<SplitBody>("bodies of split contacts", subject),
            hubs: DeviceArray::new::<SplitBody>("hubs of split contacts", subject),
            impulses: DeviceArray::new::<[f32; 4]>("contact impulses", subject),
            partials: DeviceArray::new::<Partial>("partial residuals of contacts", subject),
            memory: DeviceArray::new::<ContactMemory>("last contact impulses", subject),
            sums: DeviceArray::new::<Progress>("progress of contacts", subject),
            steps: DeviceArray::new::<ContactStep>("contacts at the start of a step", subject),
            totals: DeviceArray::new::<ContactTotal>("impulses of contacts over a step", subject),
        }
    }

    /// Those of the joints, likewise.
    pub(super) fn joints() -> Self {
        let subject = Subject::Joints;
        Self {
            blocks: DeviceArray::new::<JointBlock>("joint blocks", subject),
            group_starts: DeviceArray::new::<u32>("groups of joint rows", subject),
            split_slots: DeviceArray::new::<SplitSlots>("slots of joints", subject),
            split_bodies: DeviceArray::new::<SplitBody>("bodies of split joints", subject),
            hubs: DeviceArray::new::<SplitBody>("hubs of split joints", subject),
            impulses: DeviceArray::new::<f32>("joint impulses", subject),
            partials: DeviceArray::new::<Partial>("partial residuals of joints", subject),
            memory: DeviceArray::new::<JointMemory>("last joint impulses", subject),
            sums: DeviceArray::new::<Progress>("progress of joints", subject),
            // A step in substeps has no joint rows: these stay empty.
            steps: DeviceArray::new::<f32>("joint rows at the start of a step", subject),
            totals: DeviceArray::new::<f32>("impulses of joint rows over a step", subject),
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

    /// Says what the arrays are to hold that follow from the order.
    pub(super) fn set_order<Block, Impulse>(&mut self, packed: &Packed<Block, Impulse>) {
        let Packed {
            order, remainder, ..
        } = packed;
        self.group_starts.set_ordered(*order, &packed.group_starts);
        self.split_slots.set_ordered(*order, &remainder.slots);
        self.split_bodies.set_ordered(*order, &remainder.bodies);
        self.hubs.set_ordered(*order, &remainder.hubs);
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
