//! Edges of solids as the search for an axis sees them.

use crate::math::Vec3;
use crate::world::{Edge, Face, Solid};
use std::array;

/// An edge in the axes of P.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) index: u32,
    pub(super) from: Vec3,
    pub(super) along: Vec3,
}

impl Segment {
    pub(super) fn new(index: u32, [from, to]: [Vec3; 2]) -> Self {
        Self {
            index,
            from,
            along: to - from,
        }
    }
}

/// An edge on the Gauss map: the arc between the normals of the faces on either side, in the axes of P; those of Q reversed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    normals: [Vec3; 2],
    /// Product of these: the normal of the arc.
    across: Vec3,
}

impl Arc {
    pub(super) fn new(normals: [Vec3; 2]) -> Self {
        Self {
            normals,
            across: normals[0].cross(&normals[1]),
        }
    }
}

/// Four vectors, by coordinate.
type FourVectors = [[f64; 4]; 3];

/// Four arcs side by side.
#[derive(Debug, Clone, Copy, Default)]
struct FourArcs {
    normals: [FourVectors; 2],
    across: FourVectors,
}

impl FourArcs {
    fn put(&mut self, place: usize, arc: &Arc) {
        let [first, second] = &mut self.normals;
        let vectors = [&arc.normals[0], &arc.normals[1], &arc.across];
        for (four, vector) in [first, second, &mut self.across].into_iter().zip(vectors) {
            for (row, part) in four.iter_mut().zip(vector.iter()) {
                row[place] = *part;
            }
        }
    }

    /// Below zero for those that cross another arc: then the product of the two edges is the normal of a face of P less Q.
    #[inline(always)]
    fn crossing(&self, arc: &Arc) -> [f64; 4] {
        let dot = |four: &FourVectors, vector: &Vec3| -> [f64; 4] {
            let [x, y, z] = four;
            array::from_fn(|k| x[k] * vector.x + y[k] * vector.y + z[k] * vector.z)
        };
        let [a, b] = array::from_fn(|k| dot(&self.normals[k], &arc.across));
        let [c, d] = array::from_fn(|k| dot(&self.across, &arc.normals[k]));
        let larger = |one: f64, other: f64| if one > other { one } else { other };
        // The ends of either are on two sides of the other, and the arcs on the same hemisphere.
        array::from_fn(|k| larger(larger(a[k] * b[k], c[k] * d[k]), -(a[k] * d[k])))
    }
}

/// The arcs of some edges of a solid.
#[derive(Debug)]
pub(super) struct Arcs {
    /// Indices of the edges.
    edges: Vec<u32>,
    fours: Vec<FourArcs>,
}

impl Arcs {
    pub(super) fn new(edges: Vec<u32>, arc: impl Fn(u32) -> Arc) -> Self {
        let fours = edges.chunks(4).map(|edges| {
            let mut four = FourArcs::default();
            for (place, &edge) in edges.iter().enumerate() {
                four.put(place, &arc(edge));
            }
            four
        });
        Self {
            fours: fours.collect(),
            edges,
        }
    }

    /// Visits the indices of the edges whose arcs cross another one.
    #[inline(always)]
    pub(super) fn visit_crossing(&self, arc: &Arc, mut visit: impl FnMut(u32)) {
        for (four, edges) in self.fours.iter().zip(self.edges.chunks(4)) {
            let crossing = four.crossing(arc);
            for (edge, crossing) in edges.iter().zip(crossing) {
                if crossing < 0.0 {
                    visit(*edge);
                }
            }
        }
    }
}

/// Indices of the edges that can separate a solid by more than `least` from another one that has these two points.
///
/// That is no higher along a normal than its points. A unit normal between those of two faces is a sum of parts of these, at least one in all: where a point
/// is below both faces, it is no higher along such a normal than above the higher one.
pub(super) fn edges_below(solid: &Solid<'_>, points: &[Vec3; 2], least: f64) -> Vec<u32> {
    let least = least.min(0.0);
    let is_above = |face: &Face, at: &Vec3| u8::from(face.normal.dot(at) - face.offset > least);
    let [one, other] = points;
    let faces = solid.faces.iter();
    let marks: Vec<u8> = faces
        .map(|face| is_above(face, one) | is_above(face, other) << 1)
        .collect();
    edges_with(solid, |edge| {
        let [left, right] = edge.faces;
        marks[left as usize] | marks[right as usize] == 0b11
    })
}

/// Indices of the edges that are asked for.
pub(super) fn edges_with(solid: &Solid<'_>, is_one: impl Fn(&Edge) -> bool) -> Vec<u32> {
    // Which ones are is known to no processor beforehand: all are written down.
    let mut found = vec![0; solid.edges.len()];
    let mut count = 0;
    for (index, edge) in (0..).zip(solid.edges) {
        found[count] = index;
        count += usize::from(is_one(edge));
    }
    found.truncate(count);
    found
}
