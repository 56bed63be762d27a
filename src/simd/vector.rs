//! Vectors of three components, one of each in every lane.

use super::Simd;
pub(crate) use crate::math::{add, cross, dot, scale, sub, symmetric_mul};

/// Three components.
pub(crate) type Vector<S> = [S; 3];

/// `yes` in the lanes of a mask, `no` elsewhere.
#[inline(always)]
pub(crate) fn select<S: Simd>(mask: S::Mask, yes: Vector<S>, no: Vector<S>) -> Vector<S> {
    [
        S::select(mask, yes[0], no[0]),
        S::select(mask, yes[1], no[1]),
        S::select(mask, yes[2], no[2]),
    ]
}

/// Sum of the magnitudes of the components.
#[inline(always)]
pub(crate) fn size<S: Simd>(v: Vector<S>) -> S {
    (v[0].abs() + v[1].abs()) + v[2].abs()
}

/// `v + a x b`.
#[inline(always)]
pub(crate) fn add_cross<S: Simd>(v: Vector<S>, a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [
        (v[0] + a[1] * b[2]) - a[2] * b[1],
        (v[1] + a[2] * b[0]) - a[0] * b[2],
        (v[2] + a[0] * b[1]) - a[1] * b[0],
    ]
}

/// The tangents of [`crate::math::tangents`].
#[inline(always)]
pub(crate) fn tangents<S: Simd>(n: Vector<S>) -> (Vector<S>, Vector<S>) {
    let (zero, one, minus_one) = (S::splat(0.0), S::splat(1.0), S::splat(-1.0));
    let sign = S::select(zero.le(n[2]), one, minus_one);
    let a = minus_one.over(sign + n[2]);
    let b = n[0] * n[1] * a;
    (
        [
            one + sign * (n[0] * n[0] * a),
            sign * b,
            (minus_one * sign) * n[0],
        ],
        [b, sign + n[1] * n[1] * a, minus_one * n[1]],
    )
}

/// An impulse `(normal, tangent 1, tangent 2)` in world axes `[N s]`.
#[inline(always)]
pub(crate) fn in_world<S: Simd>(normal: Vector<S>, impulse: Vector<S>) -> Vector<S> {
    let (tangent_1, tangent_2) = tangents(normal);
    let along = scale(normal, impulse[0]);
    add(
        add(along, scale(tangent_1, impulse[1])),
        scale(tangent_2, impulse[2]),
    )
}
