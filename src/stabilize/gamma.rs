//! A share of the error is removed in every step, within the one velocity problem.
//!
//! `J V+ + (gamma/h) g = 0` for joints, `>= 0` for gaps (Anitescu and Hart; Hart, eqs 12–13, signs
//! corrected). The error of a joint is multiplied by `1 - gamma` a step, which is stable below 2. With
//! `gamma = 1` it is the implicit enforcement, with `kappa = gamma/h` Baumgarte's velocity form.

/// `J V+ = -(gamma/h) error`.
pub(super) fn equality(gamma: f64, error: f64, h: f64) -> f64 {
    gamma * error / h
}

/// `J V+ >= -(gamma/h) gap` while shut. While open the whole gap may close in a step: a share of it
/// would keep bodies from ever touching.
pub(super) fn gap(gamma: f64, gap: f64, h: f64) -> f64 {
    if gap < 0.0 { gamma * gap / h } else { gap / h }
}
