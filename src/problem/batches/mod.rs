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

mod contact_block;
mod contact_lanes;
mod contacts;
mod impulse;
mod joints;
mod masses;
mod order;
mod remainder;

pub use contact_block::ContactBlock;
pub(crate) use contact_lanes::{BodyLanes, ContactLanes, SideVelocities, free_velocities};
pub(crate) use impulse::{Motion, change_by, change_of_copy};
pub use joints::{JointBlock, JointScale};
pub(crate) use masses::{Lever, Turn, masses_of};
pub use remainder::{NO_SLOT, Remainder, SplitSlots};

pub use super::split_body::SplitBody;

use super::clusters::Clusters;
use super::{AsProblem, Body, FrictionCone, FrictionTable, ProblemRef, plain};
use crate::constants::PACKED_BODIES_PER_THREAD;
use crate::parallel;
use bytemuck::{Pod, Zeroable};
use order::{Element, Orders};
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
    /// Number of the order, which no other order has: where it is the same for two packings, so are
    /// `source`, `group_starts`, `colors` and `remainder`, and the two bodies of each block. 0 in the order
    /// of clusters.
    pub order: u64,
    /// Number of the colouring, which no other colouring has: where it is the same for two packings, so are
    /// `colors`, the two bodies of each group, and which bodies are movable, but maybe not how many blocks
    /// there are between them. 0 in the order of clusters.
    pub coloring: u64,
}

impl<Block, Impulse> Default for Packed<Block, Impulse> {
    /// Nothing, in no colour.
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            source: Vec::new(),
            group_starts: Vec::new(),
            colors: Vec::new(),
            remainder: Remainder::default(),
            impulses: Vec::new(),
            order: 0,
            coloring: 0,
        }
    }
}

impl<Block, Impulse> Packed<Block, Impulse> {
    /// Range of blocks of some groups.
    #[must_use]
    pub fn blocks_of(&self, groups: &Range<u32>) -> Range<u32> {
        self.group_starts[groups.start as usize]..self.group_starts[groups.end as usize]
    }

    /// No colours and no remainder.
    fn forget_order(&mut self) {
        self.colors.clear();
        self.remainder = Remainder::default();
        self.order = 0;
        self.coloring = 0;
    }
}

/// A problem packed for sweeps. Everything a backend needs, and nothing that it changes but
/// `velocities` and the impulses.
#[derive(Debug, Clone)]
pub struct Batches {
    /// The contacts; an impulse is `(normal, tangent 1, tangent 2, softer)`, the last by how much the normal row is softer than
    /// [`Self::friction`] says, which no sweep changes.
    pub contacts: Packed<ContactBlock, [f32; 4]>,
    /// The joint rows.
    pub joints: Packed<JointBlock, f32>,
    /// Beside each joint row's block.
    pub joint_scales: Vec<JointScale>,
    /// What the impulses at the start add to the velocities; shape `[body_count]`.
    pub velocities: Vec<BodyVelocity>,
    /// Inverse inertias; shape `[body_count]`.
    pub inertias: Vec<BodyInertia>,
    /// The friction cone and its law.
    pub friction: FrictionTable,
    /// Which bodies are movable.
    movable: Vec<bool>,
    contact_orders: Orders,
    joint_orders: Orders,
}

impl Default for Batches {
    /// The batches of an empty problem.
    fn default() -> Self {
        Self {
            contacts: Packed::default(),
            joints: Packed::default(),
            joint_scales: Vec::new(),
            velocities: Vec::new(),
            inertias: Vec::new(),
            friction: FrictionCone::default().table(),
            movable: Vec::new(),
            contact_orders: Orders::default(),
            joint_orders: Orders::default(),
        }
    }
}

impl Batches {
    /// Colours and packs a problem. With `warm_start` the impulses in the problem are the start, each
    /// within its bounds, and their effect is in `velocities`; without, both start from nothing.
    #[must_use]
    pub fn pack(problem: &dyn AsProblem, max_colors: usize, warm_start: bool) -> Self {
        let problem = &problem.as_problem();
        let mut batches = Self::default();
        batches.repack(problem, max_colors, warm_start);
        batches
    }

