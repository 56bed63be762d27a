//! The feature that a shape turns toward another: a face, a line, or a point.

use crate::collide::narrowphase::polyhedron::Standing;
use crate::constants::{
    CROSSING_LINES, LEANS_TOWARD, MAX_FACE_VERTICES, TURNED_TOWARD, UPRIGHT_RIM,
};
use crate::math::{Mat3, Vec3, length};
use crate::world::{Face, Frustum, Solid};
use arrayvec::ArrayVec;
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

/// The points of a face, counter-clockwise as seen from outside, or the ends of a line, where the shape stands. It has room for many, and is
/// filled where it is.
#[derive(Debug)]
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
    pub(super) points: ArrayVec<Vec3, MAX_FACE_VERTICES>,
}

impl Facing {
    /// To be filled.
    pub(super) fn new() -> Self {
        Self {
            toward: Toward::Point,
            cosine: 0.0,
            index: 0,
            curvature: [0.0; 2],
            bulge: 0.0,
            points: ArrayVec::new(),
        }
    }

    /// The ends of a line.
    pub(super) fn ends(&self) -> [Vec3; 2] {
        [self.points[0], self.points[1]]
    }

    /// True of a line that lies across the direction.
    pub(super) fn is_line(&self) -> bool {
        matches!(self.toward, Toward::Line) && self.cosine >= TURNED_TOWARD
    }

    /// True if this line and another cross at a small angle.
    pub(super) fn lies_along(&self, other: &Self) -> bool {
        let [one, other] = [self, other].map(|line| {
            let [from, to] = line.ends();
            to - from
        });
        one.cross(&other).norm() <= CROSSING_LINES * (one.norm() * other.norm())
    }

    /// A feature without curves.
    pub(super) fn fill(
        &mut self,
        (toward, cosine, index): (Toward, f64, u32),
        points: impl Iterator<Item = Vec3>,
    ) {
        (self.toward, self.cosine, self.index) = (toward, cosine, index);
        (self.curvature, self.bulge) = ([0.0; 2], 0.0);
        self.points.clear();
        self.points.extend(points.take(MAX_FACE_VERTICES));
    }

    /// The face of a solid that leans along a direction in its axes, else an edge across it at the farthest vertex, else that vertex.
    pub(super) fn fill_by_solid(
        &mut self,
        (position, rotation, solid): Standing<'_>,
        direction: &Vec3,
    ) {
        let place = |at: Vec3| position + rotation * at;
        let (index, face) = face_along(&solid, direction);
        let cosine = face.normal.dot(direction);
        if cosine >= LEANS_TOWARD {
            let toward = Toward::Face(rotation * face.normal);
            return self.fill((toward, cosine, index), solid.corners(face).map(place));
        }
        if self.fill_by_edge((position, rotation, solid), direction, LEANS_TOWARD) {
            return;
        }
        let farthest = farthest_vertex(&solid, direction);
        let vertex = std::iter::once(place(solid.vertices[farthest as usize]));
        self.fill((Toward::Point, 0.0, farthest), vertex);
    }

    /// The edge across a direction in the axes of a solid at its farthest vertex, if that leans by no more than this cosine; else false.
    pub(super) fn fill_by_edge(
        &mut self,
        (position, rotation, solid): Standing<'_>,
        direction: &Vec3,
        least_cosine: f64,
    ) -> bool {
        let farthest = farthest_vertex(&solid, direction);
        let (cosine, index) = edge_across(&solid, farthest, direction);
        if cosine < least_cosine {
            return false;
        }
        let place = |at: Vec3| position + rotation * at;
        let ends = solid.edges[index as usize].vertices.into_iter();
        let ends = ends.map(|at| place(solid.vertices[at as usize]));
        self.fill((Toward::Line, cosine, index), ends);
        true
    }

    /// The disk of a frustum that leans along a direction in its axes, by points of its rim, or the line of the side.
    ///
    /// The points are in directions of length 1 across the axis, counter-clockwise as seen from outside. They may follow from that of the farthest one, and
    /// from by how much the rim rises along the direction over a quarter turn from there `[m]`.
    pub(super) fn fill_by_frustum<D: AsRef<[[f64; 2]]>>(
        &mut self,
        (position, rotation, frustum): (&Vec3, &Mat3, &Frustum),
        direction: &Vec3,
        directions: impl FnOnce([f64; 2], f64) -> D,
    ) {
        let place = |at: Vec3| position + rotation * at;
        let across = length(direction.x, direction.y);
        let out = if across > UPRIGHT_RIM {
            [direction.x / across, direction.y / across]
        } else {
            [1.0, 0.0]
        };
        let end = usize::from(direction.z > 0.0);
        let [side_out, side_up] = frustum.side_normal;
        let side = side_out * across + side_up * direction.z;
        if direction.z.abs() > side && frustum.radii[end] > 0.0 {
            let sense = direction.z.signum();
            let normal = rotation * (Vec3::z() * sense);
            let farthest = [out[0], sense * out[1]];
            let rim = directions(farthest, frustum.radii[end] * across);
            let rim = rim.as_ref();
            let points = rim
                .iter()
                .map(|&[x, y]| frustum.on_rim(end, [x, sense * y]));
            let toward = Toward::Face(normal);
            self.fill((toward, direction.z.abs(), end as u32), points.map(place));
            // To the second order of the angle between the middle of a side and its end.
            self.bulge = 0.5 * (PI / rim.len() as f64).powi(2) * frustum.radii[end];
            return;
        }
        let ends = [0, 1].map(|end| place(frustum.on_rim(end, out)));
        self.fill((Toward::Line, side, SIDE), ends.into_iter());
        self.curvature = frustum.radii.map(|radius| radius / side_out);
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
