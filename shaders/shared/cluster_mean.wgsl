// The mean of the copies of a body; what `cluster_gather` and `cluster_solve` share.

// Gives a body its new velocity, the sum of what its copies add.
fn settle(body: u32, sum: VelocityChange, rebuilds: bool) {
    if !rebuilds {
        bodies[body].change_linear = sum.linear - velocities[body].linear;
        bodies[body].change_angular = sum.angular - velocities[body].angular;
    }
    velocities[body].linear = sum.linear;
    velocities[body].angular = sum.angular;
}

// A body with few copies, in the order of its slots.
fn gather_body(entry: u32, rebuilds: bool) {
    let at = words[BODIES_AT] + entry * SPLIT_WORDS;
    let first = words[at + 1u];
    settle(words[at], sum_of_changes(first, first + words[at + 2u], 1u), rebuilds);
}

// A hub by the whole workgroup.
fn gather_hub(entry: u32, lane: u32, rebuilds: bool) {
    let at = words[HUBS_AT] + entry * SPLIT_WORDS;
    let sum = sum_of_hub(lane, words[at + 1u], words[at + 2u]);
    if lane == 0u {
        settle(words[at], sum, rebuilds);
    }
    workgroupBarrier();
}

// Whether momentum goes on: invocation i takes the sums i, i + WORKGROUP_SIZE, ... of the clusters.
fn judge(lane: u32) {
    var mine = Progress(0.0, 0.0, 0.0, 0.0);
    for (var index = lane; index < words[CLUSTERS]; index += WORKGROUP_SIZE) {
        mine = plus(mine, progress.sums[index]);
    }
    add_up(lane, mine);
    if lane == 0u {
        progress.momentum = momentum_after(progress.momentum, lanes[0], MOMENTUM_COSINE);
    }
}
