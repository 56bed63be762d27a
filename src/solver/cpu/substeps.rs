//! What lies between the LCPs of a step in substeps, on lanes that are filled once a step.
//!
//! The step is what [`in_substeps`](crate::solver::reference::in_substeps) does, with three differences that rounding alone can
//! tell: what impulses have gained and moved is kept in f32; velocities start a substep as the last one
//! left them, which is what its impulses do to them; and a position LCP has normal rows only.

use super::contact::between;
use super::lanes::Velocities;
use super::substep_kernels::{begin_contact, begin_position_contact, forget_impact};
use super::{CpuSolver, Sweep};
use crate::constants::TAKEN_BODIES_PER_THREAD;
use crate::math;
use crate::parallel::{SharedSlice, Team, for_chunks};
use crate::problem::ProblemRef;
use crate::problem::batches::Motion;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::solver::substeps::records::{ContactStep, PassKind, SubstepParams};
use crate::solver::substeps::{PositionPlan, SubstepPlan};
use crate::solver::{Displacement, Solution, Velocity};

/// What steps in substeps keep in memory.
#[derive(Debug, Default)]
pub(super) struct SubstepMemory {
    /// What impulses have added to each body's velocity `[m/s]`, `[rad/s]`.
    gained: Velocities,
    /// How far impulses and corrections have moved each body `[m]`, `[rad]`.
    moved: Velocities,
    /// Velocities of the LCP that is not being solved.
    others: Velocities,
    /// Contacts of the remainder.
    remainder: Vec<ContactStep>,
    /// Their coefficients of friction.
    frictions: Vec<f32>,
    /// Impulses of the remainder over the whole step.
    totals: Vec<[f32; 4]>,
    /// Impulses of the remainder in the LCP that is not being solved.
    other_impulses: Vec<[f32; 4]>,
    /// False if no contact has restitution.
    bounces: bool,
}

impl CpuSolver {
    /// Velocities and biases at the start of a substep counted from 1.
    pub(super) fn begin_velocity(
        &mut self,
        batches: &mut Batches,
        plan: &SubstepPlan,
        substep: u32,
        team: &Team,
    ) {
        let memory = &mut self.substeps;
        if substep > 1 && !plan.velocity.warm_start {
            self.lanes.forget_impulses();
            let remainder = super::remainder_contacts(batches);
            batches.contacts.impulses[remainder].fill([0.0; 4]);
            self.velocities.stop();
        }
        let params = SubstepParams::velocity(plan, substep, batches.contacts.blocks.len());
        let state = (&memory.gained, &memory.moved);
        self.lanes
            .begin_substep(&params, memory.bounces, state, team);
        memory.begin_remainder(batches, &params, PassKind::Velocity);
        if memory.bounces {
            // Some start without the impulses that the velocities have.
            self.velocities.stop();
            let velocities = &mut self.velocities;
            self.lanes
                .sweep((Sweep::Rebuild, 1), &batches.friction, velocities, team);
            batches.apply_remainder(self.velocities.bodies_mut());
        }
    }

    /// Moves the bodies by what the impulses of a substep have made of their velocities, and stops those of the
    /// position LCP.
    pub(super) fn end_velocity(&mut self, batches: &mut Batches, plan: &SubstepPlan, team: &Team) {
        let (h_s, memory) = (plan.substep_length() as f32, &mut self.substeps);
        let state = (&mut memory.gained, &mut memory.moved);
        self.lanes.end_substep(h_s, &self.velocities, state, team);
        let remainder = super::remainder_contacts(batches);
        let params = SubstepParams::velocity(plan, 1, batches.contacts.blocks.len());
        let impulses = &mut batches.contacts.impulses[remainder];
        let each = memory.totals.iter_mut().zip(impulses);
        for ((total, impulse), step) in each.zip(&memory.remainder) {
            for (total, impulse) in total.iter_mut().zip(&*impulse) {
                *total += impulse;
            }
            forget_impact(impulse, impulse[3], &params, step);
        }
    }

    pub(super) fn begin_position(
        &mut self,
        batches: &mut Batches,
        (plan, position): (&SubstepPlan, &PositionPlan),
        substep: u32,
        team: &Team,
    ) {
        let params =
            SubstepParams::position(plan, position, substep, batches.contacts.blocks.len());
        let memory = &mut self.substeps;
        self.lanes.begin_position(&params, &memory.moved, team);
        let remainder = super::remainder_contacts(batches);
        let impulses = &mut batches.contacts.impulses[remainder];
        memory.other_impulses.clear();
        memory.other_impulses.extend_from_slice(impulses);
        impulses.fill([0.0; 4]);
        memory.begin_remainder(batches, &params, PassKind::Position);
        // They were stopped at the start of the step, and at the end of the position LCP before.
        std::mem::swap(&mut self.velocities, &mut memory.others);
    }

    /// Moves the bodies by the solution of a position LCP, none of them by more than the plan allows, and stops them for the next.
    pub(super) fn end_position(
        &mut self,
        batches: &mut Batches,
        position: &PositionPlan,
        team: &Team,
    ) {
        let memory = &mut self.substeps;
        std::mem::swap(&mut self.velocities, &mut memory.others);
        let most = position.max_turn;
        let changes = SharedSlice::new(memory.others.bodies_mut());
        let moved = SharedSlice::new(memory.moved.bodies_mut());
        let domains = self.lanes.domain_ranges();
        team.in_domains(domains.len(), |_, domain| {
            let bodies = domains[domain].bodies.clone();
            // SAFETY: the team hands every domain, with its bodies, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            let (moved, changes) = unsafe { (moved.range(bodies.clone()), changes.range(bodies)) };
            for (moved, change) in moved.iter_mut().zip(changes) {
                let squared = math::dot(change.angular, change.angular);
                let part = if squared > most * most {
                    most / squared.sqrt()
                } else {
                    1.0
                };
                moved.linear = math::add(moved.linear, math::scale(change.linear, part));
                moved.angular = math::add(moved.angular, math::scale(change.angular, part));
                (change.linear, change.angular) = ([0.0; 3], [0.0; 3]);
            }
        });
        self.lanes.end_position();
        memory.restore_velocity_problem(batches);
    }

