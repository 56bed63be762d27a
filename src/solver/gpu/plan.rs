//! Which dispatches make a sweep and a residual.
//!
//! A dispatch sees whole arrays where they fit into one binding. Where they do not, the elements
//! that it treats are split into runs whose windows fit, one dispatch a run; so it is with more
//! workgroups than one dispatch may have. Neither changes a single operation on a number.

use super::bounds::{Array, Bounds};
use super::buffers::{Shown, Side};
use super::layout::{Kernel, Window};
use crate::constants::{MAX_LOOP_ITERATIONS, WORKGROUP_SIZE};
use crate::error::{Error, Result};
use crate::problem::batches::{Batches, BodyVelocity, Packed, Remainder, SplitBody, SplitSlots};
use crate::solver::cpu::VelocityChange;
use crate::solver::residual::Partial;
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

/// The dispatches of a packed problem.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What each dispatch treats; the contents of the window uniform.
    pub(super) windows: Vec<Window>,
    /// Number of partial residuals of the contacts.
    pub(super) contact_partials: usize,
    /// Number of partial residuals of the joint rows.
    pub(super) joint_partials: usize,
    /// One pass over all joints, then all contacts: colour after colour, then the remainder.
    pub(super) sweep: Vec<Dispatch>,
    /// The residual of all joint rows and contacts.
    pub(super) residual: Vec<Dispatch>,
    /// Bind groups to be made, each once.
    pub(super) shown: BTreeMap<(Kernel, Shown), usize>,
}

/// The joints or the contacts of a packed problem, as far as planning goes.
#[derive(Debug, Clone, Copy)]
struct Packing<'a> {
    side: Side,
    /// The blocks, with what shares their window.
    blocks: Array,
    starts: &'a [u32],
    colors: &'a [Range<u32>],
    remainder: &'a Remainder,
    /// What the blocks are, in errors.
    noun: &'static str,
}

impl<'a> Packing<'a> {
    fn of<Block, Impulse>(
        side: Side,
        noun: &'static str,
        packed: &'a Packed<Block, Impulse>,
    ) -> Self {
        Self {
            side,
            blocks: Array {
                // Impulses share the window of their blocks.
                smallest: size_of::<Impulse>() as u64,
                ..Array::of::<Block>(packed.blocks.len())
            },
            starts: &packed.group_starts,
            colors: &packed.colors,
            remainder: &packed.remainder,
            noun,
        }
    }

    fn joints(batches: &'a Batches) -> Self {
        Self::of(Side::Joints, "joint rows", &batches.joints)
    }

    fn contacts(batches: &'a Batches) -> Self {
        Self::of(Side::Contacts, "contacts", &batches.contacts)
    }

    fn sweep(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointSweep,
            Side::Contacts => Kernel::ContactSweep,
        }
    }

    fn split(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointSplit,
            Side::Contacts => Kernel::ContactSplit,
        }
    }

    fn residual(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointResidual,
            Side::Contacts => Kernel::ContactResidual,
        }
    }

    fn blocks_of_groups(&self, groups: &Range<u32>) -> Range<u32> {
        self.starts[groups.start as usize]..self.starts[groups.end as usize]
    }

    /// Blocks and group starts of some elements of the remainder, which are groups of joint rows or
    /// single contacts; these need no group starts.
    fn of_elements(&self, elements: &Range<u32>) -> (Range<u32>, Range<u32>) {
        match self.side {
            Side::Joints => (
                self.blocks_of_groups(elements),
                elements.start..elements.end + 1,
            ),
            Side::Contacts => (elements.clone(), 0..0),
        }
    }

    fn slots(&self) -> Array {
        Array::of::<VelocityChange>(self.remainder.slot_count as usize)
    }

    /// Most blocks that one invocation loops over.
    fn longest_loop(&self) -> u64 {
        self.starts
            .windows(2)
            .map(|pair| u64::from(pair[1] - pair[0]))
            .max()
            .unwrap_or(0)
    }
}

