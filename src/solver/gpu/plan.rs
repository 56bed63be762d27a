//! Which dispatches make a sweep and a residual.
//!
//! A dispatch sees whole arrays where they fit into one binding. Where they do not, the elements
//! that it treats are split into runs whose windows fit, one dispatch a run; so it is with more
//! workgroups than one dispatch may have. Neither changes a single operation on a number.

use super::KernelCall;
use super::bounds::{Array, Bounds};
use super::buffers::{Shown, Side};
use super::layout::{Kernel, Window};
use super::packing::Packing;
use crate::constants::{MAX_LOOP_ITERATIONS, MOMENTUM_REBUILD_PASSES, WORKGROUP_SIZE};
use crate::error::{Error, Result};
use crate::problem::batches::{
    Batches, BodyVelocity, ContactBlock, Remainder, SplitBody, SplitSlots,
};
use crate::solver::cpu::{BodyMomentum, Sweep};
use crate::solver::momentum::{MomentumRule, Progress};
use crate::solver::residual::Partial;
use crate::solver::substeps::SubstepPlan;
use crate::solver::substeps::records::{Between, JointStep, Sort};
use std::collections::BTreeMap;
use std::ops::Range;

/// One dispatch: a kernel, the bind group it sees, its window, its workgroups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dispatch {
    pub(super) kernel: Kernel,
    pub(super) bind_group: usize,
    pub(super) window: u32,
    pub(super) workgroups: u32,
}

/// What surrounds one LCP of a step in substeps.
#[derive(Debug)]
pub(super) struct LcpDispatches {
    pub(super) before: Vec<Dispatch>,
    pub(super) after: Vec<Dispatch>,
}

/// The dispatches of a packed problem.
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
    pub(super) forward: Vec<Dispatch>,
    /// The same the other way round.
    pub(super) reverse: Vec<Dispatch>,
    /// Forward, without a change of impulses.
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
    /// What a step in substeps starts with.
    pub(super) begin: Vec<Dispatch>,
    /// The LCPs of a step in substeps; none of a single solve.
    pub(super) lcps: Vec<LcpDispatches>,
    /// What a step in substeps ends with.
    pub(super) finish: Vec<Dispatch>,
    /// Bind groups to be made, each once.
    pub(super) shown: BTreeMap<(Kernel, Shown), usize>,
    /// Where [`Plan::add`] puts dispatches.
    list: Vec<Dispatch>,
    /// Flags of theirs.
    flags: u32,
}

