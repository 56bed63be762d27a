//! A look at the residual: sums over workgroups, then over all of them.

use super::Plan;
use crate::constants::{MAX_LOOP_ITERATIONS, WORKGROUP_SIZE};
use crate::error::Result;
use crate::solver::gpu::binding_range::{BindingRange, Side};
use crate::solver::gpu::bounds::{Array, Bounds};
use crate::solver::gpu::kernel::Kernel;
use crate::solver::gpu::packing::Packing;
use crate::solver::gpu::window::Window;
use crate::solver::momentum::Progress;
use crate::solver::residual::Partial;
use std::ops::Range;

impl Plan {
    /// Plans a residual or progress, and returns the number of its sums.
    pub(super) fn plan_sums(
        &mut self,
        packing: &Packing<'_>,
        kernel: Kernel,
        bounds: &Bounds,
    ) -> Result<usize> {
        let blocks = &packing.blocks;
        let partial_count = blocks.length.div_ceil(WORKGROUP_SIZE) as usize;
        // Progress is the larger of the two kinds of sums.
        let entries = Array {
            smallest: size_of::<Partial>() as u64,
            ..Array::of::<Progress>(partial_count)
        };
        let blocks_of = |groups: &Range<u32>| {
            groups.start * WORKGROUP_SIZE..(groups.end * WORKGROUP_SIZE).min(blocks.length)
        };
        let all = 0..entries.length;
        let runs = bounds.split(
            &format!("{} of one workgroup", packing.noun),
            &all,
            bounds.workgroups,
            |groups| {
                bounds
                    .bytes(&entries, groups)
                    .max(bounds.bytes(blocks, &blocks_of(groups)))
            },
        )?;
        for groups in runs {
            let bound = BindingRange {
                blocks: bounds.window(blocks, &blocks_of(&groups)),
                entries: bounds.window(&entries, &groups),
                ..BindingRange::of(packing.side)
            };
            let window = Window {
                entry_base: bound.entries.0,
                ..Window::default()
            };
            self.add(kernel, blocks_of(&groups), bound, window);
        }
        Ok(partial_count)
    }

    /// Plans the last part of a look at the residual: the sum of all partials, contacts' first.
    pub(super) fn plan_residual_step(&mut self, bounds: &Bounds) -> Result<()> {
        let first = self.list.len();
        for (side, count) in [
            (Side::Contacts, self.contact_partials),
            (Side::Joints, self.joint_partials),
        ] {
            let partials = Array::of::<Partial>(count);
            let of_rounds = |rounds: &Range<u32>| {
                rounds.start * WORKGROUP_SIZE..(rounds.end * WORKGROUP_SIZE).min(partials.length)
            };
            let rounds = 0..partials.length.div_ceil(WORKGROUP_SIZE);
            let most = MAX_LOOP_ITERATIONS as u32 - WORKGROUP_SIZE;
            for run in bounds.split("partial residuals", &rounds, most, |rounds| {
                bounds.bytes(&partials, &of_rounds(rounds))
            })? {
                let run = of_rounds(&run);
                self.add_residual_step(side, run.clone(), bounds.window(&partials, &run));
            }
        }
        if self.list.len() == first {
            self.add_residual_step(Side::Contacts, 0..0, (0, 0));
        }
        let windows = first..self.list.len();
        for (place, flag) in [
            (windows.start, Window::STARTS),
            (windows.end - 1, Window::ENDS),
        ] {
            let window = self.list[place].window as usize;
            self.windows[window].flags |= flag;
        }
        Ok(())
    }

    fn add_residual_step(&mut self, side: Side, partials: Range<u32>, entries: (u32, u32)) {
        let bound = BindingRange {
            entries,
            ..BindingRange::of(side)
        };
        let window = Window {
            entry_base: entries.0,
            ..Window::default()
        };
        self.add(Kernel::ResidualStep, partials, bound, window);
    }
}
