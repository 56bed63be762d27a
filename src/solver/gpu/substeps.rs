//! A whole step in substeps on the device: its LCPs one behind the other in one submission, and one wait.
//!
//! What the host uploads is a contact's geometry, and how its gap and velocity follow from the bodies'
//! state; from then on the device moves bodies, measures gaps, and starts each LCP from the impulses
//! before. It agrees with [`by_solving`](crate::solver::substeps::by_solving) up to f32: there, states
//! are kept in f64 between the LCPs, here in f32, counted from the start of the step.

use super::GpuSolver;
use super::buffers::Start;
use super::passes::{self, Passes};
use super::plan::{Dispatch, Plan};
use super::readback::Wanted;
use super::run::Run;
use super::traffic::Traffic;
use crate::constants::SUBMISSIONS_IN_FLIGHT;
use crate::error::Result;
use crate::math::{self, V3, Vec3};
use crate::problem::batches::{Batches, JointBlock, JointScale};
use crate::problem::{JointRow, Problem};
use crate::solver::momentum::MomentumRule;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{
    BodyState, ContactStep, ContactTotal, JointPass, JointStep, JointTotal, Lcp, Sort,
};
use crate::solver::substeps::{
    Displacement, SubstepPlan, SubstepProblem, SubstepReport, SubstepSolution,
};
use crate::solver::{Method, Options, Report, Status, Velocity};
use std::collections::VecDeque;
use std::time::Instant;

/// What came back of a step.
struct Outcome {
    logs: Vec<Control>,
    states: Vec<BodyState>,
    contacts: Vec<ContactTotal>,
    joints: Vec<JointTotal>,
}

/// Something to record, and the passes over all blocks that it counts as.
struct Job<'a> {
    dispatches: &'a [Dispatch],
    pass: Option<(&'a Options, u32)>,
    cost: u32,
}

/// The options of an LCP.
fn options_of(plan: &SubstepPlan, sort: Sort) -> &Options {
    match (&plan.position, sort) {
        (Some(position), Sort::Position) => &position.options,
        _ => &plan.velocity,
    }
}

impl GpuSolver {
    /// True if a step can be computed on the device.
    ///
    /// It cannot where joint rows without bounds are to be solved at once, which the host does in f64
    /// at the start of every LCP; where the two sorts of LCP are coloured differently; or where the
    /// bodies' states exceed a binding.
    pub(super) fn has_substeps(&self, given: &SubstepProblem, plan: &SubstepPlan) -> bool {
        let sorts = || {
            let position = plan.position.iter().map(|position| &position.options);
            std::iter::once(&plan.velocity).chain(position)
        };
        let direct = sorts().any(|options| options.direct_joints)
            && given.problem.joint_rows.iter().any(JointRow::is_equality);
        let known = sorts().all(|options| {
            options.method.max_colors() == plan.velocity.method.max_colors()
                && matches!(
                    options.method,
                    Method::GaussSeidel
                        | Method::Jacobi
                        | Method::Nesterov
                        | Method::NesterovSymmetric
                        | Method::NesterovJacobi
                )
        });
        let states = (given.problem.bodies.len() * size_of::<BodyState>()) as u64;
        known && !direct && states <= self.gpu.limits.max_storage_buffer_binding_size
    }

