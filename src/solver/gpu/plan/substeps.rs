//! What stands between the LCPs of a step in substeps.

use super::{LcpDispatches, Plan};
use crate::error::Result;
use crate::problem::batches::{Batches, ContactBlock};
use crate::solver::gpu::bounds::{Array, Bounds};
use crate::solver::gpu::kernel::Kernel;
use crate::solver::gpu::packing::Packing;
use crate::solver::gpu::shown::{Shown, Side};
use crate::solver::gpu::window::Window;
use crate::solver::substeps::SubstepPlan;
use crate::solver::substeps::records::{Between, ContactTotal, Sort};

impl Plan {
    /// Plans a step in substeps too.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(in crate::solver::gpu) fn add_substeps(
        &mut self,
        batches: &Batches,
        step: &SubstepPlan,
        limits: &wgpu::Limits,
    ) -> Result<()> {
        let bounds = Bounds::of(limits);
        self.flags = Window::STARTS;
        self.plan_bodies(Kernel::SubstepBodies, batches, &bounds)?;
        self.begin = self.take();
        let lcps = step.lcps();
        for (number, between) in lcps.iter().enumerate() {
            self.plan_between(batches, *between, number, &bounds)?;
            let before = self.take();
            let first = self.windows.len();
            self.flags = between.next.map_or(0, flag_of);
            self.plan_bodies(Kernel::SubstepBodies, batches, &bounds)?;
            self.number_windows(first, number);
            let after = self.take();
            self.lcps.push(LcpDispatches { before, after });
        }
        self.plan_between(batches, step.end(), lcps.len(), &bounds)?;
        self.finish = self.take();
        Ok(())
    }

    /// Plans what stands before an LCP, or after the last one.
    fn plan_between(
        &mut self,
        batches: &Batches,
        between: Between,
        number: usize,
        bounds: &Bounds,
    ) -> Result<()> {
        let first = self.windows.len();
        let when = |condition: bool, flag| if condition { flag } else { 0 };
        self.flags = when(number == 0, Window::STARTS) | when(between.next.is_none(), Window::ENDS);
        let nothing = Shown::of(Side::Contacts);
        self.add(Kernel::SubstepControl, 0..1, nothing, Window::default());
        self.flags = when(between.starts, Window::STARTS)
            | when(between.keeps, Window::KEEPS_IMPULSES)
            | when(between.restores, Window::RESTORES)
            | when(between.cold, Window::COLD)
            | between.next.map_or(0, flag_of);
        let packing = Packing::contacts(batches);
        let blocks = Array {
            smallest: size_of::<f32>() as u64,
            largest: size_of::<ContactBlock>().max(size_of::<ContactTotal>()) as u64,
            ..packing.blocks
        };
        let all = 0..blocks.length;
        let runs = bounds.split(packing.noun, &all, bounds.invocations(), |run| {
            bounds.bytes(&blocks, run)
        })?;
        for run in runs {
            let shown = Shown {
                blocks: bounds.window(&blocks, &run),
                ..Shown::of(packing.side)
            };
            self.add(Kernel::SubstepContacts, run, shown, Window::default());
        }
        self.number_windows(first, number);
        Ok(())
    }

    /// Says which LCP the windows from `first` on belong to.
    fn number_windows(&mut self, first: usize, lcp: usize) {
        for window in &mut self.windows[first..] {
            window.start_base = lcp as u32;
        }
    }
}

fn flag_of(sort: Sort) -> u32 {
    match sort {
        Sort::Velocity => Window::VELOCITY,
        Sort::Position => Window::POSITION,
    }
}
