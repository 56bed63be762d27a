// Sweeping one cluster in workgroup memory; twin of `src/solver/cpu/cluster_sweep.rs`, operation by
// operation. What `cluster_sweep` and `cluster_solve` share.

// Most copies of a cluster.
override CLUSTER_COPIES: u32;

// Number of a copy where there is none, because nothing moves the body.
const NO_COPY: u32 = 0xffffffffu;

// Velocities of the copies: linear and the first angular component, then the other two.
var<workgroup> copies_linear: array<vec4<f32>, CLUSTER_COPIES>;
var<workgroup> copies_angular: array<vec2<f32>, CLUSTER_COPIES>;

// A copy of a body; a body which nothing moves is its only copy, and has no velocity.
fn copy_of(cluster: Cluster, copy: u32, body: u32) -> Copy {
    if copy == NO_COPY {
        return Copy(BodyVelocity(), inertia_of(body), 1.0);
    }
    let linear = copies_linear[copy];
    let angular = vec3<f32>(linear.w, copies_angular[copy]);
    return Copy(
        BodyVelocity(linear.xyz, bodies[body].inverse_rest.z, angular, 0.0),
        inertia_of(body),
        bitcast<f32>(words[cluster.copies_at + copy * COPY_WORDS + 3u]),
    );
}

fn keep(copy: u32, velocity: BodyVelocity) {
    if copy == NO_COPY {
        return;
    }
    copies_linear[copy] = vec4<f32>(velocity.linear, velocity.angular.x);
    copies_angular[copy] = velocity.angular.yz;
}

// Momentum of the impulses, and the copies as the sweeps find them.
fn load(cluster: Cluster, lane: u32, rebuilds: bool, starts: bool, factor: f32) {
    for (var copy = lane; copy < cluster.copies; copy += WORKGROUP_SIZE) {
        let body = words[cluster.copies_at + copy * COPY_WORDS];
        var linear = vec3<f32>(0.0, 0.0, 0.0);
        var angular = vec3<f32>(0.0, 0.0, 0.0);
        if !rebuilds {
            linear = velocities[body].linear + bodies[body].change_linear * factor;
            angular = velocities[body].angular + bodies[body].change_angular * factor;
        }
        copies_linear[copy] = vec4<f32>(linear, angular.x);
        copies_angular[copy] = angular.yz;
    }
    if !rebuilds {
        let base = cluster.first - window.block_base;
        for (var block = lane; block < cluster.blocks; block += WORKGROUP_SIZE) {
            let at = base + block;
            let now = impulses[at];
            var start = now;
            if !starts {
                start = now + factor * (now - memory[at].previous);
            }
            impulses[at] = start;
            memory[at] = ContactMemory(now, start);
        }
    }
    storageBarrier();
    workgroupBarrier();
}

// One pass over the groups of a cluster, colour after colour.
fn sweep(cluster: Cluster, lane: u32, reversed: bool, rebuilds: bool) {
    for (var step = 0u; step < cluster.colors; step++) {
        let color = cluster.colors_at + select(step, cluster.colors - 1u - step, reversed);
        let end = words[color + 1u];
        for (var group = words[color] + lane; group < end; group += WORKGROUP_SIZE) {
            sweep_group(cluster, cluster.groups_at + group * GROUP_WORDS, reversed, rebuilds);
        }
        workgroupBarrier();
    }
}

fn sweep_group(cluster: Cluster, group: u32, reversed: bool, rebuilds: bool) {
    let first = words[group];
    let count = words[group + 1u];
    let copy_a = words[group + 2u];
    let copy_b = words[group + 3u];
    let base = cluster.first - window.block_base + first;
    var a = copy_of(cluster, copy_a, blocks[base].body_a);
    var b = copy_of(cluster, copy_b, blocks[base].body_b);
    if first < cluster.joint_rows {
        for (var step = 0u; step < count; step++) {
            let at = base + select(step, count - 1u - step, reversed);
            let update = stepped_row(rebuilds, row_of(blocks[at]), impulses[at].x, a, b);
            impulses[at].x = update.impulse;
            a = update.a;
            b = update.b;
        }
    } else {
        let visits = visits_of(count, rebuilds);
        var reach = Reach(0.0, 0.0, 0.0);
        let before_a = a.velocity;
        let before_b = b.velocity;
        for (var visit = 0u; visit < visits; visit++) {
            if visit == FIRST_VISITS && is_calm(reach, before_a, before_b, a, b) {
                break;
            }
            let takes_all = takes_all_rows(visit, visits);
            for (var step = 0u; step < count; step++) {
                let at = base + select(step, count - 1u - step, reversed);
                let block = blocks[at];
                let update = stepped(rebuilds, takes_all, block, impulses[at], a, b);
                reach = with_contact(reach, block);
                impulses[at] = update.impulse;
                a = update.a;
                b = update.b;
            }
        }
    }
    keep(copy_a, a.velocity);
    keep(copy_b, b.velocity);
}

// Leaves in its slot what each copy adds to the mean of its body.
fn leave(cluster: Cluster, lane: u32) {
    for (var copy = lane; copy < cluster.copies; copy += WORKGROUP_SIZE) {
        let at = cluster.copies_at + copy * COPY_WORDS;
        let slot = words[at + 1u];
        let share = bitcast<f32>(words[at + 2u]);
        let linear = copies_linear[copy];
        let angular = vec3<f32>(linear.w, copies_angular[copy]);
        changes[slot] = VelocityChange(linear.xyz * share, 0.0, angular * share, 0.0);
    }
}

// How the impulses of a cluster went on, added up as `add_up` does.
fn sum_progress(cluster: Cluster, lane: u32) {
    let base = cluster.first - window.block_base;
    var mine = Progress(0.0, 0.0, 0.0, 0.0);
    for (var block = lane; block < cluster.blocks; block += WORKGROUP_SIZE) {
        let at = base + block;
        let before = memory[at];
        let now = impulses[at];
        if block < cluster.joint_rows {
            // A row's mass is in the place of a contact's friction.
            mine = plus(mine, part(blocks[at].friction, before.previous.x, before.start.x, now.x));
        } else {
            mine = plus(mine, progress_of(blocks[at], before, now));
        }
    }
    add_up(lane, mine);
}

// Sweeps a cluster: in reverse and forward, forward alone, or to rebuild velocities.
fn sweep_cluster(index: u32, lane: u32, reverses: bool, rebuilds: bool, starts: bool) {
    let cluster = cluster_at(index);
    load(cluster, lane, rebuilds, starts, progress.momentum.factor);
    if reverses {
        sweep(cluster, lane, true, false);
    }
    sweep(cluster, lane, false, rebuilds);
    leave(cluster, lane);
    if !rebuilds {
        storageBarrier();
        sum_progress(cluster, lane);
        if lane == 0u {
            progress.sums[index] = lanes[0];
        }
    }
}
