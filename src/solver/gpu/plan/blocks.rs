//! The making of contacts' blocks out of what is uploaded of them.

use super::Plan;
use crate::error::Result;
use crate::problem::batches::{Batches, ContactBlock, SplitSlots};
use crate::solver::gpu::binding_range::{BindingRange, Side};
use crate::solver::gpu::bounds::{Array, Bounds};
use crate::solver::gpu::dispatch::Dispatch;
use crate::solver::gpu::kernel::Kernel;
use crate::solver::gpu::window::Window;
use std::ops::Range;

impl Plan {
    /// Plans the making of contacts' blocks: those with a colour, and those of the remainder.
    pub(super) fn plan_masses(
        &mut self,
        batches: &Batches,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        let remainder = &batches.contacts.remainder;
        let blocks = Array {
            // Coefficients of friction share the window of the blocks.
            smallest: size_of::<f32>() as u64,
            ..Array::of::<ContactBlock>(batches.contacts.blocks.len())
        };
        let entries = Array::of::<SplitSlots>(remainder.slots.len());
        let first = if remainder.elements.is_empty() {
            blocks.length
        } else {
            remainder.elements.start
        };
        for (part, flags) in [(0..first, 0), (first..blocks.length, Window::SPLITS)] {
            let entries_of = |run: &Range<u32>| match flags {
                0 => 0..0,
                _ => run.start - first..run.end - first,
            };
            let runs = bounds.split("contacts", &part, bounds.invocations(), |run| {
                bounds
                    .bytes(&blocks, run)
                    .max(bounds.bytes(&entries, &entries_of(run)))
            })?;
            for run in runs {
                let bound = BindingRange {
                    blocks: bounds.window(&blocks, &run),
                    entries: bounds.window(&entries, &entries_of(&run)),
                    ..BindingRange::of(Side::Contacts)
                };
                let window = Window {
                    entry_base: first + bound.entries.0,
                    flags,
                    ..Window::default()
                };
                self.add(Kernel::ContactMasses, run, bound, window);
            }
        }
        Ok(self.take())
    }
}