    pub(super) fn store_step(&mut self, batches: &Batches, solution: &mut Solution, team: &Team) {
        let memory = &self.substeps;
        solution.velocities.clear();
        solution.joint_impulses.clear();
        let (gained, moved) = (memory.gained.bodies(), memory.moved.bodies());
        // Number by number: a record that is made elsewhere first is read back before it is there.
        solution.changes.resize(gained.len(), Velocity::default());
        let nowhere = Displacement::default();
        solution.displacements.resize(moved.len(), nowhere);
        let changes = SharedSlice::new(&mut solution.changes);
        let displacements = SharedSlice::new(&mut solution.displacements);
        let slices = (changes, gained, displacements, moved);
        for_chunks(slices, TAKEN_BODIES_PER_THREAD, |_, part| {
            let (changes, gained, displacements, moved) = part;
            for (change, gained) in changes.iter_mut().zip(gained) {
                change.linear = gained.linear;
                change.angular = gained.angular;
            }
            for (displacement, moved) in displacements.iter_mut().zip(moved) {
                displacement.linear = moved.linear;
                displacement.angular = moved.angular;
            }
        });
        let count = batches.contacts.source.len();
        let remainder = super::remainder_contacts(batches);
        let source = &batches.contacts.source[remainder.clone()];
        let impulses = &batches.contacts.impulses[remainder];
        unpack(source, impulses, count, &mut solution.impulses);
        unpack(source, &memory.totals, count, &mut solution.total_impulses);
        let totals = &mut solution.total_impulses;
        self.lanes.store_step(&mut solution.impulses, totals, team);
    }
}

/// From the order of blocks to that of `count` contacts; the others keep what they had.
fn unpack(source: &[u32], impulses: &[[f32; 4]], count: usize, to: &mut Vec<[f32; 3]>) {
    to.resize(count, [0.0; 3]);
    for (&contact, &[n, t1, t2, _]) in source.iter().zip(impulses) {
        to[contact as usize] = [n, t1, t2];
    }
}

fn twist(velocity: &BodyVelocity) -> Motion<f32> {
    (velocity.linear, velocity.angular)
}

impl SubstepMemory {
    /// The start of a step whose problem has just been packed.
    pub(super) fn freeze(&mut self, batches: &Batches, given: &ProblemRef<'_>, team: &Team) {
        self.bounces = given.restitutions.iter().any(|&e| e > 0.0);
        for state in [&mut self.gained, &mut self.moved] {
            state.clear(batches.velocities.len(), team.threads());
        }
        self.others.copy_from(&batches.velocities, team.threads());
        self.others.stop();
        let contacts = &batches.contacts;
        let range = super::remainder_contacts(batches);
        self.totals.clear();
        self.totals.resize(range.len(), [0.0; 4]);
        self.frictions.clear();
        self.frictions.extend(
            contacts.blocks[range.clone()]
                .iter()
                .map(|block| block.friction),
        );
        self.remainder.clear();
        self.remainder.extend(range.map(|index| {
            let (block, source) = (&contacts.blocks[index], contacts.source[index] as usize);
            let increments = [block.body_a, block.body_b].map(|body| {
                let increment = &given.increments[body as usize];
                (increment.linear, increment.angular)
            });
            let [a, b] = increments;
            ContactStep {
                start: block.free_velocity,
                increment: between((block.arm_a, block.arm_b), a, b),
                gap: given.gaps[source],
                restitution: given.restitutions.get(source).copied().unwrap_or(0.0),
                load: given.loads.get(source).copied().unwrap_or(0.0),
                root_size: given.root_size(source),
                share: given.scale(source).share,
                ..ContactStep::default()
            }
        }));
    }

    /// Velocities of the remainder's contacts without impulses, biases included, in an LCP of a substep.
    fn begin_remainder(&self, batches: &mut Batches, params: &SubstepParams, kind: PassKind) {
        let range = super::remainder_contacts(batches);
        let (gained, moved) = (self.gained.bodies(), self.moved.bodies());
        let impulses = &mut batches.contacts.impulses[range.clone()];
        let blocks = &mut batches.contacts.blocks[range];
        for (at, (block, impulse)) in blocks.iter_mut().zip(impulses).enumerate() {
            let bodies = [block.body_a as usize, block.body_b as usize];
            let motions = bodies.map(|body| (twist(&gained[body]), twist(&moved[body])));
            let step = &self.remainder[at];
            match kind {
                PassKind::Position => {
                    let [pressing, ..] = self.other_impulses[at];
                    begin_position_contact(params, step, motions, pressing, block);
                }
                PassKind::Velocity => {
                    begin_contact(params, (step, self.frictions[at]), motions, block, impulse);
                }
            }
        }
    }

    /// The remainder's contacts as they were before the position LCP, biases apart.
    fn restore_velocity_problem(&self, batches: &mut Batches) {
        let range = super::remainder_contacts(batches);
        batches.contacts.impulses[range.clone()].copy_from_slice(&self.other_impulses);
        let blocks = &mut batches.contacts.blocks[range];
        for (block, friction) in blocks.iter_mut().zip(&self.frictions) {
            block.friction = *friction;
        }
    }
}
