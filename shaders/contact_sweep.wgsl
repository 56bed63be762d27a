// Gauss-Seidel over the groups of one colour; twin of `src/solver/cpu/sweep.rs`.
//
// One invocation sweeps one group, a run of contacts between the same two bodies, one after
// the other; soft ones several times. No two
// groups of a colour share a movable body, and only movable bodies are written.

@group(0) @binding(2) var<storage, read> blocks: array<ContactBlock>;
@group(0) @binding(3) var<storage, read> group_starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn contact_sweep(@builtin(global_invocation_id) invocation: vec3<u32>) {
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
    let inertia_a = inertias[body_a];
    let inertia_b = inertias[body_b];
    var velocity_a = velocities[body_a];
    var velocity_b = velocities[body_b];
    let visits = visits_of(end - first, has(REBUILD));
    for (var visit = 0u; visit < visits; visit++) {
        let takes_all = takes_all_rows(visit, visits);
        for (var index = first; index < end; index++) {
            let update = stepped(
                takes_all,
                blocks[index],
                impulses[index],
                velocity_a,
                inertia_a,
                1.0,
                velocity_b,
                inertia_b,
                1.0,
            );
            impulses[index] = update.impulse;
            velocity_a = update.a;
            velocity_b = update.b;
        }
    }
    if velocity_a.inverse_mass > 0.0 {
        velocities[body_a] = velocity_a;
    }
    if velocity_b.inverse_mass > 0.0 {
        velocities[body_b] = velocity_b;
    }
}
