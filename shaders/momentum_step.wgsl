// Whether momentum goes on after a sweep; twin of `momentum_step` in `src/solver/momentum.rs`. One
// workgroup adds up the workgroups' sums: invocation i takes the sums i, i + WORKGROUP_SIZE, ... of
// joint rows and then of contacts, then halving strides. The window says how many there are: `first`
// of joint rows, `end` of contacts.

@group(0) @binding(2) var<storage, read> joint_sums: array<Progress>;
@group(0) @binding(3) var<storage, read> contact_sums: array<Progress>;
@group(0) @binding(4) var<storage, read_write> momentum: array<Momentum>;

override MOMENTUM_COSINE_FORWARD: f32;
override MOMENTUM_COSINE_CONVEX: f32;

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
    let before = momentum[0];
    var cosine = select(MOMENTUM_COSINE, MOMENTUM_COSINE_FORWARD, before.rule == FORWARD);
    cosine = select(cosine, MOMENTUM_COSINE_CONVEX, before.rule == FORWARD_CONVEX);
    momentum[0] = momentum_after(before, lanes[0], cosine);
}
