//! Eight lanes of AVX2.
#![allow(unsafe_code, reason = "bytes meet SIMD")]

use super::{Simd, intrinsics, offset, operators, transpose};
use std::arch::x86_64::*;

/// Eight lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256);

// SAFETY of every intrinsic here: whoever uses this type has found AVX2; see `Simd`.
operators!(
    Avx2,
    |a: Self, b: Self| Self(unsafe { _mm256_add_ps(a.0, b.0) }),
    |a: Self, b: Self| Self(unsafe { _mm256_sub_ps(a.0, b.0) }),
    |a: Self, b: Self| Self(unsafe { _mm256_mul_ps(a.0, b.0) })
);

transpose!(
    __m256,
    _mm256_unpacklo_ps,
    _mm256_unpackhi_ps,
    _mm256_shuffle_ps
);

// SAFETY: the pointers and the processor are the caller's promise.
unsafe impl Simd for Avx2 {
    type Mask = __m256;

    const LANES: usize = 8;

    const TAKES_TURNS: bool = true;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        Self(unsafe { _mm256_load_ps(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm256_store_ps(to, self.0) }
    }

    intrinsics! {
        fn splat(x: f32) -> Self { Self(_mm256_set1_ps(x)) }
        fn over(self, divisor: Self) -> Self { Self(_mm256_div_ps(self.0, divisor.0)) }
        fn sqrt(self) -> Self { Self(_mm256_sqrt_ps(self.0)) }
        fn max(self, other: Self) -> Self { Self(_mm256_max_ps(self.0, other.0)) }
        fn abs(self) -> Self { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
        fn le(self, other: Self) -> __m256 { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) }
        fn lt(self, other: Self) -> __m256 { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) }
        fn select(mask: __m256, yes: Self, no: Self) -> Self { Self(_mm256_blendv_ps(no.0, yes.0, mask)) }
        fn all(mask: __m256) -> bool { _mm256_movemask_ps(mask) == 0xff }
    }

    #[inline(always)]
    unsafe fn gather_4(from: *const f32, stride: usize, index: *const u32) -> [Self; 4] {
        unsafe {
            let mut rows = [_mm256_setzero_ps(); 4];
            for (lane, row) in rows.iter_mut().enumerate() {
                let low = _mm_loadu_ps(from.add(offset(stride, index.add(lane))));
                let high = _mm_loadu_ps(from.add(offset(stride, index.add(lane + 4))));
                *row = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high);
            }
            let [a, b, c, d] = transpose(rows);
            [Self(a), Self(b), Self(c), Self(d)]
        }
    }

    #[inline(always)]
    unsafe fn scatter_8(to: *mut f32, index: *const u32, low: [Self; 4], high: [Self; 4]) {
        unsafe {
            let low = transpose([low[0].0, low[1].0, low[2].0, low[3].0]);
            let high = transpose([high[0].0, high[1].0, high[2].0, high[3].0]);
            for lane in 0..4 {
                let first = _mm256_permute2f128_ps::<0x20>(low[lane], high[lane]);
                let second = _mm256_permute2f128_ps::<0x31>(low[lane], high[lane]);
                _mm256_store_ps(to.add(offset(8, index.add(lane))), first);
                _mm256_store_ps(to.add(offset(8, index.add(lane + 4))), second);
            }
        }
    }
}