    /// Computes a step on the device.
    ///
    /// # Errors
    /// As [`Solver::solve`](crate::solver::Solver::solve).
    pub(super) fn step(
        &mut self,
        given: &SubstepProblem,
        step: &SubstepPlan,
        solution: &mut SubstepSolution,
    ) -> Result<SubstepReport> {
        step.validate()?;
        given.validate()?;
        self.gpu.check()?;
        let start = Instant::now();
        let colors = step.velocity.method.max_colors();
        let mut batches = Batches::pack(&given.problem, colors, step.velocity.warm_start);
        let position_rows = Batches::pack(&position_rows(given), colors, false);
        let pack_time = start.elapsed();
        let packed = Instant::now();
        let rules = rules(given, step);
        let mut plan = Plan::new(&batches, rules[0].or(rules[1]), &self.gpu.limits)?;
        plan.add_substeps(&batches, step, &self.gpu.limits)?;
        self.traffic = Traffic::default();
        let outcome = match self.run_step(given, step, &plan, &batches, &position_rows) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.buffers.forget();
                return Err(error);
            }
        };
        outcome.leave(&mut batches);
        self.buffers.learn_substeps(&batches);
        solution.take_from(&outcome, &batches);

        let mut report = SubstepReport::default();
        let lcps = step.lcps();
        for (number, (lcp, log)) in lcps.iter().zip(&outcome.logs).enumerate() {
            let Some(sort) = lcp.next else {
                continue;
            };
            let mut solved = Report::of(&batches, std::time::Duration::ZERO);
            let options = options_of(step, sort);
            log.report(&mut solved, options);
            solved.barriers = options.method.barriers(&batches, solved.iterations);
            if number == 0 {
                (solved.pack_time, solved.solve_time) = (pack_time, packed.elapsed());
            }
            match sort {
                Sort::Velocity => report.add_velocity(&solved),
                Sort::Position => report.add_position(&solved),
            }
            if report.velocity.status == Status::NonFinite {
                return Ok(report);
            }
        }
        if !outcome.is_finite() {
            report.velocity.status = Status::NonFinite;
        }
        Ok(report)
    }

    fn run_step(
        &mut self,
        given: &SubstepProblem,
        step: &SubstepPlan,
        plan: &Plan,
        batches: &Batches,
        position_rows: &Batches,
    ) -> Result<Outcome> {
        let lcps = lcps(given, step, batches.block_count());
        let control = Control::default();
        self.buffers
            .set(&self.gpu, batches, plan, Start::Nothing, &control)?;
        self.buffers.lcps.set(&lcps);
        let contacts = &batches.contacts;
        self.buffers
            .contacts
            .steps
            .set_each(contacts.blocks.len(), |at| {
                contact_step(given, contacts.source[at] as usize)
            });
        let joints = &batches.joints;
        self.buffers
            .joints
            .steps
            .set_each(joints.blocks.len(), |at| {
                let row = joints.source[at] as usize;
                let pass = |blocks: &[JointBlock], scales: &[JointScale]| {
                    pass_of(&blocks[at], &scales[at])
                };
                JointStep {
                    velocity: pass(&joints.blocks, &batches.joint_scales),
                    position: pass(&position_rows.joints.blocks, &position_rows.joint_scales),
                    ..joint_step(given, row)
                }
            });
        self.count(batches, plan);
        let passes = Passes::new(&self.gpu, &self.layouts, &self.buffers, plan)?;
        let run = Run {
            gpu: &self.gpu,
            buffers: &mut self.buffers,
            upload: &mut self.upload,
            readback: &mut self.readback,
            traffic: &mut self.traffic,
            start: Start::Nothing,
            iterations_per_submit: super::iterations_per_submit(batches, plan),
            passes,
        };
        let outcome = run.step(&jobs(plan, step), batches, lcps.len());
        self.upload.recycle();
        outcome
    }
}

impl Run<'_> {
    /// Uploads, runs all LCPs of a step, and brings back what they have done.
    fn step(mut self, jobs: &[Job<'_>], batches: &Batches, lcp_count: usize) -> Result<Outcome> {
        let encoder = self.submit_jobs(jobs)?;
        let mut outcome = Outcome {
            logs: vec![Control::default(); lcp_count],
            states: vec![BodyState::default(); batches.velocities.len()],
            contacts: vec![ContactTotal::default(); batches.contacts.blocks.len()],
            joints: vec![JointTotal::default(); batches.joints.blocks.len()],
        };
        let buffers = &*self.buffers;
        let mut wanted: [Wanted<'_>; 4] = [
            (&buffers.logs, bytemuck::cast_slice_mut(&mut outcome.logs)),
            (
                &buffers.body_states,
                bytemuck::cast_slice_mut(&mut outcome.states),
            ),
            (
                &buffers.contacts.totals,
                bytemuck::cast_slice_mut(&mut outcome.contacts),
            ),
            (
                &buffers.joints.totals,
                bytemuck::cast_slice_mut(&mut outcome.joints),
            ),
        ];
        self.readback
            .read(self.gpu, encoder, &mut wanted, self.traffic)?;
        self.traffic.dispatches = self.passes.dispatches();
        Ok(outcome)
    }

    /// Submits the step but for what fits into the last submission, which is returned: all of it, unless
    /// the watchdog's bounds say otherwise.
    fn submit_jobs(&mut self, jobs: &[Job<'_>]) -> Result<wgpu::CommandEncoder> {
        let mut in_flight = VecDeque::new();
        let mut rest = jobs;
        let mut first = true;
        loop {
            let mut cost = 0;
            let fits = |job: &&Job<'_>| {
                cost += job.cost;
                cost <= self.iterations_per_submit
            };
            // A job that alone exceeds the bound goes alone.
            let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
            let (now, later) = rest.split_at(count);
            rest = later;
            let encoder = self.gpu.scoped("stepping", || {
                let mut encoder = self.gpu.encoder();
                if first {
                    self.upload.record(
                        self.gpu,
                        &mut encoder,
                        &mut self.buffers.all(),
                        &mut self.traffic.up,
                    )?;
                }
                let mut recording = passes::begin(&mut encoder);
                for job in now {
                    match job.pass {
                        Some((options, done)) => {
                            self.passes
                                .record_passes(&mut recording, options, done..done + 1);
                        }
                        None => self.passes.record(&mut recording, job.dispatches),
                    }
                }
                drop(recording);
                Ok(encoder)
            })?;
            first = false;
            if rest.is_empty() {
                return Ok(encoder);
            }
            in_flight.push_back(self.gpu.queue.submit([encoder.finish()]));
            self.traffic.submits += 1;
            if in_flight.len() > SUBMISSIONS_IN_FLIGHT
                && let Some(oldest) = in_flight.pop_front()
            {
                self.gpu.wait(oldest)?;
                self.traffic.holds += 1;
            }
        }
    }
}

