//! The course of a solve: packing, the LCPs of a step one after the other, and sweeps until each is done.

use super::lanes::Given;
use super::{CpuSolver, Sweep, VelocityChange, remainder_contacts};
use crate::constants::MIN_BLOCKS_OF_A_TEAM;
use crate::error::Result;
use crate::parallel::{Team, is_together, threads, together};
use crate::problem::batches::Batches;
use crate::problem::{AsProblem, ProblemRef};
use crate::solver::in_substeps::in_substeps;
use crate::solver::substeps::SubstepReport;
use crate::solver::{Method, Options, Plan, Report, Solution, Solver, Status, direct};
use std::time::{Duration, Instant};

/// Threads that solve a problem: one if it is small, else all of the pool.
fn threads_for(problem: &ProblemRef<'_>) -> usize {
    if problem.contacts.len() + problem.joint_rows.len() < MIN_BLOCKS_OF_A_TEAM {
        1
    } else {
        threads()
    }
}

impl Solver for CpuSolver {
    fn backend(&self) -> &'static str {
        "cpu"
    }

    fn works_on_threads(&self, _: &Options) -> bool {
        true
    }

    /// The velocity LCP of each substep, and the position LCP after it. A problem that is solved once is a step of one part, whose
    /// velocities are left as the sweeps left them.
    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        let problem = &problem.as_problem();
        // Of compliant contacts lanes have the law of one problem only.
        if let Plan::Substeps(plan) = plan
            && (!plan.has_one_packing() || problem.is_compliant())
        {
            return in_substeps(self, problem, plan, solution);
        }
        let threads = threads_for(problem);
        if threads > 1 && !is_together() {
            return together(threads, |_| self.attempt(problem, plan, solution));
        }
        let team = &Team::current();
        plan.validate()?;
        let (options, divided) = (plan.velocity(), plan.substeps());
        let problem = &divided.map_or(*problem, |plan| plan.applied_to(problem));
        self.looks.clear();
        if options.method == Method::Cluster {
            plan.validate_problem(problem)?;
            let (clusters, looks) = (&mut self.clusters, &mut self.looks);
            return Ok(clusters.run(problem, options, solution, looks)?.into());
        }
        let (mut batches, packed) = self.start(problem, plan, team)?;
        let mut report = SubstepReport::default();
        let (mut start, mut part) = (Instant::now(), packed);
        let parts = divided.map_or(1, |plan| plan.substeps);
        for number in 1..=parts {
            let is_last = number == parts;
            if let Some(plan) = divided {
                self.begin_velocity(&mut batches, plan, number, team);
            }
            let lcp = Lcp {
                options,
                is_convex: problem.is_convex(),
                is_looked_at: is_last && problem.joint_rows.is_empty(),
            };
            self.iterate(&mut batches, team, &lcp, &mut part);
            self.end_with_joints(&mut batches, team, options, &mut part);
            if let Some(plan) = divided {
                self.end_velocity(&mut batches, plan, team);
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
                self.begin_position(&mut batches, (plan, position), number, team);
                let lcp = Lcp {
                    options: &position.options,
                    // It has no friction.
                    is_convex: true,
                    is_looked_at: is_last,
                };
                self.iterate(&mut batches, team, &lcp, &mut part);
                self.end_position(&mut batches, position, team);
                part.solve_time = start.elapsed();
                report.add_position(&part);
                start = Instant::now();
            }
            if report.velocity.status == Status::NonFinite {
                break;
            }
        }
        if divided.is_some() {
            self.store_step(&batches, solution, team);
        } else {
            let remainder = remainder_contacts(&batches).start;
            solution.take_from_block(remainder, problem, self.velocities.bodies(), &batches);
            self.lanes.store_impulses(&mut solution.impulses, team);
        }
        if !solution.is_finite() {
            report.velocity.status = Status::NonFinite;
        }
        report.velocity.solve_time += start.elapsed();
        self.packer.keep(batches);
        Ok(report)
    }
}

