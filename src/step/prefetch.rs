//! Hints to the processor about what is going to be read.
//!
//! A body is a record of several cache lines, of which a loop reads some: an order that the processor does
//! not foresee.

/// Has an element brought near, if there is one with this index. It changes nothing but times.
#[inline(always)]
pub(super) fn prefetch<T>(elements: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(element).cast::<i8>();
        for line in (0..size_of::<T>()).step_by(LINE) {
            // SAFETY: every x86-64 processor has the instruction, which reads nothing.
            #[allow(unsafe_code, reason = "an instruction without a safe function")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, index);
}

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;
