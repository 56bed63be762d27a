//! A face of one box clipped by the sides of a face of another.
//!
//! All in the axes of the box with the reference face, which the clipped polygon is laid along: areas
//! and distances are of two dimensions there, and only what is kept goes to world axes.

use super::direction::sign;
use super::manifold::Manifold;
use super::polygon::{At, Polygon, Vertex, bearing_outline};
use super::query::Query;
use crate::constants::CLIP_TOLERANCE;
use crate::math::{Mat3, Vec3};

/// Most vertices of a quadrilateral cut by four lines.
const MAX_VERTICES: usize = 8;

/// Two boxes as the one with the reference face sees them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    /// Half extents of this box `[m]`.
    pub(super) half_extents: &'a Vec3,
    /// Half extents of the other one `[m]`.
    pub(super) incident: &'a Vec3,
    /// Centre of the other one `[m]`.
    pub(super) center: &'a Vec3,
    /// Axes of the other one, as columns.
    pub(super) axes: &'a Mat3,
}

/// The part of the incident face that lies above or below the reference face. Edges 0 to 3 are the incident face's, 4 to 7
/// the cuts along the reference face's sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    polygon: Polygon<MAX_VERTICES>,
    axis: usize,
    /// 1 or -1: the reference face is `side * axis`.
    side: f64,
    /// Half extent of the reference box along the axis `[m]`.
    height: f64,
    /// Name of the two faces.
    faces: u32,
}

impl Patch {
    /// Clips the face of the other box that is turned most against the face `side * axis`.
    pub(super) fn new(frame: &Frame<'_>, axis: usize, side: f64) -> Self {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let Frame {
            half_extents,
            incident: h,
            center,
            axes,
        } = frame;
        let facing = axes.row(axis).transpose().abs().imax();
        let incident_side = -sign(side * axes[(axis, facing)]);
        let (k1, k2) = ((facing + 1) % 3, (facing + 2) % 3);
        let middle = *center + axes.column(facing) * (incident_side * h[facing]);
        // Along the face, along it, and above it.
        let laid = |local: &Vec3| [local[u], local[v], side * local[axis]];
        let height = half_extents[axis];
        let middle = laid(&middle);
        let along1 = laid(&(axes.column(k1) * h[k1]));
        let along2 = laid(&(axes.column(k2) * h[k2]));
        let mut polygon = Polygon::EMPTY;
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        for (index, (s1, s2)) in (0_u8..).zip(corners) {
            let mut at = [0, 1, 2].map(|k| middle[k] + along1[k] * s1 + along2[k] * s2);
            at[2] -= height;
            polygon.push(Vertex {
                at,
                edge_in: (index + 3) % 4,
                edge_out: index,
            });
        }
        let face = |axis: usize, side: f64| (axis as u32) << 1 | u32::from(side > 0.0);
        let (hu, hv) = (half_extents[u], half_extents[v]);
        let tolerance = CLIP_TOLERANCE * hu.min(hv);
        polygon.clip(|at| at[0] - hu, tolerance, 4);
        polygon.clip(|at| -at[0] - hu, tolerance, 5);
        polygon.clip(|at| at[1] - hv, tolerance, 6);
        polygon.clip(|at| -at[1] - hv, tolerance, 7);
        Self {
            polygon,
            axis,
            side,
            height,
            faces: face(axis, side) << 12 | face(facing, incident_side) << 8,
        }
    }

    /// Offers the vertices, each with its own distance from the reference face's plane. `of_q` marks their names, and is not
    /// zero if the reference box, of this centre and rotation, is the second shape. Returns the least separation, infinity if
    /// there is no vertex.
    pub(super) fn offer(
        self,
        of_q: u32,
        (origin, rotation): (&Vec3, &Mat3),
        query: &Query,
        manifold: &mut Manifold,
    ) -> f64 {
        let outward = rotation.column(self.axis) * self.side;
        let normal = if of_q == 0 { -outward } else { outward };
        let Self {
            axis,
            side,
            height,
            faces,
            ..
        } = self;
        // Halfway between a vertex and the reference face.
        let position = |at: &At| {
            let mut local = Vec3::zeros();
            local[(axis + 1) % 3] = at[0];
            local[(axis + 2) % 3] = at[1];
            local[axis] = side * (height + 0.5 * at[2]);
            origin + rotation * local
        };
        let name = |vertex: &Vertex| {
            of_q | faces | u32::from(vertex.edge_in) << 4 | u32::from(vertex.edge_out)
        };
        self.polygon
            .offer(&normal, position, name, bearing_outline, query, manifold)
    }
}
