//! A face of one box clipped by the sides of a face of another.

use super::direction::sign;
use super::manifold::{Point, Points};
use super::query::Query;
use crate::constants::CLIP_TOLERANCE;
use crate::math::{Mat3, Vec3};

/// A box at its place relative to body A, in world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    center: &'a Vec3,
    rotation: &'a Mat3,
    half_extents: &'a Vec3,
}

impl<'a> Frame<'a> {
    pub(super) fn new((center, rotation, half_extents): (&'a Vec3, &'a Mat3, &'a Vec3)) -> Self {
        Self {
            center,
            rotation,
            half_extents,
        }
    }
}

/// A vertex of the polygon being clipped. Edges 0 to 3 are the incident face's, 4 to 7 the cuts
/// along the reference face's sides: the two that meet name the vertex.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    /// Along the reference face, along it, and above it, in the reference box's axes `[m]`.
    at: Vec3,
    edge_in: u8,
    edge_out: u8,
}

/// A convex polygon of at most eight vertices: a quadrilateral cut by four lines.
#[derive(Debug, Clone, Copy)]
struct Polygon {
    vertices: [Vertex; 8],
    count: usize,
}

impl Polygon {
    fn push(&mut self, vertex: Vertex) {
        debug_assert!(self.count < 8);
        if let Some(slot) = self.vertices.get_mut(self.count) {
            *slot = vertex;
            self.count += 1;
        }
    }

    /// Keeps the part where `side * at[coordinate] <= bound`, and vertices beyond it by no more than
    /// the tolerance.
    fn clipped(&self, coordinate: usize, side: f64, bound: f64, tolerance: f64, cut: u8) -> Self {
        let mut kept = Self { count: 0, ..*self };
        for index in 0..self.count {
            let from = self.vertices[index];
            let to = self.vertices[(index + 1) % self.count];
            let (out_from, out_to) = (
                side * from.at[coordinate] - bound,
                side * to.at[coordinate] - bound,
            );
            let (in_from, in_to) = (out_from <= tolerance, out_to <= tolerance);
            if in_from {
                kept.push(from);
            }
            if in_from != in_to {
                // At the bound itself, unless the inner vertex is already past it.
                let level = if out_from.min(out_to) <= 0.0 {
                    0.0
                } else {
                    tolerance
                };
                let at = from.at + (to.at - from.at) * ((out_from - level) / (out_from - out_to));
                // The edge between the two either ends here, the cut following, or begins here.
                let edge = from.edge_out;
                let (edge_in, edge_out) = if in_from { (edge, cut) } else { (cut, edge) };
                kept.push(Vertex {
                    at,
                    edge_in,
                    edge_out,
                });
            }
        }
        kept
    }
}

/// Offers the points of the incident box's face that lie above or below the face `side * axis` of
/// the reference box, each with its own distance from that face's plane. `reference_is_q` is 1 if
/// the reference box is the second shape. Returns the least separation, infinity if there is no
/// point.
pub(super) fn face_contact(
    reference_is_q: u32,
    reference: &Frame<'_>,
    axis: usize,
    side: f64,
    incident: &Frame<'_>,
    query: &Query,
    candidates: &mut Points<9>,
) -> f64 {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let relative = reference.rotation.tr_mul(incident.rotation);
    let center = reference
        .rotation
        .tr_mul(&(incident.center - reference.center));
    let outward = reference.rotation.column(axis) * side;

    // The incident face is the one turned most against the reference face.
    let facing = relative.row(axis).transpose().abs().imax();
    let incident_side = -sign(side * relative[(axis, facing)]);
    let (k1, k2) = ((facing + 1) % 3, (facing + 2) % 3);
    let h = incident.half_extents;
    let middle = center + relative.column(facing) * (incident_side * h[facing]);
    let (along1, along2) = (relative.column(k1) * h[k1], relative.column(k2) * h[k2]);
    let vertex = |index: u8, s1: f64, s2: f64| {
        let local = middle + along1 * s1 + along2 * s2;
        Vertex {
            at: Vec3::new(
                local[u],
                local[v],
                side * local[axis] - reference.half_extents[axis],
            ),
            edge_in: (index + 3) % 4,
            edge_out: index,
        }
    };
    let corners = [
        vertex(0, 1.0, 1.0),
        vertex(1, -1.0, 1.0),
        vertex(2, -1.0, -1.0),
        vertex(3, 1.0, -1.0),
    ];
    let mut polygon = Polygon {
        vertices: [corners[0]; 8],
        count: 0,
    };
    for corner in corners {
        polygon.push(corner);
    }
    let (hu, hv) = (reference.half_extents[u], reference.half_extents[v]);
    let tolerance = CLIP_TOLERANCE * hu.min(hv);
    polygon = polygon.clipped(0, 1.0, hu, tolerance, 4);
    polygon = polygon.clipped(0, -1.0, hu, tolerance, 5);
    polygon = polygon.clipped(1, 1.0, hv, tolerance, 6);
    polygon = polygon.clipped(1, -1.0, hv, tolerance, 7);

    let face = |axis: usize, side: f64| (axis as u32) << 1 | u32::from(side > 0.0);
    let faces = reference_is_q << 30 | face(axis, side) << 12 | face(facing, incident_side) << 8;
    let normal = if reference_is_q == 1 {
        outward
    } else {
        -outward
    };
    let mut lowest = f64::INFINITY;
    for vertex in &polygon.vertices[..polygon.count] {
        let separation = vertex.at.z;
        lowest = lowest.min(separation);
        let mut local = Vec3::zeros();
        local[u] = vertex.at.x;
        local[v] = vertex.at.y;
        // Halfway between the vertex and the face.
        local[axis] = side * (reference.half_extents[axis] + 0.5 * separation);
        candidates.offer(
            query,
            Point {
                feature: faces | u32::from(vertex.edge_in) << 4 | u32::from(vertex.edge_out),
                position: reference.center + reference.rotation * local,
                normal,
                separation,
            },
        );
    }
    lowest
}
