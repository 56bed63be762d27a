//! Surfaces of triangles, for what contacts do not move: ground, hoppers, drums.

mod generated;
mod near;
mod topology;

use super::facing::Facing;
use super::flaw::Flaw;
use super::tree::Tree;
use crate::constants::{MAX_MESH_TRIANGLES, MESH_DIRECTION, MIN_TRIANGLE_HEIGHT};
use crate::error::{Error, Result};
use crate::math::{Aabb, Vec3};
use topology::{
    cosines_around, facings_of, fans_of, hollow, patches_of, repeated, sides_of, vertex_normals,
    welded,
};

/// A surface of triangles, open or closed, that bodies touch on one side: the one from which the corners of a triangle are
/// counter-clockwise. What has gone through it is pushed back to that side, as long as some of it is still there.
///
/// It belongs to bodies that are fixed or kinematic only: a surface has no mass.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    sides: Vec<[Side; 3]>,
    /// True for a triangle that goes on in its plane or upward at every side and corner: from its front it is touched on its
    /// face only.
    hollow: Vec<bool>,
    /// Which stretch of triangles that go on smoothly each of them is in.
    patches: Vec<u32>,
    /// The triangles at each vertex, one vertex after the other, and where those of a vertex end.
    fans: Vec<u32>,
    fan_ends: Vec<u32>,
    /// Normals at the vertices, those of the triangles by their angles there: the side of a point that is nearest to a vertex.
    vertex_normals: Vec<Vec3>,
    /// In which directions each triangle can be touched.
    facings: Vec<Facing>,
    /// Least cosine of the angle between the normal of a triangle and those of the triangles that share a corner with it; -1 near a rim.
    cosines: Vec<f32>,
    tree: Tree,
    bounds: Aabb,
    /// See [`TriangleMesh::bounding_radius`] `[m]`.
    bounding_radius: f64,
    /// See [`TriangleMesh::is_closed`].
    is_closed: bool,
}

/// How the surface goes on beyond a side of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SideKind {
    /// Not at all.
    Rim,
    /// Downward: bodies can touch the edge.
    Ridge,
    /// In the same plane.
    Flat,
    /// Upward.
    Valley,
}

/// A side of a triangle, from a corner to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Side {
    pub(crate) kind: SideKind,
    /// The triangle beyond it; its own at a rim.
    pub(crate) beyond: u32,
}

impl Side {
    /// True if bodies can touch the edge.
    pub(crate) fn is_touched(&self) -> bool {
        matches!(self.kind, SideKind::Ridge | SideKind::Rim)
    }
}

/// Where on a triangle a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    Face,
    /// Within the side that begins at this corner.
    Side(usize),
    Corner(usize),
}

