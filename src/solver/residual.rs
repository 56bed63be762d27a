//! The natural-map residual: how far impulses and velocities are from solving the problem, in m/s.
//!
//! For a contact with impulse `r`, relative velocity `u` (bias included) and step
//! `rho = 3 / tr W`, the residual is `|r - P(r - rho u)| / rho`, P being the projection that the
//! formulation claims: the normal part onto `r_n >= 0`, the tangential part onto the friction
//! polygon or disk of radius `mu r_n`, with the projected normal part. It is zero exactly at a
//! solution and has the unit of a velocity whatever the masses are.
//!
//! For a joint row with impulse `r` and `u = J V + bias + softness r` the step is
//! `m = 1 / (W_ii + softness)`, and the residual is `|r - clamp(r - m u, lower, upper)|` over
//! `sqrt(m m_red)`, with `1 / m_red = 1/m_a + 1/m_b` the reduced mass of the two bodies. That is `|u|`
//! of a row through both centres of mass, and `|u|` times a radius of gyration of a row that only
//! turns. A row between two immovable bodies has none.

use crate::constants::WORKGROUP_SIZE;
use bytemuck::{Pod, Zeroable};

/// Sum of squares and maximum over one workgroup's contacts or joint rows; 8 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Partial {
    /// Sum of squared residuals `[m^2/s^2]`.
    pub sum_of_squares: f32,
    /// Largest residual `[m/s]`.
    pub max: f32,
}

impl Partial {
    /// The partial of one contact or joint row.
    #[must_use]
    pub fn of(residual: f32) -> Self {
        Self {
            sum_of_squares: residual * residual,
            max: residual,
        }
    }

    /// Both together.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            sum_of_squares: self.sum_of_squares + other.sum_of_squares,
            max: self.max.max(other.max),
        }
    }
}

/// Adds up one workgroup's residuals in the order in which its invocations do: halving strides.
#[must_use]
pub fn reduce_workgroup(residuals: &[f32]) -> Partial {
    let mut lanes = [Partial::default(); WORKGROUP_SIZE as usize];
    for (lane, &residual) in lanes.iter_mut().zip(residuals) {
        *lane = Partial::of(residual);
    }
    let mut stride = lanes.len() / 2;
    while stride > 0 {
        for lane in 0..stride {
            lanes[lane] = lanes[lane].merge(lanes[lane + stride]);
        }
        stride /= 2;
    }
    lanes[0]
}

/// Root mean square and maximum over `count` contacts and joint rows, from the partials of the
/// contacts and of the rows; both NaN if any residual is not a number.
#[must_use]
pub fn finish(partials: [&[Partial]; 2], count: usize) -> (f32, f32) {
    if count == 0 {
        return (0.0, 0.0);
    }
    let partials = || partials.into_iter().flatten();
    let sum: f64 = partials().map(|p| f64::from(p.sum_of_squares)).sum();
    let max = partials().fold(0.0_f32, |max, p| max.max(p.max));
    let rms = (sum / count as f64).sqrt() as f32;
    // `max` skips NaN where the sum does not.
    if rms.is_finite() {
        (rms, max)
    } else {
        (f32::NAN, f32::NAN)
    }
}
