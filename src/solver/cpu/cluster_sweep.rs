//! Gauss–Seidel over every cluster by itself; twin of `shaders/cluster_sweep.wgsl`.

use super::block::{Block, Sweep};
use super::sweep::{VelocityChange, visit_pair};
use crate::constants::CLUSTER_COPIES;
use crate::math;
use crate::parallel::{self, SharedSlice};
use crate::problem::batches::{Batches, BodyVelocity, ContactBlock, JointBlock};
use crate::problem::clusters::{Cluster, ClusterGroup, Clusters, NO_COPY};
use crate::solver::momentum::{ContactMemory, Impulse, JointMemory, Memory, Progress, extrapolate};
use crate::solver::sums;
use bytemuck::Zeroable;
use std::ops::Range;

/// What one iteration over clusters does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterRound {
    /// A sweep in reverse and one forward, on what momentum makes of the last change.
    #[default]
    Symmetric,
    /// The same without the sweep in reverse, where only one pass is left.
    Forward,
    /// Adds what the impulses do to velocities, from zero on, and changes no impulse.
    Rebuild,
}

impl ClusterRound {
    /// Passes over all joints and contacts that count as iterations.
    #[cfg(feature = "gpu")]
    pub(in crate::solver) fn passes(self) -> u32 {
        match self {
            Self::Symmetric => 2,
            Self::Forward => 1,
            Self::Rebuild => 0,
        }
    }

    fn passes_in_order(self) -> &'static [ClusterPass] {
        const FORWARD: ClusterPass = ClusterPass {
            sweep: Sweep::Update,
            reversed: false,
        };
        const REVERSE: ClusterPass = ClusterPass {
            sweep: Sweep::Update,
            reversed: true,
        };
        const REBUILD: ClusterPass = ClusterPass {
            sweep: Sweep::Rebuild,
            reversed: false,
        };
        match self {
            Self::Symmetric => &[REVERSE, FORWARD],
            Self::Forward => &[FORWARD],
            Self::Rebuild => &[REBUILD],
        }
    }
}

/// A pass over the groups of a cluster.
#[derive(Debug, Clone, Copy)]
struct ClusterPass {
    sweep: Sweep,
    /// From the last group to the first, and so within each.
    reversed: bool,
}

impl ClusterPass {
    /// What comes at `step` of the elements `first..end`.
    #[inline(always)]
    fn place(self, first: usize, end: usize, step: usize) -> usize {
        if self.reversed {
            end - 1 - step
        } else {
            first + step
        }
    }
}

/// What a solve by clusters carries from iteration to iteration, beside velocities and impulses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClusterMemory {
    /// Last two points of each contact's impulse.
    pub contacts: Vec<ContactMemory>,
    /// The same of joint rows.
    pub joints: Vec<JointMemory>,
    /// Last change of each body's velocity; shape `[body_count]`.
    pub bodies: Vec<VelocityChange>,
    /// What each copy adds to the mean velocity of its body, by slot.
    pub slots: Vec<VelocityChange>,
    /// Progress of each cluster.
    pub sums: Vec<Progress>,
}

impl ClusterMemory {
    /// Nothing has changed yet.
    pub fn begin(&mut self, batches: &Batches, clusters: &Clusters) {
        let impulses = batches.contacts.impulses.iter();
        self.contacts.clear();
        self.contacts.extend(impulses.copied().map(Memory::of));
        let impulses = batches.joints.impulses.iter();
        self.joints.clear();
        self.joints.extend(impulses.copied().map(Memory::of));
        self.bodies.clear();
        self.bodies
            .resize(batches.velocities.len(), VelocityChange::default());
        self.slots.clear();
        self.slots
            .resize(clusters.copies.len(), VelocityChange::default());
        self.sums.clear();
        self.sums.resize(clusters.list.len(), Progress::default());
    }
}

