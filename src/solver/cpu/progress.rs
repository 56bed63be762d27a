//! How each impulse went on in the last sweep, summed; twins of `shaders/block_progress.wgsl`.

use super::block::Block;
use super::parts::SIZE;
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
    let workgroups = 0..impulses.len().div_ceil(SIZE);
    sums.clear();
    sums.extend(workgroups.map(|at| sum_of::<B>(batches, at, impulses, memory)));
}

/// The sum of one workgroup.
pub(super) fn sum_of<B: Block>(
    batches: &Batches,
    workgroup: usize,
    impulses: &[B::Impulse],
    memory: &[B::Memory],
) -> Progress {
    let first = workgroup * SIZE;
    let blocks = &B::packed(batches).blocks[first..impulses.len().min(first + SIZE)];
    let mut terms = [Progress::default(); SIZE];
    for (at, (term, block)) in (first..).zip(terms.iter_mut().zip(blocks)) {
        *term = block.progress(&memory[at], impulses[at]);
    }
    reduce_workgroup(terms)
}

/// The sum of one workgroup's terms; there may be fewer than it has invocations.
pub(super) fn sum_of_workgroup(terms: &[Progress]) -> Progress {
    let mut lanes = [Progress::default(); SIZE];
    lanes[..terms.len()].copy_from_slice(terms);
    reduce_workgroup(lanes)
}
