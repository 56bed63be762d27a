//! Convex polyhedra from points.

use super::Polyhedron;
use crate::error::{Error, Result};
use crate::math::{Aabb, Vec3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use std::f64::consts::TAU;

/// Volume of the largest tetrahedron found among points of unit extent below which they lie in one plane.
const FLAT: f64 = 1e-9;

impl Polyhedron {
    /// The convex hull of some points `[m]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for fewer than four points, points that are not finite or lie in one plane, and what
    /// [`Polyhedron::new`] says.
    pub fn hull(points: &[Vec3]) -> Result<Self> {
        let wrong = |why: String| Error::invalid("hull", why);
        if points.len() < 4 {
            return Err(wrong(format!(
                "{} points; at least 4 are needed",
                points.len()
            )));
        }
        if let Some(at) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(wrong(format!("point {at} is not finite")));
        }
        // About their middle and of unit size, so that the hull's tolerances mean the same for all.
        let Aabb { min, max } = Aabb::around(points.iter().copied());
        let (middle, size) = ((min + max) * 0.5, (max - min).norm());
        if !(size > 0.0 && size.is_finite()) || is_flat(points, &middle, size) {
            return Err(wrong("the points lie in one plane".to_owned()));
        }
        let unit: Vec<Vector> = points
            .iter()
            .map(|point| (point - middle) / size)
            .map(|p| Vector::new(p.x, p.y, p.z))
            .collect();
        let (vertices, triangles) =
            try_convex_hull(&unit).map_err(|why| wrong(format!("{why:?}")))?;
        let vertices: Vec<Vec3> = vertices
            .iter()
            .map(|v| middle + Vec3::new(v.x, v.y, v.z) * size)
            .collect();
        let mut faces: Vec<Vec<u32>> = triangles.iter().map(|corners| corners.to_vec()).collect();
        // Of four points the hull may come inside out.
        let arm = |at: u32| vertices[at as usize] - middle;
        let determinant =
            |corners: &Vec<u32>| arm(corners[0]).dot(&arm(corners[1]).cross(&arm(corners[2])));
        if faces.iter().map(determinant).sum::<f64>() < 0.0 {
            for corners in &mut faces {
                corners.reverse();
            }
        }
        Self::new(&vertices, &faces)
    }

    /// A prism about the z axis: a regular polygon of so many sides, its corners at `radius`, from `-half_length` to
    /// `half_length` `[m]`. The first corner is at x.
    ///
    /// # Errors
    /// [`Error::Invalid`] for fewer than three sides, or what [`Polyhedron::hull`] says.
    pub fn prism(sides: u32, radius: f64, half_length: f64) -> Result<Self> {
        if sides < 3 {
            return Err(Error::invalid(
                "prism",
                format!("{sides} sides; at least 3 are needed"),
            ));
        }
        let corners = (0..sides).flat_map(|side| {
            let (sine, cosine) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
            [-half_length, half_length].map(|z| Vec3::new(radius * cosine, radius * sine, z))
        });
        Self::hull(&corners.collect::<Vec<_>>())
    }

    /// The regular solid of 4, 6, 8, 12 or 20 faces, its vertices at `radius` `[m]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for another number of faces, or a radius that is not positive and finite.
    pub fn regular(faces: u32, radius: f64) -> Result<Self> {
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let signs = [-1.0, 1.0];
        let pairs = || signs.into_iter().flat_map(|s| signs.map(|t| (s, t)));
        let cube = || pairs().flat_map(|(x, y)| signs.map(|z| Vec3::new(x, y, z)));
        // Corners of three rectangles at right angles to each other.
        let rectangles = |a: f64, b: f64| {
            pairs().flat_map(move |(s, t)| {
                let (x, y) = (s * a, t * b);
                [
                    Vec3::new(0.0, x, y),
                    Vec3::new(x, y, 0.0),
                    Vec3::new(y, 0.0, x),
                ]
            })
        };
        let points: Vec<Vec3> = match faces {
            4 => cube().filter(|v| v.x * v.y * v.z > 0.0).collect(),
            6 => cube().collect(),
            8 => (0..3)
                .flat_map(|k| signs.map(|sign| Vec3::ith(k, sign)))
                .collect(),
            12 => cube().chain(rectangles(golden.recip(), golden)).collect(),
            20 => rectangles(1.0, golden).collect(),
            _ => {
                return Err(Error::invalid(
                    "regular solid",
                    format!("of {faces} faces there is none: 4, 6, 8, 12 or 20 are possible"),
                ));
            }
        };
        let corners = points.iter().map(|point| point.normalize() * radius);
        Self::hull(&corners.collect::<Vec<_>>())
    }

    /// A wedge, as arches are built of, between two rectangles across the y axis: the one at `-half_height` reaches to
    /// `inner` on either side in x, the one at `half_height` to `outer`, both to `half_depth` in z `[m]`.
    ///
    /// # Errors
    /// As [`Polyhedron::hull`].
    pub fn wedge(inner: f64, outer: f64, half_height: f64, half_depth: f64) -> Result<Self> {
        let ends = [(inner, -half_height), (outer, half_height)];
        let corners = ends.into_iter().flat_map(|(x, y)| {
            [-x, x]
                .into_iter()
                .flat_map(move |x| [-half_depth, half_depth].map(|z| Vec3::new(x, y, z)))
        });
        Self::hull(&corners.collect::<Vec<_>>())
    }
}

/// True if no tetrahedron of the points has a volume that rounding leaves.
fn is_flat(points: &[Vec3], middle: &Vec3, size: f64) -> bool {
    let farthest = |measure: &dyn Fn(&Vec3) -> f64| {
        let arms = points.iter().map(|point| (point - middle) / size);
        let farther = arms.max_by(|a, b| measure(a).total_cmp(&measure(b)));
        farther.unwrap_or_else(Vec3::zeros)
    };
    let first = farthest(&|arm| arm.norm_squared());
    let second = farthest(&|arm| (arm - first).norm_squared()) - first;
    let third = farthest(&|arm| (arm - first).cross(&second).norm_squared()) - first;
    let normal = second.cross(&third);
    let height = farthest(&|arm| (arm - first).dot(&normal).abs()) - first;
    height.dot(&normal).abs() <= FLAT
}
