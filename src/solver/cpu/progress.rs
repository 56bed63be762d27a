//! How each impulse went on in the last sweep, summed; twins of `shaders/block_progress.wgsl`.

use super::block::Block;
use super::{SUMS_PER_THREAD, WORKGROUP};
use crate::parallel;
use crate::problem::batches::{Batches, ContactBlock, JointBlock};
use crate::solver::momentum::{ContactMemory, JointMemory, Progress, reduce_workgroup};

/// One sum per workgroup's worth of contacts, in the order of the blocks.
pub fn contact_progress(
    batches: &Batches,
    impulses: &[[f32; 4]],
    memory: &[ContactMemory],
    sums: &mut Vec<Progress>,
) {
    sums_of::<ContactBlock>(batches, impulses, memory, sums);
}

/// The same of joint rows.
pub fn joint_progress(
    batches: &Batches,
    impulses: &[f32],
    memory: &[JointMemory],
    sums: &mut Vec<Progress>,
) {
    sums_of::<JointBlock>(batches, impulses, memory, sums);
}

fn sums_of<B: Block>(
    batches: &Batches,
    impulses: &[B::Impulse],
    memory: &[B::Memory],
    sums: &mut Vec<Progress>,
) {
    let workgroups = impulses.len().div_ceil(WORKGROUP);
    parallel::fill(sums, workgroups, SUMS_PER_THREAD, |workgroup| {
        let first = workgroup * WORKGROUP;
        let blocks = &B::packed(batches).blocks[first..impulses.len().min(first + WORKGROUP)];
        let mut terms = [Progress::default(); WORKGROUP];
        for (at, (term, block)) in (first..).zip(terms.iter_mut().zip(blocks)) {
            *term = block.progress(&memory[at], impulses[at]);
        }
        reduce_workgroup(terms)
    });
}

/// The sum of one workgroup's terms; there may be fewer than it has invocations.
pub(super) fn sum_of_workgroup(terms: &[Progress]) -> Progress {
    let mut lanes = [Progress::default(); WORKGROUP];
    lanes[..terms.len()].copy_from_slice(terms);
    reduce_workgroup(lanes)
}
