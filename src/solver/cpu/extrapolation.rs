//! Momentum among the threads of a team: its start, its part before a sweep, and its judgement after one.

use super::block::Block;
use super::momentum::{body_momentum, contact_momentum, joint_momentum};
use super::parts::{SIZE, fill_parts, for_parts};
use super::progress::{sum_of, sum_of_workgroup};
use super::{BodyMomentum, CpuSolver, Sweep, VelocityChange, remainder_contacts};
use crate::parallel::Team;
use crate::problem::batches::{Batches, JointBlock};
use crate::solver::Start;
use crate::solver::momentum::{
    ContactMemory, JointMemory, Momentum, MomentumRule, Progress, momentum_step,
};

impl CpuSolver {
    /// No momentum yet: the memory is where the solve starts.
    pub(super) fn begin(&mut self, batches: &Batches, rule: MomentumRule) {
        self.momentum = Momentum::of(rule);
        self.lanes.begin_momentum();
        let remainder = remainder_contacts(batches);
        self.contact_memory.clear();
        self.contact_memory
            .extend(
                batches.contacts.impulses[remainder]
                    .iter()
                    .map(|&impulse| ContactMemory {
                        previous: impulse,
                        start: impulse,
                    }),
            );
        self.joint_memory.clear();
        self.joint_memory
            .extend(batches.joints.impulses.iter().map(|&impulse| JointMemory {
                previous: impulse,
                start: impulse,
            }));
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
            self.extrapolate_bodies(BodyMomentum::BeforeRebuild, team);
            self.sweep(batches, team, Sweep::Rebuild);
            part = BodyMomentum::AfterRebuild;
        }
        self.extrapolate_bodies(part, team);
        let factor = self.momentum.factor;
        self.lanes.extrapolate(factor, team);
        for_parts(
            team,
            &mut batches.joints.impulses,
            &mut self.joint_memory,
            |impulses, memory| joint_momentum(factor, impulses, memory),
        );
        let remainder = remainder_contacts(batches);
        for_parts(
            team,
            &mut batches.contacts.impulses[remainder],
            &mut self.contact_memory,
            |impulses, memory| contact_momentum(factor, impulses, memory),
        );
    }

    fn extrapolate_bodies(&mut self, part: BodyMomentum, team: &Team) {
        let factor = self.momentum.factor;
        let velocities = self.velocities.bodies_mut();
        for_parts(
            team,
            velocities,
            &mut self.body_memory,
            |velocities, memory| body_momentum(part, factor, velocities, memory),
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
        self.contact_sums
            .resize(count.div_ceil(SIZE), Progress::default());
        let terms = &self.terms;
        fill_parts(team, &mut self.contact_sums, |first, sums| {
            for (terms, sum) in terms[first * SIZE..].chunks(SIZE).zip(sums) {
                *sum = sum_of_workgroup(terms);
            }
        });
        self.joint_sums.resize(
            batches.joints.blocks.len().div_ceil(SIZE),
            Progress::default(),
        );
        let (impulses, memory) = (&batches.joints.impulses, &self.joint_memory);
        fill_parts(team, &mut self.joint_sums, |first, sums| {
            for (workgroup, sum) in (first..).zip(sums) {
                *sum = sum_of::<JointBlock>(batches, workgroup, impulses, memory);
            }
        });
        self.momentum = momentum_step(self.momentum, &self.joint_sums, &self.contact_sums);
    }
}
