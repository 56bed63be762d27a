//! Steps in substeps on lanes that are filled once a step.
//!
//! What [`by_solving`](crate::solver::substeps::by_solving) does, with three differences that rounding alone can
//! tell: what impulses have gained and moved is kept in f32; velocities start a substep as the last one
//! left them, which is what its impulses do to them; and a position LCP has normal rows only.

use super::CpuSolver;
use super::lanes::{Given, Velocities};
use crate::error::Result;
use crate::math::{self, V3};
use crate::parallel::{SharedSlice, Team};
use crate::problem::batches::{Batches, BodyVelocity};
use crate::problem::bias::Meeting;
use crate::solver::substeps::{
    Carried, Displacement, PositionPlan, SubstepPlan, SubstepProblem, SubstepReport,
    SubstepSolution,
};
use crate::solver::{Method, Options, Report, Status, Velocity};
use std::time::Instant;

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
    remainder: Vec<Frozen>,
    /// Impulses of the remainder over the whole step.
    totals: Vec<[f32; 4]>,
    /// Impulses of the remainder in the LCP that is not being solved.
    other_impulses: Vec<[f32; 4]>,
    /// False if no contact has restitution.
    bounces: bool,
}

/// What stays the same of a contact of the remainder while a step lasts.
#[derive(Debug, Clone, Copy)]
struct Frozen {
    /// `J v_0` `[m/s]`.
    start: V3,
    /// `J increment` `[m/s]`.
    increment: V3,
    /// Gap at the start `[m]`.
    gap: f32,
    restitution: f32,
    /// Force that it has carried lately `[N]`.
    load: f32,
    friction: f32,
}

/// True if a step with this plan is solved here, and not one LCP after the other.
pub(super) fn is_native(problem: &SubstepProblem, plan: &SubstepPlan) -> bool {
    let runs_here = |method: Method| {
        matches!(
            method,
            Method::GaussSeidel
                | Method::Jacobi
                | Method::Nesterov
                | Method::NesterovSymmetric
                | Method::NesterovJacobi
        )
    };
    let velocity = plan.velocity.method;
    let position = plan
        .position
        .as_ref()
        .map_or(velocity, |p| p.options.method);
    problem.problem.joint_rows.is_empty()
        && runs_here(velocity)
        && runs_here(position)
        && velocity.max_colors() == position.max_colors()
}

