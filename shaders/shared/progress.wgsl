// Progress of impulses; twin of a part of `src/solver/momentum.rs`.

alias Sum = Progress;

// One impulse's part of the progress, with the effective mass of its row.
fn part(mass: f32, previous: f32, start: f32, now: f32) -> Progress {
    if mass == 0.0 {
        return Progress(0.0, 0.0, 0.0, 0.0);
    }
    let step = now - start;
    let change = now - previous;
    return Progress(step * change / mass, step * step / mass, change * change / mass, 0.0);
}

fn plus(a: Progress, b: Progress) -> Progress {
    return Progress(a.along + b.along, a.step + b.step, a.change + b.change, 0.0);
}
