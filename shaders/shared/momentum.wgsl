// Momentum's sums; twin of a part of `src/solver/momentum.rs`.

override MOMENTUM_COSINE: f32;
override MOMENTUM_KEPT: f32;

var<workgroup> lanes: array<Progress, WORKGROUP_SIZE>;

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

// Adds up the sums of all invocations by halving strides; the first one finds the total in its lane.
fn add_up(lane: u32, mine: Progress) {
    lanes[lane] = mine;
    workgroupBarrier();
    for (var stride = WORKGROUP_SIZE / 2u; stride > 0u; stride = stride / 2u) {
        if lane < stride {
            lanes[lane] = plus(lanes[lane], lanes[lane + stride]);
        }
        workgroupBarrier();
    }
}