/// Everything that a step records, in order.
fn jobs<'a>(plan: &'a Plan, step: &'a SubstepPlan) -> Vec<Job<'a>> {
    let fixed = |dispatches: &'a [Dispatch], cost| Job {
        dispatches,
        pass: None,
        cost,
    };
    let mut jobs = vec![fixed(&plan.prepare, 0), fixed(&plan.begin, 0)];
    for (lcp, between) in plan.lcps.iter().zip(step.lcps()) {
        let sort = between.next.unwrap_or(Sort::Velocity);
        let options = options_of(step, sort);
        jobs.push(fixed(&lcp.before, 0));
        if sort == Sort::Velocity && options.warm_start {
            jobs.push(fixed(&plan.rebuild, 1));
        }
        jobs.extend((0..options.iterations).map(|done| Job {
            dispatches: &[],
            pass: Some((options, done)),
            cost: 1,
        }));
        jobs.push(fixed(&lcp.after, 0));
    }
    jobs.push(fixed(&plan.finish, 0));
    jobs
}

/// The records of the LCPs.
fn lcps(given: &SubstepProblem, step: &SubstepPlan, block_count: usize) -> Vec<Lcp> {
    let [of_velocity, of_position] = rules(given, step).map(|rule| rule.unwrap_or_default() as u32);
    (1..=step.substeps)
        .flat_map(|substep| {
            let velocity = Lcp {
                momentum_rule: of_velocity,
                ..Lcp::velocity(step, substep, block_count)
            };
            let position = step.position.as_ref().map(|position| Lcp {
                momentum_rule: of_position,
                ..Lcp::position(step, position, substep, block_count)
            });
            std::iter::once(velocity).chain(position)
        })
        .collect()
}

/// Momentum of the velocity LCPs, and of the position LCPs, which have no friction.
fn rules(given: &SubstepProblem, step: &SubstepPlan) -> [Option<MomentumRule>; 2] {
    let position = step.position.as_ref();
    [
        step.velocity.method.momentum(given.problem.is_convex()),
        position.and_then(|position| position.options.method.momentum(true)),
    ]
}

/// The joint rows of position LCPs, between the same bodies.
fn position_rows(given: &SubstepProblem) -> Problem {
    let rows = given.problem.joint_rows.iter().zip(&given.row_laws);
    let rows = rows.map(|(row, law)| {
        let bound = |bound| if law.has_position() { bound } else { 0.0 };
        JointRow {
            bias: 0.0,
            softness: 0.0,
            lower: bound(row.lower),
            upper: bound(row.upper),
            impulse: 0.0,
            ..*row
        }
    });
    let joint_rows: Vec<_> = rows.collect();
    if joint_rows.is_empty() {
        return Problem::default();
    }
    Problem {
        bodies: given.problem.bodies.clone(),
        joint_rows,
        ..Problem::default()
    }
}

fn pass_of(block: &JointBlock, scale: &JointScale) -> JointPass {
    JointPass {
        mass: block.mass,
        softness: block.softness,
        lower: block.lower,
        upper: block.upper,
        scale_mass: scale.mass,
        scale_per_impulse: scale.per_impulse,
    }
}

/// Velocity of a body at the start of the step.
fn start_of(given: &SubstepProblem, body: u32) -> (Vec3, Vec3) {
    let body = &given.problem.bodies[body as usize];
    (
        math::widen(body.linear_velocity),
        math::widen(body.angular_velocity),
    )
}

