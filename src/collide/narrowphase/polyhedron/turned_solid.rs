//! A solid whose axes are others than its own.

use super::{Arc, Arcs};
use crate::math::{Mat3, Vec3};
use crate::world::{Edge, Face, Solid};
use std::cell::OnceCell;

/// A solid in axes that are turned about its origin: what is compared with many triangles is turned once.
pub(super) struct TurnedSolid<'a> {
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    loops: &'a [u32],
    edges: &'a [Edge],
    center: Vec3,
    arcs: OnceCell<Arcs>,
}

impl<'a> TurnedSolid<'a> {
    /// By a rotation from the solid's axes to the others.
    pub(super) fn new(solid: &Solid<'a>, rotation: &Mat3) -> Self {
        let turned = |face: &Face| Face {
            normal: rotation * face.normal,
            ..*face
        };
        Self {
            vertices: solid.vertices.iter().map(|at| rotation * at).collect(),
            faces: solid.faces.iter().map(turned).collect(),
            loops: solid.loops,
            edges: solid.edges,
            center: rotation * solid.center,
            arcs: OnceCell::new(),
        }
    }

    pub(super) fn solid(&self) -> Solid<'_> {
        Solid {
            vertices: &self.vertices,
            faces: &self.faces,
            loops: self.loops,
            edges: self.edges,
            center: self.center,
            known_inner_radius: None,
        }
    }

    /// All of its edges on the Gauss map.
    pub(super) fn arcs(&self) -> &Arcs {
        self.arcs.get_or_init(|| {
            let edges = 0..self.edges.len() as u32;
            Arcs::new(edges.collect(), |edge| {
                let faces = self.edges[edge as usize].faces;
                Arc::new(faces.map(|at| self.faces[at as usize].normal))
            })
        })
    }
}