impl TriangleMesh {
    /// From vertices `[m]` and the triangles between them. Vertices at one place become one.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no triangles or more than 2^22, a vertex that does not exist or is not finite, a triangle
    /// without area or given twice, or two triangles that face opposite ways on either side of an edge.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self> {
        Self::of_triangles(vertices, triangles)
            .map_err(|flaw| Error::invalid("mesh", flaw.of_numbered("triangle")))
    }

    /// As [`TriangleMesh::new`]; says which triangle is wrong.
    pub(crate) fn of_triangles(given: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, Flaw> {
        if triangles.is_empty() {
            return Err(Flaw::of_all("there are no triangles"));
        }
        if triangles.len() > MAX_MESH_TRIANGLES {
            return Err(Flaw::of_all(format!(
                "{} triangles; at most {MAX_MESH_TRIANGLES} are taken",
                triangles.len()
            )));
        }
        if let Some(at) = given.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
            return Err(Flaw::of_all(format!("vertex {at} is not finite")));
        }
        for (index, corners) in triangles.iter().enumerate() {
            if let Some(at) = corners.iter().find(|&&at| at as usize >= given.len()) {
                let why = format!("it has vertex {at} of {}", given.len());
                return Err(Flaw::of(index, why));
            }
        }
        let (vertices, triangles) = welded(given, triangles);
        for (index, corners) in triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|at| vertices[at as usize]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            let area = (b - a).cross(&(c - a)).norm();
            // Twice the area is the longest side times the height above it.
            if !(longest * longest).is_finite() {
                return Err(Flaw::of(
                    index,
                    format!("a side of it is {longest:e} m long"),
                ));
            }
            if !area.is_normal() {
                return Err(Flaw::of(index, "it has no area"));
            }
            let height = area / longest;
            if height <= MIN_TRIANGLE_HEIGHT * longest {
                return Err(Flaw::of(
                    index,
                    format!(
                        "it is {height:.3e} m high above its longest side of {longest:.3e} m; at least {MIN_TRIANGLE_HEIGHT:e} of that is needed"
                    ),
                ));
            }
        }
        if let Some([first, second]) = repeated(&triangles) {
            return Err(Flaw::of_two(second, "it has the corners of", first));
        }
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|corners| Aabb::around(corners.map(|at| vertices[at as usize])))
            .collect();
        let (mut tree, order) = Tree::new(&boxes);
        let triangles: Vec<[u32; 3]> = order.iter().map(|&at| triangles[at as usize]).collect();
        // Vertices in the order in which the triangles have them.
        let points: Vec<Vec3> = vertices;
        let (vertices, triangles) = welded(&points, &triangles);
        let normals: Vec<Vec3> = triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|at| vertices[at as usize]);
                (b - a).cross(&(c - a)).normalize()
            })
            .collect();
        let sides = sides_of(&vertices, &triangles, &normals, &order)?;
        let (fans, fan_ends) = fans_of(vertices.len(), &triangles);
        let fan = |vertex: u32| &fans[fan_of(&fan_ends, vertex)];
        let facings = facings_of(&triangles, &sides, &normals, fan);
        let cosines = cosines_around(&triangles, &sides, &normals, fan);
        tree.set_facings(&facings);
        let bounds = Aabb::around(vertices.iter().copied());
        let reach = vertices.iter().map(nalgebra::Matrix::norm);
        Ok(Self {
            bounding_radius: reach.fold(0.0, f64::max),
            is_closed: sides.iter().flatten().all(|s| s.kind != SideKind::Rim),
            hollow: hollow(vertices.len(), &triangles, &sides),
            patches: patches_of(&sides, &normals),
            vertex_normals: vertex_normals(&vertices, &triangles, &normals),
            facings,
            cosines,
            tree,
            vertices,
            triangles,
            normals,
            sides,
            fans,
            fan_ends,
            bounds,
        })
    }

    /// The vertices `[m]`, in an order of their own.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Indices of the vertices of each triangle, in an order of their own, counter-clockwise as seen from the side that bodies touch.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Unit normals of the triangles, to the side that bodies touch.
    #[must_use]
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// The least box that holds it, in its own axes.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Distance of the farthest vertex from the origin `[m]`.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// True if every side of a triangle belongs to two of them.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The same surface, larger by a positive factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        for vertex in &mut scaled.vertices {
            *vertex *= factor;
        }
        scaled.bounds = Aabb::around(scaled.vertices.iter().copied());
        scaled.bounding_radius *= factor;
        scaled.tree.scale(factor);
        scaled
    }

    /// The same surface, which bodies touch from the other side.
    #[must_use]
    pub fn turned_inside_out(&self) -> Self {
        let mut turned = self.clone();
        for corners in &mut turned.triangles {
            corners.reverse();
        }
        for normal in turned.normals.iter_mut().chain(&mut turned.vertex_normals) {
            *normal = -*normal;
        }
        for sides in &mut turned.sides {
            // From corner 2 to 1, 1 to 0, 0 to 2.
            sides.swap(0, 1);
            for side in sides {
                side.kind = match side.kind {
                    SideKind::Ridge => SideKind::Valley,
                    SideKind::Valley => SideKind::Ridge,
                    same => same,
                };
            }
        }
        turned.hollow = hollow(turned.vertices.len(), &turned.triangles, &turned.sides);
        turned
    }

    /// The corners of a triangle `[m]`.
    #[inline]
    pub(crate) fn corners(&self, triangle: u32) -> [Vec3; 3] {
        let [a, b, c] = self.triangles[triangle as usize];
        let at = |vertex: u32| self.vertices[vertex as usize];
        [at(a), at(b), at(c)]
    }

    #[inline]
    pub(crate) fn sides(&self, triangle: u32) -> &[Side; 3] {
        &self.sides[triangle as usize]
    }

    /// Height of a point in front of a triangle whose face alone can be touched from there, and if it is above that and no higher than
    /// `range`; `None` behind it, and of other triangles `[m]`.
    #[inline]
    pub(crate) fn above_hollow(
        &self,
        triangle: u32,
        point: &Vec3,
        range: f64,
    ) -> Option<(f64, bool)> {
        if !self.hollow[triangle as usize] {
            return None;
        }
        let normal = &self.normals[triangle as usize];
        let corners = self.corners(triangle);
        let height = normal.dot(&(point - corners[0]));
        if height <= 0.0 {
            return None;
        }
        if height > range {
            return Some((height, false));
        }
        let is_inside = |side: usize| {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            let inward = normal.cross(&(to - from));
            let inside = inward.dot(&(point - from));
            // A point above a side is above both triangles.
            let tolerance = MESH_DIRECTION * height;
            inside >= 0.0 || inside * inside <= tolerance * tolerance * inward.norm_squared()
        };
        Some((height, is_inside(0) && is_inside(1) && is_inside(2)))
    }

    pub(crate) fn patch(&self, triangle: u32) -> u32 {
        self.patches[triangle as usize]
    }

    /// A vector that points to the side bodies touch at a point of a triangle, of any length: what is nearest to the point is on
    /// this side if it is along the vector (Baerentzen and Aanaes 2005, *Signed distance computation using the angle weighted
    /// pseudonormal*).
    #[inline]
    pub(crate) fn outward(&self, triangle: u32, feature: Feature) -> Vec3 {
        let normal = self.normals[triangle as usize];
        match feature {
            Feature::Face => normal,
            Feature::Side(side) => {
                let beyond = self.sides(triangle)[side].beyond;
                normal + self.normals[beyond as usize]
            }
            Feature::Corner(corner) => {
                self.vertex_normals[self.triangles[triangle as usize][corner] as usize]
            }
        }
    }

    /// The triangles at a vertex.
    #[inline]
    pub(crate) fn fan(&self, vertex: u32) -> &[u32] {
        &self.fans[fan_of(&self.fan_ends, vertex)]
    }

    /// The edges at a vertex, as vectors from it `[m]`; inner ones come twice.
    #[inline]
    pub(crate) fn edges_at(&self, vertex: u32) -> impl Iterator<Item = Vec3> + '_ {
        let from = self.vertices[vertex as usize];
        self.fan(vertex).iter().flat_map(move |&triangle| {
            let others = self.triangles[triangle as usize].into_iter();
            others
                .filter(move |&to| to != vertex)
                .map(move |to| self.vertices[to as usize] - from)
        })
    }

    /// A vector along a triangle and into it from one of its sides, of any length.
    #[inline]
    pub(crate) fn inward(&self, triangle: u32, side: usize) -> Vec3 {
        let corners = self.corners(triangle);
        let along = corners[(side + 1) % 3] - corners[side];
        self.normals[triangle as usize].cross(&along)
    }

    /// The same of the triangle beyond a side; nothing at a rim.
    #[inline]
    pub(crate) fn inward_beyond(&self, triangle: u32, side: usize) -> Option<Vec3> {
        let Side { kind, beyond } = self.sides(triangle)[side];
        if kind == SideKind::Rim {
            return None;
        }
        let corners = self.corners(triangle);
        // The triangle beyond has the side the other way round.
        let along = corners[side] - corners[(side + 1) % 3];
        Some(self.normals[beyond as usize].cross(&along))
    }

    /// True if no rim is near a triangle, and the normals of all triangles that share a corner with it form smaller angles with its own than one,
    /// given by its cosine. So do all directions in which it can be touched.
    #[inline]
    pub(crate) fn are_alike_around(&self, triangle: u32, cosine: f64) -> bool {
        f64::from(self.cosines[triangle as usize]) > cosine
    }

    /// In which directions a triangle can be touched.
    #[inline]
    pub(crate) fn facing(&self, triangle: u32) -> &Facing {
        &self.facings[triangle as usize]
    }
}

