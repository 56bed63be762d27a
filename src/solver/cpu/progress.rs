//! How each impulse went on in the last sweep, summed; twins of `shaders/contact_progress.wgsl` and
//! `shaders/joint_progress.wgsl`.

use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::Batches;
use crate::solver::momentum::{ContactMemory, JointMemory, Progress, reduce_workgroup};
use std::ops::Range;

const SIZE: usize = WORKGROUP_SIZE as usize;

/// One sum per workgroup's worth of contacts, in the order of the blocks.
pub fn contact_progress(
    batches: &Batches,
    impulses: &[[f32; 4]],
    memory: &[ContactMemory],
    sums: &mut Vec<Progress>,
) {
    let mut terms = vec![Progress::default(); impulses.len()];
    let all = 0..impulses.len();
    contact_progress_part(batches, all, impulses, memory, &mut terms);
    sums.clear();
    sums.extend(terms.chunks(SIZE).map(sum_of_workgroup));
}

/// The terms of some contacts; all slices are theirs.
pub(super) fn contact_progress_part(
    batches: &Batches,
    contacts: Range<usize>,
    impulses: &[[f32; 4]],
    memory: &[ContactMemory],
    terms: &mut [Progress],
) {
    let blocks = batches.contacts.blocks[contacts].iter();
    for (((term, block), now), memory) in terms.iter_mut().zip(blocks).zip(impulses).zip(memory) {
        let part = |mass, axis: usize| {
            Progress::of(mass, memory.previous[axis], memory.start[axis], now[axis])
        };
        *term = part(block.normal_mass, 0)
            .plus(part(block.tangent_mass, 1))
            .plus(part(block.tangent_mass, 2));
    }
}

/// One sum per workgroup's worth of joint rows, likewise.
pub fn joint_progress(
    batches: &Batches,
    impulses: &[f32],
    memory: &[JointMemory],
    sums: &mut Vec<Progress>,
) {
    sums.clear();
    sums.resize(
        batches.joints.blocks.len().div_ceil(SIZE),
        Progress::default(),
    );
    joint_progress_part(batches, 0, impulses, memory, sums);
}

/// The sums from the workgroup `first` on.
pub(super) fn joint_progress_part(
    batches: &Batches,
    first: usize,
    impulses: &[f32],
    memory: &[JointMemory],
    sums: &mut [Progress],
) {
    let blocks = &batches.joints.blocks;
    for (workgroup, sum) in (first..).zip(sums) {
        let rows = workgroup * SIZE..blocks.len().min((workgroup + 1) * SIZE);
        let mut terms = [Progress::default(); SIZE];
        for (term, row) in terms.iter_mut().zip(rows) {
            let memory = memory[row];
            *term = Progress::of(
                blocks[row].mass,
                memory.previous,
                memory.start,
                impulses[row],
            );
        }
        *sum = reduce_workgroup(terms);
    }
}

/// The sum of one workgroup's terms; there may be fewer than it has invocations.
pub(super) fn sum_of_workgroup(terms: &[Progress]) -> Progress {
    let mut lanes = [Progress::default(); SIZE];
    lanes[..terms.len()].copy_from_slice(terms);
    reduce_workgroup(lanes)
}