    /// The same without colours, in the order of the problem's clusters.
    #[must_use]
    pub fn pack_clusters(problem: &dyn AsProblem, clusters: &Clusters, warm_start: bool) -> Self {
        let problem = &problem.as_problem();
        let mut batches = Self::default();
        batches.repack_clusters(problem, clusters, warm_start);
        batches
    }

    /// Packs a problem in place of the last one, to the same bits as [`Self::pack`].
    ///
    /// Where one of the last problems had contacts (or joint rows) between the same bodies in the same
    /// order, the same bodies were movable, and as many colours were allowed, its colours and its order
    /// are taken again; its colours only, if there were other numbers of contacts between these bodies.
    /// Memory is kept in any case.
    pub fn repack(&mut self, problem: &dyn AsProblem, max_colors: usize, warm_start: bool) {
        let problem = &problem.as_problem();
        self.arrange(problem, max_colors);
        self.refill_inertias(problem.bodies);
        contacts::refill(&mut self.contacts, problem, warm_start);
        joints::refill(
            &mut self.joints,
            &mut self.joint_scales,
            problem,
            warm_start,
        );
        self.finish(problem, warm_start);
    }

    /// Arrays that follow from blocks and impulses.
    fn finish(&mut self, problem: &ProblemRef<'_>, warm_start: bool) {
        self.friction = friction_table(problem);
        self.refill_softness(problem);
        if warm_start {
            self.apply_impulses();
        }
    }

    /// Velocities, and the order of contacts and joint rows. False if one of these is not between two bodies
    /// that exist.
    fn arrange(&mut self, problem: &ProblemRef<'_>, max_colors: usize) -> bool {
        self.refill_bodies(problem.bodies);
        let velocities = &self.velocities;
        parallel::fill(
            &mut self.movable,
            velocities.len(),
            PACKED_BODIES_PER_THREAD,
            |body| velocities[body].inverse_mass > 0.0,
        );
        let contacts_are_sound = self.contact_orders.arrange(
            &mut self.contacts,
            problem.contacts,
            &self.movable,
            max_colors,
            Element::Block,
        );
        let joints_are_sound = self.joint_orders.arrange(
            &mut self.joints,
            problem.joint_rows,
            &self.movable,
            max_colors,
            Element::Group,
        );
        contacts_are_sound && joints_are_sound
    }

    /// Like [`Self::repack`], but of the contacts only the order is made:
    /// their blocks and impulses are whatever they were, and so are the inertias; `velocities` are as
    /// without any impulse. False if a contact is not between two bodies that exist.
    pub(crate) fn repack_order(
        &mut self,
        problem: &ProblemRef<'_>,
        max_colors: usize,
        warm_start: bool,
    ) -> bool {
        let is_sound = self.arrange(problem, max_colors);
        contacts::make_room(&mut self.contacts);
        joints::refill(
            &mut self.joints,
            &mut self.joint_scales,
            problem,
            warm_start,
        );
        self.friction = friction_table(problem);
        is_sound
    }

    /// Like [`Self::repack`], but of the contacts with a colour only
    /// the order is made: their blocks and impulses are whatever they were, and so are the inertias
    /// without joints and a remainder; `velocities` are as without any impulse. With `unbiased`, biases are taken for zero.
    ///
    /// The problem may have errors in its contacts, but nowhere else. Returns false if the bodies of a contact
    /// may be in error, or the numbers of one in the remainder; if one is, the batches mean nothing.
    ///
    /// It is for who gets the numbers of the contacts from the problem itself.
    pub(crate) fn repack_remainder(
        &mut self,
        problem: &ProblemRef<'_>,
        max_colors: usize,
        warm_start: bool,
        unbiased: bool,
    ) -> bool {
        let mut is_plain = self.repack_order(problem, max_colors, warm_start);
        let Packed {
            source, remainder, ..
        } = &self.contacts;
        let contacts = source[remainder.elements.start as usize..].iter();
        let contacts = contacts.map(|&index| problem.contacts[index as usize]);
        is_plain &= plain::contacts_are_plain(contacts, problem.bodies.len());
        if !(self.contacts.remainder.elements.is_empty() && problem.joint_rows.is_empty()) {
            self.refill_inertias(problem.bodies);
        }
        contacts::refill_remainder(&mut self.contacts, problem, warm_start, unbiased);
        self.refill_softness(problem);
        is_plain
    }

