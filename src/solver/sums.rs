//! Sums of many terms in the order in which a workgroup of a GPU adds them up, so that every backend finds the same bits;
//! twin of `shaders/shared/sum.wgsl` and `shaders/shared/changes.wgsl`.

use crate::constants::WORKGROUP_SIZE;

/// A term of a sum; the default is nothing.
pub(crate) trait Term: Copy + Default {
    /// Both together.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

/// Adds up the terms of one workgroup, at most one an invocation, by halving strides.
pub(crate) fn of_workgroup<T: Term>(terms: impl IntoIterator<Item = T>) -> T {
    let mut lanes = [T::default(); WORKGROUP_SIZE as usize];
    for (lane, term) in lanes.iter_mut().zip(terms) {
        *lane = term;
    }
    by_halving_strides(lanes)
}

/// Adds up lists of terms as one workgroup does: invocation `i` takes the terms `i, i + 64, ...` of each list, then halving
/// strides.
pub(crate) fn of_lists<T: Term, L: IntoIterator<Item = T>>(
    lists: impl IntoIterator<Item = L>,
) -> T {
    let mut lanes = [T::default(); WORKGROUP_SIZE as usize];
    for list in lists {
        for (index, term) in list.into_iter().enumerate() {
            let lane = &mut lanes[index % WORKGROUP_SIZE as usize];
            *lane = lane.plus(term);
        }
    }
    by_halving_strides(lanes)
}

fn by_halving_strides<T: Term>(mut lanes: [T; WORKGROUP_SIZE as usize]) -> T {
    let mut stride = lanes.len() / 2;
    while stride > 0 {
        for lane in 0..stride {
            lanes[lane] = lanes[lane].plus(lanes[lane + stride]);
        }
        stride /= 2;
    }
    lanes[0]
}
