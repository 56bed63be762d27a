//! The axis along which two polyhedra are apart most, or overlap least: a face's normal, or the product of two edges.

use super::edges::{Arcs, Segment, edges_below};
use super::{Solids, patch, round};
use crate::math::Vec3;
use crate::world::Face;

/// An axis of the search: a face, or an edge of either solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    FaceP(u32),
    FaceQ(u32),
    Edges(u32, u32),
}

impl Axis {
    /// The axis of a point with this name, if there is one.
    pub(super) fn of_feature(feature: u32) -> Option<Self> {
        match feature >> 30 {
            0 => Some(Self::FaceP(patch::reference_of(feature))),
            1 => Some(Self::FaceQ(patch::reference_of(feature))),
            2 => Some(Self::Edges(feature >> 15 & 0x7fff, feature & 0x7fff)),
            _ => None,
        }
    }
}

/// An axis and the separation along it `[m]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Along {
    pub(super) axis: Axis,
    pub(super) separation: f64,
}

/// The face that separates best.
pub(super) struct BestFace {
    pub(super) along: Along,
    /// Low points of Q above faces of P, in the axes of P, and of P above those of Q, in the axes of Q.
    of_q: [Vec3; 2],
    of_p: [Vec3; 2],
}

impl Solids<'_> {
    /// Height of Q above a face of P `[m]`, and the vertex that is lowest, in the axes of P.
    pub(super) fn above_p(&self, face: &Face) -> (f64, Vec3) {
        let in_q = self.relative.tr_mul(&face.normal);
        let lowest = &self.q.vertices[self.q.farthest(&-in_q)];
        let height = face.normal.dot(&self.from_p) + in_q.dot(lowest) - face.offset;
        (height, self.of_q(lowest))
    }

    /// Height of P above a face of Q `[m]`, and the vertex that is lowest, in the axes of Q.
    pub(super) fn above_q(&self, face: &Face) -> (f64, Vec3) {
        let normal = self.relative * face.normal;
        let lowest = &self.p.vertices[self.p.farthest(&-normal)];
        let height = normal.dot(lowest) - normal.dot(&self.from_p) - face.offset;
        (height, self.in_q(lowest))
    }

    /// The separation along an axis; none for features that a solid does not have.
    pub(super) fn along(&self, axis: Axis) -> Option<Along> {
        let separation = match axis {
            Axis::FaceP(face) => self.above_p(self.p.faces.get(face as usize)?).0,
            Axis::FaceQ(face) => self.above_q(self.q.faces.get(face as usize)?).0,
            Axis::Edges(p, q) => {
                self.p.edges.get(p as usize)?;
                self.q.edges.get(q as usize)?;
                self.between(&self.edge_of_p(p), &self.edge_of_q(q))?.1
            }
        };
        Some(Along { axis, separation })
    }

    /// The face with the largest separation, by preference of P; one that separated before is looked at first. Looks no further than
    /// at one beyond `reach`.
    pub(super) fn best_face(&self, reach: f64, known: Option<Along>) -> Option<BestFace> {
        let known = known.map(|along| along.axis);
        let first = match known {
            Some(Axis::FaceP(face)) => Some(face),
            _ => None,
        };
        let center = self.of_q(&self.q.center);
        let limits = (f64::NEG_INFINITY, reach);
        let of_p = highest_face(self.p.faces, first, limits, (&center, None), |face| {
            self.above_p(face)
        })?;
        let mut best = BestFace {
            along: Along {
                axis: Axis::FaceP(of_p.face),
                separation: of_p.separation,
            },
            of_q: of_p.low,
            of_p: [Vec3::zeros(); 2],
        };
        if of_p.separation > reach {
            return Some(best);
        }
        let first = match known {
            Some(Axis::FaceQ(face)) => Some(face),
            _ => None,
        };
        let center = self.in_q(&self.p.center);
        let least = self.preferred_over(of_p.separation);
        let limits = (least, reach);
        let face = &self.p.faces[of_p.face as usize];
        let across = self.in_q(&round::onto_face(&self.p, face, &of_p.low[0]));
        let of_q = highest_face(
            self.q.faces,
            first,
            limits,
            (&center, Some(across)),
            |face| self.above_q(face),
        )?;
        best.of_p = of_q.low;
        if of_q.separation > least {
            best.along = Along {
                axis: Axis::FaceQ(of_q.face),
                separation: of_q.separation,
            };
        }
        Some(best)
    }

    /// The pair of edges that separates better than the best face, or this if there is none.
    pub(super) fn best_edges(&self, face: &BestFace) -> Along {
        let (mut best, mut least) = (face.along, self.preferred_over(face.along.separation));
        let of_p = edges_below(&self.p, &face.of_q, least);
        if of_p.is_empty() {
            return best;
        }
        let of_q = Arcs::new(edges_below(&self.q, &face.of_p, least), |at| {
            self.arc_of_q(at)
        });
        for p in of_p {
            let edge = self.edge_of_p(p);
            of_q.visit_crossing(&self.arc_of_p(p), |q| {
                self.improve((&mut best, &mut least), (&edge, &self.edge_of_q(q)));
            });
        }
        best
    }

    /// Puts a pair of edges whose arcs cross in the place of an axis, if it separates by more than `least`.
    pub(super) fn improve(
        &self,
        (best, least): (&mut Along, &mut f64),
        (p, q): (&Segment, &Segment),
    ) {
        if let Some((_, separation)) = self.between(p, q)
            && separation > *least
        {
            *least = separation;
            let axis = Axis::Edges(p.index, q.index);
            *best = Along { axis, separation };
        }
    }
}

/// A face of a solid above which another one lies.
struct Highest {
    face: u32,
    separation: f64,
    /// The other one's lowest vertex, and another low point.
    low: [Vec3; 2],
}

/// The face of a solid above which another one is highest, beginning with `first` if it is given. Looks no further than at one beyond `reach`, and at none that is
/// not above `least` but the first.
fn highest_face(
    faces: &[Face],
    first: Option<u32>,
    (least, reach): (f64, f64),
    (center, low): (&Vec3, Option<Vec3>),
    lowest: impl Fn(&Face) -> (f64, Vec3),
) -> Option<Highest> {
    let height = |face: &Face, at: &Vec3| face.normal.dot(at) - face.offset;
    let first = first.unwrap_or_else(|| {
        let mut best = (0, f64::NEG_INFINITY);
        for (index, face) in (0..).zip(faces) {
            // A point inside is no lower than the lowest vertex.
            let height = height(face, center);
            if height > best.1 {
                best = (index, height);
            }
        }
        best.0
    });
    let (separation, vertex) = lowest(faces.get(first as usize)?);
    let mut best = Highest {
        face: first,
        separation,
        low: [vertex, low.unwrap_or(vertex)],
    };
    for (index, face) in (0..).zip(faces) {
        if best.separation > reach {
            break;
        }
        // Nor is any point, and those that are low above other faces least of all.
        let least = best.separation.max(least);
        if index == first || best.low.iter().any(|at| height(face, at) <= least) {
            continue;
        }
        let (separation, vertex) = lowest(face);
        let other = if separation > best.separation {
            (best.face, best.separation) = (index, separation);
            std::mem::replace(&mut best.low[0], vertex)
        } else {
            vertex
        };
        if low.is_none() {
            best.low[1] = other;
        }
    }
    Some(best)
}
