//! The CPU backend: lanes and threads over the same batches, with the same arithmetic, as the GPU's.

mod block;
mod body_gather;
mod body_start;
mod cluster;
mod cluster_gather;
mod cluster_residual;
mod cluster_sweep;
mod contact;
mod extrapolation;
mod friction;
mod gap;
mod joint;
mod lanes;
mod momentum;
mod parts;
mod progress;
mod residuals;
mod substep_kernels;
mod substeps;
mod sweep;
mod sweeping;

pub use crate::simd::Width;

/// The CPU twins of kernels, each by itself: for tests and benches.
pub(crate) mod kernels {
    pub use super::body_gather::{body_gather, hub_gather};
    pub use super::body_start::body_start;
    pub use super::cluster_gather::cluster_gather;
    pub use super::cluster_residual::cluster_residual;
    pub use super::cluster_sweep::{ClusterMemory, ClusterRound, cluster_sweep};
    pub use super::momentum::{BodyMomentum, body_momentum, contact_momentum, joint_momentum};
    pub use super::progress::{contact_progress, joint_progress};
    pub use super::residuals::{contact_residual, joint_residual};
    pub use super::substep_kernels::{substep_bodies, substep_contacts, substep_control};
    pub use super::sweep::{
        Sweep, VelocityChange, contact_split, contact_sweep, joint_split, joint_sweep,
    };
}

pub(crate) use kernels::{BodyMomentum, ClusterRound, Sweep, VelocityChange};

use super::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use super::reference::in_substeps;
use super::residual::Partial;
use super::substeps::SubstepReport;
use super::{Method, Options, Packer, Plan, Report, Solution, Solver, Status, direct};
use crate::constants::MIN_BLOCKS_OF_A_TEAM;
use crate::error::Result;
use crate::parallel::{Team, together};
use crate::problem::Problem;
use crate::problem::batches::Batches;
use lanes::{Given, JointLanes, Lanes, Velocities};
use std::ops::Range;
use std::time::Instant;
use substeps::SubstepMemory;

/// Least number of elements handed to one thread where each takes a few nanoseconds.
const GRAIN: usize = 1024;

/// Every [`Method`] on the current rayon thread pool.
///
/// Coloured contacts are swept in lanes of the processor's vectors. Results do not depend on the number
/// of threads, nor on the [`Width`] of vectors.
#[derive(Debug, Default)]
pub struct CpuSolver {
    packer: Packer,
    /// The coloured contacts, with their impulses while a solve lasts.
    lanes: Lanes,
    joint_lanes: JointLanes,
    /// What the impulses add to the velocities, while a solve lasts.
    velocities: Velocities,
    substeps: SubstepMemory,
    changes: Vec<VelocityChange>,
    residuals: Vec<f32>,
    terms: Vec<Progress>,
    contact_partials: Vec<Partial>,
    joint_partials: Vec<Partial>,
    momentum: Momentum,
    contact_memory: Vec<ContactMemory>,
    joint_memory: Vec<JointMemory>,
    body_memory: Vec<VelocityChange>,
    contact_sums: Vec<Progress>,
    joint_sums: Vec<Progress>,
    clusters: cluster::ClusterSolve,
}

impl CpuSolver {
    /// A solver with empty buffers; they grow with the problems.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with vectors of a given width, or with arrays where the processor lacks them.
    #[must_use]
    pub fn with_width(width: Width) -> Self {
        Self {
            lanes: Lanes::new(width),
            joint_lanes: JointLanes::new(width),
            ..Self::default()
        }
    }

