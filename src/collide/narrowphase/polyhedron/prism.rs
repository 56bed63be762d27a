//! The solid that stands for what is below a triangle of a mesh.

use super::front::Front;
use crate::math::Vec3;
use crate::world::{Edge, Face, SideKind, Solid, TriangleMesh};

/// Vertices of the front, the back and the three sides of a prism; the corners of the front are 0 to 2, and those of the back
/// 3 to 5 below them.
const LOOPS: [u32; 18] = [0, 1, 2, 3, 5, 4, 1, 0, 3, 4, 2, 1, 4, 5, 0, 2, 5, 3];

/// Those of the front, of the back, and between these.
const EDGES: [Edge; 9] = [
    Edge::between([0, 1], [0, 2]),
    Edge::between([1, 2], [0, 3]),
    Edge::between([2, 0], [0, 4]),
    Edge::between([3, 4], [2, 1]),
    Edge::between([4, 5], [3, 1]),
    Edge::between([5, 3], [4, 1]),
    Edge::between([0, 3], [2, 4]),
    Edge::between([1, 4], [3, 2]),
    Edge::between([2, 5], [4, 3]),
];

/// The solid below a triangle. The plane of a side across a ridge may be that of the triangle beyond.
pub(super) struct Prism {
    pub(super) vertices: [Vec3; 6],
    pub(super) faces: [Face; 5],
    center: Vec3,
}

impl Prism {
    /// Of some depth `[m]`, below a triangle as it is seen from the body's origin; sides of the given kinds are in the planes beyond, the
    /// others are upright.
    pub(super) fn new(
        mesh: &TriangleMesh,
        front: &Front,
        depth: f64,
        is_in_plane_beyond: impl Fn(SideKind) -> bool,
    ) -> Self {
        let [a, b, c] = front.corners;
        let (triangle, normal) = (front.triangle, front.face.normal);
        let down = normal * depth;
        let offset = front.face.offset;
        let side = |k: usize, from: &Vec3| {
            let about = mesh.sides(triangle)[k];
            let outward = if is_in_plane_beyond(about.kind) {
                mesh.normals()[about.beyond as usize]
            } else {
                -front.inward(k).normalize()
            };
            Face {
                normal: outward,
                offset: outward.dot(from),
                first: 6 + 4 * k as u32,
                count: 4,
            }
        };
        Self {
            vertices: [a, b, c, a - down, b - down, c - down],
            faces: [
                front.face,
                Face {
                    normal: -normal,
                    offset: depth - offset,
                    first: 3,
                    count: 3,
                },
                side(0, &a),
                side(1, &b),
                side(2, &c),
            ],
            center: (a + b + c) / 3.0 - down * 0.5,
        }
    }

    pub(super) fn solid(&self) -> Solid<'_> {
        Solid {
            vertices: &self.vertices,
            faces: &self.faces,
            loops: &LOOPS,
            edges: &EDGES,
            center: self.center,
            known_inner_radius: None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    #[test]
    fn faces_and_edges_of_a_prism_agree() {
        let corners = [
            Vec3::zeros(),
            Vec3::new(2.0, 0.3, 0.1),
            Vec3::new(0.5, 1.5, -0.2),
        ];
        let mesh = TriangleMesh::new(&corners, &[[0, 1, 2]]).unwrap();
        let front = Front::new(&mesh, 0, mesh.corners(0));
        let prism = Prism::new(&mesh, &front, 0.7, |_| false);
        let solid = prism.solid();
        for face in solid.faces {
            let corners: Vec<Vec3> = solid.corners(face).collect();
            let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[1]));
            assert!(area.dot(&face.normal) > 0.9 * area.norm());
            for corner in &corners {
                assert!((face.normal.dot(corner) - face.offset).abs() < 1e-12);
            }
            assert!(face.normal.dot(&solid.center) < face.offset);
        }
        for edge in solid.edges {
            for (face, [from, to]) in [
                (edge.faces[0], edge.vertices),
                (edge.faces[1], [edge.vertices[1], edge.vertices[0]]),
            ] {
                let face = &solid.faces[face as usize];
                let range = face.first as usize..(face.first + face.count) as usize;
                let vertices = &solid.loops[range];
                let at = vertices.iter().position(|&v| v == from);
                let next = at.map(|at| vertices[(at + 1) % vertices.len()]);
                assert_eq!(next, Some(to), "{edge:?}");
            }
        }
    }
}