/// Sweeps every cluster on its own copies of bodies, and leaves in slots what they add to the means.
///
/// With momentum `factor` each impulse, and each copy's velocity, first repeats a part of its last
/// change. `batches` is in the order of the clusters.
pub fn cluster_sweep(
    batches: &mut Batches,
    clusters: &Clusters,
    round: ClusterRound,
    factor: f32,
    memory: &mut ClusterMemory,
) {
    let mut contact_impulses = std::mem::take(&mut batches.contacts.impulses);
    let mut joint_impulses = std::mem::take(&mut batches.joints.impulses);
    let shared = Shared {
        batches,
        clusters,
        bodies: &memory.bodies,
        contact_impulses: SharedSlice::new(&mut contact_impulses),
        joint_impulses: SharedSlice::new(&mut joint_impulses),
        contact_memory: SharedSlice::new(&mut memory.contacts),
        joint_memory: SharedSlice::new(&mut memory.joints),
        slots: SharedSlice::new(&mut memory.slots),
    };
    parallel::for_each(&mut memory.sums, 1, |index, sum| {
        let cluster = &clusters.list[index];
        let mut copies = [BodyVelocity::zeroed(); CLUSTER_COPIES as usize];
        shared.load(cluster, round, factor, &mut copies);
        for &pass in round.passes_in_order() {
            shared.sweep(cluster, pass, &mut copies);
        }
        shared.leave(cluster, &copies);
        if round != ClusterRound::Rebuild {
            *sum = shared.progress(cluster);
        }
    });
    batches.contacts.impulses = contact_impulses;
    batches.joints.impulses = joint_impulses;
}

/// What all clusters read, and what each writes a part of.
struct Shared<'a> {
    batches: &'a Batches,
    clusters: &'a Clusters,
    bodies: &'a [VelocityChange],
    contact_impulses: SharedSlice<'a, [f32; 4]>,
    joint_impulses: SharedSlice<'a, f32>,
    contact_memory: SharedSlice<'a, ContactMemory>,
    joint_memory: SharedSlice<'a, JointMemory>,
    slots: SharedSlice<'a, VelocityChange>,
}