impl Plan {
    /// Plans a packed problem for a device, with what its momentum needs.
    ///
    /// # Errors
    /// [`Error::Capacity`] if something that cannot be split exceeds a binding, or the work of one
    /// invocation its bound.
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
        plan.plan_masses(batches, &bounds)?;
        plan.prepare = plan.take(0);
        plan.plan_bodies(Kernel::BodyStart, batches, &bounds)?;
        plan.clear = plan.take(0);
        plan.forward = plan.plan_sweep(batches, Sweep::Forward, &bounds)?;
        plan.rebuild = plan.plan_sweep(batches, Sweep::Rebuild, &bounds)?;
        let joints = Packing::joints(batches);
        let contacts = Packing::contacts(batches);
        plan.joint_partials = plan.plan_sums(&joints, joints.residual(), &bounds)?;
        plan.contact_partials = plan.plan_sums(&contacts, contacts.residual(), &bounds)?;
        plan.plan_residual_step(&bounds)?;
        plan.residual = plan.take(0);
        let Some(rule) = momentum_rule else {
            return Ok(plan);
        };
        plan.reverse = plan.plan_sweep(batches, Sweep::Reverse, &bounds)?;
        plan.start = plan.plan_momentum(batches, rule, Window::STARTS, &bounds)?;
        plan.momentum = plan.plan_momentum(batches, rule, 0, &bounds)?;
        plan.after_rebuild = plan.plan_momentum(batches, rule, Window::AFTER_REBUILD, &bounds)?;
        plan.flags = Window::BEFORE_REBUILD;
        plan.plan_bodies(body_momentum(rule), batches, &bounds)?;
        plan.before_rebuild = plan.take(0);
        plan.plan_sums(&joints, Kernel::JointProgress, &bounds)?;
        plan.plan_sums(&contacts, Kernel::ContactProgress, &bounds)?;
        plan.plan_step();
        plan.judge = plan.take(0);
        Ok(plan)
    }

    /// Plans a step in substeps too.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(super) fn add_substeps(
        &mut self,
        batches: &Batches,
        step: &SubstepPlan,
        limits: &wgpu::Limits,
    ) -> Result<()> {
        let bounds = Bounds::of(limits);
        self.flags = Window::STARTS;
        self.plan_bodies(Kernel::SubstepBodies, batches, &bounds)?;
        self.begin = self.take(0);
        let lcps = step.lcps();
        for (number, between) in lcps.iter().enumerate() {
            self.plan_between(batches, *between, number, &bounds)?;
            let before = self.take(0);
            let first = self.windows.len();
            self.flags = between.next.map_or(0, flag_of);
            self.plan_bodies(Kernel::SubstepBodies, batches, &bounds)?;
            self.number_windows(first, number);
            let after = self.take(0);
            self.lcps.push(LcpDispatches { before, after });
        }
        self.plan_between(batches, step.end(), lcps.len(), &bounds)?;
        self.finish = self.take(0);
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
        for (packing, kernel) in [
            (Packing::joints(batches), Kernel::SubstepJoints),
            (Packing::contacts(batches), Kernel::SubstepContacts),
        ] {
            let blocks = Array {
                smallest: size_of::<f32>() as u64,
                largest: size_of::<JointStep>().max(size_of::<ContactBlock>()) as u64,
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
                self.add(kernel, run, shown, Window::default());
            }
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

    /// Only the dispatches of one call of a kernel.
    pub(super) fn of_call(
        batches: &Batches,
        call: KernelCall,
        limits: &wgpu::Limits,
    ) -> Result<Self> {
        let rule = match call.kernel {
            Kernel::JointConjugate | Kernel::ContactConjugate | Kernel::BodyConjugate => {
                MomentumRule::Conjugate
            }
            _ => MomentumRule::Symmetric,
        };
        let mut plan = Self::new(batches, Some(rule), limits)?;
        let groups = match call.kernel {
            Kernel::JointSweep => Some(&batches.joints.colors),
            Kernel::ContactSweep => Some(&batches.contacts.colors),
            _ => None,
        }
        .map(|colors| colors.get(call.color).cloned().unwrap_or(0..0));
        let sweep = match call.sweep {
            Sweep::Forward => &plan.forward,
            Sweep::Reverse => &plan.reverse,
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
        plan.forward = [&plan.clear, sweep, momentum, &plan.judge, &plan.residual]
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
        self.forward.len() + self.momentum.len() + self.judge.len() + rebuild
    }

    /// The dispatches planned last; those to come have `flags`.
    fn take(&mut self, flags: u32) -> Vec<Dispatch> {
        self.flags = flags;
        std::mem::take(&mut self.list)
    }

    /// Plans a pass over all joints and contacts.
    fn plan_sweep(
        &mut self,
        batches: &Batches,
        sweep: Sweep,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        let (flags, reversed) = match sweep {
            Sweep::Forward => (0, false),
            Sweep::Reverse => (Window::REVERSE, true),
            Sweep::Rebuild => (Window::REBUILD, false),
        };
        self.flags = flags;
        let mut packings = [Packing::joints(batches), Packing::contacts(batches)];
        if reversed {
            packings.reverse();
        }
        for packing in packings {
            if reversed {
                self.plan_remainder(&packing, bounds)?;
                for groups in packing.colors.iter().rev() {
                    self.plan_color(&packing, groups, bounds)?;
                }
            } else {
                for groups in packing.colors {
                    self.plan_color(&packing, groups, bounds)?;
                }
                self.plan_remainder(&packing, bounds)?;
            }
        }
        Ok(self.take(0))
    }

    fn plan_remainder(&mut self, packing: &Packing<'_>, bounds: &Bounds) -> Result<()> {
        self.plan_split(packing, bounds)?;
        self.plan_gather(packing, Kernel::BodyGather, bounds)?;
        self.plan_gather(packing, Kernel::HubGather, bounds)
    }

    /// Plans momentum of everything that has it.
    fn plan_momentum(
        &mut self,
        batches: &Batches,
        rule: MomentumRule,
        flags: u32,
        bounds: &Bounds,
    ) -> Result<Vec<Dispatch>> {
        self.flags = flags;
        for packing in [Packing::joints(batches), Packing::contacts(batches)] {
            let blocks = &packing.blocks;
            let all = 0..blocks.length;
            let runs = bounds.split(packing.noun, &all, bounds.invocations(), |run| {
                bounds.bytes(blocks, run)
            })?;
            for run in runs {
                let shown = Shown {
                    blocks: bounds.window(blocks, &run),
                    ..Shown::of(packing.side)
                };
                self.add(packing.momentum(rule), run, shown, Window::default());
            }
        }
        self.plan_bodies(body_momentum(rule), batches, bounds)?;
        Ok(self.take(0))
    }

    fn plan_bodies(&mut self, kernel: Kernel, batches: &Batches, bounds: &Bounds) -> Result<()> {
        let all = 0..batches.velocities.len() as u32;
        for run in bounds.split("bodies", &all, bounds.invocations(), |_| 0)? {
            self.add(kernel, run, Shown::of(Side::Joints), Window::default());
        }
        Ok(())
    }

    /// Plans the making of contacts' blocks: those with a colour, and those of the remainder.
    fn plan_masses(&mut self, batches: &Batches, bounds: &Bounds) -> Result<()> {
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
                let shown = Shown {
                    blocks: bounds.window(&blocks, &run),
                    entries: bounds.window(&entries, &entries_of(&run)),
                    ..Shown::of(Side::Contacts)
                };
                let window = Window {
                    entry_base: first + shown.entries.0,
                    flags,
                    ..Window::default()
                };
                self.add(Kernel::ContactMasses, run, shown, window);
            }
        }
        Ok(())
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
            Shown::of(Side::Joints),
            Window::default(),
        );
        if let Some(window) = self.windows.last_mut() {
            *window = counts;
        }
    }

    /// Plans the last part of a look at the residual: the sum of all partials, contacts' first.
    fn plan_residual_step(&mut self, bounds: &Bounds) -> Result<()> {
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
        let shown = Shown {
            entries,
            ..Shown::of(side)
        };
        let window = Window {
            entry_base: entries.0,
            ..Window::default()
        };
        self.add(Kernel::ResidualStep, partials, shown, window);
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
            let shown = Shown {
                blocks: bounds.window(&packing.blocks, &packing.blocks_of_groups(&run)),
                starts: bounds.window(&starts, &(run.start..run.end + 1)),
                ..Shown::of(packing.side)
            };
            self.add(packing.sweep(), run, shown, Window::default());
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
                let shown = Shown {
                    blocks: bounds.window(&packing.blocks, &blocks_of_run),
                    starts: bounds.window(&starts, &starts_of_run),
                    entries: bounds.window(&entries, &entries_of(&run)),
                    slots: bounds.window(&slots, slot_run),
                    ..Shown::of(packing.side)
                };
                let window = Window {
                    entry_base: first + shown.entries.0,
                    flags: if index + 1 == slot_runs.len() {
                        Window::KEEPS_IMPULSES
                    } else {
                        0
                    },
                    ..Window::default()
                };
                self.add(packing.split(), run.clone(), shown, window);
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
            let shown = Shown {
                entries: bounds.window(&entries, &run),
                slots: bounds.window(&slots, &slots_of(&run)),
                ..Shown::of(packing.side)
            };
            let window = Window {
                entry_base: shown.entries.0,
                ..Window::default()
            };
            self.add(kernel, run, shown, window);
        }
        Ok(())
    }

    /// Plans a residual or progress, and returns the number of its sums.
    fn plan_sums(
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
            let shown = Shown {
                blocks: bounds.window(blocks, &blocks_of(&groups)),
                entries: bounds.window(&entries, &groups),
                ..Shown::of(packing.side)
            };
            let window = Window {
                entry_base: shown.entries.0,
                ..Window::default()
            };
            self.add(kernel, blocks_of(&groups), shown, window);
        }
        Ok(partial_count)
    }

    /// Adds a dispatch over `elements` that sees `shown`.
    fn add(&mut self, kernel: Kernel, elements: Range<u32>, shown: Shown, window: Window) {
        let workgroups = match kernel {
            Kernel::HubGather => elements.len() as u32,
            Kernel::MomentumStep | Kernel::ResidualStep | Kernel::SubstepControl => 1,
            _ => (elements.len() as u32).div_ceil(WORKGROUP_SIZE),
        };
        self.windows.push(Window {
            first: elements.start,
            end: elements.end,
            block_base: shown.blocks.0,
            start_base: shown.starts.0,
            slot_base: shown.slots.0,
            slot_end: shown.slots.1,
            flags: self.flags | window.flags,
            ..window
        });
        let next = self.shown.len();
        let dispatch = Dispatch {
            kernel,
            bind_group: *self.shown.entry((kernel, shown)).or_insert(next),
            window: self.windows.len() as u32 - 1,
            workgroups,
        };
        self.list.push(dispatch);
    }
}

