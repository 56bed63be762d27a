//! A face of one box clipped by the sides of a face of another.
//!
//! All in the axes of the box with the reference face, which the clipped polygon is laid along: areas
//! and distances are of two dimensions there, and only what is kept goes to world axes.

use super::direction::sign;
use super::four_points::four_points;
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

/// A vertex of the polygon being clipped. Edges 0 to 3 are the incident face's, 4 to 7 the cuts
/// along the reference face's sides: the two that meet name the vertex.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    /// Along the reference face, along it, and above it `[m]`.
    at: [f64; 3],
    edge_in: u8,
    edge_out: u8,
}

impl Vertex {
    const NONE: Self = Self {
        at: [0.0; 3],
        edge_in: 0,
        edge_out: 0,
    };

    /// Distance above the reference face `[m]`.
    pub(super) fn separation(&self) -> f64 {
        self.at[2]
    }
}

/// The part of the incident face that lies above or below the reference face: a convex polygon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    vertices: [Vertex; MAX_VERTICES],
    count: usize,
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
        let mut vertices = [Vertex::NONE; MAX_VERTICES];
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        for (index, (vertex, (s1, s2))) in (0_u8..).zip(vertices.iter_mut().zip(corners)) {
            let mut at = [0, 1, 2].map(|k| middle[k] + along1[k] * s1 + along2[k] * s2);
            at[2] -= height;
            *vertex = Vertex {
                at,
                edge_in: (index + 3) % 4,
                edge_out: index,
            };
        }
        let face = |axis: usize, side: f64| (axis as u32) << 1 | u32::from(side > 0.0);
        let mut patch = Self {
            vertices,
            count: 4,
            axis,
            side,
            height,
            faces: face(axis, side) << 12 | face(facing, incident_side) << 8,
        };
        let (hu, hv) = (half_extents[u], half_extents[v]);
        let tolerance = CLIP_TOLERANCE * hu.min(hv);
        patch.clip::<0>(1.0, hu, tolerance, 4);
        patch.clip::<0>(-1.0, hu, tolerance, 5);
        patch.clip::<1>(1.0, hv, tolerance, 6);
        patch.clip::<1>(-1.0, hv, tolerance, 7);
        patch
    }

    /// Which axis of the reference box the reference face is across.
    pub(super) fn axis(&self) -> usize {
        self.axis
    }

    /// 1 or -1: the face is at this end of the axis.
    pub(super) fn side(&self) -> f64 {
        self.side
    }

    pub(super) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Name of a vertex, but for which of the two boxes the reference face is of.
    pub(super) fn feature(&self, vertex: &Vertex) -> u32 {
        self.faces | u32::from(vertex.edge_in) << 4 | u32::from(vertex.edge_out)
    }

    /// Halfway between a vertex and the reference face, in the axes of the reference box.
    pub(super) fn midpoint(&self, vertex: &Vertex) -> Vec3 {
        let mut local = Vec3::zeros();
        local[(self.axis + 1) % 3] = vertex.at[0];
        local[(self.axis + 2) % 3] = vertex.at[1];
        local[self.axis] = self.side * (self.height + 0.5 * vertex.at[2]);
        local
    }

    /// Keeps the part where `side * at[K] <= bound`, and vertices beyond it by no more than the
    /// tolerance.
    fn clip<const K: usize>(&mut self, side: f64, bound: f64, tolerance: f64, cut: u8) {
        let beyond = |vertex: &Vertex| side * vertex.at[K] - bound;
        if self
            .vertices()
            .iter()
            .all(|vertex| beyond(vertex) <= tolerance)
        {
            return;
        }
        let (vertices, count) = (self.vertices, self.count);
        self.count = 0;
        for index in 0..count {
            let from = &vertices[index];
            let to = &vertices[if index + 1 < count { index + 1 } else { 0 }];
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

    /// Keeps some of the vertices.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&Self, &Vertex) -> bool) {
        let mut kept = 0;
        for index in 0..self.count {
            let vertex = self.vertices[index];
            if keeps(self, &vertex) {
                self.vertices[kept] = vertex;
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Keeps, of too many vertices, those that stand for all.
    pub(super) fn reduce(&mut self) {
        let (kept, count) = four_points(self.count, |index| self.vertices[index].at);
        for (slot, &index) in kept[..count].iter().enumerate() {
            self.vertices[slot] = self.vertices[index];
        }
        self.count = count;
    }
}
