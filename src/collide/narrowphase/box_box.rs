//! Two boxes: separating axes, then a clipped face or a pair of edges.
//!
//! With `R_ij` the cosines between the axes of P and Q, `d` from P to Q and half extents `a`, `b`,
//! the separation along a face normal of P is `|d_i| - a_i - sum_j b_j |R_ij|`, likewise for Q, and
//! along `p_i x q_j` it is the distance less both extents, over the length of the product. The
//! largest of the fifteen is minus the penetration depth of boxes that overlap, and a lower bound of
//! the distance of others (Gottschalk, Lin, Manocha 1996, sec. 5).

use super::box_distance::closest_features;
use super::box_faces::{Frame, face_contact};
use super::direction::sign;
use super::manifold::{Manifold, Point, Points, reduce};
use super::query::Query;
use super::segment::closest_of_lines;
use crate::constants::{AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, DEEPER_BY};
use crate::math::{Mat3, Vec3};

/// Kinds of features, in the two highest bits; face contacts use 0 and 1.
const EDGES: u32 = 2 << 30;
const NEAREST: u32 = 3 << 30;

/// Below this sine two edges count as parallel: their common perpendicular is lost to rounding, and
/// the faces' normals do as well.
const PARALLEL_EDGES: f64 = 1e-6;

/// A box: centre, rotation, half extents.
type Cuboid<'a> = (&'a Vec3, &'a Mat3, &'a Vec3);

/// An axis of the search and the separation along it.
#[derive(Debug, Clone, Copy)]
enum Axis {
    FaceP(usize),
    FaceQ(usize),
    Edges(usize, usize),
}

/// Up to four points: of the face that separates best, or of a pair of edges.
pub(super) fn box_box(p: Cuboid<'_>, q: Cuboid<'_>, query: &Query, manifold: &mut Manifold) {
    let between = q.0 - p.0;
    let relative = p.1.tr_mul(q.1);
    let from_p = p.1.tr_mul(&between);
    let from_q = q.1.tr_mul(&between);
    let (axis, separation) = best_axis(&relative, &from_p, &from_q, p.2, q.2, query.reach);
    if separation > query.reach {
        manifold.set_apart(separation);
        return;
    }

    let mut candidates: Points<9> = Points::new();
    // Outward from P, in world axes.
    let outward = match axis {
        Axis::FaceP(i) => p.1.column(i) * sign(from_p[i]),
        Axis::FaceQ(j) => q.1.column(j) * sign(from_q[j]),
        Axis::Edges(i, j) => {
            let cross = p.1.column(i).cross(&q.1.column(j)).normalize();
            cross * sign(cross.dot(&between))
        }
    };
    let lowest = match axis {
        Axis::FaceP(i) => {
            let (reference, incident) = (Frame::new(p), Frame::new(q));
            let side = sign(from_p[i]);
            face_contact(0, &reference, i, side, &incident, query, &mut candidates)
        }
        Axis::FaceQ(j) => {
            let (reference, incident) = (Frame::new(q), Frame::new(p));
            let side = -sign(from_q[j]);
            face_contact(1, &reference, j, side, &incident, query, &mut candidates)
        }
        Axis::Edges(i, j) => {
            edge_contact((p, i), (q, j), &outward, separation, query, &mut candidates)
        }
    };

    // The axis gives the distance only where the closest features face each other along it; beside
    // a face, or past the end of an edge, the boxes are farther apart, in another direction.
    let slack = DEEPER_BY * (p.2.max() + q.2.max());
    if lowest > separation + slack {
        if separation > 0.0 {
            let (on_p, on_q, code) = closest_features((&from_p, &relative, q.2), p.2);
            let apart = on_p - on_q;
            let distance = apart.norm();
            if distance > 0.0 && distance < lowest - slack {
                candidates.offer(
                    query,
                    Point {
                        feature: NEAREST | code,
                        position: p.0 + p.1 * ((on_p + on_q) * 0.5),
                        normal: p.1 * (apart / distance),
                        separation: distance,
                    },
                );
            }
        } else if lowest == f64::INFINITY {
            let deepest = q.0 - q.1 * support(q, &outward);
            candidates.offer(
                query,
                Point {
                    feature: NEAREST,
                    position: deepest - outward * (0.5 * separation),
                    normal: -outward,
                    separation,
                },
            );
        }
    }
    reduce(candidates.as_slice(), manifold);
}

