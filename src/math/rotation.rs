//! Rotations from rotation vectors, one by one and several at a time.

use super::{Quat, Vec3};
use crate::constants::{
    INVERSE_EVEN_FACTORIALS, INVERSE_ODD_FACTORIALS, LEAST_SINE, MAX_SERIES_ANGLE_SQUARED,
};
use std::f64::consts::TAU;

/// The rotation by the vector `theta` `[rad]`: `(cos |theta|/2, sin(|theta|/2) theta/|theta|)`.
#[must_use]
#[inline]
pub fn exp(theta: &Vec3) -> Quat {
    let half = theta * 0.5;
    let squared = half.norm_squared();
    if squared > MAX_SERIES_ANGLE_SQUARED {
        return Quat::from_scaled_axis(*theta);
    }
    let cosine = series(squared, INVERSE_EVEN_FACTORIALS);
    let over_angle = series(squared, INVERSE_ODD_FACTORIALS);
    let [x, y, z] = (half * over_angle).into();
    Quat::new_unchecked(nalgebra::Quaternion::new(cosine, x, y, z))
}

/// The rotation vector of a rotation; of all that are full turns apart the one nearest to this `[rad]`.
pub(crate) fn log_near(rotation: &Quat, near: &Vec3) -> Vec3 {
    let sine = rotation.imag().norm();
    if sine < LEAST_SINE {
        // About which axis rounding hides.
        return *near;
    }
    let axis = rotation.imag() / sine;
    let angle = 2.0 * sine.atan2(rotation.w);
    let missing = ((axis.dot(near) - angle) / TAU).round();
    axis * (angle + missing * TAU)
}

/// Cosine, or sine over angle, of the root of `squared`. What is left out is below 1e-17.
#[inline(always)]
fn series(squared: f64, [a, b, c, d, e, f]: [f64; 6]) -> f64 {
    1.0 - squared
        * (a - squared * (b - squared * (c - squared * (d - squared * (e - squared * f)))))
}

/// Rotation vectors of some bodies and [`exp`] of each to the same bits, number by number, so that a
/// compiler sees vectors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rotations<const N: usize> {
    vectors: [[f64; N]; 3],
    /// The imaginary parts, then the real one.
    found: [[f64; N]; 4],
}

impl<const N: usize> Rotations<N> {
    /// No rotations.
    pub(crate) const NONE: Self = Self {
        vectors: [[0.0; N]; 3],
        found: [[0.0; N]; 4],
    };

    /// Puts a rotation vector at a place `[rad]`.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, vector: &Vec3) {
        for axis in 0..3 {
            self.vectors[axis][at] = vector[axis];
        }
    }

    /// Turns all vectors into rotations.
    pub(crate) fn find(&mut self) {
        let Self {
            vectors: [x, y, z],
            found: [i, j, k, w],
        } = self;
        let mut largest = 0.0;
        for at in 0..N {
            let half = [x[at] * 0.5, y[at] * 0.5, z[at] * 0.5];
            let squared = half[0] * half[0] + half[1] * half[1] + half[2] * half[2];
            let over_angle = series(squared, INVERSE_ODD_FACTORIALS);
            i[at] = half[0] * over_angle;
            j[at] = half[1] * over_angle;
            k[at] = half[2] * over_angle;
            w[at] = series(squared, INVERSE_EVEN_FACTORIALS);
            largest = if squared > largest { squared } else { largest };
        }
        if largest > MAX_SERIES_ANGLE_SQUARED {
            for at in 0..N {
                let rotation = exp(&Vec3::new(x[at], y[at], z[at]));
                (i[at], j[at], k[at], w[at]) = (rotation.i, rotation.j, rotation.k, rotation.w);
            }
        }
    }

    /// The rotation of the vector at a place.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> Quat {
        let [x, y, z, w] = self.found;
        Quat::new_unchecked(nalgebra::Quaternion::new(w[at], x[at], y[at], z[at]))
    }
}
