//! A slice that several threads write at different places.

use std::cell::UnsafeCell;
use std::ops::Range;

/// A mutable slice lent to many threads; whoever uses it proves that no element is touched by two.
///
/// Colouring is one such proof: two blocks of one colour share no movable body, and nobody writes an
/// immovable one (see `tests/solvers/coloring.rs`). Parts that a loop hands out once each are another.
pub(crate) struct SharedSlice<'a, T>(&'a [UnsafeCell<T>]);

// SAFETY: access goes through unsafe methods, whose callers promise disjointness.
#[allow(unsafe_code, reason = "disjointness is the callers' promise")]
unsafe impl<T: Send + Sync> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        let cells = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the exclusive borrow is held for `'a`.
        #[allow(unsafe_code, reason = "reborrow of an exclusive slice as cells")]
        Self(unsafe { &*cells })
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Element `index`, to be read or written under the promises of [`Self::read`] and [`Self::write`].
    #[inline(always)]
    pub(crate) fn pointer(&self, index: usize) -> *mut T {
        self.0[index].get()
    }

    /// The elements of a range.
    ///
    /// # Safety
    /// No other thread reads or writes them while the slice is in use.
    #[allow(unsafe_code, reason = "the caller's promise")]
    #[allow(clippy::mut_from_ref, reason = "the caller's promise")]
    #[inline(always)]
    pub(crate) unsafe fn range(&self, range: Range<usize>) -> &'a mut [T] {
        let cells = &self.0[range];
        // SAFETY: in bounds by the indexing, free of races by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(cells.as_ptr() as *mut T, cells.len()) }
    }

    /// Overwrites element `index`.
    ///
    /// # Safety
    /// No other thread reads or writes it at the same time.
    #[allow(unsafe_code, reason = "the caller's promise")]
    #[inline(always)]
    pub(crate) unsafe fn write(&self, index: usize, value: T) {
        // SAFETY: in bounds by the index, free of races by the caller's promise.
        unsafe { *self.0[index].get() = value };
    }
}

impl<T: Copy> SharedSlice<'_, T> {
    /// Copies element `index`.
    ///
    /// # Safety
    /// No other thread writes it at the same time.
    #[allow(unsafe_code, reason = "the caller's promise")]
    #[inline(always)]
    pub(crate) unsafe fn read(&self, index: usize) -> T {
        // SAFETY: in bounds by the index, free of races by the caller's promise.
        unsafe { *self.0[index].get() }
    }
}
