//! Unit vectors, also where the geometry leaves them open.

use crate::math::Vec3;

/// Below this length `[m]` the square of a vector loses digits to underflow.
const TINY: f64 = 1e-140;

/// The direction and length of a vector; `None` for one too short to have a direction.
pub(super) fn direction(vector: &Vec3) -> Option<(Vec3, f64)> {
    let length = vector.norm();
    (length > TINY).then(|| (vector / length, length))
}

/// A unit vector across a unit vector: across its smallest component, the first of equals.
pub(super) fn perpendicular(unit: &Vec3) -> Vec3 {
    let mut least = 0;
    for axis in 1..3 {
        if unit[axis].abs() < unit[least].abs() {
            least = axis;
        }
    }
    let mut other = Vec3::zeros();
    other[least] = 1.0;
    unit.cross(&other).normalize()
}

/// 1 for numbers from zero on, -1 below.
pub(super) fn sign(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}
