//! Slices cut into parts for the threads of a team.

use super::GRAIN;
use crate::constants::WORKGROUP_SIZE;
use crate::parallel::{SharedSlice, Team};

/// Least number of workgroups' worth of sums handed to one thread.
const SUMS: usize = 16;

/// Elements of a workgroup.
pub(super) const SIZE: usize = WORKGROUP_SIZE as usize;

/// Does something to parts of two slices of the same length.
pub(super) fn for_parts<T: Send + Sync, U: Send + Sync>(
    team: &Team,
    first: &mut [T],
    second: &mut [U],
    work: impl Fn(&mut [T], &mut [U]) + Sync,
) {
    let count = first.len();
    let (first, second) = (SharedSlice::new(first), SharedSlice::new(second));
    team.each(count, GRAIN, |_, part| {
        // SAFETY: the team hands every element to one thread.
        #[allow(unsafe_code, reason = "the team hands out each element once")]
        unsafe {
            work(first.range(part.clone()), second.range(part));
        }
    });
}

/// Overwrites parts of a slice of workgroups' sums, given where each part begins.
pub(super) fn fill_parts<T: Send + Sync>(
    team: &Team,
    sums: &mut [T],
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let count = sums.len();
    let sums = SharedSlice::new(sums);
    team.each(count, SUMS, |_, part| {
        // SAFETY: the team hands every element to one thread.
        #[allow(unsafe_code, reason = "the team hands out each element once")]
        unsafe {
            work(part.start, sums.range(part));
        }
    });
}
