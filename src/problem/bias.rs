//! The number that a contact adds to its relative normal velocity.

/// Bias of a contact in the velocity pass `[m/s]`: speculative gap, or restitution.
///
/// * Apart (`separation > 0`): `separation / h`, so that the gap may close and not more.
/// * Touching or overlapping: `0`; removing the overlap is the stabilization's business.
/// * With `restitution` e and an approach faster than `threshold` that would meet within the step:
///   Newton's `e u_n`, u_n being the (negative) velocity before the step, so that `u_n+ = -e u_n`.
///
/// Where both restitution and a gap apply, restitution wins as soon as the gap would close within
/// the step: slowing the approach first would take the speed that is to be reversed.
#[must_use]
pub fn velocity(separation: f64, approach: f64, restitution: f64, threshold: f64, h: f64) -> f32 {
    let meets_within_step = separation + h * approach <= 0.0;
    if restitution > 0.0 && approach < -threshold && meets_within_step {
        return (restitution * approach) as f32;
    }
    (separation.max(0.0) / h) as f32
}

/// Bias of a contact in the position pass `[m]`: its separation, no more than `max_correction`
/// below zero, so that a deep overlap is removed over several steps.
#[must_use]
pub fn position(separation: f64, max_correction: f64) -> f32 {
    separation.max(-max_correction) as f32
}
