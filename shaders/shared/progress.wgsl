// Progress of impulses, and its sums; twin of a part of `src/solver/momentum.rs`.

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
