//! What solves by clusters have in common, whatever the backend.

use super::cpu::ClusterRound;
use super::{Options, Packer, Report, Solution, Status};
use crate::constants::MOMENTUM_REBUILD_PASSES;
use crate::problem::ProblemRef;
use crate::problem::batches::Batches;
use crate::problem::clusters::Clusters;
use std::ops::Range;
use std::time::Instant;

/// Packs problems in the order of their clusters; keeps memory, and what depends only on which bodies
/// a problem links, from solve to solve.
#[derive(Debug, Default)]
pub(super) struct ClusterPacker {
    packer: Packer,
}

impl ClusterPacker {
    /// Cuts and packs a problem and makes the start that the options ask for; the report says how. The
    /// batches should be given back to [`Self::keep`].
    pub(super) fn pack(
        &mut self,
        problem: &ProblemRef<'_>,
        options: &Options,
    ) -> (Batches, Clusters, Report) {
        let start = Instant::now();
        let clusters = Clusters::cut(problem);
        let mut batches = self.packer.batches.take().unwrap_or_default();
        batches.repack_clusters(problem, &clusters, options.warm_start);
        let direct_rows = self.packer.start_joints(&mut batches, options);
        let report = Report {
            direct_rows,
            colors: clusters.most_colors(),
            pack_time: start.elapsed(),
            ..Report::default()
        };
        (batches, clusters, report)
    }

    /// Hands the solution of the problem that was packed last over, joints having the last word, and ends the report of a solve that
    /// was packed at `packed`.
    pub(super) fn finish(
        &mut self,
        problem: &ProblemRef<'_>,
        options: &Options,
        mut batches: Batches,
        solution: &mut Solution,
        report: &mut Report,
        packed: Instant,
    ) {
        super::end_with_joints(&mut self.packer.mechanisms, &mut batches, options, report);
        solution.take_from(problem, &batches);
        if !solution.is_finite() {
            report.status = Status::NonFinite;
        }
        report.solve_time = packed.elapsed();
        self.keep(batches);
    }

    /// Takes the batches back for the next problem.
    pub(super) fn keep(&mut self, batches: Batches) {
        self.packer.keep(batches);
    }
}

/// Passes from `done` to the next look at the residual: whole symmetric sweeps, unless the passes end.
pub(super) fn until_check(options: &Options, done: u32) -> u32 {
    let count = options.until_check(done);
    if done + count < options.iterations {
        count.next_multiple_of(2)
    } else {
        count
    }
}

/// The rounds that make the passes from `done` on, `done` being even.
pub(super) fn rounds(done: u32, passes: u32) -> impl Iterator<Item = ClusterRound> {
    (done..done + passes).step_by(2).flat_map(move |pass| {
        let rebuilds = pass > 0 && pass.is_multiple_of(MOMENTUM_REBUILD_PASSES);
        let sweep = if pass + 1 < done + passes {
            ClusterRound::Symmetric
        } else {
            ClusterRound::Forward
        };
        rebuilds
            .then_some(ClusterRound::Rebuild)
            .into_iter()
            .chain([sweep])
    })
}

/// Global synchronizations of some passes: two a round, after the sweep of the clusters and after the
/// mean of the copies; one for all of them where one cluster is the whole problem.
pub(super) fn barriers(passes: &Range<u32>, is_one_cluster: bool) -> u32 {
    if is_one_cluster {
        1
    } else {
        2 * rounds(passes.start, passes.len() as u32).count() as u32
    }
}
