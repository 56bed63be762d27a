//! A cylinder or cone as a prism or pyramid, for meshes.

use crate::constants::MESH_FACETS;
use crate::math::{Mat3, Vec3};
use crate::world::{Edge, Face, Frustum, Solid};
use std::f64::consts::TAU;

/// Vertices, faces and edges of the prism or pyramid through the rims, with a vertex at x.
pub(in crate::collide::narrowphase) struct Facets {
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    loops: Vec<u32>,
    edges: Vec<Edge>,
}

impl Facets {
    pub(in crate::collide::narrowphase) fn new(frustum: &Frustum) -> Self {
        let count = MESH_FACETS as u32;
        let is_pointed = frustum.radii[1] == 0.0;
        let around = |k: u32| {
            let (sine, cosine) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
            [cosine, sine]
        };
        let mut vertices: Vec<Vec3> = (0..count).map(|k| frustum.on_rim(0, around(k))).collect();
        if is_pointed {
            vertices.push(frustum.on_rim(1, [1.0, 0.0]));
        } else {
            vertices.extend((0..count).map(|k| frustum.on_rim(1, around(k))));
        }
        let upper = |k: u32| if is_pointed { count } else { count + k % count };
        let mut solid = Self {
            vertices,
            faces: Vec::new(),
            loops: Vec::new(),
            edges: Vec::new(),
        };
        // Faces: the lower disk, the sides, the upper disk.
        let lower: Vec<u32> = (0..count).rev().collect();
        solid.add_face(&lower);
        for k in 0..count {
            let next = (k + 1) % count;
            if is_pointed {
                solid.add_face(&[k, next, upper(k)]);
            } else {
                solid.add_face(&[k, next, upper(next), upper(k)]);
            }
        }
        if !is_pointed {
            let rim: Vec<u32> = (0..count).map(upper).collect();
            solid.add_face(&rim);
        }
        for k in 0..count {
            let next = (k + 1) % count;
            let before = (k + count - 1) % count;
            let mut edge = |vertices, faces| solid.edges.push(Edge { vertices, faces });
            edge([k, next], [1 + k, 0]);
            edge([k, upper(k)], [1 + before, 1 + k]);
            if !is_pointed {
                edge([upper(k), upper(next)], [1 + count, 1 + k]);
            }
        }
        solid
    }

    pub(in crate::collide::narrowphase) fn solid(&self) -> Solid<'_> {
        Solid {
            vertices: &self.vertices,
            faces: &self.faces,
            loops: &self.loops,
            edges: &self.edges,
            center: Vec3::zeros(),
            known_inner_radius: None,
        }
    }

    /// The rotation of the solid's axes that puts an edge where a cylinder or cone of axes `rotation` is farthest along a
    /// direction.
    pub(in crate::collide::narrowphase) fn turned(rotation: &Mat3, direction: &Vec3) -> Mat3 {
        let local = rotation.tr_mul(direction);
        let across = local.x.hypot(local.y);
        if across == 0.0 {
            return *rotation;
        }
        let [x, y] = [local.x / across, local.y / across];
        rotation * Mat3::new(x, -y, 0.0, y, x, 0.0, 0.0, 0.0, 1.0)
    }

    /// Adds the face through some vertices, counter-clockwise as seen from outside.
    fn add_face(&mut self, corners: &[u32]) {
        let [a, b, c] = [0, 1, 2].map(|k| self.vertices[corners[k] as usize]);
        let normal = (b - a).cross(&(c - a)).normalize();
        self.faces.push(Face {
            normal,
            offset: normal.dot(&a),
            first: self.loops.len() as u32,
            count: corners.len() as u32,
        });
        self.loops.extend_from_slice(corners);
    }
}
