//! A pass over all joints and contacts: colour after colour, then the remainder.

use super::Plan;
use crate::error::Result;
use crate::problem::batches::{Batches, SplitBody, SplitSlots};
use crate::solver::cpu::Sweep;
use crate::solver::gpu::binding_range::BindingRange;
use crate::solver::gpu::bounds::{Array, Bounds};
use crate::solver::gpu::dispatch::Dispatch;
use crate::solver::gpu::kernel::Kernel;
use crate::solver::gpu::packing::Packing;
use crate::solver::gpu::window::Window;
use std::ops::Range;

impl Plan {
    /// Plans a pass over all joints and contacts.
    pub(super) fn plan_sweep(
        &mut self,
        batches: &Batches,
        sweep: Sweep,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        self.flags = match sweep {
            Sweep::Update => 0,
            Sweep::Rebuild => Window::REBUILD,
        };
        for packing in [Packing::joints(batches), Packing::contacts(batches)] {
            for groups in packing.colors {
                self.plan_color(&packing, groups, bounds)?;
            }
            self.plan_split(&packing, bounds)?;
            self.plan_gather(&packing, Kernel::BodyGather, bounds)?;
            self.plan_gather(&packing, Kernel::HubGather, bounds)?;
        }
        Ok(self.take())
    }

    fn plan_color(
        &mut self,
        packing: &Packing<'_>,
        groups: &Range<u32>,
        bounds: &Bounds,
    ) -> Result<()> {
        let starts = Array::of::<u32>(packing.starts.len());
        let runs = bounds.split(
            &format!("{} of one pair of bodies", packing.noun),
            groups,
            bounds.invocations(),
            |run| {
                bounds
                    .bytes(&packing.blocks, &packing.blocks_of_groups(run))
                    .max(bounds.bytes(&starts, &(run.start..run.end + 1)))
            },
        )?;
        for run in runs {
            let bound = BindingRange {
                blocks: bounds.window(&packing.blocks, &packing.blocks_of_groups(&run)),
                starts: bounds.window(&starts, &(run.start..run.end + 1)),
                ..BindingRange::of(packing.side)
            };
            self.add(packing.sweep(), run, bound, Window::default());
        }
        Ok(())
    }

    fn plan_split(&mut self, packing: &Packing<'_>, bounds: &Bounds) -> Result<()> {
        let remainder = packing.remainder;
        let first = remainder.elements.start;
        let starts = Array::of::<u32>(packing.starts.len());
        let entries = Array::of::<SplitSlots>(remainder.slots.len());
        let slots = packing.slots();
        let entries_of = |run: &Range<u32>| run.start - first..run.end - first;
        let runs = bounds.split(
            &format!("{} of the remainder", packing.noun),
            &remainder.elements,
            bounds.invocations(),
            |run| {
                let (blocks_of_run, starts_of_run) = packing.of_elements(run);
                bounds
                    .bytes(&packing.blocks, &blocks_of_run)
                    .max(bounds.bytes(&starts, &starts_of_run))
                    .max(bounds.bytes(&entries, &entries_of(run)))
            },
        )?;
        let all_slots = 0..remainder.slot_count;
        let slot_runs = bounds.split("velocity changes", &all_slots, u32::MAX, |run| {
            bounds.bytes(&slots, run)
        })?;
        for run in runs {
            let (blocks_of_run, starts_of_run) = packing.of_elements(&run);
            for (index, slot_run) in slot_runs.iter().enumerate() {
                let bound = BindingRange {
                    blocks: bounds.window(&packing.blocks, &blocks_of_run),
                    starts: bounds.window(&starts, &starts_of_run),
                    entries: bounds.window(&entries, &entries_of(&run)),
                    slots: bounds.window(&slots, slot_run),
                    ..BindingRange::of(packing.side)
                };
                let window = Window {
                    entry_base: first + bound.entries.0,
                    flags: if index + 1 == slot_runs.len() {
                        Window::KEEPS_IMPULSES
                    } else {
                        0
                    },
                    ..Window::default()
                };
                self.add(packing.split(), run.clone(), bound, window);
            }
        }
        Ok(())
    }

    fn plan_gather(
        &mut self,
        packing: &Packing<'_>,
        kernel: Kernel,
        bounds: &Bounds,
    ) -> Result<()> {
        let (list, most) = match kernel {
            Kernel::HubGather => (&packing.remainder.hubs, bounds.workgroups),
            _ => (&packing.remainder.bodies, bounds.invocations()),
        };
        let entries = Array::of::<SplitBody>(list.len());
        let slots = packing.slots();
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
            let bound = BindingRange {
                entries: bounds.window(&entries, &run),
                slots: bounds.window(&slots, &slots_of(&run)),
                ..BindingRange::of(packing.side)
            };
            let window = Window {
                entry_base: bound.entries.0,
                ..Window::default()
            };
            self.add(kernel, run, bound, window);
        }
        Ok(())
    }
}
