// Sets what impulses have added to each body's velocity to nothing; twin of `body_start` in
// `src/solver/cpu/body_start.rs`.

@group(0) @binding(2) var<storage, read_write> velocities: array<BodyVelocity>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn body_start(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let body = window.first + invocation.x;
    if body >= window.end {
        return;
    }
    velocities[body].linear = vec3<f32>(0.0, 0.0, 0.0);
    velocities[body].angular = vec3<f32>(0.0, 0.0, 0.0);
}
