//! A single number as a vector of one lane.
#![allow(unsafe_code, reason = "bytes meet SIMD")]

use super::Simd;

// SAFETY: plain Rust; the pointers are the caller's promise.
unsafe impl Simd for f32 {
    type Mask = bool;

    const LANES: usize = 1;

    const TAKES_TURNS: bool = false;

    #[inline(always)]
    unsafe fn load(from: *const Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { *from }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Self) {
        // SAFETY: the caller's promise.
        unsafe { *to = self }
    }

    #[inline(always)]
    fn splat(x: Self) -> Self {
        x
    }

    #[inline(always)]
    fn over(self, divisor: Self) -> Self {
        self / divisor
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    unsafe fn gather_4(from: *const Self, stride: usize, index: *const u32) -> [Self; 4] {
        // SAFETY: the caller's promise.
        unsafe { *from.add(stride * *index as usize).cast() }
    }

    #[inline(always)]
    unsafe fn scatter_8(to: *mut Self, index: *const u32, low: [Self; 4], high: [Self; 4]) {
        // SAFETY: the caller's promise.
        unsafe { *to.add(8 * *index as usize).cast() = [low, high] }
    }
}
