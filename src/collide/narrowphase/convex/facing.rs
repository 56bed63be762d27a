//! The feature that a shape turns toward another: a face, a line, or a point.

use crate::constants::{LEANS_TOWARD, MAX_FACE_VERTICES, UPRIGHT_RIM};
use crate::math::{Mat3, Vec3, length};
use crate::world::{Face, Frustum, Solid};
use std::f64::consts::PI;

/// Index of a frustum's side, after those of its disks.
const SIDE: u32 = 2;

/// Kind of the feature that a shape turns toward another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Toward {
    /// A face, of this outward unit normal.
    Face(Vec3),
    /// A stretch between two points: an edge, the side of a cylinder.
    Line,
    /// No more than the nearest point.
    Point,
}

/// The points of a face, counter-clockwise as seen from outside, or the ends of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facing {
    pub(super) toward: Toward,
    /// Cosine of the angle by which it leans from the direction.
    pub(super) cosine: f64,
    /// Name of the face or edge.
    pub(super) index: u32,
    /// Radii by which a surface curves away from a line on either side, at the line's ends `[m]`; none of an edge.
    pub(super) curvature: [f64; 2],
    /// How far a rim bulges beyond the sides between its points `[m]`; 0 of polygons.
    pub(super) bulge: f64,
    points: [Vec3; MAX_FACE_VERTICES],
    count: usize,
}

impl Facing {
    pub(super) fn new(toward: Toward, cosine: f64, index: u32, points: &[Vec3]) -> Self {
        let mut facing = Self {
            toward,
            cosine,
            index,
            curvature: [0.0; 2],
            bulge: 0.0,
            points: [Vec3::zeros(); MAX_FACE_VERTICES],
            count: points.len(),
        };
        facing.points[..points.len()].copy_from_slice(points);
        facing
    }

    pub(super) fn points(&self) -> &[Vec3] {
        &self.points[..self.count]
    }

    /// The ends of a line.
    pub(super) fn ends(&self) -> [Vec3; 2] {
        [self.points[0], self.points[1]]
    }

    /// The same where the shape stands.
    pub(super) fn placed(mut self, position: &Vec3, rotation: &Mat3) -> Self {
        for point in &mut self.points[..self.count] {
            *point = position + rotation * *point;
        }
        if let Toward::Face(normal) = &mut self.toward {
            *normal = rotation * *normal;
        }
        self
    }

    /// In the solid's axes: the face that leans along a direction, else an edge across it at the farthest vertex, else that
    /// vertex.
    pub(super) fn of_solid(solid: &Solid<'_>, direction: &Vec3) -> Self {
        let (index, face) = face_along(solid, direction);
        let cosine = face.normal.dot(direction);
        if cosine >= LEANS_TOWARD {
            let mut facing = Self::new(Toward::Face(face.normal), cosine, index, &[]);
            facing.count = face.count as usize;
            for (place, corner) in facing.points.iter_mut().zip(solid.corners(face)) {
                *place = corner;
            }
            return facing;
        }
        let farthest = farthest_vertex(solid, direction);
        let (cosine, index) = edge_across(solid, farthest, direction);
        if cosine >= LEANS_TOWARD {
            let ends = solid.edges[index as usize].vertices;
            let ends = ends.map(|at| solid.vertices[at as usize]);
            return Self::new(Toward::Line, cosine, index, &ends);
        }
        Self::new(
            Toward::Point,
            0.0,
            farthest,
            &[solid.vertices[farthest as usize]],
        )
    }

    /// In the frustum's axes: the disk that leans along a direction, by points of its rim, or the line of the side.
    ///
    /// The points are in directions of length 1 across the axis, counter-clockwise as seen from outside. They may follow from that of the farthest one, and
    /// from by how much the rim rises along the direction over a quarter turn from there `[m]`.
    pub(super) fn of_frustum<const N: usize>(
        frustum: &Frustum,
        direction: &Vec3,
        directions: impl Fn([f64; 2], f64) -> [[f64; 2]; N],
    ) -> Self {
        let across = length(direction.x, direction.y);
        let out = if across > UPRIGHT_RIM {
            [direction.x / across, direction.y / across]
        } else {
            [1.0, 0.0]
        };
        let end = usize::from(direction.z > 0.0);
        let [side_out, side_up] = frustum.side_normal();
        let side = side_out * across + side_up * direction.z;
        if direction.z.abs() > side && frustum.radii[end] > 0.0 {
            let normal = Vec3::z() * direction.z.signum();
            let sense = direction.z.signum();
            let farthest = [out[0], sense * out[1]];
            let rim = directions(farthest, frustum.radii[end] * across);
            let rim = rim.map(|[x, y]| frustum.on_rim(end, [x, sense * y]));
            // To the second order of the angle between the middle of a side and its end.
            let bulge = 0.5 * (PI / N as f64).powi(2) * frustum.radii[end];
            return Self {
                bulge,
                ..Self::new(Toward::Face(normal), direction.z.abs(), end as u32, &rim)
            };
        }
        let ends = [0, 1].map(|end| frustum.on_rim(end, out));
        Self {
            curvature: frustum.radii.map(|radius| radius / side_out),
            ..Self::new(Toward::Line, side, SIDE, &ends)
        }
    }
}

/// Cosine of the angle by which a line leans from across a direction.
pub(super) fn across(line: &Vec3, direction: &Vec3) -> f64 {
    let sine = line.dot(direction) / line.norm();
    (1.0 - sine * sine).max(0.0).sqrt()
}

/// Index of the vertex of a solid that is farthest along a direction in its axes.
pub(super) fn farthest_vertex(solid: &Solid<'_>, direction: &Vec3) -> u32 {
    solid.farthest(direction) as u32
}

/// The edge at a vertex of a solid that is most across a direction: the cosine of the angle by which it leans, and its index.
pub(super) fn edge_across(solid: &Solid<'_>, vertex: u32, direction: &Vec3) -> (f64, u32) {
    let mut best = (0.0, 0);
    for (index, edge) in (0..).zip(solid.edges) {
        if edge.vertices.contains(&vertex) {
            let [from, to] = edge.vertices.map(|at| solid.vertices[at as usize]);
            let cosine = across(&(to - from), direction);
            if cosine > best.0 {
                best = (cosine, index);
            }
        }
    }
    best
}

/// The face whose normal is turned most along a direction in the solid's axes, with its index.
pub(super) fn face_along<'a>(solid: &Solid<'a>, direction: &Vec3) -> (u32, &'a Face) {
    let mut best = (0, &solid.faces[0]);
    let mut cosine = best.1.normal.dot(direction);
    for (index, face) in (1..).zip(&solid.faces[1..]) {
        let along = face.normal.dot(direction);
        if along > cosine {
            (best, cosine) = ((index, face), along);
        }
    }
    best
}
