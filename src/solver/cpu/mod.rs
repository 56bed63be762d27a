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
mod run;
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
use super::{Method, Options, Packer, Plan, Report, Solution, Solver};
use crate::constants::MIN_BLOCKS_OF_A_TEAM;
use crate::error::Result;
use crate::parallel::together;
use crate::problem::batches::Batches;
use crate::problem::{AsProblem, ProblemRef};
use lanes::{JointLanes, Lanes, Velocities};
use std::ops::Range;
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
        problem: &dyn AsProblem,
        options: &Options,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
    ) -> Result<Report> {
        let problem = &problem.as_problem();
        let report = self.in_team(problem, &Plan::Once(*options), solution, watch)?;
        Ok(report.velocity)
    }

    /// Solves with as many threads as the pool has, but with one if the problem is small.
    fn in_team(
        &mut self,
        problem: &ProblemRef<'_>,
        plan: &Plan,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
    ) -> Result<SubstepReport> {
        plan.validate()?;
        let problem = &match plan {
            Plan::Once(_) => *problem,
            Plan::Substeps(plan) => plan.applied_to(problem),
        };
        let in_clusters = plan.velocity().method == Method::Cluster;
        // Coloured contacts are looked at while lanes are filled with them, if there are no joints.
        let looks_at_contacts = problem.joint_rows.is_empty() && !in_clusters;
        if !(looks_at_contacts && plan.is_plain_but_for_contacts(problem)) {
            plan.validate_problem(problem)?;
        }
        let blocks = problem.contacts.len() + problem.joint_rows.len();
        let threads = if blocks < MIN_BLOCKS_OF_A_TEAM {
            1
        } else {
            rayon::current_num_threads()
        };
        together(threads, |team| {
            if in_clusters {
                let options = plan.velocity();
                let report = self.clusters.run(problem, options, solution, watch)?;
                return Ok(report.into());
            }
            self.run(problem, plan, solution, watch, team)
        })
    }
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

    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        let problem = &problem.as_problem();
        match plan {
            Plan::Substeps(plan) if !plan.has_one_packing() => {
                in_substeps(self, problem, plan, solution)
            }
            _ => self.in_team(problem, plan, solution, &mut |_| {}),
        }
    }
}
