//! Natural-map residual of every cluster; twin of `shaders/cluster_residual.wgsl`.

use super::{contact_block, joint};
use crate::constants::WORKGROUP_SIZE;
use crate::parallel;
use crate::problem::batches::Batches;
use crate::problem::clusters::Clusters;
use crate::solver::residual::{Partial, reduce_lanes};

/// One partial sum per cluster, as its workgroup adds up: invocation `i` takes the blocks
/// `i, i + 64, ...`, joint rows first, then halving strides.
pub fn cluster_residual(batches: &Batches, clusters: &Clusters, partials: &mut Vec<Partial>) {
    let velocities = &batches.velocities;
    let side = |body: u32| (&velocities[body as usize], &batches.inertias[body as usize]);
    parallel::fill(partials, clusters.list.len(), 1, |cluster| {
        let cluster = &clusters.list[cluster];
        let mut lanes = [Partial::default(); WORKGROUP_SIZE as usize];
        let mut lane = 0;
        let mut add = |residual: f32| {
            lanes[lane] = lanes[lane].merge(Partial::of(residual));
            lane = (lane + 1) % WORKGROUP_SIZE as usize;
        };
        for row in cluster.joint_range() {
            let block = &batches.joints.blocks[row];
            add(joint::residual(
                block,
                &batches.joint_scales[row],
                batches.joints.impulses[row],
                &velocities[block.body_a as usize],
                &velocities[block.body_b as usize],
            ));
        }
        for index in cluster.contact_range() {
            let block = &batches.contacts.blocks[index];
            add(contact_block::residual(
                block,
                &batches.friction,
                batches.contacts.impulses[index],
                side(block.body_a),
                side(block.body_b),
            ));
        }
        reduce_lanes(lanes)
    });
}
