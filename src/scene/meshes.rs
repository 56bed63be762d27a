//! The meshes of a scene file.

use super::place::Place;
use super::schema::{HeightFieldShape, MeshShape, Shape};
use super::surface_file;
use super::vectors::vector;
use crate::constants::MAX_REVOLUTION_SIDES;
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::world::{Flaw, TriangleMesh};
use std::path::Path;

/// Puts the vertices and triangles of a file in a folder in place of its name. Polygons fall into triangles about their first
/// corners.
///
/// # Errors
/// [`Error::Scene`] at the name of a file that cannot be read, or whose triangles are no mesh.
pub(super) fn load(mesh: &mut MeshShape, folder: &Path, place: &Place<'_>) -> Result<()> {
    let Some(name) = &mesh.file else {
        return Ok(());
    };
    let place = place.key("file");
    if !mesh.vertices.is_empty() || !mesh.triangles.is_empty() {
        return Err(place.error(
            "vertices beside a file",
            "expected one of `vertices` and `file`",
        ));
    }
    let path = folder.join(name);
    let wrong = |why: String| place.error(why, "expected triangles in an OBJ or STL file");
    let found = surface_file::read_mesh(&path).map_err(wrong)?;
    let mut faces = Vec::new();
    for (index, face) in found.faces.iter().enumerate() {
        for at in 1..face.len() - 1 {
            mesh.triangles.push([face[0], face[at], face[at + 1]]);
            faces.push(index);
        }
    }
    TriangleMesh::of_triangles(&found.vertices, &mesh.triangles)
        .map_err(|flaw| wrong(found.told(&path, &flaw.of_faces(&faces))))?;
    mesh.vertices = found.vertices.iter().map(|v| [v.x, v.y, v.z]).collect();
    mesh.file = None;
    Ok(())
}

/// Puts the heights of a file in a folder in place of its name.
///
/// # Errors
/// [`Error::Scene`] at the name of a file that cannot be read.
pub(super) fn load_heights(
    field: &mut HeightFieldShape,
    folder: &Path,
    place: &Place<'_>,
) -> Result<()> {
    let Some(name) = &field.file else {
        return Ok(());
    };
    let place = place.key("file");
    if !field.heights.is_empty() {
        return Err(place.error(
            "heights beside a file",
            "expected one of `heights` and `file`",
        ));
    }
    field.heights = surface_file::read_heights(&folder.join(name))
        .map_err(|why| place.error(why, "expected a row of heights a line"))?;
    field.file = None;
    Ok(())
}

/// The mesh that a shape is; nothing if it is none.
pub(super) fn mesh(shape: &Shape) -> Option<Result<TriangleMesh>> {
    let (made, inside_out) = match shape {
        Shape::Mesh(given) => {
            let mesh = given_by_triangles(given)
                .map_err(|flaw| Error::invalid("mesh", flaw.of_numbered("triangle")));
            (mesh, given.inside_out)
        }
        Shape::HeightField(field) => {
            let heights: Vec<Vec<f64>> = field
                .heights
                .iter()
                .map(|row| row.iter().map(|height| height * field.scale).collect())
                .collect();
            (TriangleMesh::height_field(&heights, field.cell), false)
        }
        Shape::Revolution(given) => (
            TriangleMesh::revolution(&given.profile, given.sides.min(MAX_REVOLUTION_SIDES)),
            given.inside_out,
        ),
        _ => return None,
    };
    Some(made.map(|mesh| {
        if inside_out {
            mesh.turned_inside_out()
        } else {
            mesh
        }
    }))
}

/// The mesh of vertices and triangles.
pub(super) fn given_by_triangles(given: &MeshShape) -> Result<TriangleMesh, Flaw> {
    let vertices: Vec<Vec3> = given
        .vertices
        .iter()
        .map(|vertex| vector(vertex) * given.scale)
        .collect();
    TriangleMesh::of_triangles(&vertices, &given.triangles)
}
