//! Along what a body touches a triangle of a mesh, given the direction that separates them best.

use crate::constants::{EDGES_ALONG_FACE, MESH_DIRECTION};
use crate::math::Vec3;
use crate::world::{SideKind, TriangleMesh};

/// Along what a body and a triangle touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The triangle's normal.
    Front,
    /// The direction that was found.
    Found,
    /// The triangle beyond a side sees to it.
    Beyond,
}

/// Along what a body touches a triangle that a direction of the mesh's axes, from the triangle to the body, separates best.
pub(super) fn way(mesh: &TriangleMesh, triangle: u32, direction: &Vec3) -> Way {
    let lean = mesh.normals()[triangle as usize].dot(direction);
    if !(-MESH_DIRECTION..=EDGES_ALONG_FACE).contains(&lean) {
        return Way::Front;
    }
    let corners = mesh.corners(triangle);
    let along = corners.map(|corner| direction.dot(&corner));
    let top = along[0].max(along[1]).max(along[2]);
    let size = (corners[1] - corners[0]).norm() + (corners[2] - corners[0]).norm();
    let is_top = along.map(|height| top - height <= 1e-7 * size);
    let sides = mesh.sides(triangle);
    let misses = |way: &Vec3| direction.dot(way) > -1e-7 * way.norm();
    let of_side = |side: usize| match sides[side].kind {
        SideKind::Flat | SideKind::Valley => Way::Front,
        SideKind::Rim => Way::Found,
        SideKind::Ridge => {
            let beyond = mesh.inward_beyond(triangle, side);
            if beyond.is_some_and(|way| misses(&way)) {
                Way::Beyond
            } else {
                Way::Found
            }
        }
    };
    match is_top {
        [true, true, true] => Way::Front,
        [true, true, false] => of_side(0),
        [false, true, true] => of_side(1),
        [true, false, true] => of_side(2),
        _ => {
            let corner = is_top.iter().position(|&top| top).unwrap_or(0);
            let vertex = mesh.triangles()[triangle as usize][corner];
            if !mesh.edges_at(vertex).any(|way| misses(&way)) {
                return Way::Found;
            }
            // Some triangle at the corner is nearer: one beyond a side that the direction leans over.
            let leans = |side: usize| direction.dot(&mesh.inward(triangle, side)) < 0.0;
            let over = [corner, (corner + 2) % 3].into_iter().filter(|&k| leans(k));
            let mut kinds = over.map(|side| sides[side].kind);
            if kinds.any(|kind| matches!(kind, SideKind::Ridge | SideKind::Rim)) {
                Way::Beyond
            } else {
                Way::Front
            }
        }
    }
}
