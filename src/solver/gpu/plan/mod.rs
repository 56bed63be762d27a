//! Which dispatches make the parts of a solve: its start, a sweep, a look at the residual.
//!
//! A dispatch sees whole arrays where they fit into one binding. Where they do not, the elements
//! that it treats are split into runs whose windows fit, one dispatch a run; so it is with more
//! workgroups than one dispatch may have. Neither changes a single operation on a number.

mod blocks;
mod capacity;
mod momentum;
mod residual;
mod substeps;
mod sweep;

use super::binding_range::{BindingRange, Side};
use super::bounds::{Array, Bounds};
use super::dispatch::Dispatch;
use super::kernel::{Kernel, KernelCall};
use super::packing::Packing;
use super::window::Window;
use crate::constants::{MOMENTUM_REBUILD_PASSES, WORKGROUP_SIZE};
use crate::error::Result;
use crate::problem::batches::Batches;
use crate::solver::cpu::{BodyMomentum, Sweep};
use crate::solver::momentum::MomentumRule;
use capacity::check_unsplittable;
use std::collections::BTreeMap;
use std::ops::Range;

/// What surrounds one LCP of a step in substeps.
#[derive(Debug)]
pub(super) struct LcpDispatches {
    pub(super) before: Vec<Dispatch>,
    pub(super) after: Vec<Dispatch>,
}

/// The dispatches of a packed problem; [`Passes`](super::passes::Passes) puts them in order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What each dispatch treats; the contents of the window uniform.
    pub(super) windows: Vec<Window>,
    /// Number of partial residuals of the contacts.
    pub(super) contact_partials: usize,
    /// Number of partial residuals of the joint rows.
    pub(super) joint_partials: usize,
    /// Whose momentum there are dispatches of.
    pub(super) momentum_rule: Option<MomentumRule>,
    /// What makes the blocks of contacts.
    pub(super) prepare: Vec<Dispatch>,
    /// What sets velocities to nothing.
    pub(super) clear: Vec<Dispatch>,
    /// One pass over all joints, then all contacts: colour after colour, then the remainder.
    pub(super) sweep: Vec<Dispatch>,
    /// The same without a change of impulses.
    pub(super) rebuild: Vec<Dispatch>,
    /// What fills the memory before the first sweep.
    pub(super) start: Vec<Dispatch>,
    /// Momentum before a sweep.
    pub(super) momentum: Vec<Dispatch>,
    /// What precedes `rebuild`.
    pub(super) before_rebuild: Vec<Dispatch>,
    /// Momentum after `rebuild`.
    pub(super) after_rebuild: Vec<Dispatch>,
    /// Whether momentum goes on after a sweep.
    pub(super) judge: Vec<Dispatch>,
    /// The residual of all joint rows and contacts.
    pub(super) residual: Vec<Dispatch>,
    /// Dispatches that bring contacts as given for a step in substeps into the order of the blocks.
    pub(super) gather: Vec<Dispatch>,
    /// What a step in substeps starts with.
    pub(super) begin: Vec<Dispatch>,
    /// The LCPs of a step in substeps; none of a single solve.
    pub(super) lcps: Vec<LcpDispatches>,
    /// What a step in substeps ends with.
    pub(super) finish: Vec<Dispatch>,
    /// Bind groups to be made, each once.
    pub(super) bound: BTreeMap<(Kernel, BindingRange), usize>,
    /// The dispatches that are being planned; [`Plan::take`] puts them where they belong.
    list: Vec<Dispatch>,
    /// Flags that [`Plan::add`] gives to all of them.
    flags: u32,
}

impl Plan {
    /// Plans a packed problem for a device, with what its momentum needs.
    ///
    /// # Errors
    /// [`Error::Capacity`](crate::Error::Capacity) if something that cannot be split exceeds a binding,
    /// or the work of one invocation its bound.
    pub(super) fn new(
        batches: &Batches,
        momentum_rule: Option<MomentumRule>,
        limits: &wgpu::Limits,
    ) -> Result<Self> {
        let bounds = Bounds::of(limits);
        check_unsplittable(batches, momentum_rule.is_some(), &bounds)?;
        let mut plan = Self {
            momentum_rule,
            ..Self::default()
        };
        plan.prepare = plan.plan_masses(batches, &bounds)?;
        plan.plan_bodies(Kernel::BodyStart, batches, &bounds)?;
        plan.clear = plan.take();
        plan.sweep = plan.plan_sweep(batches, Sweep::Update, &bounds)?;
        plan.rebuild = plan.plan_sweep(batches, Sweep::Rebuild, &bounds)?;
        let joints = Packing::joints(batches);
        let contacts = Packing::contacts(batches);
        plan.joint_partials = plan.plan_sums(&joints, joints.residual(), &bounds)?;
        plan.contact_partials = plan.plan_sums(&contacts, contacts.residual(), &bounds)?;
        plan.plan_residual_step(&bounds)?;
        plan.residual = plan.take();
        if momentum_rule.is_none() {
            return Ok(plan);
        }
        plan.start = plan.plan_momentum(batches, Window::STARTS, &bounds)?;
        plan.momentum = plan.plan_momentum(batches, 0, &bounds)?;
        plan.after_rebuild = plan.plan_momentum(batches, Window::AFTER_REBUILD, &bounds)?;
        plan.before_rebuild = plan.plan_before_rebuild(batches, &bounds)?;
        plan.judge = plan.plan_judgement(batches, &bounds)?;
        Ok(plan)
    }

