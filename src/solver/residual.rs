//! The natural-map residual: how far impulses and velocities are from solving the problem, in m/s.
//!
//! For a contact with impulse `r`, relative velocity `u` (bias included) and step
//! `rho = 3 / tr W`, the residual is `|r - P(r - rho u)| / rho`, P being the projection that the
//! formulation claims: the normal part onto `r_n >= 0`, the tangential part onto the friction
//! polygon or disk of radius `mu r_n`, with the projected normal part. It is zero exactly at a
//! solution and has the unit of a velocity whatever the masses are.

use crate::constants::WORKGROUP_SIZE;
use bytemuck::{Pod, Zeroable};

/// Sum of squares and maximum over one workgroup's contacts; 8 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Partial {
    /// Sum of squared residuals `[m^2/s^2]`.
    pub sum_of_squares: f32,
    /// Largest residual `[m/s]`.
    pub max: f32,
}

impl Partial {
    /// The partial of one contact.
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

/// Root mean square and maximum over all contacts; both NaN if any residual is not a number.
#[must_use]
pub fn finish(partials: &[Partial], contact_count: usize) -> (f32, f32) {
    if contact_count == 0 {
        return (0.0, 0.0);
    }
    let sum: f64 = partials.iter().map(|p| f64::from(p.sum_of_squares)).sum();
    let max = partials.iter().fold(0.0_f32, |max, p| max.max(p.max));
    let rms = (sum / contact_count as f64).sqrt() as f32;
    // `max` skips NaN where the sum does not.
    if rms.is_finite() {
        (rms, max)
    } else {
        (f32::NAN, f32::NAN)
    }
}
