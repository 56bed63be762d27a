//! Records in lanes: several at a time, each of their numbers beside those of the others.
//!
//! Records are transposed four numbers by four numbers, worked on number by number, and transposed
//! back; what a compiler makes of the loops over lanes is up to the machine that runs them. The
//! arithmetic of a lane is that of one record by itself, to the same bits.

use crate::math::V3;
use bytemuck::Pod;

/// Most records at a time: what is transposed has left the store buffers by the time it is read, and
/// still is in the fastest cache.
pub(super) const LANES: usize = 64;

/// A number of each record.
pub(super) type Lane = [f32; LANES];

/// Something to do in lanes.
pub(super) trait Work {
    /// Does it; to be inlined, so that it is compiled for the machine that [`run`] finds.
    fn run(self);
}

/// Does something with the widest vectors that the processor has.
pub(super) fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            #[allow(unsafe_code, reason = "vectors that not every processor has")]
            // SAFETY: the processor has them.
            unsafe {
                run_avx512(work);
            }
            return;
        }
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code, reason = "vectors that not every processor has")]
            // SAFETY: the processor has them.
            unsafe {
                run_avx2(work);
            }
            return;
        }
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(work: impl Work) {
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(work: impl Work) {
    work.run();
}

/// A vector of one lane.
#[inline(always)]
pub(super) fn at([x, y, z]: [&Lane; 3], lane: usize) -> V3 {
    [x[lane], y[lane], z[lane]]
}

/// Numbers of at most [`LANES`] records, four by four: first the four first numbers of each record,
/// one number after the other.
#[inline(always)]
pub(super) fn transpose<'a, T: Pod, const QUADS: usize>(
    count: usize,
    record: impl Fn(usize) -> &'a T,
    numbers: &mut [[Lane; 4]; QUADS],
) {
    let quads = |at: usize| -> &[[f32; 4]] {
        // Lanes to spare repeat the last record.
        bytemuck::cast_slice(std::slice::from_ref(record(at.min(count - 1))))
    };
    for first in (0..count.min(LANES)).step_by(4) {
        let (a, b, c, d) = (
            quads(first),
            quads(first + 1),
            quads(first + 2),
            quads(first + 3),
        );
        for (quad, numbers) in numbers.iter_mut().enumerate() {
            let four = four_by_four([&a[quad], &b[quad], &c[quad], &d[quad]]);
            for (numbers, four) in numbers.iter_mut().zip(four) {
                numbers[first..first + 4].copy_from_slice(&four);
            }
        }
    }
}

/// The inverse of [`transpose`] for four numbers: hands them to `write` record by record.
#[inline(always)]
pub(super) fn records(count: usize, numbers: [&Lane; 4], mut write: impl FnMut(usize, [f32; 4])) {
    let [w, x, y, z] = numbers;
    let (w, x, y, z) = (
        w.as_chunks::<4>().0,
        x.as_chunks::<4>().0,
        y.as_chunks::<4>().0,
        z.as_chunks::<4>().0,
    );
    for (chunk, (((w, x), y), z)) in w.iter().zip(x).zip(y).zip(z).enumerate() {
        if 4 * chunk >= count {
            break;
        }
        for (lane, four) in (4 * chunk..count).zip(four_by_four([w, x, y, z])) {
            write(lane, four);
        }
    }
}

/// Transposes a matrix of four by four numbers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four_by_four([a, b, c, d]: [&[f32; 4]; 4]) -> [[f32; 4]; 4] {
    use std::arch::x86_64::{
        __m128, _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_unpackhi_ps, _mm_unpacklo_ps,
    };
    let load = |four: &[f32; 4]| {
        #[allow(unsafe_code, reason = "four numbers as a vector")]
        // SAFETY: there are four, and they need not be aligned.
        unsafe {
            _mm_loadu_ps(four.as_ptr())
        }
    };
    let numbers = |vector: __m128| {
        #[allow(unsafe_code, reason = "a vector as four numbers")]
        // SAFETY: both are 16 bytes, and any bits are numbers.
        unsafe {
            std::mem::transmute::<__m128, [f32; 4]>(vector)
        }
    };
    let (a, b, c, d) = (load(a), load(b), load(c), load(d));
    #[allow(unsafe_code, reason = "vectors that every processor of this kind has")]
    // SAFETY: they belong to the architecture.
    let four = unsafe {
        let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (ab_high, cd_high) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        [
            _mm_movelh_ps(ab, cd),
            _mm_movehl_ps(cd, ab),
            _mm_movelh_ps(ab_high, cd_high),
            _mm_movehl_ps(cd_high, ab_high),
        ]
    };
    [
        numbers(four[0]),
        numbers(four[1]),
        numbers(four[2]),
        numbers(four[3]),
    ]
}

/// Transposes a matrix of four by four numbers.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn four_by_four([a, b, c, d]: [&[f32; 4]; 4]) -> [[f32; 4]; 4] {
    [
        [a[0], b[0], c[0], d[0]],
        [a[1], b[1], c[1], d[1]],
        [a[2], b[2], c[2], d[2]],
        [a[3], b[3], c[3], d[3]],
    ]
}
