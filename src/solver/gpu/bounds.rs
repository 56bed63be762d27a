//! What one dispatch may see and do, and how longer work is split.

use crate::constants::WORKGROUP_SIZE;
use crate::error::{Error, Result};
use std::ops::Range;

/// Bytes and workgroups that one dispatch may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Bytes of one storage binding.
    pub(super) binding: u64,
    /// Bytes at whose multiples a binding starts.
    pub(super) alignment: u64,
    /// Workgroups of one dispatch.
    pub(super) workgroups: u32,
}

/// An array of which a dispatch sees a window: its length, and bytes of its elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Array {
    pub(super) length: u32,
    /// Bytes of the largest element among the arrays that share the window.
    pub(super) largest: u64,
    /// Bytes of the smallest.
    pub(super) smallest: u64,
}

impl Array {
    pub(super) fn of<T>(length: usize) -> Self {
        let bytes = size_of::<T>() as u64;
        Self {
            length: length as u32,
            largest: bytes,
            smallest: bytes,
        }
    }
}

impl Bounds {
    /// Those of a device.
    pub(super) fn of(limits: &wgpu::Limits) -> Self {
        Self {
            binding: limits.max_storage_buffer_binding_size,
            alignment: u64::from(limits.min_storage_buffer_offset_alignment),
            workgroups: limits.max_compute_workgroups_per_dimension,
        }
    }

    /// The part of an array to bind for the elements `used`: all of it, or from the last aligned
    /// element before them.
    pub(super) fn window(&self, array: &Array, used: &Range<u32>) -> (u32, u32) {
        if u64::from(array.length) * array.largest <= self.binding {
            return (0, array.length);
        }
        let unit = (self.alignment / array.smallest).max(1) as u32;
        (used.start / unit * unit, used.end)
    }

    /// Bytes of that part.
    pub(super) fn bytes(&self, array: &Array, used: &Range<u32>) -> u64 {
        let (start, end) = self.window(array, used);
        u64::from(end - start) * array.largest
    }

    /// Splits `all` into the longest runs of at most `most` elements whose largest window, in
    /// `bytes`, fits into a binding.
    pub(super) fn split(
        &self,
        what: &str,
        all: &Range<u32>,
        most: u32,
        bytes: impl Fn(&Range<u32>) -> u64,
    ) -> Result<Vec<Range<u32>>> {
        let mut runs = Vec::new();
        let mut first = all.start;
        while first < all.end {
            // The largest end that fits is between `good`, which does, and `bad`, which does not.
            let fits = |end: u32| bytes(&(first..end)) <= self.binding;
            let end = all.end.min(first.saturating_add(most));
            let (mut good, mut bad) = (first, end);
            if fits(end) {
                good = end;
            }
            while bad - good > 1 {
                let middle = good + (bad - good) / 2;
                if fits(middle) {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            if good == first {
                return Err(Error::Capacity {
                    what: format!("one storage binding, for the {what} [B]"),
                    needed: bytes(&(first..first + 1)),
                    available: self.binding,
                });
            }
            runs.push(first..good);
            first = good;
        }
        Ok(runs)
    }

    /// Number of invocations of one dispatch.
    pub(super) fn invocations(&self) -> u32 {
        self.workgroups.saturating_mul(WORKGROUP_SIZE)
    }
}