fn flag_of(sort: Sort) -> u32 {
    match sort {
        Sort::Velocity => Window::VELOCITY,
        Sort::Position => Window::POSITION,
    }
}

/// The kernel of bodies' momentum.
fn body_momentum(rule: MomentumRule) -> Kernel {
    match rule {
        MomentumRule::Conjugate => Kernel::BodyConjugate,
        _ => Kernel::BodyMomentum,
    }
}

/// Checks what no number of dispatches can split.
fn check_unsplittable(batches: &Batches, accelerated: bool, bounds: &Bounds) -> Result<()> {
    // Momentum keeps two velocities a body.
    let kept = if accelerated { 2 } else { 1 };
    let bodies = kept * size_of_val(batches.velocities.as_slice()) as u64;
    if bodies > bounds.binding {
        return Err(Error::Capacity {
            what: format!(
                "one storage binding, for the velocities [B] ({} a body)",
                size_of::<BodyVelocity>()
            ),
            needed: bodies,
            available: bounds.binding,
        });
    }
    for blocks in [batches.contacts.blocks.len(), batches.joints.blocks.len()] {
        let sums = (blocks.div_ceil(WORKGROUP_SIZE as usize) * size_of::<Progress>()) as u64;
        if accelerated && sums > bounds.binding {
            return Err(Error::Capacity {
                what: "one storage binding, for the progress of all contacts or joint rows [B]"
                    .into(),
                needed: sums,
                available: bounds.binding,
            });
        }
    }
    let edges = u64::from(batches.friction.directions);
    let hubs = |remainder: &Remainder| {
        let slots = remainder.hubs.iter().map(|hub| hub.slot_count);
        let largest = slots.max().unwrap_or(0);
        u64::from(largest.div_ceil(WORKGROUP_SIZE) + WORKGROUP_SIZE.ilog2())
    };
    for (what, needed) in [
        (
            "the contacts of one pair of bodies",
            Packing::contacts(batches).longest_loop() * (1 + edges),
        ),
        (
            "the joint rows of one pair of bodies",
            Packing::joints(batches).longest_loop(),
        ),
        ("the contacts of one hub", hubs(&batches.contacts.remainder)),
        ("the joints of one hub", hubs(&batches.joints.remainder)),
    ] {
        if needed > MAX_LOOP_ITERATIONS {
            return Err(Error::Capacity {
                what: format!("loop iterations of one GPU invocation, for {what}"),
                needed,
                available: MAX_LOOP_ITERATIONS,
            });
        }
    }
    Ok(())
}
