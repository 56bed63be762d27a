//! A face of one polyhedron clipped by the sides of a face of another.
//!
//! All in the axes of the solid with the reference face; the polygon is laid along this face, so that areas and
//! distances are of two dimensions.

use crate::collide::narrowphase::envelope::{Bearing, bearing_corners};
use crate::collide::narrowphase::manifold::Manifold;
use crate::collide::narrowphase::polygon::{At, Polygon, Vertex};
use crate::collide::narrowphase::query::Query;
use crate::constants::{CLIP_TOLERANCE, DEEPER_BY, MAX_FACE_VERTICES};
use crate::math::{Mat3, Vec3, length};
use crate::world::{Face, Solid};

/// Most vertices of the incident face cut by the sides of the reference face: of most solids, and of all.
pub(super) const FEW_VERTICES: usize = 16;
pub(super) const MAX_VERTICES: usize = 2 * MAX_FACE_VERTICES;

/// Marks the name of an edge as a side of the reference face; the others are the incident face's.
const SIDE: u8 = 1 << 6;

/// The reference face in the name of a point.
pub(super) fn reference_of(feature: u32) -> u32 {
    feature >> 20 & 0x3ff
}

/// The part of the incident face that lies above or below the reference face: a convex polygon.
pub(super) struct Patch<const MOST: usize> {
    polygon: Polygon<MOST>,
    /// A point of the reference face, and unit vectors along it and out of it.
    origin: Vec3,
    along: [Vec3; 2],
    normal: Vec3,
    /// Name of the two faces.
    faces: u32,
}

impl<const MOST: usize> Patch<MOST> {
    /// Clips a face of the other solid, by [`most_against`]; the two have no more than `MOST` vertices.
    pub(super) fn new(
        (reference, index): (Solid<'_>, u32),
        (center, axes, other): (&Vec3, &Mat3, Solid<'_>),
        (incident_index, incident): (u32, &Face),
    ) -> Self {
        let face = &reference.faces[index as usize];
        let origin = reference.vertices[reference.loops[face.first as usize] as usize];
        let first = reference.loops[face.first as usize + 1] as usize;
        let u = (reference.vertices[first] - origin).normalize();
        let mut patch = Self {
            polygon: Polygon::EMPTY,
            origin,
            along: [u, face.normal.cross(&u)],
            normal: face.normal,
            faces: index << 20 | (incident_index & 0x3f) << 14,
        };
        let edges = incident.count as u8;
        for (corner, edge) in other.corners(incident).zip(0..edges) {
            let at = patch.laid(&(center + axes * corner));
            patch.polygon.push(Vertex {
                at,
                edge_in: if edge == 0 { edges - 1 } else { edge - 1 },
                edge_out: edge,
            });
        }
        patch.clip_by_sides(&reference, face);
        patch
    }

    /// Offers the vertices, each with its own distance from the reference face's plane. `of_q` marks their names, and is
    /// not zero if the reference solid is the second one. Returns the least separation, infinity if there is no vertex.
    pub(super) fn offer(
        self,
        of_q: u32,
        (center, rotation): (&Vec3, &Mat3),
        query: &Query,
        manifold: &mut Manifold,
    ) -> f64 {
        let outward = rotation * self.normal;
        let normal = if of_q == 0 { -outward } else { outward };
        let Self {
            origin,
            along: [u, v],
            normal: up,
            faces,
            ..
        } = self;
        // Halfway between a vertex and the reference face.
        let position = |&[x, y, height]: &At| {
            center + rotation * (origin + u * x + v * y + up * (0.5 * height))
        };
        let name = |vertex: &Vertex| {
            of_q | faces | u32::from(vertex.edge_in) << 7 | u32::from(vertex.edge_out)
        };
        let choose = bearing_corners::<MOST>(&Bearing::CORNERS);
        self.polygon
            .offer(&normal, position, name, choose, query, manifold)
    }

    /// A point along the reference face and above it.
    fn laid(&self, point: &Vec3) -> At {
        let arm = point - self.origin;
        [
            self.along[0].dot(&arm),
            self.along[1].dot(&arm),
            self.normal.dot(&arm),
        ]
    }

    fn clip_by_sides(&mut self, reference: &Solid<'_>, face: &Face) {
        let first = face.first as usize;
        let corner = |k: usize| {
            let at = first + k % face.count as usize;
            self.laid(&reference.vertices[reference.loops[at] as usize])
        };
        let mut corners = [[0.0; 3]; MAX_FACE_VERTICES];
        let count = face.count as usize;
        for (k, place) in corners[..count].iter_mut().enumerate() {
            *place = corner(k);
        }
        let size = corners[..count]
            .iter()
            .map(|at| length(at[0], at[1]))
            .fold(0.0, f64::max);
        let tolerance = CLIP_TOLERANCE * size;
        for k in 0..count {
            let (from, to) = (corners[k], corners[(k + 1) % count]);
            let [x, y] = [to[0] - from[0], to[1] - from[1]];
            let side = length(x, y);
            // The inside is to the left of a side.
            let outward = [y / side, -x / side];
            let bound = outward[0] * from[0] + outward[1] * from[1];
            let beyond = |at: &At| outward[0] * at[0] + outward[1] * at[1] - bound;
            self.polygon.clip(beyond, tolerance, SIDE | k as u8);
            if self.polygon.is_empty() {
                return;
            }
        }
    }
}

/// Of the faces at the vertex that is lowest along a direction in the solid's axes, the one whose normal is turned most
/// against it: a face beside that vertex may be turned more, and lie higher.
pub(super) fn most_against<'a>(solid: &Solid<'a>, direction: &Vec3) -> (u32, &'a Face) {
    let lowest = solid.lowest(direction);
    let tie = DEEPER_BY * lowest.abs();
    let mut best = (0, &solid.faces[0]);
    let mut least = f64::INFINITY;
    for (index, face) in (0..).zip(solid.faces) {
        let cosine = face.normal.dot(direction);
        if cosine < least {
            let mut corners = solid.corners(face);
            if corners.any(|corner| direction.dot(&corner) <= lowest + tie) {
                best = (index, face);
                least = cosine;
            }
        }
    }
    best
}
