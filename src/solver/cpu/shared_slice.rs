//! A slice that several threads write at different places.

use std::cell::UnsafeCell;

/// A mutable slice lent to many threads; whoever uses it proves that no element is touched by two.
///
/// Colouring is that proof: two blocks of one colour share no movable body, and nobody writes an
/// immovable one (see `tests/coloring.rs`).
pub(super) struct SharedSlice<'a, T>(&'a [UnsafeCell<T>]);

// SAFETY: access goes through `read` and `write`, whose callers promise disjointness.
#[allow(unsafe_code, reason = "disjointness is proven by the colouring")]
unsafe impl<T: Send + Sync> Sync for SharedSlice<'_, T> {}

impl<'a, T: Copy> SharedSlice<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Self {
        let cells = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the exclusive borrow is held for `'a`.
        #[allow(unsafe_code, reason = "reborrow of an exclusive slice as cells")]
        Self(unsafe { &*cells })
    }

    /// Copies element `index`.
    ///
    /// # Safety
    /// No other thread writes it at the same time.
    #[allow(unsafe_code, reason = "the caller's promise")]
    #[inline(always)]
    pub(super) unsafe fn read(&self, index: usize) -> T {
        // SAFETY: in bounds by the index, free of races by the caller's promise.
        unsafe { *self.0[index].get() }
    }

    /// Overwrites element `index`.
    ///
    /// # Safety
    /// No other thread reads or writes it at the same time.
    #[allow(unsafe_code, reason = "the caller's promise")]
    #[inline(always)]
    pub(super) unsafe fn write(&self, index: usize, value: T) {
        // SAFETY: in bounds by the index, free of races by the caller's promise.
        unsafe { *self.0[index].get() = value };
    }
}
