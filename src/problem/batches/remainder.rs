//! The remainder: contacts or joints solved all at once, on bodies split into one copy for each.

use crate::constants::HUB_GATHER_THRESHOLD;
use crate::problem::split_body::SplitBody;
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// Slot number of a body that takes no part in mass splitting because nothing moves it.
pub const NO_SLOT: u32 = u32::MAX;

/// Where a contact or joint of the remainder leaves its change of each body's velocity, and into how
/// many copies each body is split; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct SplitSlots {
    /// Slot of body A, or [`NO_SLOT`].
    pub slot_a: u32,
    /// Slot of body B, or [`NO_SLOT`].
    pub slot_b: u32,
    /// Number of contacts, or of joints, of body A in the remainder.
    pub copies_a: f32,
    /// The same of body B.
    pub copies_b: f32,
}

/// Memory of orders in the making.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// Bodies of each element.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Slots of each body.
    pub(super) counts: Vec<u32>,
    /// Next slot of each body.
    pub(super) next: Vec<u32>,
}

/// What found no colour. Contacts and joints are split apart, because they are swept one after the
/// other.
#[derive(Debug, Clone, Default)]
pub struct Remainder {
    /// Which contacts, by block, or which joints, by group: each is one copy of its bodies.
    pub elements: Range<u32>,
    /// Beside each of them; shape `[elements.len()]`.
    pub slots: Vec<SplitSlots>,
    /// Bodies with at most `HUB_GATHER_THRESHOLD` slots.
    pub bodies: Vec<SplitBody>,
    /// Bodies with more.
    pub hubs: Vec<SplitBody>,
    /// Total number of slots.
    pub slot_count: u32,
}

impl Remainder {
    /// Gives every movable body of every element a slot, the slots of a body side by side. The
    /// elements are numbered from `first` on and lie between the pairs in `scratch`.
    pub(super) fn split(&mut self, movable: &[bool], first: u32, scratch: &mut Scratch) {
        let Scratch {
            pairs,
            counts,
            next,
            ..
        } = scratch;
        self.elements = first..first + pairs.len() as u32;
        self.slots.clear();
        self.bodies.clear();
        self.hubs.clear();
        self.slot_count = 0;
        if pairs.is_empty() {
            return;
        }
        counts.clear();
        counts.resize(movable.len(), 0);
        for &body in pairs.iter().flatten() {
            counts[body as usize] += u32::from(movable[body as usize]);
        }
        next.clear();
        for (body, &slot_count) in counts.iter().enumerate() {
            next.push(self.slot_count);
            if slot_count == 0 {
                continue;
            }
            let list = if slot_count <= HUB_GATHER_THRESHOLD {
                &mut self.bodies
            } else {
                &mut self.hubs
            };
            list.push(SplitBody {
                body: body as u32,
                first_slot: self.slot_count,
                slot_count,
                padding: 0,
            });
            self.slot_count += slot_count;
        }
        self.slots.extend(pairs.iter().map(|pair| {
            let [a, b] = pair.map(|body| body as usize);
            let mut slot = |body: usize| {
                if counts[body] == 0 {
                    return NO_SLOT;
                }
                next[body] += 1;
                next[body] - 1
            };
            SplitSlots {
                slot_a: slot(a),
                slot_b: slot(b),
                copies_a: counts[a].max(1) as f32,
                copies_b: counts[b].max(1) as f32,
            }
        }));
    }

    /// Copies of the two bodies of an element: 1 each where it has a colour.
    pub(super) fn copies(&self, element: u32) -> (f32, f32) {
        match element.checked_sub(self.elements.start) {
            Some(at) => {
                let slots = &self.slots[at as usize];
                (slots.copies_a, slots.copies_b)
            }
            None => (1.0, 1.0),
        }
    }
}
