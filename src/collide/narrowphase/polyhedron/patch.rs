//! A face of one polyhedron clipped by the sides of a face of another.
//!
//! All in the axes of the solid with the reference face; the polygon is laid along this face, so that areas and
//! distances are of two dimensions.

use crate::collide::narrowphase::four_points::{At, four_points};
use crate::collide::narrowphase::manifold::{Manifold, Point};
use crate::collide::narrowphase::query::Query;
use crate::constants::{CLIP_TOLERANCE, DEEPER_BY, MAX_FACE_VERTICES};
use crate::math::{Mat3, Vec3};
use crate::world::{Face, Solid};

/// Most vertices of the incident face cut by the sides of the reference face.
const MAX_VERTICES: usize = 2 * MAX_FACE_VERTICES;

/// Marks the name of an edge as a side of the reference face; the others are the incident face's.
const SIDE: u8 = 1 << 6;

/// The reference face in the name of a point.
pub(super) fn reference_of(feature: u32) -> u32 {
    feature >> 20 & 0x3ff
}

/// A vertex of the polygon being clipped; the edges that meet there name it.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    at: At,
    edge_in: u8,
    edge_out: u8,
}

impl Vertex {
    const NONE: Self = Self {
        at: [0.0; 3],
        edge_in: 0,
        edge_out: 0,
    };
}

/// The part of the incident face that lies above or below the reference face: a convex polygon.
pub(super) struct Patch {
    vertices: [Vertex; MAX_VERTICES],
    count: usize,
    /// A point of the reference face, and unit vectors along it and out of it.
    origin: Vec3,
    along: [Vec3; 2],
    normal: Vec3,
    /// Name of the two faces.
    faces: u32,
}

impl Patch {
    /// Clips the face of the other solid that is turned most against the reference face.
    pub(super) fn new(
        (reference, index): (Solid<'_>, u32),
        (center, axes, other): (&Vec3, &Mat3, Solid<'_>),
    ) -> Self {
        let face = &reference.faces[index as usize];
        let (incident_index, incident) = most_against(&other, &axes.tr_mul(&face.normal));
        let origin = reference.vertices[reference.loops[face.first as usize] as usize];
        let first = reference.loops[face.first as usize + 1] as usize;
        let u = (reference.vertices[first] - origin).normalize();
        let mut patch = Self {
            vertices: [Vertex::NONE; MAX_VERTICES],
            count: 0,
            origin,
            along: [u, face.normal.cross(&u)],
            normal: face.normal,
            faces: index << 20 | (incident_index & 0x3f) << 14,
        };
        let edges = incident.count as u8;
        for (corner, edge) in other.corners(incident).zip(0..edges) {
            let at = patch.laid(&(center + axes * corner));
            patch.push(Vertex {
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
        &mut self,
        of_q: u32,
        (origin, rotation): (&Vec3, &Mat3),
        query: &Query,
        manifold: &mut Manifold,
    ) -> f64 {
        let outward = rotation * self.normal;
        let normal = if of_q == 0 { -outward } else { outward };
        let separations = self.vertices[..self.count]
            .iter()
            .map(|vertex| vertex.at[2]);
        let lowest = separations.fold(f64::INFINITY, f64::min);
        let position = |patch: &Self, vertex: &Vertex| origin + rotation * patch.midpoint(vertex);
        let mut kept = 0;
        for index in 0..self.count {
            let vertex = self.vertices[index];
            let separation = vertex.at[2];
            if query.surely_admits(separation)
                || separation <= query.reach
                    && query.admits(&position(self, &vertex), &normal, separation)
            {
                self.vertices[kept] = vertex;
                kept += 1;
            }
        }
        let (chosen, count) = four_points(kept, |index| self.vertices[index].at);
        for &index in &chosen[..count] {
            let vertex = self.vertices[index];
            let edges = u32::from(vertex.edge_in) << 7 | u32::from(vertex.edge_out);
            manifold.push(Point {
                feature: of_q | self.faces | edges,
                position: position(self, &vertex),
                normal: query.orient(&normal),
                separation: vertex.at[2],
            });
        }
        lowest
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

    /// Halfway between a vertex and the reference face.
    fn midpoint(&self, vertex: &Vertex) -> Vec3 {
        let [x, y, height] = vertex.at;
        self.origin + self.along[0] * x + self.along[1] * y + self.normal * (0.5 * height)
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
            .map(|at| at[0].hypot(at[1]))
            .fold(0.0, f64::max);
        let tolerance = CLIP_TOLERANCE * size;
        for k in 0..count {
            let (from, to) = (corners[k], corners[(k + 1) % count]);
            let [x, y] = [to[0] - from[0], to[1] - from[1]];
            let length = x.hypot(y);
            // The inside is to the left of a side.
            let outward = [y / length, -x / length];
            let bound = outward[0] * from[0] + outward[1] * from[1];
            self.clip(outward, bound, tolerance, SIDE | k as u8);
            if self.count == 0 {
                return;
            }
        }
    }

    /// Keeps the part where `outward . at <= bound`, and vertices beyond it by no more than the tolerance.
    fn clip(&mut self, outward: [f64; 2], bound: f64, tolerance: f64, cut: u8) {
        let beyond =
            |vertex: &Vertex| outward[0] * vertex.at[0] + outward[1] * vertex.at[1] - bound;
        if self.vertices[..self.count]
            .iter()
            .all(|vertex| beyond(vertex) <= tolerance)
        {
            return;
        }
        let (vertices, count) = (self.vertices, self.count);
        self.count = 0;
        for index in 0..count {
            let (from, to) = (&vertices[index], &vertices[(index + 1) % count]);
            let (out_from, out_to) = (beyond(from), beyond(to));
            let (in_from, in_to) = (out_from <= tolerance, out_to <= tolerance);
            if in_from {
                self.push(*from);
            }
            if in_from != in_to {
                // At the bound itself, unless the inner vertex is already past it.
                let level = if out_from.min(out_to) <= 0.0 {
                    0.0
                } else {
                    tolerance
                };
                let part = (out_from - level) / (out_from - out_to);
                // The edge between the two either ends here, the cut following, or begins here.
                let edge = from.edge_out;
                let (edge_in, edge_out) = if in_from { (edge, cut) } else { (cut, edge) };
                self.push(Vertex {
                    at: [0, 1, 2].map(|k| from.at[k] + (to.at[k] - from.at[k]) * part),
                    edge_in,
                    edge_out,
                });
            }
        }
    }

    fn push(&mut self, vertex: Vertex) {
        debug_assert!(self.count < MAX_VERTICES);
        if let Some(slot) = self.vertices.get_mut(self.count) {
            *slot = vertex;
            self.count += 1;
        }
    }
}

/// Of the faces at the vertex that is lowest along a direction in the solid's axes, the one whose normal is turned most
/// against it: a face beside that vertex may be turned more, and lie higher.
fn most_against<'a>(solid: &Solid<'a>, direction: &Vec3) -> (u32, &'a Face) {
    let lowest = solid.lowest(direction);
    let tie = DEEPER_BY * lowest.abs();
    let mut best: Option<(u32, &Face)> = None;
    for (index, face) in (0..).zip(solid.faces) {
        let cosine = face.normal.dot(direction);
        if best.is_some_and(|(_, best)| cosine >= best.normal.dot(direction)) {
            continue;
        }
        let mut corners = solid.corners(face);
        if corners.any(|corner| direction.dot(&corner) <= lowest + tie) {
            best = Some((index, face));
        }
    }
    best.unwrap_or((0, &solid.faces[0]))
}
