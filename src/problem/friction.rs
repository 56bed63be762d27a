//! The set of admissible friction impulses, and the law that picks one of them.

use crate::constants::MAX_FRICTION_DIRECTIONS;
use crate::error::{Error, Result};

/// Cross-section of the friction cone at normal impulse `r_n`: all `r_t` with `|r_t| <= mu r_n`,
/// or a regular polygon inscribed in that disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum FrictionCone {
    /// The exact disk: Coulomb's law itself.
    #[default]
    Disk,
    /// A pyramid of this many directions K, even, from 4 to 16: the regular polygon with corners
    /// `mu r_n (cos 2 pi k/K, sin 2 pi k/K)` in the contact's tangents. The linear complementarity problem of Stewart–Trinkle.
    #[cfg_attr(
        feature = "scene",
        serde(
            serialize_with = "serde::Serialize::serialize",
            deserialize_with = "serde::Deserialize::deserialize"
        )
    )]
    #[cfg_attr(feature = "cli", schemars(with = "u32"))]
    Pyramid {
        /// Number of corners K, even, from 4 to 16.
        directions: u32,
    },
}

/// How a contact's impulse `r` and relative velocity `u` (bias included) belong together where it has
/// friction; `K` is the cone `|r_t| <= mu r_n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum FrictionLaw {
    /// Coulomb's: `0 <= r_n _|_ u_n >= 0`, and `r_t` the impulse within `mu r_n` that opposes the slip most.
    /// Normal and tangential parts are projected one after the other. No energy has this as its
    /// minimum, and a solution need not be the only one.
    #[default]
    Coulomb,
    /// The convex, or associated, law: `K` contains `r`, its dual cone `u`, and `r . u = 0`, so that a sliding
    /// contact opens with `u_n = mu |u_t|`. It is the minimum of a convex quadratic over the cones
    /// (Anitescu, "Optimization-based simulation of nonsmooth rigid multibody dynamics", 2006), which
    /// accelerated methods find in fewer passes; where contacts stick it is Coulomb's law. For the
    /// disk only.
    Convex,
}

impl FrictionLaw {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Coulomb, Self::Convex];

    /// Name in scene files and in reports: `coulomb` or `convex`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Coulomb => "coulomb",
            Self::Convex => "convex",
        }
    }

    /// Checks that there is a projection for a cone.
    ///
    /// # Errors
    /// [`Error::Invalid`] for the convex law with a pyramid.
    pub fn validate(self, cone: FrictionCone) -> Result<()> {
        if self == Self::Convex && cone != FrictionCone::Disk {
            return Err(Error::invalid(
                "friction law",
                "the convex law is for the friction disk only, not for a pyramid",
            ));
        }
        Ok(())
    }
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

    /// The cone as the kernels read it, with Coulomb's law; see [`FrictionTable::with_law`] and
    /// [`FrictionTable::with_softness`].
    #[must_use]
    pub(crate) fn table(self) -> FrictionTable {
        let mut table = FrictionTable {
            edges: [[0.0; 4]; MAX_FRICTION_DIRECTIONS],
            directions: 0,
            apothem: 1.0,
            half_edge: 0.0,
            law: FrictionLaw::Coulomb as u32,
            softness: 0.0,
            hardness: 1.0,
            is_soft: 0,
            calm_change: 0.0,
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
    /// The law: 0 for Coulomb's, 1 for the convex one.
    pub law: u32,
    /// [`Problem::contact_softness`](super::Problem::contact_softness), eps.
    pub softness: f32,
    /// `1 / (1 + eps)`.
    pub hardness: f32,
    /// 1 if a normal row is soft: by eps, or by itself.
    pub is_soft: u32,
    /// See [`Problem::calm_change`](super::Problem::calm_change) `[m/s]`.
    pub calm_change: f32,
}

impl FrictionTable {
    /// The same cone with a law.
    #[must_use]
    pub fn with_law(self, law: FrictionLaw) -> Self {
        Self {
            law: law as u32,
            ..self
        }
    }

    /// The same with soft normal rows.
    #[must_use]
    pub fn with_softness(self, softness: f32) -> Self {
        Self {
            softness,
            hardness: 1.0 / (1.0 + softness),
            is_soft: u32::from(softness > 0.0),
            ..self
        }
    }

    /// True if normal and tangential impulses are projected onto the cone together.
    #[must_use]
    #[inline(always)]
    pub fn is_convex(&self) -> bool {
        self.law == FrictionLaw::Convex as u32
    }
}
