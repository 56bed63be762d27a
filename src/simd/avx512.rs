//! Sixteen lanes of AVX-512.
#![allow(unsafe_code, reason = "bytes meet SIMD")]

use super::{Simd, intrinsics, offset, operators, transpose};
use std::arch::x86_64::*;

/// Sixteen lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

// SAFETY of every intrinsic here: whoever uses this type has found AVX-512; see `Simd`.
operators!(
    Avx512,
    |a: Self, b: Self| Self(unsafe { _mm512_add_ps(a.0, b.0) }),
    |a: Self, b: Self| Self(unsafe { _mm512_sub_ps(a.0, b.0) }),
    |a: Self, b: Self| Self(unsafe { _mm512_mul_ps(a.0, b.0) })
);

transpose!(
    __m512,
    _mm512_unpacklo_ps,
    _mm512_unpackhi_ps,
    _mm512_shuffle_ps
);

// SAFETY: the pointers and the processor are the caller's promise.
unsafe impl Simd for Avx512 {
    type Mask = __mmask16;

    const LANES: usize = 16;

    const TAKES_TURNS: bool = true;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        Self(unsafe { _mm512_load_ps(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_store_ps(to, self.0) }
    }

    intrinsics! {
        fn splat(x: f32) -> Self { Self(_mm512_set1_ps(x)) }
        fn over(self, divisor: Self) -> Self { Self(_mm512_div_ps(self.0, divisor.0)) }
        fn sqrt(self) -> Self { Self(_mm512_sqrt_ps(self.0)) }
        fn max(self, other: Self) -> Self { Self(_mm512_max_ps(self.0, other.0)) }
        fn abs(self) -> Self { Self(_mm512_abs_ps(self.0)) }
        fn le(self, other: Self) -> __mmask16 { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0) }
        fn lt(self, other: Self) -> __mmask16 { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) }
        fn select(mask: __mmask16, yes: Self, no: Self) -> Self { Self(_mm512_mask_blend_ps(mask, no.0, yes.0)) }
    }

    #[inline(always)]
    fn all(mask: __mmask16) -> bool {
        mask == __mmask16::MAX
    }

    #[inline(always)]
    unsafe fn gather_4(from: *const f32, stride: usize, index: *const u32) -> [Self; 4] {
        unsafe {
            let mut rows = [_mm512_setzero_ps(); 4];
            for (lane, row) in rows.iter_mut().enumerate() {
                let quarter = |part: usize| {
                    _mm_loadu_ps(from.add(offset(stride, index.add(lane + 4 * part))))
                };
                let first = _mm512_castps128_ps512(quarter(0));
                let second = _mm512_insertf32x4::<1>(first, quarter(1));
                let third = _mm512_insertf32x4::<2>(second, quarter(2));
                *row = _mm512_insertf32x4::<3>(third, quarter(3));
            }
            let [a, b, c, d] = transpose(rows);
            [Self(a), Self(b), Self(c), Self(d)]
        }
    }

    #[inline(always)]
    unsafe fn gather_8(from: *const f32, index: *const u32) -> [[Self; 4]; 2] {
        unsafe {
            // Of four lanes and four more: a low half, a high half, and both of the four more.
            let near = records(from, index);
            let far = records(from, index.add(8));
            let mut numbers = [[Self(near[0]); 4]; 2];
            for part in 0..4 {
                let (near, far) = (near[part], far[part]);
                numbers[0][part] = Self(_mm512_shuffle_f32x4::<0b10_00_10_00>(near, far));
                numbers[1][part] = Self(_mm512_shuffle_f32x4::<0b11_01_11_01>(near, far));
            }
            numbers
        }
    }

    #[inline(always)]
    unsafe fn scatter_8(to: *mut f32, index: *const u32, low: [Self; 4], high: [Self; 4]) {
        unsafe {
            let low = transpose([low[0].0, low[1].0, low[2].0, low[3].0]);
            let high = transpose([high[0].0, high[1].0, high[2].0, high[3].0]);
            let near = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let far = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            for lane in 0..4 {
                let (a, b) = (_mm512_castps_pd(low[lane]), _mm512_castps_pd(high[lane]));
                for (pair, order) in [near, far].into_iter().enumerate() {
                    let rows = _mm512_castpd_ps(_mm512_permutex2var_pd(a, order, b));
                    let at =
                        |part: usize| to.add(offset(8, index.add(lane + 4 * (2 * pair + part))));
                    _mm256_store_ps(at(0), _mm512_castps512_ps256(rows));
                    let upper = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(rows));
                    _mm256_store_ps(at(1), _mm256_castpd_ps(upper));
                }
            }
        }
    }
}

/// Records of eight numbers of eight lanes, transposed four by four.
#[inline(always)]
unsafe fn records(from: *const f32, index: *const u32) -> [__m512; 4] {
    unsafe {
        let mut rows = [_mm512_setzero_ps(); 4];
        for (lane, row) in rows.iter_mut().enumerate() {
            let first = _mm256_load_ps(from.add(offset(8, index.add(lane))));
            let second = _mm256_load_ps(from.add(offset(8, index.add(lane + 4))));
            let first = _mm512_castps_pd(_mm512_castps256_ps512(first));
            let both = _mm512_insertf64x4::<1>(first, _mm256_castps_pd(second));
            *row = _mm512_castpd_ps(both);
        }
        transpose(rows)
    }
}
