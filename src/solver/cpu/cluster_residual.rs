//! Natural-map residual of every cluster; twin of `shaders/cluster_residual.wgsl`.

use super::block::Block;
use crate::constants::WORKGROUP_SIZE;
use crate::parallel;
use crate::problem::batches::{Batches, ContactBlock, JointBlock};
use crate::problem::clusters::Clusters;
use crate::solver::residual::{Partial, reduce_lanes};

/// One partial sum per cluster, as its workgroup adds up: invocation `i` takes the blocks
/// `i, i + 64, ...`, joint rows first, then halving strides.
pub fn cluster_residual(batches: &Batches, clusters: &Clusters, partials: &mut Vec<Partial>) {
    let velocities = &batches.velocities;
    parallel::fill(partials, clusters.list.len(), 1, |cluster| {
        let cluster = &clusters.list[cluster];
        let mut lanes = [Partial::default(); WORKGROUP_SIZE as usize];
        let mut lane = 0;
        let mut add = |residual: f32| {
            lanes[lane] = lanes[lane].merge(Partial::of(residual));
            lane = (lane + 1) % WORKGROUP_SIZE as usize;
        };
        for row in cluster.joint_range() {
            let impulse = batches.joints.impulses[row];
            add(JointBlock::residual(batches, row, velocities, impulse));
        }
        for index in cluster.contact_range() {
            let impulse = batches.contacts.impulses[index];
            add(ContactBlock::residual(batches, index, velocities, impulse));
        }
        reduce_lanes(lanes)
    });
}
