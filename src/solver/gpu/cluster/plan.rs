//! Which dispatches make a round over clusters and a residual.

use super::buffers::ClusterBuffers;
use super::kernel::ClusterKernel;
use super::words::first_block;
use crate::constants::{MAX_LOOP_ITERATIONS, PAIR_VISITS, WORKGROUP_SIZE};
use crate::error::{Error, Result};
use crate::problem::batches::Batches;
use crate::problem::clusters::{Cluster, Clusters};
use crate::solver::cpu::ClusterRound;
use crate::solver::gpu::bounds::Bounds;
use crate::solver::gpu::dispatch::Dispatch;
use crate::solver::gpu::window::Window;
use std::ops::Range;

/// The dispatches of a packed problem.
#[derive(Debug, Default)]
pub(super) struct ClusterPlan {
    pub(super) windows: Vec<Window>,
    /// Kernels and the blocks that each bind group shows.
    pub(super) bound: Vec<(ClusterKernel, (u32, u32))>,
    /// Sweep and gathering of the first round, symmetric and forward.
    starts: [Vec<Dispatch<ClusterKernel>>; 2],
    /// The same of later rounds.
    rounds: [Vec<Dispatch<ClusterKernel>>; 2],
    rebuild: Vec<Dispatch<ClusterKernel>>,
    pub(super) residual: Vec<Dispatch<ClusterKernel>>,
    /// All rounds of a problem that is one cluster; its window is written before each submission.
    pub(super) solve: Option<Dispatch<ClusterKernel>>,
    /// Passes that one dispatch of these may take.
    pub(super) passes_per_solve: u32,
}

impl ClusterPlan {
    pub(super) fn new(batches: &Batches, clusters: &Clusters, bounds: &Bounds) -> Result<Self> {
        let mut plan = Self::default();
        let loops = longest_loop(batches, clusters);
        if loops > MAX_LOOP_ITERATIONS {
            return Err(Error::Capacity {
                what: "loop iterations of one GPU invocation, for the contacts or joint rows of \
                       one cluster"
                    .into(),
                needed: loops,
                available: MAX_LOOP_ITERATIONS,
            });
        }
        plan.passes_per_solve = 2 * (MAX_LOOP_ITERATIONS / loops.max(1)).max(1) as u32;

        let blocks = ClusterBuffers::blocks_array(batches);
        let blocks_of =
            |run: &Range<u32>| match &clusters.list[run.start as usize..run.end as usize] {
                [first, .., last] => first_block(first)..first_block(last) + last.blocks(),
                [only] => first_block(only)..first_block(only) + only.blocks(),
                [] => 0..0,
            };
        let all = 0..clusters.list.len() as u32;
        let runs = bounds.split("blocks of one cluster", &all, bounds.workgroups, |run| {
            bounds.bytes(&blocks, &blocks_of(run))
        })?;
        let mut sweeps: [Vec<Dispatch<ClusterKernel>>; 5] = Default::default();
        for run in runs {
            let bound = bounds.window(&blocks, &blocks_of(&run));
            let sweep = plan.show(ClusterKernel::Sweep, bound);
            let residual = plan.show(ClusterKernel::Residual, bound);
            let flags = [
                Window::STARTS | Window::REVERSE,
                Window::STARTS,
                Window::REVERSE,
                0,
                Window::REBUILD,
            ];
            for (list, flags) in sweeps.iter_mut().zip(flags) {
                list.push(plan.dispatch(sweep, &run, bound.0, flags));
            }
            let dispatch = plan.dispatch(residual, &run, bound.0, 0);
            plan.residual.push(dispatch);
        }
        let hubs = clusters.hubs.len() as u32;
        let workgroups = hubs + 1 + (clusters.bodies.len() as u32).div_ceil(WORKGROUP_SIZE);
        let runs = bounds.split("bodies", &(0..workgroups), bounds.workgroups, |_| 0)?;
        let gather = plan.show(ClusterKernel::Gather, (0, 0));
        for run in runs {
            let mean = plan.dispatch(gather, &run, 0, 0);
            let rebuilt = plan.dispatch(gather, &run, 0, Window::REBUILD);
            for (index, list) in sweeps.iter_mut().enumerate() {
                list.push(if index == 4 { rebuilt } else { mean });
            }
        }
        let [start, start_forward, symmetric, forward, rebuild] = sweeps;
        plan.starts = [start, start_forward];
        plan.rounds = [symmetric, forward];
        plan.rebuild = rebuild;
        if clusters.list.len() == 1 {
            let solve = plan.show(ClusterKernel::Solve, (0, blocks.length));
            plan.solve = Some(plan.dispatch(solve, &(0..1), 0, 0));
        }
        Ok(plan)
    }

    /// A bind group to be made.
    fn show(&mut self, kernel: ClusterKernel, blocks: (u32, u32)) -> usize {
        self.bound.push((kernel, blocks));
        self.bound.len() - 1
    }

    fn dispatch(
        &mut self,
        bind_group: usize,
        run: &Range<u32>,
        block_base: u32,
        flags: u32,
    ) -> Dispatch<ClusterKernel> {
        self.windows.push(Window {
            first: run.start,
            end: run.end,
            block_base,
            flags,
            ..Window::default()
        });
        Dispatch {
            kernel: self.bound[bind_group].0,
            bind_group,
            window: self.windows.len() as u32 - 1,
            workgroups: run.len() as u32,
        }
    }

    /// The dispatches of a round that begins after `done` passes.
    pub(super) fn round(&self, round: ClusterRound, done: u32) -> &[Dispatch<ClusterKernel>] {
        let of_two = if done == 0 {
            &self.starts
        } else {
            &self.rounds
        };
        match round {
            ClusterRound::Symmetric => &of_two[0],
            ClusterRound::Forward => &of_two[1],
            ClusterRound::Rebuild => &self.rebuild,
        }
    }
}

/// Most iterations of all loops of one invocation in a round, the rebuilding of velocities included.
///
/// A software adapter also counts the look that ends a loop, and the loops of branches not taken.
fn longest_loop(batches: &Batches, clusters: &Clusters) -> u64 {
    let edges = u64::from(batches.friction.directions);
    let visits = if batches.friction.is_soft == 0 {
        1
    } else {
        u64::from(PAIR_VISITS)
    };
    let per_lane = |count: u32| u64::from(count.div_ceil(WORKGROUP_SIZE));
    let of_cluster = |cluster: &Cluster| {
        let groups = clusters.groups_of(cluster);
        let first_color = cluster.first_color as usize;
        let colors = &clusters.colors[first_color..=first_color + cluster.colors as usize];
        let sweep: u64 = colors
            .windows(2)
            .flat_map(|color| {
                groups[color[0] as usize..color[1] as usize].chunks(WORKGROUP_SIZE as usize)
            })
            .map(|groups| {
                let longest = groups.iter().map(|group| group.count).max();
                4 + visits * (2 + u64::from(longest.unwrap_or(0)) * (2 + edges))
            })
            .sum();
        // Three sweeps, loading, leaving, sums and means.
        3 * (sweep + 3 * u64::from(cluster.colors))
            + 4 * per_lane(cluster.blocks())
            + 12 * per_lane(cluster.copies)
    };
    let sweeps = clusters.list.iter().map(of_cluster).max().unwrap_or(0);
    let slots = clusters.hubs.iter().map(|hub| per_lane(hub.slot_count));
    sweeps + 2 * slots.max().unwrap_or(0) + per_lane(clusters.list.len() as u32) + 128
}
