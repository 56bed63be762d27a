//! The set of admissible friction impulses.

use crate::constants::MAX_FRICTION_DIRECTIONS;
use crate::error::{Error, Result};

/// Cross-section of the friction cone at normal impulse `r_n`: all `r_t` with `|r_t| <= mu r_n`,
/// or a regular polygon inscribed in that disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrictionCone {
    /// The disk: Coulomb's law itself.
    #[default]
    Disk,
    /// The regular polygon with corners `mu r_n (cos 2 pi k/K, sin 2 pi k/K)` in the contact's
    /// tangents: the linear complementarity problem of Stewart–Trinkle.
    Pyramid {
        /// Number of corners K, even, from 4 to
        /// [`MAX_FRICTION_DIRECTIONS`].
        directions: u32,
    },
}

impl FrictionCone {
    /// Checks the number of directions.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is odd, below 4 or above [`MAX_FRICTION_DIRECTIONS`].
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Pyramid { directions }
                if directions < 4
                    || directions % 2 == 1
                    || directions as usize > MAX_FRICTION_DIRECTIONS =>
            {
                Err(Error::invalid(
                    "friction pyramid",
                    format!(
                        "{directions} directions; an even number from 4 to {MAX_FRICTION_DIRECTIONS} is expected"
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    /// The cone as the kernels read it.
    #[must_use]
    pub fn table(self) -> FrictionTable {
        let mut table = FrictionTable {
            edges: [[0.0; 4]; MAX_FRICTION_DIRECTIONS],
            directions: 0,
            apothem: 1.0,
            half_edge: 0.0,
            padding: 0,
        };
        if let Self::Pyramid { directions } = self {
            let half = std::f64::consts::PI / f64::from(directions);
            table.directions = directions;
            table.apothem = half.cos() as f32;
            table.half_edge = half.sin() as f32;
            for (k, edge) in table.edges.iter_mut().take(directions as usize).enumerate() {
                let (sin, cos) = (half * (2 * k + 1) as f64).sin_cos();
                *edge = [cos as f32, sin as f32, 0.0, 0.0];
            }
        }
        table
    }
}

/// A friction cone as numbers: the polygon's edges at unit radius, or none for the disk.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct FrictionTable {
    /// Outward unit normals of the polygon's edges, in the first two numbers of each.
    pub edges: [[f32; 4]; MAX_FRICTION_DIRECTIONS],
    /// Number of edges; 0 for the disk.
    pub directions: u32,
    /// Distance of an edge from the centre, over the radius.
    pub apothem: f32,
    /// Half the length of an edge, over the radius.
    pub half_edge: f32,
    /// Unused.
    pub padding: u32,
}
