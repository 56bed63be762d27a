//! Closest points of segments, given by their centres and half-vectors: `c + t e`, `|t| <= 1`.

use crate::math::Vec3;

/// Parameter of the point of a segment that is closest to a point; 0 for a segment of no length.
pub(super) fn closest_to_point(center: &Vec3, half: &Vec3, point: &Vec3) -> f64 {
    let length_squared = half.norm_squared();
    if length_squared > 0.0 {
        ((point - center).dot(half) / length_squared).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

/// Parameters of the closest points of two segments, each from -1 to 1.
///
/// The minimum is where neither end binds, or at one of the four ends; all are tried, since for
/// nearly parallel segments the first is lost to rounding.
pub(super) fn closest_of_segments(c1: &Vec3, e1: &Vec3, c2: &Vec3, e2: &Vec3) -> (f64, f64) {
    let mut best = (0.0, 0.0);
    let mut least = f64::INFINITY;
    let mut consider = |s: f64, t: f64| {
        let distance = ((c1 + e1 * s) - (c2 + e2 * t)).norm_squared();
        if distance < least {
            least = distance;
            best = (s, t);
        }
    };
    if let Some((s, t)) = closest_of_lines(c1, e1, c2, e2)
        && s.abs() <= 1.0
        && t.abs() <= 1.0
    {
        consider(s, t);
    }
    for end in [-1.0, 1.0] {
        consider(end, closest_to_point(c2, e2, &(c1 + e1 * end)));
        consider(closest_to_point(c1, e1, &(c2 + e2 * end)), end);
    }
    best
}

/// Parameters of the closest points of two lines; `None` for parallel ones.
pub(super) fn closest_of_lines(c1: &Vec3, e1: &Vec3, c2: &Vec3, e2: &Vec3) -> Option<(f64, f64)> {
    let (a, b, c) = (e1.norm_squared(), e1.dot(e2), e2.norm_squared());
    let determinant = a * c - b * b;
    if determinant <= 1e-14 * a * c {
        return None;
    }
    let r = c2 - c1;
    let (d, e) = (e1.dot(&r), e2.dot(&r));
    Some(((c * d - b * e) / determinant, (b * d - a * e) / determinant))
}
