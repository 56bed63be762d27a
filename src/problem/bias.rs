//! The number that a contact adds to its relative normal velocity.

/// Bias of an unstabilized contact in the velocity pass `[m/s]`: speculative gap, or restitution.
///
/// * Apart (`separation > 0`): `separation / h`, so that the gap may close and not more.
/// * Touching or overlapping: `0`; removing the overlap is the stabilization's business.
/// * With restitution: see [`with_restitution`].
#[must_use]
pub fn velocity(separation: f64, approach: f64, restitution: f64, threshold: f64, h: f64) -> f32 {
    let gap = separation.max(0.0) / h;
    with_restitution(gap, separation, approach, restitution, threshold, h) as f32
}

/// Bias of a contact in the velocity pass `[m/s]`, `gap` being what its stabilization asks for.
///
/// With `restitution` e and an approach faster than `threshold` that would meet within the step, it
/// is Newton's `e u_n`, u_n being the (negative) velocity before the step, so that `u_n+ = -e u_n`:
///
/// * apart, restitution wins over the gap: slowing the approach first would take the speed that is
///   to be reversed;
/// * touching or overlapping, the smaller of the two holds, which asks for the faster separation.
#[must_use]
pub fn with_restitution(
    gap: f64,
    separation: f64,
    approach: f64,
    restitution: f64,
    threshold: f64,
    h: f64,
) -> f64 {
    let meets_within_step = separation + h * approach <= 0.0;
    if !(restitution > 0.0 && approach < -threshold && meets_within_step) {
        return gap;
    }
    let bounce = restitution * approach;
    if separation > 0.0 {
        bounce
    } else {
        bounce.min(gap)
    }
}

/// Bias of a contact or limit in the position pass `[m]`: its gap, no more than `max_correction`
/// below zero, so that a deep overlap is removed over several steps.
#[must_use]
pub fn position(gap: f64, max_correction: f64) -> f32 {
    gap.max(-max_correction) as f32
}
