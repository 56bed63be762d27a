//! Closest points of the edges of two polyhedra.

use super::Segment;
use crate::collide::narrowphase::segment::{closest_of_lines, closest_of_segments};
use crate::math::Vec3;

fn halves(edge: &Segment) -> (Vec3, Vec3) {
    let half = edge.along * 0.5;
    (edge.from + half, half)
}

/// The closest points of the lines of two edges, cut off at their ends, and whether they are within both.
pub(super) fn crossing(p: &Segment, q: &Segment) -> (Vec3, Vec3, bool) {
    let ((c1, e1), (c2, e2)) = (halves(p), halves(q));
    let (s, t) = closest_of_lines(&c1, &e1, &c2, &e2).unwrap_or((0.0, 0.0));
    let at = |center: Vec3, half: Vec3, part: f64| center + half * part.clamp(-1.0, 1.0);
    (
        at(c1, e1, s),
        at(c2, e2, t),
        s.abs() <= 1.0 && t.abs() <= 1.0,
    )
}

/// The closest points of some edges of P and of Q, and a name for these edges; none if one has none.
///
/// Where solids that are apart are nearest at a face and a vertex, the face separates them by as much. Everywhere else
/// they are nearest at two edges, or at their ends.
pub(super) fn nearest_of_edges([near_p, near_q]: [Vec<Segment>; 2]) -> Option<(Vec3, Vec3, u32)> {
    let mut best = None;
    let mut least = f64::INFINITY;
    for p in &near_p {
        let (c1, e1) = halves(p);
        let half_p = e1.norm();
        for q in &near_q {
            let (c2, e2) = halves(q);
            // No nearer than their middles less half their lengths, and somewhat more for rounding.
            let far = least.sqrt() + (half_p + e2.norm()) * (1.0 + 1e-9);
            if (c1 - c2).norm_squared() > far * far {
                continue;
            }
            let (s, t) = closest_of_segments(&c1, &e1, &c2, &e2);
            let (on_p, on_q) = (c1 + e1 * s, c2 + e2 * t);
            let squared = (on_p - on_q).norm_squared();
            if squared < least {
                least = squared;
                best = Some((on_p, on_q, p.index << 15 | q.index));
            }
        }
    }
    best
}