impl CpuSolver {
    /// Checks and packs a problem, and takes it over with the impulses that it starts from.
    fn start(
        &mut self,
        problem: &ProblemRef<'_>,
        plan: &Plan,
        team: &Team,
    ) -> Result<(Batches, Report)> {
        // Coloured contacts are looked at while lanes are filled with them, if there are no joints.
        if !(problem.joint_rows.is_empty() && plan.is_plain_but_for_contacts(problem)) {
            plan.validate_problem(problem)?;
        }
        let options = plan.velocity();
        let given = Given {
            problem,
            warm_start: options.warm_start,
            in_substeps: plan.substeps().is_some(),
        };
        let packer = &mut self.packer;
        let (mut batches, mut report) =
            packer.pack_remainder(problem, options, given.in_substeps)?;
        let start = Instant::now();
        if !self.lanes.fill(&given, &batches, team)
            && let Err(error) = problem.validate()
        {
            self.packer.keep(batches);
            return Err(error);
        }
        self.joint_lanes.fill(&batches, team);
        self.velocities
            .copy_from(&batches.velocities, team.threads());
        self.changes.clear();
        self.changes
            .resize(batches.slot_count() as usize, VelocityChange::default());
        if options.warm_start {
            batches.apply_joints(self.velocities.bodies_mut());
            let velocities = &mut self.velocities;
            self.lanes
                .sweep((Sweep::Rebuild, 1), &batches.friction, velocities, team);
            batches.apply_remainder(self.velocities.bodies_mut());
        }
        if !problem.joint_rows.is_empty() {
            batches.velocities.copy_from_slice(self.velocities.bodies());
            report.direct_rows = self.packer.start_joints(&mut batches, options);
            let velocities = self.velocities.bodies_mut();
            velocities.copy_from_slice(&batches.velocities);
        }
        if given.in_substeps {
            self.substeps.freeze(&batches, problem, team);
        }
        report.pack_time += start.elapsed();
        Ok((batches, report))
    }

    /// Sweeps until the options of an LCP are content.
    fn iterate(&mut self, batches: &mut Batches, team: &Team, lcp: &Lcp<'_>, report: &mut Report) {
        let options = lcp.options;
        let rule = options.method.momentum(lcp.is_convex);
        if let Some(rule) = rule {
            self.begin(batches, rule);
        }

        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            let end = report.iterations + count;
            // Nothing comes between these passes: no thread needs to wait for the end of one.
            if rule.is_none() && is_colored(batches) {
                let (passes, velocities) = ((Sweep::Update, count as usize), &mut self.velocities);
                self.lanes
                    .sweep(passes, &batches.friction, velocities, team);
                report.iterations = end;
            }
            for done in report.iterations..end {
                let start = options.method.start_of_pass(done);
                if let Some(start) = start {
                    self.extrapolate(batches, team, start);
                }
                self.sweep(batches, team, Sweep::Update);
                if start.is_some() {
                    self.judge(batches, team);
                }
            }
            report.iterations = end;
            if !lcp.is_looked_at && options.tolerance == 0.0 {
                continue;
            }
            self.look(batches, team, options, report);
            if report.status != Status::MaxIterations {
                break;
            }
        }
        report.barriers = options.method.barriers(batches, report.iterations);
    }

    /// Gives joints the last word, if there are any and the sweeps did not converge.
    fn end_with_joints(
        &mut self,
        batches: &mut Batches,
        team: &Team,
        options: &Options,
        report: &mut Report,
    ) {
        if batches.joints.blocks.is_empty() || report.status == Status::Converged {
            return;
        }
        if direct::has_an_end(options, report) {
            let velocities = self.velocities.bodies_mut();
            self.packer.mechanisms.end(batches, velocities);
        }
        self.look(batches, team, options, report);
    }

    /// Looks at the residual, from which the status follows.
    fn look(&mut self, batches: &Batches, team: &Team, options: &Options, report: &mut Report) {
        (report.residual_rms, report.residual_max) = self.residual(batches, team);
        report.status = Status::after(report, options);
        self.looks.push(*report);
    }
}

/// An LCP of a step, and when its residual is looked at.
struct Lcp<'a> {
    options: &'a Options,
    /// True if the problem is convex.
    is_convex: bool,
    /// True if it is looked at in the end, whatever the tolerance.
    is_looked_at: bool,
}

/// True if there are no joints, and all contacts have a colour.
fn is_colored(batches: &Batches) -> bool {
    batches.joints.blocks.is_empty() && batches.contacts.remainder.elements.is_empty()
}