    /// Like [`Solver::solve`], and hands every report that comes of a look at the residual to `watch`:
    /// [`Options::check_every`] says how often there is one if there is a tolerance, else there is one at
    /// the end.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_watched(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
    ) -> Result<Report> {
        let report = self.run(problem, &Plan::Once(*options), solution, watch)?;
        Ok(report.velocity)
    }

    /// A problem that is solved once, or a step in substeps whose blocks stay where they are.
    fn run(
        &mut self,
        problem: &Problem,
        plan: &Plan,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
    ) -> Result<SubstepReport> {
        plan.validate()?;
        let in_clusters = plan.velocity().method == Method::Cluster;
        // Coloured contacts are looked at while lanes are filled with them, if there are no joints.
        let looks_at_contacts = problem.joint_rows.is_empty() && !in_clusters;
        if !(looks_at_contacts && plan.is_plain_but_for_contacts(problem)) {
            plan.validate_problem(problem)?;
        }
        self.in_team(problem, |solver, team| {
            if in_clusters {
                let (clusters, options) = (&mut solver.clusters, plan.velocity());
                return Ok(clusters.run(problem, options, solution, watch)?.into());
            }
            solver.run_in_team(problem, plan, solution, watch, team)
        })
    }

    /// Works with as many threads as the pool has, but with one on a small problem.
    fn in_team<R: Send>(
        &mut self,
        problem: &Problem,
        work: impl FnOnce(&mut Self, &Team) -> R + Send,
    ) -> R {
        let blocks = problem.contacts.len() + problem.joint_rows.len();
        let threads = if blocks < MIN_BLOCKS_OF_A_TEAM {
            1
        } else {
            rayon::current_num_threads()
        };
        together(threads, |team| work(self, team))
    }

    /// Packs a problem and takes it over, with the impulses that it starts from.
    fn start(&mut self, problem: &Problem, plan: &Plan, team: &Team) -> Result<(Batches, Report)> {
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
            self.sweep_colored_contacts(&batches, team, Sweep::Rebuild, 1);
            batches.apply_remainder(self.velocities.bodies_mut());
        }
        if !problem.joint_rows.is_empty() {
            batches.velocities.copy_from_slice(self.velocities.bodies());
            report.direct_rows = self.packer.start_joints(&mut batches, options);
            let velocities = self.velocities.bodies_mut();
            velocities.copy_from_slice(&batches.velocities);
        }
        report.pack_time += start.elapsed();
        Ok((batches, report))
    }

    /// Sweeps until the options are content. The residual is looked at where there is a tolerance, and at
    /// the end if the looks ask for it.
    fn iterate(
        &mut self,
        batches: &mut Batches,
        team: &Team,
        options: &Options,
        report: &mut Report,
        looks: &mut Looks<'_>,
    ) {
        let rule = options.method.momentum(looks.is_convex);
        if let Some(rule) = rule {
            self.begin(batches, rule);
        }

        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            let end = report.iterations + count;
            // Nothing comes between these passes: no thread needs to wait for the end of one.
            if rule.is_none() && is_colored(batches) {
                self.sweep_colored_contacts(batches, team, Sweep::Update, count as usize);
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
            if !looks.at_end && options.tolerance == 0.0 {
                continue;
            }
            self.look(batches, team, options, report);
            (looks.watch)(report);
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
        looks: &mut Looks<'_>,
    ) {
        if batches.joints.blocks.is_empty() || report.status == Status::Converged {
            return;
        }
        if direct::has_an_end(options, report) {
            let velocities = self.velocities.bodies_mut();
            self.packer.mechanisms.end(batches, velocities);
        }
        self.look(batches, team, options, report);
        (looks.watch)(report);
    }

    /// Finds the residual, and the status that follows from it.
    fn look(&mut self, batches: &Batches, team: &Team, options: &Options, report: &mut Report) {
        (report.residual_rms, report.residual_max) = self.residual(batches, team);
        report.status = Status::after(report, options);
    }
}

/// When the residual of an LCP is looked at.
struct Looks<'a> {
    /// True if the problem is convex.
    is_convex: bool,
    /// At the end, whatever the tolerance.
    at_end: bool,
    /// Is told of each look.
    watch: &'a mut (dyn FnMut(&Report) + Send),
}

/// True if there are no joints, and all contacts have a colour.
fn is_colored(batches: &Batches) -> bool {
    batches.joints.blocks.is_empty() && batches.contacts.remainder.elements.is_empty()
}

/// Range of the contacts in the remainder.
fn remainder_contacts(batches: &Batches) -> Range<usize> {
    let elements = &batches.contacts.remainder.elements;
    elements.start as usize..elements.end as usize
}

impl Solver for CpuSolver {
    fn backend(&self) -> &'static str {
        "cpu"
    }

    fn works_on_threads(&self, options: &Options) -> bool {
        // Clusters are shared among the threads of the pool.
        options.method != Method::Cluster
    }

    fn step(
        &mut self,
        problem: &Problem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        match plan {
            Plan::Substeps(plan) if !plan.has_one_packing() => {
                in_substeps(self, problem, plan, solution)
            }
            _ => self.run(problem, plan, solution, &mut |_| {}),
        }
    }
}