impl CpuSolver {
    /// A whole step. The plan is valid, and the problem but for its contacts.
    pub(super) fn step_in_team(
        &mut self,
        given: &SubstepProblem,
        plan: &SubstepPlan,
        solution: &mut SubstepSolution,
        team: &Team,
    ) -> Result<SubstepReport> {
        let step = Given {
            problem: &given.problem,
            warm_start: plan.velocity.warm_start,
            substeps: Some(given),
        };
        let (mut batches, packed) = self.start(&step, &plan.velocity, team)?;
        let start = Instant::now();
        let mut memory = std::mem::take(&mut self.substeps);
        memory.freeze(&batches, given, team);
        let mut report = SubstepReport::default();
        let is_convex = given.problem.is_convex();
        let mut part = Report {
            solve_time: start.elapsed(),
            ..packed
        };
        for substep in 1..=plan.substeps {
            let start = Instant::now();
            self.begin_velocity(&mut memory, &mut batches, plan, substep, team);
            let looks = substep == plan.substeps;
            let manner = (is_convex, looks, None);
            self.iterate(&mut batches, team, &plan.velocity, &mut part, manner);
            self.end_velocity(&mut memory, &batches, plan, team);
            part.solve_time += start.elapsed();
            report.add_velocity(&part);
            part = Report {
                pack_time: std::time::Duration::ZERO,
                iterations: 0,
                solve_time: std::time::Duration::ZERO,
                ..packed
            };
            if let Some(position) = &plan.position {
                let start = Instant::now();
                let mut part = part;
                self.begin_position(&mut memory, &mut batches, (plan, position), substep, team);
                let options = Options {
                    warm_start: false,
                    ..position.options
                };
                // A position LCP has no friction.
                let manner = (true, looks, None);
                self.iterate(&mut batches, team, &options, &mut part, manner);
                self.end_position(&mut memory, &mut batches, position, team);
                part.solve_time = start.elapsed();
                report.add_position(&part);
            }
            if report.velocity.status == Status::NonFinite {
                break;
            }
        }
        self.store_step(&mut memory, &batches, solution, team);
        if !is_finite(&memory, &solution.total_impulses) {
            report.velocity.status = Status::NonFinite;
        }
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
        let state = (&memory.gained, &memory.moved);
        self.lanes
            .begin_substep(plan, substep, memory.bounces, state, team);
        memory.write_velocity_biases(batches, plan, substep);
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
        let velocities = numbers(self.velocities.bodies());
        let gained = SharedSlice::new(numbers_mut(memory.gained.bodies_mut()));
        let moved = SharedSlice::new(numbers_mut(memory.moved.bodies_mut()));
        let others = SharedSlice::new(numbers_mut(memory.others.bodies_mut()));
        let (totals, domains) = self.lanes.begin_totals();
        team.in_domains(domains.len(), |_, domain| {
            let part = domains[domain].bodies.clone();
            // SAFETY: the team hands every domain, with its bodies and points, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            let (gained, moved, others) = unsafe {
                totals.add(domains[domain].points.clone());
                (
                    gained.range(part.clone()),
                    moved.range(part.clone()),
                    others.range(part.clone()),
                )
            };
            let state = gained.iter_mut().zip(moved);
            for ((gained, moved), velocity) in state.zip(&velocities[part]) {
                for axis in 0..8 {
                    gained[axis] += IS_MOTION[axis] * velocity[axis];
                    moved[axis] += IS_MOTION[axis] * (gained[axis] * h_s);
                }
            }
            for velocity in others {
                for (number, is_motion) in velocity.iter_mut().zip(IS_MOTION) {
                    *number = if is_motion > 0.0 { 0.0 } else { *number };
                }
            }
        });
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
        self.lanes
            .begin_position(plan, position, substep, &memory.moved, team);
        memory.write_position_biases(batches, plan, position, substep);
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
        let changes = numbers(memory.others.bodies());
        let moved = SharedSlice::new(numbers_mut(memory.moved.bodies_mut()));
        let domains = self.lanes.domain_ranges();
        team.in_domains(domains.len(), |_, domain| {
            let bodies = domains[domain].bodies.clone();
            // SAFETY: the team hands every domain, with its bodies, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            let moved = unsafe { moved.range(bodies.clone()) };
            for (moved, change) in moved.iter_mut().zip(&changes[bodies]) {
                let turn = [change[4], change[5], change[6]];
                let squared = math::dot(turn, turn);
                let part = if squared > most * most {
                    most / squared.sqrt()
                } else {
                    1.0
                };
                for axis in 0..8 {
                    moved[axis] += IS_MOTION[axis] * (change[axis] * part);
                }
            }
        });
        self.lanes.end_position();
        memory.restore_velocity_problem(batches);
    }

    fn store_step(
        &mut self,
        memory: &mut SubstepMemory,
        batches: &Batches,
        solution: &mut SubstepSolution,
        team: &Team,
    ) {
        let (gained, moved) = (memory.gained.bodies(), memory.moved.bodies());
        solution.changes.clear();
        solution
            .changes
            .extend(gained.iter().map(|velocity| Velocity {
                linear: velocity.linear,
                angular: velocity.angular,
            }));
        solution.displacements.clear();
        let displacements = moved.iter().map(|moved| Displacement {
            linear: moved.linear,
            angular: moved.angular,
        });
        solution.displacements.extend(displacements);
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

/// True if bodies and impulses are finite.
fn is_finite(memory: &SubstepMemory, impulses: &[[f32; 3]]) -> bool {
    // Without a way out at the first that is not, so that a compiler can look at several at once.
    let all_finite = |numbers: &[f32]| {
        let wrong = |some: u32, x: &f32| some | u32::from(!x.is_finite());
        numbers.iter().fold(0, wrong) == 0
    };
    [&memory.gained, &memory.moved]
        .iter()
        .all(|state| all_finite(numbers(state.bodies()).as_flattened()))
        && all_finite(impulses.as_flattened())
}

/// 1 where the numbers of a [`BodyVelocity`] are velocities, else 0.
const IS_MOTION: [f32; 8] = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0];

/// Bodies as a compiler sees vectors in them.
fn numbers(bodies: &[BodyVelocity]) -> &[[f32; 8]] {
    bytemuck::cast_slice(bodies)
}

fn numbers_mut(bodies: &mut [BodyVelocity]) -> &mut [[f32; 8]] {
    bytemuck::cast_slice_mut(bodies)
}

/// Motion of A's point relative to B's, `[a, b]` being twists of the two bodies.
fn between([arm_a, arm_b]: [V3; 2], [a, b]: [(V3, V3); 2]) -> V3 {
    math::sub(
        math::add_cross(a.0, a.1, arm_a),
        math::add_cross(b.0, b.1, arm_b),
    )
}

fn twist(velocity: &BodyVelocity) -> (V3, V3) {
    (velocity.linear, velocity.angular)
}

