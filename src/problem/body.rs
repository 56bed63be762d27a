//! A body as a solver sees it.

use bytemuck::{Pod, Zeroable};

/// Mass and velocity of one body, in world axes at its centre of mass; 64 bytes, a cache line.
///
/// A body that contacts cannot move (fixed or kinematic) has `inverse_mass` and
/// `inverse_inertia` zero and keeps its velocity.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Body {
    /// Velocity of the centre of mass `[m/s]` before the solve, with external forces applied.
    pub linear_velocity: [f32; 3],
    /// One over the mass `[1/kg]`; zero for an immovable body.
    pub inverse_mass: f32,
    /// Angular velocity in world axes `[rad/s]`.
    pub angular_velocity: [f32; 3],
    /// Unused; keeps the record at two cache-line quarters.
    pub padding: f32,
    /// Inverse inertia in world axes, `[xx, xy, xz, yy, yz, zz]` `[1/(kg m^2)]`.
    pub inverse_inertia: [f32; 6],
    /// Unused.
    pub padding_2: [f32; 2],
}

/// Velocity of a body, or a change of it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields))]
pub struct Velocity {
    /// Of the centre of mass `[m/s]`.
    pub linear: [f32; 3],
    /// In world axes `[rad/s]`.
    pub angular: [f32; 3],
}

impl Body {
    /// A body that moves. `inverse_inertia` is `[xx, xy, xz, yy, yz, zz]` in world axes.
    #[must_use]
    #[inline]
    pub fn dynamic(
        inverse_mass: f32,
        inverse_inertia: [f32; 6],
        linear_velocity: [f32; 3],
        angular_velocity: [f32; 3],
    ) -> Self {
        Self {
            linear_velocity,
            inverse_mass,
            angular_velocity,
            padding: 0.0,
            inverse_inertia,
            padding_2: [0.0; 2],
        }
    }

    /// A body that moves, from its mass `[kg]`, its principal moments of inertia `[kg m^2]` and the rotation from their axes to the
    /// world's, a unit quaternion `[x, y, z, w]`; velocities in world axes `[m/s]`, `[rad/s]`.
    #[must_use]
    pub fn from_local(
        mass: f32,
        inertia: [f32; 3],
        [x, y, z, w]: [f32; 4],
        linear_velocity: [f32; 3],
        angular_velocity: [f32; 3],
    ) -> Self {
        let axes = [
            [
                1.0 - 2.0 * (y * y + z * z),
                2.0 * (x * y + w * z),
                2.0 * (x * z - w * y),
            ],
            [
                2.0 * (x * y - w * z),
                1.0 - 2.0 * (x * x + z * z),
                2.0 * (y * z + w * x),
            ],
            [
                2.0 * (x * z + w * y),
                2.0 * (y * z - w * x),
                1.0 - 2.0 * (x * x + y * y),
            ],
        ];
        let entry = |i: usize, j: usize| (0..3).map(|k| axes[k][i] * axes[k][j] / inertia[k]).sum();
        let inverse = [
            entry(0, 0),
            entry(0, 1),
            entry(0, 2),
            entry(1, 1),
            entry(1, 2),
            entry(2, 2),
        ];
        Self::dynamic(1.0 / mass, inverse, linear_velocity, angular_velocity)
    }

    /// A body that no impulse moves, with the velocity it keeps.
    #[must_use]
    pub fn immovable(linear_velocity: [f32; 3], angular_velocity: [f32; 3]) -> Self {
        Self::dynamic(0.0, [0.0; 6], linear_velocity, angular_velocity)
    }

    /// True if impulses change this body's velocity.
    #[must_use]
    pub fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0
    }

    pub(super) fn validate(&self) -> Result<(), String> {
        let numbers = self
            .linear_velocity
            .iter()
            .chain(&self.angular_velocity)
            .chain(&self.inverse_inertia)
            .chain([&self.inverse_mass]);
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return Err("every number must be finite".into());
        }
        if self.inverse_mass < 0.0 {
            return Err(format!(
                "inverse mass {} is negative; it must be zero (immovable) or positive",
                self.inverse_mass
            ));
        }
        let [xx, _, _, yy, _, zz] = self.inverse_inertia;
        if xx < 0.0 || yy < 0.0 || zz < 0.0 {
            return Err("the diagonal of the inverse inertia must not be negative".into());
        }
        if self.inverse_mass == 0.0 && self.inverse_inertia != [0.0; 6] {
            return Err("an immovable body (inverse mass 0) needs inverse inertia 0".into());
        }
        Ok(())
    }
}

/// The reason why there is nothing between two bodies, if there is one.
pub(super) fn validate_pair([a, b]: [u32; 2], body_count: usize) -> Result<(), String> {
    for body in [a, b] {
        if body as usize >= body_count {
            return Err(format!(
                "body {body} does not exist; there are {body_count}"
            ));
        }
    }
    if a == b {
        return Err(format!("both sides are body {a}"));
    }
    Ok(())
}
