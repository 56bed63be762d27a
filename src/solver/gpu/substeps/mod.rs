//! A whole step in substeps on the device: its LCPs one behind the other in one submission, and one wait.
//!
//! What the host uploads is a contact's geometry, and how its gap and velocity follow from the bodies'
//! state; from then on the device moves bodies, measures gaps, and starts each LCP from the impulses
//! before. It agrees with [`in_substeps`](crate::solver::reference::in_substeps) up to f32: there, states
//! are kept in f64 between the LCPs, here in f32, counted from the start of the step.

mod outcome;
mod start;

use super::GpuSolver;
use super::dispatch::{Dispatch, begin_pass};
use super::plan::Plan;
use super::run::Run;
use super::start_velocities::StartVelocities;
use crate::constants::CONTACTS_PER_THREAD;
use crate::error::Result;
use crate::problem::ProblemRef;
use crate::problem::batches::Batches;
use crate::solver::residual::Control;
use crate::solver::substeps::records::{BodyState, GivenContact, PassKind};
use crate::solver::substeps::{SubstepPlan, SubstepReport};
use crate::solver::{Options, Solution};
use outcome::Outcome;
use start::{given_contact, lcps, options_of, rules};
use std::time::Instant;

impl GpuSolver {
    /// True if the states of a problem's bodies fit into a binding.
    pub(super) fn has_states(&self, given: &ProblemRef<'_>) -> bool {
        let states = (given.bodies.len() * size_of::<BodyState>()) as u64;
        states <= self.gpu.limits.max_storage_buffer_binding_size
    }

    /// Computes a step on the device.
    ///
    /// # Errors
    /// As [`Solver::step`](crate::solver::Solver::step).
    pub(super) fn run_substeps(
        &mut self,
        given: &ProblemRef<'_>,
        step: &SubstepPlan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        let given = &step.applied_to(given);
        step.validate()?;
        given.validate()?;
        step.validate_problem(given)?;
        self.gpu.check()?;
        let start = Instant::now();
        // Only the order is packed: blocks and impulses are made on the device.
        let mut batches = self.packer.batches.take().unwrap_or_default();
        batches.repack_order(given, step.velocity.method.max_colors(), false);
        batches.refill_inertias(given.bodies);
        let pack_time = start.elapsed();
        let packed = Instant::now();
        self.transfers.begin();
        let found = self.run_step(given, step, &batches, solution);
        self.transfers.upload.recycle();
        let report =
            found.map(|outcome| outcome.report(step, &batches, pack_time, packed.elapsed()));
        if report.is_err() {
            self.buffers.forget();
        }
        self.packer.keep(batches);
        report
    }

    /// Uploads what has changed, runs all LCPs, and brings back what they have done.
    fn run_step(
        &mut self,
        given: &ProblemRef<'_>,
        step: &SubstepPlan,
        batches: &Batches,
        solution: &mut Solution,
    ) -> Result<Outcome> {
        let rules = rules(given, step);
        let mut plan = Plan::new(batches, rules[0].or(rules[1]), &self.gpu.limits)?;
        plan.add_substeps(batches, step, &self.gpu.limits)?;
        let lcps = lcps(step, rules, batches.block_count());
        let start = StartVelocities::Nothing;
        self.buffers
            .set_all_but_contacts(&self.gpu, batches, &plan, start, &Control::default())?;
        self.buffers.lcps.set(&lcps);
        self.buffers.set_step(given, &batches.contacts);
        let warm_start = step.velocity.warm_start;
        let contact = |index| bytemuck::cast(given_contact(given, index, warm_start));
        let run = self.ready(&plan, start, batches)?;
        run.step(contact, &jobs(&plan, step), batches, lcps.len(), solution)
    }
}

/// Something to record, and the passes over all blocks that it counts as.
struct Job<'a> {
    dispatches: &'a [Dispatch],
    pass: Option<(&'a Options, u32)>,
    cost: u32,
}

impl Run<'_> {
    /// Uploads, runs all LCPs of a step, and brings back what they have done; `contact` gives the
    /// [`GivenContact`] of a contact of the problem.
    fn step(
        mut self,
        contact: impl Fn(usize) -> [u8; size_of::<GivenContact>()] + Sync,
        jobs: &[Job<'_>],
        batches: &Batches,
        lcp_count: usize,
        solution: &mut Solution,
    ) -> Result<Outcome> {
        let encoder = self.submit_jobs(contact, jobs)?;
        let outcome = self.buffers.bring(batches, lcp_count, solution, |wanted| {
            self.transfers.read(self.gpu, encoder, wanted)
        })?;
        self.transfers.traffic.dispatches = self.passes.dispatches();
        Ok(outcome)
    }

    /// Submits the step but for what fits into the last submission, which is returned: all of it, unless
    /// the watchdog's bounds say otherwise.
    fn submit_jobs(
        &mut self,
        contact: impl Fn(usize) -> [u8; size_of::<GivenContact>()] + Sync,
        jobs: &[Job<'_>],
    ) -> Result<wgpu::CommandEncoder> {
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
                    self.transfers
                        .upload(self.gpu, &mut encoder, &mut self.buffers.all())?;
                    self.transfers.upload_whole(
                        self.gpu,
                        &mut encoder,
                        &self.buffers.given,
                        CONTACTS_PER_THREAD,
                        &contact,
                    )?;
                }
                let mut recording = begin_pass(&mut encoder, "sweeps");
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
            self.transfers.submit(self.gpu, encoder);
            self.transfers.hold(self.gpu)?;
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
    let mut jobs = vec![
        fixed(&plan.gather, 0),
        fixed(&plan.prepare, 0),
        fixed(&plan.begin, 0),
    ];
    for (lcp, transition) in plan.lcps.iter().zip(step.lcps()) {
        let kind = transition.next.unwrap_or(PassKind::Velocity);
        let options = options_of(step, kind);
        jobs.push(fixed(&lcp.before, 0));
        if kind == PassKind::Velocity && options.warm_start {
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
