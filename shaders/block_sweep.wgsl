// Gauss-Seidel over the groups of one colour; twin of `contact_sweep` and `joint_sweep` in `src/solver/cpu/sweep.rs`.
//
// One invocation sweeps one group, a run of contacts or joint rows between the same two bodies, one after the other; soft
// contacts several times, unless the first visits hardly change them. No two groups of a colour share a movable body, and only movable bodies are written.

@group(0) @binding(2) var<storage, read> blocks: array<Block>;
@group(0) @binding(3) var<storage, read> group_starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> impulses: array<Impulse>;
@group(0) @binding(5) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn block_sweep(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let group = window.first + invocation.x;
    if group >= window.end {
        return;
    }
    let first = group_starts[group - window.start_base] - window.block_base;
    let end = group_starts[group + 1u - window.start_base] - window.block_base;
    let body_a = blocks[first].body_a;
    let body_b = blocks[first].body_b;
    var a = Copy(velocities[body_a], inertias[body_a], 1.0);
    var b = Copy(velocities[body_b], inertias[body_b], 1.0);
    let visits = visits_of(end - first, has(REBUILD));
    var reach = Reach(0.0, 0.0, 0.0);
    let before_a = a.velocity;
    let before_b = b.velocity;
    for (var visit = 0u; visit < visits; visit++) {
        if visit == FIRST_VISITS && is_calm(reach, before_a, before_b, a, b) {
            break;
        }
        let takes_all = takes_all_rows(visit, visits);
        for (var index = first; index < end; index++) {
            let block = blocks[index];
            let update = stepped(has(REBUILD), takes_all, block, impulses[index], a, b);
            reach = with_contact(reach, block);
            impulses[index] = update.impulse;
            a = update.a;
            b = update.b;
        }
    }
    if a.velocity.inverse_mass > 0.0 {
        velocities[body_a] = a.velocity;
    }
    if b.velocity.inverse_mass > 0.0 {
        velocities[body_b] = b.velocity;
    }
}
