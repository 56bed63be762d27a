// Residuals, and their sums.

alias Sum = Partial;

fn partial_of(residual: f32) -> Partial {
    return Partial(residual * residual, residual);
}

fn plus(a: Partial, b: Partial) -> Partial {
    return Partial(a.sum_of_squares + b.sum_of_squares, max(a.max, b.max));
}
