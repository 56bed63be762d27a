//! Natural-map residual of every cluster; twin of `shaders/cluster_residual.wgsl`.

use super::block::Block;
use crate::parallel;
use crate::problem::batches::{Batches, ContactBlock, JointBlock};
use crate::problem::clusters::Clusters;
use crate::solver::residual::Partial;
use crate::solver::sums;

/// One partial sum per cluster, as its workgroup adds up: invocation `i` takes the blocks
/// `i, i + 64, ...`, joint rows first, then halving strides.
pub fn cluster_residual(batches: &Batches, clusters: &Clusters, partials: &mut Vec<Partial>) {
    let velocities = &batches.velocities;
    parallel::fill(partials, clusters.list.len(), 1, |cluster| {
        let cluster = &clusters.list[cluster];
        let rows = cluster.joint_range().map(|row| {
            JointBlock::residual(batches, row, velocities, batches.joints.impulses[row])
        });
        let contacts = cluster.contact_range().map(|index| {
            ContactBlock::residual(batches, index, velocities, batches.contacts.impulses[index])
        });
        sums::of_lists([rows.chain(contacts).map(Partial::of)])
    });
}
