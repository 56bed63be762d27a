//! Two boxes: separating axes, then a clipped face or a pair of edges.
//!
//! With `R_ij` the cosines between the axes of P and Q, `d` from P to Q and half extents `a`, `b`,
//! the separation along a face normal of P is `|d_i| - a_i - sum_j b_j |R_ij|`, likewise for Q, and
//! along `p_i x q_j` it is the distance less both extents, over the length of the product. The
//! largest of the fifteen is minus the penetration depth of boxes that overlap, and a lower bound of
//! the distance of others (Gottschalk, Lin, Manocha 1996, sec. 5).

use super::box_distance::closest_features;
use super::box_faces::{Frame, Patch};
use super::direction::sign;
use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::constants::{
    AXIS_LOYALTY, AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, DEEPER_BY, EDGES_ALONG_FACE,
};
use crate::math::{Mat3, Vec3};

/// Kinds of features, in the two highest bits; face contacts use 0 and 1.
const EDGES: u32 = 2 << 30;
const NEAREST: u32 = 3 << 30;

/// Below this sine two edges count as parallel: their common perpendicular is lost to rounding, and
/// the faces' normals do as well.
const PARALLEL_EDGES: f64 = 1e-6;

/// A box: centre, rotation, half extents.
pub(in crate::collide) type Cuboid<'a> = (&'a Vec3, &'a Mat3, &'a Vec3);

/// An axis of the search.
#[derive(Debug, Clone, Copy)]
enum Axis {
    FaceP(usize),
    FaceQ(usize),
    Edges(usize, usize),
}

/// An axis and the separation along it `[m]`.
type Along = (Axis, f64);

impl Axis {
    /// The axis of a point with this name, if there is one.
    fn of_feature(feature: u32) -> Option<Self> {
        let axis = |bits: u32| Some((feature >> bits & 3) as usize).filter(|&axis| axis < 3);
        match feature >> 30 {
            0 => axis(13).map(Self::FaceP),
            1 => axis(13).map(Self::FaceQ),
            2 => Some(Self::Edges(axis(10)?, axis(2)?)),
            _ => None,
        }
    }
}

/// Two boxes in the axes of the first, P.
#[derive(Debug, Clone, Copy)]
struct Boxes<'a> {
    half_p: &'a Vec3,
    half_q: &'a Vec3,
    /// Axes of Q, as columns.
    relative: Mat3,
    /// Centre of Q `[m]`.
    from_p: Vec3,
    /// The same in Q's axes.
    from_q: Vec3,
}

