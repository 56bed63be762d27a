// The mean of the copies of a body; what `cluster_gather` and `cluster_solve` share.

// Gives a body its new velocity, the sum of what its copies add.
fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>, rebuilds: bool) {
    if !rebuilds {
        bodies[body].change_linear = linear - velocities[body].linear;
        bodies[body].change_angular = angular - velocities[body].angular;
    }
    velocities[body].linear = linear;
    velocities[body].angular = angular;
}

// A body with few copies, in the order of its slots.
fn gather_body(entry: u32, rebuilds: bool) {
    let at = words[BODIES_AT] + entry * SPLIT_WORDS;
    let first = words[at + 1u];
    let count = words[at + 2u];
    var linear = vec3<f32>(0.0, 0.0, 0.0);
    var angular = vec3<f32>(0.0, 0.0, 0.0);
    for (var slot = first; slot < first + count; slot++) {
        linear = linear + slots[slot].linear;
        angular = angular + slots[slot].angular;
    }
    settle(words[at], linear, angular, rebuilds);
}

// A hub by the whole workgroup: invocation i takes the slots i, i + WORKGROUP_SIZE, ..., then the sums
// are added by halving strides.
fn gather_hub(entry: u32, lane: u32, rebuilds: bool) {
    let at = words[HUBS_AT] + entry * SPLIT_WORDS;
    let first = words[at + 1u];
    let count = words[at + 2u];
    var linear = vec3<f32>(0.0, 0.0, 0.0);
    var angular = vec3<f32>(0.0, 0.0, 0.0);
    for (var slot = lane; slot < count; slot += WORKGROUP_SIZE) {
        linear = linear + slots[first + slot].linear;
        angular = angular + slots[first + slot].angular;
    }
    add_up_changes(lane, linear, angular);
    if lane == 0u {
        settle(words[at], linear_sums[0], angular_sums[0], rebuilds);
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
