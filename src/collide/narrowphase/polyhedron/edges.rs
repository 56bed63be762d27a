//! Edges of solids as the search for an axis sees them.

use crate::math::Vec3;
use crate::world::Solid;

/// An edge in the axes of P.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) index: u32,
    pub(super) from: Vec3,
    pub(super) along: Vec3,
    /// Normals of the faces on either side; those of Q reversed.
    pub(super) normals: [Vec3; 2],
    /// Product of these: the normal of the arc between them.
    pub(super) across: Vec3,
}

impl Segment {
    pub(super) fn new(index: u32, [from, to]: [Vec3; 2], normals: [Vec3; 2]) -> Self {
        Self {
            index,
            from,
            along: to - from,
            across: normals[0].cross(&normals[1]),
            normals,
        }
    }

    /// An edge of a solid in the axes of P.
    pub(super) fn of(solid: &Solid<'_>, index: u32) -> Self {
        let edge = &solid.edges[index as usize];
        let ends = edge.vertices.map(|at| solid.vertices[at as usize]);
        let normals = edge.faces.map(|at| solid.faces[at as usize].normal);
        Self::new(index, ends, normals)
    }
}

/// True if the arcs between the normals on either side of two edges cross: then their product is the normal of a face of
/// P less Q.
#[inline]
pub(super) fn cross_on_gauss_map(p: &Segment, q: &Segment) -> bool {
    let ([a, b], [c, d]) = (&p.normals, &q.normals);
    let (c_p, d_p) = (c.dot(&p.across), d.dot(&p.across));
    // Most end here: the ends of one arc are on the same side of the other.
    if c_p * d_p >= 0.0 {
        return false;
    }
    let (a_q, b_q) = (a.dot(&q.across), b.dot(&q.across));
    // On the same hemisphere, and on either side of each other.
    a_q * b_q < 0.0 && c_p * b_q > 0.0
}

/// Words of bits: a solid of up to 256 vertices has one for each.
const WORDS: usize = 4;

/// Some vertices of a solid, by a bit of each; where vertices share one, either stands for both.
pub(super) struct NearVertices([u64; WORDS]);

impl NearVertices {
    pub(super) fn of(solid: &Solid<'_>, is_near: impl Fn(&Vec3) -> bool) -> Self {
        let mut bits = [0; WORDS];
        for (at, vertex) in solid.vertices.iter().enumerate() {
            bits[at >> 6 & (WORDS - 1)] |= u64::from(is_near(vertex)) << (at & 63);
        }
        Self(bits)
    }

    fn has(&self, vertex: u32) -> bool {
        self.0[vertex as usize >> 6 & (WORDS - 1)] >> (vertex & 63) & 1 == 1
    }

    /// Indices of the edges with an end among them.
    pub(super) fn edges(&self, solid: &Solid<'_>) -> impl Iterator<Item = u32> {
        let edges = (0..).zip(solid.edges);
        edges
            .filter(|(_, edge)| edge.vertices.iter().any(|&at| self.has(at)))
            .map(|(index, _)| index)
    }
}
