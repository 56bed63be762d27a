//! Two vectors side by side.
//!
//! Each operation is done to one, then to the other. What is computed of them are two chains of
//! operations that do not depend on each other, so that a processor works on one while the other waits
//! for a result.

use super::Arithmetic;
use std::ops::{Add, Mul, Sub};

/// Two vectors.
#[derive(Clone, Copy)]
pub(in crate::solver::cpu::lanes) struct Twin<S>(S, S);

impl<S: Arithmetic> Twin<S> {
    #[inline(always)]
    pub(in crate::solver::cpu::lanes) fn new([first, second]: [S; 2]) -> Self {
        Self(first, second)
    }

    /// Both vectors.
    #[inline(always)]
    pub(in crate::solver::cpu::lanes) fn both(self) -> [S; 2] {
        [self.0, self.1]
    }

    /// The vectors of two sets, each beside its like.
    #[inline(always)]
    pub(in crate::solver::cpu::lanes) fn zip<const N: usize>(sets: [[S; N]; 2]) -> [Self; N] {
        let mut twins = [Self(sets[0][0], sets[1][0]); N];
        for place in 1..N {
            twins[place] = Self(sets[0][place], sets[1][place]);
        }
        twins
    }

    /// The two sets again.
    #[inline(always)]
    pub(in crate::solver::cpu::lanes) fn unzip<const N: usize>(twins: [Self; N]) -> [[S; N]; 2] {
        let mut sets = [[twins[0].0; N], [twins[0].1; N]];
        for place in 1..N {
            (sets[0][place], sets[1][place]) = (twins[place].0, twins[place].1);
        }
        sets
    }
}

impl<S: Arithmetic> Add for Twin<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl<S: Arithmetic> Sub for Twin<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl<S: Arithmetic> Mul for Twin<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0, self.1 * other.1)
    }
}

impl<S: Arithmetic> Arithmetic for Twin<S> {
    type Mask = [S::Mask; 2];

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(S::splat(x), S::splat(x))
    }

    #[inline(always)]
    fn over(self, divisor: Self) -> Self {
        Self(self.0.over(divisor.0), self.1.over(divisor.1))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        [self.0.le(other.0), self.1.le(other.1)]
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        [self.0.lt(other.0), self.1.lt(other.1)]
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(
            S::select(mask[0], yes.0, no.0),
            S::select(mask[1], yes.1, no.1),
        )
    }

    #[inline(always)]
    fn in_step(self) -> Self {
        Self::new(S::abreast(self.0, self.1))
    }
}