impl SubstepMemory {
    /// The start of a step whose problem has just been packed.
    fn freeze(&mut self, batches: &Batches, given: &SubstepProblem, team: &Team) {
        self.bounces = given.restitutions.iter().any(|&e| e > 0.0);
        for state in [&mut self.gained, &mut self.moved] {
            state.clear(batches.velocities.len(), team.threads());
        }
        self.others.copy_from(&batches.velocities, team.threads());
        let contacts = &batches.contacts;
        let range = super::remainder_contacts(batches);
        self.totals.clear();
        self.totals.resize(range.len(), [0.0; 4]);
        self.remainder.clear();
        self.remainder.extend(range.map(|index| {
            let (block, source) = (&contacts.blocks[index], contacts.source[index] as usize);
            let increments = [block.body_a, block.body_b].map(|body| {
                let increment = &given.increments[body as usize];
                (increment.linear, increment.angular)
            });
            Frozen {
                start: block.free_velocity,
                increment: between([block.arm_a, block.arm_b], increments),
                gap: given.gaps[source],
                restitution: given.restitutions.get(source).copied().unwrap_or(0.0),
                load: given.loads.get(source).copied().unwrap_or(0.0),
                friction: block.friction,
            }
        }));
    }

    /// Velocities of the remainder's contacts, biases included, before a substep.
    fn write_velocity_biases(&self, batches: &mut Batches, plan: &SubstepPlan, substep: u32) {
        let range = super::remainder_contacts(batches);
        let (past, part) = (plan.part(substep - 1) as f32, plan.part(substep) as f32);
        let (gained, moved) = (self.gained.bodies(), self.moved.bodies());
        let impulses = &mut batches.contacts.impulses[range.clone()];
        let blocks = &mut batches.contacts.blocks[range];
        for ((block, frozen), impulse) in blocks.iter_mut().zip(&self.remainder).zip(impulses) {
            let carried = if block.normal_mass > 0.0 {
                let over_mass = |impulse: f32| f64::from(impulse / block.normal_mass);
                Carried {
                    impulse: over_mass(impulse[0]),
                    load: over_mass(frozen.load) * plan.substep_length(),
                }
            } else {
                Carried::default()
            };
            let arms = [block.arm_a, block.arm_b];
            let bodies = [block.body_a as usize, block.body_b as usize];
            let gained = between(arms, bodies.map(|body| twist(&gained[body])));
            let moved = between(arms, bodies.map(|body| twist(&moved[body])));
            let velocity = math::dot(block.normal, frozen.start)
                + past * math::dot(block.normal, frozen.increment)
                + math::dot(block.normal, gained);
            let gap = frozen.gap_now(plan, substep - 1, block.normal, moved);
            let gain = math::dot(block.normal, frozen.increment) / plan.substeps as f32;
            let meeting = Meeting {
                separation: f64::from(gap),
                velocity: f64::from(velocity),
                gain: f64::from(gain),
                restitution: f64::from(frozen.restitution),
                softness: f64::from(plan.gap_law.softness),
            };
            let bias = plan.contact_bias(&meeting, &carried) as f32;
            if plan.starts_cold(f64::from(velocity), f64::from(frozen.restitution)) {
                *impulse = [0.0; 4];
            }
            let without = math::add(
                math::add(frozen.start, math::scale(frozen.increment, part)),
                gained,
            );
            block.free_velocity = math::add(without, math::scale(block.normal, bias));
        }
    }

    /// The remainder's contacts as rows of the position LCP after a substep.
    fn write_position_biases(
        &mut self,
        batches: &mut Batches,
        plan: &SubstepPlan,
        position: &PositionPlan,
        substep: u32,
    ) {
        let range = super::remainder_contacts(batches);
        let impulses = &mut batches.contacts.impulses[range.clone()];
        self.other_impulses.clear();
        self.other_impulses.extend_from_slice(impulses);
        impulses.fill([0.0; 4]);
        let moved = self.moved.bodies();
        let blocks = &mut batches.contacts.blocks[range];
        for (block, frozen) in blocks.iter_mut().zip(&self.remainder) {
            let bodies = [block.body_a as usize, block.body_b as usize];
            let moved = between(
                [block.arm_a, block.arm_b],
                bodies.map(|body| twist(&moved[body])),
            );
            let gap = frozen.gap_now(plan, substep, block.normal, moved);
            let bias = position.contact_bias(f64::from(gap), &plan.gap_law) as f32;
            block.free_velocity = math::scale(block.normal, bias);
            block.friction = 0.0;
        }
    }

    /// The remainder's contacts as they were before the position LCP, biases apart.
    fn restore_velocity_problem(&self, batches: &mut Batches) {
        let range = super::remainder_contacts(batches);
        batches.contacts.impulses[range.clone()].copy_from_slice(&self.other_impulses);
        let blocks = &mut batches.contacts.blocks[range];
        for (block, frozen) in blocks.iter_mut().zip(&self.remainder) {
            block.friction = frozen.friction;
        }
    }
}

impl Frozen {
    /// Gap `[m]` after so many substeps, `moved` being how far impulses have moved A's point from B's.
    fn gap_now(&self, plan: &SubstepPlan, substeps: u32, normal: V3, moved: V3) -> f32 {
        let [start, increment] = plan.free_displacement(substeps).map(|x| x as f32);
        self.gap
            + (start * math::dot(normal, self.start)
                + increment * math::dot(normal, self.increment)
                + math::dot(normal, moved))
    }
}
