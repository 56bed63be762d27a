//! Vectors of f32 lanes: one trait, and four widths of it.
//!
//! Every operation is the one that f32 has in IEEE 754, lane by lane and never fused, so that all
//! widths give the same bits. A single f32 is the narrowest: a law that is written once for lanes is the twin of a
//! shader in that width.
//!
//! Functions of a [`Kernel`] are compiled for the width that it runs in if they are inlined into it: all of them are
//! marked so. Closures cannot be; one that a compiler leaves alone makes each operation in it a call.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
mod rows;
mod single;
pub(crate) mod vector;

pub(crate) use rows::{IndexRow, LANES, Row, lanes_of, lanes_of_3, put};
pub(crate) use vector::Vector;

use crate::math::Number;
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Which instructions the lanes are computed with. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Width {
    /// Arrays of 8 numbers, as the compiler sees fit; any processor.
    Portable,
    /// 8 lanes of AVX2.
    Avx2,
    /// 16 lanes of AVX-512.
    Avx512,
}

impl Width {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The widest that this processor has.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL
            .into_iter()
            .rev()
            .find(|width| width.is_available())
            .unwrap_or(Self::Portable)
    }

    /// True if this processor has the instructions.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Name in reports: `portable`, `avx2` or `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// What is computed in lanes, for any of them.
#[allow(unsafe_code, reason = "bytes meet SIMD")]
pub(crate) trait Kernel {
    /// Computes it.
    ///
    /// # Safety
    /// The processor has the instructions of `S`; and what the kernel itself asks for.
    unsafe fn run<S: Simd>(self);
}

impl Width {
    /// A kernel compiled for these instructions, or for arrays where the processor lacks them; to be called under the promises that the
    /// kernel asks for.
    #[inline]
    pub(crate) fn compiled<K: Kernel>(self) -> unsafe fn(K) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.is_available() => run_avx512,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => run_avx2,
            _ => K::run::<portable::Portable>,
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code, reason = "the caller has found AVX-512")]
unsafe fn run_avx512(kernel: impl Kernel) {
    align_stack();
    // SAFETY: the caller's promise.
    unsafe { kernel.run::<avx512::Avx512>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "the caller has found AVX2")]
unsafe fn run_avx2(kernel: impl Kernel) {
    align_stack();
    // SAFETY: the caller's promise.
    unsafe { kernel.run::<avx2::Avx2>() }
}

/// Makes the function that this is inlined into keep its stack aligned like a row.
///
/// Vectors that find no register go to the stack. Compilers align it for variables, but not for those
/// vectors alone; most of them would then lie across two cache lines, and cost twice as much.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn align_stack() {
    let aligned = MaybeUninit::<Row>::uninit();
    black_box(aligned.as_ptr());
}

impl Default for Width {
    fn default() -> Self {
        Self::detect()
    }
}

/// Some f32 lanes side by side.
///
/// # Safety
/// Methods of an implementation may only be called where the processor has its instructions; those
/// that take pointers read or write `LANES` numbers there, or what they say.
#[allow(unsafe_code, reason = "bytes meet SIMD")]
pub(crate) unsafe trait Simd: Number {
    /// What a comparison gives, one truth value a lane.
    type Mask: Copy;

    /// Number of lanes.
    const LANES: usize;

    /// True if two chains of operations in turns take less time than one after the other: there are
    /// registers enough for both.
    const TAKES_TURNS: bool;

    /// Reads all lanes from consecutive numbers; aligned to the vector's size.
    unsafe fn load(from: *const f32) -> Self;

    /// Writes all lanes to consecutive numbers; aligned to the vector's size.
    unsafe fn store(self, to: *mut f32);

    /// The same number in all lanes.
    fn splat(x: f32) -> Self;

    /// Quotient.
    fn over(self, divisor: Self) -> Self;

    /// Square root.
    fn sqrt(self) -> Self;

    /// The larger number; `other` if either is none.
    fn max(self, other: Self) -> Self;

    /// Magnitude.
    fn abs(self) -> Self;

    /// `self <= other`.
    fn le(self, other: Self) -> Self::Mask;

    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;

    /// `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// True if the mask is set in every lane.
    fn all(mask: Self::Mask) -> bool;

    /// Four consecutive numbers of each lane's record: lane `i` reads `from[stride * index[i]..][..4]`.
    /// Returns the first numbers, the second, and so on.
    unsafe fn gather_4(from: *const f32, stride: usize, index: *const u32) -> [Self; 4];

    /// Eight consecutive numbers of each lane's record: lane `i` reads `from[8 * index[i]..][..8]`. Records
    /// are aligned to 32 bytes. Returns the first numbers, the second, and so on, of each half.
    #[inline(always)]
    unsafe fn gather_8(from: *const f32, index: *const u32) -> [[Self; 4]; 2] {
        // SAFETY: the caller's promise.
        unsafe {
            [
                Self::gather_4(from, 8, index),
                Self::gather_4(from.add(4), 8, index),
            ]
        }
    }

    /// The reverse of [`Simd::gather_8`]: lane `i` writes `low` and `high` to
    /// `to[8 * index[i]..][..8]`. Records are aligned to 32 bytes.
    unsafe fn scatter_8(to: *mut f32, index: *const u32, low: [Self; 4], high: [Self; 4]);
}

/// Where a lane's record begins, in numbers.
///
/// # Safety
/// There is an index at `index`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code, reason = "bytes meet SIMD")]
unsafe fn offset(stride: usize, index: *const u32) -> usize {
    // SAFETY: the caller's promise. Volatile, because compilers else read all indices as a vector, of
    // which they then have to pick them one by one.
    unsafe { stride * index.read_volatile() as usize }
}

/// Implements the operators of a vector by functions of two vectors.
macro_rules! operators {
    ($vector:ty, $add:expr, $sub:expr, $mul:expr) => {
        impl std::ops::Add for $vector {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $add(self, other)
            }
        }
        impl std::ops::Sub for $vector {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $sub(self, other)
            }
        }
        impl std::ops::Mul for $vector {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $mul(self, other)
            }
        }
    };
}
use operators;

/// Methods of one expression each, in which a vector calls intrinsics of its own.
#[cfg(target_arch = "x86_64")]
macro_rules! intrinsics {
    ($(fn $method:ident($($argument:tt)*) -> $result:ty { $expression:expr })*) => {
        $(
            #[inline(always)]
            fn $method($($argument)*) -> $result {
                // SAFETY: whoever uses the vector has found its instructions; see `Simd`.
                unsafe { $expression }
            }
        )*
    };
}
#[cfg(target_arch = "x86_64")]
use intrinsics;

/// A function `transpose`: four rows of four numbers to four columns, and back, in every four lanes.
#[cfg(target_arch = "x86_64")]
macro_rules! transpose {
    ($register:ty, $unpack_low:ident, $unpack_high:ident, $shuffle:ident) => {
        #[inline(always)]
        unsafe fn transpose([r0, r1, r2, r3]: [$register; 4]) -> [$register; 4] {
            // SAFETY: whoever uses the vector has found its instructions; see `Simd`.
            unsafe {
                let (a, b) = ($unpack_low(r0, r1), $unpack_high(r0, r1));
                let (c, d) = ($unpack_low(r2, r3), $unpack_high(r2, r3));
                [
                    $shuffle::<0x44>(a, c),
                    $shuffle::<0xEE>(a, c),
                    $shuffle::<0x44>(b, d),
                    $shuffle::<0xEE>(b, d),
                ]
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use transpose;
