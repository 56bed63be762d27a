//! Numbers of sixteen lanes in memory.

use super::{Simd, Vector};
use bytemuck::{Pod, Zeroable};

/// Lanes of a row: one vector of AVX-512, two of AVX2.
pub(crate) const LANES: usize = 16;

/// One number a lane.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct Row(pub(crate) [f32; LANES]);

/// One index a lane.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct IndexRow(pub(crate) [u32; LANES]);

/// The lanes of a row from `first` on.
#[inline(always)]
pub(crate) fn lanes_of<S: Simd>(row: &Row, first: usize) -> S {
    debug_assert!(first + S::LANES <= row.0.len());
    // SAFETY: rows are aligned to 64 bytes, and `first` is a multiple of the number of lanes.
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe {
        S::load(row.0.as_ptr().add(first))
    }
}

/// The lanes of three rows.
#[inline(always)]
pub(crate) fn lanes_of_3<S: Simd>(rows: &[Row; 3], first: usize) -> Vector<S> {
    [
        lanes_of(&rows[0], first),
        lanes_of(&rows[1], first),
        lanes_of(&rows[2], first),
    ]
}

/// Overwrites lanes of a row.
#[inline(always)]
pub(crate) fn put<S: Simd>(row: &mut Row, first: usize, lanes: S) {
    debug_assert!(first + S::LANES <= row.0.len());
    // SAFETY: as in `lanes_of`.
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe {
        lanes.store(row.0.as_mut_ptr().add(first));
    }
}