/// What forces add to it over the whole step.
fn increment_of(given: &SubstepProblem, body: u32) -> (Vec3, Vec3) {
    let increment = &given.increments[body as usize];
    (
        math::widen(increment.linear),
        math::widen(increment.angular),
    )
}

/// A contact at the start of the step; in f64, narrowed at the end.
fn contact_step(given: &SubstepProblem, index: usize) -> ContactStep {
    let contact = &given.problem.contacts[index];
    let apart = |twist: fn(&SubstepProblem, u32) -> (Vec3, Vec3)| -> V3 {
        let point = |body: u32, arm: V3| {
            let (linear, angular) = twist(given, body);
            linear + angular.cross(&math::widen(arm))
        };
        math::narrow(&(point(contact.body_a, contact.arm_a) - point(contact.body_b, contact.arm_b)))
    };
    ContactStep {
        start: apart(start_of),
        gap: given.gaps[index],
        increment: apart(increment_of),
        restitution: given.restitutions.get(index).copied().unwrap_or(0.0),
    }
}

/// A joint row at the start of the step, but for its masses.
fn joint_step(given: &SubstepProblem, index: usize) -> JointStep {
    let row = &given.problem.joint_rows[index];
    let along = |twist: fn(&SubstepProblem, u32) -> (Vec3, Vec3)| {
        let ((linear_a, angular_a), (linear_b, angular_b)) =
            (twist(given, row.body_a), twist(given, row.body_b));
        let moved = math::widen(row.linear).dot(&(linear_a - linear_b))
            + math::widen(row.angular_a).dot(&angular_a)
            + math::widen(row.angular_b).dot(&angular_b);
        moved as f32
    };
    JointStep {
        law: given.row_laws[index],
        start: along(start_of),
        increment: along(increment_of),
        velocity: JointPass::default(),
        position: JointPass::default(),
    }
}

impl Outcome {
    /// Puts what lies on the device after the step into the batches.
    fn leave(&self, batches: &mut Batches) {
        for velocity in &mut batches.velocities {
            velocity.linear = [0.0; 3];
            velocity.angular = [0.0; 3];
        }
        let impulses = batches.contacts.impulses.iter_mut();
        for (impulse, total) in impulses.zip(&self.contacts) {
            *impulse = total.kept;
        }
        let impulses = batches.joints.impulses.iter_mut();
        for (impulse, total) in impulses.zip(&self.joints) {
            *impulse = total.kept;
        }
    }

    /// True if every number is finite, and no joint impulse at the bound of those without bounds.
    fn is_finite(&self) -> bool {
        let states: &[f32] = bytemuck::cast_slice(&self.states);
        let contacts: &[f32] = bytemuck::cast_slice(&self.contacts);
        states.iter().chain(contacts).all(|x| x.is_finite())
            && self
                .joints
                .iter()
                .all(|joint| joint.kept.abs() < JointRow::UNBOUNDED)
    }
}

impl SubstepSolution {
    /// Takes what came back, impulses in the problem's order.
    fn take_from(&mut self, outcome: &Outcome, batches: &Batches) {
        self.changes.clear();
        self.changes
            .extend(outcome.states.iter().map(|state| Velocity {
                linear: state.gained_linear,
                angular: state.gained_angular,
            }));
        self.displacements.clear();
        let moved = outcome.states.iter().map(|state| Displacement {
            linear: state.moved_linear,
            angular: state.moved_angular,
        });
        self.displacements.extend(moved);
        let contacts = outcome.contacts.len();
        for impulses in [&mut self.impulses, &mut self.total_impulses] {
            impulses.clear();
            impulses.resize(contacts, [0.0; 3]);
        }
        for (&contact, total) in batches.contacts.source.iter().zip(&outcome.contacts) {
            let three = |[n, t1, t2, _]: [f32; 4]| [n, t1, t2];
            self.impulses[contact as usize] = three(total.kept);
            self.total_impulses[contact as usize] = three(total.total);
        }
        for impulses in [&mut self.joint_impulses, &mut self.total_joint_impulses] {
            impulses.clear();
            impulses.resize(outcome.joints.len(), 0.0);
        }
        for (&row, total) in batches.joints.source.iter().zip(&outcome.joints) {
            self.joint_impulses[row as usize] = total.kept;
            self.total_joint_impulses[row as usize] = total.total;
        }
    }
}