impl Shared<'_> {
    /// Momentum of impulses, and the copies as the sweeps find them.
    fn load(
        &self,
        cluster: &Cluster,
        round: ClusterRound,
        factor: f32,
        copies: &mut [BodyVelocity],
    ) {
        let rebuilds = round == ClusterRound::Rebuild;
        for (velocity, copy) in copies.iter_mut().zip(self.clusters.copies_of(cluster)) {
            let body = copy.body as usize;
            let (now, change) = (&self.batches.velocities[body], &self.bodies[body]);
            velocity.inverse_mass = now.inverse_mass;
            if !rebuilds {
                velocity.linear = math::add(now.linear, math::scale(change.linear, factor));
                velocity.angular = math::add(now.angular, math::scale(change.angular, factor));
            }
        }
        if rebuilds {
            return;
        }
        // SAFETY: every contact and every joint row is in one cluster.
        #[allow(unsafe_code, reason = "clusters are disjoint")]
        unsafe {
            let rows = cluster.joint_range();
            extrapolate_some(rows, factor, &self.joint_impulses, &self.joint_memory);
            let contacts = cluster.contact_range();
            extrapolate_some(
                contacts,
                factor,
                &self.contact_impulses,
                &self.contact_memory,
            );
        }
    }

    /// One pass over the groups of a cluster: colour after colour is one group after the other.
    fn sweep(&self, cluster: &Cluster, pass: ClusterPass, copies: &mut [BodyVelocity]) {
        let groups = self.clusters.groups_of(cluster);
        for step in 0..groups.len() {
            let group = &groups[pass.place(0, groups.len(), step)];
            if group.first < cluster.joint_rows {
                let first = cluster.first_joint_row + group.first;
                let impulses = &self.joint_impulses;
                self.sweep_group::<JointBlock>((cluster, group), first, pass, impulses, copies);
            } else {
                let first = cluster.first_contact + group.first - cluster.joint_rows;
                let impulses = &self.contact_impulses;
                self.sweep_group::<ContactBlock>((cluster, group), first, pass, impulses, copies);
            }
        }
    }

    /// One pass over the blocks of a group, from `first` on.
    fn sweep_group<B: Block>(
        &self,
        (cluster, group): (&Cluster, &ClusterGroup),
        first: u32,
        pass: ClusterPass,
        impulses: &SharedSlice<'_, B::Impulse>,
        copies: &mut [BodyVelocity],
    ) {
        let (first, count) = (first as usize, group.count as usize);
        let of_bodies = [group.copy_a, group.copy_b];
        let shares = of_bodies.map(|copy| self.clusters.copies_at(cluster, copy));
        let mut bodies = of_bodies.map(|place| copy(copies, place));
        let blocks = (0..count).map(|step| pass.place(first, first + count, step));
        let (batches, sweep) = (self.batches, pass.sweep);
        // SAFETY: every contact and every joint row is in one cluster.
        #[allow(unsafe_code, reason = "clusters are disjoint")]
        unsafe {
            visit_pair::<B>(batches, sweep, blocks, impulses, &mut bodies, shares);
        }
        for (place, velocity) in of_bodies.into_iter().zip(bodies) {
            keep(copies, place, velocity);
        }
    }

    /// Leaves in its slot what each copy adds to the mean of its body.
    fn leave(&self, cluster: &Cluster, copies: &[BodyVelocity]) {
        for (velocity, copy) in copies.iter().zip(self.clusters.copies_of(cluster)) {
            let left = VelocityChange {
                linear: math::scale(velocity.linear, copy.share),
                angular: math::scale(velocity.angular, copy.share),
                ..VelocityChange::default()
            };
            // SAFETY: every slot belongs to one copy.
            #[allow(unsafe_code, reason = "slots are handed out once")]
            unsafe {
                self.slots.write(copy.slot as usize, left);
            }
        }
    }

    /// How the impulses went on, in the order in which a workgroup adds up: invocation `i` takes the
    /// blocks `i, i + 64, ...`, joint rows first, then halving strides.
    fn progress(&self, cluster: &Cluster) -> Progress {
        let (memory, impulses) = (&self.joint_memory, &self.joint_impulses);
        let rows = self.terms::<JointBlock>(cluster.joint_range(), memory, impulses);
        let (memory, impulses) = (&self.contact_memory, &self.contact_impulses);
        let contacts = self.terms::<ContactBlock>(cluster.contact_range(), memory, impulses);
        sums::of_lists([rows.chain(contacts)])
    }

    fn terms<B: Block>(
        &self,
        some: Range<usize>,
        memory: &SharedSlice<'_, Memory<B::Impulse>>,
        impulses: &SharedSlice<'_, B::Impulse>,
    ) -> impl Iterator<Item = Progress> {
        let blocks = &B::packed(self.batches).blocks[some.clone()];
        // SAFETY: every contact and every joint row is in one cluster.
        #[allow(unsafe_code, reason = "clusters are disjoint")]
        let (memory, impulses) = unsafe { (memory.range(some.clone()), impulses.range(some)) };
        let each = blocks.iter().zip(memory).zip(impulses);
        each.map(|((block, memory), now)| block.progress(memory, *now))
    }
}

/// Moves impulses to where the next sweep begins.
///
/// # Safety
/// Nobody else has these impulses and their memory.
#[allow(unsafe_code, reason = "the caller's promise")]
unsafe fn extrapolate_some<I: Impulse>(
    some: Range<usize>,
    factor: f32,
    impulses: &SharedSlice<'_, I>,
    memory: &SharedSlice<'_, Memory<I>>,
) {
    // SAFETY: the caller's promise.
    let (impulses, memory) = unsafe { (impulses.range(some.clone()), memory.range(some)) };
    for (impulse, memory) in impulses.iter_mut().zip(memory) {
        extrapolate(impulse, memory, factor);
    }
}

/// A copy's velocity; that of a body which nothing moves is none.
#[inline(always)]
fn copy(copies: &[BodyVelocity], copy: u32) -> BodyVelocity {
    if copy == NO_COPY {
        BodyVelocity::zeroed()
    } else {
        copies[copy as usize]
    }
}

#[inline(always)]
fn keep(copies: &mut [BodyVelocity], copy: u32, velocity: BodyVelocity) {
    if copy != NO_COPY {
        copies[copy as usize] = velocity;
    }
}
