//! Momentum among the threads of a team: its start, its part before a sweep, and its judgement after one.

use super::block::Block;
use super::momentum::{body_momentum, contact_momentum, joint_momentum};
use super::residuals::{by_workgroups, joint_progress};
use super::{BodyMomentum, CpuSolver, Sweep, VelocityChange, remainder_contacts};
use crate::parallel::Team;
use crate::problem::batches::Batches;
use crate::solver::Start;
use crate::solver::momentum::{Memory, Momentum, MomentumRule, Progress, momentum_step};

impl CpuSolver {
    /// No momentum yet: the memory is where the solve starts.
    pub(super) fn begin(&mut self, batches: &Batches, rule: MomentumRule) {
        self.momentum = Momentum::of(rule);
        self.lanes.begin_momentum();
        let remainder = remainder_contacts(batches);
        let impulses = batches.contacts.impulses[remainder].iter();
        self.contact_memory.clear();
        self.contact_memory
            .extend(impulses.copied().map(Memory::of));
        let impulses = batches.joints.impulses.iter();
        self.joint_memory.clear();
        self.joint_memory.extend(impulses.copied().map(Memory::of));
        self.body_memory.clear();
        let velocities = self.velocities.bodies();
        self.body_memory
            .extend(velocities.iter().map(|velocity| VelocityChange {
                linear: velocity.linear,
                angular: velocity.angular,
                ..VelocityChange::default()
            }));
    }

    /// Momentum before a sweep.
    pub(super) fn extrapolate(&mut self, batches: &mut Batches, team: &Team, start: Start) {
        let mut part = BodyMomentum::Whole;
        if start.rebuild {
            self.extrapolate_bodies(BodyMomentum::BeforeRebuild);
            self.sweep(batches, team, Sweep::Rebuild);
            part = BodyMomentum::AfterRebuild;
        }
        self.extrapolate_bodies(part);
        let factor = self.momentum.factor;
        self.lanes.extrapolate(factor, team);
        joint_momentum(factor, &mut batches.joints.impulses, &mut self.joint_memory);
        let remainder = remainder_contacts(batches);
        let impulses = &mut batches.contacts.impulses[remainder];
        contact_momentum(factor, impulses, &mut self.contact_memory);
    }

    fn extrapolate_bodies(&mut self, part: BodyMomentum) {
        let velocities = self.velocities.bodies_mut();
        body_momentum(
            part,
            self.momentum.factor,
            velocities,
            &mut self.body_memory,
        );
    }

    /// Whether momentum goes on after a sweep.
    pub(super) fn judge(&mut self, batches: &Batches, team: &Team) {
        let count = batches.contacts.blocks.len();
        self.terms.resize(count, Progress::default());
        let contacts = &batches.contacts;
        for (index, memory) in remainder_contacts(batches).zip(&self.contact_memory) {
            self.terms[index] = contacts.blocks[index].progress(memory, contacts.impulses[index]);
        }
        self.lanes.progress(&mut self.terms, team);
        let terms = &self.terms;
        by_workgroups(&mut self.contact_sums, count, |index| terms[index]);
        let impulses = &batches.joints.impulses;
        joint_progress(batches, impulses, &self.joint_memory, &mut self.joint_sums);
        self.momentum = momentum_step(self.momentum, &self.joint_sums, &self.contact_sums);
    }
}
