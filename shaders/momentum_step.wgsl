// Whether momentum goes on after a sweep; twin of `momentum_step` in `src/solver/momentum.rs`. One
// workgroup adds up the workgroups' sums: invocation i takes the sums i, i + WORKGROUP_SIZE, ... of
// joint rows and then of contacts, then halving strides. The window says how many there are: `first`
// of joint rows, `end` of contacts.

@group(0) @binding(2) var<storage, read> joint_sums: array<Progress>;
@group(0) @binding(3) var<storage, read> contact_sums: array<Progress>;
@group(0) @binding(4) var<storage, read_write> momentum: array<Momentum>;

override MOMENTUM_COSINE: f32;
override MOMENTUM_COSINE_FORWARD: f32;
override MOMENTUM_COSINE_CONVEX: f32;
override MOMENTUM_KEPT: f32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn momentum_step(@builtin(local_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let lane = invocation.x;
    var mine = Progress(0.0, 0.0, 0.0, 0.0);
    for (var index = lane; index < window.first; index += WORKGROUP_SIZE) {
        mine = plus(mine, joint_sums[index]);
    }
    for (var index = lane; index < window.end; index += WORKGROUP_SIZE) {
        mine = plus(mine, contact_sums[index]);
    }
    add_up(lane, mine);
    if lane != 0u {
        return;
    }
    let progress = lanes[0];
    let before = momentum[0];
    var cosine = select(MOMENTUM_COSINE, MOMENTUM_COSINE_FORWARD, before.rule == FORWARD);
    cosine = select(cosine, MOMENTUM_COSINE_CONVEX, before.rule == FORWARD_CONVEX);
    let least = cosine * (sqrt(progress.step) * sqrt(progress.change));
    if progress.along < least {
        let kept = 1.0 + MOMENTUM_KEPT * (before.sequence - 1.0);
        momentum[0] = Momentum(kept, 0.0, before.restarts + 1u, before.rule);
        return;
    }
    let next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * (before.sequence * before.sequence)));
    momentum[0] = Momentum(next, (before.sequence - 1.0) / next, before.restarts, before.rule);
}
