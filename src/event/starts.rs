//! Where the search for the nearest points of two features starts.

use super::feature::{Feature, across};
use crate::math::Vec3;

/// Sine of a disk's tilt below which its rim may cross an edge twice.
const NEARLY_FLAT: f64 = 0.1;
/// Sine of a disk's tilt above which it has a lowest point.
pub(super) const TILTED: f64 = 1e-12;

/// Places from which to look for the nearest points of two features, the first on the side of `normal`; none where there are no
/// such points, or where features without a radius do not touch but by chance.
pub(super) fn starts([low, high]: [&Feature; 2], normal: &Vec3) -> Vec<Vec3> {
    match (low, high) {
        (Feature::Point { at, .. } | Feature::Circle { center: at, .. }, Feature::Plane { .. }) => {
            vec![*at]
        }
        (_, Feature::Plane { .. }) | (Feature::Plane { .. }, _) => Vec::new(),
        (Feature::Point { at, .. }, _) => {
            if low.is_sharp() && high.is_sharp() {
                Vec::new()
            } else {
                vec![*at]
            }
        }
        (Feature::Line { at, .. }, _) => vec![*at],
        (Feature::Circle { .. }, _) => {
            let mut places = crossings([low, high], normal);
            places.extend(lowest(low, &-normal));
            places.extend(lowest(high, normal));
            places
        }
    }
}

/// The point of a circle that reaches farthest along a direction, if there is one.
fn lowest(feature: &Feature, direction: &Vec3) -> Option<Vec3> {
    let Feature::Circle {
        center,
        axis,
        radius,
    } = feature
    else {
        return None;
    };
    let out = across(axis, direction);
    (out.norm() > TILTED).then(|| center + out.normalize() * *radius)
}

/// Where a circle that is nearly flat crosses a line or another such circle, as seen along a normal.
fn crossings([low, high]: [&Feature; 2], normal: &Vec3) -> Vec<Vec3> {
    let is_flat = |axis: &Vec3| axis.cross(normal).norm() < NEARLY_FLAT;
    let Feature::Circle {
        center,
        axis,
        radius,
    } = low
    else {
        return Vec::new();
    };
    if !is_flat(axis) {
        return Vec::new();
    }
    // The middle between the two points, from the centre, and the direction from one to the other.
    let (middle, chord) = match high {
        Feature::Line { at, along, .. } => {
            let Some(chord) = across(normal, along).try_normalize(0.0) else {
                return Vec::new();
            };
            (across(&chord, &across(normal, &(at - center))), chord)
        }
        Feature::Circle {
            center: other,
            axis,
            radius: of_other,
        } if is_flat(axis) => {
            let apart = across(normal, &(other - center));
            let squared = apart.norm_squared();
            if squared == 0.0 {
                return Vec::new();
            }
            let share = 0.5 * (1.0 + (radius * radius - of_other * of_other) / squared);
            (apart * share, normal.cross(&apart).normalize())
        }
        _ => return Vec::new(),
    };
    let half = radius * radius - middle.norm_squared();
    if half < 0.0 {
        return Vec::new();
    }
    let half = half.sqrt();
    vec![
        center + middle + chord * half,
        center + middle - chord * half,
    ]
}
