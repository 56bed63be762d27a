//! Contacts and joint rows packed for sweeps: one contiguous range per colour, and the mass-split
//! remainder.
//!
//! Sweeps work on what the impulses add to the bodies' velocities. What the velocities are before is
//! in the blocks, as the relative velocity that each contact or row would have without impulses: so
//! the round-off of f32 is relative to what a step changes, and not to how fast the scene moves.
//!
//! A contact's block is 80 bytes and its impulse 16 more; a sweep reads both, writes the impulse, and
//! reads and writes the two bodies' 32-byte velocities beside reading their 32-byte inertias: at most
//! `80 + 2 * 16 + 2 * (2 * 32 + 32) = 304` bytes per contact and iteration. A joint row's block is 64
//! bytes and its impulse 4, and the rows of a joint share the reads and writes of its bodies.

mod contacts;
mod joints;
mod order;
mod remainder;

pub use contacts::ContactBlock;
pub use joints::{JointBlock, JointScale};
pub use remainder::{NO_SLOT, Remainder, SplitBody, SplitSlots};

use super::{Body, FrictionTable, Problem};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;

/// What the impulses add to a body's velocity, as the kernels read and write it; 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct BodyVelocity {
    /// Of the centre of mass `[m/s]`.
    pub linear: [f32; 3],
    /// One over the mass `[1/kg]`.
    pub inverse_mass: f32,
    /// Angular `[rad/s]`.
    pub angular: [f32; 3],
    /// Unused.
    pub padding: f32,
}

/// Inverse inertia of a body in world axes; 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct BodyInertia {
    /// `[xx, xy, xz, yy, yz, zz]` `[1/(kg m^2)]`.
    pub inverse: [f32; 6],
    /// Unused.
    pub padding: [f32; 2],
}

/// All contacts, or all joint rows: colour after colour, then the remainder.
///
/// A group is a run of them between the same two bodies. In the remainder a contact is one copy of
/// each of its bodies, whereas a joint is one copy with all the rows of its group.
#[derive(Debug, Clone)]
pub struct Packed<Block, Impulse> {
    /// The contacts or rows.
    pub blocks: Vec<Block>,
    /// The problem's index of each block; shape `[blocks.len()]`.
    pub source: Vec<u32>,
    /// First block of each group, and one past the last; of contacts only the groups with a colour,
    /// of joint rows the remainder's behind them.
    pub group_starts: Vec<u32>,
    /// Range of groups of each colour, in `group_starts`.
    pub colors: Vec<Range<u32>>,
    /// What found no colour.
    pub remainder: Remainder,
    /// Impulse of each block at the start; shape `[blocks.len()]`.
    pub impulses: Vec<Impulse>,
}

impl<Block, Impulse> Packed<Block, Impulse> {
    /// Range of blocks of some groups.
    #[must_use]
    pub fn blocks_of(&self, groups: &Range<u32>) -> Range<u32> {
        self.group_starts[groups.start as usize]..self.group_starts[groups.end as usize]
    }

    /// Range of blocks of a colour.
    #[must_use]
    pub fn color_blocks(&self, color: usize) -> Range<u32> {
        self.blocks_of(&self.colors[color])
    }

    /// Number of batches that a sweep passes one after the other: the colours, and one more if there
    /// is a remainder.
    #[must_use]
    pub fn batch_count(&self) -> usize {
        self.colors.len() + usize::from(!self.remainder.elements.is_empty())
    }
}

/// A problem packed for sweeps. Everything a backend needs, and nothing that it changes but
/// `velocities` and the impulses.
#[derive(Debug, Clone)]
pub struct Batches {
    /// The contacts; an impulse is `(normal, tangent 1, tangent 2, unused)`.
    pub contacts: Packed<ContactBlock, [f32; 4]>,
    /// The joint rows.
    pub joints: Packed<JointBlock, f32>,
    /// Beside each joint row's block.
    pub joint_scales: Vec<JointScale>,
    /// What the impulses at the start add to the velocities; shape `[body_count]`.
    pub velocities: Vec<BodyVelocity>,
    /// Inverse inertias; shape `[body_count]`.
    pub inertias: Vec<BodyInertia>,
    /// The friction cone.
    pub friction: FrictionTable,
}

impl Batches {
    /// Colours and packs a problem. With `warm_start` the impulses in the problem are the start, each
    /// within its bounds, and their effect is in `velocities`; without, both start from nothing.
    #[must_use]
    pub fn pack(problem: &Problem, max_colors: usize, warm_start: bool) -> Self {
        let contacts = contacts::pack(problem, max_colors, warm_start);
        let (joints, joint_scales) = joints::pack(problem, max_colors, warm_start);
        let mut batches = Self {
            contacts,
            joints,
            joint_scales,
            velocities: problem
                .bodies
                .par_iter()
                .with_min_len(4096)
                .map(at_rest)
                .collect(),
            inertias: problem
                .bodies
                .par_iter()
                .with_min_len(4096)
                .map(inertia_of)
                .collect(),
            friction: problem.friction_cone.table(),
        };
        if warm_start {
            batches.apply_impulses();
        }
        batches
    }

    /// Contacts and joint rows together.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.contacts.blocks.len() + self.joints.blocks.len()
    }

    /// Slots that hold the changes of either remainder; they are swept one after the other.
    #[must_use]
    pub fn slot_count(&self) -> u32 {
        self.contacts
            .remainder
            .slot_count
            .max(self.joints.remainder.slot_count)
    }

    /// Adds `M^-1 J^T r` of all start impulses to the velocities.
    fn apply_impulses(&mut self) {
        for (block, impulse) in self.joints.blocks.iter().zip(&self.joints.impulses) {
            block.apply(*impulse, &mut self.velocities, &self.inertias);
        }
        for (block, impulse) in self.contacts.blocks.iter().zip(&self.contacts.impulses) {
            block.apply(*impulse, &mut self.velocities, &self.inertias);
        }
    }
}

fn at_rest(body: &Body) -> BodyVelocity {
    BodyVelocity {
        inverse_mass: body.inverse_mass,
        ..BodyVelocity::zeroed()
    }
}

fn inertia_of(body: &Body) -> BodyInertia {
    BodyInertia {
        inverse: body.inverse_inertia,
        padding: [0.0; 2],
    }
}
