//! A whole solve by clusters; see [`clusters`](crate::problem::clusters).

use super::cluster_gather::cluster_gather;
use super::cluster_residual::cluster_residual;
use super::cluster_sweep::{ClusterMemory, ClusterRound, cluster_sweep};
use crate::error::Result;
use crate::problem::ProblemRef;
use crate::problem::batches::Batches;
use crate::problem::clusters::Clusters;
use crate::solver::cluster::{self, ClusterPacker};
use crate::solver::momentum::{Momentum, MomentumRule, momentum_step};
use crate::solver::residual::{self, Partial};
use crate::solver::{Options, Report, Solution, Status};
use std::time::Instant;

/// What a solve by clusters needs beside the packed problem; kept from solve to solve.
#[derive(Debug, Default)]
pub(super) struct ClusterSolve {
    packer: ClusterPacker,
    memory: ClusterMemory,
    momentum: Momentum,
    partials: Vec<Partial>,
}

impl ClusterSolve {
    /// Solves `problem`, and adds a report of each look at the residual.
    pub(super) fn run(
        &mut self,
        problem: &ProblemRef<'_>,
        options: &Options,
        solution: &mut Solution,
        looks: &mut Vec<Report>,
    ) -> Result<Report> {
        let (mut batches, clusters, mut report) = self.packer.pack(problem, options);
        let packed = Instant::now();
        self.momentum = Momentum::of(MomentumRule::Symmetric);
        self.memory.begin(&batches, &clusters);
        while report.iterations < options.iterations {
            let count = cluster::until_check(options, report.iterations);
            for round in cluster::rounds(report.iterations, count) {
                self.round(&mut batches, &clusters, round);
            }
            let passes = report.iterations..report.iterations + count;
            report.barriers += cluster::barriers(&passes, clusters.list.len() == 1);
            report.iterations += count;
            cluster_residual(&batches, &clusters, &mut self.partials);
            (report.residual_rms, report.residual_max) =
                residual::finish([&self.partials, &[]], batches.block_count());
            report.status = Status::after(&report, options);
            looks.push(report);
            if report.status != Status::MaxIterations {
                break;
            }
        }
        self.packer
            .finish(problem, options, batches, solution, &mut report, packed);
        Ok(report)
    }

    fn round(&mut self, batches: &mut Batches, clusters: &Clusters, round: ClusterRound) {
        let factor = self.momentum.factor;
        cluster_sweep(batches, clusters, round, factor, &mut self.memory);
        cluster_gather(clusters, round, &mut self.memory, &mut batches.velocities);
        if round != ClusterRound::Rebuild {
            self.momentum = momentum_step(self.momentum, &[], &self.memory.sums);
        }
    }
}
