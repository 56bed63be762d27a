//! A problem on lanes that are filled once: solved once, or in substeps.
//!
//! A step in substeps is what [`in_substeps`](crate::solver::reference::in_substeps) does, with three differences that rounding alone can
//! tell: what impulses have gained and moved is kept in f32; velocities start a substep as the last one
//! left them, which is what its impulses do to them; and a position LCP has normal rows only.

use super::contact::between;
use super::lanes::Velocities;
use super::substep_kernels::begin_contact;
use super::{CpuSolver, Looks};
use crate::error::Result;
use crate::math;
use crate::parallel::{SharedSlice, Team};
use crate::problem::Problem;
use crate::problem::batches::Motion;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::solver::substeps::records::{ContactStep, Lcp, Sort};
use crate::solver::substeps::{PositionPlan, SubstepPlan, SubstepReport};
use crate::solver::{Displacement, Options, Plan, Report, Solution, Status, Velocity};
use std::time::{Duration, Instant};

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
    /// The velocity LCP of each part, and the position LCP after it; a problem that is solved once is one part, whose velocities are
    /// left as the sweeps left them. The plan is valid, and the problem but for its contacts.
    pub(super) fn run_in_team(
        &mut self,
        problem: &Problem,
        plan: &Plan,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
        team: &Team,
    ) -> Result<SubstepReport> {
        let (mut batches, packed) = self.start(problem, plan, team)?;
        let mut start = Instant::now();
        let mut memory = std::mem::take(&mut self.substeps);
        let (options, divided) = (plan.velocity(), plan.substeps());
        if divided.is_some() {
            memory.freeze(&batches, problem, team);
        }
        let parts = divided.map_or(1, |plan| plan.substeps);
        let mut report = SubstepReport::default();
        let mut part = packed;
        let mut looks = Looks {
            is_convex: problem.is_convex(),
            at_end: false,
            watch,
        };
        for number in 1..=parts {
            if let Some(plan) = divided {
                self.begin_velocity(&mut memory, &mut batches, plan, number, team);
            }
            let is_last = number == parts;
            looks.at_end = is_last && problem.joint_rows.is_empty();
            self.iterate(&mut batches, team, options, &mut part, &mut looks);
            self.end_with_joints(&mut batches, team, options, &mut part, &mut looks);
            if let Some(plan) = divided {
                self.end_velocity(&mut memory, &batches, plan, team);
            }
            part.solve_time += start.elapsed();
            report.add_velocity(&part);
            start = Instant::now();
            part = Report {
                pack_time: Duration::ZERO,
                iterations: 0,
                solve_time: Duration::ZERO,
                ..packed
            };
            if let Some((plan, position)) = divided.and_then(|plan| plan.with_position()) {
                let mut part = part;
                self.begin_position(&mut memory, &mut batches, (plan, position), number, team);
                let options = Options {
                    warm_start: false,
                    ..position.options
                };
                let mut looks = Looks {
                    // A position LCP has no friction.
                    is_convex: true,
                    at_end: is_last,
                    watch: &mut *looks.watch,
                };
                self.iterate(&mut batches, team, &options, &mut part, &mut looks);
                self.end_position(&mut memory, &mut batches, position, team);
                part.solve_time = start.elapsed();
                report.add_position(&part);
                start = Instant::now();
            }
            if report.velocity.status == Status::NonFinite {
                break;
            }
        }
        if divided.is_some() {
            self.store_step(&mut memory, &batches, solution, team);
        } else {
            let remainder = super::remainder_contacts(&batches).start;
            solution.take_from_block(remainder, problem, self.velocities.bodies(), &batches);
            self.lanes.store_impulses(&mut solution.impulses, team);
        }
        if !solution.is_finite() {
            report.velocity.status = Status::NonFinite;
        }
        report.velocity.solve_time += start.elapsed();
        self.substeps = memory;
        self.packer.keep(batches);
        Ok(report)
    }

    /// Velocities and biases at the start of a substep counted from 1.
    fn begin_velocity(
        &mut self,
        memory: &mut SubstepMemory,
        batches: &mut Batches,
        plan: &SubstepPlan,
        substep: u32,
        team: &Team,
    ) {
        if substep > 1 && !plan.velocity.warm_start {
            self.lanes.forget_impulses();
            let remainder = super::remainder_contacts(batches);
            batches.contacts.impulses[remainder].fill([0.0; 4]);
            for velocity in self.velocities.bodies_mut() {
                (velocity.linear, velocity.angular) = ([0.0; 3], [0.0; 3]);
            }
        }
        let lcp = Lcp::velocity(plan, substep, batches.contacts.blocks.len());
        let state = (&memory.gained, &memory.moved);
        self.lanes.begin_substep(&lcp, memory.bounces, state, team);
        memory.begin_remainder(batches, &lcp, Sort::Velocity);
        if memory.bounces {
            // Some start without the impulses that the velocities have.
            for velocity in self.velocities.bodies_mut() {
                (velocity.linear, velocity.angular) = ([0.0; 3], [0.0; 3]);
            }
            self.sweep_colored_contacts(batches, team, super::Sweep::Rebuild, 1);
            batches.apply_remainder(self.velocities.bodies_mut());
        }
    }

    /// Moves the bodies by what the impulses of a substep have made of their velocities, and stops those of the
    /// position LCP.
    fn end_velocity(
        &mut self,
        memory: &mut SubstepMemory,
        batches: &Batches,
        plan: &SubstepPlan,
        team: &Team,
    ) {
        let h_s = plan.substep_length() as f32;
        let state = (&mut memory.gained, &mut memory.moved);
        self.lanes.end_substep(h_s, &self.velocities, state, team);
        if plan.position.is_some() {
            for velocity in memory.others.bodies_mut() {
                (velocity.linear, velocity.angular) = ([0.0; 3], [0.0; 3]);
            }
        }
        let remainder = super::remainder_contacts(batches);
        let impulses = &batches.contacts.impulses[remainder];
        for (total, impulse) in memory.totals.iter_mut().zip(impulses) {
            for (total, impulse) in total.iter_mut().zip(impulse) {
                *total += impulse;
            }
        }
    }

    fn begin_position(
        &mut self,
        memory: &mut SubstepMemory,
        batches: &mut Batches,
        (plan, position): (&SubstepPlan, &PositionPlan),
        substep: u32,
        team: &Team,
    ) {
        let lcp = Lcp::position(plan, position, substep, batches.contacts.blocks.len());
        self.lanes.begin_position(&lcp, &memory.moved, team);
        let remainder = super::remainder_contacts(batches);
        let impulses = &mut batches.contacts.impulses[remainder];
        memory.other_impulses.clear();
        memory.other_impulses.extend_from_slice(impulses);
        impulses.fill([0.0; 4]);
        memory.begin_remainder(batches, &lcp, Sort::Position);
        // They were stopped at the end of the velocity LCP.
        std::mem::swap(&mut self.velocities, &mut memory.others);
    }

    /// Moves the bodies by the solution of a position LCP, none of them by more than the plan allows.
    fn end_position(
        &mut self,
        memory: &mut SubstepMemory,
        batches: &mut Batches,
        position: &PositionPlan,
        team: &Team,
    ) {
        std::mem::swap(&mut self.velocities, &mut memory.others);
        let most = position.max_turn;
        let changes = memory.others.bodies();
        let moved = SharedSlice::new(memory.moved.bodies_mut());
        let domains = self.lanes.domain_ranges();
        team.in_domains(domains.len(), |_, domain| {
            let bodies = domains[domain].bodies.clone();
            // SAFETY: the team hands every domain, with its bodies, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            let moved = unsafe { moved.range(bodies.clone()) };
            for (moved, change) in moved.iter_mut().zip(&changes[bodies]) {
                let squared = math::dot(change.angular, change.angular);
                let part = if squared > most * most {
                    most / squared.sqrt()
                } else {
                    1.0
                };
                moved.linear = math::add(moved.linear, math::scale(change.linear, part));
                moved.angular = math::add(moved.angular, math::scale(change.angular, part));
            }
        });
        self.lanes.end_position();
        memory.restore_velocity_problem(batches);
    }

    fn store_step(
        &mut self,
        memory: &mut SubstepMemory,
        batches: &Batches,
        solution: &mut Solution,
        team: &Team,
    ) {
        solution.velocities.clear();
        solution.joint_impulses.clear();
        let (gained, moved) = (memory.gained.bodies(), memory.moved.bodies());
        // Number by number: a record that is made elsewhere first is read back before it is there.
        solution.changes.resize(gained.len(), Velocity::default());
        for (change, gained) in solution.changes.iter_mut().zip(gained) {
            change.linear = gained.linear;
            change.angular = gained.angular;
        }
        let nowhere = Displacement::default();
        solution.displacements.resize(moved.len(), nowhere);
        for (displacement, moved) in solution.displacements.iter_mut().zip(moved) {
            displacement.linear = moved.linear;
            displacement.angular = moved.angular;
        }
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
    fn freeze(&mut self, batches: &Batches, given: &Problem, team: &Team) {
        self.bounces = given.restitutions.iter().any(|&e| e > 0.0);
        for state in [&mut self.gained, &mut self.moved] {
            state.clear(batches.velocities.len(), team.threads());
        }
        self.others.copy_from(&batches.velocities, team.threads());
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
                ..ContactStep::default()
            }
        }));
    }

    /// Velocities of the remainder's contacts without impulses, biases included, in an LCP of a substep.
    fn begin_remainder(&self, batches: &mut Batches, lcp: &Lcp, sort: Sort) {
        let range = super::remainder_contacts(batches);
        let (gained, moved) = (self.gained.bodies(), self.moved.bodies());
        let impulses = &mut batches.contacts.impulses[range.clone()];
        let blocks = &mut batches.contacts.blocks[range];
        let steps = self.remainder.iter().zip(&self.frictions);
        for ((block, impulse), (step, friction)) in blocks.iter_mut().zip(impulses).zip(steps) {
            let bodies = [block.body_a as usize, block.body_b as usize];
            let motions = bodies.map(|body| (twist(&gained[body]), twist(&moved[body])));
            begin_contact(sort, lcp, (step, *friction), motions, block, impulse);
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
