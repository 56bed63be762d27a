// Momentum's factors; twin of a part of `src/solver/momentum.rs`.

override MOMENTUM_COSINE: f32;
override MOMENTUM_KEPT: f32;

// The sequence of factors after a symmetric sweep.
fn momentum_after(before: Momentum, progress: Progress) -> Momentum {
    let least = MOMENTUM_COSINE * (sqrt(progress.step) * sqrt(progress.change));
    if progress.along < least {
        let kept = 1.0 + MOMENTUM_KEPT * (before.sequence - 1.0);
        return Momentum(kept, 0.0, before.restarts + 1u, before.rule);
    }
    let next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * (before.sequence * before.sequence)));
    return Momentum(next, (before.sequence - 1.0) / next, before.restarts, before.rule);
}