    /// Packs a problem in the order of its clusters in place of the last one, to the same bits as
    /// [`Self::pack_clusters`]. Memory is kept.
    pub fn repack_clusters(
        &mut self,
        problem: &dyn AsProblem,
        clusters: &Clusters,
        warm_start: bool,
    ) {
        let problem = &problem.as_problem();
        self.refill_bodies(problem.bodies);
        self.refill_inertias(problem.bodies);
        // Orders that were kept have their newest where that of the clusters is going to be.
        (self.contact_orders, self.joint_orders) = (Orders::default(), Orders::default());
        self.contacts.forget_order();
        self.joints.forget_order();
        contacts::repack_clusters(&mut self.contacts, problem, clusters, warm_start);
        joints::repack_clusters(
            &mut self.joints,
            &mut self.joint_scales,
            problem,
            clusters,
            warm_start,
        );
        self.finish(problem, warm_start);
    }

    /// By how much contacts are softer than the problem says, of one in which some may be.
    fn refill_softness(&mut self, problem: &ProblemRef<'_>) {
        if !problem.has_own_softness() {
            return;
        }
        let contacts = &mut self.contacts;
        for (impulse, &source) in contacts.impulses.iter_mut().zip(&contacts.source) {
            let source = source as usize;
            let contact = &problem.contacts[source];
            let body = |index: u32| problem.bodies.get(index as usize);
            // One of bodies that there are not is refused later.
            let response = match (body(contact.body_a), body(contact.body_b)) {
                (Some(a), Some(b)) => contact.response(a, b),
                _ => 0.0,
            };
            let softness = problem.softness_of(source, response);
            impulse[3] = (softness - f64::from(problem.contact_softness)) as f32;
        }
    }

    fn refill_bodies(&mut self, bodies: &[Body]) {
        parallel::fill(
            &mut self.velocities,
            bodies.len(),
            PACKED_BODIES_PER_THREAD,
            |body| at_rest(&bodies[body]),
        );
    }

    /// The inertias of some bodies in place of those of the last ones.
    pub(crate) fn refill_inertias(&mut self, bodies: &[Body]) {
        parallel::fill(
            &mut self.inertias,
            bodies.len(),
            PACKED_BODIES_PER_THREAD,
            |body| inertia_of(&bodies[body]),
        );
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
        let mut velocities = std::mem::take(&mut self.velocities);
        self.apply_joints(&mut velocities);
        self.apply_contacts(0..self.contacts.blocks.len(), &mut velocities);
        self.velocities = velocities;
    }

    /// Adds what the joints' impulses at the start do to velocities.
    pub(crate) fn apply_joints(&self, velocities: &mut [BodyVelocity]) {
        for (block, &impulse) in self.joints.blocks.iter().zip(&self.joints.impulses) {
            block.apply(impulse, velocities, &self.inertias);
        }
    }

    /// Adds what the remainder's impulses at the start do to velocities.
    pub(crate) fn apply_remainder(&self, velocities: &mut [BodyVelocity]) {
        let remainder = &self.contacts.remainder.elements;
        self.apply_contacts(remainder.start as usize..remainder.end as usize, velocities);
    }

    fn apply_contacts(&self, contacts: Range<usize>, velocities: &mut [BodyVelocity]) {
        let blocks = self.contacts.blocks[contacts.clone()].iter();
        for (block, &impulse) in blocks.zip(&self.contacts.impulses[contacts]) {
            block.apply(impulse, velocities, &self.inertias);
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

/// Friction and softness of a problem's contacts as the kernels read them.
fn friction_table(problem: &ProblemRef<'_>) -> FrictionTable {
    let table = problem
        .friction_cone
        .table()
        .with_law(problem.friction_law)
        .with_softness(problem.contact_softness);
    FrictionTable {
        is_soft: u32::from(table.softness > 0.0 || problem.is_compliant()),
        calm_change: problem.calm_change,
        ..table
    }
}
