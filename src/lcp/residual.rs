//! How far a point is from solving a complementarity problem: the min map, the Fischer–Burmeister
//! function, and the conditions of contact one by one.

use nalgebra::DVector;

/// Min map: `max_i |min(z_i, w_i)|`; zero exactly at a solution. NaN if any number is.
#[must_use]
pub fn min_map(z: &DVector<f64>, w: &DVector<f64>) -> f64 {
    largest(z.iter().zip(w.iter()).map(|(&z, &w)| {
        if z.is_nan() || w.is_nan() {
            f64::NAN
        } else {
            z.min(w)
        }
    }))
}

/// Fischer–Burmeister: `max_i |sqrt(z_i^2 + w_i^2) - z_i - w_i|`; zero exactly at a solution. NaN
/// if any number is.
#[must_use]
pub fn fischer_burmeister(z: &DVector<f64>, w: &DVector<f64>) -> f64 {
    largest(z.iter().zip(w.iter()).map(|(&z, &w)| z.hypot(w) - z - w))
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |max, x| {
        if max.is_nan() || x.is_nan() {
            f64::NAN
        } else {
            max.max(x.abs())
        }
    })
}

/// The conditions of frictional contact, each by itself; all zero at a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Physical {
    /// Largest approach that is left, `max(-u_n, 0)` `[m/s]`.
    pub approach: f64,
    /// Largest pull, `max(-r_n, 0)` `[N s]`.
    pub adhesion: f64,
    /// Largest excess of the friction impulse over its cone, in the cone's gauge `[N s]`.
    pub cone_excess: f64,
    /// Largest `|u_n r_n|`: a contact that both leaves and pushes `[J]`.
    pub complementarity: f64,
    /// Largest `|u_t . r_t + mu r_n s|`, s being the slip speed in the cone's dual gauge: friction
    /// that does not dissipate the most `[J]`.
    pub dissipation: f64,
}

impl Physical {
    /// Adds one contact: impulse and relative velocity as `(normal, tangent 1, tangent 2)` `[N s]`
    /// and `[m/s]`, the velocity with the bias, and the coefficient of friction.
    ///
    /// `directions` are the corners of a friction polygon of unit radius; none means the disk. For
    /// a polygon the slip speed is `max_k -d_k . u_t`, as in Stewart–Trinkle.
    pub fn add(
        &mut self,
        impulse: [f64; 3],
        velocity: [f64; 3],
        friction: f64,
        directions: &[[f64; 2]],
    ) {
        let [r_n, r_1, r_2] = impulse;
        let [u_n, u_1, u_2] = velocity;
        let radius = friction * r_n;
        let (size, slip) = if directions.is_empty() {
            (r_1.hypot(r_2), u_1.hypot(u_2))
        } else {
            // The gauge of a regular polygon: distance along the closest edge normal over the
            // apothem, the edge normals lying halfway between corners.
            let half = std::f64::consts::PI / directions.len() as f64;
            let along = directions
                .iter()
                .map(|&[c, s]| {
                    let normal = [
                        c * half.cos() - s * half.sin(),
                        s * half.cos() + c * half.sin(),
                    ];
                    r_1 * normal[0] + r_2 * normal[1]
                })
                .fold(f64::NEG_INFINITY, f64::max);
            let slip = directions
                .iter()
                .map(|&[c, s]| -(c * u_1 + s * u_2))
                .fold(f64::NEG_INFINITY, f64::max);
            (along / half.cos(), slip)
        };
        self.approach = self.approach.max(-u_n);
        self.adhesion = self.adhesion.max(-r_n);
        self.complementarity = self.complementarity.max((u_n * r_n).abs());
        self.cone_excess = self.cone_excess.max(size - radius);
        self.dissipation = self
            .dissipation
            .max((u_1 * r_1 + u_2 * r_2 + radius * slip).abs());
    }
}
