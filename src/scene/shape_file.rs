//! Shapes whose numbers are in files beside the scene.

use super::place::Place;
use super::schema::{SceneFile, Shape};
use super::{meshes, polyhedra};
use crate::error::Result;
use std::path::Path;

/// Puts what files hold of shapes in place of their names, which are relative to the folder of the scene at
/// `path`.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) at the name of a file that cannot be read.
pub(super) fn load(file: &mut SceneFile, path: &Path, root: &Place<'_>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let each = |shape: &mut Shape, place: Place<'_>| load_shape(shape, folder, &place.key("shape"));
    for (at, body) in file.bodies.iter_mut().enumerate() {
        each(&mut body.shape, root.key("body").at(at))?;
    }
    for (at, chain) in file.chains.iter_mut().enumerate() {
        each(&mut chain.shape, root.key("chain").at(at))?;
    }
    for (at, template) in file.templates.iter_mut().enumerate() {
        let place = root.key("template").at(at).key("body");
        for (at, body) in template.bodies.iter_mut().enumerate() {
            each(&mut body.shape, place.at(at))?;
        }
    }
    for (at, fill) in file.fills.iter_mut().enumerate() {
        let place = root.key("fill").at(at).key("shapes");
        for (at, mixed) in fill.shapes.iter_mut().enumerate() {
            each(&mut mixed.shape, place.at(at))?;
        }
    }
    Ok(())
}

fn load_shape(shape: &mut Shape, folder: &Path, place: &Place<'_>) -> Result<()> {
    match shape {
        Shape::Compound(compound) => {
            for (at, part) in compound.parts.iter_mut().enumerate() {
                let place = place.key("parts").at(at).key("shape");
                load_shape(&mut part.shape, folder, &place)?;
            }
            Ok(())
        }
        Shape::Polyhedron(solid) => polyhedra::load(solid, folder, place),
        Shape::Mesh(mesh) => meshes::load(mesh, folder, place),
        Shape::HeightField(field) => meshes::load_heights(field, folder, place),
        _ => Ok(()),
    }
}