impl Plan {
    /// Plans a packed problem for a device.
    ///
    /// # Errors
    /// [`Error::Capacity`] if something that cannot be split exceeds a binding, or the work of one
    /// invocation its bound.
    pub(super) fn new(batches: &Batches, limits: &wgpu::Limits) -> Result<Self> {
        let bounds = Bounds::of(limits);
        check_unsplittable(batches, &bounds)?;
        let mut plan = Self::default();
        for packing in [Packing::joints(batches), Packing::contacts(batches)] {
            for groups in packing.colors {
                plan.plan_color(&packing, groups, &bounds)?;
            }
            plan.plan_split(&packing, &bounds)?;
            plan.plan_gather(&packing, Kernel::BodyGather, &bounds)?;
            plan.plan_gather(&packing, Kernel::HubGather, &bounds)?;
        }
        plan.joint_partials = plan.plan_residual(&Packing::joints(batches), &bounds)?;
        plan.contact_partials = plan.plan_residual(&Packing::contacts(batches), &bounds)?;
        Ok(plan)
    }

    /// Only the dispatches of one kernel: of one colour if it is [`Kernel::JointSweep`] or
    /// [`Kernel::ContactSweep`].
    pub(super) fn of_kernel(
        batches: &Batches,
        kernel: Kernel,
        color: usize,
        limits: &wgpu::Limits,
    ) -> Result<Self> {
        let mut plan = Self::new(batches, limits)?;
        let groups = match kernel {
            Kernel::JointSweep => Some(&batches.joints.colors),
            Kernel::ContactSweep => Some(&batches.contacts.colors),
            _ => None,
        }
        .map(|colors| colors.get(color).cloned().unwrap_or(0..0));
        let windows = &plan.windows;
        plan.sweep.retain(|dispatch| {
            dispatch.kernel == kernel
                && groups
                    .as_ref()
                    .is_none_or(|groups| groups.contains(&windows[dispatch.window as usize].first))
        });
        plan.residual.retain(|dispatch| dispatch.kernel == kernel);
        Ok(plan)
    }

    /// Dispatches of one sweep.
    pub(super) fn sweep_dispatches(&self) -> usize {
        self.sweep.len()
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
                    keeps_impulses: u32::from(index + 1 == slot_runs.len()),
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

    /// Plans a residual and returns the number of its partials.
    fn plan_residual(&mut self, packing: &Packing<'_>, bounds: &Bounds) -> Result<usize> {
        let blocks = &packing.blocks;
        let partial_count = blocks.length.div_ceil(WORKGROUP_SIZE) as usize;
        let entries = Array::of::<Partial>(partial_count);
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
            self.add(packing.residual(), blocks_of(&groups), shown, window);
        }
        Ok(partial_count)
    }

    /// Adds a dispatch over `elements` that sees `shown`.
    fn add(&mut self, kernel: Kernel, elements: Range<u32>, shown: Shown, window: Window) {
        let workgroups = match kernel {
            Kernel::HubGather => elements.len() as u32,
            _ => (elements.len() as u32).div_ceil(WORKGROUP_SIZE),
        };
        self.windows.push(Window {
            first: elements.start,
            end: elements.end,
            block_base: shown.blocks.0,
            start_base: shown.starts.0,
            slot_base: shown.slots.0,
            slot_end: shown.slots.1,
            ..window
        });
        let next = self.shown.len();
        let dispatch = Dispatch {
            kernel,
            bind_group: *self.shown.entry((kernel, shown)).or_insert(next),
            window: self.windows.len() as u32 - 1,
            workgroups,
        };
        match kernel {
            Kernel::JointResidual | Kernel::ContactResidual => self.residual.push(dispatch),
            _ => self.sweep.push(dispatch),
        }
    }
}

/// Checks what no number of dispatches can split.
fn check_unsplittable(batches: &Batches, bounds: &Bounds) -> Result<()> {
    let bodies = size_of_val(batches.velocities.as_slice()) as u64;
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
