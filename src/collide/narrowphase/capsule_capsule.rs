//! Two capsules.

use super::direction::{direction, perpendicular};
use super::manifold::{Manifold, Point};
use super::query::Query;
use super::segment::{closest_of_segments, closest_to_point};
use crate::constants::{CROSSING_LINES, DEEPER_BY};
use crate::math::Vec3;

const LOWER_END: u32 = 0;
const UPPER_END: u32 = 1;
const BETWEEN: u32 = 2;

/// A capsule: centre, unit axis, half the length of the segment, radius.
type Capsule<'a> = (&'a Vec3, &'a Vec3, f64, f64);

/// The closest points of the two segments and, unless these [cross](CROSSING_LINES), the two ends of the stretch over which they lie side by side.
pub(super) fn capsule_capsule(
    (p, axis_p, length_p, radius_p): Capsule<'_>,
    (q, axis_q, length_q, radius_q): Capsule<'_>,
    query: &Query,
    manifold: &mut Manifold,
) {
    let center = p - q;
    let half_p = axis_p * length_p;
    let half_q = axis_q * length_q;
    let origin = Vec3::zeros();
    let (s, t) = closest_of_segments(&center, &half_p, &origin, &half_q);
    let between = center + half_p * s - half_q * t;
    let apart = between.norm() - (radius_p + radius_q);
    if apart > query.reach {
        manifold.set_apart(apart);
        return;
    }
    let crossing = axis_p.cross(axis_q);
    let point = |feature, s: f64, t: f64| {
        let on_q = half_q * t;
        // Where the segments cross, the way out is across both.
        let (normal, distance) = direction(&(center + half_p * s - on_q)).unwrap_or_else(|| {
            let across = direction(&crossing).filter(|(_, sine)| *sine > 1e-9);
            (
                across.map_or_else(|| perpendicular(axis_p), |(n, _)| n),
                0.0,
            )
        });
        let separation = distance - (radius_p + radius_q);
        Point {
            feature,
            position: q + on_q + normal * (radius_q + 0.5 * separation),
            normal,
            separation,
        }
    };
    let nearest = point(BETWEEN, s, t);
    let mut ends = f64::INFINITY;
    if crossing.norm() < CROSSING_LINES && length_p > 0.0 && length_q > 0.0 {
        // The stretch of P's segment beside Q's, from the projections of Q's ends.
        let middle = -center.dot(axis_p) / length_p;
        let spread = (half_q.dot(axis_p) / length_p).abs();
        let (low, high) = ((middle - spread).max(-1.0), (middle + spread).min(1.0));
        if low < high {
            for (feature, s) in [(LOWER_END, low), (UPPER_END, high)] {
                let t = closest_to_point(&origin, &half_q, &(center + half_p * s));
                let end = point(feature, s, t);
                ends = ends.min(end.separation);
                manifold.offer(query, end);
            }
        }
    }
    if nearest.separation < ends - DEEPER_BY * (radius_p + radius_q) {
        manifold.offer(query, nearest);
    }
}
