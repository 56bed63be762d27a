//! The CPU backend: lanes and threads over the same batches, with the same arithmetic, as the GPU's.

mod body_gather;
mod body_start;
mod cluster;
mod cluster_gather;
mod cluster_residual;
mod cluster_sweep;
mod contact;
mod contact_block;
mod contact_residual;
mod contact_split;
mod contact_sweep;
mod extrapolation;
mod gap;
mod joint;
mod joint_residual;
mod joint_split;
mod joint_sweep;
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
    pub use super::contact_residual::contact_residual;
    pub use super::contact_split::{VelocityChange, contact_split};
    pub use super::contact_sweep::contact_sweep;
    pub use super::joint_residual::joint_residual;
    pub use super::joint_split::joint_split;
    pub use super::joint_sweep::joint_sweep;
    pub use super::momentum::{BodyMomentum, body_momentum, contact_momentum, joint_momentum};
    pub use super::progress::{contact_progress, joint_progress};
    pub use super::substep_kernels::{substep_bodies, substep_contacts, substep_control};
    pub use super::sweep::Sweep;
}

pub(crate) use kernels::{BodyMomentum, ClusterRound, Sweep, VelocityChange};

use super::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use super::residual::Partial;
use super::substeps::{SubstepPlan, SubstepProblem, SubstepReport, SubstepSolution, by_solving};
use super::{Method, Options, Packer, Report, Solution, Solver, Status, direct};
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
        options.validate()?;
        let looks_at_contacts = problem.joint_rows.is_empty() && options.method != Method::Cluster;
        if !(looks_at_contacts && problem.is_plain_but_for_contacts()) {
            problem.validate()?;
        }
        self.in_team(problem, |solver, team| {
            if options.method == Method::Cluster {
                return solver.clusters.run(problem, options, solution, watch);
            }
            solver.solve_in_team(problem, options, solution, watch, team)
        })
    }

    /// Packs and solves with the threads of a team.
    fn solve_in_team(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
        team: &Team,
    ) -> Result<Report> {
        let given = Given {
            problem,
            warm_start: options.warm_start,
            substeps: None,
        };
        let (mut batches, mut report) = self.start(&given, options, team)?;
        let packed = Instant::now();
        let looks = problem.joint_rows.is_empty();
        let mut watching = |report: &Report| watch(report);
        let manner = (problem.is_convex(), looks, Some(&mut watching as _));
        self.iterate(&mut batches, team, options, &mut report, manner);
        if !looks && report.status != Status::Converged {
            if direct::has_an_end(options, &report) {
                let velocities = self.velocities.bodies_mut();
                self.packer.mechanisms.end(&mut batches, velocities);
            }
            (report.residual_rms, report.residual_max) = self.residual(&batches, team);
            report.status = Status::after(&report, options);
            watch(&report);
        }
        let remainder = remainder_contacts(&batches).start;
        solution.take_from_block(remainder, problem, self.velocities.bodies(), &batches);
        self.lanes.store_impulses(&mut solution.impulses, team);
        self.packer.keep(batches);
        if !solution.is_finite() {
            report.status = Status::NonFinite;
        }
        report.solve_time = packed.elapsed();
        Ok(report)
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

    /// Packs a problem and takes it over.
    fn start(
        &mut self,
        given: &Given<'_>,
        options: &Options,
        team: &Team,
    ) -> Result<(Batches, Report)> {
        let (batches, mut report) = self.pack(given, options)?;
        if let Err(error) = self.begin_solve(given, &batches, team, &mut report) {
            self.packer.keep(batches);
            return Err(error);
        }
        Ok((batches, report))
    }

    /// Puts a problem in order. Contacts with a colour are left to [`Self::begin_solve`].
    /// Without joints contacts are checked on the way, here and there.
    fn pack(&mut self, given: &Given<'_>, options: &Options) -> Result<(Batches, Report)> {
        if !given.problem.joint_rows.is_empty() {
            // A direct start needs blocks, and velocities with the impulses of all contacts.
            return Ok(self.packer.pack(given.problem, options));
        }
        let unbiased = given.substeps.is_some();
        self.packer.pack_remainder(given.problem, options, unbiased)
    }

    /// Takes over a problem that has been put in order, and applies the impulses that it starts from.
    fn begin_solve(
        &mut self,
        given: &Given<'_>,
        batches: &Batches,
        team: &Team,
        report: &mut Report,
    ) -> Result<()> {
        let start = Instant::now();
        if !self.lanes.fill(given, batches, team) {
            given.problem.validate()?;
        }
        self.joint_lanes.fill(batches, team);
        self.velocities
            .copy_from(&batches.velocities, team.threads());
        self.changes.clear();
        self.changes
            .resize(batches.slot_count() as usize, VelocityChange::default());
        if given.warm_start && given.problem.joint_rows.is_empty() {
            self.sweep_colored_contacts(batches, team, Sweep::Rebuild, 1);
            batches.apply_remainder(self.velocities.bodies_mut());
        }
        report.pack_time += start.elapsed();
        Ok(())
    }

    /// Sweeps until the options are content. The residual is looked at where there is a tolerance, and at
    /// the end if the manner asks for it.
    fn iterate(
        &mut self,
        batches: &mut Batches,
        team: &Team,
        options: &Options,
        report: &mut Report,
        (is_convex, looks, mut watch): Manner<'_>,
    ) {
        if let Some(rule) = options.method.momentum(is_convex) {
            self.begin(batches, rule);
        }

        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            let end = report.iterations + count;
            // Nothing comes between these passes: no thread needs to wait for the end of one.
            if options.method.momentum(is_convex).is_none() && is_colored(batches) {
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
            if !looks && options.tolerance == 0.0 {
                continue;
            }
            (report.residual_rms, report.residual_max) = self.residual(batches, team);
            report.status = Status::after(report, options);
            if let Some(watch) = &mut watch {
                watch(report);
            }
            if report.status != Status::MaxIterations {
                break;
            }
        }
        report.barriers = options.method.barriers(batches, report.iterations);
    }
}

/// How to iterate: whether the problem is convex, whether to look at the residual at the end, and whom to
/// tell of a look.
type Manner<'a> = (bool, bool, Option<&'a mut (dyn FnMut(&Report) + Send)>);

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

    fn solve(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        self.solve_watched(problem, options, solution, &mut |_| {})
    }

    fn solve_substeps(
        &mut self,
        problem: &SubstepProblem,
        plan: &SubstepPlan,
        solution: &mut SubstepSolution,
    ) -> Result<SubstepReport> {
        if !substeps::is_native(problem, plan) {
            return by_solving(self, problem, plan, solution);
        }
        plan.validate()?;
        if !problem.is_plain_but_for_contacts() {
            problem.validate()?;
        }
        self.in_team(&problem.problem, |solver, team| {
            solver.step_in_team(problem, plan, solution, team)
        })
    }
}
