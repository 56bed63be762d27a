//! The polyhedra of a scene file.

use super::place::Place;
use super::schema::{PolyhedronShape, Shape, Vector};
use super::surface_file;
use super::vectors::vector;
use crate::constants::{MAX_HULL_POINTS, MAX_PRISM_SIDES};
use crate::error::Result;
use crate::math::Vec3;
use crate::world::Polyhedron;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;

/// Puts the vertices and faces of a file in a folder in place of its name.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) at the name of a file that cannot be read.
pub(super) fn load(solid: &mut PolyhedronShape, folder: &Path, place: &Place<'_>) -> Result<()> {
    let Some(name) = &solid.file else {
        return Ok(());
    };
    let place = place.key("file");
    if !solid.points.is_empty() || !solid.faces.is_empty() {
        return Err(place.error(
            "points beside a file",
            "expected one of `points` and `file`",
        ));
    }
    let path = folder.join(name);
    let wrong = |why: String| {
        place.error(
            why,
            "expected the surface of a convex solid in an OBJ or STL file",
        )
    };
    let mesh = surface_file::read_mesh(&path).map_err(wrong)?;
    if !solid.hull {
        Polyhedron::of_faces(&mesh.vertices, &mesh.faces)
            .map_err(|flaw| wrong(mesh.told(&path, &flaw)))?;
    }
    solid.points = mesh.vertices.iter().map(|v| [v.x, v.y, v.z]).collect();
    if !solid.hull {
        solid.faces = mesh.faces;
    }
    solid.file = None;
    Ok(())
}

/// The polyhedron that a shape is; nothing if it is none.
pub(super) fn polyhedron(shape: &Shape) -> Option<Result<Polyhedron>> {
    Some(match shape {
        Shape::Polyhedron(given) => given_by_points(given),
        Shape::Prism(prism) => Polyhedron::prism(
            prism.sides.min(MAX_PRISM_SIDES),
            prism.radius,
            prism.half_length,
        ),
        Shape::Regular(regular) => Polyhedron::regular(regular.faces, regular.radius),
        Shape::Rock(given) => rock(given.points.min(MAX_HULL_POINTS), &given.radii, given.seed),
        Shape::Wedge(wedge) => Polyhedron::wedge(
            wedge.inner_half_width,
            wedge.outer_half_width,
            wedge.half_height,
            wedge.half_depth,
        ),
        _ => return None,
    })
}

fn given_by_points(given: &PolyhedronShape) -> Result<Polyhedron> {
    let points: Vec<Vec3> = given
        .points
        .iter()
        .map(|point| vector(point) * given.scale)
        .collect();
    if given.faces.is_empty() {
        Polyhedron::hull(&points)
    } else {
        Polyhedron::new(&points, &given.faces)
    }
}

/// The hull of points that lie on an ellipsoid of some half axes, in random directions, about its centre of mass.
fn rock(points: usize, radii: &Vector, seed: u64) -> Result<Polyhedron> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut direction = || loop {
        let at = Vec3::from_fn(|_, _| 2.0 * random.random::<f64>() - 1.0);
        if let Some(unit) = at.try_normalize(0.1)
            && at.norm_squared() <= 1.0
        {
            return unit;
        }
    };
    let radii = vector(radii);
    let points: Vec<Vec3> = (0..points)
        .map(|_| direction().component_mul(&radii))
        .collect();
    Ok(Polyhedron::hull(&points)?.centered())
}
