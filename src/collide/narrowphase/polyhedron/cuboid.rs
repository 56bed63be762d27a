//! A box as a polyhedron.

use crate::collide::narrowphase::box_half_space::corner;
use crate::math::Vec3;
use crate::world::{Edge, Face, Solid};

/// Vertices of the faces -x, +x, -y, +y, -z, +z; bit `k` of a vertex is set where coordinate `k` is positive.
const LOOPS: [u32; 24] = [
    0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6,
];

/// The first face has the ends in their order, the second in the opposite one.
const EDGES: [Edge; 12] = [
    Edge::between([0, 1], [2, 4]),
    Edge::between([2, 3], [4, 3]),
    Edge::between([4, 5], [5, 2]),
    Edge::between([6, 7], [3, 5]),
    Edge::between([0, 2], [4, 0]),
    Edge::between([1, 3], [1, 4]),
    Edge::between([4, 6], [0, 5]),
    Edge::between([5, 7], [5, 1]),
    Edge::between([0, 4], [0, 2]),
    Edge::between([1, 5], [2, 1]),
    Edge::between([2, 6], [3, 0]),
    Edge::between([3, 7], [1, 3]),
];

/// A box's vertices and faces.
pub(crate) struct Cuboid {
    vertices: [Vec3; 8],
    faces: [Face; 6],
}

impl Cuboid {
    pub(crate) fn new(half_extents: &Vec3) -> Self {
        let face = |index: usize| Face {
            normal: Vec3::ith(index / 2, if index.is_multiple_of(2) { -1.0 } else { 1.0 }),
            offset: half_extents[index / 2],
            first: 4 * index as u32,
            count: 4,
        };
        Self {
            vertices: std::array::from_fn(|vertex| corner(vertex as u32, half_extents)),
            faces: std::array::from_fn(face),
        }
    }

    pub(crate) fn solid(&self) -> Solid<'_> {
        Solid {
            vertices: &self.vertices,
            faces: &self.faces,
            loops: &LOOPS,
            edges: &EDGES,
            center: Vec3::zeros(),
            known_inner_radius: Some(
                self.faces[1]
                    .offset
                    .min(self.faces[3].offset)
                    .min(self.faces[5].offset),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_and_edges_agree() {
        let cuboid = Cuboid::new(&Vec3::new(1.0, 2.0, 3.0));
        let solid = cuboid.solid();
        for face in solid.faces {
            let corners: Vec<Vec3> = solid.corners(face).collect();
            let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[1]));
            assert!(area.dot(&face.normal) > 0.0);
            assert!(corners.iter().all(|c| face.normal.dot(c) == face.offset));
        }
        for edge in solid.edges {
            for (face, [from, to]) in [
                (edge.faces[0], edge.vertices),
                (edge.faces[1], [edge.vertices[1], edge.vertices[0]]),
            ] {
                let first = 4 * face as usize;
                let vertices = &solid.loops[first..first + 4];
                let at = vertices.iter().position(|&v| v == from);
                assert_eq!(at.map(|at| vertices[(at + 1) % 4]), Some(to), "{edge:?}");
            }
        }
    }
}