/// The vertex of a box farthest along a world direction, in the box's axes.
fn support((_, rotation, half_extents): Cuboid<'_>, along: &Vec3) -> Vec3 {
    rotation.tr_mul(along).map(sign).component_mul(half_extents)
}

/// The axis with the largest separation, by preference a face of P, then a face of Q; any axis whose
/// separation exceeds `reach` if there is one.
fn best_axis(
    relative: &Mat3,
    from_p: &Vec3,
    from_q: &Vec3,
    a: &Vec3,
    b: &Vec3,
    reach: f64,
) -> (Axis, f64) {
    let cosines = relative.abs();
    let face_p = from_p.abs() - a - cosines * b;
    let face_q = from_q.abs() - b - cosines.tr_mul(a);
    let (i, j) = (face_p.imax(), face_q.imax());
    if face_p[i].max(face_q[j]) > reach {
        return if face_p[i] >= face_q[j] {
            (Axis::FaceP(i), face_p[i])
        } else {
            (Axis::FaceQ(j), face_q[j])
        };
    }
    let slack = AXIS_PREFERENCE_ABSOLUTE * a.min().min(b.min());
    let threshold =
        |separation: f64| separation + slack + AXIS_PREFERENCE_RELATIVE * separation.abs();
    let mut best = (Axis::FaceP(i), face_p[i]);
    if face_q[j] > threshold(best.1) {
        best = (Axis::FaceQ(j), face_q[j]);
    }
    let mut edges = (Axis::Edges(0, 0), f64::NEG_INFINITY);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let length = relative[(i1, j)].hypot(relative[(i2, j)]);
            if length < PARALLEL_EDGES {
                continue;
            }
            let distance = from_p[i2] * relative[(i1, j)] - from_p[i1] * relative[(i2, j)];
            let extent = a[i1] * cosines[(i2, j)]
                + a[i2] * cosines[(i1, j)]
                + b[j1] * cosines[(i, j2)]
                + b[j2] * cosines[(i, j1)];
            let separation = (distance.abs() - extent) / length;
            if separation > edges.1 {
                edges = (Axis::Edges(i, j), separation);
            }
        }
    }
    if edges.1 > reach || edges.1 > threshold(best.1) {
        best = edges;
    }
    best
}

/// The point between two edges, if it lies within both or the boxes overlap. Returns its separation,
/// or infinity where the edges pass each other.
fn edge_contact(
    (p, i): (Cuboid<'_>, usize),
    (q, j): (Cuboid<'_>, usize),
    outward: &Vec3,
    separation: f64,
    query: &Query,
    candidates: &mut Points<9>,
) -> f64 {
    let mut edge_p = support(p, outward);
    let mut edge_q = support(q, &-outward);
    let feature = EDGES | edge_code(&edge_p, i) << 8 | edge_code(&edge_q, j);
    edge_p[i] = 0.0;
    edge_q[j] = 0.0;
    let center_p = p.1 * edge_p;
    let center_q = (q.0 - p.0) + q.1 * edge_q;
    let half_p = p.1.column(i) * p.2[i];
    let half_q = q.1.column(j) * q.2[j];
    let Some((s, t)) = closest_of_lines(&center_p, &half_p, &center_q, &half_q) else {
        return f64::INFINITY;
    };
    let within = s.abs() <= 1.0 && t.abs() <= 1.0;
    if !within && separation > 0.0 {
        return f64::INFINITY;
    }
    let on_p = center_p + half_p * s.clamp(-1.0, 1.0);
    let on_q = center_q + half_q * t.clamp(-1.0, 1.0);
    candidates.offer(
        query,
        Point {
            feature,
            position: p.0 + (on_p + on_q) * 0.5,
            normal: -outward,
            separation,
        },
    );
    separation
}

/// Which of a box's edges along `axis`: the axis and the signs of the other two coordinates.
fn edge_code(vertex: &Vec3, axis: usize) -> u32 {
    let bit = |k: usize| u32::from(vertex[k] > 0.0);
    (axis as u32) << 2 | bit((axis + 1) % 3) << 1 | bit((axis + 2) % 3)
}
