//! Meshes of numbers: height fields and surfaces of revolution.

use super::TriangleMesh;
use crate::constants::MAX_MESH_TRIANGLES;
use crate::error::{Error, Result};
use crate::math::Vec3;

impl TriangleMesh {
    /// A ground of given heights `[m]` on a grid in x and y about the origin, shape `[rows][columns]`: columns along x,
    /// `cell` `[m]` apart along x and y, rows along y. It faces up; each cell is two triangles.
    ///
    /// # Errors
    /// [`Error::Invalid`] for fewer than two rows or columns, rows of unequal length, a cell that is not positive, and what
    /// [`TriangleMesh::new`] says.
    pub fn height_field(heights: &[Vec<f64>], cell: [f64; 2]) -> Result<Self> {
        let wrong = |why: String| Error::invalid("height field", why);
        let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
        if rows < 2 || columns < 2 {
            return Err(wrong(format!(
                "{rows} rows of {columns} heights; at least 2 of 2 are needed"
            )));
        }
        if let Some(row) = heights.iter().position(|row| row.len() != columns) {
            return Err(wrong(format!(
                "row {row} has {} heights, the first one {columns}",
                heights[row].len()
            )));
        }
        if rows.saturating_mul(columns) > MAX_MESH_TRIANGLES / 2 {
            return Err(wrong(format!(
                "{rows} rows of {columns} heights; at most {} heights are taken",
                MAX_MESH_TRIANGLES / 2
            )));
        }
        if !cell.iter().all(|&side| side > 0.0 && side.is_finite()) {
            return Err(wrong(format!(
                "cells of {} by {} m; both are to be positive and finite",
                cell[0], cell[1]
            )));
        }
        let place = |row: usize, column: usize| {
            Vec3::new(
                (column as f64 - 0.5 * (columns - 1) as f64) * cell[0],
                (row as f64 - 0.5 * (rows - 1) as f64) * cell[1],
                heights[row][column],
            )
        };
        let vertices: Vec<Vec3> = (0..rows * columns)
            .map(|at| place(at / columns, at % columns))
            .collect();
        let mut triangles = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let corner =
                    |up: usize, right: usize| ((row + up) * columns + column + right) as u32;
                triangles.push([corner(0, 0), corner(0, 1), corner(1, 1)]);
                triangles.push([corner(0, 0), corner(1, 1), corner(1, 0)]);
            }
        }
        Self::new(&vertices, &triangles)
    }

    /// The surface that a profile sweeps about the z axis, in so many sides: `[radius, height]` `[m]` of its points. It
    /// faces the axis where the profile runs down, and up where it runs towards the axis, as that of a silo does which begins
    /// at the upper rim. Corners of the surface lie on the circles.
    ///
    /// # Errors
    /// [`Error::Invalid`] for fewer than three sides or two points, a negative radius, a profile that stays on the axis
    /// or in one place, and what [`TriangleMesh::new`] says.
    pub fn revolution(profile: &[[f64; 2]], sides: u32) -> Result<Self> {
        let wrong = |why: String| Error::invalid("revolution", why);
        if sides < 3 {
            return Err(wrong(format!("{sides} sides; at least 3 are needed")));
        }
        if profile.len() < 2 {
            return Err(wrong(format!(
                "a profile of {} points; at least 2 are needed",
                profile.len()
            )));
        }
        if let Some(at) = profile.iter().position(|[radius, height]| {
            !(*radius >= 0.0 && radius.is_finite() && height.is_finite())
        }) {
            let [radius, height] = profile[at];
            return Err(wrong(format!(
                "point {at} of the profile is at radius {radius} m, height {height} m: both are to be finite, the radius not negative"
            )));
        }
        if (sides as usize).saturating_mul(2 * profile.len()) > MAX_MESH_TRIANGLES {
            return Err(wrong(format!(
                "{sides} sides of a profile of {} points; at most {MAX_MESH_TRIANGLES} triangles are taken",
                profile.len()
            )));
        }
        let mut vertices = Vec::with_capacity(profile.len() * sides as usize);
        for [radius, height] in profile {
            for side in 0..sides {
                let angle = std::f64::consts::TAU * f64::from(side) / f64::from(sides);
                let (sine, cosine) = angle.sin_cos();
                vertices.push(Vec3::new(radius * cosine, radius * sine, *height));
            }
        }
        let corner = |point: usize, side: u32| point as u32 * sides + side % sides;
        let mut triangles = Vec::new();
        for (point, pair) in profile.windows(2).enumerate() {
            if pair[0] == pair[1] {
                return Err(wrong(format!("points {point} and {} are one", point + 1)));
            }
            if pair[0][0] == 0.0 && pair[1][0] == 0.0 {
                return Err(wrong(format!(
                    "points {point} and {} are both on the axis",
                    point + 1
                )));
            }
            for side in 0..sides {
                let [a, b] = [side, side + 1].map(|side| corner(point, side));
                let [c, d] = [side, side + 1].map(|side| corner(point + 1, side));
                if pair[1][0] > 0.0 {
                    triangles.push([a, d, c]);
                }
                if pair[0][0] > 0.0 {
                    triangles.push([a, b, d]);
                }
            }
        }
        Self::new(&vertices, &triangles)
    }
}
