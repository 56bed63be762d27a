// Between two LCPs of a step: writes down how the one before ended, and says when the next is to stop;
// twin of `substep_control` in `src/solver/cpu/substep_kernels.rs`.

@group(0) @binding(2) var<storage, read> lcps: array<SubstepParams>;
@group(0) @binding(3) var<storage, read_write> record: Control;
@group(0) @binding(4) var<storage, read_write> logs: array<Control>;
@group(0) @binding(5) var<storage, read_write> momentum: array<Momentum>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn substep_control(@builtin(local_invocation_id) invocation: vec3<u32>) {
    if invocation.x != 0u {
        return;
    }
    let next = lcp_index();
    if !has(STARTS) {
        logs[next - 1u] = record;
    }
    if has(ENDS) {
        return;
    }
    let params = lcps[next];
    record = Control(
        0u,
        0u,
        0.0,
        0.0,
        params.tolerance,
        params.check_every,
        params.iteration_limit,
        params.block_count,
    );
    momentum[0] = Momentum(1.0, 0.0, 0u, params.momentum_rule);
}