/// A few points: of the face that separates best, or of a pair of edges. Of axes that do nearly as
/// well, that of the feature `before` is preferred.
pub(in crate::collide) fn box_box(
    p: Cuboid<'_>,
    q: Cuboid<'_>,
    before: Option<u32>,
    query: &Query,
    manifold: &mut Manifold,
) {
    let between = q.0 - p.0;
    let boxes = Boxes {
        half_p: p.2,
        half_q: q.2,
        relative: p.1.tr_mul(q.1),
        from_p: p.1.tr_mul(&between),
        from_q: q.1.tr_mul(&between),
    };
    let before = before.and_then(Axis::of_feature);
    let (best, kept) = boxes.best_axis(query.reach, before);
    let (axis, separation) = best;
    if separation > query.reach {
        manifold.set_apart(separation);
        return;
    }
    let slack = DEEPER_BY * (p.2.max() + q.2.max());
    // What was the axis before stays it while it does nearly as well, and while what it separates still
    // faces each other along it.
    if let Some((axis, along)) = kept {
        let tolerance = AXIS_LOYALTY * p.2.min().min(q.2.min());
        let axis = boxes.bearing_face(axis, along, before).unwrap_or(axis);
        if separation <= along + tolerance
            && offer_along(axis, along, &boxes, p, q, query, manifold) <= separation + tolerance
        {
            return;
        }
        manifold.clear();
    }
    if let Some(face) = boxes.bearing_face(axis, separation, before) {
        if offer_along(face, separation, &boxes, p, q, query, manifold) <= separation {
            return;
        }
        manifold.clear();
    }
    let lowest = offer_along(axis, separation, &boxes, p, q, query, manifold);

    // The axis gives the distance only where the closest features face each other along it; beside
    // a face, or past the end of an edge, the boxes are farther apart, in another direction.
    if lowest > separation + slack {
        if separation > 0.0 {
            let (on_p, on_q, code) = closest_features((&boxes.from_p, &boxes.relative, q.2), p.2);
            let apart = on_p - on_q;
            let distance = apart.norm();
            if distance > 0.0 && distance < lowest - slack {
                manifold.offer_deepest(
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
            let outward = boxes.outward(axis);
            let deepest = boxes.from_p - boxes.relative * boxes.support_q(&outward);
            manifold.offer(
                query,
                Point {
                    feature: NEAREST,
                    position: p.0 + p.1 * (deepest - outward * (0.5 * separation)),
                    normal: -(p.1 * outward),
                    separation,
                },
            );
        }
    }
}

/// Offers the points of the faces or edges that an axis separates by `separation`. Returns the least
/// separation of a point, infinity if there is none.
fn offer_along(
    axis: Axis,
    separation: f64,
    boxes: &Boxes<'_>,
    p: Cuboid<'_>,
    q: Cuboid<'_>,
    query: &Query,
    manifold: &mut Manifold,
) -> f64 {
    match axis {
        Axis::FaceP(i) => {
            let side = sign(boxes.from_p[i]);
            let frame = Frame {
                half_extents: p.2,
                incident: q.2,
                center: &boxes.from_p,
                axes: &boxes.relative,
            };
            Patch::new(&frame, i, side).offer(0, (p.0, p.1), query, manifold)
        }
        Axis::FaceQ(j) => {
            let side = -sign(boxes.from_q[j]);
            let frame = Frame {
                half_extents: q.2,
                incident: p.2,
                center: &-boxes.from_q,
                axes: &boxes.relative.transpose(),
            };
            Patch::new(&frame, j, side).offer(1 << 30, (q.0, q.1), query, manifold)
        }
        Axis::Edges(i, j) => {
            let edges = boxes.edges(i, j);
            if !edges.meet && separation > 0.0 {
                return f64::INFINITY;
            }
            manifold.offer(
                query,
                Point {
                    feature: edges.feature,
                    position: p.0 + p.1 * edges.middle,
                    normal: -(p.1 * edges.outward),
                    separation,
                },
            );
            separation
        }
    }
}

/// Two edges and what lies between them, in the axes of P.
struct Edges {
    /// Unit vector across both, from P to Q.
    outward: Vec3,
    /// Midway between their closest points `[m]`.
    middle: Vec3,
    feature: u32,
    /// True if the closest points of the two lines are within the edges.
    meet: bool,
}

impl Boxes<'_> {
    /// The vertex of P farthest along a direction.
    fn support_p(&self, along: &Vec3) -> Vec3 {
        along.map(sign).component_mul(self.half_p)
    }

    /// The vertex of Q farthest along a direction, in Q's axes.
    fn support_q(&self, along: &Vec3) -> Vec3 {
        let along = self.relative.tr_mul(along);
        along.map(sign).component_mul(self.half_q)
    }

    /// The face that bears in place of a pair of overlapping edges, if their common perpendicular is close to its
    /// normal; of several the one `before`, or one of P.
    ///
    /// Edges that cross along two faces which nearly lie on each other bear at one point, and which edges they are
    /// changes with every small turn. The faces bear at up to four, no less deep.
    fn bearing_face(&self, axis: Axis, separation: f64, before: Option<Axis>) -> Option<Axis> {
        if !matches!(axis, Axis::Edges(..)) || separation >= 0.0 {
            return None;
        }
        let outward = self.outward(axis);
        let on_q = self.relative.tr_mul(&outward);
        let lies_along = |face: &Axis| match *face {
            Axis::FaceP(i) => outward[i] * sign(self.from_p[i]) > EDGES_ALONG_FACE,
            Axis::FaceQ(j) => on_q[j] * sign(self.from_q[j]) > EDGES_ALONG_FACE,
            Axis::Edges(..) => false,
        };
        let faces = [Axis::FaceP(outward.iamax()), Axis::FaceQ(on_q.iamax())];
        before.into_iter().chain(faces).find(lies_along)
    }

    /// The axis from P to Q.
    fn outward(&self, axis: Axis) -> Vec3 {
        match axis {
            Axis::FaceP(i) => Vec3::ith(i, sign(self.from_p[i])),
            Axis::FaceQ(j) => self.relative.column(j) * sign(self.from_q[j]),
            Axis::Edges(i, j) => {
                let cross = Vec3::ith(i, 1.0)
                    .cross(&self.relative.column(j))
                    .normalize();
                cross * sign(cross.dot(&self.from_p))
            }
        }
    }

    /// The axis with the largest separation, by preference a face of P, then a face of Q; any axis
    /// whose separation exceeds `reach` if there is one. And, unless there is, the axis `before`.
    fn best_axis(&self, reach: f64, before: Option<Axis>) -> (Along, Option<Along>) {
        let (a, b, relative, from_p) = (self.half_p, self.half_q, &self.relative, &self.from_p);
        let cosines = relative.abs();
        let face_p = from_p.abs() - a - cosines * b;
        let face_q = self.from_q.abs() - b - cosines.tr_mul(a);
        let (i, j) = (face_p.imax(), face_q.imax());
        if face_p[i].max(face_q[j]) > reach {
            let best = if face_p[i] >= face_q[j] {
                (Axis::FaceP(i), face_p[i])
            } else {
                (Axis::FaceQ(j), face_q[j])
            };
            return (best, None);
        }
        let slack = AXIS_PREFERENCE_ABSOLUTE * a.min().min(b.min());
        let threshold =
            |separation: f64| separation + slack + AXIS_PREFERENCE_RELATIVE * separation.abs();
        let mut best = (Axis::FaceP(i), face_p[i]);
        let mut kept = None;
        match before {
            Some(Axis::FaceP(i)) => kept = Some((Axis::FaceP(i), face_p[i])),
            Some(Axis::FaceQ(j)) => kept = Some((Axis::FaceQ(j), face_q[j])),
            _ => {}
        }
        if face_q[j] > threshold(best.1) {
            best = (Axis::FaceQ(j), face_q[j]);
        }
        // Edges must do better than this; most do not by far, and need no square root.
        let mut least = threshold(best.1).min(reach);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let distance = from_p[i2] * relative[(i1, j)] - from_p[i1] * relative[(i2, j)];
                let extent = a[i1] * cosines[(i2, j)]
                    + a[i2] * cosines[(i1, j)]
                    + b[j1] * cosines[(i, j2)]
                    + b[j2] * cosines[(i, j1)];
                let scaled = distance.abs() - extent;
                let is_before = matches!(before, Some(Axis::Edges(k, l)) if k == i && l == j);
                if scaled <= least.min(0.0) && !is_before {
                    continue;
                }
                let squared = relative[(i1, j)].powi(2) + relative[(i2, j)].powi(2);
                if squared < PARALLEL_EDGES * PARALLEL_EDGES {
                    continue;
                }
                let separation = scaled / squared.sqrt();
                if is_before {
                    kept = Some((Axis::Edges(i, j), separation));
                }
                if separation > least {
                    least = separation;
                    best = (Axis::Edges(i, j), separation);
                }
            }
        }
        (best, kept)
    }

    /// Edge of P along its axis `i` and of Q along `j` that are nearest to each other.
    fn edges(&self, i: usize, j: usize) -> Edges {
        let outward = self.outward(Axis::Edges(i, j));
        let mut edge_p = self.support_p(&outward);
        let mut edge_q = self.support_q(&-outward);
        let feature = EDGES | edge_code(&edge_p, i) << 8 | edge_code(&edge_q, j);
        edge_p[i] = 0.0;
        edge_q[j] = 0.0;
        let center_q = self.from_p + self.relative * edge_q;
        // Closest points of the lines along unit vectors with this cosine between them.
        let along_q = self.relative.column(j);
        let between = center_q - edge_p;
        let cosine = along_q[i];
        let squared_sine = along_q[(i + 1) % 3].powi(2) + along_q[(i + 2) % 3].powi(2);
        let (on_p, on_q) = (between[i], along_q.dot(&between));
        let s = (on_p - cosine * on_q) / squared_sine;
        let t = (cosine * on_p - on_q) / squared_sine;
        let (most_s, most_t) = (self.half_p[i], self.half_q[j]);
        edge_p[i] = s.clamp(-most_s, most_s);
        let point_q = center_q + along_q * t.clamp(-most_t, most_t);
        Edges {
            outward,
            middle: (edge_p + point_q) * 0.5,
            feature,
            meet: s.abs() <= most_s && t.abs() <= most_t,
        }
    }
}

/// Which of a box's edges along `axis`: the axis and the signs of the other two coordinates.
fn edge_code(vertex: &Vec3, axis: usize) -> u32 {
    let bit = |k: usize| u32::from(vertex[k] > 0.0);
    (axis as u32) << 2 | bit((axis + 1) % 3) << 1 | bit((axis + 2) % 3)
}
