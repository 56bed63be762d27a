// After an LCP of a step: takes what its impulses add to velocities, or its corrections; twin of
// `substep_bodies` in `src/solver/cpu/substep_kernels.rs`.

@group(0) @binding(2) var<storage, read> lcps: array<SubstepParams>;
@group(0) @binding(3) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(4) var<storage, read_write> states: array<BodyState>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn substep_bodies(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let body = window.first + invocation.x;
    if body >= window.end {
        return;
    }
    let zero = vec3<f32>(0.0, 0.0, 0.0);
    if has(STARTS) {
        states[body] = BodyState(zero, 0.0, zero, 0.0, zero, 0.0, zero, 0.0);
    } else {
        let params = lcps[lcp_index()];
        let linear = velocities[body].linear;
        let angular = velocities[body].angular;
        var state = states[body];
        if has(POSITION) {
            let turn = sqrt(ordered_dot(angular, angular));
            var part = 1.0;
            if turn > params.max_turn {
                part = params.max_turn / turn;
            }
            state.moved_linear = state.moved_linear + linear * part;
            state.moved_angular = state.moved_angular + angular * part;
        } else {
            state.gained_linear = state.gained_linear + linear;
            state.gained_angular = state.gained_angular + angular;
            state.moved_linear = state.moved_linear + state.gained_linear * params.substep_length;
            state.moved_angular = state.moved_angular + state.gained_angular * params.substep_length;
        }
        states[body] = state;
    }
    velocities[body].linear = zero;
    velocities[body].angular = zero;
}
