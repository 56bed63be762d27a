//! How each impulse went on in the last sweep, summed; twins of `shaders/contact_progress.wgsl` and
//! `shaders/joint_progress.wgsl`.

use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::Batches;
use crate::solver::momentum::{ContactMemory, JointMemory, Progress, reduce_workgroup};
use rayon::prelude::*;

const SIZE: usize = WORKGROUP_SIZE as usize;

/// One sum per workgroup's worth of contacts, in the order of the blocks.
pub fn contact_progress(
    batches: &Batches,
    impulses: &[[f32; 4]],
    memory: &[ContactMemory],
    sums: &mut Vec<Progress>,
) {
    let blocks = batches.contacts.blocks.par_chunks(SIZE);
    blocks
        .zip(impulses.par_chunks(SIZE))
        .zip(memory.par_chunks(SIZE))
        .with_min_len(16)
        .map(|((blocks, impulses), memory)| {
            let mut lanes = [Progress::default(); SIZE];
            for (lane, ((block, now), memory)) in lanes
                .iter_mut()
                .zip(blocks.iter().zip(impulses).zip(memory))
            {
                let part = |mass, axis: usize| {
                    Progress::of(mass, memory.previous[axis], memory.start[axis], now[axis])
                };
                *lane = part(block.normal_mass, 0)
                    .plus(part(block.tangent_mass, 1))
                    .plus(part(block.tangent_mass, 2));
            }
            reduce_workgroup(lanes)
        })
        .collect_into_vec(sums);
}

/// One sum per workgroup's worth of joint rows, likewise.
pub fn joint_progress(
    batches: &Batches,
    impulses: &[f32],
    memory: &[JointMemory],
    sums: &mut Vec<Progress>,
) {
    let blocks = batches.joints.blocks.par_chunks(SIZE);
    blocks
        .zip(impulses.par_chunks(SIZE))
        .zip(memory.par_chunks(SIZE))
        .with_min_len(16)
        .map(|((blocks, impulses), memory)| {
            let mut lanes = [Progress::default(); SIZE];
            for (lane, ((block, &now), memory)) in lanes
                .iter_mut()
                .zip(blocks.iter().zip(impulses).zip(memory))
            {
                *lane = Progress::of(block.mass, memory.previous, memory.start, now);
            }
            reduce_workgroup(lanes)
        })
        .collect_into_vec(sums);
}
