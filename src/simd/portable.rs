//! Lanes as an array, for processors without wider ones.
#![allow(unsafe_code, reason = "bytes meet SIMD")]

use super::{Simd, operators};

/// Eight lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Portable([f32; 8]);

/// All bits of a lane, set or not.
#[derive(Clone, Copy)]
pub(crate) struct Mask([u32; 8]);

#[inline(always)]
fn zip(a: Portable, b: Portable, with: impl Fn(f32, f32) -> f32) -> Portable {
    let mut result = a;
    for lane in 0..8 {
        result.0[lane] = with(a.0[lane], b.0[lane]);
    }
    result
}

#[inline(always)]
fn compare(a: Portable, b: Portable, with: impl Fn(f32, f32) -> bool) -> Mask {
    let mut mask = [0; 8];
    for (lane, mask) in mask.iter_mut().enumerate() {
        *mask = if with(a.0[lane], b.0[lane]) { !0 } else { 0 };
    }
    Mask(mask)
}

operators!(
    Portable,
    |a, b| zip(a, b, |a, b| a + b),
    |a, b| zip(a, b, |a, b| a - b),
    |a, b| zip(a, b, |a, b| a * b)
);

// SAFETY: plain Rust; the pointers are the caller's promise.
unsafe impl Simd for Portable {
    type Mask = Mask;

    const LANES: usize = 8;

    const TAKES_TURNS: bool = false;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { *from.cast() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { *to.cast() = self }
    }

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }

    #[inline(always)]
    fn over(self, divisor: Self) -> Self {
        zip(self, divisor, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        zip(self, self, |a, _| a.sqrt())
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        zip(self, other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        zip(self, self, |a, _| a.abs())
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        compare(self, other, |a, b| a <= b)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        compare(self, other, |a, b| a < b)
    }

    #[inline(always)]
    fn all(mask: Mask) -> bool {
        mask.0.iter().all(|lane| *lane == u32::MAX)
    }

    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        let mut result = yes;
        for lane in 0..8 {
            let bits =
                (yes.0[lane].to_bits() & mask.0[lane]) | (no.0[lane].to_bits() & !mask.0[lane]);
            result.0[lane] = f32::from_bits(bits);
        }
        result
    }

    #[inline(always)]
    unsafe fn gather_4(from: *const f32, stride: usize, index: *const u32) -> [Self; 4] {
        let mut result = [Self([0.0; 8]); 4];
        for lane in 0..8 {
            // SAFETY: the caller's promise.
            let record: [f32; 4] = unsafe { *from.add(stride * *index.add(lane) as usize).cast() };
            for part in 0..4 {
                result[part].0[lane] = record[part];
            }
        }
        result
    }

    #[inline(always)]
    unsafe fn scatter_8(to: *mut f32, index: *const u32, low: [Self; 4], high: [Self; 4]) {
        for lane in 0..8 {
            let mut record = [0.0; 8];
            for part in 0..4 {
                record[part] = low[part].0[lane];
                record[part + 4] = high[part].0[lane];
            }
            // SAFETY: the caller's promise.
            unsafe { *to.add(8 * *index.add(lane) as usize).cast() = record };
        }
    }
}
