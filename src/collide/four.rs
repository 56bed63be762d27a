//! Four numbers that processors take at once.
//!
//! Every operation is that of f64, number by number and never fused, so that all ways give the same bits.

use crate::math::Vec3;

/// Four numbers as they are in memory.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Quad(pub(super) [f64; 4]);

impl Quad {
    /// A vector, and zero.
    pub(super) fn of(vector: &Vec3) -> Self {
        Self([vector.x, vector.y, vector.z, 0.0])
    }
}

/// Four numbers as they are computed with.
///
/// # Safety
/// Methods of an implementation may only be called where the processor has its instructions.
#[allow(unsafe_code, reason = "bytes meet SIMD")]
pub(super) unsafe trait Four: Copy {
    fn of(quad: &Quad) -> Self;
    fn quad(self) -> Quad;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// Number by number.
    fn times(self, other: Self) -> Self;
    fn scaled(self, factor: f64) -> Self;

    /// The first three.
    #[inline(always)]
    fn vector(self) -> Vec3 {
        let Quad([x, y, z, _]) = self.quad();
        Vec3::new(x, y, z)
    }

    /// Scalar product of the first three.
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        let Quad([x, y, z, _]) = self.times(other).quad();
        x + y + z
    }
}

// SAFETY: arithmetic of f64, which every processor has.
#[allow(unsafe_code, reason = "bytes meet SIMD")]
unsafe impl Four for Quad {
    #[inline(always)]
    fn of(quad: &Quad) -> Self {
        *quad
    }

    #[inline(always)]
    fn quad(self) -> Quad {
        self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a + e, b + f, c + g, d + h])
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a - e, b - f, c - g, d - h])
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a * e, b * f, c * g, d * h])
    }

    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        self.times(Self([factor; 4]))
    }
}

/// Four numbers in a register of AVX.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx(std::arch::x86_64::__m256d);

// SAFETY: AVX is all that the methods need.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "bytes meet SIMD")]
unsafe impl Four for Avx {
    #[inline(always)]
    fn of(quad: &Quad) -> Self {
        // SAFETY: four aligned numbers; the processor has AVX.
        Self(unsafe { std::arch::x86_64::_mm256_load_pd(quad.0.as_ptr()) })
    }

    #[inline(always)]
    fn quad(self) -> Quad {
        let mut quad = Quad([0.0; 4]);
        // SAFETY: four aligned numbers; the processor has AVX.
        unsafe { std::arch::x86_64::_mm256_store_pd(quad.0.as_mut_ptr(), self.0) };
        quad
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: the processor has AVX.
        Self(unsafe { std::arch::x86_64::_mm256_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: the processor has AVX.
        Self(unsafe { std::arch::x86_64::_mm256_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: the processor has AVX.
        Self(unsafe { std::arch::x86_64::_mm256_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        // SAFETY: the processor has AVX.
        self.times(Self(unsafe { std::arch::x86_64::_mm256_set1_pd(factor) }))
    }
}
