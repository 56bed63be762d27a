//! A pass over everything: joints and contacts, colours and remainders, among the threads of a team.

use super::block::Block;
use super::body_gather::{body_gather, hub_gather};
use super::sweep::split_part;
use super::{CpuSolver, Sweep};
use crate::constants::MIN_BLOCKS_PER_THREAD;
use crate::parallel::{SharedSlice, Team};
use crate::problem::batches::{Batches, ContactBlock, JointBlock};

impl CpuSolver {
    /// One pass over all joints, then all contacts: colour after colour, then the remainder. Contacts
    /// have the last word.
    pub(super) fn sweep(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        self.sweep_joints(batches, team, sweep);
        self.lanes
            .sweep((sweep, 1), &batches.friction, &mut self.velocities, team);
        self.sweep_remainder::<ContactBlock>(batches, team, sweep, MIN_BLOCKS_PER_THREAD);
    }

    fn sweep_joints(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        if batches.joints.blocks.is_empty() {
            return;
        }
        let impulses = &mut batches.joints.impulses;
        self.joint_lanes
            .sweep(sweep, &mut self.velocities, impulses, team);
        self.sweep_remainder::<JointBlock>(batches, team, sweep, MIN_BLOCKS_PER_THREAD / 4);
    }

    /// One pass over a remainder, of which a thread gets at least `grain` elements.
    fn sweep_remainder<B: Block>(
        &mut self,
        batches: &mut Batches,
        team: &Team,
        sweep: Sweep,
        grain: usize,
    ) {
        let count = B::packed(batches).remainder.elements.len();
        if count == 0 {
            return;
        }
        let mut impulses = std::mem::take(&mut B::packed_mut(batches).impulses);
        {
            let shared = SharedSlice::new(&mut impulses);
            let changes = SharedSlice::new(&mut self.changes);
            let velocities = self.velocities.bodies();
            team.each(count, grain, |_, elements| {
                split_part::<B>(batches, elements, sweep, velocities, &shared, &changes);
            });
        }
        B::packed_mut(batches).impulses = impulses;
        let remainder = &B::packed(batches).remainder;
        body_gather(remainder, &self.changes, self.velocities.bodies_mut());
        hub_gather(remainder, &self.changes, self.velocities.bodies_mut());
    }
}