/// Where the triangles at a vertex are in a list of those at all.
fn fan_of(ends: &[u32], vertex: u32) -> std::ops::Range<usize> {
    let at = vertex as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[at] as usize
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    #[test]
    fn sides_know_what_is_beyond_them() {
        // A roof of two slopes, a flat roof, a ditch.
        for (height, kind) in [
            (1.0, SideKind::Ridge),
            (0.0, SideKind::Flat),
            (-1.0, SideKind::Valley),
        ] {
            let field = TriangleMesh::height_field(
                &[vec![0.0, height, 0.0], vec![0.0, height, 0.0]],
                [1.0, 1.0],
            )
            .unwrap();
            let kinds: Vec<SideKind> = field.sides.iter().flatten().map(|s| s.kind).collect();
            let count = |kind| kinds.iter().filter(|&&k| k == kind).count();
            assert_eq!(count(SideKind::Rim), 6);
            let flat = if kind == SideKind::Flat { 6 } else { 4 };
            assert_eq!(count(SideKind::Flat), flat, "{kinds:?}");
            assert_eq!(count(kind), if kind == SideKind::Flat { 6 } else { 2 });
            assert!(field.normals.iter().all(|n| n.z > 0.0));
            let turned = field.turned_inside_out();
            for (triangle, sides) in (0..).zip(&turned.sides) {
                for (side, about) in sides.iter().enumerate() {
                    let inward = turned.inward(triangle, side);
                    let corners = turned.corners(triangle);
                    assert!(inward.dot(&(corners[(side + 2) % 3] - corners[side])) > 0.0);
                    if about.kind == SideKind::Rim {
                        continue;
                    }
                    let other = turned.triangles[about.beyond as usize];
                    let shared =
                        [side, (side + 1) % 3].map(|k| turned.triangles[triangle as usize][k]);
                    assert!(shared.iter().all(|at| other.contains(at)));
                }
            }
        }
    }
}
