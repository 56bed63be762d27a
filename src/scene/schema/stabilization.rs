//! Stabilization as scene files write it.

use crate::solver::Method;
use crate::stabilize::Post;
use serde::{Deserialize, Serialize};

/// What removes the errors of contacts and joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Stabilization {
    /// The scheme of contacts and joints.
    pub method: Option<Scheme>,
    /// The scheme of contacts, if it is another one than `method`; without either, they are soft.
    pub contacts: Option<Scheme>,
    /// The scheme of joints, if it is another one than `method`; without either, or with a `method` that is
    /// soft, they are soft with a softness of their own.
    pub joints: Option<Scheme>,
    /// Sweep of the position problem; without it, that of the velocity problem.
    pub solver: Option<Method>,
    /// Most passes over all contacts and joints of the position problem, at least 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub iterations: u32,
    /// Root mean square residual at which to stop `[m]`; 0 runs all iterations.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub tolerance: f32,
    /// Iterations between two looks at the residual, at least 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub check_every: u32,
    /// How often geometry is refreshed and the position problem solved in one time step, at least 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub steps: u32,
    /// Most that one solve corrects of a penetration `[m]`, positive; without it, a fraction of the
    /// smallest dynamic body.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub max_correction: Option<f64>,
}

impl Default for Stabilization {
    fn default() -> Self {
        let post = Post::default();
        Self {
            method: None,
            contacts: None,
            joints: None,
            solver: None,
            iterations: post.solver.iterations,
            tolerance: post.solver.tolerance,
            check_every: post.solver.check_every,
            steps: post.steps,
            max_correction: post.max_correction,
        }
    }
}

/// A scheme: a name, or a table for one that has numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Scheme {
    /// One without numbers.
    Named(SchemeName),
    /// One with numbers.
    Table(SchemeTable),
}

/// A scheme without numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchemeName {
    /// Errors stay.
    None,
    /// A second problem on positions after integration removes them (Cline-Pai).
    Post,
    /// The velocity at the end of the step is such that none is left (Hong).
    Implicit,
}

/// A scheme with numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SchemeTable {
    /// Which one.
    #[serde(rename = "type")]
    pub kind: SchemeType,
    /// Baumgarte, velocity form: `J V = -kappa g`; at least 0 `[1/s]`.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub kappa: Option<f64>,
    /// Baumgarte, acceleration form: `g'' + 2 alpha g' + beta^2 g = 0`; at least 0 `[1/s]`.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub alpha: Option<f64>,
    /// With `alpha`; at least 0 `[1/s]`.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub beta: Option<f64>,
    /// Baumgarte, acceleration form, by its natural frequency; at least 0 `[rad/s]`.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub omega0: Option<f64>,
    /// With `omega0`: its damping ratio; at least 0.
    #[cfg_attr(feature = "cli", schemars(range(min = 0)))]
    pub zeta: Option<f64>,
    /// Gamma: share of the error that a step removes, above 0 and below 2.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 2)))]
    pub gamma: Option<f64>,
    /// Soft: part of its own push that a contact or joint gives way by, above 0.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub softness: Option<f64>,
}

/// A scheme that has numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchemeType {
    /// A velocity or acceleration against the error: `kappa`; `alpha` and `beta`; or `omega0` and
    /// `zeta`.
    #[default]
    Baumgarte,
    /// A share of the error in each step (Anitescu-Hart).
    Gamma,
    /// Contacts or joints that give way, and so never feed energy in: `softness`. 1e-4 serves joints.
    Soft,
}

impl<'de> Deserialize<'de> for Scheme {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;

        impl<'de> serde::de::Visitor<'de> for Form {
            type Value = Scheme;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(
                    "\"post\", \"none\", \"implicit\", { type = \"baumgarte\", kappa = ... }, \
                     { type = \"gamma\", gamma = ... } or { type = \"soft\", softness = ... }",
                )
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Scheme, E> {
                Ok(Scheme::Named(match name {
                    "none" => SchemeName::None,
                    "post" => SchemeName::Post,
                    "implicit" => SchemeName::Implicit,
                    "baumgarte" | "gamma" | "soft" => {
                        return Err(E::invalid_value(
                            serde::de::Unexpected::Str(name),
                            &"a table, which gives its numbers: { type = \"baumgarte\", kappa = ... }, \
                              { type = \"gamma\", gamma = ... } or { type = \"soft\", softness = ... }",
                        ));
                    }
                    other => {
                        const NAMES: &[&str] =
                            &["post", "none", "implicit", "baumgarte", "gamma", "soft"];
                        return Err(E::unknown_variant(other, NAMES));
                    }
                }))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Scheme, A::Error> {
                let map = serde::de::value::MapAccessDeserializer::new(map);
                Deserialize::deserialize(map).map(Scheme::Table)
            }
        }

        deserializer.deserialize_any(Form)
    }
}
