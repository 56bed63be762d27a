//! Arithmetic of three f32 numbers, or of vectors of such, whose order of operations the shaders repeat.

use super::{Mat3, Vec3};
use std::ops::{Add, Mul, Sub};

/// Three f32 numbers, as the solvers and shaders see a vector.
pub type V3 = [f32; 3];

/// An f32, or a vector of them: one in each lane.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Number for T {}

/// `a + b`.
#[must_use]
#[inline(always)]
pub fn add<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[must_use]
#[inline(always)]
pub fn sub<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a * s`.
#[must_use]
#[inline(always)]
pub fn scale<T: Number>(a: [T; 3], s: T) -> [T; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a . b`, summed from the first component on.
#[must_use]
#[inline(always)]
pub fn dot<T: Number>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[must_use]
#[inline(always)]
pub fn cross<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// A symmetric matrix `[xx, xy, xz, yy, yz, zz]` times a vector.
#[must_use]
#[inline(always)]
pub(crate) fn symmetric_mul<T: Number>(m: &[T; 6], v: [T; 3]) -> [T; 3] {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[2] * v[0] + m[4] * v[1] + m[5] * v[2],
    ]
}

/// Two unit tangents that make a right-handed frame `(n, t1, t2)` with a unit normal.
///
/// A pure function of the normal, so that it is never stored: branch-free but for one sign, after
/// Duff et al. 2017, *Building an orthonormal basis, revisited*.
#[must_use]
#[inline(always)]
pub fn tangents(n: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    let sign = if n[2] >= 0.0 { 1.0_f32 } else { -1.0 };
    let a = -1.0 / (sign + n[2]);
    let b = n[0] * n[1] * a;
    (
        [1.0 + sign * (n[0] * n[0] * a), sign * b, -sign * n[0]],
        [b, sign + n[1] * n[1] * a, -n[1]],
    )
}

/// Narrows a vector to f32.
#[must_use]
#[inline]
pub fn narrow(v: &Vec3) -> V3 {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Widens a vector to f64.
#[must_use]
#[inline]
pub fn widen(v: V3) -> Vec3 {
    Vec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

/// Widens a symmetric matrix, `[xx, xy, xz, yy, yz, zz]`, to f64.
pub(crate) fn widen_symmetric(m: &[f32; 6]) -> Mat3 {
    let [xx, xy, xz, yy, yz, zz] = m.map(f64::from);
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}
