//! Momentum of impulses and velocities, and whether it goes on.

use super::Plan;
use crate::error::Result;
use crate::problem::batches::Batches;
use crate::solver::gpu::binding_range::{BindingRange, Side};
use crate::solver::gpu::bounds::Bounds;
use crate::solver::gpu::dispatch::Dispatch;
use crate::solver::gpu::kernel::Kernel;
use crate::solver::gpu::packing::Packing;
use crate::solver::gpu::window::Window;

impl Plan {
    /// Plans momentum of everything that has it.
    pub(super) fn plan_momentum(
        &mut self,
        batches: &Batches,
        flags: u32,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        self.flags = flags;
        for packing in [Packing::joints(batches), Packing::contacts(batches)] {
            self.plan_blocks(packing.momentum(), &packing, &packing.blocks, bounds)?;
        }
        self.plan_bodies(Kernel::BodyMomentum, batches, bounds)?;
        Ok(self.take())
    }

    /// Plans bodies' momentum as it precedes a rebuilding of velocities.
    pub(super) fn plan_before_rebuild(
        &mut self,
        batches: &Batches,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        self.flags = Window::BEFORE_REBUILD;
        self.plan_bodies(Kernel::BodyMomentum, batches, bounds)?;
        Ok(self.take())
    }

    /// Plans the judgement whether momentum goes on after a sweep.
    pub(super) fn plan_judgement(
        &mut self,
        batches: &Batches,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        self.plan_sums(&Packing::joints(batches), Kernel::JointProgress, bounds)?;
        self.plan_sums(&Packing::contacts(batches), Kernel::ContactProgress, bounds)?;
        self.plan_step();
        Ok(self.take())
    }

    /// Plans the last part of the judgement; its window has two counts where others have a range.
    fn plan_step(&mut self) {
        let counts = Window {
            first: self.joint_partials as u32,
            end: self.contact_partials as u32,
            ..Window::default()
        };
        self.add(
            Kernel::MomentumStep,
            0..1,
            BindingRange::of(Side::Joints),
            Window::default(),
        );
        if let Some(window) = self.windows.last_mut() {
            *window = counts;
        }
    }
}
