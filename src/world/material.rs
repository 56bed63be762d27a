//! Friction and restitution, and how two materials combine.

/// A surface. Of two that touch, friction is the geometric mean and restitution the larger one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields, default))]
pub struct Material {
    /// Coulomb coefficient of friction, at least 0.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub friction: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = 1)))]
    pub restitution: f64,
}

/// What holds between two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialPair {
    /// Coulomb coefficient of friction.
    pub friction: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
}

impl Material {
    /// The combination rule: friction is the geometric mean, so that a frictionless surface stays
    /// frictionless against anything and equal surfaces keep their value; restitution is the larger
    /// one.
    #[must_use]
    pub fn combine(&self, other: &Self) -> MaterialPair {
        MaterialPair {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
        }
    }
}
