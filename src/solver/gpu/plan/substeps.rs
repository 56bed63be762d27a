//! What stands between the LCPs of a step in substeps.

use super::{LcpDispatches, Plan};
use crate::error::Result;
use crate::problem::batches::{Batches, ContactBlock};
use crate::solver::gpu::binding_range::{BindingRange, Side};
use crate::solver::gpu::bounds::{Array, Bounds};
use crate::solver::gpu::kernel::Kernel;
use crate::solver::gpu::packing::Packing;
use crate::solver::gpu::window::Window;
use crate::solver::substeps::SubstepPlan;
use crate::solver::substeps::records::{
    ContactStep, ContactTotal, GivenContact, PassKind, Transition,
};

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
        self.plan_reordering(Kernel::SubstepGather, batches, &bounds)?;
        self.gather = self.take();
        self.flags = Window::STARTS;
        self.plan_bodies(Kernel::SubstepBodies, batches, &bounds)?;
        self.begin = self.take();
        let lcps = step.lcps();
        for (number, transition) in lcps.iter().enumerate() {
            self.plan_transition(batches, *transition, number, &bounds)?;
            let before = self.take();
            let first = self.windows.len();
            self.flags = transition.next.map_or(0, flag_of);
            self.plan_bodies(Kernel::SubstepBodies, batches, &bounds)?;
            self.number_windows(first, number);
            let after = self.take();
            self.lcps.push(LcpDispatches { before, after });
        }
        self.plan_transition(batches, step.end(), lcps.len(), &bounds)?;
        self.plan_reordering(Kernel::SubstepScatter, batches, &bounds)?;
        self.finish = self.take();
        Ok(())
    }

    /// Plans what takes contacts from the order of the problem to that of the blocks, or back: some blocks
    /// and some of the problem's contacts at a time, each with each.
    fn plan_reordering(
        &mut self,
        kernel: Kernel,
        batches: &Batches,
        bounds: &Bounds,
    ) -> Result<()> {
        let packing = Packing::contacts(batches);
        // Bindings of either begin where those of their smallest arrays, four bytes an element, may.
        let blocks = Array {
            smallest: size_of::<f32>() as u64,
            largest: size_of::<ContactStep>() as u64,
            length: packing.blocks.length,
        };
        let given = Array {
            largest: size_of::<GivenContact>() as u64,
            ..blocks
        };
        let all = 0..given.length;
        let parts = bounds.split(packing.noun, &all, u32::MAX, |run| {
            bounds.bytes(&given, run)
        })?;
        for part in parts {
            let runs = bounds.split(packing.noun, &all, bounds.invocations(), |run| {
                bounds.bytes(&blocks, run)
            })?;
            for run in runs {
                let bound = BindingRange {
                    blocks: bounds.window(&blocks, &run),
                    slots: bounds.window(&given, &part),
                    ..BindingRange::of(packing.side)
                };
                self.add(kernel, run, bound, Window::default());
            }
        }
        Ok(())
    }

    /// Plans what stands before an LCP, or after the last one.
    fn plan_transition(
        &mut self,
        batches: &Batches,
        transition: Transition,
        number: usize,
        bounds: &Bounds,
    ) -> Result<()> {
        let first = self.windows.len();
        let when = |condition: bool, flag| if condition { flag } else { 0 };
        self.flags =
            when(number == 0, Window::STARTS) | when(transition.next.is_none(), Window::ENDS);
        let nothing = BindingRange::of(Side::Contacts);
        self.add(Kernel::SubstepControl, 0..1, nothing, Window::default());
        self.flags = when(transition.starts, Window::STARTS)
            | when(transition.keeps, Window::KEEPS_IMPULSES)
            | when(transition.restores, Window::RESTORES)
            | when(transition.cold, Window::COLD)
            | transition.next.map_or(0, flag_of);
        let packing = Packing::contacts(batches);
        let blocks = Array {
            smallest: size_of::<f32>() as u64,
            largest: size_of::<ContactBlock>().max(size_of::<ContactTotal>()) as u64,
            ..packing.blocks
        };
        self.plan_blocks(Kernel::SubstepContacts, &packing, &blocks, bounds)?;
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

fn flag_of(kind: PassKind) -> u32 {
    match kind {
        PassKind::Velocity => Window::VELOCITY,
        PassKind::Position => Window::POSITION,
    }
}
