//! The joints and the contacts of a packed problem, seen alike.

use super::binding_range::Side;
use super::bounds::Array;
use super::kernel::Kernel;
use crate::problem::batches::{Batches, Packed, Remainder};
use crate::solver::cpu::VelocityChange;
use std::ops::Range;

/// The joints or the contacts of a packed problem, as far as planning goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing<'a> {
    pub(super) side: Side,
    /// The blocks, with what shares their window.
    pub(super) blocks: Array,
    pub(super) starts: &'a [u32],
    pub(super) colors: &'a [Range<u32>],
    pub(super) remainder: &'a Remainder,
    /// What the blocks are, in errors.
    pub(super) noun: &'static str,
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

    pub(super) fn joints(batches: &'a Batches) -> Self {
        Self::of(Side::Joints, "joint rows", &batches.joints)
    }

    pub(super) fn contacts(batches: &'a Batches) -> Self {
        Self::of(Side::Contacts, "contacts", &batches.contacts)
    }

    pub(super) fn sweep(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointSweep,
            Side::Contacts => Kernel::ContactSweep,
        }
    }

    pub(super) fn split(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointSplit,
            Side::Contacts => Kernel::ContactSplit,
        }
    }

    pub(super) fn residual(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointResidual,
            Side::Contacts => Kernel::ContactResidual,
        }
    }

    pub(super) fn momentum(&self) -> Kernel {
        match self.side {
            Side::Joints => Kernel::JointMomentum,
            Side::Contacts => Kernel::ContactMomentum,
        }
    }

    pub(super) fn blocks_of_groups(&self, groups: &Range<u32>) -> Range<u32> {
        self.starts[groups.start as usize]..self.starts[groups.end as usize]
    }

    /// Blocks and group starts of some elements of the remainder, which are groups of joint rows or
    /// single contacts; these need no group starts.
    pub(super) fn of_elements(&self, elements: &Range<u32>) -> (Range<u32>, Range<u32>) {
        match self.side {
            Side::Joints => (
                self.blocks_of_groups(elements),
                elements.start..elements.end + 1,
            ),
            Side::Contacts => (elements.clone(), 0..0),
        }
    }

    pub(super) fn slots(&self) -> Array {
        Array::of::<VelocityChange>(self.remainder.slot_count as usize)
    }

    /// Most blocks that one invocation loops over.
    pub(super) fn longest_loop(&self) -> u64 {
        self.starts
            .windows(2)
            .map(|pair| u64::from(pair[1] - pair[0]))
            .max()
            .unwrap_or(0)
    }
}
