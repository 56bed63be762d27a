//! Vectors, rotations and boxes: f64 for poses, and plain `[f32; 3]` arithmetic whose order of
//! operations the shaders repeat.

use crate::constants::{INVERSE_EVEN_FACTORIALS, INVERSE_ODD_FACTORIALS, MAX_SERIES_ANGLE_SQUARED};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// A point or direction in world or body axes, f64.
pub type Vec3 = Vector3<f64>;
/// A 3 x 3 matrix, f64.
pub type Mat3 = Matrix3<f64>;
/// A rotation from body to world axes.
pub type Quat = UnitQuaternion<f64>;

/// Where a frame is: `world = position + orientation * local`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Origin of the frame `[m]`.
    pub position: Vec3,
    /// Rotation from the frame's axes to the world's.
    pub orientation: Quat,
}

impl Pose {
    /// A pose from its parts.
    #[must_use]
    pub fn new(position: Vec3, orientation: Quat) -> Self {
        Self {
            position,
            orientation,
        }
    }

    /// The world frame itself.
    #[must_use]
    pub fn identity() -> Self {
        Self::new(Vec3::zeros(), Quat::identity())
    }

    /// A local point in the outer frame.
    #[must_use]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.orientation * local
    }

    /// A local direction in the outer frame.
    #[must_use]
    pub fn direction(&self, local: &Vec3) -> Vec3 {
        self.orientation * local
    }

    /// A point of the outer frame in local coordinates.
    #[must_use]
    pub fn inverse_point(&self, world: &Vec3) -> Vec3 {
        self.orientation.inverse() * (world - self.position)
    }

    /// A direction of the outer frame in local coordinates.
    #[must_use]
    pub fn inverse_direction(&self, world: &Vec3) -> Vec3 {
        self.orientation.inverse() * world
    }

    /// The pose of `inner`, given in this frame, in the outer frame.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self::new(
            self.point(&inner.position),
            self.orientation * inner.orientation,
        )
    }
}

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

/// An axis-aligned box in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Least corner `[m]`.
    pub min: Vec3,
    /// Greatest corner `[m]`.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing; the neutral element of [`Aabb::merged`].
    #[must_use]
    pub fn empty() -> Self {
        Self {
            min: Vec3::repeat(f64::INFINITY),
            max: Vec3::repeat(f64::NEG_INFINITY),
        }
    }

    /// The box that holds all space.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            min: Vec3::repeat(f64::NEG_INFINITY),
            max: Vec3::repeat(f64::INFINITY),
        }
    }

    /// True if the boxes share a point; touching counts.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// The box grown by `margin` `[m]` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min.add_scalar(-margin),
            max: self.max.add_scalar(margin),
        }
    }

    /// The least box that holds both.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// True if every side is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min
            .iter()
            .chain(self.max.iter())
            .all(|x| x.is_finite())
    }
}

/// Three f32 numbers, as the solvers and shaders see a vector.
pub type V3 = [f32; 3];

/// `a + b`.
#[must_use]
#[inline(always)]
pub fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[must_use]
#[inline(always)]
pub fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a * s`.
#[must_use]
#[inline(always)]
pub fn scale(a: V3, s: f32) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a . b`, summed from the first component on.
#[must_use]
#[inline(always)]
pub fn dot(a: V3, b: V3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[must_use]
#[inline(always)]
pub fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// `v + a x b`, in an order that shader compilers have no reason to change.
#[must_use]
#[inline(always)]
pub fn add_cross(v: V3, a: V3, b: V3) -> V3 {
    [
        (v[0] + a[1] * b[2]) - a[2] * b[1],
        (v[1] + a[2] * b[0]) - a[0] * b[2],
        (v[2] + a[0] * b[1]) - a[1] * b[0],
    ]
}

/// A symmetric matrix `[xx, xy, xz, yy, yz, zz]` times a vector.
#[must_use]
#[inline(always)]
pub fn symmetric_mul(m: &[f32; 6], v: V3) -> V3 {
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
pub fn tangents(n: V3) -> (V3, V3) {
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