    /// Only the dispatches of one call of a kernel.
    pub(super) fn of_call(
        batches: &Batches,
        call: KernelCall,
        limits: &wgpu::Limits,
    ) -> Result<Self> {
        let mut plan = Self::new(batches, Some(MomentumRule::default()), limits)?;
        let groups = match call.kernel {
            Kernel::JointSweep => Some(&batches.joints.colors),
            Kernel::ContactSweep => Some(&batches.contacts.colors),
            _ => None,
        }
        .map(|colors| colors.get(call.color).cloned().unwrap_or(0..0));
        let sweep = match call.sweep {
            Sweep::Update => &plan.sweep,
            Sweep::Rebuild => &plan.rebuild,
        };
        let momentum = match call.part {
            BodyMomentum::Whole => &plan.momentum,
            BodyMomentum::BeforeRebuild => &plan.before_rebuild,
            BodyMomentum::AfterRebuild => &plan.after_rebuild,
        };
        let windows = &plan.windows;
        let wanted = |dispatch: &&Dispatch| {
            dispatch.kernel == call.kernel
                && groups
                    .as_ref()
                    .is_none_or(|groups| groups.contains(&windows[dispatch.window as usize].first))
        };
        plan.sweep = [&plan.clear, sweep, momentum, &plan.judge, &plan.residual]
            .into_iter()
            .flatten()
            .filter(wanted)
            .copied()
            .collect();
        Ok(plan)
    }

    /// Dispatches of one pass, and what an accelerated method adds to it on average, rounded up.
    pub(super) fn pass_dispatches(&self) -> usize {
        let rebuild = self
            .rebuild
            .len()
            .div_ceil(MOMENTUM_REBUILD_PASSES as usize);
        self.sweep.len() + self.momentum.len() + self.judge.len() + rebuild
    }

    /// The dispatches planned since the last time; those to come have no flags yet.
    fn take(&mut self) -> Vec<Dispatch> {
        self.flags = 0;
        std::mem::take(&mut self.list)
    }

    /// Plans a kernel over all bodies.
    fn plan_bodies(&mut self, kernel: Kernel, batches: &Batches, bounds: &Bounds) -> Result<()> {
        let all = 0..batches.velocities.len() as u32;
        for run in bounds.split("bodies", &all, bounds.invocations(), |_| 0)? {
            self.add(
                kernel,
                run,
                BindingRange::of(Side::Joints),
                Window::default(),
            );
        }
        Ok(())
    }

    /// Plans a kernel over all blocks of one kind, with what shares their window.
    fn plan_blocks(
        &mut self,
        kernel: Kernel,
        packing: &Packing<'_>,
        blocks: &Array,
        bounds: &Bounds,
    ) -> Result<()> {
        let all = 0..blocks.length;
        let runs = bounds.split(packing.noun, &all, bounds.invocations(), |run| {
            bounds.bytes(blocks, run)
        })?;
        for run in runs {
            let bound = BindingRange {
                blocks: bounds.window(blocks, &run),
                ..BindingRange::of(packing.side)
            };
            self.add(kernel, run, bound, Window::default());
        }
        Ok(())
    }

    /// Adds a dispatch over `elements` that sees `bound`.
    fn add(&mut self, kernel: Kernel, elements: Range<u32>, bound: BindingRange, window: Window) {
        let workgroups = match kernel {
            Kernel::HubGather => elements.len() as u32,
            Kernel::MomentumStep | Kernel::ResidualStep | Kernel::SubstepControl => 1,
            _ => (elements.len() as u32).div_ceil(WORKGROUP_SIZE),
        };
        self.windows.push(Window {
            first: elements.start,
            end: elements.end,
            block_base: bound.blocks.0,
            start_base: bound.starts.0,
            slot_base: bound.slots.0,
            slot_end: bound.slots.1,
            flags: self.flags | window.flags,
            ..window
        });
        let next = self.bound.len();
        let dispatch = Dispatch {
            kernel,
            bind_group: *self.bound.entry((kernel, bound)).or_insert(next),
            window: self.windows.len() as u32 - 1,
            workgroups,
        };
        self.list.push(dispatch);
    }
}
