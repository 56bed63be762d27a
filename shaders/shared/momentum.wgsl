// Momentum's factors; twin of a part of `src/solver/momentum.rs`.

override MOMENTUM_COSINE: f32;
override MOMENTUM_KEPT: f32;

// The sequence of factors after a sweep; it starts anew if the sweep's step and the last change are not as parallel as `cosine`
// asks for.
fn momentum_after(before: Momentum, progress: Progress, cosine: f32) -> Momentum {
    let least = cosine * (sqrt(progress.step) * sqrt(progress.change));
    if progress.along < least {
        let kept = 1.0 + MOMENTUM_KEPT * (before.sequence - 1.0);
        return Momentum(kept, 0.0, before.restarts + 1u, before.rule);
    }
    let next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * (before.sequence * before.sequence)));
    return Momentum(next, (before.sequence - 1.0) / next, before.restarts, before.rule);
}
